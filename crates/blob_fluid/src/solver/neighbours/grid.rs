//! The uniform grid. Particles are sorted by cell with a counting sort, so that each cell holds
//! consecutive particles.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use glam::Vec2;

use crate::geometry::bounds::Bounds;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, floor};

/// Number of cells across one interaction radius. Narrow cells leave fewer candidates beside a
/// block that are too far away to be neighbours.
const COLUMNS_PER_RADIUS: i32 = 8;

/// Largest width of a block, in columns. A wider block has more candidates; a narrower one has
/// fewer particles where they are sparse.
const BLOCK_COLUMNS: u32 = 12;

/// Cells as high as the interaction radius and a fraction of it wide, row by row over the box
/// around all particles.
///
/// If that box would need far more cells than there are particles, the grid is folded: cells whose
/// distance is a whole number of folds share one cell. Folding only adds candidates that are too
/// far away to be neighbours, so a stray particle costs no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    columns: i32,
    rows: i32,
    folded_columns: bool,
    folded_rows: bool,
    /// Index of each cell's first particle; then the end of the last cell.
    starts: Vec<u32>,
    /// Cell of each particle, in sorted order.
    cells: Vec<u32>,
    order: Vec<u32>,
    scratch: SortScratch,
}

/// Buffers that sorting reuses.
#[derive(Debug, Default)]
struct SortScratch {
    /// Box around each chunk of particles.
    bounds: Vec<Bounds>,
    unsorted_cells: Vec<u32>,
    /// For each chunk, the number of its particles in each bucket; later, where the next particle
    /// of each bucket goes.
    cursors: Vec<[u32; BUCKETS]>,
    /// Cell and old index of each particle, bucket by bucket. It is atomic because all chunks write
    /// into all buckets; no two chunks write to the same place.
    buckets: Vec<AtomicU64>,
}

impl Clone for SortScratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Number of ranges of cells that are sorted at the same time.
const BUCKETS: usize = 64;

/// Largest number of particles that are sorted in one bucket: for fewer, two rounds cost more than
/// they save.
const UNDIVIDED: usize = 16_384;

/// The cells of a bucket and the particles in them.
struct Bucket<'a> {
    starts: &'a mut [u32],
    cells: &'a mut [u32],
    order: &'a mut [u32],
    /// Index of its first cell, and index of its first particle.
    first_cell: u32,
    first_index: u32,
}

impl Bucket<'_> {
    /// Sorts particles, given by cell and old index, with a counting sort.
    fn sort(&mut self, particles: impl DoubleEndedIterator<Item = (u32, u32)> + Clone) {
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
}

/// Column and row of the cell a point lies in.
#[inline(always)]
fn cell_of(point: &Vec2, inverse_cell_size: Vec2) -> (i32, i32) {
    let scaled = *point * inverse_cell_size;
    (floor(scaled.x), floor(scaled.y))
}

/// Largest distance from the origin, in cells, at which cells are found without a saturating
/// conversion.
const NEAR_CELLS: i32 = 1 << 22;

/// Finds the indices of the cells that points lie in, if the grid is not folded and all points are
/// within [`NEAR_CELLS`].
struct CellsOf<'a> {
    positions: &'a [Vec2],
    inverse: Vec2,
    low: (i32, i32),
    columns: i32,
    cells: &'a mut [u32],
}

impl LaneKernel for CellsOf<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) {
        let first = self.low.1.wrapping_mul(self.columns).wrapping_add(self.low.0);
        for (cell, position) in self.cells.iter_mut().zip(self.positions) {
            let scaled = *position * self.inverse;
            let (x, y) = (near_floor(scaled.x), near_floor(scaled.y));
            *cell = y.wrapping_mul(self.columns).wrapping_add(x).wrapping_sub(first) as u32;
        }
    }
}

/// [`floor`] within `±NEAR_CELLS`, in vector instructions: it adds a number so large that the sum
/// has no bits left for the fraction, and reads the low bits of the sum.
#[inline(always)]
fn near_floor(x: f32) -> i32 {
    const SHIFT: f32 = 3.0 * NEAR_CELLS as f32;
    let shifted = x + SHIFT;
    let nearest = shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32;
    nearest - i32::from(x < shifted - SHIFT)
}

