//! Springs between particles, which make a liquid elastic.

use crate::clone_in_place::clone_in_place;
use crate::particles::id::ParticleId;
#[cfg(feature = "snapshot")]
use crate::settings::range::{Check, OutOfRange};
use crate::stored::stored;

/// A spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Spring {
    /// The particles it connects.
    pub ends: [ParticleId; 2],
    /// `L`: the length at which the spring exerts no force, in world units.
    pub rest_length: f32,
}

stored!(Spring { ends, rest_length } check check_length);

#[cfg(feature = "snapshot")]
fn check_length(spring: &Spring) -> Result<(), OutOfRange> {
    let length = spring.rest_length;
    Check("spring").that(
        length.is_finite() && length >= 0.0,
        "rest_length",
        length,
        "finite and >= 0",
    )
}

clone_in_place! {
    /// All springs, in the order in which they were created.
    #[derive(Debug)]
    pub(crate) struct Springs {
        pub list: Vec<Spring>,
        /// Largest number of springs.
        pub capacity: usize,
        /// Number of springs that were not created because the capacity was reached.
        pub refused: u64,
    }
}

stored!(Springs { list, capacity, refused } check |all: &Self| {
    crate::stored::error::countable([all.refused])
});

impl Springs {
    /// Default capacity, enough for 100,000 particles.
    pub(crate) const DEFAULT_CAPACITY: usize = 3_000_000;
}

impl Default for Springs {
    fn default() -> Self {
        Self { list: Vec::new(), capacity: Self::DEFAULT_CAPACITY, refused: 0 }
    }
}
