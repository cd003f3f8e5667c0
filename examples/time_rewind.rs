//! A dam breaks in a mill's yard: hold Space, and time runs back.

use std::collections::VecDeque;
use std::f32::consts::TAU;

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette, plate};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "hold Space  time runs back     hold the mouse  pours water";
/// Time between two moments that are kept, in seconds of the liquid.
const STEP: f64 = 1.0 / 32.0;
/// Most moments that are kept: ten seconds.
const MOST: usize = 320;
/// How much faster time runs back than forwards.
const BACK: f64 = 2.0;
/// The gate: its place when it is shut, and how far it rises, from one second after the start.
const GATE: Vec2 = Vec2::new(-150.0, -70.0);
const LIFT: f32 = 190.0;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default(), game))
        .insert_resource(ClearColor(Color::srgb(0.07, 0.08, 0.18)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.36, 0.37, 0.47), ..default() })
        .add_systems(Startup, set_up_view)
        .add_systems(PostStartup, (scenery, add_ghosts))
        .add_systems(Update, (pour, show, leave_trails).after(lift_gate))
        .run();
}

/// The game without its window.
pub fn game(app: &mut App) {
    app.insert_resource(FluidSettings::new(8.0, Vec2::new(0.0, -500.0)))
        .init_resource::<Past>()
        .add_systems(Startup, setup)
        .add_systems(Update, (keep_or_go_back, lift_gate).chain());
}

/// What was, the oldest moment first.
#[derive(Resource, Default)]
struct Past {
    moments: VecDeque<FluidSnapshot>,
    /// Time of the liquid in the last moment, in seconds.
    last: f64,
    /// How far back time still has to go, in seconds.
    due: f64,
    runs_back: bool,
}

#[derive(Component)]
struct Gate;

/// Where a ball was at what time of the liquid, in seconds: the earliest first.
#[derive(Component, Default)]
struct Trail(Vec<(f32, Vec2)>);

/// An image of a ball where it was some time ago, in seconds.
#[derive(Component)]
struct Ghost {
    ball: Entity,
    ago: f32,
}

/// Marks the hand of the moon's clock.
#[derive(Component)]
struct Hand;

/// Marks the tap at the mouse.
#[derive(Component)]
struct Tap;

/// Marks the bar that is as long as the past.
#[derive(Component)]
struct Bar;

/// Marks what is seen while time runs back.
#[derive(Component)]
struct Veil;

/// Time goes forwards, and its moments are kept, or it goes back through them.
fn keep_or_go_back(world: &mut World) -> Result {
    let held = world.resource::<ButtonInput<KeyCode>>().pressed(KeyCode::Space);
    let passed = world.resource::<Time>().delta_secs_f64();
    world.resource_scope(|world, mut past: Mut<Past>| {
        past.runs_back = held;
        if held {
            past.due += BACK * passed;
            let mut reached = None;
            while past.due >= STEP {
                past.due -= STEP;
                // The first moment stays.
                let earlier = if past.moments.len() > 1 { past.moments.pop_back() } else { None };
                reached = earlier.or(reached);
            }
            if let Some(moment) = reached {
                for missing in moment.restore(world)?.missing {
                    warn!("{missing}");
                }
                past.last = world.resource::<Time<Fluid>>().elapsed_secs_f64();
            }
        } else if world.resource::<Time<Fluid>>().elapsed_secs_f64() >= past.last + STEP {
            past.last = world.resource::<Time<Fluid>>().elapsed_secs_f64();
            // The memory of what is too long ago is used again.
            let full = past.moments.len() == MOST;
            let mut moment = full.then(|| past.moments.pop_front()).flatten().unwrap_or_default();
            moment.take_again(world)?;
            past.moments.push_back(moment);
        }
        let mut clock = world.resource_mut::<Time<Fluid>>();
        if held {
            clock.pause()
        } else {
            clock.unpause()
        }
        Ok(())
    })
}

/// The gate follows from the liquid's time, and so it goes back with it.
fn lift_gate(time: Res<Time<Fluid>>, mut gate: Single<&mut Transform, With<Gate>>) {
    let part = ((time.elapsed_secs() - 1.0) / 0.6).clamp(0.0, 1.0);
    gate.translation.y = GATE.y + LIFT * part * part * (3.0 - 2.0 * part);
}

