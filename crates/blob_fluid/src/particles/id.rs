//! Handles of particles.

/// A handle of one particle: valid until that particle dies, and never another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl ParticleId {
    /// The slot: small, unique among living particles, reused after death.
    pub fn slot(self) -> u32 {
        self.slot
    }

    /// How often the slot was reused.
    pub fn generation(self) -> u32 {
        self.generation
    }
}
