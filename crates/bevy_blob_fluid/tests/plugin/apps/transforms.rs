//! What a mirrored, turned, scaled or inherited transform does to everything that has a shape.

use bevy_blob_fluid::blob_fluid::shape::Polyline;

use crate::app::*;

/// The same to the left as to the right, turned on top of that, as an entity and as a child of one.
fn mirrored() -> [(Transform, Transform); 3] {
    let mirror = Vec3::new(-2.0, 1.5, 1.0);
    let turn = Quat::from_rotation_z(0.4);
    [
        (Transform::IDENTITY, Transform::from_scale(mirror)),
        (Transform::from_rotation(turn), Transform::from_scale(mirror)),
        (Transform::from_scale(mirror), Transform::from_rotation(turn)),
    ]
}

/// A point of the entity in the world.
fn in_world((outer, inner): (Transform, Transform), point: Vec2) -> Vec2 {
    outer.transform_point(inner.transform_point(point.extend(0.0))).truncate()
}

fn spawn(app: &mut App, (outer, inner): (Transform, Transform), parts: impl Bundle) -> Entity {
    let parent = app.spawn(outer);
    app.spawn((parts, inner, ChildOf(parent)))
}

/// A triangle without any symmetry.
fn corner() -> Triangle2d {
    Triangle2d::new(Vec2::ZERO, Vec2::new(60.0, 0.0), Vec2::new(0.0, 20.0))
}

// Row 14 of docs/reliability.md.
#[test]
fn shapes_are_mirrored_with_their_entities() {
    for position in mirrored() {
        let mut app = headless(default());
        spawn(&mut app, position, FluidCollider::from(corner()));
        spawn(&mut app, position, FluidSensor::from(corner()));
        app.update();
        let collider = app.first_collider();
        for (point, inside) in [
            (Vec2::new(4.0, 4.0), true),
            (Vec2::new(50.0, 2.0), true),
            (Vec2::new(-4.0, 4.0), false),
            (Vec2::new(4.0, -4.0), false),
            (Vec2::new(40.0, 15.0), false),
        ] {
            // Sheared shapes there are none: what a turned child of a stretched parent is like is
            // only nearly right.
            let sheared = position.0.scale != Vec3::ONE;
            if !sheared {
                let distance = collider.distance(in_world(position, point));
                assert_eq!(distance < 0.0, inside, "{position:?} {point}");
            }
        }
    }
}

#[test]
fn a_blob_fills_its_mirror_image() {
    let mut app = headless(default());
    let point = mirrored()[0];
    spawn(&mut app, point, FluidBlob::from(corner()));
    app.update();
    let particles = app.fluid().particles();
    assert!(particles.len() > 15);
    for position in particles.positions() {
        assert!(position.x < 5.0 && position.y > -5.0, "{position}");
    }
}

#[test]
fn a_membrane_holds_the_same_of_its_sides_mirrored() {
    for (scale, passes) in [(1.0, true), (-1.0, true)] {
        for (from, to, held) in [(60.0, -60.0, true), (-60.0, 60.0, false)] {
            let mut app = headless(default());
            app.settings().parameters.gravity = Vec2::ZERO;
            // Drawn upwards: its left is where x is negative, and positive once mirrored.
            let line = Polyline::new([Vec2::new(0.0, -90.0), Vec2::new(0.0, 90.0)], 0.0);
            let line = FluidCollider::from(FluidShape::Polyline(line.expect("a line"))).one_way();
            app.spawn((line, Transform::from_scale(Vec3::new(scale, 1.0, 1.0))));
            let position = Vec2::new(-from * scale, 0.0);
            let velocity = Vec2::new((from - to) * scale, 0.0);
            app.add_particle(ParticleSpawn { position, velocity, ..default() });
            app.updates(64);
            let x = app.positions()[0].x * scale;
            let stopped = x * position.x * scale > 0.0;
            assert_eq!(stopped, held && passes, "{scale} from {from}: {x}");
        }
    }
}

