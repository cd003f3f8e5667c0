//! Where air can go: passages between cells, clearance around them, and connected parts.

use crate::air::grid::Grid;
use crate::air::sides::{AirSide, AirSides};
use crate::air::solids::AirSolids;
use crate::air::solids::parts::{Pocket, passage};

impl AirSolids {
    /// Closes the faces on closed sides, and makes those of periodic sides the same.
    pub(super) fn close_sides(&mut self, grid: &Grid, sides: &AirSides) {
        let (columns, rows) = (grid.columns, grid.rows);
        let closed = |side: AirSide| matches!(side, AirSide::Closed { .. });
        for j in 0..rows {
            let (left, right) = (j * (columns + 1), j * (columns + 1) + columns);
            if closed(sides.left) {
                self.open_x[left] = 0.0;
            }
            if closed(sides.right) {
                self.open_x[right] = 0.0;
            }
            if sides.periodic_x() {
                let both = self.open_x[left].min(self.open_x[right]);
                (self.open_x[left], self.open_x[right]) = (both, both);
            }
        }
        for i in 0..columns {
            let (bottom, top) = (i, rows * columns + i);
            if closed(sides.bottom) {
                self.open_y[bottom] = 0.0;
            }
            if closed(sides.top) {
                self.open_y[top] = 0.0;
            }
            if sides.periodic_y() {
                let both = self.open_y[bottom].min(self.open_y[top]);
                (self.open_y[bottom], self.open_y[top]) = (both, both);
            }
        }
    }

    pub(super) fn find_passages(&mut self, grid: &Grid, _sides: &AirSides) {
        let columns = grid.columns;
        self.passages.clear();
        for j in 0..grid.rows {
            for i in 0..columns {
                let (left, bottom) = (j * (columns + 1) + i, j * columns + i);
                let bit = |open: f32, bit: u8| if open > 0.0 { bit } else { 0 };
                self.passages.push(
                    bit(self.open_x[left], passage::LEFT)
                        | bit(self.open_x[left + 1], passage::RIGHT)
                        | bit(self.open_y[bottom], passage::BOTTOM)
                        | bit(self.open_y[bottom + columns], passage::TOP),
                );
                // A cell whose corners say that it is solid may still have a slit of air.
                let share = &mut self.share[bottom];
                *share = if self.passages[bottom] == 0 { 0.0 } else { share.max(0.05) };
            }
        }
    }

    /// Finds the distance to the nearest cell at a wall, or to beyond the sides, by a sweep from the
    /// lower left and one from the upper right.
    pub(super) fn find_clearance(&mut self, grid: &Grid) {
        let (columns, rows) = (grid.columns, grid.rows);
        self.clearance.clear();
        self.clearance.resize(grid.cells(), u8::MAX);
        // The faces on the sides themselves are beyond the cells.
        let at_wall = |i: usize, j: usize| {
            let (left, bottom) = (j * (columns + 1) + i, j * columns + i);
            (i > 0 && self.open_x[left] < 1.0)
                || (i + 1 < columns && self.open_x[left + 1] < 1.0)
                || (j > 0 && self.open_y[bottom] < 1.0)
                || (j + 1 < rows && self.open_y[bottom + columns] < 1.0)
        };
        for j in 0..rows {
            for i in 0..columns {
                let index = j * columns + i;
                self.clearance[index] = if at_wall(i, j) {
                    0
                } else if grid.on_side(i, j) {
                    1
                } else {
                    // Cells inside have neighbours on all sides.
                    let before =
                        [index - 1, index - columns - 1, index - columns, index - columns + 1];
                    before
                        .iter()
                        .map(|near| self.clearance[*near])
                        .min()
                        .unwrap_or(0)
                        .saturating_add(1)
                };
            }
        }
        for j in (0..rows).rev() {
            for i in (0..columns).rev() {
                let index = j * columns + i;
                if self.clearance[index] > 1 {
                    let after =
                        [index + 1, index + columns - 1, index + columns, index + columns + 1];
                    let near = after.iter().map(|near| self.clearance[*near]).min().unwrap_or(0);
                    self.clearance[index] = self.clearance[index].min(near.saturating_add(1));
                }
            }
        }
    }

    /// Finds the connected parts of the air.
    pub(super) fn find_pockets(&mut self, grid: &Grid, sides: &AirSides) {
        let (columns, rows) = (grid.columns, grid.rows);
        self.pocket_of.clear();
        self.pocket_of.resize(grid.cells(), u32::MAX);
        self.pockets.clear();
        let mut to_visit = Vec::new();
        for start in 0..grid.cells() {
            if self.passages[start] == 0 || self.pocket_of[start] != u32::MAX {
                continue;
            }
            let number = self.pockets.len() as u32;
            let mut pocket = Pocket { cells: 0, open: false };
            self.pocket_of[start] = number;
            to_visit.push(start);
            while let Some(index) = to_visit.pop() {
                pocket.cells += 1;
                let (i, j) = (index % columns, index / columns);
                let last = (columns - 1, rows - 1);
                for (bit, on_side, side, within, across) in [
                    (passage::LEFT, i == 0, sides.left, index.wrapping_sub(1), index + last.0),
                    (
                        passage::RIGHT,
                        i == last.0,
                        sides.right,
                        index + 1,
                        index.wrapping_sub(last.0),
                    ),
                    (
                        passage::BOTTOM,
                        j == 0,
                        sides.bottom,
                        index.wrapping_sub(columns),
                        index + last.1 * columns,
                    ),
                    (
                        passage::TOP,
                        j == last.1,
                        sides.top,
                        index + columns,
                        index.wrapping_sub(last.1 * columns),
                    ),
                ] {
                    if self.passages[index] & bit == 0 {
                        continue;
                    }
                    let next = match (on_side, side) {
                        (false, _) => within,
                        (true, AirSide::Periodic) => across,
                        (true, side) => {
                            pocket.open |= side == AirSide::Open;
                            continue;
                        }
                    };
                    if self.pocket_of[next] == u32::MAX {
                        self.pocket_of[next] = number;
                        to_visit.push(next);
                    }
                }
            }
            self.pockets.push(pocket);
        }
    }
}
