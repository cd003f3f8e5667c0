//! What a particle of the liquid meets of the air: how far others shelter it, and which cell it is in.

use glam::Vec2;

use crate::air::solids::passage;
use crate::air::state::Air;

/// A cell whose faces have this share of liquid counts as full of it.
const FULL: f32 = 0.75;

/// How much of the air reaches a particle: all of it alone, nothing among others.
pub(super) fn exposure(relative_density: f32) -> f32 {
    (1.0 - relative_density).clamp(0.0, 1.0)
}

impl Air {
    /// The cell of air of a place: the one around it, or the nearest of that one's neighbours if it
    /// is solid. `None` outside the rectangle and deep in solids.
    pub(super) fn open_cell_at(&self, place: Vec2) -> Option<usize> {
        let (i, j) = self.grid.cell_at(place)?;
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let is_open = |i: usize, j: usize| self.solids.passages[j * columns + i] != 0;
        if is_open(i, j) {
            return Some(j * columns + i);
        }
        let mut nearest = None;
        let mut least = f32::INFINITY;
        for j in j.saturating_sub(1)..(j + 2).min(rows) {
            for i in i.saturating_sub(1)..(i + 2).min(columns) {
                let distance = self.grid.centre(i, j).distance_squared(place);
                if is_open(i, j) && distance < least {
                    (nearest, least) = (Some(j * columns + i), distance);
                }
            }
        }
        nearest
    }

    /// Whether liquid fills a cell.
    pub(super) fn is_under_liquid(&self, cell: usize) -> bool {
        if !self.liquid.is_present() {
            return false;
        }
        let (x, y) = (&self.liquid.share_x, &self.liquid.share_y);
        let left = cell / self.grid.columns + cell;
        let sum = x[left] + x[left + 1] + y[cell] + y[cell + self.grid.columns];
        0.25 * sum >= FULL
    }

    /// Where gas from a cell comes to the surface: it rises as bubbles through liquid, as far as
    /// nothing closes the way. Without gravity it stays.
    pub(super) fn surface_above(&self, mut cell: usize) -> usize {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let gravity = self.settings.gravity;
        let along_x = gravity.x.abs() > gravity.y.abs();
        let (up, most) = if along_x { (-gravity.x, columns) } else { (-gravity.y, rows) };
        for _ in 0..most {
            let place = if along_x { cell % columns } else { cell / columns };
            let inside = if up > 0.0 { place + 1 < most } else { place > 0 };
            let bit = match (along_x, up > 0.0) {
                (true, false) => passage::LEFT,
                (true, true) => passage::RIGHT,
                (false, false) => passage::BOTTOM,
                (false, true) => passage::TOP,
            };
            let closed = self.solids.passages[cell] & bit == 0;
            if up == 0.0 || !inside || closed || !self.is_under_liquid(cell) {
                break;
            }
            let step = if along_x { 1 } else { columns };
            cell = if up > 0.0 { cell + step } else { cell - step };
        }
        cell
    }
}
