//! Time to keep a pool in memory and to restore it, to write and to read it as bytes, and of eight ticks
//! after a restore; and how many bytes a particle takes.

mod pool;

use std::hint::black_box;
use std::time::{Duration, Instant};

use blob_fluid::{FluidWorld, KeptState, SerialExecutor};

use pool::{FRAME, SIZES, settled_pool};

/// Ticks that rollback of a game on the net computes again at most.
const TICKS: u32 = 8;

/// The least time of several runs: others only make it longer.
fn least(mut run: impl FnMut()) -> Duration {
    let rounds = if cfg!(debug_assertions) { 1 } else { 40 };
    let time = |_| {
        let begin = Instant::now();
        run();
        begin.elapsed()
    };
    (0..rounds).map(time).min().unwrap_or_default()
}

fn main() {
    let (few, many) = if cfg!(debug_assertions) { (0, 1) } else { (1, SIZES.len()) };
    for size in &SIZES[few..many] {
        let mut world = settled_pool(*size);
        let mut kept = KeptState::default();
        let memory =
            allocation_counter::measure(|| world.keep_in(&mut kept).expect("between ticks"));
        let keep = least(|| world.keep_in(&mut kept).expect("between ticks"));
        let restore = least(|| world.restore_from(black_box(&kept)));
        let bytes = world.to_bytes().expect("between ticks");
        let write = least(|| drop(black_box(world.to_bytes())));
        let read = least(|| drop(black_box(FluidWorld::from_bytes(&bytes))));
        let hash = least(|| _ = black_box(world.deep_hash()));
        let again = least(|| {
            world.restore_from(&kept);
            for _ in 0..TICKS {
                world.step(FRAME, &SerialExecutor).expect("valid");
            }
        });
        let each = |bytes: f64| bytes / world.particles().len() as f64;
        println!(
            "pool of {size}: keep {keep:.0?}, restore {restore:.0?}, {TICKS} ticks again {again:.2?}; \
             write {write:.0?}, read {read:.0?}, deep hash {hash:.0?}; {:.1} bytes a particle in memory, \
             {:.1} in a file",
            each(memory.bytes_current as f64),
            each(bytes.len() as f64),
        );
    }
}
