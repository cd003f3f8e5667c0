//! Solids as their components describe them. They are rebuilt only when these change: shapes of many
//! corners or pixels take a while.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use blob_fluid::{OutOfRange, Solid};

/// The solid built for each entity, and its source.
pub(crate) struct Built<Source, Options>(EntityHashMap<(Source, Vec2, Solid<Options>)>);

impl<Source, Options> Default for Built<Source, Options> {
    fn default() -> Self {
        Self(EntityHashMap::default())
    }
}

impl<Source: Clone + PartialEq, Options: Clone> Built<Source, Options> {
    /// The solid of an entity with a source at a scale: the earlier result of `build`, or a new
    /// one.
    pub(crate) fn get(
        &mut self,
        entity: Entity,
        source: &Source,
        scale: Vec2,
        build: impl FnOnce() -> Result<Solid<Options>, OutOfRange>,
    ) -> Result<Solid<Options>, OutOfRange> {
        if let Some((built_from, at_scale, solid)) = self.0.get(&entity)
            && built_from == source
            && *at_scale == scale
        {
            return Ok(solid.clone());
        }
        let solid = build()?;
        self.0.insert(entity, (source.clone(), scale, solid.clone()));
        Ok(solid)
    }

    /// Removes all other entities.
    pub(crate) fn retain(&mut self, keep: impl Fn(Entity) -> bool) {
        self.0.retain(|entity, _| keep(*entity));
    }
}
