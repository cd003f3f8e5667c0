//! Each pass of one substep, on one and two threads where it can use them.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

mod pool;

use std::time::Duration;

use blob_fluid::{
    Bounds, ClassTable, DensityClass, Elasticity, FluidWorld, Force, Pass, RayonExecutor,
    SerialExecutor,
};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::Vec2;

use pool::{FRAME, SIZES, settled_pool};

fn passes(criterion: &mut Criterion) {
    let two = RayonExecutor::new(2).expect("threads");
    let mut group = criterion.benchmark_group("pass");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for size in SIZES {
        let mut world = settled_pool(size);
        world.begin_tick(FRAME, &SerialExecutor).expect("valid");
        // Those before a pass make the state it is timed on.
        for pass in Pass::ALL {
            let name = pass.name();
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                let run = |world: &mut FluidWorld| world.run_pass(pass, &SerialExecutor);
                bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
            });
            let name = format!("{name}, two threads");
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                let run = |world: &mut FluidWorld| world.run_pass(pass, &two);
                bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
            });
            world.run_pass(pass, &SerialExecutor);
        }
    }
    group.finish();
}

/// Springs, in a pool of jelly whose particles all hold on to each other.
fn springs(criterion: &mut Criterion) {
    let two = RayonExecutor::new(2).expect("threads");
    let mut group = criterion.benchmark_group("pass");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for size in &SIZES[..2] {
        let mut world = settled_pool(*size);
        let jelly = |class: &DensityClass| DensityClass {
            elasticity: Some(Elasticity::default()),
            ..class.clone()
        };
        let classes = ClassTable::new(world.classes().iter().map(jelly).collect());
        world.set_classes(classes.expect("valid")).expect("as many");
        world.step(FRAME, &SerialExecutor).expect("valid");
        println!("{:.1} springs per particle", world.springs().len() as f64 / *size as f64);
        world.begin_tick(FRAME, &SerialExecutor).expect("valid");
        world.run_pass(Pass::AdvancePositions, &SerialExecutor);
        world.run_pass(Pass::HashPositions, &SerialExecutor);
        group.bench_function(BenchmarkId::new("springs", size), |bencher| {
            let run = |world: &mut FluidWorld| world.run_pass(Pass::ApplySprings, &SerialExecutor);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("springs, two threads", size), |bencher| {
            let run = |world: &mut FluidWorld| world.run_pass(Pass::ApplySprings, &two);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
    }
    group.finish();
}

/// Twenty small forces spread over the pool.
fn forces(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pass");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for size in SIZES {
        let mut world = settled_pool(size);
        let bounds = Bounds::of(world.particles().positions());
        let at = |number: usize| {
            let share = Vec2::new((number as f32 + 0.5) / 20.0, 0.5);
            bounds.low + share * 2.0 * bounds.half_size()
        };
        let forces = (0..20).map(|number| Force::attract(at(number), 50.0, 100.0));
        let forces: Vec<Force> = forces.collect::<Result<_, _>>().expect("valid");
        world.set_forces(&forces).expect("valid");
        world.begin_tick(FRAME, &SerialExecutor).expect("valid");
        group.bench_function(BenchmarkId::new("twenty forces", size), |bencher| {
            let run = |world: &mut FluidWorld| world.run_pass(Pass::ApplyForces, &SerialExecutor);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, passes, springs, forces);
criterion_main!(benches);
