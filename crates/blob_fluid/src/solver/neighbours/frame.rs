//! Where the grid's cells are, and the cells that positions lie in.

use glam::Vec2;

use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::floor;

/// Number of cells across one interaction radius. Narrow cells leave fewer candidates beside a
/// block that are too far away to be neighbours.
pub(super) const COLUMNS_PER_RADIUS: i32 = 8;

/// Where the cells are. A position's cell depends on nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Frame {
    /// Whether rows run upwards. Then columns are above each other, and rows side by side.
    pub upright: bool,
    /// Cells per world unit, horizontally and vertically.
    pub inverse: Vec2,
    /// Column and row of the first cell.
    pub low: (i32, i32),
    pub columns: i32,
    pub rows: i32,
    pub folded_columns: bool,
    pub folded_rows: bool,
    /// Whether cells can be found without a saturating conversion.
    pub near: bool,
}

impl Frame {
    /// Finds the indices of the cells that positions lie in.
    pub(super) fn find_cells(&self, positions: &[Vec2], cells: &mut [u32]) {
        let &Self { upright, inverse, low, columns, rows, near, .. } = self;
        if near {
            let (low, strides) =
                if upright { ((low.1, low.0), (columns, 1)) } else { (low, (1, columns)) };
            instructions::run(CellsOf { positions, inverse, low, strides, cells });
            return;
        }
        for (cell, position) in cells.iter_mut().zip(positions) {
            let (x, y) = cell_of(position, inverse);
            let (x, y) = if upright { (y, x) } else { (x, y) };
            let (column, row) = ((x - low.0) % columns, (y - low.1) % rows);
            *cell = (row * columns + column) as u32;
        }
    }
}

/// The cell that a point lies in, counted horizontally and vertically.
#[inline(always)]
pub(super) fn cell_of(point: &Vec2, inverse_cell_size: Vec2) -> (i32, i32) {
    let scaled = *point * inverse_cell_size;
    (floor(scaled.x), floor(scaled.y))
}

/// Largest distance from the origin, in cells, at which cells are found without a saturating
/// conversion.
pub(super) const NEAR_CELLS: i32 = 1 << 22;

/// Finds the indices of the cells that points lie in, if the grid is not folded and all points are
/// within [`NEAR_CELLS`].
struct CellsOf<'a> {
    positions: &'a [Vec2],
    inverse: Vec2,
    low: (i32, i32),
    /// Distance in the list of cells to the next cell on the right, and to the next one above.
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
            let scaled = *position * self.inverse;
            let (x, y) = (near_floor(scaled.x), near_floor(scaled.y));
            *cell = index(x, y).wrapping_sub(first) as u32;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

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
}
