//! What a step did, or why it was not taken.

use thiserror::Error;

use crate::settings::effort::GivenUp;

/// A time step that cannot be taken.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum StepError {
    /// The time step is NaN, infinite or negative.
    #[error("the time step is {0} s, and must be finite and at least 0")]
    TimeStep(f32),
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct StepReport {
    /// Simulated time, in seconds: the time step, or less where it exceeded the longest allowed.
    pub time_step: f32,
    /// How many substeps it was divided into; 0 when nothing was done, because no time passed or
    /// everything sleeps.
    pub substeps: u32,
    /// How many sweeps over the pairs viscosity took in each of them; 0 where nothing is viscous.
    pub viscosity_sweeps: u32,
    /// What was left out of what the settings ask for, because of the world's
    /// [effort](crate::Liquid::set_effort).
    pub given_up: GivenUp,
    /// How many particles slept; all of them where there was no substep.
    pub asleep: usize,
    /// How many particles were quarantined because they were not finite or out of the world.
    pub quarantined: u64,
    /// How many particles died at the beginning, because their [lifetime](crate::Lifetime) was
    /// over.
    pub expired: usize,
    /// How many particles were removed at the end, because they were outside of the
    /// [kill bounds](crate::Liquid::set_kill_bounds).
    pub out_of_bounds: usize,
}
