//! Ticks of a pool fifty rows deep in a headless app, on Bevy's compute threads and on one thread, and
//! of a pool that sleeps but for one end, beside the core's own:
//! `cargo bench --workspace --bench ticks`.

use std::time::Instant;

use bevy::app::TaskPoolThreadAssignmentPolicy;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::{FluidWorld, SerialExecutor};
use bevy_blob_fluid::prelude::*;

const ROWS: f32 = 50.0;

/// An app with a pool of that many particles that does not sleep, and compute threads beside the main
/// one.
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
    middle((0..runs).map(|_| run()).collect())
}

fn middle(mut times: Vec<f32>) -> f32 {
    times.sort_by(f32::total_cmp);
    times[times.len() / 2]
}

/// Milliseconds of a tick of the core alone, on the calling thread.
fn step(world: &mut FluidWorld) -> f32 {
    let begin = Instant::now();
    world.step(1.0 / 64.0, &SerialExecutor).expect("valid");
    1e3 * begin.elapsed().as_secs_f32()
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
    let serial = median(runs, || step(&mut world));
    println!(
        "{} particles: {serial:.2} ms on one thread, {threaded:.2} ms on {}: {:.2} times as fast",
        world.particles().len(),
        threads + 1,
        serial / threaded
    );
}

/// Times whole ticks of an app on two threads, and those of the same liquid in the core alone on one.
/// All of it sleeps but for one end that a force stirs: about 8 % of 100,000 particles.
fn compare_mostly_asleep(particles: usize) {
    // Bevy needs at least one compute thread, which works beside the calling one.
    let mut app = pool(particles, 1);
    let change = |app: &mut App, how: fn(&mut FluidSettings)| {
        how(&mut app.world_mut().resource_mut::<FluidSettings>());
    };
    change(&mut app, |settings| settings.parameters.settling.drag = 1.0);
    (0..120).for_each(|_| app.update());
    change(&mut app, |settings| {
        settings.parameters.settling = default();
        settings.parameters.sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
    });
    (0..60).for_each(|_| app.update());
    let spacing = app.world().resource::<FluidSettings>().parameters.particle_spacing;
    let corner = Vec2::new(particles as f32 / ROWS, ROWS) * (-0.5 * spacing);
    let stirred = (corner + 260.0).extend(0.0);
    let force = FluidForce { drag: 0.0, ..FluidForce::attract(260.0, 100.0) };
    app.world_mut().spawn((force, Transform::from_translation(stirred)));
    (0..180).for_each(|_| app.update());
    let mut world = (**app.world().resource::<FluidSimulation>()).clone();
    // They take turns, because the speed of the machine may change.
    let (mut ticks, mut steps) = (Vec::new(), Vec::new());
    for _ in 0..if particles < 100_000 { 10 } else { 120 } {
        app.update();
        ticks.push(app.world().resource::<FluidStatistics>().tick_milliseconds);
        steps.push(step(&mut world));
    }
    let hash = app.world().resource::<FluidSimulation>().state_hash();
    assert_eq!(hash, world.state_hash(), "both are the same liquid");
    let (tick, step) = (middle(ticks), middle(steps));
    let (asleep, all) = (world.asleep(), world.particles().len());
    println!(
        "{all} particles, {:.1} % awake: {tick:.2} ms in the app on two threads, {step:.2} ms in the \
         core alone on one: {:.2} times as long",
        100.0 * (all - asleep) as f32 / all as f32,
        tick / step
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
    if let [flag, particles] = &arguments[..]
        && flag == "--asleep"
    {
        compare_mostly_asleep(particles.parse().expect("a number"));
        return;
    }
    let only_try = arguments.iter().any(|argument| argument == "--test");
    let sizes: &[usize] = if only_try { &[3_000] } else { &[3_000, 10_000, 30_000, 100_000] };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let program = std::env::current_exe().expect("it runs");
    let run = |arguments: &[String]| {
        let status = std::process::Command::new(&program).args(arguments).status();
        assert!(status.expect("it starts").success());
    };
    for size in sizes {
        run(&["--case".into(), size.to_string(), (cores - 1).max(1).to_string()]);
    }
    // Until most of it sleeps takes minutes without optimisation.
    if !only_try {
        run(&["--asleep".into(), "100000".into()]);
    }
}
