//! A campfire: wood burns, smoke leaves through a chimney, and a kettle boils.

use bevy::camera::{Hdr, ScalingMode};
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 760.0);
const HELP: &str = "left drag  blow     right drag  pour water     F  more fire     R  restart";
/// Middle of the fire, and of the kettle above it.
const FIRE: Vec2 = Vec2::new(0.0, -282.0);
const KETTLE: Vec2 = Vec2::new(0.0, -70.0);

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(ClearColor(Color::srgb(0.016, 0.018, 0.035)))
        .insert_resource(FluidSolidStyle { wall: Color::srgb(0.24, 0.21, 0.22), ..default() })
        .add_systems(Startup, setup)
        .add_systems(PostStartup, paint_night)
        .add_systems(Update, (follow_mouse, blow, pour, feed, restart))
        .add_systems(FixedUpdate, heat_kettle)
        .run();
}

/// Marks entities that follow the mouse.
#[derive(Component)]
struct AtMouse;

/// Marks the fire.
#[derive(Component)]
struct Fire;

/// Marks the kettle.
#[derive(Component)]
struct Kettle;

/// Water that boils at 100 degrees, and rains where it has cooled.
fn water() -> DensityClass {
    let rains = Some(FluidTransition { temperature: 60.0, becomes: "water".into() });
    let steam = FluidIntoAir { above: 100.0, vapour: 1.0, rains, ..default() };
    DensityClass {
        name: "water".into(),
        color: [0.16, 0.50, 0.86, 1.0],
        thermal: FluidThermal {
            conductivity: 0.3,
            air_conductivity: 0.3,
            latent_heat: 700.0,
            into_air: Some(steam),
            ..default()
        },
        ..default()
    }
}

fn setup(
    mut commands: Commands,
    mut settings: ResMut<FluidSettings>,
    mut classes: ResMut<FluidClasses>,
) {
    settings.parameters.particle_spacing = 5.0;
    *classes = vec![water()].into();
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Hdr, Bloom::NATURAL, Projection::Orthographic(projection)));
    commands.spawn((
        Hud,
        art::text(
            HELP,
            13.0,
            Color::srgb(0.6, 0.58, 0.6),
            Vec3::new(0.0, -372.0, 10.0),
            Anchor::BOTTOM_CENTER,
        ),
    ));

    let mut air = FluidAir::new(VIEW.x, VIEW.y).with_cell_size(5.0).with_open_sides();
    air.sides.bottom = AirSide::CLOSED;
    air.settings.buoyancy = 1.4;
    air.settings.cooling = 1.1;
    air.settings.smoke_dissipation = 0.25;
    air.settings.vorticity_confinement = 0.1;
    // Most of the steam leaves through the chimney before it rains.
    air.settings.condensation_rate = 0.05;
    air.settings.fire = AirFire { burn_rate: 2.2, heat: 1.6, soot: 0.6, ..default() };
    commands.spawn((
        air,
        FluidAirLook {
            smoke: Color::srgb(0.6, 0.59, 0.61),
            light_color: Color::srgb(0.5, 0.58, 0.75),
            ambient: Color::srgb(0.24, 0.26, 0.33),
            thickness: 2.4,
            ..default()
        },
        Transform::from_xyz(0.0, 0.0, 2.0),
    ));

    // Water is drawn in front of its steam.
    commands
        .spawn((FluidSurface::from(FluidSurfaceLook::WATER), Transform::from_xyz(0.0, 0.0, 3.0)));

    // The ground, and logs.
    let wood = FluidSolidColor(Color::srgb(0.2, 0.12, 0.07));
    commands.spawn((
        FluidCollider::from(Rectangle::new(1100.0, 60.0)),
        FluidSolidColor(Color::srgb(0.045, 0.040, 0.055)),
        Transform::from_xyz(0.0, -350.0, 0.0),
    ));
    for (x, y, angle) in [(-52.0, -308.0, 0.2), (52.0, -308.0, -0.2), (0.0, -312.0, 0.0)] {
        commands.spawn((
            FluidCollider::from(Capsule2d::new(10.0, 90.0)),
            wood,
            Transform::from_xyz(x, y, 0.0)
                .with_rotation(Quat::from_rotation_z(angle + std::f32::consts::FRAC_PI_2)),
        ));
    }
    commands.spawn((
        Fire,
        FluidAirSource::fire(&Rectangle::new(150.0, 18.0)),
        Transform::from_translation(FIRE.extend(0.0)),
    ));

    // The hood of the chimney, and its pipe.
    for side in [-1.0, 1.0] {
        let hood = [Vec2::new(235.0, 70.0), Vec2::new(56.0, 190.0), Vec2::new(56.0, 390.0)];
        let hood = hood.map(|corner| corner * Vec2::new(side, 1.0));
        let thick = hood.into_iter().chain([
            Vec2::new(70.0 * side, 390.0),
            Vec2::new(70.0 * side, 198.0),
            Vec2::new(243.0 * side, 82.0),
        ]);
        commands.spawn((
            FluidCollider::from(Polygon::new(thick)),
            FluidSolidColor(Color::srgb(0.3, 0.2, 0.17)),
        ));
    }

    // The kettle on its chains, and water in it.
    let outline = [
        Vec2::new(-62.0, 44.0),
        Vec2::new(-62.0, -30.0),
        Vec2::new(-44.0, -48.0),
        Vec2::new(44.0, -48.0),
        Vec2::new(62.0, -30.0),
        Vec2::new(62.0, 44.0),
        Vec2::new(52.0, 44.0),
        Vec2::new(52.0, -26.0),
        Vec2::new(40.0, -38.0),
        Vec2::new(-40.0, -38.0),
        Vec2::new(-52.0, -26.0),
        Vec2::new(-52.0, 44.0),
    ];
    commands.spawn((
        Kettle,
        FluidCollider::from(Polygon::new(outline)),
        FluidSolidColor(Color::srgb(0.13, 0.13, 0.15)),
        Transform::from_translation(KETTLE.extend(0.0)),
    ));
    commands.spawn((
        FluidBlob::from(Rectangle::new(94.0, 50.0)),
        FluidClass::new(0),
        Transform::from_translation((KETTLE + Vec2::new(0.0, -10.0)).extend(0.0)),
    ));
    commands.spawn((AtMouse, Transform::default()));
}

