//! The core's passes on Bevy's compute threads.

use bevy::tasks::ComputeTaskPool;
use blob_fluid::{Executor, SerialExecutor};

/// Runs chunks on [`ComputeTaskPool`], or on the calling thread where there is no pool.
pub(crate) struct ComputeExecutor;

impl Executor for ComputeExecutor {
    fn for_each_chunk<T, F>(&self, data: &mut [T], chunk_size: usize, work: F)
    where
        T: Send,
        F: Fn(usize, &mut [T]) + Sync,
    {
        let threads = ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num());
        let chunks = data.len().div_ceil(chunk_size);
        if threads < 2 || chunks < 2 {
            return SerialExecutor.for_each_chunk(data, chunk_size, work);
        }
        // A few tasks per thread share the work out evenly without one for every small chunk.
        let chunks_per_task = chunks.div_ceil(4 * threads);
        let work = &work;
        ComputeTaskPool::get().scope(|scope| {
            for (task, part) in data.chunks_mut(chunk_size * chunks_per_task).enumerate() {
                scope.spawn(async move {
                    for (index, chunk) in part.chunks_mut(chunk_size).enumerate() {
                        work(task * chunks_per_task + index, chunk);
                    }
                });
            }
        });
    }
}