/// Up to [`LANES`] consecutive particles of neighbouring cells, and all candidates for their
/// neighbours.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub particles: Range<usize>,
    spans: [Range<u32>; 6],
    span_count: usize,
}

impl Block {
    /// Ranges of particles that contain every neighbour of the block's particles, and the block
    /// itself. Each particle is in one range only, and the order is always the same.
    #[inline(always)]
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.spans[..self.span_count].iter().map(|span| span.start as usize..span.end as usize)
    }
}

impl Grid {
    /// Sorts `positions` (finite, within `i32` cells of the origin) into cells for an interaction
    /// radius. Returns the order: `order[new]` is the old index. Particles of one cell keep their
    /// order, so that the result does not depend on how the work is divided.
    pub(crate) fn sort<E: Executor>(
        &mut self,
        positions: &[Vec2],
        interaction_radius: f32,
        executor: &E,
    ) -> &[u32] {
        let Self { starts, cells, order, scratch, .. } = self;
        let SortScratch { bounds, unsorted_cells, cursors, buckets } = scratch;
        let count = positions.len();
        let chunks = count.div_ceil(LONG_CHUNK);
        let chunk = |index: usize| index * LONG_CHUNK..count.min((index + 1) * LONG_CHUNK);
        let inverse = 1.0 / interaction_radius;
        let inverse = Vec2::new(COLUMNS_PER_RADIUS as f32 * inverse, inverse);
        bounds.resize(chunks, Bounds::NONE);
        executor.for_each_chunk(&mut bounds[..], 1, |index, bounds| {
            bounds[0] = Bounds::of(&positions[chunk(index)]);
        });
        let all = bounds.iter().copied().reduce(Bounds::union);
        let all = all.unwrap_or(Bounds { low: Vec2::ZERO, high: Vec2::ZERO });
        let (low, high) = (cell_of(&all.low, inverse), cell_of(&all.high, inverse));

        let most_cells = (16 * count as i64).max(4096);
        let (mut columns, mut rows) =
            (i64::from(high.0) - i64::from(low.0) + 1, i64::from(high.1) - i64::from(low.1) + 1);
        let unfolded = (columns, rows);
        while columns * rows > most_cells {
            let longer = if columns >= rows { &mut columns } else { &mut rows };
            *longer = (*longer + 1) / 2;
        }
        let (folded_columns, folded_rows) = (columns != unfolded.0, rows != unfolded.1);
        let cell_count = (columns * rows) as usize;
        let (columns, rows) = (columns as i32, rows as i32);
        (self.columns, self.rows) = (columns, rows);
        (self.folded_columns, self.folded_rows) = (folded_columns, folded_rows);

        let within = |cell: i32| (-NEAR_CELLS..NEAR_CELLS).contains(&cell);
        let all_near = !(folded_columns || folded_rows)
            && [low.0, low.1, high.0, high.1].into_iter().all(within);
        unsorted_cells.resize(count, 0);
        executor.for_each_chunk(&mut unsorted_cells[..], LONG_CHUNK, |index, cells| {
            let positions = &positions[chunk(index)];
            if all_near {
                instructions::run(CellsOf { positions, inverse, low, columns, cells });
                return;
            }
            for (cell, position) in cells.iter_mut().zip(positions) {
                let (x, y) = cell_of(position, inverse);
                let (x, y) = ((x - low.0) % columns, (y - low.1) % rows);
                *cell = (y * columns + x) as u32;
            }
        });

        starts.resize(cell_count + 1, 0);
        starts[cell_count] = count as u32;
        cells.resize(count, 0);
        order.resize(count, 0);
        if count <= UNDIVIDED || executor.is_serial() {
            let starts = &mut starts[..cell_count];
            let mut all = Bucket { starts, cells, order, first_cell: 0, first_index: 0 };
            all.sort(unsorted_cells.iter().copied().zip(0..count as u32));
            return &self.order;
        }

        let cells_per_bucket = cell_count.div_ceil(BUCKETS).next_power_of_two();
        let bucket_of = |cell: u32| (cell >> cells_per_bucket.trailing_zeros()) as usize;
        cursors.resize(chunks, [0; BUCKETS]);
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
                buckets[*cursor as usize].store(u64::from(*cell) << 32 | old as u64, Relaxed);
                *cursor += 1;
            }
        });

        let (mut starts, mut cells) = (&mut starts[..cell_count], &mut cells[..]);
        let mut unsorted = &mut order[..];
        let mut of_buckets: [Bucket; BUCKETS] = std::array::from_fn(|bucket| {
            let particles = bucket_starts[bucket + 1] - bucket_starts[bucket];
            let own_cells = cells_per_bucket.min(starts.len());
            Bucket {
                starts: take(&mut starts, own_cells),
                cells: take(&mut cells, particles),
                order: take(&mut unsorted, particles),
                first_cell: (bucket * cells_per_bucket) as u32,
                first_index: bucket_starts[bucket] as u32,
            }
        });
        executor.for_each_chunk(&mut of_buckets[..], 1, |index, bucket| {
            let particles = &buckets[bucket_starts[index]..bucket_starts[index + 1]];
            bucket[0].sort(particles.iter().map(|key| {
                let key = key.load(Relaxed);
                ((key >> 32) as u32, key as u32)
            }));
        });
        &self.order
    }

    /// The order of the last sort.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Divides a range of sorted particles into blocks.
    pub(crate) fn blocks(&self, range: Range<usize>) -> Blocks<'_> {
        let block = Block { particles: 0..0, spans: Default::default(), span_count: 0 };
        Blocks { grid: self, left: range, block }
    }

    /// Finds the spans of a block in one row, between two columns.
    #[inline]
    fn find_spans(&self, block: &mut Block, row: i32, first: i32, last: i32) {
        block.span_count = 0;
        if self.folded_columns || self.folded_rows {
            return self.find_folded_spans(block, row, first, last);
        }
        let start = (first - COLUMNS_PER_RADIUS).max(0) as usize;
        let end = (last + 1 + COLUMNS_PER_RADIUS).min(self.columns) as usize;
        for row in (row - 1).max(0)..(row + 2).min(self.rows) {
            let row = &self.starts[(row * self.columns) as usize..];
            block.spans[block.span_count] = row[start]..row[end];
            block.span_count += 1;
        }
    }

    /// The same for a grid in which some rows or columns share their cells.
    #[cold]
    fn find_folded_spans(&self, block: &mut Block, row: i32, first: i32, last: i32) {
        let mut visit = |row: i32, columns: Range<i32>| {
            if columns.start < columns.end {
                let cells = row * self.columns;
                block.spans[block.span_count] = self.starts[(cells + columns.start) as usize]
                    ..self.starts[(cells + columns.end) as usize];
                block.span_count += 1;
            }
        };
        let mut visit_row = |row: i32| {
            let (start, end) = (first - COLUMNS_PER_RADIUS, last + 1 + COLUMNS_PER_RADIUS);
            if !self.folded_columns || end - start >= self.columns {
                let whole = self.folded_columns;
                let start = if whole { 0 } else { start.max(0) };
                visit(row, start..if whole { self.columns } else { end.min(self.columns) });
            } else if start < 0 {
                visit(row, start + self.columns..self.columns);
                visit(row, 0..end);
            } else if end > self.columns {
                visit(row, start..self.columns);
                visit(row, 0..end - self.columns);
            } else {
                visit(row, start..end);
            }
        };
        if !self.folded_rows {
            for row in (row - 1).max(0)..(row + 2).min(self.rows) {
                visit_row(row);
            }
        } else if self.rows <= 3 {
            for row in 0..self.rows {
                visit_row(row);
            }
        } else {
            for row in row - 1..row + 2 {
                visit_row(row.rem_euclid(self.rows));
            }
        }
    }
}

