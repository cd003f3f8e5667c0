//! What an engine says about its bodies and colliders before the fluid's ticks.

use std::any::{Any, TypeId};
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use blob_fluid::Motion;

use super::coupled::FluidCoupled;
use super::pieces::{Piece, ShapeError};
use crate::order::Ranks;

/// A rigid body of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineBody {
    /// Its entity.
    pub entity: Entity,
    /// Centre of mass, in world units.
    pub centre: Vec2,
    /// Cosine and sine of its counter-clockwise angle.
    pub rotation: Vec2,
    /// Velocity of its centre of mass, and angular velocity.
    pub motion: Motion,
    /// Whether forces move it. Bodies that only the game moves, or nothing does, push the liquid, and
    /// it does not push them.
    pub is_dynamic: bool,
    /// Whether it sleeps.
    pub asleep: bool,
    /// Mass, in the engine's unit.
    pub mass: f32,
    /// 1/mass along each axis of the world; 0 along an axis that is locked.
    pub inverse_mass: Vec2,
    /// 1/moment of inertia about its centre of mass; 0 if its rotation is locked.
    pub inverse_inertia: f32,
}

/// A collider of an engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineCollider<'a> {
    /// Its entity.
    pub entity: Entity,
    /// The entity of its body; `None` for a collider without one, which stands still.
    pub body: Option<Entity>,
    /// Its position relative to the centre of mass of its body, along the body's own axes; in the
    /// world without a body.
    pub centre: Vec2,
    /// Cosine and sine of its angle, relative to its body.
    pub rotation: Vec2,
    /// Layers of the engine that it collides with, a bit each.
    pub layers: u32,
    /// How it meets the liquid.
    pub coupled: &'a FluidCoupled,
}

/// What the liquid did to a body since the last step of its engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnginePush {
    /// The body's entity.
    pub body: Entity,
    /// Impulse at its centre of mass, in the engine's masses times world units/s.
    pub impulse: Vec2,
    /// Angular impulse about its centre of mass, counter-clockwise.
    pub angular_impulse: f32,
    /// Whether the liquid around it moves: then the body must not sleep.
    pub wakes: bool,
}

/// The bodies and colliders of all engines that meet the liquid. [`PhysicsEngine::collect`] fills it
/// before the fluid's ticks.
///
/// [`PhysicsEngine::collect`]: super::PhysicsEngine::collect
#[derive(Resource, Default)]
pub struct EngineBodies {
    pub(super) bodies: Vec<(TypeId, EngineBody)>,
    pub(super) colliders: Vec<KnownCollider>,
    /// Indices of the bodies, after sorting.
    indices: EntityHashMap<usize>,
    converted: EntityHashMap<Converted>,
    engine: Option<TypeId>,
}

/// A collider that was collected.
pub(super) struct KnownCollider {
    pub entity: Entity,
    pub body: Option<Entity>,
    pub centre: Vec2,
    pub rotation: Vec2,
    pub layers: u32,
    pub coupled: FluidCoupled,
    pub pieces: Result<Arc<[Piece]>, ShapeError>,
}

/// The pieces of a collider, and the shape that they were made of.
struct Converted {
    source: Box<dyn Any + Send + Sync>,
    pieces: Result<Arc<[Piece]>, ShapeError>,
    used: bool,
}

impl EngineBodies {
    /// Adds a body.
    pub fn body(&mut self, body: EngineBody) {
        self.bodies.extend(self.engine.map(|engine| (engine, body)));
    }

    /// Adds a collider of a `shape`. `convert` is called only if the shape is not the `same` as that
    /// of the last time.
    pub fn collider<S: Clone + Send + Sync + 'static>(
        &mut self,
        collider: EngineCollider,
        shape: &S,
        same: impl FnOnce(&S, &S) -> bool,
        convert: impl FnOnce(&S) -> Result<Vec<Piece>, ShapeError>,
    ) {
        let EngineCollider { entity, body, centre, rotation, layers, coupled } = collider;
        let held = self.converted.get(&entity);
        let source = held.and_then(|held| held.source.downcast_ref::<S>());
        if !source.is_some_and(|source| same(source, shape)) {
            let pieces = convert(shape).map(Arc::from);
            let new = Converted { source: Box::new(shape.clone()), pieces, used: false };
            self.converted.insert(entity, new);
        }
        let Some(held) = self.converted.get_mut(&entity) else { return };
        held.used = true;
        let pieces = held.pieces.clone();
        let coupled = *coupled;
        let new = KnownCollider { entity, body, centre, rotation, layers, coupled, pieces };
        self.colliders.push(new);
    }

    /// Says which engine the next bodies belong to.
    pub(super) fn begin(&mut self, engine: TypeId) {
        self.engine = Some(engine);
    }

    /// Puts colliders in the order of their entities, and bodies in that of their first colliders.
    pub(super) fn sort(&mut self, ranks: &Ranks) {
        self.colliders.sort_by_cached_key(|collider| ranks.of(collider.entity));
        let mut first = EntityHashMap::default();
        for (index, collider) in self.colliders.iter().enumerate() {
            if let Some(body) = collider.body {
                first.entry(body).or_insert(index);
            }
        }
        self.bodies.sort_by_key(|(_, body)| first.get(&body.entity));
        let entities = self.bodies.iter().map(|(_, body)| body.entity);
        self.indices.clear();
        self.indices.extend(entities.enumerate().map(|(index, entity)| (entity, index)));
    }

    /// The collected body of an entity, after sorting.
    pub(super) fn find(&self, entity: Entity) -> Option<&EngineBody> {
        self.indices.get(&entity).map(|index| &self.bodies[*index].1)
    }

    /// Forgets what was collected, and shapes that were not.
    pub(super) fn clear(&mut self) {
        self.bodies.clear();
        self.colliders.clear();
        self.converted.retain(|_, held| std::mem::take(&mut held.used));
    }
}
