//! The records of a snapshot for serde: everything except the core's own entries.

use std::fmt;
use std::time::Duration;

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::ecs::query::QueryFilter;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use blob_fluid::air::AirEmbers;
use blob_fluid::{Motion, Pose, SnapshotError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::air::{FluidAir, FluidAirReport, FluidAirSource, FluidAirState};
use crate::engines::{FluidCoupled, Host};
use crate::forces::{FluidField, FluidForce, FluidImpulse};
use crate::scenes::SolidMotion;
use crate::schedule::FluidOrder;
use crate::sensing::{FluidAirReading, FluidSensor, FluidSensorReading, SensorState};
use crate::simulation::{Fluid, FluidClasses, FluidSettings};
use crate::solids::{
    BodyState, EntityPart, FluidBuoyant, FluidCollider, FluidContainer, FluidLoad, FluidMotion,
};
use crate::sources::{
    FluidBlob, FluidBlobFilled, FluidDrain, FluidDrainState, FluidDrainTotals, FluidEmitter,
    FluidEmitterState, FluidEmitterTotals, FluidPump, FluidPumpState, FluidPumpTotals, FluidTank,
    FluidTankContents,
};

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

/// All data of a snapshot except the core's own entries.
#[derive(Serialize, Deserialize)]
pub(super) struct Records {
    pub entities: Vec<EntityRecord>,
    pub settings: FluidSettings,
    pub classes: FluidClasses,
    pub clock: ClockRecord,
    pub containers: Vec<TargetRecord>,
    pub colliders: Vec<TargetRecord>,
    pub hosts: Vec<HostRecord>,
    pub emitters: Vec<EmitterRecord>,
    pub emitter_totals: Vec<(Id, FluidEmitterTotals)>,
    /// The flag is true if the file contains a drain for the record.
    pub drains: Vec<(Id, bool)>,
    pub drain_totals: Vec<(Id, FluidDrainTotals)>,
    pub tanks: Vec<Id>,
    /// The flag is true if the file contains a pump for the record.
    pub pumps: Vec<(Id, bool)>,
    pub pump_totals: Vec<(Id, FluidPumpTotals)>,
    /// With the simulated time of the last measurement, in seconds; `None` without a sensor in the file.
    pub sensors: Vec<(Id, Option<f64>)>,
    pub air_readings: Vec<(Id, FluidAirReading)>,
    pub airs: Vec<AirRecord>,
    pub sources: Vec<SourceRecord>,
    pub bodies: Vec<BodyRecord>,
    pub motions: Vec<(Id, FluidMotion)>,
    pub loads: Vec<(Id, FluidLoad)>,
    pub transforms: Vec<(Id, TransformRecord)>,
    pub filled: Vec<(Id, FluidBlobFilled)>,
    pub impulses: Vec<(Id, FluidImpulse)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct EntityRecord {
    pub id: Id,
    pub order: Option<(i64, u64)>,
    pub name: Option<String>,
    pub kinds: u32,
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

#[derive(Serialize, Deserialize)]
pub(super) struct EmitterRecord {
    pub id: Id,
    pub has_emitter: bool,
    pub way: Option<[Pose; 2]>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct AirRecord {
    pub id: Id,
    pub has_air: bool,
    pub size: Vec2,
    pub cell_size: f32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SourceRecord {
    pub id: Id,
    pub embers: Option<AirEmbers>,
    /// A pending burst, and its colour as linear RGBA.
    pub burst: Option<(FluidAirSource, Option<[f32; 4]>)>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TransformRecord {
    translation: Vec3,
    rotation: [f32; 4],
    scale: Vec3,
}

impl From<Transform> for TransformRecord {
    fn from(transform: Transform) -> Self {
        let Transform { translation, rotation, scale } = transform;
        Self { translation, rotation: rotation.to_array(), scale }
    }
}

impl TransformRecord {
    pub(super) fn transform(&self) -> Transform {
        let Self { translation, rotation, scale } = *self;
        Transform { translation, rotation: Quat::from_array(rotation), scale }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct BodyRecord {
    pub id: Id,
    written: Option<TransformRecord>,
    motion: Motion,
    keeps_motion: bool,
    /// Poses before and after the last tick.
    poses: [Pose; 2],
}

impl BodyRecord {
    pub(super) fn new(entity: Entity, state: &BodyState) -> Self {
        let BodyState { written, motion, keeps_motion, previous_pose, pose } = *state;
        let FluidMotion { velocity, angular_velocity } = motion;
        Self {
            id: entity.into(),
            written: written.map(TransformRecord::from),
            motion: Motion { velocity, angular_velocity },
            keeps_motion,
            poses: [previous_pose, pose],
        }
    }

    pub(super) fn state(&self) -> BodyState {
        let Motion { velocity, angular_velocity } = self.motion;
        let [previous_pose, pose] = self.poses;
        BodyState {
            written: self.written.as_ref().map(TransformRecord::transform),
            motion: FluidMotion { velocity, angular_velocity },
            keeps_motion: self.keeps_motion,
            previous_pose,
            pose,
        }
    }
}

// All components that the plugin writes and that affect later ticks.

/// The components of all entities.
#[derive(Clone, Default)]
pub(super) struct Components {
    pub emitters: Column<FluidEmitterState>,
    pub emitter_totals: Column<FluidEmitterTotals>,
    pub drains: Column<FluidDrainState>,
    pub drain_totals: Column<FluidDrainTotals>,
    pub tanks: Column<FluidTankContents>,
    pub pumps: Column<FluidPumpState>,
    pub pump_totals: Column<FluidPumpTotals>,
    pub sensors: Column<SensorState>,
    pub readings: Column<FluidSensorReading>,
    pub air_readings: Column<FluidAirReading>,
    pub airs: Column<FluidAirState>,
    pub reports: Column<FluidAirReport>,
    pub sources: Column<FluidAirSource>,
    pub bodies: Column<BodyState>,
    pub motions: Column<FluidMotion>,
    pub loads: Column<FluidLoad>,
    /// Transforms of bodies and of the moving solids of a scene. All other transforms belong to the game.
    pub transforms: Column<Transform>,
    pub filled: Column<FluidBlobFilled>,
    pub impulses: Column<FluidImpulse>,
}

impl Components {
    /// Copies all of these components.
    pub(super) fn take(&mut self, world: &mut World) {
        self.emitters.take::<()>(world);
        self.emitter_totals.take::<()>(world);
        self.drains.take::<()>(world);
        self.drain_totals.take::<()>(world);
        self.tanks.take::<()>(world);
        self.pumps.take::<()>(world);
        self.pump_totals.take::<()>(world);
        self.sensors.take::<()>(world);
        self.readings.take::<()>(world);
        self.air_readings.take::<()>(world);
        self.airs.take::<()>(world);
        self.reports.take::<()>(world);
        self.sources.take::<()>(world);
        self.bodies.take::<()>(world);
        self.motions.take::<()>(world);
        self.loads.take::<()>(world);
        self.transforms.take::<Or<(With<FluidBuoyant>, With<SolidMotion>)>>(world);
        self.filled.take::<()>(world);
        self.impulses.take::<()>(world);
    }

    /// Restores all of these components. Returns the entities that lack a component of the game, and its name.
    pub(super) fn restore(
        &self,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<(Entity, &'static str)> {
        let mut missing = Vec::new();
        let mut lack = |entities: Vec<Entity>, component| {
            missing.extend(entities.into_iter().map(|entity| (entity, component)));
        };
        lack(self.emitters.restore(world, present), "FluidEmitter");
        lack(self.drains.restore(world, present), "FluidDrain");
        lack(self.tanks.restore(world, present), "FluidTank");
        lack(self.pumps.restore(world, present), "FluidPump");
        lack(self.sensors.restore(world, present), "FluidSensor");
        lack(self.airs.restore(world, present), "FluidAir");
        lack(self.bodies.restore(world, present), "FluidBuoyant");
        lack(self.loads.restore(world, present), "FluidLoad");
        lack(self.restore_sources(world, present), "FluidAirSource");
        // These are inserted and removed together with the components above.
        self.emitter_totals.restore(world, present);
        self.drain_totals.restore(world, present);
        self.pump_totals.restore(world, present);
        self.readings.restore(world, present);
        self.air_readings.restore(world, present);
        self.reports.restore(world, present);
        self.motions.put_back(world, present);
        self.transforms.put_back(world, present);
        // The plugin itself adds and removes these.
        for entity in self.filled.new_since(world, present) {
            world.entity_mut(entity).remove::<FluidBlobFilled>();
        }
        self.filled.insert_back(world, present);
        for entity in self.impulses.new_since(world, present) {
            world.entity_mut(entity).remove::<FluidImpulse>();
        }
        self.impulses.insert_back(world, present);
        missing
    }

    /// Restores the embers of air sources and the pending bursts. Returns the entities that lack their source.
    fn restore_sources(&self, world: &mut World, present: &EntityHashMap<Entity>) -> Vec<Entity> {
        for entity in self.sources.new_since(world, present) {
            if world.get::<FluidAirSource>(entity).is_some_and(|source| source.burst) {
                world.entity_mut(entity).remove::<FluidAirSource>();
            }
        }
        let mut lacking = Vec::new();
        for (entity, kept) in &self.sources.0 {
            let Some(now) = present.get(entity) else { continue };
            match world.get_mut::<FluidAirSource>(*now) {
                // All other fields belong to the game.
                Some(mut source) => source.embers = kept.embers,
                None if kept.burst => drop(world.entity_mut(*now).insert(kept.clone())),
                None => lacking.push(*entity),
            }
        }
        lacking
    }
}

// Components of one type, by entity.

/// The components of one type, each with its entity at the time of the snapshot.
#[derive(Clone, Debug)]
pub(super) struct Column<C>(pub Vec<(Entity, C)>);

impl<C> Default for Column<C> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<C: Component<Mutability = Mutable> + Clone> Column<C> {
    /// Copies the components of all entities that pass a filter. Reuses the memory of the previous call.
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

    /// Restores the components of entities that have one. Returns the entities without one, with the stored components.
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

    /// Restores the components, and inserts them into entities that lack one.
    pub(super) fn insert_back(&self, world: &mut World, present: &EntityHashMap<Entity>) {
        for (entity, kept) in self.put_back(world, present) {
            world.entity_mut(present[&entity]).insert(kept.clone());
        }
    }

    /// Entities of the snapshot that have received such a component since it was taken.
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

    /// Restores the components, and resets those that were added since the snapshot to their
    /// defaults. Returns the entities without one.
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

/// Lists the entities that the plugin knows. Reuses the memory of the previous call.
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

/// Maps known entities to their counterparts in a world, which have the same key, name and kinds. An entity that
/// still exists maps to itself. The others are matched in the order in which they were spawned.
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

type Group<'a> = (i64, Option<&'a str>, u32);

/// Groups entities by key, name and kinds. Each group has the order in which its entities were spawned.
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
    /// Entities of the snapshot that are gone, or have lost a component. The next tick removes their solids
    /// and bodies, as if the entities had been despawned now. Their air is already removed.
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
    /// The entity, as it was when the snapshot was taken.
    pub entity: Entity,
    /// Its [`Name`], if it had one.
    pub name: Option<String>,
    /// The [key](crate::FluidOrder::key) of its order.
    pub key: i64,
    /// The component that it has lost, such as `FluidEmitter`; `None` if it is gone.
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
