//! Ticks of a world: how long they are, and how many run.

use blob_fluid::{FluidWorld, SerialExecutor};

/// Length of a tick, in seconds.
pub const TICK: f32 = 1.0 / 60.0;

/// Runs some ticks on one thread.
pub fn run(world: &mut FluidWorld, ticks: u32) {
    for _ in 0..ticks {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
}

/// Runs the ticks of some seconds on one thread.
pub fn run_for(world: &mut FluidWorld, seconds: f32) {
    run(world, (seconds / TICK).round() as u32);
}
