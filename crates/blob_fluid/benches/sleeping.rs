//! Time of a frame of a pool that mostly sleeps, beside the same pool fully awake.

mod pool;

use std::hint::black_box;
use std::time::{Duration, Instant};

use blob_fluid::{
    Executor, FluidParameters, FluidSleeping, FluidWorld, Force, RayonExecutor, SerialExecutor,
};
use glam::Vec2;

use pool::{FRAME, SIZES, settled_pool};

/// Frames after which the stirred part is as large as it gets.
const WARM_UP: u32 = 180;

fn frame(world: &mut FluidWorld, executor: &dyn Executor) {
    black_box(world.step(FRAME, executor)).expect("valid");
}

/// The same pool asleep, but for one end that a force stirs: about 8 % of 100,000 particles.
fn stirred(awake: &FluidWorld) -> FluidWorld {
    let mut world = awake.clone();
    let sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
    let parameters = FluidParameters { sleeping, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    for _ in 0..60 {
        frame(&mut world, &SerialExecutor);
    }
    assert_eq!(world.asleep(), world.particles().len());
    let force = Force::attract(Vec2::splat(260.0), 260.0, 100.0).expect("valid");
    world.set_forces(&[force]).expect("valid");
    for _ in 0..WARM_UP {
        frame(&mut world, &SerialExecutor);
    }
    world
}

/// The median time of a frame of each of two worlds, which take turns, because the speed of the
/// machine may change.
fn compare(mut worlds: [FluidWorld; 2], executor: &dyn Executor) -> [Duration; 2] {
    let frames = if cfg!(debug_assertions) { 1 } else { 60 };
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..frames {
        for (world, times) in worlds.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            frame(world, executor);
            times.push(begin.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    })
}

fn main() {
    let two = RayonExecutor::new(2).expect("threads");
    for size in if cfg!(debug_assertions) { &SIZES[..1] } else { &SIZES[2..] } {
        let awake = settled_pool(*size);
        let asleep = stirred(&awake);
        let share = 1.0 - asleep.asleep() as f64 / asleep.particles().len() as f64;
        let worlds = || [awake.clone(), asleep.clone()];
        for (threads, [all, some]) in
            [(1, compare(worlds(), &SerialExecutor)), (2, compare(worlds(), &two))]
        {
            println!(
                "pool of {size}, threads {threads}: {:.2?} awake, {:.2?} with {:.1} % awake: 1/{:.1}",
                all,
                some,
                100.0 * share,
                all.as_secs_f64() / some.as_secs_f64()
            );
        }
    }
}