/// The blocks of a range of particles, one after the other in the same memory.
pub(crate) struct Blocks<'a> {
    grid: &'a Grid,
    left: Range<usize>,
    block: Block,
}

impl Blocks<'_> {
    /// The next block, or `None` at the end.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<&Block> {
        let Self { grid, left, block } = self;
        let first = left.start;
        if first >= left.end {
            return None;
        }
        let columns = grid.columns as u32;
        let (row, first_column) = (grid.cells[first] / columns, grid.cells[first] % columns);
        let last_cell = grid.cells[first] + (columns - 1 - first_column).min(BLOCK_COLUMNS - 1);
        let most = left.end.min(first + LANES);
        let cells = &grid.cells[first..most];
        let count = cells.iter().take_while(|cell| **cell <= last_cell).count();
        let last_column = cells[count - 1] - row * columns;
        left.start += count;
        block.particles = first..left.start;
        grid.find_spans(block, row as i32, first_column as i32, last_column as i32);
        Some(block)
    }
}

/// Splits the first elements off a slice.
fn take<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;
    use crate::parallel::executor::SerialExecutor;

    /// Finds every pair closer than the radius by testing all pairs.
    fn brute_force(positions: &[Vec2], radius: f32) -> Vec<Vec<usize>> {
        let near = |i: usize| {
            let close = |j: &usize| positions[i].distance_squared(positions[*j]) < radius * radius;
            (0..positions.len()).filter(close).collect()
        };
        (0..positions.len()).map(near).collect()
    }

    fn by_grid(positions: &[Vec2], radius: f32) -> Vec<Vec<usize>> {
        let mut grid = Grid::default();
        let order = grid.sort(positions, radius, &SerialExecutor).to_vec();
        let sorted: Vec<_> = order.iter().map(|old| positions[*old as usize]).collect();
        let mut neighbours = vec![Vec::new(); positions.len()];
        let mut visited = 0;
        let mut blocks = grid.blocks(0..positions.len());
        while let Some(block) = blocks.next() {
            for index in block.particles.clone() {
                visited += 1;
                for candidate in block.spans().flatten() {
                    if sorted[index].distance_squared(sorted[candidate]) < radius * radius {
                        neighbours[order[index] as usize].push(order[candidate] as usize);
                    }
                }
            }
        }
        assert_eq!(visited, positions.len(), "blocks cover every particle once");
        for list in &mut neighbours {
            list.sort_unstable();
        }
        neighbours
    }

    #[test]
    fn finds_the_pairs_that_brute_force_finds() {
        let cloud = |count: u32, size: Vec2, centre: Vec2| -> Vec<Vec2> {
            (0..count).map(|i| centre + scatter(i) * size).collect()
        };
        let mut scattered = cloud(300, Vec2::splat(40.0), Vec2::ZERO);
        scattered.extend(cloud(200, Vec2::splat(20.0), Vec2::new(1e6, -3e5)));
        scattered.push(Vec2::new(-9e6, 9e6));
        for positions in [
            cloud(700, Vec2::splat(80.0), Vec2::new(-17.0, 3.0)),
            cloud(500, Vec2::new(4000.0, 2.0), Vec2::ZERO),
            cloud(500, Vec2::new(2.0, 60_000.0), Vec2::ZERO),
            cloud(400, Vec2::splat(1e5), Vec2::ZERO),
            cloud(100, Vec2::splat(0.5), Vec2::splat(-3.0)),
            vec![Vec2::ZERO; 20],
            scattered,
            vec![Vec2::ONE],
            vec![],
        ] {
            assert_eq!(by_grid(&positions, 10.0), brute_force(&positions, 10.0));
        }
    }

    #[test]
    fn near_cells_are_found_as_others_are() {
        let limit = NEAR_CELLS as f32;
        let numbers = (0..200_000).map(|index| scatter(index).x * limit);
        let small = (-4000..4000).map(|index| index as f32 / 512.0);
        let edges = [-limit, -limit + 0.5, limit - 1.0, limit - 0.5, -0.0, 0.0, -1e-30, 1e-30];
        let next = |x: f32| [x, x.next_up(), x.next_down()];
        for x in numbers.chain(small.flat_map(next)).chain(edges) {
            assert_eq!(near_floor(x), floor(x), "{x}");
        }
    }

    #[test]
    fn a_stray_particle_costs_no_memory() {
        let mut grid = Grid::default();
        grid.sort(&[Vec2::ZERO, Vec2::splat(1e9)], 1.0, &SerialExecutor);
        assert!(grid.starts.len() <= 4097);
    }
}
