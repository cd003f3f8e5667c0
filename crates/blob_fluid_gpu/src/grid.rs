//! The cells that particles are sorted into.

use blob_fluid::FluidBounds;
use glam::{UVec2, Vec2};

/// Cells per interaction radius, across and up. Narrow cells leave 56 candidates for 36 neighbours, and
/// take no more spans than wide ones.
const PER_RADIUS: Vec2 = Vec2::new(4.0, 2.0);

/// Most cells, of 8 bytes each. In a larger domain cells are wider.
const MOST_CELLS: f32 = 4_194_304.0;

/// A grid over the domain of a liquid. It depends on nothing else, because another grid is another
/// order of sums.
#[derive(Clone, Copy, Debug)]
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

    /// Number of cells.
    pub(crate) fn cells(&self) -> u32 {
        self.size.element_product()
    }
}
