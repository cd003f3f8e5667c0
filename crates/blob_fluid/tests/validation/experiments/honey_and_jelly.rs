//! Thick and elastic liquids: honey, jelly and putty.

use blob_fluid::shape::scatter;
use blob_fluid::*;
use glam::{DVec2, Vec2};

use super::compared::slope;
use super::run_until;
use crate::page::Finding;
use crate::plot::{Plot, line, plot, points};

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

pub fn honey() -> Finding {
    let Spread { front, scale, slope, ratio } = Spread::of(FluidSolver::DoubleDensity);
    let shown: Vec<(f64, f64)> = front.into_iter().filter(|(time, _)| *time >= 0.3).collect();
    let expected = shown.iter().map(|(time, _)| (*time, Spread::law(scale, *time))).collect();
    Finding {
        experiment: "honey",
        description: "A block of 150 by 150 units, as viscous as honey, spreads on a floor that holds it, beside a \
                      wall. According to Huppert 1982 (J. Fluid Mech. 121), the front grows with the fifth root of \
                      the time. The front is compared from 5 s on.",
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

// Jelly and putty.

pub fn jelly_and_putty() -> Finding {
    let (mut jelly, before) = fallen_block(FluidElasticity::default());
    let weightless = FluidParameters { gravity: Vec2::ZERO, ..*jelly.parameters() };
    jelly.set_parameters(weightless).expect("valid");
    run_until(&mut jelly, 28.0, |_| {});
    let relieved = residual(&before, &places(&jelly));

    let (putty, putty_before) =
        fallen_block(FluidElasticity { plasticity: 4.0, ..FluidElasticity::default() });
    let spread = places(&putty);
    Finding {
        experiment: "jelly and putty",
        description: "A square block of 24 by 24 particles becomes elastic at rest, falls on a floor and stays \
                      there for 20 s. Then gravity on a jelly is turned off for 8 s; putty (plasticity 4/T0) \
                      stays on the floor for these 8 s. The shape before these 8 s is turned and shifted to fit \
                      the shape after them best. The residual is the rms distance between the two shapes, divided \
                      by the size of the first.",
        measured: vec![
            ("residual of a jelly's shape after its load", relieved),
            ("width of putty over that before", width(&spread) / width(&putty_before)),
            ("residual of putty's shape", residual(&putty_before, &spread)),
        ],
        plots: vec![plot(
            "Jelly and putty",
            "x",
            "y",
            vec![points("jelly", pairs(&places(&jelly))), points("putty", pairs(&spread))],
        )],
    }
}

fn pairs(indices: &[DVec2]) -> Vec<(f64, f64)> {
    indices.iter().map(|index| (index.x, index.y)).collect()
}

/// The block after 20 s on the floor, and the positions of its particles before the fall.
fn fallen_block(elasticity: FluidElasticity) -> (FluidWorld, Vec<DVec2>) {
    let class = |elasticity| {
        ClassTable::new(vec![DensityClass { elasticity, ..Default::default() }]).expect("valid")
    };
    let resting = FluidParameters::default();
    // The block is weightless but damped. Gravity is too weak to have an effect, but keeps the drag
    // switched on.
    let settling = Settling { drag: 0.6, ..Settling::OFF };
    let calming = FluidParameters { gravity: Vec2::new(0.0, -1e-3), settling, ..resting };
    let mut world = FluidWorld::new(calming).expect("valid");
    world.set_classes(class(None)).expect("no particles yet");
    let half_size = Vec2::new(10.0 * resting.interaction_radius(), 1000.0);
    let floor = Container::rectangle(Vec2::new(0.0, 1000.0), half_size).expect("valid");
    world.insert_container(floor);
    let spacing = 1.007 * resting.particle_spacing;
    for number in 0..24 * 24 {
        let cell = Vec2::new((number % 24) as f32 - 11.5, (number / 24) as f32 + 0.5);
        let position = Vec2::new(0.0, 100.0) + (cell + 0.01 * scatter(number)) * spacing;
        let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    run_until(&mut world, 5.0, |_| {});
    world.set_parameters(resting).expect("valid");
    world.set_classes(class(Some(elasticity))).expect("as many");
    world.reset_clock();
    let before = places(&world);
    run_until(&mut world, 20.0, |_| {});
    (world, before)
}

fn places(world: &FluidWorld) -> Vec<DVec2> {
    let particles = world.particles();
    particles.indices_by_slot().map(|index| particles.positions()[index].as_dvec2()).collect()
}

fn width(indices: &[DVec2]) -> f64 {
    let xs = || indices.iter().map(|index| index.x);
    xs().fold(f64::MIN, f64::max) - xs().fold(f64::MAX, f64::min)
}

/// Distance between positions and a rotated and shifted copy of others, relative to their size.
fn residual(before: &[DVec2], after: &[DVec2]) -> f64 {
    let mean = |points: &[DVec2]| points.iter().sum::<DVec2>() / points.len() as f64;
    let (from, to) = (mean(before), mean(after));
    let (mut cos, mut sin, mut a, mut b) = (0.0, 0.0, 0.0, 0.0);
    for (p, q) in before.iter().zip(after) {
        let (p, q) = (*p - from, *q - to);
        cos += p.dot(q);
        sin += p.perp_dot(q);
        a += p.length_squared();
        b += q.length_squared();
    }
    ((a + b - 2.0 * (cos * cos + sin * sin).sqrt()).max(0.0) / a).sqrt()
}
