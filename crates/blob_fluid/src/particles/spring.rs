//! Springs between particles, which make a liquid elastic.

use crate::particles::id::ParticleId;

/// A spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Spring {
    /// The particles it connects.
    pub ends: [ParticleId; 2],
    /// `L`: the length at which the spring exerts no force, in world units.
    pub rest_length: f32,
}

/// All springs, in the order in which they were created.
#[derive(Clone, Debug)]
pub(crate) struct Springs {
    pub list: Vec<Spring>,
    /// Largest number of springs.
    pub capacity: usize,
    /// Number of springs that were not created because the capacity was reached.
    pub refused: u64,
}

impl Springs {
    /// Default capacity, enough for 100,000 particles.
    pub(crate) const DEFAULT_CAPACITY: usize = 3_000_000;
}

impl Default for Springs {
    fn default() -> Self {
        Self { list: Vec::new(), capacity: Self::DEFAULT_CAPACITY, refused: 0 }
    }
}
