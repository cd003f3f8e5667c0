//! Hooks of components whose entities have others of the plugin's beside them.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// Inserts these components into the entity, as they are by default.
pub(crate) fn insert<B: Bundle + Default>(mut world: DeferredWorld, context: HookContext) {
    world.commands().entity(context.entity).try_insert(B::default());
}

/// Removes these components from the entity.
pub(crate) fn remove<B: Bundle>(mut world: DeferredWorld, context: HookContext) {
    world.commands().entity(context.entity).try_remove::<B>();
}