/// A clearing in a wood under the stars, lit by the fire.
fn paint_night(mut painter: Painter) {
    use Silhouette::{Firs, Hills};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-320.0, rgb(0.115, 0.105, 0.205)),
        (-40.0, rgb(0.050, 0.060, 0.150)),
        (380.0, rgb(0.012, 0.018, 0.055)),
    ]);
    painter.scatter(Rect::new(-800.0, -40.0, 800.0, 420.0), 130, 3.0, rgba(0.85, 0.9, 1.0, 0.8));
    painter.glow((-350.0, 250.0), 240.0, rgba(0.55, 0.65, 1.0, 0.30));
    painter.disc((-350.0, 250.0), 34.0, rgb(0.86, 0.88, 0.95));
    painter.disc((-336.0, 258.0), 30.0, rgb(0.045, 0.055, 0.125));
    painter.ridge(Hills, [-320.0, -30.0], [rgb(0.045, 0.055, 0.120), rgb(0.085, 0.080, 0.165)]);
    painter.ridge(Firs, [-325.0, 70.0], [rgb(0.022, 0.030, 0.070), rgb(0.060, 0.050, 0.095)]);
    painter.glow((0.0, -240.0), 620.0, rgba(1.0, 0.42, 0.12, 0.26));
    painter.ridge(Firs, [-330.0, -150.0], [rgb(0.012, 0.016, 0.035), rgb(0.070, 0.042, 0.045)]);
    // A tripod, from which the kettle hangs.
    let iron = [rgb(0.30, 0.20, 0.17), rgb(0.10, 0.08, 0.09)];
    for side in [-1.0, 1.0] {
        let pole = [(176.0, -324.0), (166.0, -324.0), (-8.0, 58.0), (-2.0, 62.0)];
        painter.shape(&pole.map(|(x, y)| (side * x, y)), 0.0, iron);
    }
    painter.in_front();
    for side in [-1.0, 1.0] {
        let handle = [(60.0, -28.0), (54.0, -28.0), (-2.0, 16.0), (2.0, 18.0)];
        painter.shape(&handle.map(|(x, y)| (side * x, y)), 0.0, iron);
    }
    painter.panel((0.0, 34.0), (3.0, 36.0), iron);
    // The ground, which the fire lights, and stones and logs around the fire.
    painter
        .halo(
            Vec2::ZERO,
            &[
                (0.0, rgba(1.0, 0.50, 0.18, 0.40)),
                (150.0, rgba(1.0, 0.42, 0.14, 0.18)),
                (420.0, rgba(1.0, 0.35, 0.10, 0.0)),
            ],
        )
        .insert(Transform::from_xyz(0.0, -322.0, 5.05).with_scale(Vec3::new(1.0, 0.05, 1.0)));
    for (x, size) in [(-150.0, 1.0), (-112.0, 0.7), (116.0, 0.8), (152.0, 1.1)] {
        let stone = [(-24.0, 0.0), (24.0, 0.0), (20.0, 15.0), (4.0, 23.0), (-17.0, 17.0)];
        let stone = stone.map(|(right, up)| (x + size * right, -324.0 + size * up));
        painter.shape(&stone, 7.0, [rgb(0.22, 0.15, 0.13), rgb(0.055, 0.045, 0.060)]);
    }
    for side in [-1.0, 1.0] {
        let log = [(86.0, -322.0), (92.0, -304.0), (-52.0, -274.0), (-58.0, -291.0)];
        let wood = [rgb(0.46, 0.22, 0.09), rgb(0.13, 0.07, 0.05)];
        painter.shape(&log.map(|(x, y)| (side * x, y)), 6.0, wood);
        painter.disc((side * 87.0, -313.0), 9.0, rgb(0.44, 0.26, 0.14));
    }
    painter.vignette(VIEW, 0.5);
}

