//! Independence of results from units, resolution and side, and the free flight of a particle.

use blob_fluid::measure::{layer_order, measure};
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use super::compared::{DamBreak, at};
use super::{TICK, run_until, scene};
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

pub fn independence() -> Finding {
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
        description: "A mixed scene of 1,200 particles runs again: with all lengths times 0.01 and 100, in other \
                      units, and at other tick rates. The scene also runs 10,000 units from the origin. Each \
                      measure is the largest difference of the layer orders at equal times in T0. These times are \
                      5, 10, 15 and 20 s of the reference.",
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

// Convergence.

pub fn convergence() -> Finding {
    let front = |particles: usize| {
        let scene = scene("dam_break").with_particles(particles).expect("valid");
        DamBreak::of(&scene).front
    };
    let [coarse, middle, fine] = [800, 3200, 12800].map(front);
    // Returns the difference between two fronts while they move, in widths.
    let distance = |a: &[(f64, f64)], b: &[(f64, f64)]| {
        let times = (10..=29).map(|tenth| f64::from(tenth) / 10.0);
        let squares = times.map(|time| (at(a, time) - at(b, time)).powi(2));
        (squares.sum::<f64>() / 20.0).sqrt()
    };
    let ratio = distance(&middle, &fine) / distance(&coarse, &middle);
    Finding {
        experiment: "convergence",
        description: "The dam break runs with 800, 3,200 and 12,800 particles. The finer the particles, the \
                      smaller the difference from the next resolution.",
        measured: vec![("front: difference of 2× and 1× spacing over that of 4× and 2×", ratio)],
        plots: vec![plot(
            "Front of a dam break by resolution",
            "s",
            "front, in widths a",
            vec![line("800", coarse), line("3,200", middle), line("12,800", fine)],
        )],
    }
}

// Symmetry.

/// Number of pairs of scenes.
const PAIRS: u32 = 10;

pub fn symmetry() -> Finding {
    let left: Vec<[f64; 2]> = (0..PAIRS).map(|seed| outcome(seed, 1.0)).collect();
    let right: Vec<[f64; 2]> = (0..PAIRS).map(|seed| outcome(seed, -1.0)).collect();
    let of = |outcomes: &[[f64; 2]], index: usize| {
        outcomes.iter().map(|outcome| outcome[index]).collect::<Vec<f64>>()
    };
    // The drift of a mirrored scene has the opposite sign.
    let mirrored: Vec<f64> = of(&right, 0).into_iter().map(|drift| -drift).collect();
    Finding {
        experiment: "symmetry",
        description: "Ten small mixed scenes and their mirror images run for 15 s each. Small errors grow, so the two \
                      scenes of a pair become different. The distributions of the two scenes stay equal: the liquid \
                      prefers neither side.",
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

// Free flight.

/// Number of ticks, of one substep each.
const TICKS: u32 = 300;

pub fn free_flight() -> Finding {
    let settling = Settling::OFF;
    let parameters = FluidParameters { settling, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let velocity = Vec2::new(60.0, 490.0);
    world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
    let (dt, gravity) = (f64::from(TICK), parameters.gravity.as_dvec2());
    // Every tick adds to the velocity and to the position, and each sum and each product rounds by
    // at most half an epsilon. An error of the velocity changes the position in all later ticks.
    let half = 0.5 * f64::from(f32::EPSILON);
    let (mut bound, mut velocity_bound, mut worst) = (0.0, 0.0, 0.0_f64);
    for tick in 1..=TICKS {
        world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(world.substeps(), 1);
        let n = f64::from(tick);
        // Semi-implicit Euler is ahead of the parabola by g dt t/2.
        let speed = velocity.as_dvec2() + gravity * (n * dt);
        let point: DVec2 =
            velocity.as_dvec2() * (n * dt) + gravity * (0.5 * dt * dt * n * (n + 1.0));
        // At the end of a substep the displacement over the time step is added again; it is 0 here.
        velocity_bound += half * (2.0 * gravity.length() * dt + speed.length());
        bound += dt * velocity_bound + half * (2.0 * speed.length() * dt + point.length());
        let error = (world.particles().positions()[0].as_dvec2() - point).length();
        worst = worst.max(error / bound);
    }
    Finding {
        experiment: "free flight",
        description: "One particle is thrown, without drag. Its orbit is that of semi-implicit Euler, which is known \
                      exactly: `x0 + v0 t + g t (t + dt)/2`.",
        measured: vec![("distance from the exact orbit, in rounding errors", worst)],
        plots: vec![],
    }
}
