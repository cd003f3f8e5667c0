//! A sea with boats in front of a harbour wall, and a dam above it that opens: with `--gpu` of 200,000 particles, on the
//! graphics card.

use std::f32::consts::TAU;

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, ShadedWalls, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1600.0, 900.0);
/// Height of the sea's floor. The sea's level is 0.
const FLOOR: f32 = -400.0;
/// What liquid there is at first, in square world units.
const AREA: f32 = 570_000.0;
/// Numbers of particles on the processor and on the graphics card; a page may be on a phone.
const COUNTS: [f32; 2] =
    [20_000.0, if cfg!(target_arch = "wasm32") { 50_000.0 } else { 200_000.0 }];
/// When the gate opens, in seconds, and how fast, in world units/s.
const OPENS: (f32, f32) = (3.0, 60.0);
/// For how long water is slowed down at first, in seconds, and by what part of its speed each second. It begins without the
/// weight of what is above it, and deep water would spring.
const CALM: (f32, f32) = (2.0, 6.0);
/// The closed gate's middle.
const GATE: Vec2 = Vec2::new(486.0, -5.0);
const STONE: Color = Color::srgb(0.36, 0.37, 0.42);
const SAND: Color = Color::srgb(0.66, 0.56, 0.42);
const HELP: &str =
    "G  processor or graphics card     Up, Down  more or fewer particles     R  again";

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), ShadedWalls::default()))
        .insert_resource(ClearColor(Color::srgb(0.62, 0.78, 0.90)))
        .insert_resource(FluidSolidStyle { wall: STONE, ..default() })
        .insert_resource(Sea { count: COUNTS[0] })
        .add_systems(Startup, (setup, fill).chain())
        .add_systems(PostStartup, paint)
        .add_systems(FixedUpdate, (calm, make_waves, open_gate))
        .add_systems(Update, (choose, show))
        .run();
}

/// How many particles the sea has, about.
#[derive(Resource)]
struct Sea {
    count: f32,
}

/// A board that makes waves, beyond the left edge.
#[derive(Component)]
struct WaveMaker;

/// The gate of the dam.
#[derive(Component)]
struct Gate;

/// What goes when the sea is filled again: liquid, and what floats on it.
#[derive(Component)]
struct Sailing;

/// Marks the text with the numbers.
#[derive(Component)]
struct Numbers;

fn setup(mut commands: Commands, settings: Res<FluidSettings>, mut sea: ResMut<Sea>) {
    if settings.backend == FluidBackend::Gpu {
        sea.count = COUNTS[1];
    }
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        depth_color: Color::srgba(0.02, 0.17, 0.32, 0.9),
        sky_color: Color::srgba(0.96, 0.98, 1.0, 0.7),
        ..FluidSurfaceLook::WATER
    }));
    // All of it stands in a box that is wider and higher than the view.
    commands.spawn((
        FluidContainer::from(Rectangle::new(1760.0, 1200.0)),
        Transform::from_xyz(0.0, FLOOR + 600.0, 0.0),
        Visibility::Hidden,
    ));
    for (corners, color) in [
        // The shore.
        (&[(60.0, -420.0), (900.0, -420.0), (900.0, -45.0), (420.0, -45.0)][..], SAND),
        // A reef.
        (
            &[
                (-470.0, -420.0),
                (-250.0, -420.0),
                (-320.0, -250.0),
                (-380.0, -180.0),
                (-420.0, -260.0),
            ],
            Color::srgb(0.29, 0.31, 0.37),
        ),
        // The rock of the lighthouse.
        (
            &[
                (-90.0, -420.0),
                (150.0, -420.0),
                (120.0, -120.0),
                (92.0, 20.0),
                (70.0, 58.0),
                (14.0, 58.0),
                (-40.0, -60.0),
            ],
            Color::srgb(0.29, 0.29, 0.33),
        ),
        // The dam, above its gate.
        (&[(466.0, 30.0), (506.0, 30.0), (500.0, 300.0), (472.0, 300.0)], STONE.lighter(0.12)),
    ] {
        let corners = corners.iter().copied().map(Vec2::from);
        let hull = ConvexPolygon::new(corners).expect("convex corners");
        commands.spawn((FluidCollider::from(hull), FluidSolidColor(color), Transform::default()));
    }
    let gate = Rectangle::new(20.0, 82.0);
    commands.spawn((
        Gate,
        FluidCollider::from(gate),
        FluidSolidColor(Color::srgb(0.55, 0.36, 0.20)),
        Transform::from_translation(GATE.extend(-1.0)),
    ));
    let board = Rectangle::new(40.0, 640.0);
    commands.spawn((
        WaveMaker,
        FluidCollider::from(board),
        Transform::from_xyz(-850.0, -80.0, 0.0),
    ));
    for (corner, content) in [(Anchor::BOTTOM_LEFT, HELP), (Anchor::TOP_LEFT, "")] {
        let mut text = commands.spawn((
            Hud,
            art::text(
                content,
                16.0,
                Color::srgb(0.10, 0.16, 0.24),
                (corner.as_vec() * (VIEW - 30.0)).extend(20.0),
                corner,
            ),
        ));
        if corner == Anchor::TOP_LEFT {
            text.insert(Numbers);
        }
    }
}

