//! The pool of the benchmarks: settled, fifty rows deep, and as wide as its number of particles
//! needs.

use blob_fluid::measure::measure;
use blob_fluid::{
    ClassTable, Container, FluidParameters, FluidSleeping, FluidWorld, ParticleSpawn,
    RayonExecutor, Settling,
};
use glam::Vec2;

/// Numbers of particles of the pools.
#[allow(dead_code, reason = "not all benchmarks go through all sizes")]
pub const SIZES: [usize; 4] = [3_000, 10_000, 30_000, 100_000];

/// Simulated time of a frame, in seconds.
pub const FRAME: f32 = 1.0 / 60.0;

const ROWS: usize = 50;

/// A pool of about that many particles at rest. It prints once what the pool is like.
pub fn settled_pool(particles: usize) -> FluidWorld {
    settled_pool_of(ClassTable::default(), particles)
}

/// The same of the first of other classes.
pub fn settled_pool_of(classes: ClassTable, particles: usize) -> FluidWorld {
    // A pool at rest would sleep, and its frames would cost nothing.
    let parameters = FluidParameters { sleeping: FluidSleeping::OFF, ..FluidParameters::default() };
    let spacing = parameters.particle_spacing;
    let columns = particles / ROWS;
    let width = columns as f32 * spacing * 1.007;
    let mut world = FluidWorld::new(FluidParameters {
        settling: Settling { drag: 1.0, ..Settling::default() },
        ..parameters
    })
    .expect("valid");
    let class = classes.default_class();
    world.set_classes(classes).expect("no particles yet");
    let half_size = Vec2::new(0.5 * width, 50.0 * spacing);
    let container = Container::rectangle(half_size, half_size).expect("valid");
    world.insert_container(container);
    for number in 0..columns * ROWS {
        let cell = Vec2::new((number % columns) as f32, (number / columns) as f32);
        let position = (cell + 0.5) * (1.007 * spacing);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    let executor = RayonExecutor::new(0).expect("threads");
    for _ in 0..120 {
        world.step(FRAME, &executor).expect("valid");
    }
    world.set_parameters(parameters).expect("valid");
    world.step(FRAME, &executor).expect("valid");
    let report = measure(&world);
    println!(
        "pool of {}: {} substeps, {:.1} neighbours, density {:.3} mean, {:.3} max of rest",
        report.particles,
        report.substeps,
        report.mean_neighbours,
        report.density_ratio.mean,
        report.density_ratio.max
    );
    world
}
