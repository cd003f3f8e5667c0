//! Executors run the passes: on one thread, on a pool of threads, or on the host's threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Runs the tasks of a pass, on one or several threads.
///
/// Passes write each particle's result to its own index and read only data that stays constant
/// during the pass. So results depend neither on the assignment of tasks to threads nor on the
/// number of threads.
///
/// ```
/// use blob_fluid::{Executor, FluidWorld, ParticleSpawn};
///
/// /// A thread for each task: no good idea, but a valid one.
/// struct Spawning;
///
/// impl Executor for Spawning {
///     fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             for task in 0..tasks {
///                 scope.spawn(move || work(task));
///             }
///         });
///     }
/// }
///
/// let mut world = FluidWorld::default();
/// for index in 0..1000 {
///     let position = glam::Vec2::new((index % 40) as f32, (index / 40) as f32) * 10.0;
///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
/// }
/// let mut other = world.clone();
/// world.step(1.0 / 60.0, &Spawning)?;
/// other.step(1.0 / 60.0, &blob_fluid::SerialExecutor)?;
/// assert_eq!(world.state_hash(), other.state_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Executor: Sync {
    /// Calls `work(task)` once for every task from 0 to `tasks - 1`, in any order. Calls may run at
    /// the same time. Returns when all calls have returned.
    ///
    /// A pass has at most 128 tasks, and most have thousands of operations or more. `work` panics
    /// if it is called twice for the same task.
    fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync));

    /// Whether all tasks run one after the other. Then passes leave out work that only prepares for
    /// several threads. Results are the same, and `false` is always valid.
    fn is_serial(&self) -> bool {
        false
    }

    /// Calls `work` once, on a thread from which repeated calls of
    /// [`for_each_task`](Self::for_each_task) are cheap. An executor with a thread pool uses a
    /// thread of the pool.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}

/// Largest number of tasks of a pass. Small tasks balance the threads; large tasks are worth the
/// cost of handing them to a thread.
const MOST_TASKS: usize = 128;

impl dyn Executor + '_ {
    /// [Enters](Executor::enter) the executor, and returns the result of `work`.
    ///
    /// # Panics
    ///
    /// Panics if the executor does not call `work`, or calls it twice.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.enter(&mut || {
            let work = work.take().expect("an executor calls it once");
            result = Some(work());
        });
        result.expect("an executor calls it")
    }

    /// Calls `work(chunk_index, chunk)` once for every chunk of `chunk_size` elements; the last
    /// chunk may be shorter. Returns when all calls have returned.
    pub(crate) fn for_each_chunk<S, F>(&self, mut data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync,
    {
        let chunks = data.len().div_ceil(chunk_size);
        if chunks < 2 || self.is_serial() {
            return one_after_the_other(data, 0, chunk_size, &work);
        }
        let chunks_per_task = chunks.div_ceil(MOST_TASKS);
        let tasks = chunks.div_ceil(chunks_per_task);
        // Each lock is taken once, so no thread waits for one. The main thread of a web page may not wait.
        let parts = [const { Mutex::new(None::<S>) }; MOST_TASKS];
        for part in &parts[..tasks] {
            let length = data.len().min(chunks_per_task * chunk_size);
            let (first, rest) = data.split_at(length);
            *part.lock().expect("nobody has it") = Some(first);
            data = rest;
        }
        self.for_each_task(tasks, &|task| {
            let part = parts[task].lock().ok().and_then(|mut part| part.take());
            let part = part.expect("an executor runs each task once");
            one_after_the_other(part, task * chunks_per_task, chunk_size, &work);
        });
        let is_done = |part: &Mutex<Option<S>>| part.lock().is_ok_and(|part| part.is_none());
        debug_assert!(parts.iter().all(is_done), "an executor runs every task");
    }

    /// As [`for_each_chunk`](Self::for_each_chunk), and returns whether `work` returned `true` for any chunk.
    pub(crate) fn any_chunk<S, F>(&self, data: S, chunk_size: usize, work: F) -> bool
    where
        S: Slices,
        F: Fn(usize, S) -> bool + Sync,
    {
        let any = AtomicBool::new(false);
        self.for_each_chunk(data, chunk_size, |index, chunk| {
            if work(index, chunk) {
                any.store(true, Relaxed);
            }
        });
        any.into_inner()
    }
}

/// Calls `work` for all chunks in order. The first chunk has the index `first`.
fn one_after_the_other<S: Slices>(
    mut data: S,
    first: usize,
    chunk_size: usize,
    work: &impl Fn(usize, S),
) {
    let mut index = first;
    while data.len() > chunk_size {
        let (chunk, rest) = data.split_at(chunk_size);
        work(index, chunk);
        data = rest;
        index += 1;
    }
    if !data.is_empty() {
        work(index, data);
    }
}

