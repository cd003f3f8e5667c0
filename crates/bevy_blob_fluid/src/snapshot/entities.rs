//! The entities of a snapshot, and their counterparts in another world.

use bevy::ecs::entity::EntityHashMap;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use super::error::FluidMissing;
use crate::air::{FluidAir, FluidAirSource};
use crate::engines::FluidCoupled;
use crate::forces::{FluidField, FluidForce};
use crate::order::FluidOrder;
use crate::sensing::FluidSensor;
use crate::solids::{FluidCollider, FluidContainer, FluidLoad};
use crate::sources::{FluidBlob, FluidDrain, FluidEmitter, FluidPump, FluidTank};

/// An entity that the plugin knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KnownEntity {
    /// `None` only in a snapshot that nothing was taken into.
    pub entity: Option<Entity>,
    /// Key and number of its order, if it has one.
    pub order: Option<(i64, u64)>,
    pub name: Option<Name>,
    /// A bit for each of the game's components that it has.
    pub kinds: u32,
}

type Kinds = (
    Has<FluidContainer>,
    Has<FluidCollider>,
    Has<FluidBlob>,
    Has<FluidEmitter>,
    Has<FluidDrain>,
    Has<FluidTank>,
    Has<FluidPump>,
    Has<FluidSensor>,
    Has<FluidAir>,
    Has<FluidAirSource>,
    Has<FluidForce>,
    Has<FluidField>,
    Has<FluidCoupled>,
);

type IsKnown = Or<(With<FluidOrder>, With<FluidLoad>, With<FluidCoupled>)>;

/// Lists the entities that the plugin knows, into the memory of the last time.
pub(super) fn take(known: &mut Vec<KnownEntity>, world: &mut World) {
    let mut query =
        world.query_filtered::<(Entity, Option<&FluidOrder>, Option<&Name>, Kinds), IsKnown>();
    let mut count = 0;
    for (entity, order, name, kinds) in query.iter(world) {
        if known.len() == count {
            known.push(KnownEntity::default());
        }
        let kept = &mut known[count];
        kept.entity = Some(entity);
        kept.order = order.map(|order| (order.key, order.spawned()));
        if kept.name.as_ref() != name {
            kept.name = name.cloned();
        }
        let (
            container,
            collider,
            blob,
            emitter,
            drain,
            tank,
            pump,
            sensor,
            air,
            source,
            force,
            field,
            coupled,
        ) = kinds;
        let kinds = [
            container, collider, blob, emitter, drain, tank, pump, sensor, air, source, force,
            field, coupled,
        ];
        kept.kinds = kinds.into_iter().fold(0, |bits, has| 2 * bits + u32::from(has));
        count += 1;
    }
    known.truncate(count);
}

/// The entities of a world that correspond to known ones, of the same key, name and kinds: first those that are the
/// very same, and the others as they were spawned one after the other.
pub(super) fn counterparts(known: &[KnownEntity], world: &mut World) -> EntityHashMap<Entity> {
    let mut there = Vec::new();
    take(&mut there, world);
    let groups = grouped(&there);
    let mut map = EntityHashMap::default();
    for (group, entities) in grouped(known) {
        let others = groups.get(&group).map_or(&[][..], Vec::as_slice);
        // An entity of another program has the same id and number only if all was spawned alike.
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

type Group<'a> = (i64, Option<&'a str>, u32);

/// Entities in the order in which they were spawned, by key, name and kinds.
fn grouped(known: &[KnownEntity]) -> HashMap<Group<'_>, Vec<(u64, Entity)>> {
    let mut groups: HashMap<Group<'_>, Vec<(u64, Entity)>> = HashMap::default();
    for KnownEntity { entity, order, name, kinds } in known {
        let (key, spawned) = order.unwrap_or_default();
        let group = (key, name.as_ref().map(Name::as_str), *kinds);
        groups.entry(group).or_default().extend(entity.map(|entity| (spawned, entity)));
    }
    groups.values_mut().for_each(|entities| entities.sort_unstable());
    groups
}

impl KnownEntity {
    /// What a report says of it.
    pub(super) fn missing(&self, component: Option<&'static str>) -> FluidMissing {
        FluidMissing {
            entity: self.entity.unwrap_or(Entity::PLACEHOLDER),
            name: self.name.as_ref().map(|name| name.as_str().to_owned()),
            key: self.order.map_or(0, |(key, _)| key),
            component,
        }
    }
}
