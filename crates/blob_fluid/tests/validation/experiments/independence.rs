use blob_fluid::measure::layer_order;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{ClassId, Container, FluidParameters, FluidWorld, ParticleSpawn};
use glam::Vec2;

use super::run_until;
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
    let reference = orders(1.0, Vec2::ZERO);
    let small = orders(0.01, Vec2::ZERO);
    let large = orders(100.0, Vec2::ZERO);
    let far = orders(1.0, Vec2::splat(1e4));
    let apart = |other: &[(f64, f64)]| {
        reference.iter().zip(other).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max)
    };
    Finding {
        experiment: "independence",
        description: "The same mixed scene of 1,200 particles with all lengths times 0.01 and times 100, and elsewhere. The \
                      largest difference of the layer orders after 5, 10, 15 and 20 s.",
        measured: vec![
            ("layer order with lengths × 0.01 apart", apart(&small)),
            ("layer order with lengths × 100 apart", apart(&large)),
            ("layer order 10,000 units from the origin apart", apart(&far)),
        ],
        plots: vec![plot(
            "The same liquid in other units and elsewhere",
            "s",
            "layer order",
            vec![
                line("reference", reference.clone()),
                line("lengths x 0.01", small),
                line("lengths x 100", large),
                line("far from the origin", far),
            ],
        )],
    }
}

/// Layer order every 5 s.
fn orders(length: f32, centre: Vec2) -> Vec<(f64, f64)> {
    let parameters = FluidParameters::new(12.5 * length, Vec2::new(0.0, -200.0 * length));
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_containers(vec![Container::circle(centre, 400.0 * length).expect("valid")]);
    for (index, place) in fermat_spiral(Vec2::ZERO, 360.0, 1200).into_iter().enumerate() {
        let position = centre + place * length;
        let velocity = scatter(index as u32) * (10.0 * length);
        let class = ClassId((index % 3) as u8);
        world
            .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
            .expect("valid");
    }
    let mut found = Vec::new();
    run_until(&mut world, 20.0, |world| {
        if world.ticks() % 300 == 0 {
            found.push((world.time(), layer_order(world)));
        }
    });
    found
}
