//! The uniform grid. A counting sort by cell makes the particles of each cell consecutive.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use glam::{Vec2, Vec2Swizzles};

use crate::parallel::executor::{LONG_CHUNK, PerChunk};
use crate::parallel::instructions::{self, Instructions, LaneKernel, floor};
use crate::{Executor, FluidBounds};

/// Largest number of particles that are sorted in one bucket. For fewer particles, two rounds cost more than they save.
const MAX_SINGLE_BUCKET: usize = 16_384;

/// Ratio of width to height of the box around all particles above which short rows run upwards.
const SHORT_ROWS_ASPECT_RATIO: f32 = 1.5;

/// The sides of a frame that is not folded are rounded up to multiples of this many columns and rows. So the frame does
/// not change with every particle that moves up or down.
const FRAME_ALIGNMENT: (i32, i32) = (4 * COLUMNS_PER_RADIUS, 4);

/// A grid over the box around all particles, stored row by row. Along a row, [`COLUMNS_PER_RADIUS`] cells are as long
/// as one interaction radius; across, one cell is. Rows run from left to right, or upwards where few particles of a
/// wide liquid move.
///
/// If the box needs far more cells than there are particles, the grid is folded. Cells whose distance is a multiple of
/// the folded size then share one cell. Folding only adds candidates that are too far away to be neighbours, so a
/// stray particle costs no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub(super) frame: Frame,
    /// Prefix sum: the index of each cell's first particle, then the end of the last cell.
    pub(super) starts: Vec<u32>,
    /// Cell of each particle, in sorted order.
    pub(super) cells: Vec<u32>,
    pub(super) order: Vec<u32>,
    /// Number of particles that touch others. The particles after them
    /// [wait](MAX_PARTICLES_PER_CELL).
    pub(super) interacting_count: usize,
    scratch: SortScratch,
}

/// Largest number of particles of a cell that touch others, about a hundred times the number at rest. Without a limit,
/// the pairs would cost the square of the number. The other particles of the cell wait at the end of the order. They
/// have no pairs until particles before them have left the cell. So momentum is conserved.
pub(super) const MAX_PARTICLES_PER_CELL: usize = 128;

/// The order that a sort produces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order<'a> {
    /// The old index of the particle at each new index; valid only in the `changed` ranges.
    pub old: &'a [u32],
    /// The ranges of indices in which the order changes, in ascending order. All other particles keep their indices.
    pub changed: &'a [Range<usize>],
}

/// Buffers of the sort.
#[derive(Debug, Default)]
struct SortScratch {
    /// Box around each long chunk of particles; [`INVALID_BOUNDS`] where the last sort changed the
    /// order.
    bounds: Vec<FluidBounds>,
    unsorted_cells: Vec<u32>,
    summaries: Vec<CellSummary>,
    /// The ranges of particles that are not in their places.
    runs: Vec<Range<usize>>,
    /// Old indices of the particles that wait.
    waiting: Vec<u32>,
    /// For each long chunk, the number of its particles in each bucket; after the prefix sum, the next free place in
    /// each bucket.
    cursors: Vec<[u32; BUCKETS]>,
    /// Cell and old index of each particle, bucket by bucket. The items are atomic because all chunks write to all
    /// buckets. No two chunks write to the same item.
    buckets: Vec<AtomicU64>,
}

/// Marks an outdated box.
const INVALID_BOUNDS: FluidBounds = FluidBounds::ALL;

/// Summary of the cells of [`SUMMARY_SIZE`] consecutive particles before they are sorted.
#[derive(Clone, Copy, Debug, Default)]
struct CellSummary {
    lowest: u32,
    highest: u32,
    /// Whether the cells are the same as those of the last sort at these indices.
    unchanged: bool,
    /// The lowest cell of all particles after this part.
    lowest_after: u32,
}

impl CellSummary {
    /// The summary of unchanged cells of the last sort.
    fn of_sorted(cells: &[u32]) -> Self {
        let end = |cell: Option<&u32>| cell.copied().unwrap_or_default();
        let (lowest, highest) = (end(cells.first()), end(cells.last()));
        Self { lowest, highest, unchanged: true, lowest_after: u32::MAX }
    }
}

