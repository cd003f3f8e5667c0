use blob_fluid::measure::measure;
use blob_fluid::shape::fermat_spiral;
use blob_fluid::{FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor};
use glam::Vec2;

use super::{run_until, scene};
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
    let mut square = scene("free_blob").start(&SerialExecutor).expect("valid");
    let square_roundness = watch(&mut square, 30.0);
    let at_ten = square_roundness.iter().find(|(t, _)| *t >= 9.99).expect("that late").1;
    let end = measure(&square);

    let mut pair = two_blobs();
    let pair_roundness = watch(&mut pair, 20.0);
    Finding {
        experiment: "weightless blob",
        description: "Without gravity surface tension rounds a square, and joins two discs that are 0.4 radii apart. \
                      Roundness is 4π area / perimeter².",
        measured: vec![
            ("roundness of a square after 10 s", at_ten),
            ("roundness of a square after 30 s", end.roundness),
            ("least spacing after 30 s, h", end.least_spacing),
            ("roundness of two that merged, after 20 s", measure(&pair).roundness),
        ],
        plots: vec![plot(
            "Roundness of weightless blobs",
            "s",
            "roundness",
            vec![line("square", square_roundness), line("two discs", pair_roundness)],
        )],
    }
}

fn two_blobs() -> FluidWorld {
    let parameters = FluidParameters::new(30.0 / 3.8, Vec2::ZERO);
    let mut world = FluidWorld::new(parameters).expect("valid");
    let (h, spacing) = (parameters.interaction_radius(), 1.04 * parameters.particle_spacing);
    let radius = spacing * (500.0 / std::f32::consts::PI).sqrt();
    for side in [-1.0, 1.0] {
        let centre = Vec2::new(side * (radius + 0.2 * h), 0.0);
        for position in fermat_spiral(centre, radius, 500) {
            world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
        }
    }
    world
}

/// Roundness during the run, twice a second.
pub fn watch(world: &mut FluidWorld, seconds: f64) -> Vec<(f64, f64)> {
    let mut found = vec![(0.0, measure(world).roundness)];
    run_until(world, seconds, |world| {
        if world.ticks() % 30 == 0 {
            found.push((world.time(), measure(world).roundness));
        }
    });
    found
}
