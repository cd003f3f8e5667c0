//! Liquid comes to rest in corners of at most a right angle, whether the walls are one shape or several.

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    Blob, ClassId, Collider, ColliderOptions, FluidParameters, FluidRegion, FluidShape,
    FluidSleeping, FluidWorld, SerialExecutor,
};
use glam::Vec2;

const HALF: f32 = 60.0;

/// Corners of a regular polygon with `count` corners, the distance of whose sides from the middle is `HALF`.
fn regular(count: u32) -> Vec<Vec2> {
    let radius = HALF / Vec2::from_angle(std::f32::consts::PI / count as f32).x;
    let angle = |number: u32| (number as f32 + 0.5) * std::f32::consts::TAU / count as f32;
    (0..count).map(|number| Vec2::from_angle(angle(number)) * radius).collect()
}

fn ring(count: u32) -> FluidShape {
    let mut corners = regular(count);
    corners.push(corners[0]);
    FluidShape::Polyline(Polyline::new(corners, 2.0).expect("valid"))
}

fn disc(count: u32) -> FluidShape {
    FluidShape::Polygon(Polygon::new(regular(count)).expect("valid"))
}

/// A cup with thick walls.
fn cup() -> FluidShape {
    let (outer, inner) = (HALF + 20.0, HALF);
    let corners = [
        (-outer, -outer),
        (outer, -outer),
        (outer, outer),
        (inner, outer),
        (inner, -inner),
        (-inner, -inner),
        (-inner, outer),
        (-outer, outer),
    ];
    FluidShape::Polygon(Polygon::new(corners.map(Vec2::from)).expect("valid"))
}

/// Root of the mean squared speed in a vessel, turned by an angle, that liquid fills up to a height, after 10 s.
fn unrest(vessel: FluidShape, inside: FluidShape, angle: f32, height: f32) -> f32 {
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let turned = Vec2::from_angle(angle);
    let options = ColliderOptions { inside_out: vessel == inside, ..ColliderOptions::default() };
    let vessel = Collider::new(vessel, Vec2::ZERO, turned).expect("valid");
    world.insert_collider(vessel.with_options(options).expect("valid"));
    let inside = FluidRegion::new(inside, Vec2::ZERO, turned).expect("valid");
    Blob::new(inside, ClassId::MEDIUM).fill(world.liquid_mut()).expect("valid");
    world.despawn_where(|position, _| position.y > height);
    for _ in 0..600 {
        world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
    }
    assert!(world.particles().len() > 100);
    let velocities = world.particles().velocities();
    let squares: f32 = velocities.iter().map(|velocity| velocity.length_squared()).sum();
    (squares / velocities.len() as f32).sqrt()
}

#[test]
fn liquid_rests_in_the_corners_of_one_shape() {
    let square = || FluidShape::Rectangle { half_size: Vec2::splat(HALF) };
    let cases = [
        ("ring of lines", ring(4), disc(4), 0.0),
        ("tilted ring", ring(4), disc(4), 0.3),
        ("inside of a rectangle", square(), square(), 0.0),
        ("inside of a tilted rectangle", square(), square(), 0.3),
        ("inside of a triangle", disc(3), disc(3), 0.2),
        ("cup", cup(), square(), 0.0),
    ];
    for (name, vessel, inside, angle) in cases {
        let found = unrest(vessel, inside, angle, 0.5 * HALF);
        println!("{name}: {found}");
        assert!(found < 1.0, "{name}: {found} units/s");
    }
}

#[test]
fn a_full_box_of_lines_rests() {
    let found = unrest(ring(4), disc(4), 0.0, HALF);
    assert!(found < 1.0, "{found} units/s");
}
