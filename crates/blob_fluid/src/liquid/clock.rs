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
    /// The length of substep whose resistance to compression is in force, at least `substep`.
    /// Shorter ones resist more strongly, and would throw up liquid that longer ones have compressed.
    /// So it becomes shorter at once only as far as the depth asks for, and slowly beyond that.
    pub resisting_substep: f32,
}

/// Relative decrease of the length whose resistance is in force, per T0.
const STIFFENING: f32 = 0.25;

impl Clock {
    /// Begins a tick of `time_step` seconds in so many substeps, of which the depth asks for the
    /// second number.
    pub(crate) fn begin_tick(
        &mut self,
        time_step: f32,
        (substeps, for_depth): (u32, f32),
        time_unit: f32,
    ) {
        self.substeps = substeps;
        self.substep = time_step / substeps as f32;
        let eased = self.resisting_substep * (1.0 - STIFFENING * time_step / time_unit);
        self.resisting_substep = self.substep.max(eased.min(time_step / for_depth));
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            time: 0.0,
            ticks: 0,
            wanted_substeps: 1,
            substeps: 1,
            substep: 1.0 / 60.0,
            resisting_substep: 0.0,
        }
    }
}
