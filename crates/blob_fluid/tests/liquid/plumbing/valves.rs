//! Valves: how much they let through.

use blob_fluid::{Collider, ColliderId, FluidWorld, Pipe, Valve};
use glam::Vec2;

use super::{UPRIGHT, boxed, fill, pipe, rectangle, wall};
use crate::ticks::run_for;

/// A pipe that stands upright, filled above its valve in the middle.
fn full_pipe(opening: f32) -> (FluidWorld, Pipe, ColliderId) {
    let mut world = boxed(Vec2::new(200.0, 300.0));
    let pipe = pipe(&[(0.0, 280.0), (0.0, -100.0)], 60.0, 8.0);
    wall(&mut world, pipe.shape(), UPRIGHT);
    let valve = Valve { opening, ..Valve::across(&pipe, 12.0) };
    let gate = wall(&mut world, valve.shape().expect("valid"), pipe.place_at(200.0));
    fill(&mut world, rectangle((0.0, 180.0), (30.0, 94.0)));
    (world, pipe, gate)
}

/// Number of particles below the valve.
fn through(world: &FluidWorld) -> usize {
    world.particles().positions().iter().filter(|position| position.y < 74.0).count()
}

#[test]
fn the_wider_it_is_open_the_more_flows_and_closed_it_does_not_leak() {
    let flows = [0.0, 0.25, 0.5, 1.0].map(|opening| {
        let (mut world, ..) = full_pipe(opening);
        run_for(&mut world, 0.7);
        through(&world)
    });
    assert_eq!(flows[0], 0);
    assert!(flows[1] > 0 && flows.is_sorted_by(|one, other| one < other), "{flows:?}");
    let (mut world, ..) = full_pipe(0.0);
    run_for(&mut world, 60.0);
    assert_eq!(through(&world), 0);
}

#[test]
fn it_can_be_worked_while_liquid_flows() {
    let (mut world, pipe, gate) = full_pipe(0.0);
    let all = world.particles().len();
    let (centre, rotation) = pipe.place_at(200.0);
    let set = |world: &mut FluidWorld, opening| {
        let shape = Valve { opening, ..Valve::across(&pipe, 12.0) }.shape().expect("valid");
        world.set_collider(gate, Collider::new(shape, centre, rotation).expect("valid"));
    };
    // It opens and closes within a fifth of a second.
    for step in 0..=12 {
        set(&mut world, step as f32 / 12.0);
        run_for(&mut world, 1.0 / 60.0);
    }
    run_for(&mut world, 0.3);
    for step in 0..=12 {
        set(&mut world, 1.0 - step as f32 / 12.0);
        run_for(&mut world, 1.0 / 60.0);
    }
    run_for(&mut world, 0.5);
    let passed = through(&world);
    run_for(&mut world, 20.0);
    assert!(passed > 20 && passed < all - 20, "{passed} of {all}");
    assert_eq!(through(&world), passed, "closed again");
    assert_eq!(world.particles().len(), all);
}
