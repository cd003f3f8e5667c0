//! Where air can go: passages between cells, clearance around them, and connected parts.

use crate::air::grid::Grid;
use crate::air::sides::{AirSide, AirSides};
use crate::air::solids::AirSolids;
use crate::air::solids::parts::{Pocket, Rect, passage};

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

    /// Finds the passages of the cells of a block, and returns whether any changed.
    pub(super) fn find_passages(&mut self, grid: &Grid, rect: &Rect) -> bool {
        let columns = grid.columns;
        let mut changed = false;
        for j in rect.rows.clone() {
            for i in rect.columns.clone() {
                let (left, bottom) = (j * (columns + 1) + i, j * columns + i);
                let bit = |open: f32, bit: u8| if open > 0.0 { bit } else { 0 };
                let now = bit(self.open_x[left], passage::LEFT)
                    | bit(self.open_x[left + 1], passage::RIGHT)
                    | bit(self.open_y[bottom], passage::BOTTOM)
                    | bit(self.open_y[bottom + columns], passage::TOP);
                changed |= now != self.passages[bottom];
                self.passages[bottom] = now;
                // A cell whose corners say that it is solid may still have a slit of air.
                let share = &mut self.share[bottom];
                *share = if now == 0 { 0.0 } else { share.max(0.05) };
            }
        }
        changed
    }

    /// Whether a wall cuts a face of a cell. The faces on the sides themselves are beyond the cells.
    fn is_at_wall(&self, grid: &Grid, i: usize, j: usize) -> bool {
        let columns = grid.columns;
        let (left, bottom) = (j * (columns + 1) + i, j * columns + i);
        (i > 0 && self.open_x[left] < 1.0)
            || (i + 1 < columns && self.open_x[left + 1] < 1.0)
            || (j > 0 && self.open_y[bottom] < 1.0)
            || (j + 1 < grid.rows && self.open_y[bottom + columns] < 1.0)
    }

    /// Whether other cells of a block are at walls than the clearance says.
    pub(super) fn cells_at_walls_changed(&self, grid: &Grid, rect: &Rect) -> bool {
        rect.rows.clone().any(|j| {
            rect.columns
                .clone()
                .any(|i| (self.clearance[j * grid.columns + i] == 0) != self.is_at_wall(grid, i, j))
        })
    }

    /// Finds the distance to the nearest cell at a wall, or to beyond the sides, by a sweep from the
    /// lower left and one from the upper right.
    pub(super) fn find_clearance(&mut self, grid: &Grid) {
        let (columns, rows) = (grid.columns, grid.rows);
        let mut clearance = std::mem::take(&mut self.clearance);
        clearance.clear();
        clearance.resize(grid.cells(), u8::MAX);
        for j in 0..rows {
            for i in 0..columns {
                let index = j * columns + i;
                clearance[index] = if self.is_at_wall(grid, i, j) {
                    0
                } else if grid.on_side(i, j) {
                    1
                } else {
                    // Cells inside have neighbours on all sides.
                    let below = &clearance[index - columns - 1..][..3];
                    let near = below[0].min(below[1]).min(below[2]).min(clearance[index - 1]);
                    near.saturating_add(1)
                };
            }
        }
        for j in (0..rows.saturating_sub(1)).rev() {
            for i in (0..columns.saturating_sub(1)).rev() {
                let index = j * columns + i;
                if clearance[index] > 1 {
                    let above = &clearance[index + columns - 1..][..3];
                    let near = above[0].min(above[1]).min(above[2]).min(clearance[index + 1]);
                    clearance[index] = clearance[index].min(near.saturating_add(1));
                }
            }
        }
        self.clearance = clearance;
    }

    /// Finds the connected parts of the air, numbered by their first cells.
    pub(super) fn find_pockets(&mut self, grid: &Grid, sides: &AirSides) {
        let (columns, rows) = (grid.columns, grid.rows);
        let mut label_of = std::mem::take(&mut self.pocket_of);
        label_of.clear();
        label_of.resize(grid.cells(), u32::MAX);
        let mut labels = Labels::default();
        for (index, passages) in self.passages.iter().enumerate() {
            if *passages == 0 {
                continue;
            }
            let (i, j) = (index % columns, index / columns);
            let left = (i > 0 && passages & passage::LEFT != 0).then(|| label_of[index - 1]);
            let below =
                (j > 0 && passages & passage::BOTTOM != 0).then(|| label_of[index - columns]);
            label_of[index] = match (left, below) {
                (Some(left), Some(below)) => labels.join(left, below),
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => labels.add(),
            };
            if grid.on_side(i, j) {
                let label = label_of[index];
                let (last_column, last_row) = (i + 1 == columns, j + 1 == rows);
                let at = |on_side: bool, bit: u8| on_side && passages & bit != 0;
                if at(last_column && sides.periodic_x(), passage::RIGHT) {
                    labels.join(label, label_of[index - i]);
                }
                if at(last_row && sides.periodic_y(), passage::TOP) {
                    labels.join(label, label_of[i]);
                }
                labels.0[label as usize].open |= at(i == 0, passage::LEFT)
                    && sides.left == AirSide::Open
                    || at(last_column, passage::RIGHT) && sides.right == AirSide::Open
                    || at(j == 0, passage::BOTTOM) && sides.bottom == AirSide::Open
                    || at(last_row, passage::TOP) && sides.top == AirSide::Open;
            }
        }
        let mut number_of = vec![u32::MAX; labels.0.len()];
        let mut pockets: Vec<Pocket> = Vec::new();
        for label in label_of.iter_mut().filter(|label| **label != u32::MAX) {
            let first = labels.first_of(*label);
            let number = &mut number_of[first as usize];
            if *number == u32::MAX {
                *number = pockets.len() as u32;
                pockets.push(Pocket { cells: 0, open: false });
            }
            pockets[*number as usize].cells += 1;
            *label = *number;
        }
        for label in 0..labels.0.len() as u32 {
            let number = number_of[labels.first_of(label) as usize];
            pockets[number as usize].open |= labels.0[label as usize].open;
        }
        (self.pocket_of, self.pockets) = (label_of, pockets);
    }
}

/// Labels of cells, some of which turn out to be of the same part of the air.
#[derive(Default)]
struct Labels(Vec<Label>);

struct Label {
    /// Another label of the same part, or itself.
    same: u32,
    open: bool,
}

impl Labels {
    fn add(&mut self) -> u32 {
        let label = self.0.len() as u32;
        self.0.push(Label { same: label, open: false });
        label
    }

    fn first_of(&mut self, mut label: u32) -> u32 {
        loop {
            let same = self.0[label as usize].same;
            if same == label {
                return label;
            }
            // Shortens the way for the next time.
            let further = self.0[same as usize].same;
            self.0[label as usize].same = further;
            label = further;
        }
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let (a, b) = (self.first_of(a), self.first_of(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize].same = low;
        low
    }
}
