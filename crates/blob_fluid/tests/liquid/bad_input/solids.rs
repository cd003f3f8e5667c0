//! Containers and colliders without a size, of no shape, or where they were not before.

use blob_fluid::measure::measure;
use blob_fluid::shape::{FluidShape, Polygon, Polyline};
use blob_fluid::{Collider, Container, FluidWorld};
use glam::Vec2;

use crate::pools::{fastest, in_tank, pour};
use crate::ticks::run;

/// A pool at rest in a tank with half of these sizes.
fn pool() -> FluidWorld {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(200.0, 150.0));
    let block = FluidShape::Rectangle { half_size: Vec2::new(190.0, 80.0) };
    pour(&mut world, block.fill(Vec2::new(0.0, -60.0), 8.2));
    run(&mut world, 300);
    world
}

// Rows 10 and 12 of docs/reliability.md.
#[test]
fn solids_without_a_size_are_refused_and_change_nothing() {
    for size in [0.0, -0.0, -5.0, f32::MIN_POSITIVE / 2.0, f32::NAN, f32::INFINITY] {
        let shapes = [
            (FluidShape::Circle { radius: size }, "radius"),
            (FluidShape::Rectangle { half_size: Vec2::new(size, 5.0) }, "half_size"),
            (FluidShape::Rectangle { half_size: Vec2::new(5.0, size) }, "half_size"),
            (FluidShape::Capsule { half_length: 5.0, radius: size }, "radius"),
        ];
        for (shape, field) in shapes {
            let collider = Collider::new(shape.clone(), Vec2::ZERO, Vec2::X);
            assert_eq!(collider.expect_err("refused").field, field, "{shape:?}");
            let container = Container::new(shape.clone(), Vec2::ZERO, Vec2::X);
            assert_eq!(container.expect_err("refused").field, field, "{shape:?}");
        }
    }
    // A pose that is none: the collider stays where it was.
    let mut world = pool();
    let id = world.insert_collider(Collider::circle(Vec2::new(0.0, 120.0), 9.0).expect("valid"));
    let before = world.collider(id).cloned();
    for (centre, rotation) in
        [(Vec2::NAN, Vec2::X), (Vec2::ZERO, Vec2::ZERO), (Vec2::ZERO, Vec2::NAN)]
    {
        assert!(world.move_collider(id, centre, rotation).is_err());
        assert_eq!(world.collider(id), before.as_ref());
    }
}

// Row 13 of docs/reliability.md.
#[test]
fn what_is_no_polygon_is_refused() {
    let corners = [Vec2::ZERO, Vec2::new(9.0, 0.0), Vec2::new(0.0, 9.0)];
    assert!(Polygon::new(corners).is_ok());
    for few in 0..3 {
        let error = Polygon::new(corners[..few].iter().copied()).expect_err("refused");
        assert_eq!((error.field, error.value), ("corners", few as f32));
        assert!(Polygon::with_holes([corners.to_vec(), corners[..few].to_vec()]).is_err());
        assert!(Polygon::from_contours([corners[..few].to_vec()]).is_err());
    }
    for few in 0..2 {
        assert!(Polyline::new(corners[..few].iter().copied(), 1.0).is_err());
    }
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e10] {
        for spoilt in 0..3 {
            let mut corners = corners;
            corners[spoilt].y = bad;
            assert_eq!(Polygon::new(corners).expect_err("refused").field, "corners");
            assert!(Polygon::from_contours([corners.to_vec()]).is_err());
            assert!(Polyline::new(corners, 1.0).is_err());
        }
        assert!(Polygon::heightfield(&[0.0, bad, 0.0], 1.0, 1.0).is_err() || bad == 1e10);
    }
}

/// Five corners of a star, each joined to the next but one.
fn pentagram(radius: f32) -> FluidShape {
    let corners = [(0.0, 1.0), (0.588, -0.809), (-0.951, 0.309), (0.951, 0.309), (-0.588, -0.809)];
    let corners = corners.map(|corner| Vec2::from(corner) * radius);
    FluidShape::Polygon(Polygon::new(corners).expect("a ring"))
}

// Row 13 of docs/reliability.md.
#[test]
fn a_ring_that_crosses_itself_is_hollow_where_it_lies_twice_and_loses_nothing() {
    let star = pentagram(60.0);
    assert!(star.contains(Vec2::new(0.0, 45.0)) && !star.contains(Vec2::ZERO));
    let mut world = pool();
    let count = world.particles().len();
    let star = Collider::new(star, Vec2::new(0.0, -40.0), Vec2::X).expect("valid");
    world.insert_collider(star.clone());
    run(&mut world, 600);
    let report = measure(&world);
    assert_eq!((report.particles, report.escaped, report.quarantined), (count, 0, 0));
    let positions = world.particles().positions();
    assert!(positions.iter().all(|position| star.distance(*position) > -0.05));
    // As a container it holds what is in its tips.
    let mut world = FluidWorld::default();
    let star = Container::new(pentagram(300.0), Vec2::ZERO, Vec2::X).expect("valid");
    world.insert_container(star);
    let tip = FluidShape::Circle { radius: 40.0 };
    pour(&mut world, tip.fill(Vec2::new(0.0, 180.0), 8.2));
    let count = world.particles().len();
    run(&mut world, 600);
    let report = measure(&world);
    assert_eq!((report.particles, report.escaped, report.quarantined), (count, 0, 0));
}

// Row 15 of docs/reliability.md.
#[test]
fn liquid_comes_out_gently_of_an_obstacle_that_jumps_onto_it() {
    let mut world = pool();
    let count = world.particles().len();
    let away = Collider::circle(Vec2::new(0.0, 110.0), 35.0).expect("valid");
    let id = world.insert_collider(away);
    run(&mut world, 30);
    for to in [Vec2::new(-90.0, -80.0), Vec2::new(100.0, -100.0), Vec2::new(0.0, -60.0)] {
        assert_eq!(world.move_collider(id, to, Vec2::X), Ok(true));
        let mut most = 0.0_f32;
        for _ in 0..90 {
            run(&mut world, 1);
            most = most.max(fastest(&world, |_| true));
        }
        // Slower than a drop that falls from the ceiling of the tank to its floor.
        let fall = (2.0 * world.parameters().gravity.length() * 300.0).sqrt();
        assert!(most < fall, "{most} against {fall} at {to}");
        assert_eq!((measure(&world).particles, measure(&world).escaped), (count, 0));
        let stone = world.collider(id).expect("there");
        let positions = world.particles().positions();
        assert!(positions.iter().all(|position| stone.distance(*position) > -0.05), "all out");
    }
}
