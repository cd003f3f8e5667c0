use blob_fluid::measure::{layer_order, measure};
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{ClassId, Container, FluidParameters, FluidWorld, ParticleSpawn};
use glam::Vec2;

use super::run_until;
use crate::page::Finding;

/// Number of pairs of scenes.
const PAIRS: u32 = 10;

pub fn run() -> Finding {
    let left: Vec<[f64; 2]> = (0..PAIRS).map(|seed| outcome(seed, 1.0)).collect();
    let right: Vec<[f64; 2]> = (0..PAIRS).map(|seed| outcome(seed, -1.0)).collect();
    let of = |outcomes: &[[f64; 2]], index: usize| {
        outcomes.iter().map(|outcome| outcome[index]).collect::<Vec<f64>>()
    };
    // The drift of a mirrored scene has the opposite sign.
    let mirrored: Vec<f64> = of(&right, 0).into_iter().map(|drift| -drift).collect();
    Finding {
        experiment: "symmetry",
        description: "Ten small mixed scenes and their mirror images, 15 s each. Small errors grow, so the two scenes of a \
                      pair become different. Their distributions stay equal: the liquid prefers neither side.",
        measured: vec![
            ("drift of mirrored scenes apart, in standard errors", apart(&of(&left, 0), &mirrored)),
            (
                "layer order of mirrored scenes apart, in standard errors",
                apart(&of(&left, 1), &of(&right, 1)),
            ),
        ],
        plots: vec![],
    }
}

/// Horizontal position of the centre, and layer order, after 15 s.
fn outcome(seed: u32, side: f32) -> [f64; 2] {
    let mut world =
        FluidWorld::new(FluidParameters::new(12.5, Vec2::new(0.0, -200.0))).expect("valid");
    world.insert_container(Container::circle(Vec2::ZERO, 300.0).expect("valid"));
    for (index, point) in fermat_spiral(Vec2::ZERO, 270.0, 700).into_iter().enumerate() {
        let number = seed * 1000 + index as u32;
        let class = ClassId((index % 3) as u8);
        let position = point + 2.0 * scatter(number);
        let velocity = 20.0 * scatter(!number);
        let mirror = Vec2::new(side, 1.0);
        let (position, velocity) = (position * mirror, velocity * mirror);
        world
            .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
            .expect("valid");
    }
    run_until(&mut world, 15.0, |_| {});
    [measure(&world).centre_of_mass[0], layer_order(&world)]
}

/// Difference of two means, divided by its standard error.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance_of_mean = |values: &[f64]| {
        let (mean, count) = (mean(values), values.len() as f64);
        values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
            / (count * (count - 1.0))
    };
    (mean(a) - mean(b)).abs() / (variance_of_mean(a) + variance_of_mean(b)).sqrt()
}
