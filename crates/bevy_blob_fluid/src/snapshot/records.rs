//! The records of a snapshot for serde: everything except the core's own entries.

use std::fmt;
use std::time::Duration;

use bevy::ecs::entity::EntityHashMap;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use blob_fluid::shape::TileBlock;
use blob_fluid::{Pose, SnapshotError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::air::{FluidAir, FluidAirSource};
use crate::engines::{FluidCoupled, Host};
use crate::forces::{FluidField, FluidForce};
use crate::schedule::FluidOrder;
use crate::sensing::FluidSensor;
use crate::simulation::Fluid;
use crate::solids::{
    EntityPart, FluidCollider, FluidContainer, FluidLoad, FluidTiles, FluidWear, MergedTiles,
};
use crate::sources::{FluidBlob, FluidDrain, FluidEmitter, FluidPool, FluidPump, FluidTank};

/// The id of an entity at the time of the snapshot. The entity need not exist.
#[derive(Serialize, Deserialize, Clone, Copy)]
pub(super) struct Id(u64);

impl From<Entity> for Id {
    fn from(entity: Entity) -> Self {
        Self(entity.to_bits())
    }
}

impl Id {
    pub(super) fn entity(self) -> Option<Entity> {
        Entity::try_from_bits(self.0)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct EntityRecord {
    pub id: Id,
    pub order: Option<(i64, u64)>,
    pub name: Option<String>,
    pub kinds: u32,
    pub tiles: Option<TilesRecord>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TilesRecord {
    pub level: Id,
    pub low: UVec2,
    pub high: UVec2,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClockRecord {
    pub context: Fluid,
    pub elapsed: Duration,
    pub delta: Duration,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TargetRecord {
    pub id: Id,
    pub order: (i64, u64),
    pub number: u32,
    pub pose: Pose,
}

impl TargetRecord {
    pub(super) fn part(&self) -> EntityPart {
        EntityPart { number: self.number, pose: self.pose }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct HostRecord {
    pub id: Id,
    pub has_body: bool,
    pub host: Host,
}

// The entities of a snapshot, and their counterparts in another world.

/// An entity that the plugin knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KnownEntity {
    /// `None` only if the snapshot was read from bytes with an invalid id.
    pub entity: Option<Entity>,
    /// Key and number of its order, if it has one.
    pub order: Option<(i64, u64)>,
    pub name: Option<Name>,
    /// One bit for each component type of the game; it is set if the entity has the component.
    pub kinds: u32,
    /// The tiles of which the plugin has made this collider, if they wear.
    pub tiles: Option<KnownTiles>,
}

/// The merged tiles of a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KnownTiles {
    /// The entity with the [`FluidTiles`].
    pub level: Entity,
    pub block: TileBlock,
}

/// One bit for each component type of the game.
fn kinds(entity: EntityRef) -> u32 {
    let kinds = [
        entity.contains::<FluidWear>(),
        entity.contains::<FluidContainer>(),
        entity.contains::<FluidCollider>(),
        entity.contains::<FluidBlob>(),
        entity.contains::<FluidEmitter>(),
        entity.contains::<FluidDrain>(),
        entity.contains::<FluidTank>(),
        entity.contains::<FluidPump>(),
        entity.contains::<FluidSensor>(),
        entity.contains::<FluidPool>(),
        entity.contains::<FluidAir>(),
        entity.contains::<FluidAirSource>(),
        entity.contains::<FluidForce>(),
        entity.contains::<FluidField>(),
        entity.contains::<FluidCoupled>(),
    ];
    kinds.into_iter().fold(0, |bits, has| 2 * bits + u32::from(has))
}

type IsKnown = Or<(With<FluidOrder>, With<FluidLoad>, With<FluidCoupled>)>;

/// Lists the entities that the plugin knows. Reuses the memory of the previous call.
pub(super) fn take(known: &mut Vec<KnownEntity>, world: &mut World) {
    let mut query = world.query_filtered::<EntityRef, IsKnown>();
    let mut count = 0;
    let world = &*world;
    for entity in query.iter(world) {
        if known.len() == count {
            known.push(KnownEntity::default());
        }
        let kept = &mut known[count];
        kept.entity = Some(entity.id());
        kept.order = entity.get::<FluidOrder>().map(|order| (order.key, order.spawned()));
        let name = entity.get::<Name>();
        if kept.name.as_ref() != name {
            kept.name = name.cloned();
        }
        kept.kinds = kinds(entity);
        kept.tiles = entity.get::<MergedTiles>().zip(entity.get::<ChildOf>()).and_then(
            |(MergedTiles(block), child_of)| {
                let level = child_of.parent();
                world.get::<FluidWear>(level)?;
                Some(KnownTiles { level, block: *block })
            },
        );
        count += 1;
    }
    known.truncate(count);
}

/// Maps known entities without [merged tiles](restore_tiles) to their counterparts in a world, which have the same key,
/// name and kinds. An entity that still exists maps to itself. Other entities are matched in the order in which they
/// were spawned.
pub(super) fn counterparts(known: &[KnownEntity], world: &mut World) -> EntityHashMap<Entity> {
    let mut there = Vec::new();
    take(&mut there, world);
    let groups = grouped(&there);
    let mut map = EntityHashMap::default();
    for (group, entities) in grouped(known) {
        let others = groups.get(&group).map_or(&[][..], Vec::as_slice);
        // In another app, id and number are equal only if all entities were spawned in the same order.
        let rest = |all: &[(u64, Entity)], without: &[(u64, Entity)]| -> Vec<Entity> {
            let rest = all.iter().filter(|one| without.binary_search(one).is_err());
            rest.map(|(_, entity)| *entity).collect()
        };
        let same = entities.iter().filter(|one| others.binary_search(one).is_ok());
        map.extend(same.map(|(_, entity)| (*entity, *entity)));
        map.extend(rest(&entities, others).into_iter().zip(rest(others, &entities)));
    }
    map
}

/// Adds the counterparts of merged tiles that wear. Those that have been despawned since then are spawned again, and
/// those that have been spawned since then are despawned.
pub(super) fn restore_tiles(
    known: &[KnownEntity],
    world: &mut World,
    present: &mut EntityHashMap<Entity>,
) {
    let mut levels: EntityHashMap<Vec<(Entity, TileBlock)>> = EntityHashMap::default();
    for KnownEntity { entity, tiles, .. } in known {
        let Some((entity, KnownTiles { level, block })) = entity.zip(*tiles) else { continue };
        let Some(level) = present.get(&level).copied() else { continue };
        let Some(tiles) = world.get::<FluidTiles>(level) else { continue };
        let (collider, transform) = tiles.collider(block);
        let blocks = levels.entry(level).or_insert_with(|| {
            let children = world.get::<Children>(level).into_iter().flatten();
            let blocks = children.map(|child| (*child, world.get::<MergedTiles>(*child)));
            blocks.filter_map(|(child, tiles)| Some((child, tiles?.0))).collect()
        });
        let there = blocks.iter().position(|(_, there)| *there == block);
        let now = match there {
            Some(index) => blocks.swap_remove(index).0,
            None => world.spawn((MergedTiles(block), collider, transform, ChildOf(level))).id(),
        };
        present.insert(entity, now);
    }
    for (child, _) in levels.values().flatten() {
        world.despawn(*child);
    }
}

type Group<'a> = (i64, Option<&'a str>, u32);

/// Groups entities by key, name and kinds. Each group has the order in which its entities were spawned.
fn grouped(known: &[KnownEntity]) -> HashMap<Group<'_>, Vec<(u64, Entity)>> {
    let mut groups: HashMap<Group<'_>, Vec<(u64, Entity)>> = HashMap::default();
    for KnownEntity { entity, order, name, kinds, .. } in
        known.iter().filter(|known| known.tiles.is_none())
    {
        let (key, spawned) = order.unwrap_or_default();
        let group = (key, name.as_ref().map(Name::as_str), *kinds);
        groups.entry(group).or_default().extend(entity.map(|entity| (spawned, entity)));
    }
    groups.values_mut().for_each(|entities| entities.sort_unstable());
    groups
}

impl KnownEntity {
    /// The entry of this entity in [`FluidRestored::missing`].
    pub(super) fn missing(&self, component: Option<&'static str>) -> FluidMissing {
        FluidMissing {
            entity: self.entity.unwrap_or(Entity::PLACEHOLDER),
            name: self.name.as_ref().map(|name| name.as_str().to_owned()),
            key: self.order.map_or(0, |(key, _)| key),
            component,
        }
    }
}

// Errors of snapshots, and entities that are missing after a snapshot was restored.

/// An error of taking, reading or restoring a snapshot. Nothing has been changed then.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FluidSnapshotError {
    /// The world has no [`FluidSimulation`](crate::FluidSimulation): the plugin is missing.
    #[error("the world has no liquid")]
    NoLiquid,
    /// The bytes are not a snapshot, or a tick has begun and has not ended.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl FluidSnapshotError {
    /// The error for invalid contents, with a description.
    pub(super) fn invalid(what: impl fmt::Display) -> Self {
        Self::Snapshot(SnapshotError::Invalid(what.to_string()))
    }
}

/// The result of restoring a [`FluidSnapshot`](crate::FluidSnapshot).
#[must_use = "entities may be missing"]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FluidRestored {
    /// Entities of the snapshot that are gone, or have lost a component. The next tick removes the solids and bodies of
    /// these entities, as if they had been despawned now. Air of missing entities is already removed.
    pub missing: Vec<FluidMissing>,
}

impl FluidRestored {
    /// Whether nothing is missing. The simulation then continues with the same bits.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }
}

/// An entity of a snapshot that is gone, or has lost a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluidMissing {
    /// Id of the entity when the snapshot was taken.
    pub entity: Entity,
    /// The entity's [`Name`], if it had one.
    pub name: Option<String>,
    /// The [key](crate::FluidOrder::key) of the entity's order.
    pub key: i64,
    /// The component that the entity has lost, such as `FluidEmitter`; `None` if the entity is gone.
    pub component: Option<&'static str>,
}

impl fmt::Display for FluidMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entity, name, key, component } = self;
        match name {
            Some(name) => write!(f, "`{name}` ({entity})")?,
            None => write!(f, "{entity}, of key {key},")?,
        }
        match component {
            Some(component) => write!(f, " has no {component}"),
            None => f.write_str(" is gone"),
        }
    }
}