/// Number of particles in a [`CellSummary`].
const SUMMARY_SIZE: usize = 256;

impl Clone for SortScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Cells of a part, and the cells of the last sort at the same indices.
struct SummarizeCells<'a> {
    cells: &'a [u32],
    previous_cells: Option<&'a [u32]>,
}

impl LaneKernel for SummarizeCells<'_> {
    type Output = CellSummary;

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) -> CellSummary {
        let Self { cells, previous_cells } = self;
        let (mut lowest, mut highest) = (u32::MAX, 0);
        for cell in cells {
            lowest = lowest.min(*cell);
            highest = highest.max(*cell);
        }
        let unchanged = |previous_cells: &[u32]| {
            cells
                .iter()
                .zip(previous_cells)
                .fold(0, |differ, (cell, previous)| differ | (cell ^ previous))
                == 0
        };
        let unchanged = previous_cells.is_some_and(unchanged);
        CellSummary { lowest, highest, unchanged, lowest_after: u32::MAX }
    }
}

impl Grid {
    /// Sorts `positions` (finite, within `i32` cells of the origin) into cells for an interaction radius. Returns the
    /// order: `order[new]` is the old index. The sort is stable, so the result does not depend on how the work is
    /// divided. No particle waits.
    pub(crate) fn sort(
        &mut self,
        positions: &[Vec2],
        interaction_radius: f32,
        executor: &dyn Executor,
    ) -> &[u32] {
        self.cells.clear();
        self.sort_cells(positions, interaction_radius, false, |_| false, executor);
        &self.order
    }

