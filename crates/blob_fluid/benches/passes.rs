//! Time of each pass of one substep, on one thread and, for passes that can use them, on two.

#![allow(missing_docs, reason = "criterion's macros define public functions")]

mod pool;

use std::time::Duration;

use blob_fluid::{
    Body, ClassId, ClassPair, ClassTable, Collider, ColliderOptions, DensityClass, FluidBounds,
    FluidElasticity, FluidPass, FluidReaction, FluidShape, FluidThermal, FluidWorld, Force,
    RayonExecutor, SerialExecutor,
};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::Vec2;

use pool::{FRAME, SIZES, settled_pool};

/// Every pass of the table, on a plain pool.
fn passes(criterion: &mut Criterion) {
    for size in SIZES {
        time_passes(criterion, "pass", size, settled_pool(size));
    }
}

/// Every pass of the table, on a pool in which each pass has something to do: classes conduct heat
/// and react, the lowest class is elastic, and bodies float.
fn passes_of_an_eventful_pool(criterion: &mut Criterion) {
    for size in &SIZES[..2] {
        time_passes(criterion, "pass of an eventful pool", *size, eventful_pool(*size));
    }
}

fn eventful_pool(size: usize) -> FluidWorld {
    let mut world = settled_pool(size);
    let mut classes: Vec<_> = world.classes().iter().cloned().collect();
    for class in &mut classes {
        class.thermal =
            FluidThermal { conductivity: 0.5, cooling: 0.01, ..FluidThermal::default() };
    }
    classes[0].elasticity = Some(FluidElasticity::default());
    let names = [0, 1].map(|index| classes[index].name.clone());
    let reaction =
        FluidReaction { rate: 1e-3, becomes: [Some(names[1].clone()), None], temperature: None };
    let pair = ClassPair { reaction: Some(reaction), ..ClassPair::new(&names[0], &names[1]) };
    let classes = ClassTable::with_pairs(classes, vec![pair]).expect("valid");
    world.set_classes(classes).expect("as many");
    let bounds = FluidBounds::of(world.particles().positions());
    world
        .set_class_where(ClassId::HEAVY, |position, _| position.y < bounds.centre().y * 0.3)
        .expect("known");
    let shape = FluidShape::Circle { radius: 3.0 * world.parameters().particle_spacing };
    for part in [0.2, 0.5, 0.8] {
        let centre = Vec2::new(bounds.low.x + part * 2.0 * bounds.half_size().x, bounds.high.y);
        let body = Body::of_density(0.5, &shape, world.parameters().particle_spacing);
        let options = ColliderOptions { body: Some(body.expect("valid")), ..Default::default() };
        let floating = Collider::new(shape.clone(), centre, Vec2::X);
        world.insert_collider(
            floating.and_then(|floating| floating.with_options(options)).expect("valid"),
        );
    }
    let warm = (0..world.particles().len()).map(|index| 20.0 + (index % 7) as f32);
    let warm: Vec<f32> = warm.collect();
    world.particles_mut().temperatures_mut().copy_from_slice(&warm);
    for _ in 0..5 {
        world.step(FRAME, &SerialExecutor).expect("valid");
    }
    world
}

fn time_passes(criterion: &mut Criterion, name: &str, size: usize, mut world: FluidWorld) {
    let two = RayonExecutor::new(2).expect("threads");
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    world.begin_tick(FRAME, &SerialExecutor).expect("valid");
    // The passes before a pass produce the state that it is timed on.
    for pass in FluidPass::ALL {
        group.bench_function(BenchmarkId::new(pass.name(), size), |bencher| {
            let run = |world: &mut FluidWorld| world.run_pass(pass, &SerialExecutor);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
        let name = format!("{}, two threads", pass.name());
        group.bench_function(BenchmarkId::new(name, size), |bencher| {
            let run = |world: &mut FluidWorld| world.run_pass(pass, &two);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
        world.run_pass(pass, &SerialExecutor);
    }
    group.finish();
}

/// Springs, in a pool of jelly in which springs connect all particles.
fn springs(criterion: &mut Criterion) {
    let two = RayonExecutor::new(2).expect("threads");
    let mut group = criterion.benchmark_group("pass");
    group.sample_size(10).warm_up_time(Duration::from_millis(200));
    group.measurement_time(Duration::from_secs(1));
    for size in &SIZES[..2] {
        let mut world = settled_pool(*size);
        let jelly = |class: &DensityClass| DensityClass {
            elasticity: Some(FluidElasticity::default()),
            ..class.clone()
        };
        let classes = ClassTable::new(world.classes().iter().map(jelly).collect());
        world.set_classes(classes.expect("valid")).expect("as many");
        world.step(FRAME, &SerialExecutor).expect("valid");
        println!("{:.1} springs per particle", world.springs().len() as f64 / *size as f64);
        world.begin_tick(FRAME, &SerialExecutor).expect("valid");
        world.run_pass(FluidPass::AdvancePositions, &SerialExecutor);
        world.run_pass(FluidPass::HashPositions, &SerialExecutor);
        group.bench_function(BenchmarkId::new("springs", size), |bencher| {
            let run =
                |world: &mut FluidWorld| world.run_pass(FluidPass::ApplySprings, &SerialExecutor);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("springs, two threads", size), |bencher| {
            let run = |world: &mut FluidWorld| world.run_pass(FluidPass::ApplySprings, &two);
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
        let bounds = FluidBounds::of(world.particles().positions());
        let at = |number: usize| {
            let share = Vec2::new((number as f32 + 0.5) / 20.0, 0.5);
            bounds.low + share * 2.0 * bounds.half_size()
        };
        let forces = (0..20).map(|number| Force::attract(at(number), 50.0, 100.0));
        let forces: Vec<Force> = forces.collect::<Result<_, _>>().expect("valid");
        world.set_forces(&forces).expect("valid");
        world.begin_tick(FRAME, &SerialExecutor).expect("valid");
        group.bench_function(BenchmarkId::new("twenty forces", size), |bencher| {
            let run =
                |world: &mut FluidWorld| world.run_pass(FluidPass::ApplyForces, &SerialExecutor);
            bencher.iter_batched_ref(|| world.clone(), run, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group!(benches, passes, passes_of_an_eventful_pool, springs, forces);
criterion_main!(benches);
