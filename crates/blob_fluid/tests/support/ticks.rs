//! Ticks of a world: how long they are, and how many run.

use std::fmt::Debug;

use blob_fluid::{Executor, FluidWorld, RayonExecutor, SerialExecutor, StepReport};

/// Length of a tick, in seconds.
pub const TICK: f32 = 1.0 / 60.0;

/// Runs a tick on one thread.
pub fn step(world: &mut FluidWorld) -> StepReport {
    world.step(TICK, &SerialExecutor).expect("valid")
}

/// Runs some ticks on one thread.
pub fn run(world: &mut FluidWorld, ticks: u32) {
    run_by(&SerialExecutor, world, ticks);
}

/// Runs some ticks by an executor.
pub fn run_by(executor: &dyn Executor, world: &mut FluidWorld, ticks: u32) {
    for _ in 0..ticks {
        world.step(TICK, executor).expect("valid");
    }
}

/// Asserts that `result` is the same by the serial executor and on each of these numbers of threads, and returns it.
pub fn same_on_threads<T: Debug + PartialEq, const COUNT: usize>(
    numbers: [usize; COUNT],
    result: impl Fn(&dyn Executor) -> T,
) -> T {
    let serial = result(&SerialExecutor);
    for threads in numbers {
        let executor = RayonExecutor::new(threads).expect("threads");
        assert_eq!(result(&executor), serial, "{threads} threads");
    }
    serial
}

/// Runs the ticks of some seconds on one thread.
pub fn run_for(world: &mut FluidWorld, seconds: f32) {
    run(world, (seconds / TICK).round() as u32);
}