    /// Like [`sort`](Self::sort), for particles that are mostly in the order of the last sort. A part of the particles
    /// is in its place if its cells are the same as after the last sort. No particle before the part may be in a higher
    /// cell, and none after it in a lower one. Only the other parts are sorted. The order is the same as if all were
    /// sorted. In crowded cells, particles [wait](MAX_PARTICLES_PER_CELL).
    ///
    /// With `short_rows`, rows run along the shorter side of a wide box. That keeps a change local, because a particle
    /// that changes its row shifts all particles between its old and its new place. Long rows have fewer partly filled
    /// blocks.
    ///
    /// `is_unchanged` returns whether a range of particles is unchanged since the last sort. Such
    /// ranges are not computed again, unless particles were added or removed.
    pub(crate) fn sort_incrementally(
        &mut self,
        positions: &[Vec2],
        interaction_radius: f32,
        short_rows: bool,
        is_unchanged: impl Fn(Range<usize>) -> bool + Sync,
        executor: &dyn Executor,
    ) -> Order<'_> {
        self.sort_cells(positions, interaction_radius, short_rows, is_unchanged, executor);
        self.move_waiting_behind();
        Order { old: &self.order, changed: &self.scratch.runs }
    }

    /// Number of particles that wait.
    pub(crate) fn waiting_count(&self) -> usize {
        self.cells.len() - self.interacting_count
    }

    fn sort_cells(
        &mut self,
        positions: &[Vec2],
        interaction_radius: f32,
        short_rows: bool,
        is_unchanged: impl Fn(Range<usize>) -> bool + Sync,
        executor: &dyn Executor,
    ) {
        let same_count = positions.len() == self.cells.len();
        let is_unchanged = |range: Range<usize>| same_count && is_unchanged(range);
        let frame =
            self.compute_frame(positions, interaction_radius, short_rows, is_unchanged, executor);
        let Self { starts, cells, order, interacting_count, scratch, .. } = self;
        let SortScratch { unsorted_cells, summaries, runs, .. } = scratch;
        let count = positions.len();
        let cell_count = frame.columns as usize * frame.rows as usize;
        let reusable_count =
            if frame == self.frame { cells.len().min(*interacting_count) } else { 0 };
        let previous_cells = |range: Range<usize>| {
            // `starts` of the cells after the last particle depends on the number of particles.
            let is_reusable =
                range.end <= reusable_count && (range.end < count || count == reusable_count);
            is_reusable.then(|| &cells[range])
        };
        unsorted_cells.resize(count, 0);
        summaries.resize(count.div_ceil(SUMMARY_SIZE), CellSummary::default());
        let into = (&mut unsorted_cells[..], PerChunk::new(summaries, count, SUMMARY_SIZE));
        executor.for_each_chunk(into, SUMMARY_SIZE, |index, (unsorted, summary)| {
            let range = index * SUMMARY_SIZE..index * SUMMARY_SIZE + unsorted.len();
            let previous_cells = previous_cells(range.clone());
            *summary.item() = match previous_cells {
                Some(previous_cells) if is_unchanged(range.clone()) => {
                    debug_assert!(
                        {
                            frame.compute_cells(&positions[range], unsorted);
                            unsorted == previous_cells
                        },
                        "what is still has not moved"
                    );
                    unsorted.copy_from_slice(previous_cells);
                    CellSummary::of_sorted(previous_cells)
                }
                _ => {
                    frame.compute_cells(&positions[range], unsorted);
                    instructions::run(SummarizeCells { cells: unsorted, previous_cells })
                }
            };
        });
        let mut lowest_after = u32::MAX;
        for summary in summaries.iter_mut().rev() {
            summary.lowest_after = lowest_after;
            lowest_after = lowest_after.min(summary.lowest);
        }
        runs.clear();
        // Reserves the largest possible number, so that no step allocates because more parts have changed.
        runs.reserve(summaries.len().div_ceil(2));
        let mut highest_before = 0;
        for (index, summary) in summaries.iter().enumerate() {
            let is_in_place =
                highest_before <= summary.lowest && summary.highest <= summary.lowest_after;
            highest_before = highest_before.max(summary.highest);
            if summary.unchanged && is_in_place {
                continue;
            }
            let range = index * SUMMARY_SIZE..count.min((index + 1) * SUMMARY_SIZE);
            match runs.last_mut().filter(|last| last.end == range.start) {
                Some(last) => last.end = range.end,
                None => runs.push(range),
            }
        }

        if runs.iter().map(|run| run.len()).sum::<usize>() > count / 2 {
            // Sorting all particles and swapping the arrays costs less than sorting most of them and copying.
            runs.clear();
            runs.push(0..count);
        }

        self.frame = frame;
        if count == 0 {
            // Without particles there is no run whose sort fills `starts`.
            starts.clear();
        }
        starts.resize(cell_count + 1, 0);
        starts[cell_count] = count as u32;
        cells.resize(count, 0);
        order.resize(count, 0);
        *interacting_count = count;
        let runs = std::mem::take(runs);
        for run in &runs {
            self.sort_run(run.clone(), executor);
            let chunks = run.start / LONG_CHUNK..run.end.div_ceil(LONG_CHUNK);
            self.scratch.bounds[chunks].fill(INVALID_BOUNDS);
        }
        self.scratch.runs = runs;
        debug_assert!(self.is_sorted(), "sorting a part gives the order of sorting all");
    }

    /// Moves the particles that [wait](MAX_PARTICLES_PER_CELL) behind all others, into an extra
    /// cell after the last.
    fn move_waiting_behind(&mut self) {
        let Self { starts, cells, order, interacting_count, scratch, .. } = self;
        let SortScratch { bounds, runs, waiting, .. } = scratch;
        // In a crowded cell, two consecutive samples are in the same cell.
        let samples = || cells.iter().step_by(MAX_PARTICLES_PER_CELL / 2);
        if samples().zip(samples().skip(1)).all(|(one, next)| one != next) {
            return;
        }
        let is_beyond = |index: &usize| cells[*index] == cells[*index - MAX_PARTICLES_PER_CELL];
        let Some(first) = (MAX_PARTICLES_PER_CELL..cells.len()).find(is_beyond) else { return };
        let last_cell = (starts.len() - 1) as u32;
        waiting.clear();
        let (mut cell, mut in_cell) = (cells[first], MAX_PARTICLES_PER_CELL);
        let mut next = first;
        let mut sorted = runs.iter().filter(|run| run.end > first);
        let mut run = sorted.next();
        for index in first..cells.len() {
            if run.is_some_and(|run| run.end <= index) {
                run = sorted.next();
            }
            let changed = run.is_some_and(|run| run.contains(&index));
            let old = if changed { order[index] } else { index as u32 };
            if cells[index] != cell {
                (cell, in_cell) = (cells[index], 0);
            }
            in_cell += 1;
            if in_cell > MAX_PARTICLES_PER_CELL {
                waiting.push(old);
            } else {
                (order[next], cells[next]) = (old, cell);
                next += 1;
            }
        }
        *interacting_count = next;
        order[next..].copy_from_slice(waiting);
        cells[next..].fill(last_cell);
        let mut end = first;
        for cell in cells[first - 1] + 1..=last_cell {
            while end < next && cells[end] < cell {
                end += 1;
            }
            starts[cell as usize] = end as u32;
        }
        // Each range contains the same particles in both orders.
        let start =
            runs.iter().find(|run| run.end > first).map_or(first, |run| run.start.min(first));
        runs.retain(|run| run.end <= start);
        runs.push(start..cells.len());
        bounds[first / LONG_CHUNK..].fill(INVALID_BOUNDS);
    }

    /// Computes the frame of the cells for these positions.
    fn compute_frame(
        &mut self,
        positions: &[Vec2],
        interaction_radius: f32,
        short_rows: bool,
        is_unchanged: impl Fn(Range<usize>) -> bool + Sync,
        executor: &dyn Executor,
    ) -> Frame {
        let bounds = &mut self.scratch.bounds;
        let count = positions.len();
        bounds.resize(count.div_ceil(LONG_CHUNK), INVALID_BOUNDS);
        executor.for_each_chunk(&mut bounds[..], 1, |index, bounds| {
            let range = index * LONG_CHUNK..count.min((index + 1) * LONG_CHUNK);
            if bounds[0] == INVALID_BOUNDS || !is_unchanged(range.clone()) {
                bounds[0] = FluidBounds::of(&positions[range]);
            }
        });
        let all = bounds.iter().copied().reduce(FluidBounds::union);
        let all = all.unwrap_or(FluidBounds { low: Vec2::ZERO, high: Vec2::ZERO });
        let size = all.high - all.low;
        let vertical_rows = short_rows && size.x > SHORT_ROWS_ASPECT_RATIO * size.y;
        let per_radius = Vec2::new(COLUMNS_PER_RADIUS as f32, 1.0);
        let per_radius = if vertical_rows { per_radius.yx() } else { per_radius };
        let inverse_cell_size = per_radius * (1.0 / interaction_radius);
        let along = |(x, y): (i32, i32)| if vertical_rows { (y, x) } else { (x, y) };
        let (low, high) = (
            along(cell_of(&all.low, inverse_cell_size)),
            along(cell_of(&all.high, inverse_cell_size)),
        );

        let most_cells = (16 * count as i64).max(4096);
        let (mut columns, mut rows) =
            (i64::from(high.0) - i64::from(low.0) + 1, i64::from(high.1) - i64::from(low.1) + 1);
        let unfolded = (columns, rows);
        while columns * rows > most_cells {
            let longer = if columns >= rows { &mut columns } else { &mut rows };
            *longer = (*longer + 1) / 2;
        }
        let (folded_columns, folded_rows) = (columns != unfolded.0, rows != unfolded.1);
        let is_in_fast_range = |cell: i32| (-MAX_FAST_CELL..MAX_FAST_CELL).contains(&cell);
        let fast_conversion = !(folded_columns || folded_rows)
            && [low.0, low.1, high.0, high.1].into_iter().all(is_in_fast_range);
        let mut frame = Frame {
            vertical_rows,
            inverse_cell_size,
            low,
            columns: columns as i32,
            rows: rows as i32,
            folded_columns,
            folded_rows,
            fast_conversion,
        };
        if fast_conversion {
            let widen = |low: i32, high: i32, step: i32| {
                let first = low.div_euclid(step) * step;
                (first, (high.div_euclid(step) + 1) * step - first)
            };
            (frame.low.0, frame.columns) = widen(low.0, high.0, FRAME_ALIGNMENT.0);
            (frame.low.1, frame.rows) = widen(low.1, high.1, FRAME_ALIGNMENT.1);
        }
        frame
    }

    /// Sorts a range of particles. All particles before it are in the same or in lower cells, and all particles after
    /// it in the same or in higher cells.
    fn sort_run(&mut self, run: Range<usize>, executor: &dyn Executor) {
        let Self { starts, cells, order, scratch, .. } = self;
        let SortScratch { unsorted_cells, cursors, buckets, .. } = scratch;
        // From the cell of the last particle before the run to that of the first particle after it.
        let first_cell = run.start.checked_sub(1).map_or(0, |last| cells[last]) as usize;
        let end = unsorted_cells.get(run.end).map_or(starts.len() - 1, |next| *next as usize + 1);
        let starts = &mut starts[first_cell..end];
        // Particles of the first cell may come before the run.
        let first_start = (run.start > 0).then(|| starts[0]);
        let count = run.len();
        let unsorted_cells = &unsorted_cells[run.clone()];
        let mut all = Bucket {
            starts: &mut *starts,
            cells: &mut cells[run.clone()],
            order: &mut order[run.clone()],
            first_cell: first_cell as u32,
            first_index: run.start as u32,
        };
        if count <= MAX_SINGLE_BUCKET || executor.is_serial() {
            all.sort(unsorted_cells.iter().copied().zip(run.start as u32..run.end as u32));
        } else {
            all.sort_parallel(unsorted_cells, cursors, buckets, executor);
        }
        if let Some(first_start) = first_start {
            starts[0] = first_start;
        }
    }

    /// Whether the particles are sorted by cell and then by their old index, and `starts` is correct.
    fn is_sorted(&self) -> bool {
        let Self { starts, cells, order, scratch, .. } = self;
        let mut runs = &scratch.runs[..];
        let mut before = None;
        let ascends = |index: usize| {
            while runs.first().is_some_and(|run| run.end <= index) {
                runs = &runs[1..];
            }
            let changed = runs.first().is_some_and(|run| run.contains(&index));
            let old = if changed { order[index] as usize } else { index };
            let key = Some((cells[index], old));
            std::mem::replace(&mut before, key) < key && scratch.unsorted_cells[old] == cells[index]
        };
        let mut first = 0;
        let begins = |(cell, start): (usize, &u32)| {
            while first < cells.len() && (cells[first] as usize) < cell {
                first += 1;
            }
            first == *start as usize
        };
        (0..cells.len()).all(ascends) && starts.iter().enumerate().all(begins)
    }

    /// The order of the last [`sort`](Self::sort).
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }
}

