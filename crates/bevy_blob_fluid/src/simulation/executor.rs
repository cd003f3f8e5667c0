//! The core's passes on Bevy's compute threads, and in browsers on those of rayon.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bevy::platform::time::Instant;
use blob_fluid::{Executor, SerialExecutor, Slices};

/// Number of tasks that a call's work is divided into at least: small ones, so that the first tell how
/// long the others take, and no thread waits long for the last.
const TASKS: usize = 64;

/// Work that is worth another thread: waking one takes tens of microseconds.
const WORTH_A_THREAD: Duration = Duration::from_micros(100);

/// Runs chunks on the threads of the [`pool`], or on the calling thread where there are none.
///
/// The calling thread begins alone, and calls others as soon as what is left takes long enough. Most
/// calls end before: where most of the liquid sleeps, and where there is little of it.
pub(crate) struct ComputeExecutor;

impl Executor for ComputeExecutor {
    fn for_each_chunk<S, F>(&self, data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync,
    {
        let threads = pool::threads();
        let chunks = data.len().div_ceil(chunk_size);
        if threads < 2 || chunks < 2 {
            return SerialExecutor.for_each_chunk(data, chunk_size, work);
        }
        let chunks_per_task = chunks.div_ceil(TASKS.max(4 * threads));
        let (mut first, mut rest) = (0, Some(data));
        let work = &work;
        let mut tasks = std::iter::from_fn(move || {
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
        });
        let mut left = chunks.div_ceil(chunks_per_task) as u32;
        let mut begin = Instant::now();
        while let Some(task) = tasks.next() {
            task();
            left -= 1;
            let end = Instant::now();
            let helpers = ((end - begin) * left).div_duration_f32(WORTH_A_THREAD) as usize;
            if helpers > 0 {
                return share(tasks, helpers.min(threads - 1));
            }
            begin = end;
        }
    }

    fn is_serial(&self) -> bool {
        pool::threads() < 2
    }
}

/// Runs tasks on the calling thread and on others that help; each takes the next task when it is free.
fn share<T: FnOnce() + Send>(tasks: impl Iterator<Item = T>, helpers: usize) {
    // Nobody waits for a lock, which a page's own thread may not: each is taken once.
    let tasks: Vec<Mutex<Option<T>>> = tasks.map(|task| Mutex::new(Some(task))).collect();
    let next = AtomicUsize::new(0);
    pool::run(helpers, || {
        while let Some(slot) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let task = slot.lock().ok().and_then(|mut slot| slot.take());
            task.expect("each task is taken once")();
        }
    });
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

    /// Calls `work` on the calling thread, and on so many others as soon as they are free; returns
    /// when all calls have returned.
    pub(super) fn run(helpers: usize, work: impl Fn() + Sync) {
        let work = &work;
        ComputeTaskPool::get().scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(async move { work() });
            }
            scope.spawn_on_scope(async move { work() });
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

    /// Calls `work` on the calling thread, and on so many others as soon as they are free; returns
    /// when all calls have returned.
    pub(super) fn run(helpers: usize, work: impl Fn() + Sync) {
        let work = &work;
        rayon::in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(move |_| work());
            }
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use bevy::tasks::{ComputeTaskPool, TaskPoolBuilder};

    use super::*;

    #[test]
    fn every_chunk_is_worked_on_once_whether_or_not_threads_help() {
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(3).build());
        for (length, slow) in [(0, false), (3, false), (4, false), (1_000, false), (1_000, true)] {
            let mut numbers = vec![0; length];
            ComputeExecutor.for_each_chunk(&mut numbers[..], 3, |index, chunk| {
                if slow && index < 20 {
                    std::thread::sleep(WORTH_A_THREAD);
                }
                for (offset, number) in chunk.iter_mut().enumerate() {
                    *number += 3 * index + offset + 1;
                }
            });
            assert!(numbers.into_iter().eq(1..=length));
        }
    }
}
