use blob_fluid::shape::scatter;
use blob_fluid::{FluidWorld, ParticleSpawn};
use glam::Vec2;

use super::{SPACING, angle_of, block, creep, on_a_floor, run_for, spawn, step};
use crate::page::Finding;

/// Grains that fall at a time while a heap is poured.
const STREAM: usize = 4;

/// Pours a heap of `count` grains, a few at a time from a little above its top.
fn pour(world: &mut FluidWorld, count: usize, seed: u32) {
    let speed = world.parameters().speed_unit();
    for number in 0..count.div_ceil(STREAM) {
        let particles = world.particles();
        let settled = particles.positions().iter().zip(particles.velocities());
        let settled = settled
            .filter(|(at, v)| at.x.abs() < 5.0 * SPACING && v.length() < 1.5 * speed)
            .fold(0.0_f32, |top, (at, _)| top.max(at.y));
        for place in 0..STREAM {
            let jitter = scatter(seed.wrapping_mul(7919) + (number * STREAM + place) as u32);
            let across = place as f32 - 0.5 * (STREAM - 1) as f32;
            let position = Vec2::new(across, 4.0 + settled / SPACING) + 0.05 * jitter;
            let (position, velocity) = (position * SPACING, Vec2::new(0.0, -1.5 * speed));
            world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
        }
        (0..6).for_each(|_| step(world));
    }
}

/// A heap that was poured and has stood for 20 s.
fn poured(friction_angle: f32, count: usize, seed: u32) -> FluidWorld {
    let mut world = on_a_floor(friction_angle);
    pour(&mut world, count, seed);
    run_for(&mut world, 20.0);
    world
}

/// The mean angle of poured heaps of two sizes and three seeds each, and the largest creep of the
/// smaller ones in the next 60 s, in world units/s.
fn angle_and_creep(friction_angle: f32) -> (f64, f64) {
    let (mut angles, mut fastest) = (0.0, 0.0_f64);
    for seed in 1..=3 {
        let mut small = poured(friction_angle, 900, seed);
        angles += angle_of(&small) + angle_of(&poured(friction_angle, 1600, seed));
        fastest = fastest.max(creep(&mut small, 60.0));
    }
    (angles / 6.0, fastest)
}

/// The mean speed, in world units/s, at which the heap that a column 20 wide and high has become moves
/// between 20 and 60 s.
fn creep_of_column(friction_angle: f32) -> f64 {
    let mut world = on_a_floor(friction_angle);
    block(20, 20).for_each(|place| spawn(&mut world, 0, place));
    run_for(&mut world, 20.0);
    creep(&mut world, 40.0)
}

pub fn run() -> Finding {
    let [(angle_20, creep_20), (angle_30, creep_30), (angle_40, creep_40)] =
        [20.0, 30.0, 40.0].map(angle_and_creep);
    Finding {
        experiment: "powder: heaps",
        description: "Heaps of 900 and 1,600 grains are poured on a rough floor, three of each; their slope between 20 and 80 % of the \
                      height is the friction angle's. Once the smaller ones have stood for 20 s their creep is measured for 60 s: the \
                      fastest counts. Columns of 20 by 20 grains collapse, and the heaps that they become stand still.",
        measured: vec![
            ("angle of repose, setting 20°", angle_20),
            ("angle of repose, setting 30°", angle_30),
            ("angle of repose, setting 40°", angle_40),
            ("creep of a poured heap, setting 20°, px/s", creep_20),
            ("creep of a poured heap, setting 30°, px/s", creep_30),
            ("creep of a poured heap, setting 40°, px/s", creep_40),
            ("creep of a collapsed column, setting 20°, px/s", creep_of_column(20.0)),
            ("creep of a collapsed column, setting 30°, px/s", creep_of_column(30.0)),
            ("creep of a collapsed column, setting 40°, px/s", creep_of_column(40.0)),
        ],
        plots: vec![],
    }
}