// The frame of the grid's cells, and the cells that contain positions.

/// Number of cells along one interaction radius. Narrow cells reduce the number of candidates beside a block that are
/// too far away to be neighbours.
pub(super) const COLUMNS_PER_RADIUS: i32 = 8;

/// Place and size of the cells. The cell of a position depends only on the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Frame {
    /// Whether rows run upwards. Then columns are stacked vertically, and rows horizontally.
    pub vertical_rows: bool,
    /// Cells per world unit, horizontally and vertically.
    pub inverse_cell_size: Vec2,
    /// Column and row of the first cell.
    pub low: (i32, i32),
    pub columns: i32,
    pub rows: i32,
    pub folded_columns: bool,
    pub folded_rows: bool,
    /// Whether cells can be computed without a saturating conversion.
    pub fast_conversion: bool,
}

impl Frame {
    /// Computes the indices of the cells that contain positions.
    pub(super) fn compute_cells(&self, positions: &[Vec2], cells: &mut [u32]) {
        let &Self { vertical_rows, inverse_cell_size, low, columns, rows, fast_conversion, .. } =
            self;
        if fast_conversion {
            let (low, strides) =
                if vertical_rows { ((low.1, low.0), (columns, 1)) } else { (low, (1, columns)) };
            instructions::run(CellsOf { positions, inverse_cell_size, low, strides, cells });
            return;
        }
        for (cell, position) in cells.iter_mut().zip(positions) {
            let (x, y) = cell_of(position, inverse_cell_size);
            let (x, y) = if vertical_rows { (y, x) } else { (x, y) };
            let (column, row) = ((x - low.0) % columns, (y - low.1) % rows);
            *cell = (row * columns + column) as u32;
        }
    }
}

