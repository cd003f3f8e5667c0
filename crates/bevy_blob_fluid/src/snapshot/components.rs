//! The components that affect later ticks, with one line for each in [`Components`].

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::ecs::query::QueryFilter;
use bevy::prelude::*;
use blob_fluid::air::{AirEmbers, AirId};
use blob_fluid::{FluidWorld, Motion, PoolId, Pose, Snapshot};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::records::{FluidSnapshotError, Id};
use crate::air::{FluidAirReport, FluidAirSource, FluidAirState};
use crate::blasts::FluidBlast;
use crate::forces::FluidImpulse;
use crate::scenes::SolidMotion;
use crate::sensing::{FluidAirReading, FluidSensorReading, SensorState};
use crate::solids::{BodyState, FluidBuoyant, FluidLoad, FluidMotion, FluidStrength, FluidTiles};
use crate::sources::{
    FluidBlobFilled, FluidDrainState, FluidDrainTotals, FluidEmitterState, FluidEmitterTotals,
    FluidPoolState, FluidPumpState, FluidPumpTotals, FluidTankContents, PoolShape,
};

type Result<T> = std::result::Result<T, FluidSnapshotError>;

/// A component of a snapshot.
pub(super) trait Saved: Component<Mutability = Mutable> + Clone + Default {
    /// The component as it is written to a file.
    type Record: Serialize + DeserializeOwned;

    /// How the component is restored.
    const RESTORE: Restore;

    fn record(&self) -> Result<Self::Record>;

    fn from_record(record: Self::Record) -> Result<Self>;

    /// Copies the components of a world.
    fn take(column: &mut Column<Self>, world: &mut World) {
        column.take::<()>(world);
    }

