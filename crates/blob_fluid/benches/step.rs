//! Time of a frame: 1/60 s of simulated time, with all its substeps.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

mod pool;

use std::hint::black_box;
use std::time::Duration;

use blob_fluid::scene::Scene;
use blob_fluid::{
    Executor, FluidParameters, FluidSleeping, FluidWorld, Force, RayonExecutor, SerialExecutor,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec2;

use pool::{FRAME, SIZES, settled_pool};

fn step(world: &mut FluidWorld, executor: &dyn Executor) {
    black_box(world.step(FRAME, executor)).expect("valid");
}

fn pools(criterion: &mut Criterion) {
    let two = RayonExecutor::new(2).expect("threads");
    let mut group = criterion.benchmark_group("frame");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    for size in SIZES {
        let settled = settled_pool(size);
        group.throughput(Throughput::Elements(size as u64));
        let mut world = settled.clone();
        group.bench_function(BenchmarkId::new("one thread", size), |bencher| {
            bencher.iter(|| step(&mut world, &SerialExecutor));
        });
        let mut world = settled;
        group.bench_function(BenchmarkId::new("two threads", size), |bencher| {
            bencher.iter(|| step(&mut world, &two));
        });
    }
    group.finish();
}

/// A pool at rest that is asleep, and a pool that a splash has woken in part.
fn sleeping(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sleeping, one thread");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for size in &SIZES[1..] {
        let mut world = settled_pool(*size);
        let sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
        let parameters = FluidParameters { sleeping, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        for _ in 0..60 {
            step(&mut world, &SerialExecutor);
        }
        assert_eq!(world.asleep(), *size);
        group.bench_function(BenchmarkId::new("all asleep", size), |bencher| {
            bencher.iter(|| step(&mut world, &SerialExecutor));
        });
        let force = Force::attract(Vec2::splat(60.0), 60.0, 100.0).expect("valid");
        world.set_forces(&[force]).expect("valid");
        for _ in 0..60 {
            step(&mut world, &SerialExecutor);
        }
        println!("pool of {size}, stirred in a corner: {} asleep", world.asleep());
        group.bench_function(BenchmarkId::new("stirred in a corner", size), |bencher| {
            bencher.iter(|| step(&mut world, &SerialExecutor));
        });
    }
    group.finish();
}

fn stratification(criterion: &mut Criterion) {
    let text = include_str!("../../../assets/scenes/stratification.scene.ron");
    let scene = Scene::from_ron(text).expect("a valid scene");
    let mut group = criterion.benchmark_group("stratification, 3000 particles, one thread");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    for seconds in [2.0, 20.0] {
        let mut world = scene.start(&SerialExecutor).expect("a valid scene");
        while world.time() < seconds {
            world.step(FRAME, &SerialExecutor).expect("valid");
        }
        group.bench_function(BenchmarkId::new("frame after seconds", seconds), |bencher| {
            bencher.iter(|| step(&mut world, &SerialExecutor));
        });
    }
    group.finish();
}

/// Viscous, elastic, warm and reacting classes, after ten seconds.
fn materials(criterion: &mut Criterion) {
    let folder = "../../assets/scenes";
    let mut group = criterion.benchmark_group("materials, one thread");
    group.sample_size(20).measurement_time(Duration::from_secs(3));
    for name in ["materials", "lava_meets_water"] {
        let path = format!("{folder}/{name}.scene.ron");
        let scene = Scene::read(path.as_ref()).expect("a valid scene");
        let mut world = scene.start(&SerialExecutor).expect("a valid scene");
        while world.time() < 10.0 {
            world.step(FRAME, &SerialExecutor).expect("valid");
        }
        group.bench_function(BenchmarkId::new("frame", name), |bencher| {
            bencher.iter(|| step(&mut world, &SerialExecutor));
        });
    }
    group.finish();
}

criterion_group!(benches, pools, sleeping, stratification, materials);
criterion_main!(benches);