/// The horizontal and vertical coordinates of the cell that contains a point.
#[inline(always)]
pub(super) fn cell_of(point: &Vec2, inverse_cell_size: Vec2) -> (i32, i32) {
    let scaled = *point * inverse_cell_size;
    (floor(scaled.x), floor(scaled.y))
}

/// Largest distance from the origin, in cells, at which cells can be computed without a saturating conversion.
pub(super) const MAX_FAST_CELL: i32 = 1 << 22;

/// Computes the indices of the cells that contain points, if the grid is not folded and all points are within
/// [`MAX_FAST_CELL`].
struct CellsOf<'a> {
    positions: &'a [Vec2],
    inverse_cell_size: Vec2,
    low: (i32, i32),
    /// Index offset to the next cell on the right, and to the next cell above.
    strides: (i32, i32),
    cells: &'a mut [u32],
}

impl LaneKernel for CellsOf<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) {
        let index = |x: i32, y: i32| {
            y.wrapping_mul(self.strides.1).wrapping_add(x.wrapping_mul(self.strides.0))
        };
        let first = index(self.low.0, self.low.1);
        for (cell, position) in self.cells.iter_mut().zip(self.positions) {
            let scaled = *position * self.inverse_cell_size;
            let (x, y) = (fast_floor(scaled.x), fast_floor(scaled.y));
            *cell = index(x, y).wrapping_sub(first) as u32;
        }
    }
}

