//! The order in which the liquid takes entities.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::system::SystemParam;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// When the liquid takes an entity, beside others of its kind: by default the one that was spawned last
/// comes first.
///
/// The last bits of the liquid depend on this order: which blob is filled first, which collider
/// pushes first. Every container, collider, blob, emitter, drain, tank, pump, force, sensor and air has this
/// component, and so have the colliders of avian2d and of bevy_rapier2d. A level that is
/// spawned again in the same order is the same to the bit, whatever [`Entity`] ids Bevy gives it.
///
/// A game in which the order of spawning differs from one machine to another, such as one that copies
/// entities over a network, gives each entity a [key](Self::key) of its own:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((FluidCollider::from(Circle::new(30.0)), FluidOrder::new(17)));
/// }
/// ```
#[derive(Component, Reflect, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[component(on_insert = number)]
pub struct FluidOrder {
    /// Entities with smaller keys come first; of those with equal keys the one that was spawned last.
    /// Default 0.
    pub key: i64,
    /// Counts all entities from 1; 0 until the component is inserted.
    #[reflect(ignore)]
    spawned: u64,
}

impl FluidOrder {
    /// For an entity with the given key.
    pub const fn new(key: i64) -> Self {
        Self { key, spawned: 0 }
    }
}

#[cfg(feature = "snapshot")]
impl FluidOrder {
    /// The order of an entity that has been numbered.
    pub(crate) fn numbered(key: i64, spawned: u64) -> Self {
        Self { key, spawned }
    }

    /// Its number.
    pub(crate) fn spawned(&self) -> u64 {
        self.spawned
    }
}

/// Lets entities that are spawned from now on have numbers above this one.
#[cfg(feature = "snapshot")]
pub(crate) fn number_above(spawned: u64) {
    COUNT.fetch_max(spawned, Relaxed);
}

/// The clone of an entity is spawned later, and gets a number of its own.
impl Clone for FluidOrder {
    fn clone(&self) -> Self {
        Self::new(self.key)
    }
}

/// How many entities have been numbered. Numbers are compared only within a world.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Numbers an entity.
fn number(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut order) = world.get_mut::<FluidOrder>(context.entity) {
        order.bypass_change_detection().spawned = COUNT.fetch_add(1, Relaxed) + 1;
    }
}

/// An entity's place in the order. Those without a [`FluidOrder`] come last, by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    key: i64,
    spawned: Reverse<u64>,
    pub entity: Entity,
}

#[cfg(feature = "snapshot")]
impl Rank {
    /// The place of an entity with an order.
    pub(crate) fn new(key: i64, spawned: u64, entity: Entity) -> Self {
        Self { key, spawned: Reverse(spawned), entity }
    }

    /// The key and the number.
    pub(crate) fn order(&self) -> (i64, u64) {
        (self.key, self.spawned.0)
    }
}

/// The places of entities in the order.
#[derive(SystemParam)]
pub(crate) struct Ranks<'w, 's> {
    orders: Query<'w, 's, &'static FluidOrder>,
}

impl Ranks<'_, '_> {
    /// The place of an entity.
    pub(crate) fn of(&self, entity: Entity) -> Rank {
        let (key, spawned) = self.orders.get(entity).map_or((0, 0), |of| (of.key, of.spawned));
        Rank { key, spawned: Reverse(spawned), entity }
    }
}
