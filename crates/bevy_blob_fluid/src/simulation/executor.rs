//! The core's passes on Bevy's compute threads.

use bevy::tasks::ComputeTaskPool;
use blob_fluid::{Executor, SerialExecutor, Slices};

/// With fewer chunks, one thread finishes before another has started.
const WORTH_DIVIDING: usize = 8;

/// Runs chunks on [`ComputeTaskPool`], or on the calling thread where there is no pool.
pub(crate) struct ComputeExecutor;

impl Executor for ComputeExecutor {
    fn for_each_chunk<S, F>(&self, mut data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync,
    {
        let threads = threads();
        let chunks = data.len().div_ceil(chunk_size);
        if threads < 2 || chunks < WORTH_DIVIDING {
            return SerialExecutor.for_each_chunk(data, chunk_size, work);
        }
        // A few tasks per thread divide the work evenly, without a task for every small chunk.
        let chunks_per_task = chunks.div_ceil(4 * threads);
        let work = &work;
        ComputeTaskPool::get().scope(|scope| {
            let mut first = 0;
            while !data.is_empty() {
                let length = data.len().min(chunks_per_task * chunk_size);
                let (task, rest) = data.split_at(length);
                scope.spawn(async move {
                    SerialExecutor.for_each_chunk(task, chunk_size, |index, chunk| {
                        work(first + index, chunk);
                    });
                });
                data = rest;
                first += chunks_per_task;
            }
        });
    }

    fn is_serial(&self) -> bool {
        threads() < 2
    }
}

/// Number of threads that run chunks: those of the pool, and the calling one.
fn threads() -> usize {
    // In browsers the pool is the only thread.
    if cfg!(target_family = "wasm") {
        return 1;
    }
    ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num() + 1)
}