/// [`floor`] within `±MAX_FAST_CELL`, in vector instructions. It adds a number so large that no
/// bits are left for the fraction, and reads the low bits of the sum.
#[inline(always)]
fn fast_floor(x: f32) -> i32 {
    const SHIFT: f32 = 3.0 * MAX_FAST_CELL as f32;
    let shifted = x + SHIFT;
    let nearest = shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32;
    nearest - i32::from(x < shifted - SHIFT)
}

// The counting sort of particles by cell.

/// Number of cell ranges that are sorted in parallel.
pub(super) const BUCKETS: usize = 64;

/// The cells of a bucket, and the particles in them.
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
        // In reverse order, so that each cell's end index becomes its start index.
        for (cell, old) in particles.rev() {
            let start = &mut self.starts[(cell - self.first_cell) as usize];
            *start -= 1;
            let index = (*start - self.first_index) as usize;
            self.order[index] = old;
            self.cells[index] = cell;
        }
    }

    /// As [`sort`](Self::sort), in parallel buckets. `unsorted_cells` are the cells in the old order.
    pub(super) fn sort_parallel(
        self,
        unsorted_cells: &[u32],
        cursors: &mut Vec<[u32; BUCKETS]>,
        buckets: &mut Vec<AtomicU64>,
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
                starts: split_off_front(&mut starts, cells_of_bucket),
                cells: split_off_front(&mut cells, particles),
                order: split_off_front(&mut order, particles),
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
fn split_off_front<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn fast_floor_equals_floor() {
        let limit = MAX_FAST_CELL as f32;
        let numbers = (0..200_000).map(|index| scatter(index).x * limit);
        let small = (-4000..4000).map(|index| index as f32 / 512.0);
        let edges = [-limit, -limit + 0.5, limit - 1.0, limit - 0.5, -0.0, 0.0, -1e-30, 1e-30];
        let next = |x: f32| [x, x.next_up(), x.next_down()];
        for x in numbers.chain(small.flat_map(next)).chain(edges) {
            assert_eq!(fast_floor(x), floor(x), "{x}");
        }
    }
}
