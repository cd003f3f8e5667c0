//! The geometry of the staggered grid (Harlow and Welch 1965, "marker and cell").

use glam::Vec2;
use thiserror::Error;

use crate::settings::declare::settings;
use crate::settings::range::{Check, Settings};
use crate::{FluidBounds, FluidRegion, OutOfRange};

/// Largest number of cells of an [`Air`](crate::air::Air).
pub const MAX_CELLS: usize = 1 << 22;

/// A call that the air refused. The air is as it was before the call.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum AirError {
    /// A number is not finite or is outside its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The time step is NaN, infinite or negative.
    #[error("the time step is {0} s, and must be finite and at least 0")]
    TimeStep(f32),
    /// The rectangle holds too many cells, or none.
    #[error(
        "the air has {columns} x {rows} cells; there must be at least 1 column and 1 row, and at most \
         {} cells",
        MAX_CELLS
    )]
    Cells {
        /// Number of columns that the rectangle would have.
        columns: f32,
        /// Number of rows that the rectangle would have.
        rows: f32,
    },
    /// Only one of two opposite sides is periodic.
    #[error("only one of the sides {0} is periodic, and both must be")]
    Periodic(&'static str),
    /// A list has the wrong length.
    #[error("the list has {found} numbers, and must have {expected}")]
    Length {
        /// Number of numbers in the list.
        found: usize,
        /// Number of numbers that it must have.
        expected: usize,
    },
    /// Saved air has another number of columns or rows.
    #[error(
        "the saved air has {} x {} cells, and must have {} x {}",
        found[0], found[1], expected[0], expected[1]
    )]
    OtherGrid {
        /// Columns and rows of the saved air.
        found: [usize; 2],
        /// Columns and rows that it must have.
        expected: [usize; 2],
    },
    /// A list of saved air has the wrong length.
    #[error("saved air: {field} has {found} numbers, and must have {expected}")]
    SavedLength {
        /// Name of the list.
        field: &'static str,
        /// Number of numbers in the list.
        found: usize,
        /// Number of numbers that it must have.
        expected: usize,
    },
    /// Saved air has a channel twice.
    #[error("saved air: the channel {0} is there twice, and must be there at most once")]
    ChannelTwice(&'static str),
}

/// Columns, rows and position of a grid of square cells. Cell `(i, j)` has the index
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
        // A quotient that should be a whole number may be slightly above it. Adding 0 avoids a negative
        // zero.
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

    /// The centre of a face across x (axis 0) or y (axis 1).
    pub(crate) fn centre_of_face(&self, axis: usize, face: usize) -> Vec2 {
        let width = if axis == 0 { self.columns + 1 } else { self.columns };
        let first = if axis == 0 { Vec2::new(0.0, 0.5) } else { Vec2::new(0.5, 0.0) };
        self.low + (Vec2::new((face % width) as f32, (face / width) as f32) + first) * self.cell
    }
}

/// Smallest density ratio. With smaller ratios, the air's pressure would have no effect on liquid,
/// and closed pockets of air would have no solution.
pub(crate) const LEAST_RATIO: f32 = 1e-6;

impl Grid {
    /// Calls `visit` with the index of every cell whose centre is in a region. If the region
    /// contains no centre of a cell, `visit` gets the cell around the region's centre.
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

// The four sides of the rectangle of air.

settings! {
    /// How air moves along a closed side.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum AirSlip: Default in files {
        /// Air slips along the side freely. The default.
        Free,
        /// Air sticks to the side. The effect needs [viscosity](crate::air::AirSettings::viscosity).
        NoSlip {
            /// Velocity of a wall that air sticks to, along itself.
            ///
            /// Positive is to the right at the bottom and the top, and up at the left and the right
            /// side. A side with a velocity other than 0 is a moving lid.
            velocity: f32 [within 1e12] in "world units/s",
        },
    }
}

settings! {
    /// A side of the rectangle. The default is a wall that air slips along freely.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum AirSide: Default as "air side" in files {
        /// A wall for the air. Liquid and bodies can pass this side, but the air flows as if the side were closed
        /// there. To avoid this, extend the air to below the liquid, or open the side.
        Closed {
            /// How air moves along the side. Default: freely.
            #[serde(default)]
            slip: AirSlip [group] = { AirSlip::Free },
        },
        /// An opening: the pressure is 0 there. Air that flows in was at rest outside, and carries no smoke,
        /// heat or fuel.
        Open,
        /// Air comes in with a given velocity.
        Inflow {
            /// Velocity of air that flows in.
            ///
            /// If its component normal to the side points outwards, air flows out.
            velocity: Vec2 [within 1e12] in "world units/s",
            /// Smoke in air that flows in.
            #[serde(default)]
            smoke: f32 [within 1000000] = 0,
            /// Heat in air that flows in.
            #[serde(default)]
            heat: f32 [within 1000000] = 0,
        },
        /// Air that leaves through this side enters through the opposite side, which must be
        /// periodic too.
        Periodic,
    }
}

impl AirSide {
    /// A wall that air slips along freely.
    pub const CLOSED: Self = Self::Closed { slip: AirSlip::Free };
    /// A wall that air sticks to.
    pub const STICKY: Self = Self::Closed { slip: AirSlip::NoSlip { velocity: 0.0 } };
}

/// The four sides of the rectangle.
///
/// ```
/// use blob_fluid::air::{AirSide, AirSides};
/// let chimney = AirSides { top: AirSide::Open, ..AirSides::default() };
/// assert!(chimney.validate().is_ok());
/// assert!(AirSides { left: AirSide::Periodic, ..chimney }.validate().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct AirSides {
    /// The left side.
    pub left: AirSide,
    /// The right side.
    pub right: AirSide,
    /// The lower side.
    pub bottom: AirSide,
    /// The upper side.
    pub top: AirSide,
}

impl AirSides {
    /// The same kind of side on all four sides.
    pub const fn all(side: AirSide) -> Self {
        Self { left: side, right: side, bottom: side, top: side }
    }

    /// Checks every side.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a number outside its range, and [`AirError::Periodic`]
    /// if only one of two opposite sides is periodic.
    pub fn validate(&self) -> Result<(), AirError> {
        for side in [self.left, self.right, self.bottom, self.top] {
            side.check()?;
        }
        for (one, other, names) in
            [(self.left, self.right, "left and right"), (self.bottom, self.top, "bottom and top")]
        {
            if (one == AirSide::Periodic) != (other == AirSide::Periodic) {
                return Err(AirError::Periodic(names));
            }
        }
        Ok(())
    }

    /// Whether the left and the right side are periodic.
    pub(crate) fn periodic_x(&self) -> bool {
        self.left == AirSide::Periodic
    }

    /// Whether the lower and the upper side are periodic.
    pub(crate) fn periodic_y(&self) -> bool {
        self.bottom == AirSide::Periodic
    }
}
