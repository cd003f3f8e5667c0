use blob_fluid::{Collider, FluidWorld, Motion};
use glam::Vec2;

use super::{
    SPACING, TICK, angle_of, block, powder, rough_box, run_for, spawn, step, world_of,
};
use crate::page::Finding;

/// The angle in degrees to which a board has been tilted, by a degree a second, when a layer of powder
/// that lies on it has slid by a spacing.
fn sliding_angle(friction_angle: f32) -> f64 {
    let mut world = world_of(vec![powder(friction_angle)]);
    let half_size = Vec2::new(100.0, 2.0) * SPACING;
    let board = Collider::rectangle(Vec2::new(0.0, -half_size.y), half_size).expect("valid");
    let id = world.insert_collider(board);
    block(60, 8).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 5.0);
    let place_of_rear = |world: &FluidWorld| {
        let board = world.collider(id).expect("there");
        let along = board.rotation();
        let ways =
            world.particles().positions().iter().map(|at| (*at - board.centre()).dot(along));
        let mut ways: Vec<f32> = ways.collect();
        // Against gravity is along the board, to the right.
        ways.sort_unstable_by(|a, b| b.total_cmp(a));
        ways[..ways.len() / 4].iter().sum::<f32>() / (ways.len() / 4) as f32
    };
    let before = place_of_rear(&world);
    let motion = Motion { angular_velocity: 1.0_f32.to_radians(), ..Motion::STILL };
    world.set_collider_motion(id, motion).expect("valid");
    let mut ticks = 0_u32;
    while before - place_of_rear(&world) < SPACING && ticks < 60 * 60 {
        step(&mut world);
        ticks += 1;
    }
    f64::from(ticks) * f64::from(TICK)
}

/// The angle of a heap on a board that has been shaken up and down for 20 s, by half a spacing to each
/// side and twice a second, and then stood for 2 s.
#[expect(clippy::disallowed_methods, reason = "an experiment, on one machine")]
fn shaken(friction_angle: f32) -> f64 {
    let mut world = world_of(vec![powder(friction_angle)]);
    let tray = world.insert_container(rough_box(Vec2::new(120.0, 120.0)));
    for place in block(80, 20).filter(|place| place.x.abs() + place.y < 20.0) {
        spawn(&mut world, 0, place);
    }
    run_for(&mut world, 5.0);
    let frequency = std::f32::consts::TAU * 2.0;
    for tick in 0..1200_u16 {
        let phase = frequency * (f32::from(tick) + 0.5) * TICK;
        let velocity = Vec2::new(0.0, 0.5 * SPACING * frequency * phase.cos());
        let motion = Motion { velocity, ..Motion::STILL };
        world.set_container_motion(tray, motion).expect("valid");
        step(&mut world);
    }
    world.set_container_motion(tray, Motion::STILL).expect("valid");
    run_for(&mut world, 2.0);
    angle_of(&world)
}

pub fn run() -> Finding {
    Finding {
        experiment: "powder: boards",
        description: "A layer of powder 60 spacings long and 8 thick on a board that is tilted by a degree a second: the angle at which \
                      the quarter of it that is farthest up has slid by a spacing. A heap with flanks of 45 degrees, 20 spacings \
                      high, on a floor that is shaken up and down for 20 s, by half a spacing to each side and twice a second, which is 3 g.",
        measured: vec![
            ("angle at which a layer slides, setting 20°", sliding_angle(20.0)),
            ("angle at which a layer slides, setting 30°", sliding_angle(30.0)),
            ("angle at which a layer slides, setting 40°", sliding_angle(40.0)),
            ("slope of a shaken heap, setting 30°, degrees", shaken(30.0)),
        ],
        plots: vec![],
    }
}
