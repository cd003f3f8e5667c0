//! The report of a step, and the error of an invalid step.

use thiserror::Error;

use crate::settings::parameters::GivenUp;

/// An invalid time step.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum StepError {
    /// The time step is NaN, infinite or negative.
    #[error("the time step is {0} s, and must be finite and at least 0")]
    TimeStep(f32),
}

/// The results of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct StepReport {
    /// Simulated time, in seconds: the time step, or the longest allowed tick if that is shorter.
    pub time_step: f32,
    /// Number of substeps; 0 if the time step is 0 or everything sleeps.
    pub substeps: u32,
    /// Number of viscosity sweeps in each substep; 0 if nothing is viscous.
    pub viscosity_sweeps: u32,
    /// Number of pressure iterations in all substeps; 0 for solvers that do not iterate.
    pub pressure_iterations: u32,
    /// Number of iterations of the implicit viscosity in all substeps; 0 for solvers with explicit
    /// viscosity, and for liquid so thin that one exchange is enough.
    pub viscosity_iterations: u32,
    /// Mean excess of the densities over the rest densities after the last substep, relative to
    /// these, without sleeping liquid; 0 for solvers that do not iterate. In substeps shorter than
    /// T0/12, only the part that one substep corrects counts.
    pub density_error: f32,
    /// Substeps and sweeps that the settings need and that were omitted because of the liquid's
    /// [effort](crate::Liquid::set_effort).
    pub given_up: GivenUp,
    /// Number of particles that slept; all particles if there was no substep.
    pub asleep: usize,
    /// Number of particles that did not interact in the last substep, because too many are at one
    /// place. In each cell, which is one interaction radius long and an eighth of it wide, at most
    /// 128 particles interact. The others wait.
    pub waiting: usize,
    /// Number of particles that were quarantined because they were not finite or outside of the world.
    pub quarantined: u64,
    /// Number of particles that died at the beginning, because their [lifetime](crate::FluidLifetime)
    /// was over.
    pub expired: usize,
    /// Number of particles that were removed at the end, because they were outside of the [kill
    /// bounds](crate::Liquid::set_kill_bounds).
    pub out_of_bounds: usize,
}
