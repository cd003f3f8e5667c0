//! Handles of particles.

use std::fmt::{self, Display, Formatter};

use crate::stored::stored;

/// A handle of one particle. It is valid until that particle dies, and never refers to another one. As
/// text it is `particle SLOT.GENERATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

stored!(ParticleId { slot, generation });

impl ParticleId {
    /// The slot: a small number, unique among living particles, and reused after the particle's
    /// death.
    pub fn slot(self) -> u32 {
        self.slot
    }

    /// Number of times that the slot had been reused.
    pub fn generation(self) -> u32 {
        self.generation
    }
}

impl Display for ParticleId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "particle {}.{}", self.slot, self.generation)
    }
}
