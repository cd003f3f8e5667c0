//! The level: what is in it, what moves, and when it is won or lost.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;

use crate::{Play, Screen};

/// Drops in the bucket that win the level.
pub(crate) const ENOUGH: usize = 110;
/// Drops on the floor that lose it.
pub(crate) const TOO_MANY: u64 = 250;
/// How far bucket and tap go from the middle, in world units.
const REACH: f32 = 380.0;
/// Speed of the bucket, in world units/s.
const SPEED: f32 = 420.0;

/// Marks the tap.
#[derive(Component)]
pub(crate) struct Tap;

/// Marks the bucket.
#[derive(Component)]
pub(crate) struct Bucket;

pub(crate) fn plugin(app: &mut App) {
    app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -500.0)))
        // No liquid is left of the level before.
        .add_systems(OnEnter(Screen::Title), |mut commands: Commands| {
            commands.queue(FluidSimulation::restart);
        })
        .add_systems(OnEnter(Screen::Level), spawn)
        .add_systems(OnEnter(Play::Running), |mut time: ResMut<Time<Fluid>>| time.unpause())
        .add_systems(OnExit(Play::Running), |mut time: ResMut<Time<Fluid>>| time.pause())
        // What moves solids belongs into fixed steps: the liquid takes its own after them.
        .add_systems(FixedUpdate, (swing, steer).run_if(in_state(Play::Running)))
        .add_systems(Update, judge.run_if(in_state(Play::Running)));
}

/// Everything here goes when the level ends.
fn spawn(mut commands: Commands) {
    let here = DespawnOnExit(Screen::Level);
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let wall = |width, height| FluidCollider::from(Rectangle::new(width, height));
    commands.spawn((here.clone(), wall(1200.0, 60.0), at(0.0, -345.0)));
    commands.spawn((here.clone(), wall(60.0, 1000.0), at(-520.0, 0.0)));
    commands.spawn((here.clone(), wall(60.0, 1000.0), at(520.0, 0.0)));
    // What comes to the floor is lost, and counted.
    commands.spawn((
        here.clone(),
        FluidDrain::from(Rectangle::new(980.0, 20.0)).with_rate(2000.0),
        at(0.0, -305.0),
    ));
    // The shape points upwards unless it is turned.
    let down = Quat::from_rotation_z(std::f32::consts::PI);
    commands.spawn((
        here.clone(),
        Tap,
        FluidEmitter::pour(24.0, 30.0),
        at(0.0, 330.0).with_rotation(down),
    ));
    let corners = [(-64.0, 60.0), (-50.0, -50.0), (50.0, -50.0), (64.0, 60.0)].map(Vec2::from);
    let shape = Polyline::new(corners, 10.0).expect("four corners are a line");
    commands.spawn((
        here,
        Bucket,
        FluidCollider::from(FluidShape::Polyline(shape)),
        FluidSolidColor(Color::srgb(0.80, 0.33, 0.27)),
        at(-200.0, -225.0),
        // It counts what is in the bucket.
        children![(FluidSensor::from(Rectangle::new(110.0, 110.0)), at(0.0, 5.0))],
    ));
}

fn swing(time: Res<Time<Fluid>>, mut tap: Single<&mut Transform, With<Tap>>) {
    let seconds = time.elapsed_secs();
    tap.translation.x = REACH * (0.6 * (0.6 * seconds).sin() + 0.4 * (1.1 * seconds).sin());
}

/// The bucket goes by the arrow keys, or to where the mouse or a finger is held.
fn steer(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    touches: Res<Touches>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    mut bucket: Single<&mut Transform, With<Bucket>>,
) {
    let step = SPEED * time.delta_secs();
    let held = |left, right| f32::from(keys.any_pressed(right)) - f32::from(keys.any_pressed(left));
    let mut way =
        step * held([KeyCode::ArrowLeft, KeyCode::KeyA], [KeyCode::ArrowRight, KeyCode::KeyD]);
    let finger = touches.iter().next().map(|touch| touch.position());
    let mouse = windows.single().ok().and_then(Window::cursor_position);
    let pointed = finger.or(mouse.filter(|_| buttons.pressed(MouseButton::Left)));
    if let (Some(point), Ok((camera, view))) = (pointed, cameras.single())
        && let Ok(point) = camera.viewport_to_world_2d(view, point)
    {
        way = (point.x - bucket.translation.x).clamp(-step, step);
    }
    bucket.translation.x = (bucket.translation.x + way).clamp(-REACH, REACH);
}

fn judge(
    caught: Single<&FluidSensorReading>,
    lost: Single<&FluidDrainTotals>,
    mut play: ResMut<NextState<Play>>,
) {
    if caught.count >= ENOUGH {
        play.set(Play::Won);
    } else if lost.total >= TOO_MANY {
        play.set(Play::Lost);
    }
}
