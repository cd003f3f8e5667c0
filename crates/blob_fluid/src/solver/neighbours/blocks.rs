//! Blocks of consecutive particles, and the candidates for their neighbours.

use std::ops::Range;

use crate::parallel::lanes::LANES;
use crate::solver::neighbours::frame::{COLUMNS_PER_RADIUS, Frame};
use crate::solver::neighbours::grid::Grid;

/// Largest width of a block, in columns. A wider block has more candidates; a narrower one has
/// fewer particles where they are sparse.
const BLOCK_COLUMNS: u32 = 32;

/// Most particles of a block.
#[cfg(not(test))]
#[inline(always)]
fn most_particles() -> usize {
    LANES
}

#[cfg(test)]
use tests::most_particles;

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
    /// Divides a range of sorted particles into blocks.
    pub(crate) fn blocks(&self, range: Range<usize>) -> Blocks<'_> {
        let block = Block { particles: 0..0, spans: Default::default(), span_count: 0 };
        Blocks { grid: self, left: range, block }
    }

    /// Finds the spans of a block in one row, between two columns.
    #[inline]
    fn find_spans(&self, block: &mut Block, row: i32, first: i32, last: i32) {
        block.span_count = 0;
        let Frame { columns, rows, folded_columns, folded_rows, .. } = self.frame;
        if folded_columns || folded_rows {
            return self.find_folded_spans(block, row, first, last);
        }
        let start = (first - COLUMNS_PER_RADIUS).max(0) as usize;
        let end = (last + 1 + COLUMNS_PER_RADIUS).min(columns) as usize;
        for row in (row - 1).max(0)..(row + 2).min(rows) {
            let row = &self.starts[(row * columns) as usize..];
            block.spans[block.span_count] = row[start]..row[end];
            block.span_count += 1;
        }
    }

    /// The same for a grid in which some rows or columns share their cells.
    #[cold]
    fn find_folded_spans(&self, block: &mut Block, row: i32, first: i32, last: i32) {
        let frame = self.frame;
        let mut visit = |row: i32, columns: Range<i32>| {
            if columns.start < columns.end {
                let cells = row * frame.columns;
                block.spans[block.span_count] = self.starts[(cells + columns.start) as usize]
                    ..self.starts[(cells + columns.end) as usize];
                block.span_count += 1;
            }
        };
        let mut visit_row = |row: i32| {
            let (start, end) = (first - COLUMNS_PER_RADIUS, last + 1 + COLUMNS_PER_RADIUS);
            if !frame.folded_columns || end - start >= frame.columns {
                let whole = frame.folded_columns;
                let start = if whole { 0 } else { start.max(0) };
                visit(row, start..if whole { frame.columns } else { end.min(frame.columns) });
            } else if start < 0 {
                // Low cells first, as where the block is so wide that the whole row is visited.
                visit(row, 0..end);
                visit(row, start + frame.columns..frame.columns);
            } else if end > frame.columns {
                visit(row, 0..end - frame.columns);
                visit(row, start..frame.columns);
            } else {
                visit(row, start..end);
            }
        };
        if !frame.folded_rows {
            for row in (row - 1).max(0)..(row + 2).min(frame.rows) {
                visit_row(row);
            }
        } else if frame.rows <= 3 {
            for row in 0..frame.rows {
                visit_row(row);
            }
        } else {
            for row in row - 1..row + 2 {
                visit_row(row.rem_euclid(frame.rows));
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
        let columns = grid.frame.columns as u32;
        let (row, first_column) = (grid.cells[first] / columns, grid.cells[first] % columns);
        let last_cell = grid.cells[first] + (columns - 1 - first_column).min(BLOCK_COLUMNS - 1);
        let most = left.end.min(first + most_particles());
        let cells = &grid.cells[first..most];
        let count = cells.partition_point(|cell| *cell <= last_cell);
        let last_column = cells[count - 1] - row * columns;
        left.start += count;
        block.particles = first..left.start;
        grid.find_spans(block, row as i32, first_column as i32, last_column as i32);
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use glam::Vec2;

    use super::{Grid, LANES};
    use crate::{SerialExecutor, scene::Scene};

    thread_local! {
        static MOST: Cell<usize> = const { Cell::new(LANES) };
    }

    /// Other targets have fewer lanes, and so narrower blocks.
    pub(super) fn most_particles() -> usize {
        MOST.get()
    }

    /// Blocks that fall asleep, and of which a few particles wake beside others that sleep on.
    const JELLY: &str = r#"(
        classes: [
            (name: "jelly", color: (1, 1, 1, 1), elasticity: (stiffness: 40), paint: (diffusion: 0.3)),
            (name: "putty", color: (1, 1, 1, 1), elasticity: (stiffness: 40, plasticity: 4)),
            (name: "sand", color: (1, 1, 1, 1), powder: (friction_angle: 30), paint: (color: (1, 0, 0))),
            (name: "honey", color: (1, 1, 1, 1), viscosity: (approach: 1, quadratic: 0.2, linear: 12)),
        ],
        containers: [(shape: Rectangle(half_size: (450, 300)), centre: (0, 300))],
        blocks: [
            (fill: Filled(shape: Rectangle(half_size: (95, 95))), centre: (-200, 200), class: "jelly"),
            (fill: Filled(shape: Rectangle(half_size: (95, 95))), centre: (200, 200), class: "putty"),
            (fill: Filled(shape: Circle(radius: 30)), centre: (-60, 330), class: "jelly", paint: (0, 0, 1)),
            (fill: Filled(shape: Rectangle(half_size: (60, 60))), centre: (0, 150), class: "sand"),
            (fill: Filled(shape: Rectangle(half_size: (50, 50))), centre: (385, 55), class: "honey"),
        ],
    )"#;

    fn state_of_jelly(most: usize) -> u64 {
        MOST.set(most);
        let scene = Scene::from_ron(JELLY).expect("a valid scene");
        let mut world = scene.build().expect("a valid scene");
        for _ in 0..600 {
            world.step(scene.time_step(), &SerialExecutor).expect("a valid step");
        }
        world.state_hash()
    }

    #[test]
    fn blocks_of_any_width_give_the_same_bits() {
        let states = [LANES, 4, 1].map(state_of_jelly);
        MOST.set(LANES);
        assert_eq!(states, [states[0]; 3], "what is found for a particle depends on its block");
    }

    /// The particles near each particle, in the order of the grid, in which its block visits them.
    fn visited(grid: &Grid, sorted: &[Vec2], most: usize) -> Vec<Vec<usize>> {
        MOST.set(most);
        let mut visited = Vec::new();
        let mut blocks = grid.blocks(0..sorted.len());
        while let Some(block) = blocks.next() {
            for index in block.particles.clone() {
                let near = |other: &usize| sorted[index].distance(sorted[*other]) < 10.0;
                visited.push(block.spans().flatten().filter(near).collect());
            }
        }
        MOST.set(LANES);
        visited
    }

    #[test]
    fn in_a_folded_grid_too_the_order_does_not_depend_on_the_width() {
        // Two strays make forty columns of very many, of which each is 1.25 wide.
        let mut positions = vec![Vec2::ZERO, Vec2::new(102_399.375, 819_195.0)];
        // Around a fold, and one in the middle of the columns.
        positions.extend([46.0, 48.0, 50.5, 52.0, 54.0, 81.9].map(|x| Vec2::new(x, 55.0)));
        let mut grid = Grid::default();
        let order = grid.sort(&positions, 10.0, &SerialExecutor).to_vec();
        assert!(grid.frame.folded_columns && grid.frame.columns == 40, "{:?}", grid.frame);
        let sorted: Vec<Vec2> = order.iter().map(|old| positions[*old as usize]).collect();
        let widest = visited(&grid, &sorted, LANES);
        assert!(widest.iter().any(|near| near.len() == 5), "{widest:?}");
        for most in [4, 1] {
            assert_eq!(visited(&grid, &sorted, most), widest, "{most} particles");
        }
    }
}
