//! A wide lake of columns instead of particles, with boats, boulders that fall in, and a creek. Only the creek and the
//! splashes are particles.

use std::ops::Range;

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painted, Painter, Silhouette};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1600.0, 900.0);
/// The ground from left to right: shores, the bed of the lake, and a cliff. The lake's level is 0.
const GROUND: [(f32, f32); 14] = [
    (-13_000.0, 400.0),
    (-12_400.0, 60.0),
    (-12_000.0, -40.0),
    (-11_000.0, -240.0),
    (-6000.0, -340.0),
    (-3000.0, -250.0),
    (-900.0, -330.0),
    (-250.0, -290.0),
    (250.0, -320.0),
    (420.0, -220.0),
    (492.0, -60.0),
    (508.0, 196.0),
    (640.0, 212.0),
    (1300.0, 330.0),
];
/// Straight pieces of the ground between two of these.
const PARTS: usize = 12;
/// Height of the lowest rock.
const DEEP: f32 = -800.0;
/// Positions, sizes and colours of the boats.
const BOATS: [(f32, f32, Color, Color); 6] = [
    (-975.0, 1.0, Color::srgb(0.17, 0.27, 0.42), Color::srgb(0.99, 0.96, 0.90)),
    (100.0, 0.7, Color::srgb(0.66, 0.22, 0.18), Color::srgb(0.99, 0.86, 0.62)),
    (-880.0, 0.55, Color::srgb(0.20, 0.42, 0.36), Color::srgb(0.96, 0.97, 0.98)),
    (-1900.0, 0.9, Color::srgb(0.45, 0.30, 0.46), Color::srgb(0.97, 0.90, 0.95)),
    (-4200.0, 1.1, Color::srgb(0.30, 0.24, 0.20), Color::srgb(0.90, 0.42, 0.30)),
    (-7600.0, 0.8, Color::srgb(0.15, 0.35, 0.50), Color::srgb(0.98, 0.94, 0.80)),
];
/// Colour of the ground below its upper layers.
const STONE: Color = Color::srgb(0.27, 0.24, 0.25);
/// Time between two boulders, in seconds, and the largest number of them.
const BOULDERS: (f32, usize) = (4.0, 8);
/// Where the boats sail.
const REACH: Range<f32> = -11_000.0..150.0;
/// Speed of the boats, and of the camera, in world units/s.
const SPEEDS: [f32; 2] = [70.0, 900.0];
const HELP: &str = "Left, Right  along the lake     Space  a boulder     R  again";

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(FluidSettings::new(6.0, Vec2::new(0.0, -500.0)))
        .insert_resource(ClearColor(Color::srgb(0.74, 0.84, 0.90)))
        .insert_resource(FluidSolidStyle { wall: STONE, ..default() })
        .add_systems(Startup, (setup, launch))
        .add_systems(PostStartup, paint)
        .add_systems(FixedUpdate, (sail, throw))
        .add_systems(Update, (rig, look_around, restart, show))
        .run();
}

/// A boat, by its number in `BOATS`, and whether it sails to the left.
#[derive(Component)]
struct Boat {
    number: usize,
    to_left: bool,
}

/// A boulder, by its number.
#[derive(Component)]
struct Boulder(u32);

/// Marks the text with the numbers.
#[derive(Component)]
struct Numbers;

fn setup(mut commands: Commands) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.62,
        depth_color: Color::srgba(0.02, 0.15, 0.24, 0.92),
        sky_color: Color::srgba(0.95, 0.98, 1.0, 0.75),
        ..FluidSurfaceLook::WATER
    }));
    // The lake, and the same ground for particles and bodies.
    let ground = ground();
    let lake = FluidPool::over(ground.iter().copied(), 0.0);
    commands.spawn(lake.with_settings(PoolSettings { damping: 0.02, ..default() }));
    let [left, right] = [GROUND[0], GROUND[GROUND.len() - 1]].map(|end| Vec2::new(end.0, DEEP));
    let rock = Polygon::new(ground.into_iter().chain([right, left]));
    commands.spawn(FluidCollider::from(rock));
    let spring = FluidEmitter::jet(26.0, 120.0);
    let downhill = Quat::from_rotation_z(1.75);
    commands.spawn((spring, Transform::from_xyz(860.0, 300.0, 0.0).with_rotation(downhill)));
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

/// The line of the ground: a smooth curve through its points without overshoots (Fritsch and Carlson 1980).
fn ground() -> Vec<Vec2> {
    let points = GROUND.map(Vec2::from);
    let rise = |index: usize| {
        let way = points[index + 1] - points[index];
        way.y / way.x
    };
    let slope = |index: usize| {
        if index == 0 || index == points.len() - 1 {
            return rise(index.min(points.len() - 2));
        }
        let (before, after) = (rise(index - 1), rise(index));
        if before * after > 0.0 { 2.0 * before * after / (before + after) } else { 0.0 }
    };
    let curve = |index: usize| {
        let (from, to) = (points[index], points[index + 1]);
        let width = to.x - from.x;
        let [one, other] =
            [slope(index), slope(index + 1)].map(|slope| Vec2::new(width, slope * width));
        CubicSegment::new_bezier([from, from + one / 3.0, to - other / 3.0, to])
            .iter_positions(PARTS)
            .take(PARTS)
            .collect::<Vec<_>>()
    };
    (0..points.len() - 1).flat_map(curve).chain(points.last().copied()).collect()
}

