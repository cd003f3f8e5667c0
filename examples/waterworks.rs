//! A waterworks: a pump lifts water into a cistern, and pipes with valves lead it to a wheel and to vessels that level.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy::sprite::Anchor;
use bevy::window::PrimaryWindow;
use bevy_blob_fluid::blob_fluid::shape::Polyline;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{self, Hud, Painter, slab};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
const HELP: &str = "click or 1 2 3  works a valve     Space  stops the pump";
/// Distance of the particles, in world units.
const SPACING: f32 = 7.0;
/// Height to which the pump lifts, in world units.
const MAX_HEAD: f32 = 700.0;
/// Number of particles that the tank holds.
const CAPACITY: u64 = 600;
/// Middle of the wheel, of the tank, and of the pump's dial.
const WHEEL: Vec2 = Vec2::new(112.0, -108.0);
const TANK: Vec2 = Vec2::new(-350.0, -122.0);
const DIAL: Vec2 = Vec2::new(-428.0, 42.0);
const BRASS: Color = Color::srgb(0.80, 0.58, 0.27);
const IRON: Color = Color::srgb(0.27, 0.33, 0.36);
const GLASS: Color = Color::srgb(0.72, 0.86, 0.88);

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
        .insert_resource(ClearColor(Color::srgb(0.09, 0.12, 0.14)))
        .insert_resource(FluidSolidStyle { wall: IRON, body: BRASS.darker(0.08), ..default() })
        .insert_resource(FluidSettings::new(SPACING, Vec2::new(0.0, -600.0)))
        .add_systems(Startup, (setup, texts))
        .add_systems(PostStartup, scenery)
        .add_systems(Update, (choose, turn_valves, show).chain())
        .run();
}

/// The pipes, and how far along each its valve is: from the cistern to the wheel, from the cistern to
/// the vessels, and out of the vessels.
fn pipes() -> [(FluidPipe, f32); 3] {
    let pipe = |points: &[(f32, f32)], width| {
        FluidPipe::new(points.iter().copied().map(Vec2::from), width).with_thickness(7.0)
    };
    [
        (pipe(&[(-290.0, 150.0), (-290.0, 40.0), (62.0, 40.0)], 36.0), 55.0),
        (pipe(&[(-232.0, 196.0), (252.0, 196.0), (252.0, 118.0)], 32.0), 160.0),
        (pipe(&[(345.0, -112.0), (345.0, -215.0)], 32.0), 50.0),
    ]
}

/// A valve's key, and how far it is to be open, 0 to 1.
#[derive(Component)]
struct Work {
    key: KeyCode,
    goal: f32,
}

/// Marks what turns with a valve.
#[derive(Component)]
struct Handwheel;

/// Marks what shows how full the tank is.
#[derive(Component)]
struct Gauge;

/// Marks what shows how high the pump lifts.
#[derive(Component)]
struct Needle;

/// Marks the text with the number of drops.
#[derive(Component)]
struct Score;

