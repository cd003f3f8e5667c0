//! Three density classes, mixed, sort themselves into layers.

use bevy::camera::ScalingMode;
use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::input::common_conditions::input_just_pressed;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::measure::layer_order;
use bevy_blob_fluid::blob_fluid::shape::fermat_spiral;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1180.0, 880.0);
const HELP: &str = "left drag   attract
right drag  repel
1 2 3       pour heavy, medium, light
Space       pause
N           single step
R           restart";

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            FrameTimeDiagnosticsPlugin::default(),
            BlobFluidPlugins::default(),
            FluidSolidDrawingPlugin,
        ))
        .insert_resource(ClearColor(Color::srgb(0.035, 0.043, 0.086)))
        // The capacity is that of a full container.
        .insert_resource(FluidSettings { capacity: 6000, ..default() })
        .add_systems(Startup, (setup, mix))
        .add_systems(
            Update,
            (
                mix.run_if(input_just_pressed(KeyCode::KeyR)),
                steer_time,
                (follow_mouse, pour, push).chain(),
                show_numbers,
            ),
        )
        .run();
}

/// Marks the text with the numbers.
#[derive(Component)]
struct Numbers;

/// Marks entities that follow the mouse.
#[derive(Component)]
struct AtMouse;

/// Pours while a key is held.
#[derive(Component)]
struct Tap(KeyCode);

/// Marks the entity that has a [`FluidForce`] while a button is held.
#[derive(Component)]
struct Hand;

fn setup(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidContainer::from(Circle::new(400.0)));
    commands.spawn((AtMouse, Hand, Transform::default()));
    for (key, class) in [
        (KeyCode::Digit1, FluidClass::HEAVY),
        (KeyCode::Digit2, FluidClass::MEDIUM),
        (KeyCode::Digit3, FluidClass::LIGHT),
    ] {
        let downwards = Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::PI));
        let tap = FluidEmitter::jet(48.0, 300.0).stopped();
        commands.spawn((AtMouse, Tap(key), tap, class, downwards));
    }
    commands.spawn(text(HELP, Anchor::TOP_LEFT));
    commands.spawn((Numbers, text("", Anchor::TOP_RIGHT)));
}

/// Text in a corner of the view.
fn text(content: &str, corner: Anchor) -> impl Bundle {
    let position = corner.as_vec() * (VIEW - 20.0);
    let justify = if corner == Anchor::TOP_LEFT { Justify::Left } else { Justify::Right };
    (
        Text2d::new(content),
        corner,
        TextLayout::justify(justify),
        // Letters of twice the size, made smaller, are sharp in large windows as well.
        TextFont::from_font_size(FontSize::Px(28.0)),
        TextColor(Color::srgb(0.72, 0.77, 0.88)),
        Transform::from_translation(position.extend(10.0)).with_scale(Vec3::splat(0.5)),
    )
}

/// Mixes the liquids: a spiral in which every third particle is of the same class.
fn mix(mut fluid: ResMut<FluidSimulation>) -> Result {
    fluid.clear();
    fluid.reset_clock();
    for (number, position) in fermat_spiral(Vec2::ZERO, 360.0, 3000).into_iter().enumerate() {
        let class = ClassId((number % 3) as u8);
        fluid.spawn(ParticleSpawn { position, class, ..default() })?;
    }
    Ok(())
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

/// Opens the tap whose key is held.
fn pour(keys: Res<ButtonInput<KeyCode>>, mut taps: Query<(&Tap, &mut FluidEmitter)>) {
    for (Tap(key), mut emitter) in &mut taps {
        emitter.running = keys.pressed(*key);
    }
}

/// Attracts or repels liquid while a button is held.
fn push(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    hand: Single<Entity, With<Hand>>,
) {
    let mut hand = commands.entity(*hand);
    if buttons.pressed(MouseButton::Left) {
        hand.insert(FluidForce::attract(160.0, 1200.0));
    } else if buttons.pressed(MouseButton::Right) {
        hand.insert(FluidForce::repel(160.0, 1600.0));
    } else {
        hand.remove::<FluidForce>();
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
    let on_card = statistics.on_device;
    let layers = match on_card {
        0 => format!("layer order {:.3}", layer_order(&fluid)),
        _ => "on the graphics card".into(),
    };
    for mut text in &mut texts {
        text.0 = format!(
            "{} particles\n{layers}\n{:.1} s simulated\n{:.2} ms per tick, {} substeps\n{:.0} frames/s",
            fluid.particles().len() + on_card,
            fluid.time(),
            statistics.tick_milliseconds,
            statistics.substeps,
            frames.unwrap_or_default(),
        );
    }
}
