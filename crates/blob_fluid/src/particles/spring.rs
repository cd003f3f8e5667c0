//! Springs between particles: what makes a liquid elastic.

use crate::particles::id::ParticleId;

/// A spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Spring {
    /// The particles it connects.
    pub ends: [ParticleId; 2],
    /// `L`: the length at which it exerts no force, in world units.
    pub rest_length: f32,
}

/// All springs, in the order they were made.
#[derive(Clone, Debug)]
pub(crate) struct Springs {
    pub list: Vec<Spring>,
    /// Most there may be.
    pub capacity: usize,
    /// How many springs were not made because there were too many.
    pub refused: u64,
}

impl Springs {
    /// How many springs there may be unless told otherwise: enough for 100,000 particles.
    pub(crate) const DEFAULT_CAPACITY: usize = 3_000_000;
}

impl Default for Springs {
    fn default() -> Self {
        Self { list: Vec::new(), capacity: Self::DEFAULT_CAPACITY, refused: 0 }
    }
}