fn setup(
    mut commands: Commands,
    mut classes: ResMut<FluidClasses>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
    let projection =
        OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    commands.spawn(FluidSurface::from(FluidSurfaceLook {
        opacity: 0.6,
        depth_color: Color::srgba(0.04, 0.17, 0.20, 0.9),
        sky_color: Color::srgba(1.00, 0.84, 0.60, 0.6),
        ..FluidSurfaceLook::WATER
    }));
    classes[ClassId::MEDIUM].color = [0.24, 0.56, 0.60, 1.0];
    let at = |x, y| Transform::from_xyz(x, y, 0.0);
    let line = |points: &[(f32, f32)]| {
        let line = Polyline::new(points.iter().copied().map(Vec2::from), 8.0).expect("a line");
        FluidCollider::from(FluidShape::Polyline(line))
    };
    // The sump, the cistern with a hole for either pipe, and three vessels on one foot.
    for (size, place) in [
        ((1100.0, 70.0), at(0.0, -335.0)),
        ((40.0, 160.0), at(-505.0, -240.0)),
        ((40.0, 160.0), at(505.0, -240.0)),
    ] {
        commands.spawn((FluidCollider::from(Rectangle::new(size.0, size.1)), place));
    }
    for points in [
        &[(-315.0, 146.0), (-450.0, 146.0), (-450.0, 312.0)][..],
        &[(-265.0, 146.0), (-228.0, 146.0), (-228.0, 173.0)],
        &[(-228.0, 219.0), (-228.0, 312.0)],
        &[(322.0, -108.0), (222.0, -108.0), (222.0, 84.0)],
        &[(368.0, -108.0), (466.0, -108.0), (466.0, 84.0)],
        &[(282.0, 84.0), (282.0, -62.0), (306.0, -62.0), (306.0, 84.0)],
        &[(384.0, 84.0), (384.0, -62.0), (414.0, -62.0), (414.0, 84.0)],
    ] {
        commands.spawn((line(points), FluidSolidColor(GLASS)));
    }
    for (size, place) in [
        ((960.0, 70.0), at(0.0, -265.0)),
        ((212.0, 130.0), at(-339.0, 217.0)),
        ((450.0, 20.0), at(-5.0, 192.0)),
        ((240.0, 45.0), at(345.0, -82.0)),
        ((54.0, 110.0), at(252.0, -8.0)),
        ((70.0, 30.0), at(345.0, -48.0)),
    ] {
        commands.spawn((FluidBlob::from(Rectangle::new(size.0, size.1)), place));
    }
    // Pipes and valves. A valve's wheel turns with it.
    let white = materials.add(Color::WHITE);
    let red = materials.add(Color::srgb(0.78, 0.18, 0.15));
    let rim = meshes.add(Annulus::new(15.0, 21.0));
    let spoke = meshes.add(Rectangle::new(34.0, 5.0));
    let hub = meshes.add(Circle::new(6.5));
    let brass = materials.add(BRASS);
    for ((pipe, distance), (key, goal)) in pipes().into_iter().zip([
        (KeyCode::Digit1, 0.5),
        (KeyCode::Digit2, 1.0),
        (KeyCode::Digit3, 0.0),
    ]) {
        let (valve, place) = pipe.valve_at(distance);
        commands.spawn((pipe, Visibility::default(), FluidSolidColor(BRASS))).with_children(
            |pipe| {
                let mut gate = pipe.spawn((valve.opened(goal), Work { key, goal }, place));
                gate.insert((Visibility::default(), FluidSolidColor(IRON.lighter(0.2))));
                gate.with_children(|gate| {
                    for (mesh, material, turn, depth) in [
                        (&spoke, &red, FRAC_PI_4, 7.5),
                        (&spoke, &red, -FRAC_PI_4, 7.5),
                        (&rim, &red, 0.0, 7.6),
                        (&hub, &brass, 0.0, 7.7),
                    ] {
                        let place = Transform::from_xyz(0.0, 0.0, depth)
                            .with_rotation(Quat::from_rotation_z(turn));
                        let drawn = (Mesh2d(mesh.clone()), MeshMaterial2d(material.clone()));
                        gate.spawn((Handwheel, drawn, place));
                    }
                });
            },
        );
    }
    // The pump, and the tank between a grate in the sump and a spout.
    commands.spawn((
        FluidPump::new(
            Rectangle::new(60.0, 40.0),
            Rectangle::new(30.0, 14.0),
            Vec2::new(45.0, 578.0),
        )
        .with_rate(280.0)
        .with_max_head(MAX_HEAD)
        .with_velocity(Vec2::new(0.0, -60.0)),
        at(-445.0, -275.0),
    ));
    let water = ClassId::MEDIUM;
    let tank = commands.spawn(FluidTank::with_capacity(CAPACITY).holding(water, 350)).id();
    commands.spawn((
        FluidDrain::from(Rectangle::new(120.0, 20.0)).with_rate(55.0),
        FluidTankLink(tank),
        at(415.0, -290.0),
    ));
    commands.spawn((
        FluidEmitter::pour(22.0, 55.0),
        FluidTankLink(tank),
        at(TANK.x, TANK.y - 92.0).with_rotation(Quat::from_rotation_z(PI)),
    ));
    let level = slab(Vec2::new(12.0, 100.0), Color::srgb(0.20, 0.66, 0.86), 0.0);
    commands.spawn((
        Gauge,
        Mesh2d(meshes.add(level)),
        MeshMaterial2d(white.clone()),
        at(TANK.x, TANK.y),
    ));
    let needle = slab(Vec2::new(4.0, 26.0), Color::srgb(0.72, 0.16, 0.12), 0.0);
    commands.spawn((Needle, Mesh2d(meshes.add(needle)), MeshMaterial2d(white), at(DIAL.x, DIAL.y)));
    // The wheel: eight paddles around a hub.
    let paddles = (0..8_u8).flat_map(|paddle| {
        let direction = Vec2::from_angle(TAU / 8.0 * f32::from(paddle));
        let tip = direction * 98.0 + direction.perp() * 26.0;
        [Vec2::ZERO, direction * 90.0, tip, direction * 90.0]
    });
    commands.spawn((
        FluidCollider::from(FluidShape::Polyline(Polyline::new(paddles, 6.0).expect("a line"))),
        FluidBuoyant::of_density(3.0).pinned().ignore_contacts().with_drag(0.4),
        at(WHEEL.x, WHEEL.y),
    ));
}

