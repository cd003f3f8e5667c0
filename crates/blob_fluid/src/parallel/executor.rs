//! Executors run the passes: on one thread, on a pool of threads, or on what a host program offers.

use std::ops::Range;

/// Data that can be divided into chunks: a mutable slice, a range of indices, or a tuple of these
/// with equal lengths.
///
/// ```
/// use blob_fluid::Slices;
/// let (mut numbers, mut flags) = ([1, 2, 3], [true, false, true]);
/// let (first, rest) = (&mut numbers[..], &mut flags[..]).split_at(1);
/// assert_eq!(first, (&mut [1][..], &mut [true][..]));
/// assert_eq!(rest.len(), 2);
/// ```
pub trait Slices: Send + Sized {
    /// Number of elements. All parts of a tuple have the same length.
    fn len(&self) -> usize;

    /// Whether the length is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Divides the data at `index`: the first part has `index` elements. A tuple is divided part by
    /// part.
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

/// A list with one item for every chunk of `chunk_size` elements. It is used in a tuple with the
/// data that has these elements.
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

/// Runs a function over chunks of slices, perhaps on several threads.
///
/// Passes write each particle's result to its own index and read only frozen data. The results
/// therefore depend neither on which thread runs which chunk nor on the number of threads.
pub trait Executor: Sync {
    /// Calls `work(chunk_index, chunk)` once for every chunk of `chunk_size` elements; the last
    /// chunk may be shorter. Returns when all calls have returned.
    fn for_each_chunk<S, F>(&self, data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync;

    /// Whether all chunks run one after the other. Then work that only prepares for several threads
    /// is left out. The results are the same, and `false` is always a valid answer.
    fn is_serial(&self) -> bool {
        false
    }

    /// Calls `work` on a thread from which many calls of [`for_each_chunk`](Self::for_each_chunk)
    /// are cheap: on a thread of the pool, if the executor has one.
    fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        work()
    }
}

/// Runs everything on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct SerialExecutor;

impl Executor for SerialExecutor {
    fn for_each_chunk<S, F>(&self, mut data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync,
    {
        let mut index = 0;
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

    fn is_serial(&self) -> bool {
        true
    }
}

/// Runs chunks on its own pool of threads.
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
    fn for_each_chunk<S, F>(&self, data: S, chunk_size: usize, work: F)
    where
        S: Slices,
        F: Fn(usize, S) + Sync,
    {
        if data.len() <= chunk_size {
            return SerialExecutor.for_each_chunk(data, chunk_size, work);
        }
        self.pool.install(|| divide(data, 0, chunk_size, &work));
    }

    fn is_serial(&self) -> bool {
        self.threads() == 1
    }

    fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }
}

/// Divides the chunks into halves until one chunk is left, and offers one half to other threads.
#[cfg(feature = "rayon")]
fn divide<S: Slices, F: Fn(usize, S) + Sync>(data: S, first: usize, chunk_size: usize, work: &F) {
    let chunks = data.len().div_ceil(chunk_size);
    if chunks < 2 {
        return work(first, data);
    }
    let (low, high) = data.split_at(chunks / 2 * chunk_size);
    rayon::join(
        || divide(low, first, chunk_size, work),
        || divide(high, first + chunks / 2, chunk_size, work),
    );
}
