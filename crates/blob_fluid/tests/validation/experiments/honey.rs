use blob_fluid::{
    ClassId, ClassTable, ClassViscosity, Container, DensityClass, FluidParameters, FluidSolver,
    FluidWorld, ParticleSpawn, Settling, Viscosity, WallProperties,
};
use glam::Vec2;

use super::dam_break::slope;
use super::run_until;
use crate::page::Finding;
use crate::plot::{Plot, line};

const SPACING: f32 = 3.0;
/// Side of the block that spreads to one side, in world units.
const SIDE: f32 = 150.0;
/// Linear viscosity, in 1/T0.
const LINEAR: f32 = 10.0;

/// How a block of honey spreads.
pub struct Spread {
    /// Times, in seconds, and how far the front is from the wall, in world units.
    front: Vec<(f64, f64)>,
    /// The factor of Huppert's law.
    scale: f64,
    /// The slope of the logarithm of the front over that of the time, once the layer is thin.
    pub slope: f64,
    /// The front over that of the law, once the layer is thin.
    pub ratio: f64,
}

#[expect(
    clippy::disallowed_methods,
    reason = "a law to compare with, not a state; shown to three digits"
)]
impl Spread {
    /// The front of Huppert's law.
    fn law(scale: f64, time: f64) -> f64 {
        1.411 * scale * time.powf(0.2)
    }

    /// Lets a block spread.
    pub fn of(solver: FluidSolver) -> Self {
        let gravity = Vec2::new(0.0, -200.0);
        let viscosity = ClassViscosity { linear: LINEAR, approach: 0.0, quadratic: 0.0 };
        // Some solvers know only the viscosity of the whole liquid.
        let liquid_viscosity =
            Viscosity { linear: LINEAR, approach: 0.0, quadratic: 0.0, ..Default::default() };
        let parameters = FluidParameters {
            solver,
            viscosity: liquid_viscosity,
            settling: Settling::OFF,
            ..FluidParameters::new(SPACING, gravity)
        };
        let honey = DensityClass { viscosity: Some(viscosity), ..Default::default() };
        let mut world = FluidWorld::new(parameters).expect("valid");
        world.set_classes(ClassTable::new(vec![honey]).expect("valid")).expect("no particles yet");
        // Friction holds the liquid at the floor. The wall at the origin is so high that its friction
        // has no effect.
        let half_size = Vec2::new(500.0, 500.0);
        let floor = Container::rectangle(Vec2::new(500.0, 500.0), half_size).and_then(|tank| {
            tank.with_wall(WallProperties { friction: Some(1.0), ..Default::default() })
        });
        world.insert_container(floor.expect("valid"));
        let step = 1.007 * SPACING;
        let rows = (SIDE / step) as usize;
        for number in 0..rows * rows {
            let cell = Vec2::new((number % rows) as f32 + 0.5, (number / rows) as f32 + 0.5);
            let spawn =
                ParticleSpawn { position: cell * step, class: ClassId(0), ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
        let mut front = Vec::new();
        run_until(&mut world, 30.0, |world| {
            let xs = world.particles().positions().iter().map(|position| f64::from(position.x));
            front.push((world.time(), xs.fold(0.0, f64::max)));
        });

        let (d, h) = (f64::from(SPACING), f64::from(parameters.interaction_radius()));
        let per_second = f64::from(LINEAR / parameters.time_unit());
        // The continuum limit of the linear impulses, with n = 1/d^2 particles per area.
        let viscosity = std::f64::consts::PI * per_second * h.powi(4) / (d * d) / 320.0;
        let volume = f64::from(SIDE * SIDE);
        let scale = (200.0 * volume.powi(3) / (3.0 * viscosity)).powf(0.2);
        // The fit begins when the layer is thin.
        let late: Vec<(f64, f64)> =
            front.iter().copied().filter(|(time, _)| *time >= 5.0).collect();
        let logarithms: Vec<(f64, f64)> = late.iter().map(|(t, x)| (t.ln(), x.ln())).collect();
        let over = |(time, x): &(f64, f64)| x / Self::law(scale, *time);
        let ratio = late.iter().map(over).sum::<f64>() / late.len() as f64;
        Self { front, scale, slope: slope(&logarithms), ratio }
    }
}

pub fn run() -> Finding {
    let Spread { front, scale, slope, ratio } = Spread::of(FluidSolver::DoubleDensity);
    let shown: Vec<(f64, f64)> = front.into_iter().filter(|(time, _)| *time >= 0.3).collect();
    let expected = shown.iter().map(|(time, _)| (*time, Spread::law(scale, *time))).collect();
    Finding {
        experiment: "honey",
        description: "A block of 150 by 150 units, as viscous as honey, spreads on a floor that holds it, beside a wall. \
                      Huppert 1982 (J. Fluid Mech. 121): its front goes as the fifth root of the time. From 5 s on.",
        measured: vec![
            ("slope of log(front) over log(time)", slope),
            ("front over Huppert's", ratio),
        ],
        plots: vec![Plot {
            title: "Honey on a floor",
            x: "s",
            y: "front, in world units",
            logarithmic: true,
            series: vec![line("simulated", shown), line("Huppert 1982", expected)],
        }],
    }
}
