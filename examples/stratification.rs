//! Three density classes, mixed, sort themselves into layers.

use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::measure::layer_order;
use bevy_blob_fluid::prelude::*;
use example_support::{ExamplePlugins, Hud, fit_camera, pointed_at, pour};

/// Of the scene's round container.
const RADIUS: f32 = 400.0;
const HELP: &str = "left drag   attract
right drag  repel
1 2 3       pour heavy, medium, light
Space       pause
N           single step
R           restart";

fn main() {
    App::new()
        .add_plugins((
            ExamplePlugins,
            FrameTimeDiagnosticsPlugin::default(),
            BlobFluidPlugins::default(),
        ))
        // The capacity is that of a full container.
        .insert_resource(FluidSettings { capacity: 6000, ..default() })
        .init_resource::<Pouring>()
        .add_systems(Startup, (setup, mix))
        .add_systems(Update, (mix.run_if(restart_asked), steer_time, follow_pointer, show_numbers))
        .add_systems(FluidSchedule, pour_picked.in_set(FluidTickSystems::Spawn))
        .run();
}

/// Marks the text with the numbers.
#[derive(Component)]
struct Numbers;

/// The class that is poured, and its position.
#[derive(Resource, Default)]
struct Pouring(Option<(FluidClassId, Vec2)>);

fn setup(mut commands: Commands) {
    commands.spawn(fit_camera(2.2 * RADIUS, 2.2 * RADIUS));
    commands.spawn(FluidSurface::default());
    commands.spawn((Pointer, Transform::default()));
    commands.spawn(Hud::top_left(HELP));
    commands.spawn((Numbers, Hud::top_right("")));
}

/// Shows the scene from its beginning: a spiral in which every third particle is of the same class.
fn mix(
    mut commands: Commands,
    assets: Res<AssetServer>,
    scenes: Query<Entity, With<FluidSceneRoot>>,
) {
    scenes.iter().for_each(|scene| commands.entity(scene).despawn());
    commands.spawn(FluidSceneRoot(assets.load("scenes/stratification.scene.ron")));
}

fn restart_asked(keys: Res<ButtonInput<KeyCode>>) -> bool {
    keys.just_pressed(KeyCode::KeyR)
}

fn steer_time(keys: Res<ButtonInput<KeyCode>>, mut time: ResMut<Time<Fluid>>) {
    if keys.just_pressed(KeyCode::Space) {
        if time.is_paused() {
            time.unpause();
        } else {
            time.pause();
        }
    }
    if keys.just_pressed(KeyCode::KeyN) {
        time.pause();
        time.step_once();
    }
}

/// Marks the entity that follows the mouse and has a [`FluidForce`] while a button is held.
#[derive(Component)]
struct Pointer;

fn follow_pointer(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    mut pointers: Query<(Entity, &mut Transform), With<Pointer>>,
    mut pouring: ResMut<Pouring>,
) {
    pouring.0 = None;
    let Ok((pointer, mut transform)) = pointers.single_mut() else { return };
    let position = pointed_at(&windows, &cameras);
    let force = match position {
        Some(_) if buttons.pressed(MouseButton::Left) => Some(FluidForce::attract(160.0, 1200.0)),
        Some(_) if buttons.pressed(MouseButton::Right) => Some(FluidForce::repel(160.0, 1600.0)),
        _ => None,
    };
    match force {
        Some(force) => commands.entity(pointer).insert(force),
        None => commands.entity(pointer).remove::<FluidForce>(),
    };
    let Some(position) = position else { return };
    transform.translation = position.extend(0.0);
    let classes = [KeyCode::Digit1, KeyCode::Digit2, KeyCode::Digit3];
    let pressed = classes.iter().position(|key| keys.pressed(*key));
    pouring.0 = pressed.map(|class| (FluidClassId(class as u8), position));
}

fn pour_picked(mut fluid: ResMut<FluidSimulation>, pouring: Res<Pouring>, time: Res<Time>) {
    if let Some((class, nozzle)) = pouring.0 {
        pour(&mut fluid, class, nozzle, 5, time.delta_secs());
    }
}

fn show_numbers(
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    diagnostics: Res<DiagnosticsStore>,
    time: Res<Time<Real>>,
    mut next: Local<f32>,
    mut texts: Query<&mut Text2d, With<Numbers>>,
) {
    // The text changes twice a second, so that it can be read.
    if time.elapsed_secs() < *next {
        return;
    }
    *next = time.elapsed_secs() + 0.5;
    let frames = diagnostics.get(&FrameTimeDiagnosticsPlugin::FPS).and_then(|fps| fps.smoothed());
    for mut text in &mut texts {
        text.0 = format!(
            "{} particles\nlayer order {:.3}\n{:.1} s simulated\n{:.2} ms per tick, {} substeps\n{:.0} frames/s",
            fluid.particles().len(),
            layer_order(&fluid),
            fluid.time(),
            statistics.tick_milliseconds,
            statistics.substeps,
            frames.unwrap_or_default(),
        );
    }
}
