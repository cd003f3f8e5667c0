//! Runs the core's passes on Bevy's compute threads, or on rayon's threads in browsers.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bevy::platform::time::Instant;
use bevy::prelude::*;
use blob_fluid::Executor;

/// Least duration of work for which a thread is woken: waking one takes tens of microseconds.
const WORTH_A_THREAD: Duration = Duration::from_micros(100);

/// Runs tasks on the threads of the [`pool`], or on the calling thread if the pool is empty.
///
/// The calling thread begins alone. It wakes other threads as soon as the remaining tasks take long
/// enough. Most calls end before that, if there is little liquid or most of it sleeps.
pub(crate) struct ComputeExecutor;

impl Executor for ComputeExecutor {
    fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        let mut begin = Instant::now();
        for task in 0..tasks {
            work(task);
            let end = Instant::now();
            let left = tasks - task - 1;
            let time_left = (end - begin) * u32::try_from(left).unwrap_or(u32::MAX);
            let helpers = time_left.div_duration_f32(WORTH_A_THREAD) as usize;
            if helpers > 0 {
                let helpers = helpers.min(pool::threads() - 1);
                return share(task + 1..tasks, helpers, work);
            }
            begin = end;
        }
    }

    fn is_serial(&self) -> bool {
        pool::threads() < 2
    }
}

/// Runs tasks on the calling thread and on `helpers` other threads. Each free thread takes the next task.
fn share(tasks: Range<usize>, helpers: usize, work: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(tasks.start);
    pool::run(helpers, || {
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks.end {
                return;
            }
            work(task);
        }
    });
}

/// Bevy's compute threads.
#[cfg(not(all(target_arch = "wasm32", target_feature = "atomics")))]
mod pool {
    use bevy::tasks::ComputeTaskPool;

    /// Number of threads: those of the pool, and the calling thread.
    pub(super) fn threads() -> usize {
        // In browsers the pool is the only thread.
        if cfg!(target_family = "wasm") {
            return 1;
        }
        ComputeTaskPool::try_get().map_or(1, |pool| pool.thread_num() + 1)
    }

    /// Calls `work` on the calling thread, and on `helpers` other threads as soon as they are free.
    /// Returns when all calls have returned.
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

/// Rayon's threads, which the page has started. Bevy's pools have no threads in browsers.
#[cfg(all(target_arch = "wasm32", target_feature = "atomics"))]
mod pool {
    /// Number of threads: those of the pool, and the calling thread.
    pub(super) fn threads() -> usize {
        rayon::current_num_threads() + 1
    }

    /// Calls `work` on the calling thread, and on `helpers` other threads as soon as they are free.
    /// Returns when all calls have returned.
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

// A warning about debug builds, which are slow unless the game's profile says otherwise.

/// The lines that a game's `Cargo.toml` needs.
const PROFILE: &str = include_str!("profile.toml");

/// Warns at the start of an app whose simulation was compiled without optimisation.
pub(crate) fn warn_if_missing() {
    if blob_fluid::OPT_LEVEL == "0" {
        warn!(
            "the fluid is compiled without optimisation, and a tick takes dozens of times as long; \
             add these lines to the game's Cargo.toml:\n{PROFILE}"
        );
    }
}

#[cfg(test)]
mod tests {
    use bevy::tasks::{ComputeTaskPool, TaskPoolBuilder};

    use super::*;

    #[test]
    fn every_task_is_run_once_whether_or_not_threads_help() {
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(3).build());
        for (tasks, slow) in [(0, false), (1, false), (2, false), (128, false), (128, true)] {
            let runs: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            ComputeExecutor.for_each_task(tasks, &|task| {
                if slow && task < 20 {
                    std::thread::sleep(WORTH_A_THREAD);
                }
                runs[task].fetch_add(1, Ordering::Relaxed);
            });
            assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
        }
    }
}
