//! A mill of avian2d: a stream turns a wheel on a joint, and the joint's motor brakes it like a
//! millstone. Up and down change the stream.

use avian2d::prelude::{
    AngularMotor, AngularVelocity, Collider, ColliderDensity, Gravity, MotorModel, PhysicsPlugins,
    RevoluteJoint, RigidBody, SleepingDisabled,
};
use bevy::camera::ScalingMode;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;
use example_support::DefaultPlugins; // Adds a command line. Delete this line in your own game.
use example_support::art::{Painter, Silhouette, slab};

/// Size of the view, in world units.
const VIEW: Vec2 = Vec2::new(1000.0, 750.0);
/// Radius of the wheel.
const RADIUS: f32 = 150.0;
/// Number of paddles.
const PADDLES: usize = 10;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
        .add_plugins(PhysicsPlugins::default().with_length_unit(60.0))
        .insert_resource(FluidSettings::new(5.5, Vec2::new(0.0, -200.0)))
        .insert_resource(ClearColor(Color::srgb(0.55, 0.75, 0.90)))
        .add_systems(PostStartup, scenery)
        .add_systems(Startup, (set_gravity, build))
        .add_systems(Update, (change_stream, grind))
        .run();
}

fn set_gravity(settings: Res<FluidSettings>, mut gravity: ResMut<Gravity>) {
    gravity.0 = settings.parameters.gravity;
}

#[derive(Component)]
struct Wheel;

#[derive(Component)]
struct Millstone;

