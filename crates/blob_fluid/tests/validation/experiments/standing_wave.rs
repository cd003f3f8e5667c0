use blob_fluid::{Container, FluidParameters, FluidSolver, FluidWorld, ParticleSpawn, Settling};
use glam::Vec2;

use super::dam_break::slope;
use super::run_until;
use crate::page::Finding;
use crate::plot::{Series, line, plot};

/// Slope of the surface at the beginning of the wave.
const TILT: f32 = 0.05;

pub fn run() -> Finding {
    // Depth and width, in particles.
    let wave = |name, rows, columns| wave(name, rows, columns, FluidSolver::default());
    let (flat, flat_wave) = wave("h/L = 0.1", 20, 200);
    let (middle, middle_wave) = wave("h/L = 0.2", 26, 130);
    let (half, half_wave) = wave("h/L = 0.5", 40, 80);
    let (deep, deep_wave) = wave("h/L = 1", 80, 80);
    Finding {
        experiment: "standing wave",
        description: "A tank of length L stands tilted until the liquid of depth h is calm, then upright and without drag. \
                      The centre of the liquid rocks with the period T of the tank's first mode, taken from where it \
                      passes the middle.",
        measured: vec![
            ("T √(g/L), h/L = 0.1", flat),
            ("T √(g/L), h/L = 0.2", middle),
            ("T √(g/L), h/L = 0.5", half),
            ("T √(g/L), h/L = 1", deep),
        ],
        plots: vec![plot(
            "Standing waves",
            "t sqrt(g/L)",
            "centre of the liquid, relative to its first place",
            vec![flat_wave, middle_wave, half_wave, deep_wave],
        )],
    }
}

/// `T sqrt(g/L)` of a tank, and the motion of its liquid's centre.
pub fn wave(name: &'static str, rows: usize, columns: usize, solver: FluidSolver) -> (f64, Series) {
    let resting = FluidParameters { solver, ..FluidParameters::default() };
    let spacing = 1.007 * resting.particle_spacing;
    let length = spacing * columns as f32;
    let gravity = resting.gravity.length();
    let tilted = FluidParameters {
        gravity: gravity * Vec2::new(TILT, -1.0).normalize(),
        settling: Settling { drag: 0.3, ..Settling::default() },
        ..resting
    };
    let mut world = FluidWorld::new(tilted).expect("valid");
    let half_size = Vec2::new(0.5 * length, 2.0 * length.max(spacing * rows as f32));
    let tank = Container::rectangle(Vec2::new(0.0, half_size.y), half_size).expect("valid");
    world.insert_container(tank);
    for number in 0..rows * columns {
        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
        let position = (cell + 0.5) * spacing - Vec2::new(0.5 * length, 0.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("valid");
    }
    run_until(&mut world, 20.0, |_| {});
    let upright = FluidParameters { settling: Settling::OFF, ..resting };
    world.set_parameters(upright).expect("valid");
    world.reset_clock();

    let unit = f64::from((length / gravity).sqrt());
    let first = centre(&world);
    let mut indices = vec![(0.0, 1.0)];
    run_until(&mut world, 18.0 * unit, |world| {
        indices.push((world.time() / unit, centre(world) / first));
    });
    // The centre passes the middle in every half period.
    let crossings: Vec<f64> = indices
        .windows(2)
        .filter(|pair| (pair[0].1 > 0.0) != (pair[1].1 > 0.0))
        .map(|pair| {
            let ((t0, x0), (t1, x1)) = (pair[0], pair[1]);
            t0 + (t1 - t0) * x0 / (x0 - x1)
        })
        .collect();
    let numbered: Vec<(f64, f64)> =
        crossings.iter().take(5).enumerate().map(|(n, t)| (n as f64, *t)).collect();
    (2.0 * slope(&numbered), line(name, indices))
}

/// Mean x coordinate.
fn centre(world: &FluidWorld) -> f64 {
    let positions = world.particles().positions();
    positions.iter().map(|position| f64::from(position.x)).sum::<f64>() / positions.len() as f64
}
