//! Vessels that communicate, a ballast tank, and a siphon.

use blob_fluid::{
    Body, Collider, ColliderOptions, Drain, Emitter, EmitterSettings, FluidRegion, FluidShape,
    FluidWorld, Tank,
};
use glam::Vec2;

use super::{UPRIGHT, boxed, fill, level, pipe, rectangle, wall};
use crate::pools::{self, spacing};
use crate::ticks::{TICK, run_for};

#[test]
fn the_arms_of_a_pipe_level() {
    let mut world = boxed(Vec2::new(250.0, 350.0));
    let points = [(-120.0, 340.0), (-120.0, -150.0), (130.0, -150.0), (130.0, 340.0)];
    wall(&mut world, pipe(&points, 48.0, 8.0).shape(), UPRIGHT);
    fill(&mut world, rectangle((-120.0, 80.0), (24.0, 250.0)));
    assert!(level(&world, -120.0) > 150.0 && world.surface_height(130.0).is_none());
    run_for(&mut world, 40.0);
    let [left, right] = [-120.0, 130.0].map(|across| level(&world, across));
    assert!((left - right).abs() < spacing(), "{left} and {right}");
    assert!(left > -100.0, "above the pipe between them: {left}");
}

/// A basin and a hose over its rim, which ends far below it, both full.
fn siphon() -> FluidWorld {
    let mut world = boxed(Vec2::new(250.0, 250.0));
    for (centre, half_size) in
        [((-220.0, 0.0), (4.0, 60.0)), ((-80.0, 0.0), (4.0, 60.0)), ((-150.0, -60.0), (74.0, 4.0))]
    {
        let region = rectangle(centre, half_size);
        wall(&mut world, region.shape().clone(), (region.centre(), Vec2::X));
    }
    let points = [(-110.0, -40.0), (-110.0, 100.0), (0.0, 100.0), (0.0, -180.0)];
    wall(&mut world, pipe(&points, 40.0, 8.0).shape(), UPRIGHT);
    for (centre, half_size) in [
        ((-150.0, 0.0), (70.0, 50.0)),
        ((-110.0, 60.0), (20.0, 100.0)),
        ((-55.0, 100.0), (100.0, 20.0)),
        ((0.0, -20.0), (20.0, 160.0)),
    ] {
        fill(&mut world, rectangle(centre, half_size));
    }
    world
}

#[test]
fn a_siphon_does_not_run_because_no_air_presses_on_its_basin() {
    let mut world = siphon();
    let in_basin = |world: &FluidWorld| {
        world.particles().positions().iter().filter(|at| at.x < -76.0 && at.y < 60.0).count()
    };
    run_for(&mut world, 10.0);
    let left = in_basin(&world);
    run_for(&mut world, 20.0);
    // The basin stands full to its rim, far above the end of the hose.
    assert!(level(&world, -190.0) > 40.0);
    // It may gain a few that fall back from the parted column.
    assert!(in_basin(&world) + 2 >= left, "{left}, then {}", in_basin(&world));
    // The column has parted: of the leg behind the crest hardly a tenth is left.
    let behind =
        world.particles().positions().iter().filter(|at| at.x.abs() < 20.0 && at.y > -170.0);
    let behind = behind.count();
    assert!(behind < 15, "{behind}");
}

#[test]
fn a_ballast_tank_sinks_a_body_and_raises_it() {
    let mut world = boxed(Vec2::new(250.0, 200.0));
    fill(&mut world, rectangle((0.0, -70.0), (250.0, 130.0)));
    // A flat hull on the floor itself would stick to it: a single row of liquid beneath it presses too little.
    for x in [-40.0, 40.0] {
        let foot = Collider::rectangle(Vec2::new(x, -195.0), Vec2::new(5.0, 5.0));
        world.insert_collider(foot.expect("valid"));
    }
    run_for(&mut world, 3.0);
    let shape = FluidShape::Rectangle { half_size: Vec2::new(50.0, 25.0) };
    let hull =
        Body { lock_rotation: true, ..Body::of_density(0.5, &shape, spacing()).expect("valid") };
    let boat = pools::body(shape, Vec2::new(0.0, 100.0), 0.5);
    let boat = boat.with_options(ColliderOptions { body: Some(hull), ..Default::default() });
    let boat = world.insert_collider(boat.expect("valid"));
    let all = world.particles().len() as u64;
    // Room for as much as makes it twice as heavy as water.
    let capacity = (3.0 * hull.mass) as u64;
    let mut ballast = Tank::with_capacity(capacity);
    let around = |world: &FluidWorld| {
        let centre = world.collider(boat).expect("there").centre();
        FluidRegion::rectangle(centre, Vec2::new(80.0, 55.0)).expect("valid")
    };
    let mut inlet = Drain::new(around(&world)).with_rate(60.0).expect("valid");
    let mut jet = Emitter::new(EmitterSettings::pour(60.0, 60.0)).expect("valid");
    let mut heights = Vec::new();
    for (phase, ticks) in [900, 900, 1800].into_iter().enumerate() {
        for _ in 0..ticks {
            inlet.set_region(around(&world));
            if phase == 1 {
                inlet.drain_into(world.liquid_mut(), &mut ballast, TICK).expect("valid");
            } else if phase == 2 {
                // A nozzle within still water finds no room.
                let pose = (Vec2::new(-150.0, 150.0), Vec2::NEG_X);
                jet.emit_from(world.liquid_mut(), &mut ballast, pose, pose, TICK).expect("valid");
            }
            let collider = world.collider(boat).expect("there").clone();
            let mass = hull.mass + ballast.total() as f32;
            let body = Body { mass, ..hull };
            let options = ColliderOptions { body: Some(body), ..collider.options() };
            let loaded: Collider = collider.with_options(options).expect("valid");
            world.set_collider(boat, loaded);
            run_for(&mut world, TICK);
            assert_eq!(world.particles().len() as u64 + ballast.total(), all);
        }
        heights.push(world.collider(boat).expect("there").centre().y);
    }
    assert!(ballast.is_empty());
    assert!(heights[0] > 20.0 && heights[1] < -150.0 && heights[2] > 20.0, "{heights:?}");
}