fn build(
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
        opacity: 0.5,
        depth_color: Color::srgba(0.02, 0.27, 0.43, 0.85),
        sky_color: Color::srgba(0.95, 0.99, 1.00, 0.8),
        ..FluidSurfaceLook::WATER
    }));
    classes[ClassId::MEDIUM].color = [0.18, 0.66, 0.79, 1.0];
    let stone = materials.add(Color::srgb(0.62, 0.60, 0.54));
    let white = materials.add(Color::WHITE);
    let dark = materials.add(Color::srgb(0.42, 0.30, 0.20));
    let rim = materials.add(Color::srgb(0.50, 0.33, 0.20));
    let mut block = |size: Vec2, at: Vec2, turn: f32| {
        commands.spawn((
            RigidBody::Static,
            Collider::rectangle(size.x, size.y),
            FluidCoupled::default(),
            Mesh2d(meshes.add(slab(size, Color::srgb(0.50, 0.46, 0.42), turn))),
            MeshMaterial2d(white.clone()),
            Transform::from_translation(at.extend(1.0)).with_rotation(Quat::from_rotation_z(turn)),
        ));
    };
    // The channel above the wheel, and the race below it, which ends in a pond.
    block(Vec2::new(460.0, 14.0), Vec2::new(-290.0, 190.0), -0.06);
    block(Vec2::new(14.0, 130.0), Vec2::new(-500.0, 250.0), 0.0);
    block(Vec2::new(470.0, 14.0), Vec2::new(-12.0, -232.0), 0.12);
    block(Vec2::new(14.0, 80.0), Vec2::new(218.0, -172.0), 0.0);
    block(Vec2::new(14.0, 70.0), Vec2::new(-238.0, -292.0), 0.0);
    block(Vec2::new(600.0, 14.0), Vec2::new(-530.0, -322.0), 0.0);
    block(Vec2::new(14.0, 60.0), Vec2::new(-640.0, -296.0), 0.0);
    let axle = Vec2::new(-10.0, -30.0);
    // The wheel: one body of a hub and paddles.
    let hub = (Vec2::ZERO, 0.0, Collider::circle(26.0));
    let paddle = |index: usize| {
        let angle = std::f32::consts::TAU * index as f32 / PADDLES as f32;
        let way = Vec2::from_angle(angle);
        (way * 0.5 * RADIUS, angle, Collider::rectangle(RADIUS, 9.0))
    };
    let shelf = |index: usize| {
        let angle = std::f32::consts::TAU * index as f32 / PADDLES as f32;
        let place = Vec2::from_angle(angle) * (RADIUS - 6.0) + Vec2::from_angle(angle + 1.9) * 20.0;
        (place, angle + 1.9, Collider::rectangle(46.0, 9.0))
    };
    let paddles = (0..PADDLES).map(paddle).chain((0..PADDLES).map(shelf));
    let parts: Vec<(Vec2, f32, Collider)> = std::iter::once(hub).chain(paddles).collect();
    let drawn: Vec<(Vec2, f32)> = parts.iter().map(|(at, turn, _)| (*at, *turn)).collect();
    let wheel = commands
        .spawn((
            Wheel,
            RigidBody::Dynamic,
            SleepingDisabled,
            Collider::compound(parts),
            // A light unit of mass: avian's motors take moments of inertia above 8e6 for infinite.
            ColliderDensity(0.0015),
            FluidCoupled::default().with_liquid_density(0.001),
            Mesh2d(meshes.add(Circle::new(26.0))),
            MeshMaterial2d(dark.clone()),
            Transform::from_translation(axle.extend(2.0)),
        ))
        .id();
    // Two rims hold the paddles.
    for radius in [60.0, RADIUS - 14.0] {
        commands.spawn((
            ChildOf(wheel),
            Mesh2d(meshes.add(Annulus::new(radius - 5.0, radius + 5.0).mesh().resolution(64))),
            MeshMaterial2d(rim.clone()),
            Transform::from_xyz(0.0, 0.0, -0.2),
        ));
    }
    for (index, (at, turn)) in drawn.into_iter().enumerate().skip(1) {
        let size = if index <= PADDLES { Vec2::new(RADIUS, 9.0) } else { Vec2::new(46.0, 9.0) };
        commands.spawn((
            ChildOf(wheel),
            Mesh2d(meshes.add(slab(size, Color::srgb(0.62, 0.42, 0.25), turn))),
            MeshMaterial2d(white.clone()),
            Transform::from_translation(at.extend(-0.1)).with_rotation(Quat::from_rotation_z(turn)),
        ));
    }
    let bearing =
        commands.spawn((RigidBody::Static, Transform::from_translation(axle.extend(0.0)))).id();
    // A brake: its torque grows with the wheel's speed.
    let brake = MotorModel::ForceBased { stiffness: 0.0, damping: 200.0 };
    commands.spawn(RevoluteJoint::new(bearing, wheel).with_motor(AngularMotor::new(brake)));
    // The millstone, which the wheel turns.
    let millstone = Transform::from_xyz(345.0, axle.y, 0.0);
    let disc = Mesh2d(meshes.add(Circle::new(62.0)));
    commands.spawn((Millstone, disc, MeshMaterial2d(stone), millstone)).with_children(|stone| {
        for furrow in 0..8_u8 {
            let turn = Quat::from_rotation_z(std::f32::consts::TAU * f32::from(furrow) / 8.0);
            let place = Transform::from_translation(turn * Vec3::new(38.0, 8.0, 0.1));
            let groove = Mesh2d(meshes.add(Rectangle::new(40.0, 4.0)));
            stone.spawn((groove, MeshMaterial2d(dark.clone()), place.with_rotation(turn)));
        }
        stone.spawn((
            Mesh2d(meshes.add(Circle::new(17.0))),
            MeshMaterial2d(dark.clone()),
            Transform::from_xyz(0.0, 0.0, 0.2),
        ));
    });
    commands.spawn((
        FluidEmitter::jet(46.0, 110.0),
        Transform::from_xyz(-470.0, 236.0, 0.0).with_rotation(Quat::from_rotation_z(-1.63)),
    ));
    commands.spawn((
        FluidDrain::from(Rectangle::new(3000.0, 60.0)),
        Transform::from_xyz(0.0, -420.0, 0.0),
    ));
}

/// The arrow keys change how much water comes.
fn change_stream(
    keys: Res<ButtonInput<KeyCode>>,
    time: Res<Time>,
    mut springs: Query<&mut FluidEmitter>,
) {
    let pressed = |key| f32::from(keys.pressed(key));
    let change = pressed(KeyCode::ArrowUp) - pressed(KeyCode::ArrowDown);
    if change == 0.0 {
        return;
    }
    for mut spring in &mut springs {
        let speed = spring.speed.unwrap_or(110.0) + 80.0 * change * time.delta_secs();
        spring.speed = Some(speed.clamp(40.0, 240.0));
    }
}

/// The millstone turns as fast as the wheel.
fn grind(
    wheels: Query<&AngularVelocity, With<Wheel>>,
    mut stones: Query<&mut Transform, With<Millstone>>,
    time: Res<Time>,
) {
    for (wheel, mut stone) in wheels.iter().cycle().zip(&mut stones) {
        stone.rotate_z(-wheel.0 * time.delta_secs());
    }
}

