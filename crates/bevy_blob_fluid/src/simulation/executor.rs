//! The core's passes on Bevy's compute threads, and in browsers on those of rayon.

use blob_fluid::{Executor, SerialExecutor, Slices};

/// With fewer chunks, one thread finishes before another has started.
const WORTH_DIVIDING: usize = 8;

/// Runs chunks on the threads of the [`pool`], or on the calling thread where there are none.
pub(crate) struct ComputeExecutor;

impl Executor for ComputeExecutor {
    fn for_each_chunk<S, F>(&self, data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync,
    {
        let threads = pool::threads();
        let chunks = data.len().div_ceil(chunk_size);
        if threads < 2 || chunks < WORTH_DIVIDING {
            return SerialExecutor.for_each_chunk(data, chunk_size, work);
        }
        // A few tasks per thread divide the work evenly, without a task for every small chunk.
        let chunks_per_task = chunks.div_ceil(4 * threads);
        let (mut first, mut rest) = (0, Some(data));
        let work = &work;
        pool::run(std::iter::from_fn(move || {
            let data = rest.take().filter(|data| !data.is_empty())?;
            let length = data.len().min(chunks_per_task * chunk_size);
            let (task, after) = data.split_at(length);
            let first_of_task = first;
            first += chunks_per_task;
            rest = Some(after);
            Some(move || {
                SerialExecutor.for_each_chunk(task, chunk_size, |index, chunk| {
                    work(first_of_task + index, chunk);
                });
            })
        }));
    }

    fn is_serial(&self) -> bool {
        pool::threads() < 2
    }
}

/// Bevy's compute threads.
#[cfg(not(all(target_arch = "wasm32", target_feature = "atomics")))]
mod pool {
    use bevy::tasks::ComputeTaskPool;

    /// Number of threads: those of the pool, and the calling one.
    pub(super) fn threads() -> usize {
        // In browsers the pool is the only thread.
        if cfg!(target_family = "wasm") {
            return 1;
        }
        ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num() + 1)
    }

    /// Runs all tasks; returns when they have ended.
    pub(super) fn run(tasks: impl Iterator<Item = impl FnOnce() + Send>) {
        ComputeTaskPool::get().scope(|scope| {
            for task in tasks {
                scope.spawn(async move { task() });
            }
        });
    }
}

/// The threads of rayon that the page has started. Bevy's pools have none in browsers.
#[cfg(all(target_arch = "wasm32", target_feature = "atomics"))]
mod pool {
    /// Number of threads: those of the pool, and the calling one.
    pub(super) fn threads() -> usize {
        rayon::current_num_threads() + 1
    }

    /// Runs all tasks; returns when they have ended. The calling thread, a page's own, may not sleep
    /// while it waits: it has a share of the tasks.
    pub(super) fn run(tasks: impl Iterator<Item = impl FnOnce() + Send>) {
        let threads = threads();
        rayon::in_place_scope(|scope| {
            let mut own = Vec::new();
            for (index, task) in tasks.enumerate() {
                if index % threads == threads - 1 {
                    own.push(task);
                } else {
                    scope.spawn(|_| task());
                }
            }
            own.into_iter().for_each(|task| task());
        });
    }
}
