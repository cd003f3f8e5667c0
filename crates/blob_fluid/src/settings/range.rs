//! Numbers outside their range.

use thiserror::Error;

/// Why a setting, a container or a force was refused: a number outside its valid range.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("{subject}: {field} is {value}, and must be {range}")]
pub struct OutOfRange {
    /// What was refused.
    pub subject: &'static str,
    /// Path of the field at fault.
    pub field: &'static str,
    /// What it held.
    pub value: f32,
    /// What it may hold.
    pub range: &'static str,
}

/// Checks the numbers of one subject.
#[derive(Clone, Copy)]
pub(crate) struct Check(pub &'static str);

impl Check {
    /// Refuses `value` unless it is `valid`.
    pub(crate) fn that(
        self,
        valid: bool,
        field: &'static str,
        value: f32,
        range: &'static str,
    ) -> Result<(), OutOfRange> {
        if valid { Ok(()) } else { Err(OutOfRange { subject: self.0, field, value, range }) }
    }

    /// Refuses lengths that are no size of anything.
    pub(crate) fn size(self, field: &'static str, value: f32) -> Result<(), OutOfRange> {
        let valid = value.is_normal() && value > 0.0 && value <= 1e9;
        self.that(valid, field, value, "finite, above 0 and at most 1e9")
    }

    /// Refuses what is not finite.
    pub(crate) fn finite(self, field: &'static str, values: &[f32]) -> Result<(), OutOfRange> {
        let infinite = values.iter().find(|value| !value.is_finite());
        infinite.map_or(Ok(()), |value| self.that(false, field, *value, "finite"))
    }
}