/// A convex polygon of this size.
fn polygon(corners: &[(f32, f32)], size: f32) -> ConvexPolygon {
    let corners = corners.iter().map(|corner| size * Vec2::from(*corner));
    ConvexPolygon::new(corners).expect("convex corners")
}

fn launch(mut commands: Commands) {
    let hull = [(-70.0, 22.0), (-54.0, -14.0), (-38.0, -22.0), (44.0, -22.0), (84.0, 22.0)];
    for (number, (x, size, color, _)) in BOATS.into_iter().enumerate() {
        commands.spawn((
            Boat { number, to_left: number % 2 == 1 },
            FluidCollider::from(polygon(&hull, size)),
            // They pass each other.
            FluidBuoyant::of_density(0.42).ignore_contacts(),
            FluidSolidColor(color),
            Transform::from_xyz(x, 4.0, 1.0),
        ));
    }
}

/// Gives each new boat a mast, sails and a stripe.
fn rig(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    boats: Query<(Entity, &Boat), Added<Boat>>,
) {
    for (boat, Boat { number, .. }) in &boats {
        let (_, size, _, sail) = BOATS[*number];
        let (stripe, wood) = (Color::srgb(0.97, 0.95, 0.90), Color::srgb(0.36, 0.24, 0.16));
        let parts: [(&[(f32, f32)], Color, f32); 4] = [
            (&[(-69.0, 21.0), (-66.0, 13.0), (75.0, 13.0), (83.0, 21.0)], stripe, 5.1),
            (&[(-2.0, 20.0), (2.0, 20.0), (2.0, 152.0), (-2.0, 152.0)], wood, 4.8),
            (&[(8.0, 34.0), (68.0, 38.0), (6.0, 146.0)], sail, 4.9),
            (&[(-8.0, 34.0), (-8.0, 124.0), (-50.0, 40.0)], sail.darker(0.06), 4.9),
        ];
        for (corners, color, depth) in parts {
            commands.spawn((
                ChildOf(boat),
                Mesh2d(meshes.add(polygon(corners, size))),
                MeshMaterial2d(materials.add(color)),
                Transform::from_xyz(0.0, 0.0, depth),
            ));
        }
    }
}

/// The wind blows the boats, which turn back before the shores.
fn sail(mut boats: Query<(&mut Boat, &mut FluidMotion, &Transform)>, time: Res<Time>) {
    for (mut boat, mut motion, transform) in &mut boats {
        let x = transform.translation.x;
        if !REACH.contains(&x) {
            boat.to_left = x > 0.0;
        }
        let wanted = if boat.to_left { -SPEEDS[0] } else { SPEEDS[0] };
        motion.velocity.x += (wanted - motion.velocity.x) * time.delta_secs();
    }
}

/// Throws a boulder off the cliff now and then, and when Space is pressed.
fn throw(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    boulders: Query<(Entity, &Boulder)>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    mut thrown: Local<u32>,
) {
    let due = (time.elapsed_secs() / BOULDERS.0) as u32 + 1;
    if !keys.just_pressed(KeyCode::Space) && *thrown >= due {
        return;
    }
    let size = 22.0 + 9.0 * (2.4 * *thrown as f32).sin();
    let corners = RegularPolygon::new(size, 7).vertices(0.0).into_iter();
    commands.spawn((
        Boulder(*thrown),
        FluidCollider::from(RegularPolygon::new(size, 7)),
        FluidBuoyant::of_density(2.6),
        FluidMotion { velocity: Vec2::new(-240.0 - 3.0 * size, 180.0), angular_velocity: 2.0 },
        FluidSolidColor(Color::NONE),
        Transform::from_xyz(480.0, 262.0, -1.0),
        children![(
            Mesh2d(meshes.add(art::rock(corners.collect(), Color::srgb(0.47, 0.44, 0.42)))),
            MeshMaterial2d(materials.add(Color::WHITE)),
            Transform::from_xyz(0.0, 0.0, 5.2),
        )],
    ));
    *thrown += 1;
    for (entity, Boulder(number)) in &boulders {
        if number + (BOULDERS.1 as u32) < *thrown {
            commands.entity(entity).despawn();
        }
    }
}

