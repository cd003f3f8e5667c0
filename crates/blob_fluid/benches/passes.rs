//! Each pass of one substep, on one and two threads where it can use them.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

mod pool;

use std::time::Duration;

use blob_fluid::{
    ClassTable, DensityClass, Elasticity, FluidWorld, RayonExecutor, SerialExecutor, pass,
};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};

use pool::{FRAME, SIZES, settled_pool};

/// The passes in order; those before a pass make the state it is timed on.
const PASSES: [(&str, fn(&mut FluidWorld)); 10] = [
    ("gravity", pass::apply_gravity),
    ("forces", pass::apply_forces),
    ("damping", pass::apply_damping),
    ("surfaces", pass::grip_surfaces),
    ("viscosity", |world| pass::apply_viscosity(world, &SerialExecutor)),
    ("advance", pass::advance_positions),
    ("hash", pass::hash_positions),
    ("relaxation", |world| pass::relax_density(world, &SerialExecutor)),
    ("contain", pass::contain),
    ("velocity", pass::update_velocities),
];

fn passes(criterion: &mut Criterion) {
    let two = RayonExecutor::new(2).expect("threads");
    let mut group = criterion.benchmark_group("pass");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for size in SIZES {
        let mut world = settled_pool(size);
        world.begin_tick(FRAME).expect("valid");
        // As in a step, viscosity finds the grid out of date and sorts anew.
        for (name, pass) in PASSES {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_batched_ref(|| world.clone(), pass, BatchSize::LargeInput);
            });
            match name {
                "viscosity" => {
                    group.bench_function(BenchmarkId::new("viscosity, two threads", size), |b| {
                        let run = |world: &mut FluidWorld| pass::apply_viscosity(world, &two);
                        b.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
                    });
                }
                "relaxation" => {
                    group.bench_function(BenchmarkId::new("relaxation, two threads", size), |b| {
                        let run = |world: &mut FluidWorld| pass::relax_density(world, &two);
                        b.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
                    });
                }
                _ => {}
            }
            pass(&mut world);
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
        world.begin_tick(FRAME).expect("valid");
        pass::advance_positions(&mut world);
        pass::hash_positions(&mut world);
        group.bench_function(BenchmarkId::new("springs", size), |bencher| {
            let run = |world: &mut FluidWorld| pass::apply_springs(world, &SerialExecutor);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("springs, two threads", size), |bencher| {
            let run = |world: &mut FluidWorld| pass::apply_springs(world, &two);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, passes, springs);
criterion_main!(benches);
