//! What the doctor is told, and what it finds.

use std::fmt;

use crate::settings::effort::GivenUp;

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong, but it may surprise.
    Note,
    /// The liquid is not what the settings ask for.
    Warning,
    /// Liquid is lost, or was never right.
    Error,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What is seen, in a sentence.
    pub message: String,
    /// Path of the setting that is likely behind it, such as `substeps.max`.
    pub parameter: &'static str,
    /// What to do about it, in a sentence.
    pub suggestion: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ({})", self.message, self.suggestion, self.parameter)
    }
}

/// What the doctor needs to know besides the liquid itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct History {
    /// Time that the host asks each tick to simulate, in seconds.
    pub time_step: f32,
    /// How many ticks were lately left out because a frame had too many of them.
    pub ticks_dropped: u64,
    /// What the last tick left out.
    pub given_up: GivenUp,
    /// How many particles were lately quarantined.
    pub quarantined: u64,
    /// How many particles were lately removed outside of the kill bounds.
    pub out_of_bounds: u64,
    /// How many particles lately died to make room for others.
    pub recycled: u64,
}

impl Default for History {
    /// 64 ticks per second, and all counts 0.
    fn default() -> Self {
        Self {
            time_step: 1.0 / 64.0,
            ticks_dropped: 0,
            given_up: GivenUp::default(),
            quarantined: 0,
            out_of_bounds: 0,
            recycled: 0,
        }
    }
}
