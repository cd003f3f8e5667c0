//! The error of a call that the air refuses.

use thiserror::Error;

use crate::settings::range::OutOfRange;

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
        crate::air::MAX_CELLS
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
        /// The list.
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
