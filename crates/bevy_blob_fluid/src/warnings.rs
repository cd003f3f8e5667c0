//! Warnings that name the entity.

use std::fmt;

use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Warns about an invalid entity once, and again only after it has been valid.
#[derive(SystemParam)]
pub(crate) struct Warnings<'w, 's> {
    warned: Local<'s, EntityHashSet>,
    names: Query<'w, 's, &'static Name>,
}

impl Warnings<'_, '_> {
    /// Warns about an entity, unless it has been warned about since it was last valid.
    pub(crate) fn warn(&mut self, entity: Entity, what: &str, error: &dyn fmt::Display) {
        if self.warned.insert(entity) {
            warn!("{what} {} is left out: {error}", self.named(entity));
        }
    }

    /// Unwraps a result. `Ok` marks the entity as valid; an error is a [warning](Self::warn).
    pub(crate) fn check<T, E: fmt::Display>(
        &mut self,
        entity: Entity,
        what: &str,
        result: Result<T, E>,
    ) -> Option<T> {
        match &result {
            Ok(_) => self.resolve(entity),
            Err(error) => self.warn(entity, what, error),
        }
        result.ok()
    }

    /// As [`check`](Self::check), for an entity that keeps its last valid state, if it has one.
    pub(crate) fn check_change<T, E: fmt::Display>(
        &mut self,
        entity: Entity,
        what: &str,
        has_valid_state: bool,
        result: Result<T, E>,
    ) -> Option<T> {
        match result {
            Err(error) if has_valid_state => {
                self.warn(entity, &format!("a change of {what}"), &error);
                None
            }
            _ => self.check(entity, what, result),
        }
    }

    /// An entity in messages: its [`Name`], if it has one, and its number.
    pub(crate) fn named(&self, entity: Entity) -> impl fmt::Display {
        match self.names.get(entity) {
            Ok(name) => format!("`{name}` ({entity})"),
            Err(_) => entity.to_string(),
        }
    }

    /// Removes the entities that no longer exist.
    pub(crate) fn retain(&mut self, keep: impl Fn(Entity) -> bool) {
        self.warned.retain(|entity| keep(*entity));
    }

    /// Marks the entity as valid.
    pub(crate) fn resolve(&mut self, entity: Entity) {
        self.warned.remove(&entity);
    }
}

#[cfg(test)]
mod tests {
    use bevy::ecs::system::RunSystemOnce;

    use super::*;

    #[test]
    fn an_entity_is_called_by_its_name() {
        let mut world = World::new();
        let boat = world.spawn(Name::new("boat")).id();
        let other = world.spawn_empty().id();
        let named = move |warnings: Warnings| {
            [boat, other].map(|entity| warnings.named(entity).to_string())
        };
        let [named, unnamed] = world.run_system_once(named).expect("it runs");
        assert_eq!(named, format!("`boat` ({boat})"));
        assert_eq!(unnamed, other.to_string());
    }
}
