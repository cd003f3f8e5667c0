//! The report of a step, and the error of a step that was refused.

use thiserror::Error;

use crate::settings::parameters::GivenUp;

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
    /// Simulated time, in seconds: the time step, or the longest allowed tick if that is shorter.
    pub time_step: f32,
    /// Number of substeps; 0 if nothing was done, because no time passed or everything sleeps.
    pub substeps: u32,
    /// Number of viscosity sweeps in each substep; 0 if nothing is viscous.
    pub viscosity_sweeps: u32,
    /// Iterations for pressures in all substeps together; 0 for solvers that do not iterate.
    pub pressure_iterations: u32,
    /// Iterations for the implicit viscosity in all substeps together; 0 for solvers whose viscosity
    /// is explicit, and for liquid so thin that one exchange does.
    pub viscosity_iterations: u32,
    /// The mean by which densities exceed those at rest after the last substep, relative to them,
    /// without the liquid that sleeps; 0 for solvers that do not iterate. In substeps shorter than T0/12 only
    /// the part counts that one of them corrects.
    pub density_error: f32,
    /// Substeps and sweeps that the settings ask for and that were left out because of the liquid's
    /// [effort](crate::Liquid::set_effort).
    pub given_up: GivenUp,
    /// Number of particles that slept; all particles if there was no substep.
    pub asleep: usize,
    /// Number of particles that touched no others in the last substep, because too many are at one place: of each
    /// piece of space an interaction radius high and an eighth of it wide, at most 128 particles touch others. The
    /// rest wait for their places.
    pub waiting: usize,
    /// Number of particles that were quarantined because they were not finite or out of the world.
    pub quarantined: u64,
    /// Number of particles that died at the beginning, because their [lifetime](crate::FluidLifetime)
    /// was over.
    pub expired: usize,
    /// Number of particles that were removed at the end, because they were outside of the [kill
    /// bounds](crate::Liquid::set_kill_bounds).
    pub out_of_bounds: usize,
}