/// The fire heats the kettle, and the kettle the water, which boils at 100 degrees.
fn heat_kettle(
    fluid: FluidQuery,
    mut kettle: Single<&mut FluidCollider, With<Kettle>>,
    time: Res<Time>,
) {
    let below = fluid.heat_at(KETTLE - Vec2::new(0.0, 62.0)).unwrap_or_default();
    let before = kettle.wall.temperature.unwrap_or(20.0);
    let change = (20.0 + 180.0 * below - before) * (0.3 * time.delta_secs()).min(1.0);
    kettle.wall.temperature = Some(before + change);
}

fn follow_mouse(
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut follower: Single<&mut Transform, With<AtMouse>>,
) {
    let (camera, transform) = *camera;
    let cursor = window.cursor_position();
    if let Some(point) = cursor.and_then(|at| camera.viewport_to_world_2d(transform, at).ok()) {
        follower.translation = point.extend(0.0);
    }
}

/// A breath of wind where the mouse is dragged to.
fn blow(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    mouse: Single<(Entity, &Transform), With<AtMouse>>,
    mut before: Local<Option<Vec2>>,
    time: Res<Time>,
) {
    let (entity, transform) = *mouse;
    let now = transform.translation.truncate();
    let way = before.replace(now).map_or(Vec2::ZERO, |before| now - before);
    let mut hand = commands.entity(entity);
    if buttons.pressed(MouseButton::Left) && time.delta_secs() > 0.0 {
        let wind = (way / time.delta_secs()).clamp_length_max(500.0);
        hand.insert(FluidAirSource {
            wind_strength: Some(8.0),
            ..FluidAirSource::wind(&Circle::new(45.0), wind)
        });
    } else {
        hand.remove::<FluidAirSource>();
    }
}

fn pour(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    mouse: Single<Entity, With<AtMouse>>,
) {
    let mut hand = commands.entity(*mouse);
    if buttons.just_pressed(MouseButton::Right) {
        hand.insert((FluidEmitter::pour(24.0, 120.0), FluidClass::new(0)));
    } else if buttons.just_released(MouseButton::Right) {
        hand.remove::<FluidEmitter>();
    }
}

/// More wood while F is held.
fn feed(keys: Res<ButtonInput<KeyCode>>, mut fire: Single<&mut FluidAirSource, With<Fire>>) {
    let wanted = if keys.pressed(KeyCode::KeyF) { 14.0 } else { 6.0 };
    if fire.fuel != wanted {
        fire.fuel = wanted;
    }
}

fn restart(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands) {
    if keys.just_pressed(KeyCode::KeyR) {
        commands.queue(FluidSimulation::restart);
    }
}
