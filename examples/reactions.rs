//! Lava meets water: it freezes to stone, and the water boils, rises, and rains again.

use bevy::camera::{Hdr, ScalingMode};
use bevy::input::common_conditions::input_just_pressed;
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1080.0, 800.0);
const HELP: &str =
    "left drag  pour lava     right drag  pour water     H  heat at the mouse     R  restart";
/// Number of drops that flow out of the mountain.
const ERUPTION: u64 = 570;

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            BlobFluidPlugins::default(),
            ShadedWalls { radius: 10.0, ..default() },
        ))
        .insert_resource(ClearColor(Color::srgb(0.03, 0.025, 0.05)))
        .insert_resource(FluidSolidStyle {
            wall: Color::srgb(0.20, 0.15, 0.18),
            interior: None,
            ..default()
        })
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, (setup, fill))
        .add_systems(
            Update,
            (follow_mouse, pour, heat, restart.run_if(input_just_pressed(KeyCode::KeyR))).chain(),
        )
        .run();
}

/// Marks entities that follow the mouse.
#[derive(Component)]
struct AtMouse;

/// Pours while a button is held.
#[derive(Component)]
struct Tap(MouseButton);

/// Marks the entity that has a [`FluidForce`] while it heats.
#[derive(Component)]
struct Heater;

/// Marks what a restart replaces.
#[derive(Component)]
struct Contents;

fn setup(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Hdr, Bloom::NATURAL, Projection::Orthographic(projection)));
    commands.spawn((
        Hud,
        art::text(
            HELP,
            14.0,
            Color::srgb(0.72, 0.77, 0.88),
            Vec3::new(-500.0, 385.0, 10.0),
            Anchor::TOP_LEFT,
        ),
    ));
    commands.spawn(FluidContainer::from(Rectangle::new(1000.0, 700.0)));
    // The mountain's flank, to which lava sticks a little.
    let rough = WallProperties { friction: Some(0.3), ..default() };
    for (x, y, length, slope) in [(-370.0, 60.0, 330.0, -0.75), (-140.0, -110.0, 260.0, -0.5)] {
        commands.spawn((
            FluidCollider::from(Rectangle::new(length, 26.0)).with_wall(rough),
            Transform::from_xyz(x, y, 0.0).with_rotation(Quat::from_rotation_z(slope)),
        ));
    }
    let downwards = Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::PI));
    for (button, material) in
        [(MouseButton::Left, FluidMadeOf::LAVA), (MouseButton::Right, FluidMadeOf::WATER)]
    {
        let tap = FluidEmitter::jet(38.0, 300.0).stopped();
        commands.spawn((AtMouse, Tap(button), tap, material, downwards));
    }
    commands.spawn((AtMouse, Heater, Transform::default()));
}

/// The sea, and the source of lava on the mountain.
fn fill(mut commands: Commands) {
    commands.spawn((
        Contents,
        FluidBlob::from(Rectangle::new(990.0, 150.0)),
        FluidMadeOf::WATER,
        Transform::from_xyz(0.0, -270.0, 0.0),
    ));
    commands.spawn((
        Contents,
        FluidEmitter::jet(19.0, 300.0).with_limit(ERUPTION),
        FluidMadeOf::LAVA,
        Transform::from_xyz(-400.0, 285.0, 0.0)
            .with_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
    ));
}

fn follow_mouse(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut followers: Query<&mut Transform, With<AtMouse>>,
) {
    let (camera, transform) = *camera;
    let cursor = window.cursor_position();
    let point = cursor.and_then(|cursor| camera.viewport_to_world_2d(transform, cursor).ok());
    let Some(point) = point else { return };
    for mut follower in &mut followers {
        follower.translation = point.extend(0.0);
    }
}

/// Opens the tap whose button is held.
fn pour(buttons: Res<ButtonInput<MouseButton>>, mut taps: Query<(&Tap, &mut FluidEmitter)>) {
    for (Tap(button), mut emitter) in &mut taps {
        emitter.running = buttons.pressed(*button);
    }
}

fn heat(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    heater: Single<Entity, With<Heater>>,
) {
    if keys.just_pressed(KeyCode::KeyH) {
        commands.entity(*heater).insert(FluidForce::heat(60.0, 600.0));
    } else if keys.just_released(KeyCode::KeyH) {
        commands.entity(*heater).remove::<FluidForce>();
    }
}

fn restart(
    mut commands: Commands,
    contents: Query<Entity, With<Contents>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    contents.iter().for_each(|part| commands.entity(part).despawn());
    fluid.clear();
    commands.run_system_cached(fill);
}

/// Night at a volcano.
fn scenery(mut painter: Painter) {
    use Silhouette::{Hills, Rocks};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-300.0, rgb(0.34, 0.12, 0.12)),
        (-60.0, rgb(0.20, 0.09, 0.16)),
        (380.0, rgb(0.03, 0.035, 0.10)),
    ]);
    painter.scatter(Rect::new(-540.0, 20.0, 540.0, 400.0), 110, 4.5, rgb(0.72, 0.74, 0.85));
    painter.glow((330.0, 240.0), 170.0, rgba(0.75, 0.80, 0.95, 0.35));
    painter.disc((330.0, 240.0), 40.0, rgb(0.86, 0.87, 0.90));
    painter.disc((318.0, 250.0), 9.0, rgb(0.74, 0.75, 0.80));
    painter.disc((344.0, 232.0), 6.0, rgb(0.76, 0.77, 0.82));
    painter.glow((-420.0, 190.0), 460.0, rgba(1.0, 0.34, 0.10, 0.55));
    painter.ridge(Hills, [-350.0, -20.0], [rgb(0.15, 0.07, 0.13), rgb(0.34, 0.12, 0.13)]);
    painter.ridge(Rocks, [-350.0, -130.0], [rgb(0.07, 0.045, 0.08), rgb(0.20, 0.08, 0.10)]);
    // The mountain below its flanks.
    let rock = [rgb(0.26, 0.15, 0.15), rgb(0.07, 0.045, 0.06)];
    let mountain =
        [(-26.0, -180.0), (-252.0, -52.0), (-500.0, 180.0), (-500.0, -350.0), (60.0, -350.0)];
    painter.shape(&mountain, 0.0, rock);
    painter.glow((60.0, -260.0), 420.0, rgba(1.0, 0.36, 0.10, 0.35));
    painter.vignette(VIEW, 0.5);
}