/// Fills the sea and the lake behind the dam, and launches the boats.
fn fill(
    mut commands: Commands,
    sea: Res<Sea>,
    mut settings: ResMut<FluidSettings>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let spacing = (AREA / sea.count).sqrt();
    *settings = FluidSettings {
        backend: settings.backend,
        // Without a card that computes, the sea has as many particles as on the processor.
        fallback_spacing: Some(spacing.max((AREA / COUNTS[0]).sqrt())),
        capacity: 4_000_000,
        ..FluidSettings::new(spacing, Vec2::new(0.0, -600.0))
    };
    for (size, middle) in
        [((1300.0, -FLOOR), (-180.0, 0.5 * FLOOR)), ((380.0, 260.0), (690.0, 85.0))]
    {
        let shape = Rectangle::new(size.0, size.1);
        let at = Transform::from_xyz(middle.0, middle.1, 0.0);
        commands.spawn((Sailing, FluidBlob::from(shape), at));
    }
    for (at, size, hull, sail) in [
        ((-560.0, 30.0), 1.1, Color::srgb(0.16, 0.25, 0.40), Color::srgb(0.98, 0.95, 0.88)),
        ((-190.0, 26.0), 0.85, Color::srgb(0.62, 0.20, 0.17), Color::srgb(0.99, 0.87, 0.62)),
        ((250.0, 18.0), 0.6, Color::srgb(0.20, 0.40, 0.36), Color::srgb(0.95, 0.97, 0.98)),
    ] {
        let mut part = |corners: &[(f32, f32)], color: Color, depth: f32| {
            let corners = corners.iter().map(|(x, y)| Vec2::new(*x, *y) * size);
            let polygon = ConvexPolygon::new(corners).expect("convex corners");
            let drawn = (Mesh2d(meshes.add(polygon)), MeshMaterial2d(materials.add(color)));
            (drawn, Transform::from_xyz(0.0, 0.0, depth))
        };
        let stripe = [(-69.0, 21.0), (-66.0, 13.0), (75.0, 13.0), (83.0, 21.0)];
        let mast = [(-2.0, 20.0), (2.0, 20.0), (2.0, 152.0), (-2.0, 152.0)];
        let sails = [
            [(8.0, 34.0), (68.0, 38.0), (6.0, 146.0)],
            [(-8.0, 34.0), (-8.0, 124.0), (-50.0, 40.0)],
        ];
        let parts = [
            part(&stripe, Color::srgb(0.97, 0.95, 0.90), 5.1),
            part(&mast, Color::srgb(0.36, 0.24, 0.16), 4.8),
            part(&sails[0], sail, 4.9),
            part(&sails[1], sail.darker(0.06), 4.9),
        ];
        let hull_corners =
            [(-70.0, 22.0), (-54.0, -14.0), (-38.0, -22.0), (44.0, -22.0), (84.0, 22.0)];
        let corners = hull_corners.map(|corner| Vec2::from(corner) * size);
        let shape = ConvexPolygon::new(corners).expect("convex corners");
        let boat = commands.spawn((
            Sailing,
            FluidCollider::from(shape),
            FluidBuoyant::of_density(0.42),
            FluidSolidColor(hull),
            Transform::from_xyz(at.0, at.1, 1.0),
        ));
        let boat = boat.id();
        for part in parts {
            commands.spawn((ChildOf(boat), part));
        }
    }
}