fn texts(mut commands: Commands) {
    for (content, corner) in [(HELP, Anchor::BOTTOM_CENTER), ("", Anchor::TOP_RIGHT)] {
        let mut text = commands.spawn((
            art::text(
                content,
                14.0,
                Color::srgb(0.90, 0.88, 0.78),
                (corner.as_vec() * (VIEW - 20.0)).extend(10.0),
                corner,
            ),
            Hud,
        ));
        if content.is_empty() {
            text.insert(Score);
        }
    }
}

/// A click on a valve or its key opens or closes it, and Space stops the pump.
fn choose(
    keys: Res<ButtonInput<KeyCode>>,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    mut valves: Query<(&mut Work, &GlobalTransform)>,
    mut pump: Single<&mut FluidPump>,
) {
    let (camera, view) = *camera;
    let clicked = window.cursor_position().filter(|_| buttons.just_pressed(MouseButton::Left));
    let point = clicked.and_then(|cursor| camera.viewport_to_world_2d(view, cursor).ok());
    for (mut work, place) in &mut valves {
        let is_hit = point.is_some_and(|at| at.distance(place.translation().truncate()) < 34.0);
        if is_hit || keys.just_pressed(work.key) {
            work.goal = if work.goal > 0.0 { 0.0 } else { 1.0 };
        }
    }
    if keys.just_pressed(KeyCode::Space) {
        pump.running = !pump.running;
    }
}

/// Valves take half a second to open or close; their wheels turn once.
fn turn_valves(
    time: Res<Time>,
    valves: Query<(&Work, &mut FluidValve, &Children)>,
    mut wheels: Query<&mut Transform, With<Handwheel>>,
) {
    for (work, mut valve, children) in valves {
        let step =
            (work.goal - valve.opening).clamp(-2.0 * time.delta_secs(), 2.0 * time.delta_secs());
        if step != 0.0 {
            valve.opening = (valve.opening + step).clamp(0.0, 1.0);
            for child in children {
                if let Ok(mut wheel) = wheels.get_mut(*child) {
                    wheel.rotate_z(TAU * step);
                }
            }
        }
    }
}

fn show(
    pump: Single<&FluidPumpTotals>,
    tank: Single<&FluidTankContents>,
    fluid: Res<FluidSimulation>,
    mut gauge: Single<&mut Transform, With<Gauge>>,
    mut needle: Single<&mut Transform, (With<Needle>, Without<Gauge>)>,
    mut text: Single<&mut Text2d, With<Score>>,
) {
    let held = tank.total();
    let full = (held as f32 / CAPACITY as f32).max(0.01);
    gauge.scale.y = full;
    gauge.translation = Vec3::new(TANK.x, TANK.y - 50.0 * (1.0 - full), -20.0);
    needle.rotation = Quat::from_rotation_z(2.2 - 4.4 * (pump.lift / MAX_HEAD).clamp(0.0, 1.0));
    needle.translation = (DIAL + (needle.rotation * (Vec3::Y * 11.0)).truncate()).extend(7.5);
    let flowing = fluid.particles().len() as u64;
    let shown = format!("{flowing} drops and {held} in the tank: {}", flowing + held);
    if text.0 != shown {
        text.0 = shown;
    }
}