    /// Restores the components in a world. Returns the entities that lack the component of the game.
    fn restore(
        column: &Column<Self>,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<Entity> {
        match Self::RESTORE {
            Restore::Required(_) => column.restore(world, present),
            Restore::Together => {
                column.restore(world, present);
                Vec::new()
            }
            Restore::IfPresent => {
                column.put_back(world, present);
                Vec::new()
            }
            Restore::Exactly => {
                for entity in column.new_since(world, present) {
                    world.entity_mut(entity).remove::<Self>();
                }
                column.insert_back(world, present);
                Vec::new()
            }
        }
    }
}

/// How a component is restored.
pub(super) enum Restore {
    /// The entity must have the component of the game with this name, which brings the saved one.
    Required(&'static str),
    /// It is inserted and removed together with a required component.
    Together,
    /// Entities that lack it are left alone.
    IfPresent,
    /// The plugin inserts and removes it.
    Exactly,
}

macro_rules! components {
    ($($(#[$doc:meta])* $field:ident: $component:ty,)*) => {
        /// The components of all entities.
        #[derive(Clone, Default)]
        pub(super) struct Components {
            $($(#[$doc])* pub $field: Column<$component>,)*
        }

        /// [`Components`] as they are written to a file.
        #[derive(Serialize, Deserialize)]
        pub(super) struct ComponentRecords {
            $($field: Vec<(Id, <$component as Saved>::Record)>,)*
        }

        impl Components {
            /// Copies the components of a world. Reuses the memory of the previous call.
            pub(super) fn take(&mut self, world: &mut World) {
                $(<$component as Saved>::take(&mut self.$field, world);)*
            }

            /// Restores the components. Returns the entities that lack a component of the game, and its name.
            pub(super) fn restore(
                &self,
                world: &mut World,
                present: &EntityHashMap<Entity>,
            ) -> Vec<(Entity, &'static str)> {
                let mut missing = Vec::new();
                $(
                    let lacking = <$component as Saved>::restore(&self.$field, world, present);
                    if let Restore::Required(name) = <$component as Saved>::RESTORE {
                        missing.extend(lacking.into_iter().map(|entity| (entity, name)));
                    }
                )*
                missing
            }

            pub(super) fn records(&self) -> Result<ComponentRecords> {
                Ok(ComponentRecords { $($field: self.$field.records()?,)* })
            }

            fn from_each_record(records: ComponentRecords) -> Result<Self> {
                Ok(Self { $($field: Column::from_records(records.$field)?,)* })
            }
        }
    };
}

components! {
    emitters: FluidEmitterState,
    drains: FluidDrainState,
    tanks: FluidTankContents,
    pumps: FluidPumpState,
    sensors: SensorState,
    pools: FluidPoolState,
    airs: FluidAirState,
    bodies: BodyState,
    loads: FluidLoad,
    sources: FluidAirSource,
    emitter_totals: FluidEmitterTotals,
    drain_totals: FluidDrainTotals,
    pump_totals: FluidPumpTotals,
    readings: FluidSensorReading,
    air_readings: FluidAirReading,
    reports: FluidAirReport,
    motions: FluidMotion,
    /// Transforms of bodies and of the moving solids of a scene. All other transforms belong to the game.
    transforms: Transform,
    filled: FluidBlobFilled,
    impulses: FluidImpulse,
    blasts: FluidBlast,
    strengths: FluidStrength,
}

impl Components {
    /// Reads the records. Sensors and the air of the world hold the readings and the reports.
    pub(super) fn from_records(records: ComponentRecords, world: &FluidWorld) -> Result<Self> {
        let mut components = Self::from_each_record(records)?;
        let Self { sensors, airs, readings, reports, .. } = &mut components;
        readings.0 = sensors.map(|state| {
            let sensor = state.sensor.as_ref();
            FluidSensorReading(sensor.map(|sensor| sensor.reading().clone()).unwrap_or_default())
        });
        reports.0 = airs.map(|state| {
            FluidAirReport(state.id.and_then(|id| world.air_report(id)).unwrap_or_default())
        });
        Ok(components)
    }
}

// How each component is saved.

/// The core's part of a component as bytes.
fn part<T: Snapshot>(value: Option<&T>) -> Result<Option<Vec<u8>>> {
    Ok(value.map(Snapshot::to_entry_bytes).transpose()?)
}

fn from_part<T: Snapshot>(bytes: Option<Vec<u8>>) -> Result<Option<T>> {
    Ok(bytes.map(|bytes| T::from_entry_bytes(&bytes)).transpose()?)
}

impl Saved for FluidEmitterState {
    type Record = (Option<Vec<u8>>, Option<[Pose; 2]>);
    const RESTORE: Restore = Restore::Required("FluidEmitter");

    fn record(&self) -> Result<Self::Record> {
        Ok((part(self.emitter.as_ref())?, self.way))
    }

    fn from_record((emitter, way): Self::Record) -> Result<Self> {
        Ok(Self { emitter: from_part(emitter)?, way, ..default() })
    }
}

impl Saved for FluidDrainState {
    type Record = Option<Vec<u8>>;
    const RESTORE: Restore = Restore::Required("FluidDrain");

    fn record(&self) -> Result<Self::Record> {
        part(self.drain())
    }

    fn from_record(drain: Self::Record) -> Result<Self> {
        Ok(Self::of(from_part(drain)?))
    }
}

impl Saved for FluidTankContents {
    type Record = Vec<u8>;
    const RESTORE: Restore = Restore::Required("FluidTank");

    fn record(&self) -> Result<Self::Record> {
        Ok(self.0.to_entry_bytes()?)
    }

    fn from_record(tank: Self::Record) -> Result<Self> {
        Ok(Self(Snapshot::from_entry_bytes(&tank)?))
    }
}

impl Saved for FluidPumpState {
    type Record = Option<Vec<u8>>;
    const RESTORE: Restore = Restore::Required("FluidPump");

    fn record(&self) -> Result<Self::Record> {
        part(self.pump())
    }

    fn from_record(pump: Self::Record) -> Result<Self> {
        Ok(Self::of(from_part(pump)?))
    }
}

impl Saved for SensorState {
    /// With the simulated time of the last measurement, in seconds.
    type Record = (Option<Vec<u8>>, f64);
    const RESTORE: Restore = Restore::Required("FluidSensor");

    fn record(&self) -> Result<Self::Record> {
        Ok((part(self.sensor.as_ref())?, self.measured))
    }

    fn from_record((sensor, measured): Self::Record) -> Result<Self> {
        Ok(Self { sensor: from_part(sensor)?, measured, ..default() })
    }
}

impl Saved for FluidAirState {
    /// A list with the handle of the air, the size and the cell size.
    type Record = (Option<Vec<u8>>, Vec2, f32);
    const RESTORE: Restore = Restore::Required("FluidAir");

    fn record(&self) -> Result<Self::Record> {
        let ids = self.id.map(|id| vec![id]);
        Ok((part(ids.as_ref())?, self.size, self.cell_size))
    }

    fn from_record((ids, size, cell_size): Self::Record) -> Result<Self> {
        let ids: Option<Vec<AirId>> = from_part(ids)?;
        Ok(Self { id: ids.and_then(|ids| ids.first().copied()), size, cell_size })
    }
}

impl Saved for FluidPoolState {
    /// A list with the handle of the pool, and the values with which it was created.
    type Record = (Option<Vec<u8>>, PoolShape);
    const RESTORE: Restore = Restore::Required("FluidPool");

    fn record(&self) -> Result<Self::Record> {
        let ids = self.id.map(|id| vec![id]);
        Ok((part(ids.as_ref())?, self.shape.clone()))
    }

    fn from_record((ids, shape): Self::Record) -> Result<Self> {
        let ids: Option<Vec<PoolId>> = from_part(ids)?;
        Ok(Self { id: ids.and_then(|ids| ids.first().copied()), shape })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct TransformRecord {
    translation: Vec3,
    rotation: [f32; 4],
    scale: Vec3,
}

impl Saved for Transform {
    type Record = TransformRecord;
    const RESTORE: Restore = Restore::IfPresent;

    fn record(&self) -> Result<Self::Record> {
        let Self { translation, rotation, scale } = *self;
        Ok(TransformRecord { translation, rotation: rotation.to_array(), scale })
    }

    fn from_record(record: Self::Record) -> Result<Self> {
        let TransformRecord { translation, rotation, scale } = record;
        Ok(Self { translation, rotation: Quat::from_array(rotation), scale })
    }

    fn take(column: &mut Column<Self>, world: &mut World) {
        column.take::<Or<(With<FluidBuoyant>, With<SolidMotion>)>>(world);
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct BodyRecord {
    written: Option<TransformRecord>,
    motion: Motion,
    keeps_motion: bool,
    /// Poses before and after the last tick.
    poses: [Pose; 2],
}

impl Saved for BodyState {
    type Record = BodyRecord;
    const RESTORE: Restore = Restore::Required("FluidBuoyant");

    fn record(&self) -> Result<Self::Record> {
        let Self { written, motion, keeps_motion, previous_pose, pose } = *self;
        let FluidMotion { velocity, angular_velocity } = motion;
        Ok(BodyRecord {
            written: written.map(|transform| transform.record()).transpose()?,
            motion: Motion { velocity, angular_velocity },
            keeps_motion,
            poses: [previous_pose, pose],
        })
    }

    fn from_record(record: Self::Record) -> Result<Self> {
        let BodyRecord { written, motion, keeps_motion, poses } = record;
        let Motion { velocity, angular_velocity } = motion;
        let [previous_pose, pose] = poses;
        Ok(Self {
            written: written.map(Transform::from_record).transpose()?,
            motion: FluidMotion { velocity, angular_velocity },
            keeps_motion,
            previous_pose,
            pose,
        })
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct SourceRecord {
    embers: Option<AirEmbers>,
    /// A pending burst, and its colour as linear RGBA.
    burst: Option<(FluidAirSource, Option<[f32; 4]>)>,
}

impl Saved for FluidAirSource {
    type Record = SourceRecord;
    const RESTORE: Restore = Restore::Required("FluidAirSource");

    fn record(&self) -> Result<Self::Record> {
        let color = self.color.map(|color| color.to_linear().to_f32_array());
        let burst = self.burst.then(|| (self.clone(), color));
        Ok(SourceRecord { embers: self.embers, burst })
    }

    fn from_record(SourceRecord { embers, burst }: Self::Record) -> Result<Self> {
        let burst = burst.map(|(source, color)| {
            let color = color.map(|[r, g, b, a]| Color::linear_rgba(r, g, b, a));
            Self { color, burst: true, ..source }
        });
        Ok(Self { embers, ..burst.unwrap_or_default() })
    }

    /// Restores the embers and the pending bursts. All other fields belong to the game.
    fn restore(
        column: &Column<Self>,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<Entity> {
        for entity in column.new_since(world, present) {
            if world.get::<Self>(entity).is_some_and(|source| source.burst) {
                world.entity_mut(entity).remove::<Self>();
            }
        }
        let mut lacking = Vec::new();
        for (entity, kept) in &column.0 {
            let Some(now) = present.get(entity) else { continue };
            match world.get_mut::<Self>(*now) {
                Some(mut source) => source.embers = kept.embers,
                None if kept.burst => drop(world.entity_mut(*now).insert(kept.clone())),
                None => lacking.push(*entity),
            }
        }
        lacking
    }
}

impl Saved for FluidStrength {
    type Record = Self;
    const RESTORE: Restore = Restore::Required("FluidWear");

    fn record(&self) -> Result<Self> {
        Ok(self.clone())
    }

    fn from_record(record: Self) -> Result<Self> {
        let sound = record.is_sound();
        sound
            .then_some(record)
            .ok_or_else(|| FluidSnapshotError::invalid("a strength is not possible"))
    }

    /// Restores the strength, and which tiles are solid.
    fn restore(
        column: &Column<Self>,
        world: &mut World,
        present: &EntityHashMap<Entity>,
    ) -> Vec<Entity> {
        let lacking = column.restore(world, present);
        for (entity, kept) in &column.0 {
            let now = present.get(entity).and_then(|now| world.get_mut::<FluidTiles>(*now));
            let Some(mut tiles) = now else { continue };
            let solid = kept.solid_tiles();
            if tiles.solid.len() == solid.len() && tiles.solid != solid {
                tiles.solid = solid;
            }
        }
        lacking
    }
}

/// Components that are written as they are.
macro_rules! saved_as_they_are {
    ($($component:ty: $restore:expr,)*) => {$(
        impl Saved for $component {
            type Record = Self;
            const RESTORE: Restore = $restore;

            fn record(&self) -> Result<Self> {
                Ok(self.clone())
            }

            fn from_record(record: Self) -> Result<Self> {
                Ok(record)
            }
        }
    )*};
}

saved_as_they_are! {
    FluidLoad: Restore::Required("FluidLoad"),
    FluidEmitterTotals: Restore::Together,
    FluidDrainTotals: Restore::Together,
    FluidPumpTotals: Restore::Together,
    FluidAirReading: Restore::Together,
    FluidMotion: Restore::IfPresent,
    FluidBlobFilled: Restore::Exactly,
    FluidImpulse: Restore::Exactly,
    FluidBlast: Restore::Exactly,
}

/// Components whose values are read from elsewhere.
macro_rules! saved_elsewhere {
    ($($component:ty,)*) => {$(
        impl Saved for $component {
            type Record = ();
            const RESTORE: Restore = Restore::Together;

            fn record(&self) -> Result<()> {
                Ok(())
            }

            fn from_record((): ()) -> Result<Self> {
                Ok(Self::default())
            }
        }
    )*};
}

saved_elsewhere! {
    FluidSensorReading,
    FluidAirReport,
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

impl<C> Column<C> {
    /// Other components of the same entities.
    fn map<D>(&self, component: impl Fn(&C) -> D) -> Vec<(Entity, D)> {
        self.0.iter().map(|(entity, one)| (*entity, component(one))).collect()
    }
}

impl<C: Saved> Column<C> {
    fn records(&self) -> Result<Vec<(Id, C::Record)>> {
        let record =
            |(entity, component): &(Entity, C)| Ok(((*entity).into(), component.record()?));
        self.0.iter().map(record).collect()
    }

    /// Reads records. Components of invalid entities are left out.
    fn from_records(records: Vec<(Id, C::Record)>) -> Result<Self> {
        let mut column = Self::default();
        for (id, record) in records {
            let component = C::from_record(record)?;
            column.0.extend(id.entity().map(|entity| (entity, component)));
        }
        Ok(column)
    }

    /// Copies the components of all entities that pass a filter. Reuses the memory of the previous call.
    fn take<F: QueryFilter>(&mut self, world: &mut World) {
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
    fn put_back(&self, world: &mut World, present: &EntityHashMap<Entity>) -> Vec<(Entity, &C)> {
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
    fn insert_back(&self, world: &mut World, present: &EntityHashMap<Entity>) {
        for (entity, kept) in self.put_back(world, present) {
            world.entity_mut(present[&entity]).insert(kept.clone());
        }
    }

    /// Entities of the snapshot that have received such a component since it was taken.
    fn new_since(&self, world: &mut World, present: &EntityHashMap<Entity>) -> Vec<Entity> {
        let had: EntityHashSet =
            self.0.iter().filter_map(|(entity, _)| present.get(entity).copied()).collect();
        let known: EntityHashSet = present.values().copied().collect();
        let mut query = world.query_filtered::<Entity, With<C>>();
        query.iter(world).filter(|now| known.contains(now) && !had.contains(now)).collect()
    }

    /// Restores the components, and resets those that were added since the snapshot to their
    /// defaults. Returns the entities without one.
    fn restore(&self, world: &mut World, present: &EntityHashMap<Entity>) -> Vec<Entity> {
        for new in self.new_since(world, present) {
            if let Some(mut component) = world.get_mut::<C>(new) {
                *component = C::default();
            }
        }
        self.put_back(world, present).into_iter().map(|(entity, _)| entity).collect()
    }
}