/// Runs everything on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct SerialExecutor;

impl Executor for SerialExecutor {
    fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(work);
    }

    fn is_serial(&self) -> bool {
        true
    }
}

/// Runs tasks on its own pool of threads.
#[cfg(feature = "rayon")]
#[derive(Debug)]
pub struct RayonExecutor {
    pool: rayon::ThreadPool,
}

#[cfg(feature = "rayon")]
impl RayonExecutor {
    /// Starts a pool of `threads` threads; 0 means one per core.
    ///
    /// # Errors
    ///
    /// Returns an error if the system cannot start the threads.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { pool })
    }

    /// Number of threads in the pool.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

#[cfg(feature = "rayon")]
impl Executor for RayonExecutor {
    fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        if tasks > 0 {
            self.pool.install(|| divide(0, tasks, work));
        }
    }

    fn is_serial(&self) -> bool {
        self.threads() == 1
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }
}

/// Divides the tasks into halves until one task is left, and offers one half to other threads.
#[cfg(feature = "rayon")]
fn divide(first: usize, end: usize, work: &(dyn Fn(usize) + Sync)) {
    let middle = usize::midpoint(first, end);
    if middle == first {
        return work(first);
    }
    rayon::join(|| divide(first, middle, work), || divide(middle, end, work));
}

// Sizes of the parts into which particles are divided for parallel work.

/// Number of particles in a chunk, the unit of parallel work. It is large enough to be worth
/// handing to another thread, and small enough to balance the threads.
pub(crate) const CHUNK: usize = 256;

/// Number of particles in a chunk of a pass with only a few operations per particle.
pub(crate) const LONG_CHUNK: usize = 1024;

/// Number of particles in a section of a chunk. The search for walls goes from sections to the
/// smaller groups in them.
pub(crate) const SECTION: usize = 64;

/// Number of particles in a group of a section. The search for walls goes from groups to single particles.
pub(crate) const GROUP: usize = 16;

/// Divides a range into parts of length `size`; the last part may be shorter.
pub(crate) fn parts(
    range: Range<usize>,
    size: usize,
) -> impl Iterator<Item = Range<usize>> + Clone {
    let end = range.end;
    range.step_by(size).map(move |start| start..end.min(start + size))
}

/// The indices of a chunk's particles, for the index of the chunk and the number of particles in it.
pub(crate) fn chunk_of(index: usize, particles: usize) -> Range<usize> {
    index * CHUNK..index * CHUNK + particles
}

// Data that can be divided into chunks.

/// Data that can be divided into chunks: a mutable slice, a range of indices, or a tuple of these
/// with equal lengths.
pub(crate) trait Slices: Send + Sized {
    /// Number of elements. All parts of a tuple have the same length.
    fn len(&self) -> usize;

    /// Whether the length is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Divides the data at `index`: the first part has `index` elements. Each part of a tuple is divided.
    ///
    /// # Panics
    ///
    /// Panics if `index` is greater than the length of a part.
    fn split_at(self, index: usize) -> (Self, Self);
}

impl<T: Send> Slices for &mut [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        self.split_at_mut(index)
    }
}

impl Slices for Range<usize> {
    fn len(&self) -> usize {
        ExactSizeIterator::len(self)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let middle = self.start + index;
        assert!(middle <= self.end, "{index} is beyond the end of {self:?}");
        (self.start..middle, middle..self.end)
    }
}

/// A list with one item for every chunk of `chunk_size` elements. It is used in a tuple with the chunked data.
pub(crate) struct PerChunk<'a, T> {
    items: &'a mut [T],
    elements: usize,
    chunk_size: usize,
}

impl<'a, T> PerChunk<'a, T> {
    /// Creates a list with one item for each chunk of `elements` elements.
    pub(crate) fn new(items: &'a mut [T], elements: usize, chunk_size: usize) -> Self {
        debug_assert_eq!(items.len(), elements.div_ceil(chunk_size));
        Self { items, elements, chunk_size }
    }

    /// As [`new`](Self::new), with the number of items that this needs. Present items stay.
    pub(crate) fn resized(items: &'a mut Vec<T>, elements: usize, chunk_size: usize) -> Self
    where
        T: Default,
    {
        items.resize_with(elements.div_ceil(chunk_size), T::default);
        Self::new(items, elements, chunk_size)
    }

    /// The item of the only chunk.
    pub(crate) fn item(self) -> &'a mut T {
        &mut self.items[0]
    }
}