/// A hall of bricks and tiles with tall windows, and everything that only looks.
fn scenery(mut painter: Painter) {
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-375.0, rgb(0.20, 0.15, 0.14)),
        (40.0, rgb(0.42, 0.29, 0.24)),
        (375.0, rgb(0.25, 0.17, 0.16)),
    ]);
    for row in 0..24_u8 {
        let y = 366.0 - 18.0 * f32::from(row);
        painter.panel((0.0, y), (1100.0, 2.0), [rgba(0.10, 0.05, 0.04, 0.5); 2]);
        for column in 0..22_u8 {
            let x = 50.0 * f32::from(column) - 525.0 + 25.0 * f32::from(row % 2);
            painter.panel((x, y - 9.0), (2.0, 16.0), [rgba(0.10, 0.05, 0.04, 0.4); 2]);
        }
    }
    // Windows with an evening behind them.
    for x in [-90.0, 130.0, 350.0] {
        let arch = |grown: f32| -> Vec<(f32, f32)> {
            let (half, foot, top) = (54.0 + grown, 228.0 - grown, 272.0);
            let round = (0..=16_u8).map(|part| {
                let way = Vec2::from_angle(PI * f32::from(part) / 16.0) * half;
                (x + way.x, top + way.y)
            });
            round.chain([(x - half, foot), (x + half, foot)]).collect()
        };
        painter.shape(&arch(9.0), 0.0, [rgb(0.62, 0.50, 0.42), rgb(0.40, 0.31, 0.27)]);
        painter.shape(&arch(0.0), 0.0, [rgb(0.36, 0.52, 0.66), rgb(1.0, 0.82, 0.58)]);
        for (bar, length) in [(-27.0, 90.0), (0.0, 98.0), (27.0, 90.0)] {
            painter.board((x + bar, 228.0 + 0.5 * length), (4.0, length), IRON.darker(0.08));
        }
        painter.board((x, 272.0), (108.0, 4.0), IRON.darker(0.08));
        painter.board((x, 216.0), (132.0, 9.0), rgb(0.55, 0.44, 0.37));
        painter.glow((x, 275.0), 240.0, rgba(1.0, 0.80, 0.52, 0.22));
    }
    // Tiles up to the shoulder, columns, and a girder.
    painter.panel((0.0, -200.0), (3200.0, 260.0), [rgb(0.20, 0.36, 0.36), rgb(0.08, 0.15, 0.17)]);
    painter.board((0.0, -68.0), (3200.0, 10.0), rgb(0.50, 0.62, 0.56));
    for x in -13..13 {
        painter.panel(
            (40.0 * x as f32 + 20.0, -190.0),
            (1.5, 235.0),
            [rgba(0.0, 0.05, 0.06, 0.35); 2],
        );
    }
    for row in 0..6_u8 {
        painter.panel(
            (0.0, -100.0 - 36.0 * f32::from(row)),
            (3200.0, 1.5),
            [rgba(0.0, 0.05, 0.06, 0.35); 2],
        );
    }
    for x in [20.0, 240.0] {
        painter.board((x, 30.0), (18.0, 660.0), IRON.darker(0.04));
        painter.board((x, -290.0), (34.0, 20.0), IRON);
    }
    painter.board((0.0, 362.0), (3200.0, 26.0), IRON.darker(0.06));
    for x in [-90.0, 130.0, 350.0] {
        let beam = [(x + 50.0, 211.0), (x - 58.0, 211.0), (x - 330.0, -300.0), (x - 130.0, -300.0)];
        painter.beam(beam, rgba(1.0, 0.86, 0.62, 0.22));
    }
    // Behind the water: the cistern, the vessels, and the insides of the pipes.
    let inside = [rgba(0.05, 0.10, 0.14, 0.72), rgba(0.03, 0.07, 0.10, 0.80)];
    painter.panel((-339.0, 230.0), (222.0, 164.0), inside);
    for (x, width) in [(252.0, 54.0), (345.0, 72.0), (440.0, 46.0)] {
        painter.panel((x, 12.0), (width, 150.0), inside);
    }
    painter.panel((344.0, -85.0), (244.0, 46.0), inside);
    painter.panel(
        (0.0, -255.0),
        (970.0, 90.0),
        [rgba(0.03, 0.07, 0.09, 0.1), rgba(0.02, 0.05, 0.07, 0.8)],
    );
    for (pipe, _) in pipes() {
        let last = pipe.points.len() - 2;
        for (number, ends) in pipe.points.windows(2).enumerate() {
            // Into the corner of a bend, but not out of an end.
            let on = if number < last { 0.5 * pipe.width } else { 0.0 };
            let way = (ends[1] - ends[0]).normalize();
            let from = ends[0] + if number > 0 { 0.5 * pipe.width * way } else { Vec2::ZERO };
            let to = ends[1] + on * way;
            let size = (to - from).abs() + way.perp().abs() * pipe.width;
            painter.panel(0.5 * (from + to), size, inside);
        }
    }
    // The axle of the wheel, the tank and its glass.
    painter.board((WHEEL.x, -200.0), (20.0, 190.0), IRON.darker(0.02));
    painter.panel(
        TANK - Vec2::new(0.0, 78.0),
        (32.0, 30.0),
        [BRASS.darker(0.12), BRASS.darker(0.25)],
    );
    painter.board(TANK, (134.0, 128.0), rgb(0.66, 0.36, 0.22));
    for y in [-52.0, 0.0, 52.0] {
        painter.board(TANK + Vec2::new(0.0, y), (140.0, 9.0), BRASS.darker(0.06));
    }
    painter.board(TANK, (24.0, 112.0), BRASS);
    painter.panel(TANK, (14.0, 102.0), [rgb(0.06, 0.10, 0.13); 2]);
    // The riser of the pump, its house and its dial.
    painter.board((-478.0, 20.0), (22.0, 620.0), BRASS);
    painter.board((-440.0, 336.0), (98.0, 22.0), BRASS);
    painter.board((-402.0, 320.0), (24.0, 34.0), BRASS);
    for y in [-180.0, -60.0, 120.0, 240.0] {
        painter.board((-478.0, y), (34.0, 12.0), BRASS.darker(0.08));
    }
    painter.in_front();
    for (pipe, _) in pipes() {
        clad(&mut painter, &pipe);
    }
    for row in 0..3_u8 {
        for column in 0..13_u8 {
            let x = 88.0 * f32::from(column) - 528.0 + 44.0 * f32::from(row % 2);
            let light = 0.03 * f32::from((3 * column + 5 * row) % 4);
            let stone = rgb(0.33 + light, 0.36 + light, 0.36 + light);
            painter.board((x, -313.0 - 26.0 * f32::from(row)), (86.0, 25.0), stone);
        }
    }
    for x in [-493.0, 493.0] {
        for row in 0..6_u8 {
            painter.board((x, -287.0 + 26.0 * f32::from(row)), (16.0, 25.0), rgb(0.36, 0.39, 0.39));
        }
    }
    painter.board((-450.0, -300.0), (80.0, 26.0), IRON);
    painter.disc((-450.0, -272.0), 25.0, IRON.darker(0.05));
    painter.disc((-450.0, -272.0), 19.0, BRASS.darker(0.05));
    painter.disc((-450.0, -272.0), 7.0, IRON);
    painter.disc(DIAL, 32.0, BRASS);
    painter.disc(DIAL, 27.0, rgb(0.94, 0.92, 0.84));
    for mark in 0..9_u8 {
        let way = Vec2::from_angle(FRAC_PI_2 + 2.2 - 0.55 * f32::from(mark));
        painter.disc(DIAL + 22.0 * way, 2.0, rgb(0.30, 0.26, 0.22));
    }
    painter.disc(WHEEL, 15.0, IRON);
    painter.disc(WHEEL + Vec2::new(-2.0, 3.0), 8.0, BRASS);
    painter.board((415.0, -300.0), (130.0, 8.0), IRON.lighter(0.15));
    painter.vignette(VIEW, 0.5);
}

