//! The clock of a liquid: simulated time, ticks and substeps.

/// Simulated time, in seconds, number of ticks, and the substeps of the last tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub time: f64,
    pub ticks: u64,
    /// Number of substeps that the last tick should have had. A hysteresis keeps it steady.
    pub wanted_substeps: u32,
    /// Number of substeps of the last tick.
    pub substeps: u32,
    /// Length of each of these substeps, in seconds.
    pub substep: f32,
}

impl Default for Clock {
    fn default() -> Self {
        Self { time: 0.0, ticks: 0, wanted_substeps: 1, substeps: 1, substep: 1.0 / 60.0 }
    }
}