/// A mossy valley at noon, with the mill's house.
fn scenery(mut painter: Painter) {
    use Silhouette::{Firs, Hills};
    let (rgb, rgba) = (Color::srgb, Color::srgba);
    painter.sky(&[
        (-200.0, rgb(0.93, 0.97, 0.92)),
        (60.0, rgb(0.66, 0.86, 0.96)),
        (375.0, rgb(0.22, 0.52, 0.84)),
    ]);
    painter.glow((200.0, 330.0), 330.0, rgba(1.0, 0.98, 0.85, 0.9));
    for (x, y, size) in [(-60.0, 300.0, 1.0), (-330.0, 345.0, 0.7), (440.0, 270.0, 0.8)] {
        for (dx, radius) in [(-52.0, 26.0), (-14.0, 40.0), (34.0, 32.0), (66.0, 20.0)] {
            let at = Vec2::new(x + size * dx, y + 0.3 * size * radius);
            painter.disc(at, size * radius, rgb(0.96, 0.98, 1.0));
        }
    }
    painter.ridge(Hills, [-260.0, 160.0], [rgb(0.50, 0.70, 0.72), rgb(0.78, 0.90, 0.84)]);
    painter.ridge(Hills, [-280.0, 60.0], [rgb(0.36, 0.58, 0.44), rgb(0.66, 0.82, 0.62)]);
    painter.ridge(Firs, [-340.0, -60.0], [rgb(0.14, 0.36, 0.28), rgb(0.40, 0.62, 0.42)]);
    let hill = [(-1600.0, -262.0), (-240.0, -262.0), (100.0, -219.0), (225.0, -207.0)];
    let valley = [(420.0, -318.0), (1600.0, -330.0), (1600.0, -520.0), (-1600.0, -520.0)];
    let bank = [hill, valley].concat();
    painter.shape(&bank, 0.0, [rgb(0.44, 0.62, 0.26), rgb(0.16, 0.22, 0.12)]);
    painter.scatter(
        Rect::new(-620.0, -375.0, 620.0, -300.0),
        120,
        16.0,
        rgba(0.55, 0.74, 0.30, 0.5),
    );
    // The house, with the millstone in its window, and the pillars of the channel.
    painter.panel((345.0, -90.0), (230.0, 480.0), [rgb(0.93, 0.87, 0.74), rgb(0.66, 0.58, 0.48)]);
    let roof = [(490.0, 132.0), (345.0, 262.0), (200.0, 132.0)];
    painter.shape(&roof, 8.0, [rgb(0.74, 0.32, 0.22), rgb(0.52, 0.20, 0.16)]);
    painter.disc((345.0, -30.0), 80.0, rgb(0.50, 0.34, 0.22));
    painter.disc((345.0, -30.0), 71.0, rgb(0.20, 0.15, 0.14));
    painter.board((345.0, 136.0), (240.0, 12.0), rgb(0.42, 0.28, 0.18));
    for x in [238.0, 452.0] {
        painter.board((x, -90.0), (14.0, 440.0), rgb(0.45, 0.30, 0.20));
    }
    painter.board((345.0, -124.0), (220.0, 10.0), rgb(0.45, 0.30, 0.20));
    painter.panel((290.0, -190.0), (52.0, 60.0), [rgb(0.30, 0.40, 0.46), rgb(0.16, 0.22, 0.28)]);
    painter.board((290.0, -190.0), (6.0, 62.0), rgb(0.45, 0.30, 0.20));
    painter.board((290.0, -224.0), (64.0, 8.0), rgb(0.45, 0.30, 0.20));
    painter.panel((395.0, -230.0), (64.0, 160.0), [rgb(0.42, 0.25, 0.16), rgb(0.28, 0.16, 0.11)]);
    painter.board((166.0, -30.0), (340.0, 16.0), rgb(0.42, 0.29, 0.20));
    for (x, top) in [(-440.0, 190.0), (-270.0, 180.0)] {
        let size = Vec2::new(40.0, top + 330.0);
        painter.board((x, 0.5 * (top - 330.0)), size, rgb(0.56, 0.50, 0.44));
        painter.scatter(
            Rect::new(x - 18.0, -225.0, x + 18.0, -60.0),
            70,
            14.0,
            rgb(0.38, 0.55, 0.24),
        );
    }
    painter.vignette(VIEW, 0.3);
}
