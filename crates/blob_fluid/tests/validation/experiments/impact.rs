use blob_fluid::measure::measure;
use blob_fluid::shape::scatter;
use blob_fluid::{Container, FluidParameters, FluidSolver, FluidWorld, ParticleSpawn};
use glam::Vec2;

use super::run_until;
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
    let [slow, fast, fastest] =
        [1000.0, 2000.0, 4000.0].map(|speed| energies(speed, FluidSolver::default()));
    Finding {
        experiment: "impact",
        description: "A block of 30 by 30 particles hits the floor. Nothing may gain kinetic energy from it.",
        measured: vec![
            ("largest energy over that before, 1000 px/s", largest(&slow)),
            ("largest energy over that before, 2000 px/s", largest(&fast)),
            ("largest energy over that before, 4000 px/s", largest(&fastest)),
        ],
        plots: vec![plot(
            "Energy of a block that hits the floor",
            "s",
            "kinetic energy over that before",
            vec![line("1000 px/s", slow), line("2000 px/s", fast), line("4000 px/s", fastest)],
        )],
    }
}

/// The largest of some energies.
pub fn largest(energies: &[(f64, f64)]) -> f64 {
    energies.iter().map(|energy| energy.1).fold(0.0, f64::max)
}

/// Times, and kinetic energies over that before the impact.
pub fn energies(speed: f32, solver: FluidSolver) -> Vec<(f64, f64)> {
    let parameters = FluidParameters { solver, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let floor = Container::rectangle(Vec2::new(0.0, 5e4), Vec2::new(1000.0, 5e4));
    world.insert_container(floor.expect("valid"));
    let spacing = 1.05 * world.parameters().particle_spacing;
    for number in 0..900 {
        let cell = Vec2::new((number % 30) as f32 - 14.5, (number / 30) as f32);
        let position = Vec2::new(0.0, 20.0) + (cell + 0.01 * scatter(number)) * spacing;
        let velocity = Vec2::new(0.0, -speed);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    let before = measure(&world).kinetic_energy;
    let mut found = vec![(0.0, 1.0)];
    run_until(&mut world, 3.0, |world| {
        found.push((world.time(), measure(world).kinetic_energy / before));
    });
    found
}
