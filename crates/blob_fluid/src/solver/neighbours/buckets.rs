//! The counting sort of particles by their cells.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;

/// Number of ranges of cells that are sorted at the same time.
pub(super) const BUCKETS: usize = 64;

/// The cells of a bucket and the particles in them.
pub(super) struct Bucket<'a> {
    pub starts: &'a mut [u32],
    pub cells: &'a mut [u32],
    pub order: &'a mut [u32],
    /// Index of its first cell, and index of its first particle.
    pub first_cell: u32,
    pub first_index: u32,
}

impl Bucket<'_> {
    /// Sorts particles, given by cell and old index, with a counting sort.
    pub(super) fn sort(&mut self, particles: impl DoubleEndedIterator<Item = (u32, u32)> + Clone) {
        self.starts.fill(0);
        for (cell, _) in particles.clone() {
            self.starts[(cell - self.first_cell) as usize] += 1;
        }
        let mut end = self.first_index;
        for start in &mut *self.starts {
            end += *start;
            *start = end;
        }
        // In reverse, so that each cell's end index becomes its start index.
        for (cell, old) in particles.rev() {
            let start = &mut self.starts[(cell - self.first_cell) as usize];
            *start -= 1;
            let index = (*start - self.first_index) as usize;
            self.order[index] = old;
            self.cells[index] = cell;
        }
    }

    /// Does the same, given the cells in the old order, in buckets that are sorted side by side.
    pub(super) fn sort_divided(
        self,
        unsorted_cells: &[u32],
        (cursors, buckets): (&mut Vec<[u32; BUCKETS]>, &mut Vec<AtomicU64>),
        executor: &dyn Executor,
    ) {
        let Self { mut starts, mut cells, mut order, first_cell, first_index } = self;
        let count = unsorted_cells.len();
        let chunk = |index: usize| index * LONG_CHUNK..count.min((index + 1) * LONG_CHUNK);
        let cells_per_bucket = starts.len().div_ceil(BUCKETS).next_power_of_two();
        let bucket_of =
            |cell: u32| ((cell - first_cell) >> cells_per_bucket.trailing_zeros()) as usize;
        cursors.resize(count.div_ceil(LONG_CHUNK), [0; BUCKETS]);
        executor.for_each_chunk(&mut cursors[..], 1, |index, counts| {
            counts[0] = [0; BUCKETS];
            for cell in &unsorted_cells[chunk(index)] {
                counts[0][bucket_of(*cell)] += 1;
            }
        });
        let mut bucket_starts = [0; BUCKETS + 1];
        let mut next = 0;
        for bucket in 0..BUCKETS {
            bucket_starts[bucket] = next as usize;
            for cursors in &mut *cursors {
                let particles = std::mem::replace(&mut cursors[bucket], next);
                next += particles;
            }
        }
        bucket_starts[BUCKETS] = count;
        buckets.resize_with(count, AtomicU64::default);
        executor.for_each_chunk(&mut cursors[..], 1, |index, cursors| {
            for (cell, old) in unsorted_cells[chunk(index)].iter().zip(chunk(index)) {
                let cursor = &mut cursors[0][bucket_of(*cell)];
                let old = u64::from(first_index) + old as u64;
                buckets[*cursor as usize].store(u64::from(*cell) << 32 | old, Relaxed);
                *cursor += 1;
            }
        });
        let mut bucket_slices: [Bucket; BUCKETS] = std::array::from_fn(|bucket| {
            let particles = bucket_starts[bucket + 1] - bucket_starts[bucket];
            let cells_of_bucket = cells_per_bucket.min(starts.len());
            Bucket {
                starts: take(&mut starts, cells_of_bucket),
                cells: take(&mut cells, particles),
                order: take(&mut order, particles),
                first_cell: first_cell + (bucket * cells_per_bucket) as u32,
                first_index: first_index + bucket_starts[bucket] as u32,
            }
        });
        executor.for_each_chunk(&mut bucket_slices[..], 1, |index, bucket| {
            let particles = &buckets[bucket_starts[index]..bucket_starts[index + 1]];
            bucket[0].sort(particles.iter().map(|key| {
                let key = key.load(Relaxed);
                ((key >> 32) as u32, key as u32)
            }));
        });
    }
}

/// Splits the first elements off a slice.
fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}