fn calm(fluid: Res<FluidSimulation>, mut settings: ResMut<FluidSettings>) {
    let (seconds, per_second) = CALM;
    let left = (1.0 - fluid.time() as f32 / seconds).max(0.0);
    let usual = FluidParameters::default().settling.drag;
    let drag = (per_second * left * settings.parameters.time_unit()).max(usual);
    if settings.parameters.settling.drag != drag {
        settings.parameters.settling.drag = drag;
    }
}

fn make_waves(fluid: Res<FluidSimulation>, mut boards: Query<&mut Transform, With<WaveMaker>>) {
    for mut board in &mut boards {
        let phase = TAU * (fluid.time() as f32 - CALM.0).max(0.0) / 2.6;
        board.translation.x = -850.0 + 15.0 * (1.0 - phase.cos());
    }
}

fn open_gate(fluid: Res<FluidSimulation>, mut gates: Query<&mut Transform, With<Gate>>) {
    let open = ((fluid.time() as f32 - OPENS.0) * OPENS.1).clamp(0.0, 90.0);
    for mut gate in &mut gates {
        gate.translation.y = GATE.y + open;
    }
}

/// Changes where the sea is simulated, and how many particles it has.
fn choose(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut sea: ResMut<Sea>,
    mut settings: ResMut<FluidSettings>,
    sailing: Query<Entity, With<Sailing>>,
) {
    let pressed = |key| keys.just_pressed(key);
    if pressed(KeyCode::KeyG) {
        settings.backend = match settings.backend {
            FluidBackend::Cpu => FluidBackend::Gpu,
            FluidBackend::Gpu => FluidBackend::Cpu,
        };
    }
    let factor = match (pressed(KeyCode::ArrowUp), pressed(KeyCode::ArrowDown)) {
        (true, _) => 2.0,
        (_, true) => 0.5,
        _ if pressed(KeyCode::KeyR) => 1.0,
        _ => return,
    };
    sea.count = (sea.count * factor).clamp(1000.0, 3_000_000.0);
    sailing.iter().for_each(|entity| commands.entity(entity).despawn());
    let backend = settings.backend;
    commands.queue(FluidSimulation::restart);
    commands.queue(move |world: &mut World| {
        world.resource_mut::<FluidSettings>().backend = backend;
    });
    commands.run_system_cached(fill);
}

fn show(
    fluid: Res<FluidSimulation>,
    settings: Res<FluidSettings>,
    statistics: Res<FluidStatistics>,
    mut texts: Query<&mut Text2d, With<Numbers>>,
) {
    let place = if statistics.is_on_device() { "graphics card" } else { "processor" };
    for mut text in &mut texts {
        text.0 = format!(
            "{} particles on the {place}, {:.2} units apart\n{:.2} ms of the processor per tick, {} substeps",
            fluid.particles().len() + statistics.on_device,
            settings.parameters.particle_spacing,
            statistics.tick_milliseconds,
            statistics.substeps,
        );
    }
}

/// Far reefs in the deep, weed, and a swarm of fish.
fn underwater(painter: &mut Painter) {
    let (far, near) = (Color::srgb(0.10, 0.32, 0.44), Color::srgb(0.05, 0.20, 0.31));
    painter.ridge(Silhouette::Rocks, [-420.0, -210.0], [far, far.darker(0.03)]);
    painter.ridge(Silhouette::Hills, [-420.0, -270.0], [near, near.darker(0.04)]);
    for number in 0..26_u8 {
        let part = f32::from(number);
        let (x, high) =
            (-790.0 + 33.0 * part + 9.0 * (7.0 * part).sin(), 60.0 + 34.0 * (3.1 * part).sin());
        let bend = 16.0 * (1.7 * part).sin();
        let leaf = [(x + 7.0, FLOOR), (x + bend, FLOOR + high), (x - 7.0, FLOOR)];
        painter.shape(&leaf, 3.0, [Color::srgb(0.16, 0.50, 0.40), Color::srgb(0.04, 0.22, 0.22)]);
    }
    for number in 0..14_u8 {
        let part = f32::from(number);
        let (x, y) = (-640.0 + 21.0 * part, -200.0 + 40.0 * (2.3 * part).sin());
        let size = 6.0 + 3.0 * (5.3 * part).sin();
        let silver = [Color::srgb(0.62, 0.80, 0.84), Color::srgb(0.30, 0.52, 0.62)];
        let body =
            [(size, 0.0), (0.2 * size, 0.42 * size), (-size, 0.0), (0.2 * size, -0.42 * size)];
        painter.shape(&body.map(|(right, up)| (x + right, y + up)), 2.0, silver);
        let tail = [(-0.8 * size, 0.0), (-1.5 * size, 0.45 * size), (-1.5 * size, -0.45 * size)];
        painter.shape(&tail.map(|(right, up)| (x + right, y + up)), 0.0, silver);
    }
}

