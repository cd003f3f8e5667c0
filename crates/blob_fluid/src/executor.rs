//! Who runs the passes: one thread, a pool, or whatever a host program offers.

/// Runs a function over chunks of a slice, perhaps on several threads.
///
/// Passes write each particle's result to its own place and read only frozen data, so the results
/// do not depend on which thread runs which chunk, nor on how many there are.
pub trait Executor: Sync {
    /// Calls `work(chunk_index, chunk)` once for every chunk of `chunk_size` elements; the last may
    /// be shorter. Returns when all are done.
    fn for_each_chunk<T, F>(&self, data: &mut [T], chunk_size: usize, work: F)
    where
        T: Send,
        F: Fn(usize, &mut [T]) + Sync;
}

/// Runs everything on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct SerialExecutor;

impl Executor for SerialExecutor {
    fn for_each_chunk<T, F>(&self, data: &mut [T], chunk_size: usize, work: F)
    where
        T: Send,
        F: Fn(usize, &mut [T]) + Sync,
    {
        for (index, chunk) in data.chunks_mut(chunk_size).enumerate() {
            work(index, chunk);
        }
    }
}

/// Runs chunks on a pool of threads of its own.
#[cfg(feature = "rayon")]
#[derive(Debug)]
pub struct RayonExecutor {
    pool: rayon::ThreadPool,
}

#[cfg(feature = "rayon")]
impl RayonExecutor {
    /// A pool of `threads` threads; 0 means one per core.
    ///
    /// # Errors
    ///
    /// When the system refuses to start the threads.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { pool })
    }

    /// How many threads the pool has.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

#[cfg(feature = "rayon")]
impl Executor for RayonExecutor {
    fn for_each_chunk<T, F>(&self, data: &mut [T], chunk_size: usize, work: F)
    where
        T: Send,
        F: Fn(usize, &mut [T]) + Sync,
    {
        use rayon::prelude::*;
        self.pool.install(|| {
            data.par_chunks_mut(chunk_size)
                .enumerate()
                .for_each(|(index, chunk)| work(index, chunk));
        });
    }
}
