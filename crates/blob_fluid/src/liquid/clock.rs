//! How much time has passed.

/// What a liquid remembers of the time that was simulated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub time: f64,
    pub ticks: u64,
    /// How many substeps the last tick wanted; a hysteresis keeps the number steady.
    pub wanted_substeps: u32,
    /// How many it took.
    pub substeps: u32,
    /// How long each of them was, in seconds.
    pub substep: f32,
}

impl Default for Clock {
    fn default() -> Self {
        Self { time: 0.0, ticks: 0, wanted_substeps: 1, substeps: 1, substep: 1.0 / 60.0 }
    }
}
