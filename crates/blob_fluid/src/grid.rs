//! Uniform grid over the particles, sorted by counting: cells hold consecutive particles.

use std::ops::Range;

use glam::Vec2;

/// How many consecutive particles the pair passes treat side by side.
pub(crate) const LANES: usize = 8;

/// Cells as wide as the interaction radius, row by row over the box around all particles.
///
/// Where that box would need far more cells than there are particles it is folded: cells a whole
/// number of folds apart share one. They only add candidates that lie too far away to count, so
/// a stray particle costs no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    columns: i32,
    rows: i32,
    folded_columns: bool,
    folded_rows: bool,
    /// Place of each cell's first particle, and of the end.
    starts: Vec<u32>,
    /// Cell of each particle, in sorted order.
    cells: Vec<u32>,
    unsorted_cells: Vec<u32>,
    cursors: Vec<u32>,
    order: Vec<u32>,
}

/// Up to [`LANES`] consecutive particles of neighbouring cells and all that may be near any of
/// them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub particles: Range<usize>,
    spans: [Range<u32>; 6],
    span_count: usize,
}

impl Block {
    /// Ranges of particles that hold every neighbour of the block's particles, the block included,
    /// each particle once, always in the same order.
    #[inline(always)]
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.spans[..self.span_count].iter().map(|span| span.start as usize..span.end as usize)
    }
}

impl Grid {
    /// Sorts `positions` (finite, within `i32` cells of the origin) into cells of `cell_size`;
    /// returns the order: `order[new]` is the old place. Particles of one cell keep their order.
    pub(crate) fn sort(&mut self, positions: &[Vec2], cell_size: f32) -> &[u32] {
        let inverse = 1.0 / cell_size;
        let cell = |position: Vec2| {
            let scaled = position * inverse;
            (scaled.x.floor() as i32, scaled.y.floor() as i32)
        };
        let mut low = (i32::MAX, i32::MAX);
        let mut high = (i32::MIN, i32::MIN);
        for position in positions {
            let (x, y) = cell(*position);
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        if positions.is_empty() {
            (low, high) = ((0, 0), (0, 0));
        }
        let most_cells = (16 * positions.len() as i64).max(4096);
        let (mut columns, mut rows) =
            (i64::from(high.0) - i64::from(low.0) + 1, i64::from(high.1) - i64::from(low.1) + 1);
        let unfolded = (columns, rows);
        while columns * rows > most_cells {
            let longer = if columns >= rows { &mut columns } else { &mut rows };
            *longer = (*longer + 1) / 2;
        }
        self.folded_columns = columns != unfolded.0;
        self.folded_rows = rows != unfolded.1;
        (self.columns, self.rows) = (columns as i32, rows as i32);

        let count = (columns * rows) as usize;
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        self.unsorted_cells.clear();
        for position in positions {
            let (x, y) = cell(*position);
            let (mut x, mut y) = (x - low.0, y - low.1);
            if self.folded_columns {
                x %= self.columns;
            }
            if self.folded_rows {
                y %= self.rows;
            }
            let index = (y * self.columns + x) as u32;
            self.unsorted_cells.push(index);
            self.starts[index as usize + 1] += 1;
        }
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        self.cursors.clear();
        self.cursors.extend_from_slice(&self.starts[..count]);
        self.order.clear();
        self.order.resize(positions.len(), 0);
        self.cells.clear();
        self.cells.resize(positions.len(), 0);
        for (old, cell) in self.unsorted_cells.iter().enumerate() {
            let cursor = &mut self.cursors[*cell as usize];
            self.order[*cursor as usize] = old as u32;
            self.cells[*cursor as usize] = *cell;
            *cursor += 1;
        }
        &self.order
    }

    /// Divides a range of sorted particles into blocks.
    pub(crate) fn blocks(&self, range: Range<usize>) -> impl Iterator<Item = Block> + '_ {
        let mut next = range.start;
        std::iter::from_fn(move || {
            if next >= range.end {
                return None;
            }
            let first = next;
            let columns = self.columns as u32;
            let row = self.cells[first] / columns;
            let first_column = self.cells[first] % columns;
            // A block two cells wide looks through four columns instead of three.
            let last_cell = self.cells[first] + (columns - 1 - first_column).min(1);
            while next < range.end && next - first < LANES && self.cells[next] <= last_cell {
                next += 1;
            }
            let last_column = self.cells[next - 1] - row * columns;
            Some(self.block(first..next, row as i32, first_column as i32, last_column as i32))
        })
    }

    fn block(&self, particles: Range<usize>, row: i32, first: i32, last: i32) -> Block {
        let mut block = Block { particles, spans: Default::default(), span_count: 0 };
        let mut visit = |row: i32, columns: Range<i32>| {
            if columns.start < columns.end {
                let cells = row * self.columns;
                block.spans[block.span_count] = self.starts[(cells + columns.start) as usize]
                    ..self.starts[(cells + columns.end) as usize];
                block.span_count += 1;
            }
        };
        let mut visit_row = |row: i32| {
            let (start, end) = (first - 1, last + 2);
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
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::scatter;

    /// Every pair closer than the radius, found by trying all.
    fn brute_force(positions: &[Vec2], radius: f32) -> Vec<Vec<usize>> {
        let near = |i: usize| {
            let close = |j: &usize| positions[i].distance_squared(positions[*j]) < radius * radius;
            (0..positions.len()).filter(close).collect()
        };
        (0..positions.len()).map(near).collect()
    }

    fn by_grid(positions: &[Vec2], radius: f32) -> Vec<Vec<usize>> {
        let mut grid = Grid::default();
        let order = grid.sort(positions, radius).to_vec();
        let sorted: Vec<_> = order.iter().map(|old| positions[*old as usize]).collect();
        let mut neighbours = vec![Vec::new(); positions.len()];
        let mut visited = 0;
        for block in grid.blocks(0..positions.len()) {
            for place in block.particles.clone() {
                visited += 1;
                for candidate in block.spans().flatten() {
                    if sorted[place].distance_squared(sorted[candidate]) < radius * radius {
                        neighbours[order[place] as usize].push(order[candidate] as usize);
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
    fn a_stray_particle_costs_no_memory() {
        let mut grid = Grid::default();
        grid.sort(&[Vec2::ZERO, Vec2::splat(1e9)], 1.0);
        assert!(grid.starts.len() <= 4097);
    }
}
