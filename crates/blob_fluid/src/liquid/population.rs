//! Limits of the number and the positions of particles, and counts of particles removed by them.

use crate::geometry::bounds::FluidBounds;
use crate::stored::stored;

/// What happens when a particle is spawned in a full world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum CapacityPolicy {
    /// Spawning returns [`SpawnError::Full`](crate::SpawnError::Full).
    #[default]
    Refuse,
    /// The oldest particle is removed.
    RecycleOldest,
}

stored!(settings CapacityPolicy, without numbers);

/// Limits of the particles of a liquid, and counts of particles removed by them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Population {
    /// Largest number of particles.
    pub capacity: usize,
    pub policy: CapacityPolicy,
    pub recycled: u64,
    pub kill_bounds: Option<FluidBounds>,
    /// Whether sleeping particles have not been tested against the present kill bounds yet.
    pub bounds_changed: bool,
    pub out_of_bounds: u64,
    pub quarantined: u64,
}

stored!(Population {
    capacity,
    policy,
    recycled,
    kill_bounds,
    bounds_changed,
    out_of_bounds,
    quarantined,
} check |all: &Self| {
    crate::stored::error::countable([all.recycled, all.out_of_bounds, all.quarantined])
});

impl Default for Population {
    fn default() -> Self {
        Self {
            capacity: 1_000_000,
            policy: CapacityPolicy::default(),
            recycled: 0,
            kill_bounds: None,
            bounds_changed: false,
            out_of_bounds: 0,
            quarantined: 0,
        }
    }
}
