//! Who may live: what a full world does, and particles that left it.

use crate::geometry::bounds::Bounds;

/// What happens when a particle is to be added to a full world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum CapacityPolicy {
    /// It is refused with [`SpawnError::Full`](crate::SpawnError::Full).
    #[default]
    Refuse,
    /// The oldest particle dies for it.
    RecycleOldest,
}

/// What a liquid remembers of who may live.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Population {
    /// Most particles there may be.
    pub capacity: usize,
    pub policy: CapacityPolicy,
    pub recycled: u64,
    pub kill_bounds: Option<Bounds>,
    /// Whether what lies asleep was never held against the kill bounds.
    pub bounds_changed: bool,
    pub out_of_bounds: u64,
    pub quarantined: u64,
}

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
