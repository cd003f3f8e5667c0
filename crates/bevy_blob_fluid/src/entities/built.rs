//! Solids and shapes as their components describe them, made anew only when these change: shapes of
//! many corners or pixels take a while.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use blob_fluid::{OutOfRange, Shape, Solid};

/// What was built for each entity, and from what.
pub(crate) struct Built<Source, Options>(EntityHashMap<(Source, Vec2, Solid<Options>)>);

impl<Source, Options> Default for Built<Source, Options> {
    fn default() -> Self {
        Self(EntityHashMap::default())
    }
}

impl<Source: Clone + PartialEq, Options: Clone> Built<Source, Options> {
    /// The solid of an entity with that source at that scale: what `build` gave for it before, or
    /// gives now.
    pub(crate) fn get(
        &mut self,
        entity: Entity,
        source: &Source,
        scale: Vec2,
        build: impl FnOnce() -> Result<Solid<Options>, OutOfRange>,
    ) -> Result<Solid<Options>, OutOfRange> {
        if let Some((of_source, at_scale, solid)) = self.0.get(&entity)
            && of_source == source
            && *at_scale == scale
        {
            return Ok(solid.clone());
        }
        let solid = build()?;
        self.0.insert(entity, (source.clone(), scale, solid.clone()));
        Ok(solid)
    }

    /// Forgets all other entities.
    pub(crate) fn retain(&mut self, keep: impl Fn(Entity) -> bool) {
        self.0.retain(|entity, _| keep(*entity));
    }
}

/// A shape at the scale of its entity: the shape, the scale, and what came of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled(Option<(Shape, Vec2, Shape)>);

impl Scaled {
    /// A shape at a scale: what came of them before, or comes now.
    pub(crate) fn get(&mut self, shape: &Shape, scale: Vec2) -> Shape {
        if let Some((of_shape, at_scale, scaled)) = &self.0
            && of_shape == shape
            && *at_scale == scale
        {
            return scaled.clone();
        }
        let scaled = shape.scaled(scale);
        self.0 = Some((shape.clone(), scale, scaled.clone()));
        scaled
    }
}