/// Lit brass on the walls of a pipe whose bends are right angles, and flanges beside these.
fn clad(painter: &mut Painter, pipe: &FluidPipe) {
    let (middle, half) = (0.5 * (pipe.width + pipe.thickness), 0.5 * pipe.width);
    let last = pipe.points.len() - 1;
    for (number, ends) in pipe.points.windows(2).enumerate() {
        let way = (ends[1] - ends[0]).normalize();
        for side in [1.0, -1.0] {
            // At a bend the outer wall reaches farther, and the inner one less far.
            let reach = |corner: usize| {
                if corner == 0 || corner == last {
                    return 0.0;
                }
                let points = &pipe.points[corner - 1..=corner + 1];
                let bend = (points[1] - points[0]).perp_dot(points[2] - points[1]).signum();
                if bend * side < 0.0 { half + pipe.thickness } else { -half }
            };
            let from = ends[0] - way * reach(number);
            let to = ends[1] + way * reach(number + 1);
            let size = (to - from).abs() + way.perp().abs() * pipe.thickness;
            painter.board(0.5 * (from + to) + way.perp() * side * middle, size, BRASS);
        }
        for (corner, away) in [(number, way), (number + 1, -way)] {
            let is_bend = corner != 0 && corner != last;
            let place = pipe.points[corner] + away * if is_bend { half + 14.0 } else { 5.0 };
            for side in [1.0, -1.0] {
                let size = way.abs() * 9.0 + way.perp().abs() * 15.0;
                painter.board(place + way.perp() * side * (middle + 2.0), size, BRASS.darker(0.08));
            }
        }
    }
}
