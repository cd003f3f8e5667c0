//! Ranges of numbers, and numbers outside of them.

use std::fmt::{self, Display, Formatter};

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
    pub range: ValidRange,
}

/// What a number may be.
///
/// It is written so that it follows "must be".
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValidRange {
    /// A number between two others.
    Limits(Limits),
    /// Something else, in words.
    Words(&'static str),
}

impl Display for ValidRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limits(limits) => limits.fmt(f),
            Self::Words(words) => f.write_str(words),
        }
    }
}

/// The least and the most that a number may be. No limits contain a number that is not finite.
///
/// `{}` writes them as errors do, and `{:#}` as tables do.
///
/// ```
/// use blob_fluid::ranges::Limits;
/// let share = Limits::above(0.0, 1.0);
/// assert!(share.contains(1.0) && !share.contains(0.0));
/// assert_eq!(share.to_string(), "above 0 and at most 1");
/// assert_eq!(format!("{share:#}"), "above 0, up to 1");
/// assert_eq!(format!("{:#}", Limits::between(0.5, 64.0)), "0.5 to 64");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The lower limit; `f32::MIN` if there is none.
    pub least: f32,
    /// The upper limit, which is always valid; `f32::MAX` if there is none.
    pub most: f32,
    /// Whether the lower limit is valid. Where it is not, numbers too small to compute with exactly
    /// (subnormal ones) are not valid either.
    pub least_included: bool,
}

impl Limits {
    /// Any finite number.
    pub const FINITE: Self = Self::between(f32::MIN, f32::MAX);
    /// Any finite number that is not negative.
    pub const NOT_NEGATIVE: Self = Self::between(0.0, f32::MAX);
    /// Any finite number above 0.
    pub const POSITIVE: Self = Self::above(0.0, f32::MAX);
    /// A length of something, in world units.
    pub const SIZE: Self = Self::above(0.0, 1e9);

    /// From `least` to `most`, both valid.
    pub const fn between(least: f32, most: f32) -> Self {
        Self { least, most, least_included: true }
    }

    /// From `least`, which is not valid, to `most`, which is.
    pub const fn above(least: f32, most: f32) -> Self {
        Self { least, most, least_included: false }
    }

    /// From `-most` to `most`, both valid.
    pub const fn within(most: f32) -> Self {
        Self::between(-most, most)
    }

    /// The smallest number that is valid.
    pub const fn smallest(self) -> f32 {
        if self.least_included {
            self.least
        } else if self.least == 0.0 {
            f32::MIN_POSITIVE
        } else {
            self.least.next_up()
        }
    }

    /// Whether a number is valid.
    pub fn contains(self, value: f32) -> bool {
        let above = if self.least_included {
            value >= self.least
        } else {
            value > self.least && !value.is_subnormal()
        };
        above && value <= self.most
    }

    fn check(
        self,
        subject: &'static str,
        field: &'static str,
        value: f32,
    ) -> Result<(), OutOfRange> {
        let range = ValidRange::Limits(self);
        if self.contains(value) { Ok(()) } else { Err(OutOfRange { subject, field, value, range }) }
    }
}

impl Display for Limits {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (least, most) = (Plain(self.least), Plain(self.most));
        let unlimited = self.most == f32::MAX;
        match (self.least_included, f.alternate()) {
            (true, _) if unlimited && self.least == f32::MIN => f.write_str("finite"),
            (true, _) if unlimited => write!(f, "finite and at least {least}"),
            (false, _) if unlimited => write!(f, "finite and above {least}"),
            (true, _) if self.least == -self.most => write!(f, "within ±{most}"),
            (true, false) => write!(f, "between {least} and {most}"),
            (true, true) => write!(f, "{least} to {most}"),
            (false, false) => write!(f, "above {least} and at most {most}"),
            (false, true) => write!(f, "above {least}, up to {most}"),
        }
    }
}

/// A number without a row of zeros where it is large.
struct Plain(f32);

impl Display for Plain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.abs() < 1e7 { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// What a numeric setting may be, and what it means: a row of the [table](crate::ranges).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingRange {
    /// What has the setting, as errors name it.
    pub subject: &'static str,
    /// Path of the field in it, as errors name it: `viscosity.linear`. A setting of several numbers,
    /// such as a vector, has one row for all of them.
    pub path: &'static str,
    /// What it is measured in; empty for plain numbers and factors.
    pub unit: &'static str,
    /// What it may be.
    pub limits: Limits,
    /// Whether it is a whole number.
    pub whole: bool,
    /// What it is unless stated; `None` where it must be stated, may be left out, or is no single
    /// number.
    pub default: Option<f32>,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

impl SettingRange {
    /// Checks a value.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the setting and its limits.
    pub fn check(&self, value: f32) -> Result<(), OutOfRange> {
        self.limits.check(self.subject, self.path, value)
    }

    /// Checks all numbers of a setting that has several, or that may be left out.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), for the first that is outside the limits.
    pub fn check_all(&self, values: impl IntoIterator<Item = f32>) -> Result<(), OutOfRange> {
        values.into_iter().try_for_each(|value| self.check(value))
    }
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
        let range = ValidRange::Words(range);
        if valid { Ok(()) } else { Err(OutOfRange { subject: self.0, field, value, range }) }
    }

    /// Refuses lengths that are no size of anything.
    pub(crate) fn size(self, field: &'static str, value: f32) -> Result<(), OutOfRange> {
        Limits::SIZE.check(self.0, field, value)
    }

    /// Refuses what is not finite.
    pub(crate) fn finite(self, field: &'static str, values: &[f32]) -> Result<(), OutOfRange> {
        values.iter().try_for_each(|value| Limits::FINITE.check(self.0, field, *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_what_they_say() {
        for (limits, words, least, below, most, above) in [
            (Limits::FINITE, "finite", f32::MIN, f32::NEG_INFINITY, f32::MAX, f32::INFINITY),
            (
                Limits::NOT_NEGATIVE,
                "finite and at least 0",
                0.0,
                -f32::MIN_POSITIVE,
                f32::MAX,
                f32::INFINITY,
            ),
            (
                Limits::POSITIVE,
                "finite and above 0",
                f32::MIN_POSITIVE,
                1e-40,
                f32::MAX,
                f32::INFINITY,
            ),
            (Limits::SIZE, "above 0 and at most 1e9", f32::MIN_POSITIVE, 0.0, 1e9, 2e9),
            (Limits::within(1e6), "within ±1000000", -1e6, -1.1e6, 1e6, 1.1e6),
            (Limits::between(1e-6, 1.0), "between 0.000001 and 1", 1e-6, 9e-7, 1.0, 1.1),
        ] {
            assert_eq!(limits.to_string(), words);
            assert_eq!(limits.smallest(), least, "{limits}");
            assert!(limits.contains(least) && limits.contains(most), "{limits}");
            assert!(!limits.contains(below) && !limits.contains(above), "{limits}");
            assert!(!limits.contains(f32::NAN), "{limits}");
        }
    }
}
