//! Ticks of a headless app, beside those of the same liquid in the core alone on one thread: of a pool
//! fifty rows deep, and of one that sleeps but for one end: `cargo bench --workspace --bench ticks`.

use std::time::Instant;

use bevy::app::TaskPoolThreadAssignmentPolicy;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::{FluidWorld, SerialExecutor};
use bevy_blob_fluid::prelude::*;

const ROWS: f32 = 50.0;

/// Radius of the force that stirs an end of a pool that sleeps.
const STIRRED: f32 = 180.0;

/// Names of the cases: each is measured in a process of its own.
const AWAKE: &str = "--awake";
const ASLEEP: &str = "--asleep";

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

/// Milliseconds of a tick of the core alone, on the calling thread.
fn step(world: &mut FluidWorld) -> f32 {
    let begin = Instant::now();
    world.step(1.0 / 64.0, &SerialExecutor).expect("valid");
    1e3 * begin.elapsed().as_secs_f32()
}

fn median(mut times: Vec<f32>) -> f32 {
    times.sort_by(f32::total_cmp);
    times[times.len() / 2]
}

/// Times so many ticks of an app, and as many of the same liquid in the core alone on one thread.
fn compare(mut app: App, threads: usize, ticks: usize) {
    let mut world = (**app.world().resource::<FluidSimulation>()).clone();
    let (mut steps, mut whole, mut passes) = (Vec::new(), Vec::new(), Vec::new());
    // They take turns, because the speed of the machine may change.
    for _ in 0..ticks {
        steps.push(step(&mut world));
        app.update();
        let statistics = app.world().resource::<FluidStatistics>();
        whole.push(statistics.tick_milliseconds);
        passes.push(statistics.passes_milliseconds);
    }
    let hash = app.world().resource::<FluidSimulation>().state_hash();
    assert_eq!(hash, world.state_hash(), "both are the same liquid");
    let rest = whole.iter().zip(&passes).map(|(whole, passes)| whole - passes).collect();
    let (step, tick) = (median(steps), median(whole));
    let (asleep, all) = (world.asleep(), world.particles().len());
    println!(
        "{all} particles, {:.1} % awake: {step:.2} ms in the core alone on one thread, {tick:.2} ms in \
         the app on {threads}, {:.2} times as long: {:.2} ms for the passes, {:.3} ms for the rest",
        100.0 * (all - asleep) as f32 / all as f32,
        tick / step,
        median(passes),
        median(rest),
    );
}

/// Compares a pool all of which is awake.
fn compare_awake(particles: usize, compute_threads: usize) {
    let mut app = pool(particles, compute_threads);
    (0..30).for_each(|_| app.update());
    compare(app, compute_threads + 1, (1_000_000 / particles).max(30));
}

/// Compares a pool that sleeps but for one end that a force stirs: about 8 % of 100,000 particles.
fn compare_mostly_asleep(particles: usize, compute_threads: usize) {
    let mut app = pool(particles, compute_threads);
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
    let force = FluidForce { drag: 0.0, ..FluidForce::attract(STIRRED, 100.0) };
    app.world_mut().spawn((force, Transform::from_translation((corner + STIRRED).extend(0.0))));
    (0..180).for_each(|_| app.update());
    compare(app, compute_threads + 1, 120);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Task pools are made once per process: every number of threads gets a process of its own.
    if let [case, particles, threads] = &arguments[..] {
        let compare = if case == ASLEEP { compare_mostly_asleep } else { compare_awake };
        compare(particles.parse().expect("a number"), threads.parse().expect("a number"));
        return;
    }
    let only_try = arguments.iter().any(|argument| argument == "--test");
    let sizes: &[usize] = if only_try { &[3_000] } else { &[3_000, 10_000, 30_000, 100_000] };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let program = std::env::current_exe().expect("it runs");
    // Bevy needs at least one compute thread, which works beside the calling one.
    let threads = (cores - 1).max(1).to_string();
    let run = |case: &str, particles: usize| {
        let arguments = [case, &particles.to_string(), &threads];
        let status = std::process::Command::new(&program).args(arguments).status();
        assert!(status.expect("it starts").success());
    };
    for size in sizes {
        run(AWAKE, *size);
    }
    // Until most of it sleeps takes minutes without optimisation.
    if !only_try {
        run(ASLEEP, 100_000);
    }
}
