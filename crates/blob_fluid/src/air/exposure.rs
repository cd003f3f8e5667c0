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
    /// The cell of air at a place: the one around it, or the nearest of that one's neighbours if it is
    /// solid. `None` outside the rectangle and deep in solids.
    pub(super) fn open_cell_at(&self, place: Vec2) -> Option<usize> {
        let (i, j) = self.grid.cell_at(place)?;
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let is_open = |cell: &usize| self.solids.passages[*cell] != 0;
        let cell = j * columns + i;
        if is_open(&cell) {
            return Some(cell);
        }
        let rows = j.saturating_sub(1)..(j + 2).min(rows);
        let columns_near = i.saturating_sub(1)..(i + 2).min(columns);
        let around = rows.flat_map(|j| columns_near.clone().map(move |i| j * columns + i));
        self.nearest(around.filter(is_open), place)
    }

    /// The cell of free air at a place, in which liquid exchanges heat: the one around it, or if
    /// liquid fills that the nearest open neighbour that liquid does not fill. `None` deep in liquid.
    pub(super) fn free_cell_at(&self, place: Vec2) -> Option<usize> {
        let cell = self.open_cell_at(place)?;
        if !self.is_under_liquid(cell) {
            return Some(cell);
        }
        let neighbours = passage::ALL.into_iter().filter_map(|bit| self.neighbour(cell, bit));
        self.nearest(neighbours.filter(|cell| !self.is_under_liquid(*cell)), place)
    }

    /// The cell whose centre is nearest to a place.
    fn nearest(&self, cells: impl Iterator<Item = usize>, place: Vec2) -> Option<usize> {
        let distance = |cell: &usize| self.cell_centre(*cell).distance_squared(place);
        cells.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The cell in the rectangle that air from a cell comes to through one of its faces.
    pub(super) fn neighbour(&self, cell: usize, bit: u8) -> Option<usize> {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let (i, j) = (cell % columns, cell / columns);
        let (inside, next) = match bit {
            passage::LEFT => (i > 0, cell.wrapping_sub(1)),
            passage::RIGHT => (i + 1 < columns, cell + 1),
            passage::BOTTOM => (j > 0, cell.wrapping_sub(columns)),
            _ => (j + 1 < rows, cell + columns),
        };
        let open = self.solids.passages[cell] & bit != 0;
        (inside && open).then_some(next)
    }

    /// Whether liquid fills a cell.
    pub(super) fn is_under_liquid(&self, cell: usize) -> bool {
        self.liquid_share_of(cell) >= FULL
    }

    /// The share of a cell's faces that is liquid.
    pub(super) fn liquid_share_of(&self, cell: usize) -> f32 {
        if !self.liquid.is_present() {
            return 0.0;
        }
        let (x, y) = (&self.liquid.share_x, &self.liquid.share_y);
        let left = cell / self.grid.columns + cell;
        let sum = x[left] + x[left + 1] + y[cell] + y[cell + self.grid.columns];
        0.25 * sum
    }

    /// Where gas from a cell comes to the surface: it rises as bubbles through liquid, as far as
    /// nothing closes the way. Without gravity it stays.
    pub(super) fn surface_above(&self, mut cell: usize) -> usize {
        let gravity = self.settings.gravity;
        let up = match gravity.x.abs() > gravity.y.abs() {
            true if gravity.x > 0.0 => passage::LEFT,
            true => passage::RIGHT,
            false if gravity.y > 0.0 => passage::BOTTOM,
            false if gravity.y < 0.0 => passage::TOP,
            false => return cell,
        };
        while self.is_under_liquid(cell)
            && let Some(next) = self.neighbour(cell, up)
        {
            cell = next;
        }
        cell
    }
}
