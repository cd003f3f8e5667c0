//! The geometry of the staggered grid (Harlow and Welch 1965, "marker and cell").

use glam::Vec2;

use crate::air::error::AirError;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::settings::declare::settings;
use crate::settings::range::Check;

/// Largest number of cells of an [`Air`](crate::air::Air).
pub const MAX_CELLS: usize = 1 << 22;

/// Columns, rows and place of a grid of square cells. Cell `(i, j)` has the index
/// `j * columns + i`; the lower left one is `(0, 0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub columns: usize,
    pub rows: usize,
    /// The lower left corner, in world units.
    pub low: Vec2,
    /// Side of a cell, in world units.
    pub cell: f32,
}

settings! {
    impl Grid as "air" {
        /// Side of a cell.
        CELL_SIZE = "cell_size": f32 [0.000001 to 1000000] in "world units",
    }
}

impl Grid {
    pub(crate) fn new(bounds: FluidBounds, cell: f32) -> Result<Self, AirError> {
        let check = Check("air");
        check.finite("bounds", &[bounds.low.x, bounds.low.y, bounds.high.x, bounds.high.y])?;
        Self::CELL_SIZE.check(cell)?;
        // A quotient that should be a whole number may be slightly above it. Zero is not to be negative.
        let count = |length: f32| (length / cell - 1e-3).ceil() + 0.0;
        let size = bounds.high - bounds.low;
        let (columns, rows) = (count(size.x), count(size.y));
        let fits = columns >= 1.0 && rows >= 1.0 && columns * rows <= MAX_CELLS as f32;
        if !fits {
            return Err(AirError::Cells { columns, rows });
        }
        Ok(Self { columns: columns as usize, rows: rows as usize, low: bounds.low, cell })
    }

    /// Whether a cell is beside a side of the rectangle.
    #[inline(always)]
    pub(crate) fn on_side(&self, i: usize, j: usize) -> bool {
        i == 0 || j == 0 || i + 1 == self.columns || j + 1 == self.rows
    }

    pub(crate) fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// Number of faces between left and right neighbours, with those on the sides.
    pub(crate) fn faces_x(&self) -> usize {
        (self.columns + 1) * self.rows
    }

    /// Number of faces between lower and upper neighbours, with those on the sides.
    pub(crate) fn faces_y(&self) -> usize {
        self.columns * (self.rows + 1)
    }

    pub(crate) fn bounds(&self) -> FluidBounds {
        let size = Vec2::new(self.columns as f32, self.rows as f32) * self.cell;
        FluidBounds { low: self.low, high: self.low + size }
    }

    /// A point of the world, in cells from the lower left corner.
    pub(crate) fn to_cells(self, point: Vec2) -> Vec2 {
        (point - self.low) / self.cell
    }

    /// The cell around a point of the world; `None` outside the grid.
    pub(crate) fn cell_at(&self, point: Vec2) -> Option<(usize, usize)> {
        let place = self.to_cells(point);
        let (columns, rows) = (self.columns as f32, self.rows as f32);
        let inside = place.x >= 0.0 && place.y >= 0.0 && place.x <= columns && place.y <= rows;
        inside.then(|| {
            let (i, j) = (place.x as usize, place.y as usize);
            (i.min(self.columns - 1), j.min(self.rows - 1))
        })
    }

    /// Centre of a cell, in world units.
    pub(crate) fn centre(&self, i: usize, j: usize) -> Vec2 {
        self.low + Vec2::new(i as f32 + 0.5, j as f32 + 0.5) * self.cell
    }
}

impl Grid {
    /// Calls `visit` with the index of every cell whose centre is in a region, or else with that of
    /// the cell around the region's centre.
    pub(crate) fn for_each_cell_in(&self, region: &FluidRegion, mut visit: impl FnMut(usize)) {
        let bounds = region.bounds();
        let first = |place: f32, most: usize| (place - 0.5).ceil().clamp(0.0, most as f32) as usize;
        let (low, high) = (self.to_cells(bounds.low), self.to_cells(bounds.high));
        let columns = first(low.x, self.columns)..first(high.x + 1.0, self.columns);
        let mut found = false;
        for j in first(low.y, self.rows)..first(high.y + 1.0, self.rows) {
            for i in columns.clone() {
                if region.contains(self.centre(i, j)) {
                    visit(j * self.columns + i);
                    found = true;
                }
            }
        }
        if !found && let Some((i, j)) = self.cell_at(region.centre()) {
            visit(j * self.columns + i);
        }
    }
}