#[test]
fn jets_and_winds_point_the_other_way() {
    for point in mirrored() {
        let mut app = headless(without_gravity());
        let aside = Quat::from_rotation_z(-0.9);
        let parent = spawn(&mut app, point, ());
        let nozzle = (FluidEmitter::jet(30.0, 200.0), Transform::from_rotation(aside));
        let nozzle = app.spawn((nozzle, ChildOf(parent)));
        app.updates(10);
        let up = app.component::<GlobalTransform>(nozzle).up().truncate();
        let particles = app.fluid().particles();
        assert!(!particles.is_empty());
        for velocity in particles.velocities() {
            let along = velocity.dot(up.normalize());
            assert!(along > 0.8 * velocity.length(), "{velocity} of {up}");
        }
    }
    let mut app = headless(default());
    let everywhere = Rectangle::new(1e3, 1e3);
    let wind = FluidForce::uniform(&everywhere, Vec2::new(500.0, 0.0));
    let mirror = Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    app.spawn((FluidForce { swirl: 0.0, ..wind }, mirror));
    app.add_particle(default());
    app.update();
    assert!(app.velocities()[0].x < 0.0);
}

#[test]
fn bodies_are_drawn_as_they_are_simulated_whatever_their_scale() {
    let mirrors = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (2.0, 2.0)];
    for (outer, inner) in mirrors.into_iter().flat_map(|a| mirrors.map(|b| (a, b))) {
        // Flat, as many an entity of a 2D game is.
        let scale = |(x, y): (f32, f32)| Transform::from_scale(Vec3::new(x, y, 0.0));
        let mut app = headless(default());
        let point = (scale(outer), scale(inner).with_rotation(Quat::from_rotation_z(0.5)));
        let body = (FluidCollider::from(corner()), FluidBuoyant::of_density(1.0));
        let entity = spawn(&mut app, point, body);
        app.component_mut::<FluidMotion>(entity).angular_velocity = 2.0;
        app.updates(20);
        // At rest what is drawn is what was simulated last.
        app.clock().pause();
        app.update();
        let collider = app.first_collider();
        let drawn = app.component::<GlobalTransform>(entity);
        for corner in corner().vertices {
            let seen = drawn.transform_point(corner.extend(0.0)).truncate();
            let distance = collider.distance(seen);
            assert!(distance.abs() < 0.05, "{outer:?} {inner:?}: {seen} {distance}");
        }
    }
}

#[test]
fn transforms_place_containers_blobs_and_forces() {
    let mut app = headless(default());
    let quarter_turn = Transform::from_xyz(10.0, 20.0, 3.0)
        .with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2))
        .with_scale(Vec3::new(2.0, 1.0, 1.0));
    app.spawn((FluidContainer::from(Rectangle::new(100.0, 50.0)), quarter_turn));
    app.update();
    let container = app.first_container().clone();
    assert!((container.depth(Vec2::new(10.0, 20.0)) - 25.0).abs() < 1e-3);
    assert!(container.depth(Vec2::new(10.0, 110.0)) > 0.0, "200 high after the turn");
    assert!(container.depth(Vec2::new(50.0, 20.0)) < 0.0, "50 wide after the turn");

    let parent = app.spawn(xy(0.0, 100.0));
    app.spawn((FluidForce::attract(30.0, 500.0), xy(5.0, 0.0), ChildOf(parent)));
    app.update();
    assert_eq!(app.fluid().forces()[0].centre, Vec2::new(5.0, 100.0));
}

// Row 14 of docs/reliability.md.
#[test]
fn degenerate_transforms_are_left_out() {
    let mut app = headless(default());
    let container = spawn_container(&mut app, 0.0);
    app.update();
    let valid = app.first_container().clone();
    let bad = [
        Transform::from_scale(Vec3::ZERO),
        Transform::from_scale(Vec3::new(0.0, 1.0, 1.0)),
        xy(f32::NAN, 0.0),
        Transform::from_scale(Vec3::splat(f32::INFINITY)),
    ];
    for transform in bad {
        app.insert(container, transform);
        app.spawn((FluidBlob::from(Circle::new(50.0)), transform));
        app.spawn((FluidForce::repel(50.0, 100.0), transform.with_scale(Vec3::ZERO)));
        app.update();
        assert_eq!(*app.first_container(), valid, "the last valid place stays");
        assert!(app.positions().is_empty());
        assert!(app.fluid().forces().is_empty());
    }
}