/// Sky, a far coast, a lighthouse and houses.
fn paint(mut painter: Painter) {
    let (high, low) = (Color::srgb(0.26, 0.52, 0.82), Color::srgb(0.86, 0.92, 0.93));
    painter.sky(&[(-80.0, low), (150.0, low.mix(&high, 0.35)), (520.0, high)]);
    painter.sun((-420.0, 300.0), 50.0, Color::srgb(1.0, 0.95, 0.80));
    for (x, y, width) in [(340.0, 160.0, 260.0), (-190.0, 165.0, 240.0), (-690.0, 250.0, 300.0)] {
        painter.cloud((x, y), width, Color::srgba(1.0, 1.0, 0.98, 0.9));
    }
    let far = Color::srgb(0.58, 0.70, 0.80);
    painter.ridge(Silhouette::Hills, [-30.0, 110.0], [far, far.mix(&low, 0.5)]);
    let houses = Color::srgb(0.42, 0.50, 0.60);
    painter.ridge(Silhouette::Roofs, [-30.0, 60.0], [houses, houses.mix(&low, 0.4)]);
    // The sea up to the horizon, which is above the level of the liquid, and deep water below.
    let surf = Color::srgb(0.45, 0.68, 0.76);
    painter.panel((0.0, 12.0), (3200.0, 76.0), [low.mix(&surf, 0.6), surf]);
    painter.panel((0.0, -326.0), (3200.0, 600.0), [surf, Color::srgb(0.02, 0.12, 0.24)]);
    // The sun's light on it.
    for number in 0..36_u8 {
        let part = f32::from(number);
        let at = Vec2::new(-420.0 + 190.0 * (2.7 * part).sin(), 46.0 - 1.7 * part);
        let glint = [Color::srgba(1.0, 0.98, 0.86, 0.55); 2];
        painter.panel(at, (22.0 + 14.0 * (5.1 * part).sin(), 2.0), glint);
    }
    underwater(&mut painter);
    painter.in_front();
    // The ground under the sea.
    painter.panel((0.0, FLOOR - 400.0), (3200.0, 800.0), [SAND, SAND.darker(0.25)]);
    painter.scatter(Rect::new(-800.0, -450.0, 800.0, -402.0), 160, 7.0, SAND.darker(0.12));
    let (white, red) = (Color::srgb(0.96, 0.95, 0.92), Color::srgb(0.76, 0.20, 0.18));
    for (index, color) in [white, red, white, red, white].into_iter().enumerate() {
        let (below, above) = (index as f32, index as f32 + 1.0);
        let half = |step: f32| 17.0 - 1.4 * step;
        let y = |step: f32| 57.0 + 26.0 * step;
        let corners = [
            (49.0 - half(below), y(below)),
            (49.0 + half(below), y(below)),
            (49.0 + half(above), y(above)),
            (49.0 - half(above), y(above)),
        ];
        painter.shape(&corners, 0.0, [color, color.darker(0.08)]);
    }
    painter.board((49.0, 191.0), (34.0, 6.0), STONE);
    painter.panel((49.0, 202.0), (16.0, 16.0), [Color::srgb(1.0, 0.93, 0.66); 2]);
    painter.glow((49.0, 202.0), 70.0, Color::srgba(1.0, 0.90, 0.55, 0.7));
    painter.shape(&[(36.0, 210.0), (62.0, 210.0), (49.0, 226.0)], 0.0, [red; 2]);
}
