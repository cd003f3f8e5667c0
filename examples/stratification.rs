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
use example_support::art::{self, Hud, Painter};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1180.0, 880.0);
const BOWL_RADIUS: f32 = 400.0;
const HELP: &str = "left drag   attract
right drag  repel
1 2 3       pour heavy, medium, light
Space       pause
N           single step
R           restart
H           help and figures";

fn main() {
    App::new()
        .add_plugins((
            DefaultPlugins,
            FrameTimeDiagnosticsPlugin::default(),
            BlobFluidPlugins::default(),
            FluidSolidDrawingPlugin,
        ))
        .insert_resource(FluidSolidStyle {
            interior: Some(Color::srgba(0.75, 0.85, 1.0, 0.05)),
            wall: Color::srgba(0.80, 0.90, 1.0, 0.16),
            thickness: 14.0,
            ..default()
        })
        // The capacity is that of a full container.
        .insert_resource(FluidSettings { capacity: 6000, ..default() })
        .add_systems(Startup, (setup, mix))
        .add_systems(PostStartup, paint_scenery)
        .add_systems(
            Update,
            (
                mix.run_if(input_just_pressed(KeyCode::KeyR)),
                steer_time,
                (follow_mouse, pour, push).chain(),
                show_numbers,
                toggle_help.run_if(input_just_pressed(KeyCode::KeyH)),
            ),
        )
        .run();
}

/// Marks the texts that are hidden until H is pressed.
#[derive(Component)]
#[require(Visibility::Hidden)]
struct Help;

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
    commands.spawn(FluidContainer::from(Circle::new(BOWL_RADIUS)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.88,
        depth_color: Color::srgba(0.06, 0.0, 0.22, 0.62),
        depth: 22.0,
        refraction: 0.9,
        caustics: 0.16,
        ..FluidSurfaceLook::WATER
    }));
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
    commands.spawn((Help, text(HELP, Anchor::TOP_LEFT)));
    commands.spawn((Help, Numbers, text("", Anchor::TOP_RIGHT)));
    commands.spawn((Hud, text("H  help", Anchor::BOTTOM_LEFT)));
}

/// Paints the room behind the bowl, and the light on its glass.
fn paint_scenery(mut painter: Painter) {
    let rgb = Color::srgb;
    painter.sky(&[
        (-420.0, rgb(0.045, 0.050, 0.115)),
        (-60.0, rgb(0.125, 0.130, 0.270)),
        (440.0, rgb(0.050, 0.060, 0.145)),
    ]);
    painter.glow((-250.0, 260.0), 760.0, Color::srgba(0.45, 0.60, 1.0, 0.34));
    painter.glow((330.0, -160.0), 620.0, Color::srgba(1.0, 0.45, 0.35, 0.20));
    // A table, and the coloured light that falls through the bowl onto it.
    let table = [rgb(0.135, 0.120, 0.210), rgb(0.030, 0.030, 0.070)];
    painter.panel((0.0, -460.0), (4000.0, 130.0), table);
    painter.panel((0.0, -396.0), (4000.0, 3.0), [rgb(0.36, 0.36, 0.58); 2]);
    painter
        .halo(Vec2::ZERO, &spot(460.0, Color::srgba(1.0, 0.42, 0.26, 0.55)))
        .insert(Transform::from_xyz(0.0, -420.0, -80.0).with_scale(Vec3::new(1.0, 0.075, 1.0)));
    painter.halo(
        Vec2::ZERO,
        &[
            (BOWL_RADIUS - 150.0, Color::srgba(0.7, 0.85, 1.0, 0.0)),
            (BOWL_RADIUS, Color::srgba(0.7, 0.85, 1.0, 0.10)),
        ],
    );
    painter.in_front();
    painter.glass(Vec2::ZERO, BOWL_RADIUS);
    painter.vignette(VIEW, 0.55);
}

/// A round spot of light that fades out.
fn spot(radius: f32, color: Color) -> [(f32, Color); 4] {
    [(0.0, 1.0), (0.4, 0.55), (0.7, 0.2), (1.0, 0.0)]
        .map(|(part, left)| (part * radius, color.with_alpha(left * color.alpha())))
}

/// Text in a corner of the view.
fn text(content: &str, corner: Anchor) -> impl Bundle {
    let position = corner.as_vec() * (VIEW - 20.0);
    let justify = if corner == Anchor::TOP_RIGHT { Justify::Right } else { Justify::Left };
    (
        art::text(content, 14.0, Color::srgb(0.72, 0.77, 0.88), position.extend(10.0), corner),
        TextLayout::justify(justify),
    )
}

/// Mixes the liquids: a spiral in which every third particle is of the same class.
fn mix(mut fluid: ResMut<FluidSimulation>) -> Result {
    fluid.clear();
    fluid.reset_clock();
    for (number, position) in fermat_spiral(Vec2::ZERO, 300.0, 3000).into_iter().enumerate() {
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

fn toggle_help(mut texts: Query<&mut Visibility, With<Help>>) {
    for mut visibility in &mut texts {
        visibility.toggle_visible_hidden();
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
