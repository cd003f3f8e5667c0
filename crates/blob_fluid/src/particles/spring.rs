//! Springs between particles, which make a liquid elastic.

use crate::clone_in_place::clone_in_place;
use crate::counting::count_more;
use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
#[cfg(feature = "snapshot")]
use crate::stored::error::{SnapshotError, ensure};
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

stored!(Spring { ends, rest_length in Limits::NOT_NEGATIVE });

/// Fails where two springs connect the same particles.
#[cfg(feature = "snapshot")]
pub(crate) fn check_once(springs: &[Spring]) -> Result<(), SnapshotError> {
    let twice = first_twice(springs.iter().map(|spring| spring.ends));
    ensure(twice.is_none(), "a spring twice")
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
    crate::stored::error::countable([all.refused])?;
    check_once(&all.list)
});

impl Springs {
    /// Default capacity, enough for 100,000 particles.
    pub(crate) const DEFAULT_CAPACITY: usize = 3_000_000;

    /// Makes room for so many more springs by forgetting those of dead particles, and counts those for which there is none.
    /// Returns for how many there is room.
    pub(crate) fn make_room(&mut self, wanted: usize, particles: &Particles) -> usize {
        if self.list.len() + wanted > self.capacity {
            let lives = |end: &ParticleId| particles.index_of(*end).is_some();
            self.list.retain(|spring| spring.ends.iter().all(lives));
        }
        let room = self.capacity.saturating_sub(self.list.len()).min(wanted);
        count_more(&mut self.refused, (wanted - room) as u64);
        room
    }
}

/// Two ends that more than one spring connects, in any order.
pub(crate) fn first_twice<T: Copy + Ord>(ends: impl Iterator<Item = [T; 2]>) -> Option<[T; 2]> {
    let mut all: Vec<[T; 2]> = ends.map(|[one, other]| [one.min(other), one.max(other)]).collect();
    all.sort_unstable();
    all.windows(2).find(|next| next[0] == next[1]).map(|next| next[0])
}

impl Default for Springs {
    fn default() -> Self {
        Self { list: Vec::new(), capacity: Self::DEFAULT_CAPACITY, refused: 0 }
    }
}
