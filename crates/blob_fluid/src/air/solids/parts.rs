//! Parts of the grid that are found from its solids: blocks of cells, walls between cells, connected
//! parts of the air, and closed faces.

use std::ops::Range;

use glam::Vec2;

use crate::air::grid::Grid;
use crate::air::sides::AirSides;
use crate::geometry::bounds::FluidBounds;

/// A block of cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rect {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

/// A wall between the centres of two neighbouring cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Whether the cells lie one above the other.
    pub upright: bool,
    /// The upper or right one of the cells.
    pub cell: (usize, usize),
    pub normal: Vec2,
    pub obstacle: u32,
}

impl Rect {
    pub(super) fn all(grid: &Grid) -> Self {
        Self { columns: 0..grid.columns, rows: 0..grid.rows }
    }

    /// The cells whose faces depend on what is in a box.
    pub(super) fn around(grid: &Grid, bounds: FluidBounds) -> Self {
        let range = |low: f32, high: f32, count: usize| {
            let first = (low - 3.0).clamp(0.0, count as f32) as usize;
            let end = (high + 4.0).clamp(0.0, count as f32) as usize;
            first..end
        };
        let (low, high) = (grid.to_cells(bounds.low), grid.to_cells(bounds.high));
        Self { columns: range(low.x, high.x, grid.columns), rows: range(low.y, high.y, grid.rows) }
    }

    /// The block with the cells around it whose walls depend on distances inside.
    pub(super) fn grown(&self, grid: &Grid) -> Self {
        let grown = |range: &Range<usize>, count: usize| {
            range.start.saturating_sub(2)..(range.end + 2).min(count)
        };
        Self { columns: grown(&self.columns, grid.columns), rows: grown(&self.rows, grid.rows) }
    }

    /// The cells on the opposite sides of those that the block reaches, where these are periodic.
    pub(super) fn across(&self, grid: &Grid, sides: &AirSides) -> [Option<Self>; 4] {
        let Self { columns, rows } = self;
        let upright = |column: usize| Self { columns: column..column + 1, rows: rows.clone() };
        let level = |row: usize| Self { columns: columns.clone(), rows: row..row + 1 };
        let (x, y) = (sides.periodic_x(), sides.periodic_y());
        [
            (x && columns.start == 0).then(|| upright(grid.columns - 1)),
            (x && columns.end == grid.columns).then(|| upright(0)),
            (y && rows.start == 0).then(|| level(grid.rows - 1)),
            (y && rows.end == grid.rows).then(|| level(0)),
        ]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty() || self.rows.is_empty()
    }

    fn cells(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// The block around two blocks, if it has no more cells than they have.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        let around = |a: &Range<usize>, b: &Range<usize>| a.start.min(b.start)..a.end.max(b.end);
        let columns = around(&self.columns, &other.columns);
        let joined = Self { columns, rows: around(&self.rows, &other.rows) };
        (joined.cells() <= self.cells() + other.cells()).then_some(joined)
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let both = |a: &Range<usize>, b: &Range<usize>| a.start.max(b.start)..a.end.min(b.end);
        Self { columns: both(&self.columns, &other.columns), rows: both(&self.rows, &other.rows) }
    }

    pub(super) fn contains(&self, (i, j): (usize, usize)) -> bool {
        self.columns.contains(&i) && self.rows.contains(&j)
    }
}

/// Bits of the faces of a cell that air can pass.
pub(crate) mod passage {
    pub const LEFT: u8 = 1;
    pub const RIGHT: u8 = 2;
    pub const BOTTOM: u8 = 4;
    pub const TOP: u8 = 8;
    pub const ALL: [u8; 4] = [LEFT, RIGHT, BOTTOM, TOP];
}

/// A connected part of the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pocket {
    /// Number of its cells.
    pub cells: u32,
    /// Whether it reaches an open side. Otherwise as much must flow in as out.
    pub open: bool,
}

/// A face that a solid closes wholly and that belongs to a cell with air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallFace {
    /// Whether air would pass it up or down.
    pub upright: bool,
    /// Column and row of the face among its kind.
    pub place: (usize, usize),
    /// Unit normal of the wall.
    pub normal: Vec2,
    /// Velocity of the wall.
    pub velocity: Vec2,
}
