//! The cells that particles are sorted into.

use blob_fluid::FluidBounds;
use glam::{UVec2, Vec2};

/// Cells per interaction radius, across and up. Narrow cells leave 56 candidates for 36 neighbours, and
/// take no more spans than wide ones.
const PER_RADIUS: Vec2 = Vec2::new(4.0, 2.0);

/// The most particles that touch others in a cell of the usual size, which holds .9 particles at rest.
const MOST_IN_CELL: f32 = 128.0;

/// Most cells, of 8 bytes each. Over a larger box cells are wider.
const MOST_CELLS: f32 = 4_194_304.0;

/// A grid over the domain of a liquid. It depends on nothing else, because another grid is another
/// order of sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub low: Vec2,
    pub high: Vec2,
    pub per_cell: Vec2,
    pub size: UVec2,
}

impl Grid {
    /// The grid over a box. The outermost cells also hold what is beyond it.
    pub(crate) fn over(bounds: FluidBounds, radius: f32) -> Self {
        let FluidBounds { low, high } = bounds;
        let mut per_cell = PER_RADIUS / radius;
        let cells = |per_cell: Vec2| ((high - low) * per_cell).ceil().max(Vec2::ONE);
        while cells(per_cell).element_product() > MOST_CELLS {
            per_cell *= 0.5;
        }
        Self { low, high, per_cell, size: cells(per_cell).as_uvec2() }
    }

    /// Whether its cells are no wider than usual.
    pub(crate) fn is_fine(&self, radius: f32) -> bool {
        self.per_cell == PER_RADIUS / radius
    }

    /// The most particles of a cell that touch others: in a clump all others wait until these have left, so
    /// that its cost does not grow as the square of its size.
    pub(crate) fn most_in_cell(&self, radius: f32) -> u32 {
        let cells = (self.per_cell * radius).element_product() / PER_RADIUS.element_product();
        (MOST_IN_CELL / cells).ceil() as u32
    }

    /// Number of tiles that liquid sleeps by, across and up; each is 4 by 2 cells.
    pub(crate) fn tiles(&self) -> UVec2 {
        (self.size + UVec2::new(3, 1)) / UVec2::new(4, 2)
    }

    /// Number of cells.
    pub(crate) fn cells(&self) -> u32 {
        self.size.element_product()
    }
}
