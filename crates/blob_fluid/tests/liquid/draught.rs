//! Hulls float as deep as they should, from what is drawn of them to the surface that is drawn.

use std::f32::consts::FRAC_PI_2;

use blob_fluid::{
    Attachment, Body, Collider, ColliderId, ColliderOptions, FluidParameters, FluidShape,
    FluidSleeping, FluidWorld, HostBody, Motion,
};
use glam::Vec2;

use crate::drawn::drawn_surface;
use crate::pools::{add_tank, body, pour, spacing};
use crate::ticks::run;

/// Half the width of the tanks, and depth of the liquid, in particle spacings.
const HALF_WIDTH: f32 = 30.0;
const DEPTH: f32 = 22.0;

/// How far a draught may be off, in spacings.
const BAR: f32 = 0.1;

fn rectangle(width: f32, height: f32) -> FluidShape {
    FluidShape::Rectangle { half_size: 0.5 * Vec2::new(width, height) }
}

/// Half the width and height of a collider.
fn half_extent(collider: &Collider) -> Vec2 {
    let turn = collider.rotation().abs();
    match collider.shape() {
        FluidShape::Circle { radius } => Vec2::splat(*radius),
        FluidShape::Capsule { half_length, radius } => {
            *half_length * Vec2::new(turn.y, turn.x) + *radius
        }
        shape => {
            let half = shape.bounds().half_size();
            Vec2::new(half.dot(turn), half.dot(Vec2::new(turn.y, turn.x)))
        }
    }
}

/// A tank with its floor at height 0, filled around a hull.
fn fill_around(hull: &Collider) -> FluidWorld {
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let half_size = Vec2::splat(HALF_WIDTH * spacing());
    add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
    let half_size = Vec2::new(HALF_WIDTH - 0.5, 0.5 * DEPTH) * spacing();
    let places = FluidShape::Rectangle { half_size }.fill(Vec2::Y * half_size.y, 8.1);
    pour(&mut world, places.into_iter().filter(|at| hull.distance(*at) > 0.6 * spacing()));
    world
}

/// The same hull where it floats about as deep as it should.
fn afloat(hull: Collider, turn: f32, density: f32) -> Collider {
    let hull = hull.with_pose(Vec2::ZERO, Vec2::from_angle(turn)).expect("valid");
    let above = (1.0 - 2.0 * density) * half_extent(&hull).y;
    hull.with_pose(Vec2::new(3.0, DEPTH * spacing() + above), Vec2::from_angle(turn))
        .expect("valid")
}

/// Height of the drawn surface where no hull is near.
fn surface(world: &FluidWorld, hull: &Collider) -> f32 {
    let places = (-54..=54).map(|step| 0.5 * spacing() * step as f32);
    let is_far = |x: &f32| (x - hull.centre().x).abs() > half_extent(hull).x + 3.0 * spacing();
    drawn_surface(world, 1.5 * DEPTH * spacing(), places.filter(is_far))
}

/// By how many spacings a hull that has come to rest floats deeper than this part of its height, of
/// which liquid that was left on top bears its part.
fn error(world: &mut FluidWorld, id: ColliderId, density: f32) -> f32 {
    run(world, 900);
    let mut sum = 0.0;
    for _ in 0..8 {
        run(world, 15);
        let hull = world.collider(id).expect("there");
        let half = half_extent(hull);
        let is_on_top = |at: &&Vec2| {
            let offset = **at - hull.centre();
            offset.x.abs() < half.x && offset.y > half.y
        };
        let on_top = world.particles().positions().iter().filter(is_on_top).count() as f32;
        let load = on_top * spacing() * spacing() / (2.0 * half.x);
        let draught = surface(world, hull) - (hull.centre().y - half.y);
        sum += (draught - density * 2.0 * half.y - load) / (8.0 * spacing());
    }
    sum
}

/// The error of a body of this density, which begins turned.
fn error_of_body(shape: FluidShape, density: f32, turn: f32, motion: Motion) -> f32 {
    let hull = afloat(body(shape, Vec2::ZERO, density), turn, density);
    let hull = hull.with_motion(motion).expect("valid");
    let mut world = fill_around(&hull);
    let id = world.insert_collider(hull);
    error(&mut world, id, density)
}

#[track_caller]
fn assert_floats(name: &str, density: f32, error: f32) {
    println!("| {name} | {density} | {error:+.2} |");
    assert!(error.abs() < BAR, "{name} of density {density}: {error} spacings");
}

/// Those that are lighter or heavier float up to half a spacing higher or deeper: the gap between liquid and hull counts
/// as hull, and is on all sides. docs/bodies.md says how much.
#[test]
fn hulls_float_as_deep_as_they_are_drawn() {
    // The axis of a capsule is upright before it is turned.
    let capsule = FluidShape::Capsule { half_length: 60.0, radius: 20.0 };
    for (name, shape, density, turn, angular_velocity) in [
        ("240 by 40", rectangle(240.0, 40.0), 0.5, 0.0, 0.0),
        ("150 by 80", rectangle(150.0, 80.0), 0.3, 0.0, 0.0),
        ("raft, 200 by 12", rectangle(200.0, 12.0), 0.5, 0.0, 0.0),
        ("capsule", capsule, 0.5, FRAC_PI_2, 0.0),
        ("120 by 50, tilted", rectangle(120.0, 50.0), 0.4, 0.3, 0.0),
        ("120 by 50, turning", rectangle(120.0, 50.0), 0.4, 0.0, 6.0),
    ] {
        let motion = Motion { angular_velocity, ..Motion::STILL };
        assert_floats(name, density, error_of_body(shape, density, turn, motion));
    }
}

#[test]
fn host_bodies_float_as_deep_as_they_are_drawn() {
    let (shape, density) = (rectangle(150.0, 60.0), 0.4);
    let mass = Body::of_density(density, &shape, spacing()).expect("valid");
    let plain = Collider::new(shape, Vec2::ZERO, Vec2::X).expect("valid");
    let hull = afloat(plain, 0.0, density);
    let mut world = fill_around(&hull);
    let carrier = HostBody {
        acceleration: world.parameters().gravity,
        inverse_mass: Vec2::splat(1.0 / mass.mass),
        inverse_inertia: 1.0 / mass.moment_of_inertia,
        ..HostBody::at(hull.centre(), Vec2::X)
    };
    let carrier = world.insert_host_body(carrier).expect("valid");
    let attachment = Attachment { body: carrier, centre: Vec2::ZERO, rotation: Vec2::X };
    let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
    let id = world.insert_collider(hull.with_options(options).expect("valid"));
    assert_floats("host body", density, error(&mut world, id, density));
}