impl<T: Send> Slices for PerChunk<'_, T> {
    fn len(&self) -> usize {
        self.elements
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let chunk_size = self.chunk_size;
        let (first, rest) = self.items.split_at_mut(index.div_ceil(chunk_size));
        let part = |items, elements| Self { items, elements, chunk_size };
        (part(first, index), part(rest, self.elements - index))
    }
}

/// The findings in each long chunk of some elements, in the order of the elements. The lists keep their
/// memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChunkLists<T> {
    lists: Vec<Vec<T>>,
}

impl<T: Send> ChunkLists<T> {
    /// Calls `fill` once for every chunk of [`LONG_CHUNK`] elements of the data, with the index of its first element
    /// and its list, which is empty.
    pub(crate) fn fill<S: Slices>(
        &mut self,
        data: S,
        executor: &dyn Executor,
        fill: impl Fn(usize, S, &mut Vec<T>) + Sync,
    ) {
        let count = data.len();
        self.lists.resize_with(count.div_ceil(LONG_CHUNK), Vec::new);
        let lists = PerChunk::new(&mut self.lists, count, LONG_CHUNK);
        executor.for_each_chunk((data, lists), LONG_CHUNK, |index, (data, list)| {
            let list = list.item();
            list.clear();
            fill(index * LONG_CHUNK, data, list);
        });
    }

    /// All that was found.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.lists.iter().flatten()
    }

    /// The findings in the chunk with this index.
    pub(crate) fn of_chunk(&self, index: usize) -> &[T] {
        &self.lists[index]
    }
}

macro_rules! impl_slices_for_tuple {
    ($first:ident $(, $other:ident)+) => {
        impl<$first: Slices $(, $other: Slices)+> Slices for ($first $(, $other)+) {
            fn len(&self) -> usize {
                self.0.len()
            }

            #[allow(non_snake_case, reason = "one name for the type and its value")]
            fn split_at(self, index: usize) -> (Self, Self) {
                let ($first $(, $other)+) = self;
                let $first = $first.split_at(index);
                $(let $other = $other.split_at(index);)+
                (($first.0 $(, $other.0)+), ($first.1 $(, $other.1)+))
            }
        }
    };
}

impl_slices_for_tuple!(A, B);
impl_slices_for_tuple!(A, B, C);
impl_slices_for_tuple!(A, B, C, D);
impl_slices_for_tuple!(A, B, C, D, E);
impl_slices_for_tuple!(A, B, C, D, E, F);

/// Declares a struct of data with equal lengths that can be divided into chunks.
macro_rules! slices {
    ($(#[$meta:meta])* struct $name:ident<'a> { $($(#[$doc:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        struct $name<'a> {
            $($(#[$doc])* $field: $type,)+
        }

        impl $crate::parallel::executor::Slices for $name<'_> {
            fn len(&self) -> usize {
                [$($crate::parallel::executor::Slices::len(&self.$field)),+][0]
            }

            fn split_at(self, index: usize) -> (Self, Self) {
                $(let $field = $crate::parallel::executor::Slices::split_at(self.$field, index);)+
                (Self { $($field: $field.0),+ }, Self { $($field: $field.1),+ })
            }
        }
    };
}
pub(crate) use slices;

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the tasks from last to first.
    struct Backwards;

    impl Executor for Backwards {
        fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
            assert!(tasks <= MOST_TASKS);
            (0..tasks).rev().for_each(work);
        }
    }

    #[test]
    fn each_chunk_is_worked_on_once_and_knows_its_index() {
        const SIZE: usize = 3;
        let lengths = [0, 1, SIZE, SIZE + 1, MOST_TASKS * SIZE, MOST_TASKS * SIZE + 1, 999 * SIZE];
        let executors: &[&dyn Executor] = &[
            &SerialExecutor,
            &Backwards,
            #[cfg(feature = "rayon")]
            &RayonExecutor::new(2).expect("threads start"),
        ];
        for executor in executors {
            for length in lengths {
                let mut numbers = vec![0; length];
                executor.for_each_chunk(
                    (&mut numbers[..], 0..length),
                    SIZE,
                    |index, (chunk, range)| {
                        assert_eq!(range.start, index * SIZE);
                        for (number, place) in chunk.iter_mut().zip(range) {
                            *number += place + 1;
                        }
                    },
                );
                assert!(numbers.into_iter().eq(1..=length), "{length}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "each task once")]
    fn a_task_that_runs_twice_is_refused() {
        struct Twice;
        impl Executor for Twice {
            fn for_each_task(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
                (0..tasks).chain(0..1).for_each(work);
            }
        }
        let executor: &dyn Executor = &Twice;
        executor.for_each_chunk(0..10, 3, |_, _| {});
    }
}
