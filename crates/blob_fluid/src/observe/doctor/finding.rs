//! The input of the doctor besides the liquid, and the findings that it returns.

use std::fmt;

use crate::settings::effort::GivenUp;

/// How bad a [`Finding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong, but the behaviour may surprise.
    Note,
    /// The liquid is not what the settings ask for.
    Warning,
    /// Liquid was lost, or the settings are impossible.
    Error,
}

/// A problem that the doctor found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What the problem is, in a sentence.
    pub message: String,
    /// Path of the setting that is the likely cause, such as `substeps.max`.
    pub parameter: &'static str,
    /// What to do about it, in a sentence.
    pub suggestion: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} ({})", self.message, self.suggestion, self.parameter)
    }
}

/// What the doctor needs to know besides the liquid itself: recent events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct History {
    /// Time that the host asks each tick to simulate, in seconds.
    pub time_step: f32,
    /// Number of ticks that were recently left out because a frame had too many of them.
    pub ticks_dropped: u64,
    /// What the last tick gave up.
    pub given_up: GivenUp,
    /// Number of particles that were recently quarantined.
    pub quarantined: u64,
    /// Number of particles that were recently removed outside of the kill bounds.
    pub out_of_bounds: u64,
    /// Number of particles that recently died to make room for others.
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
