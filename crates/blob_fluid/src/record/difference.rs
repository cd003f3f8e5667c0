//! Where a replay differs from its recording.

use std::fmt::{self, Display, Formatter};

use thiserror::Error;

use crate::particles::id::ParticleId;
use crate::snapshot::hash::FluidPart;
use crate::solver::report::StepError;
use crate::stored::error::SnapshotError;

/// The first difference between a replay and its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayDifference {
    /// The tick after which they differ: 1 is the first of the recording.
    pub tick: u64,
    /// The parts that differ, in the order of [`FluidPart::ALL`].
    pub parts: Vec<FluidPart>,
    /// A particle that differs, or is there in one of the two only: of those that are known to differ, the
    /// one with the lowest slot. `None` if none differs, and up to one time in seventy if several do.
    /// If it is only in the recording, its generation is not known, and that of the slot is given.
    pub particle: Option<ParticleId>,
}

impl Display for ReplayDifference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = self.parts.iter().map(|part| part.name()).collect();
        write!(f, "tick {}: {} differ from the recording", self.tick, parts.join(", "))?;
        match self.particle {
            Some(particle) => write!(f, ", first {particle}"),
            None if self.parts.contains(&FluidPart::Particles) => {
                write!(f, ", in their order or in particles that cannot be told apart")
            }
            None => Ok(()),
        }
    }
}

/// Why a replay does not go on.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// What came out is not what was recorded.
    #[error("{0}")]
    Differs(ReplayDifference),
    /// The recording is invalid in a way that shows only when it is played.
    #[error(transparent)]
    Invalid(#[from] SnapshotError),
    /// A recorded time step is refused.
    #[error(transparent)]
    Step(#[from] StepError),
}
