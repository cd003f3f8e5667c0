//! Ticks of a pool fifty rows deep in a headless app, on Bevy's compute threads and on one thread:
//! `cargo bench --workspace --bench ticks`.

use std::time::Instant;

use bevy::app::TaskPoolThreadAssignmentPolicy;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::SerialExecutor;
use bevy_blob_fluid::prelude::*;

const ROWS: f32 = 50.0;

/// An app with a pool of that many particles, and compute threads beside the
/// main one.
fn pool(particles: usize, compute_threads: usize) -> App {
    let only = |threads| TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    let task_pool_options = TaskPoolOptions {
        min_total_threads: compute_threads + 2,
        max_total_threads: compute_threads + 2,
        io: only(1),
        async_compute: only(1),
        compute: only(compute_threads),
    };
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.set(TaskPoolPlugin { task_pool_options }),
        TransformPlugin,
        BlobFluidPlugins::default(),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let mut settings = FluidSettings::default();
    settings.parameters.sleeping = FluidSleeping::OFF;
    let spacing = settings.parameters.particle_spacing;
    app.insert_resource(settings);
    let size = Vec2::new(particles as f32 / ROWS, ROWS) * spacing;
    let walls = FluidContainer::from(Rectangle::new(size.x, 2.0 * size.y));
    app.world_mut().spawn((walls, Transform::from_xyz(0.0, 0.5 * size.y, 0.0)));
    let liquid = FluidBlob::from(Rectangle::new(size.x - spacing, size.y - spacing));
    app.world_mut().spawn((liquid, FluidClass::MEDIUM));
    app.finish();
    app.cleanup();
    app
}

/// Median of what comes of so many runs, after some that do not count.
fn median(runs: usize, mut run: impl FnMut() -> f32) -> f32 {
    for _ in 0..30 {
        run();
    }
    let mut times: Vec<f32> = (0..runs).map(|_| run()).collect();
    times.sort_by(f32::total_cmp);
    times[times.len() / 2]
}

/// Times the passes of an app's ticks, and then the same liquid's on the calling thread alone.
fn compare(particles: usize, threads: usize) {
    let mut app = pool(particles, threads);
    let runs = 1_000_000 / particles;
    let threaded = median(runs, || {
        app.update();
        app.world().resource::<FluidStatistics>().passes_milliseconds
    });
    let mut world = (**app.world().resource::<FluidSimulation>()).clone();
    let serial = median(runs, || {
        let begin = Instant::now();
        world.step(1.0 / 64.0, &SerialExecutor).expect("valid");
        1e3 * begin.elapsed().as_secs_f32()
    });
    println!(
        "{} particles: {serial:.2} ms on one thread, {threaded:.2} ms on {}: {:.2} times as fast",
        world.particles().len(),
        threads + 1,
        serial / threaded
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Task pools are made once per process: every number of threads gets a process of its own.
    if let [flag, particles, threads] = &arguments[..]
        && flag == "--case"
    {
        compare(particles.parse().expect("a number"), threads.parse().expect("a number"));
        return;
    }
    let only_try = arguments.iter().any(|argument| argument == "--test");
    let sizes: &[usize] = if only_try { &[3_000] } else { &[3_000, 10_000, 30_000, 100_000] };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let program = std::env::current_exe().expect("it runs");
    for size in sizes {
        let case = [size.to_string(), (cores - 1).max(1).to_string()];
        let status = std::process::Command::new(&program).arg("--case").args(case).status();
        assert!(status.expect("it starts").success());
    }
}