/// Water from where the mouse is held.
fn pour(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    past: Res<Past>,
    tap: Single<(&mut FluidEmitter, &mut Transform), With<Tap>>,
) {
    let (camera, transform) = *camera;
    let (mut emitter, mut place) = tap.into_inner();
    let cursor = window.cursor_position();
    if let Some(point) = cursor.and_then(|at| camera.viewport_to_world_2d(transform, at).ok()) {
        place.translation = point.extend(0.0);
    }
    emitter.running = buttons.pressed(MouseButton::Left) && !past.runs_back;
}

fn show(
    past: Res<Past>,
    mut bar: Single<&mut Transform, With<Bar>>,
    mut veils: Query<&mut Visibility, With<Veil>>,
) {
    bar.scale.x = past.moments.len() as f32 / MOST as f32;
    for mut veil in &mut veils {
        *veil = if past.runs_back { Visibility::Visible } else { Visibility::Hidden };
    }
}

/// Remembers where the balls are, and shows where they were. The hand of the clock goes back with time.
fn leave_trails(
    time: Res<Time<Fluid>>,
    mut trails: Query<(&Transform, &mut Trail)>,
    mut ghosts: Query<(&mut Transform, &Ghost), Without<Trail>>,
    mut hand: Single<&mut Transform, (With<Hand>, Without<Trail>, Without<Ghost>)>,
) {
    let now = time.elapsed_secs();
    hand.rotation = Quat::from_rotation_z(-TAU * now / 10.0);
    for (place, mut trail) in &mut trails {
        let oldest = now - MOST as f32 * STEP as f32;
        trail.0.retain(|(moment, _)| (oldest..now).contains(moment));
        trail.0.push((now, place.translation.truncate()));
    }
    for (mut place, ghost) in &mut ghosts {
        let Ok((_, trail)) = trails.get(ghost.ball) else { continue };
        if let Some((_, at)) = trail.0.iter().find(|(moment, _)| *moment >= now - ghost.ago) {
            place.translation = at.extend(place.translation.z);
        }
    }
}

fn add_ghosts(
    mut commands: Commands,
    balls: Query<(Entity, &FluidSolidColor), With<Trail>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (ball, color) in &balls {
        for step in 1..=4_u8 {
            let ago = 0.13 * f32::from(step);
            let color = color.0.with_alpha(0.55 - 0.11 * f32::from(step));
            commands.spawn((
                Ghost { ball, ago },
                Mesh2d(meshes.add(Circle::new(26.0))),
                MeshMaterial2d(materials.add(color)),
                Transform::from_xyz(0.0, 0.0, 4.0 - 0.1 * f32::from(step)),
            ));
        }
    }
}

fn setup(mut commands: Commands) {
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let solid =
        |width, height, x, y| (FluidCollider::from(Rectangle::new(width, height)), at(x, y));
    // The yard, its walls, and a step on which a pile of crates stands.
    commands.spawn(solid(960.0, 40.0, 0.0, -300.0));
    commands.spawn(solid(30.0, 420.0, -465.0, -70.0));
    commands.spawn(solid(30.0, 300.0, 465.0, -130.0));
    commands.spawn(solid(300.0, 70.0, -300.0, -245.0));
    commands.spawn(solid(190.0, 46.0, 210.0, -257.0));
    commands.spawn((
        Gate,
        FluidCollider::from(Rectangle::new(18.0, 284.0)),
        FluidSolidColor(Color::srgb(0.50, 0.33, 0.22)),
        Transform::from_translation(GATE.extend(0.0)),
    ));
    let wood = [Color::srgb(0.80, 0.55, 0.32), Color::srgb(0.72, 0.45, 0.26)];
    for row in 0..3_u8 {
        for column in 0..3 - row {
            let x = 150.0 + 54.0 * (f32::from(column) + 0.5 * f32::from(row));
            commands.spawn((
                solid(46.0, 46.0, x, -210.0 + 47.0 * f32::from(row)),
                FluidBuoyant::of_density(0.45),
                FluidSolidColor(wood[usize::from((row + column) % 2)]),
            ));
        }
    }
    for (x, color) in [(-20.0, [0.86, 0.28, 0.26]), (60.0, [0.95, 0.78, 0.32])] {
        let [red, green, blue] = color;
        commands.spawn((
            Trail::default(),
            FluidCollider::from(Circle::new(26.0)),
            FluidBuoyant::of_density(0.3),
            FluidSolidColor(Color::srgb(red, green, blue)),
            at(x, -252.0),
        ));
    }
    commands.spawn((FluidBlob::from(Rectangle::new(280.0, 270.0)), at(-304.0, -74.0)));
    commands.spawn((Tap, FluidEmitter::jet(26.0, 60.0).stopped(), at(0.0, 200.0)));
}

