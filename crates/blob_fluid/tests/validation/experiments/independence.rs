use blob_fluid::measure::layer_order;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, Container, FluidParameters, FluidSleeping, FluidWorld, ParticleSpawn, SerialExecutor,
};
use glam::Vec2;

use crate::page::Finding;
use crate::plot::{line, plot};

/// A description of the same liquid in other units.
#[derive(Clone, Copy)]
struct Units {
    /// Number of world units in one pixel of the reference.
    length: f32,
    /// Magnitude of gravity, in these world units/s².
    gravity: f32,
    ticks_per_second: f32,
    centre: Vec2,
}

const PIXELS: Units =
    Units { length: 1.0, gravity: 200.0, ticks_per_second: 60.0, centre: Vec2::ZERO };

pub fn run() -> Finding {
    let reference = orders(PIXELS);
    let small = orders(Units { length: 0.01, gravity: 2.0, ..PIXELS });
    let large = orders(Units { length: 100.0, gravity: 20_000.0, ..PIXELS });
    let far = orders(Units { centre: Vec2::splat(1e4), ..PIXELS });
    let others = [
        Units { length: 0.01, gravity: 9.81, ..PIXELS },
        Units { length: 0.00005, gravity: 9.81, ticks_per_second: 240.0, ..PIXELS },
        Units { ticks_per_second: 30.0, ..PIXELS },
        Units { ticks_per_second: 144.0, ..PIXELS },
        Units { gravity: 800.0, ticks_per_second: 144.0, ..PIXELS },
    ];
    let apart = |other: &[(f64, f64)]| {
        reference.iter().zip(other).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max)
    };
    let others = others.map(|units| apart(&orders(units))).into_iter().fold(0.0, f64::max);
    Finding {
        experiment: "independence",
        description: "The same mixed scene of 1,200 particles with all lengths times 0.01 and times 100, in other unit \
                      systems and at other rates, and elsewhere. The largest difference of the layer orders at equal times \
                      in T0, which are 5, 10, 15 and 20 s of the reference.",
        measured: vec![
            ("layer order with lengths × 0.01 apart", apart(&small)),
            ("layer order with lengths × 100 apart", apart(&large)),
            ("layer order in metres, in a 4 cm tank, at 30 and 144 Hz, at 4 g apart", others),
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

/// Layer order every 5 s of the reference's time.
fn orders(units: Units) -> Vec<(f64, f64)> {
    let Units { length, gravity, ticks_per_second, centre } = units;
    let parameters = FluidParameters {
        sleeping: FluidSleeping::OFF,
        ..FluidParameters::new(12.5 * length, Vec2::new(0.0, -gravity))
    };
    // T0 relative to that of the reference.
    let time = (length * PIXELS.gravity / gravity).sqrt();
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.insert_container(Container::circle(centre, 400.0 * length).expect("valid"));
    for (index, point) in fermat_spiral(Vec2::ZERO, 360.0, 1200).into_iter().enumerate() {
        let position = centre + point * length;
        let velocity = scatter(index as u32) * (10.0 * length / time);
        let class = ClassId((index % 3) as u8);
        world
            .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
            .expect("valid");
    }
    let mut taken = 0;
    let found = [5.0_f32, 10.0, 15.0, 20.0].map(|at| {
        let ticks = (at * time * ticks_per_second).round() as u32;
        for _ in taken..ticks {
            world.step(1.0 / ticks_per_second, &SerialExecutor).expect("valid");
        }
        taken = ticks;
        (f64::from(at), layer_order(&world))
    });
    found.to_vec()
}
