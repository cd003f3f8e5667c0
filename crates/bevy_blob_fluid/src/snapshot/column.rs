//! The components of a type, by entity.

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;

/// The components of a type that entities had.
#[derive(Clone, Debug)]
pub(super) struct Column<C>(pub Vec<(Entity, C)>);

impl<C> Default for Column<C> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<C: Component<Mutability = Mutable> + Clone> Column<C> {
    /// Copies the components of all entities that pass a filter, into the memory of the last time.
    pub(super) fn take<F: QueryFilter>(&mut self, world: &mut World) {
        let mut query = world.query_filtered::<(Entity, &C), F>();
        let mut count = 0;
        for (entity, component) in query.iter(world) {
            match self.0.get_mut(count) {
                Some((owner, kept)) => {
                    *owner = entity;
                    kept.clone_from(component);
                }
                None => self.0.push((entity, component.clone())),
            }
            count += 1;
        }
        self.0.truncate(count);
    }

    /// Gives the components back to entities that have one, and returns the entities that have none.
    pub(super) fn put_back(
        &self,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<(Entity, &C)> {
        let mut without = Vec::new();
        for (entity, kept) in &self.0 {
            let Some(now) = present.get(entity) else { continue };
            match world.get_mut::<C>(*now) {
                Some(mut component) => component.clone_from(kept),
                None => without.push((*entity, kept)),
            }
        }
        without
    }

    /// Gives the components back, also to entities that have none now.
    pub(super) fn insert_back(&self, world: &mut World, present: &EntityHashMap<Entity>) {
        for (entity, kept) in self.put_back(world, present) {
            world.entity_mut(present[&entity]).insert(kept.clone());
        }
    }

    /// The entities that were there already, and got such a component since.
    pub(super) fn new_since(
        &self,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<Entity> {
        let had: EntityHashSet =
            self.0.iter().filter_map(|(entity, _)| present.get(entity).copied()).collect();
        let known: EntityHashSet = present.values().copied().collect();
        let mut query = world.query_filtered::<Entity, With<C>>();
        query.iter(world).filter(|now| known.contains(now) && !had.contains(now)).collect()
    }

    /// Gives the components back, lets those that came since begin anew, and returns the entities
    /// that have none.
    pub(super) fn restore(&self, world: &mut World, present: &EntityHashMap<Entity>) -> Vec<Entity>
    where
        C: Default,
    {
        for new in self.new_since(world, present) {
            if let Some(mut component) = world.get_mut::<C>(new) {
                *component = C::default();
            }
        }
        self.put_back(world, present).into_iter().map(|(entity, _)| entity).collect()
    }
}