/// Moves the camera along the lake. The scenery is far away, and seems to follow it.
fn look_around(
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut cameras: Query<&mut Transform, With<Camera2d>>,
    mut far: Query<&mut Transform, (Or<(With<Painted>, With<Hud>)>, Without<Camera2d>)>,
) {
    let pressed = |key| f32::from(u8::from(keys.pressed(key)));
    let right = pressed(KeyCode::ArrowRight) - pressed(KeyCode::ArrowLeft);
    for mut camera in cameras.iter_mut().filter(|_| right != 0.0) {
        let x = camera.translation.x + right * SPEEDS[1] * time.delta_secs();
        let moved = x.clamp(-12_000.0, 0.0) - camera.translation.x;
        camera.translation.x += moved;
        far.iter_mut().for_each(|mut item| item.translation.x += moved);
    }
}

/// Begins again. The bodies go with the liquid.
fn restart(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    bodies: Query<Entity, With<FluidBuoyant>>,
) {
    if keys.just_pressed(KeyCode::KeyR) {
        bodies.iter().for_each(|body| commands.entity(body).despawn());
        commands.queue(FluidSimulation::restart);
        commands.run_system_cached(launch);
    }
}

fn show(
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    lakes: Query<&FluidPoolState>,
    mut texts: Query<&mut Text2d, With<Numbers>>,
) {
    let pools = lakes.iter().filter_map(|lake| fluid.pool(lake.id()?));
    let amount: f64 = pools.map(|pool| pool.particles()).sum();
    for mut text in &mut texts {
        text.0 = format!(
            "{} particles, and a lake of {amount:.0} more in columns\n{:.2} ms per tick",
            fluid.particles().len(),
            statistics.tick_milliseconds,
        );
    }
}

/// Sky, mountains, woods, and the depth of the lake.
fn paint(mut painter: Painter) {
    let (high, low) = (Color::srgb(0.30, 0.56, 0.84), Color::srgb(0.95, 0.93, 0.86));
    painter.sky(&[(-60.0, low), (170.0, low.mix(&high, 0.4)), (560.0, high)]);
    painter.sun((-330.0, 330.0), 46.0, Color::srgb(1.0, 0.96, 0.84));
    for (x, y, width) in [(280.0, 390.0, 280.0), (-110.0, 250.0, 220.0), (-660.0, 300.0, 300.0)] {
        painter.cloud((x, y), width, Color::srgba(1.0, 1.0, 0.98, 0.9));
    }
    for (kind, top, color) in [
        (Silhouette::Hills, 260.0, Color::srgb(0.62, 0.71, 0.82)),
        (Silhouette::Hills, 140.0, Color::srgb(0.46, 0.61, 0.66)),
        (Silhouette::Firs, 74.0, Color::srgb(0.22, 0.40, 0.36)),
    ] {
        painter.ridge(kind, [-30.0, top], [color, color.mix(&low, 0.55)]);
    }
    let (surf, deep) = (Color::srgb(0.42, 0.66, 0.74), Color::srgb(0.03, 0.15, 0.24));
    painter.panel((0.0, -12.0), (3200.0, 40.0), [low.mix(&surf, 0.75), surf]);
    painter.panel((0.0, -330.0), (3200.0, 600.0), [surf, deep]);
    let far = Color::srgb(0.10, 0.34, 0.42);
    painter.ridge(Silhouette::Rocks, [-420.0, -250.0], [far, far.darker(0.04)]);
    painter.in_front();
    let (grass, sand) = (Color::srgb(0.44, 0.58, 0.27), Color::srgb(0.62, 0.56, 0.42));
    let soil = Color::srgb(0.36, 0.27, 0.21);
    let layers = |at: Vec2| {
        let dry = ((at.y - 8.0) / 30.0).clamp(0.0, 1.0);
        let top = sand.mix(&grass, dry);
        let below = STONE.mix(&soil, dry);
        let ragged = 1.0 + 0.35 * (0.11 * at.x).sin() * (0.037 * at.x + 2.0).cos();
        [
            (0.0, top.lighter(0.10 * dry)),
            (13.0 * ragged, top.darker(0.07)),
            (15.0 * ragged, below),
            (60.0, below.with_alpha(0.0)),
        ]
    };
    let ground = ground();
    // The ground and its trees stay where they are when the camera moves.
    for (x, size) in [(560.0, 0.8), (610.0, 1.15), (668.0, 0.9), (742.0, 1.3), (-12_100.0, 1.2)] {
        let height = ground.iter().find(|at| at.x >= x).map_or(0.0, |at| at.y);
        for part in 0..3 {
            let (width, y) = (size * (30.0 - 7.0 * part as f32), size * 34.0 * part as f32);
            let green = Color::srgb(0.17, 0.35, 0.28).lighter(0.03 * part as f32);
            let foot = height + y - 6.0;
            let corners = [(x - width, foot), (x + width, foot), (x, foot + 56.0 * size)];
            painter
                .shape(&corners, 3.0, [green.lighter(0.05), green.darker(0.03)])
                .remove::<Painted>();
        }
    }
    painter.ground(&ground, layers).remove::<Painted>();
    painter.vignette(VIEW, 0.22);
}