fn set_up_view(mut commands: Commands, mut classes: ResMut<FluidClasses>) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.85,
        depth_color: Color::srgba(0.03, 0.16, 0.46, 0.92),
        sky_color: Color::srgba(0.79, 0.80, 1.00, 0.8),
        ..FluidSurfaceLook::WATER
    }));
    classes[ClassId::MEDIUM].color = [0.16, 0.52, 0.90, 1.0];
    let text = |content: &str, corner: Anchor| {
        (
            art::text(
                content,
                14.0,
                Color::srgb(0.80, 0.82, 0.93),
                (corner.as_vec() * (VIEW - 20.0)).extend(10.0),
                corner,
            ),
            Hud,
        )
    };
    commands.spawn(text(HELP, Anchor::BOTTOM_CENTER));
    commands.spawn((text("<< time runs back", Anchor::TOP_CENTER), Veil, Visibility::Hidden));
    let violet = Sprite::from_color(Color::srgba(0.42, 0.24, 0.75, 0.24), 4.0 * VIEW);
    commands.spawn((violet, Veil, Visibility::Hidden, Transform::from_xyz(0.0, 0.0, 8.0)));
    let bar = Sprite::from_color(Color::srgb(0.72, 0.66, 1.0), Vec2::new(940.0, 5.0));
    let start = Transform::from_xyz(-470.0, 362.0, 10.0);
    commands.spawn((bar, Anchor::CENTER_LEFT, start, Bar, Hud));
}

/// A mill town under the moon.
fn scenery(mut painter: Painter) {
    use Silhouette::{Leaves, Roofs};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-300.0, rgb(0.62, 0.46, 0.68)),
        (-60.0, rgb(0.30, 0.27, 0.52)),
        (375.0, rgb(0.06, 0.08, 0.22)),
    ]);
    painter.scatter(Rect::new(-700.0, -20.0, 700.0, 420.0), 110, 3.5, rgb(0.9, 0.9, 1.0));
    // The moon is a clock.
    let moon = Vec2::new(200.0, 90.0);
    painter.glow(moon, 330.0, rgba(0.80, 0.82, 1.0, 0.6));
    painter.disc(moon, 72.0, rgb(0.96, 0.95, 0.88));
    for hour in 0..12_u8 {
        let way = Vec2::from_angle(TAU * f32::from(hour) / 12.0);
        let size = if hour % 3 == 0 { 5.0 } else { 3.0 };
        painter.disc(moon + 60.0 * way, size, rgb(0.30, 0.27, 0.52));
    }
    // The sign of running back.
    for x in [-20.0, 2.0].map(|x| moon.x + x) {
        let arrow = [(x, 60.0), (x + 18.0, 71.0), (x + 18.0, 49.0)];
        painter.shape(&arrow, 2.0, [rgb(0.62, 0.16, 0.26); 2]);
    }
    painter.board(moon + Vec2::new(0.0, 14.0), (5.0, 34.0), rgb(0.30, 0.27, 0.52));
    let hand = [(-3.5, -12.0), (3.5, -12.0), (1.5, 50.0), (-1.5, 50.0)].map(Vec2::from);
    painter.paint(plate(hand.to_vec(), rgb(0.62, 0.16, 0.26)), moon).insert(Hand);
    painter.disc(moon, 6.0, rgb(0.30, 0.27, 0.52));
    painter.ridge(Roofs, [-300.0, 10.0], [rgb(0.17, 0.15, 0.33), rgb(0.34, 0.28, 0.50)]);
    painter.ridge(Roofs, [-300.0, -80.0], [rgb(0.12, 0.11, 0.25), rgb(0.22, 0.19, 0.38)]);
    painter.scatter(Rect::new(-640.0, -170.0, 640.0, -80.0), 60, 8.0, rgb(1.0, 0.80, 0.45));
    painter.ridge(Leaves, [-320.0, -190.0], [rgb(0.06, 0.07, 0.16), rgb(0.11, 0.12, 0.24)]);
    painter.panel((0.0, -380.0), (3200.0, 130.0), [rgb(0.17, 0.17, 0.25), rgb(0.06, 0.06, 0.10)]);
    painter.vignette(VIEW, 0.5);
}
