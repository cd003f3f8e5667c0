//! The snapshot as bytes.

use std::vec::IntoIter;

use bevy::prelude::*;
use blob_fluid::air::AirId;
use blob_fluid::{
    ColliderId, Container, ContainerId, Drain, Emitter, FluidWorld, HostBodyId, Pump, Sensor,
    Snapshot, SnapshotFile, Tank,
};

use super::records::{
    AirRecord, BodyRecord, ClockRecord, EmitterRecord, EntityRecord, HostRecord, Id, Records,
    SourceRecord, TargetRecord,
};
use crate::air::{FluidAirReport, FluidAirSource, FluidAirState};
use crate::engines::FluidHosts;
use crate::schedule::Rank;
use crate::sensing::{FluidSensorReading, SensorState};
use crate::simulation::Fluid;
use crate::snapshot::records::{Column, Components, FluidSnapshotError, KnownEntity};
use crate::snapshot::restore::FluidSnapshot;
use crate::solids::{FluidColliders, FluidContainers, SolidKind, Target, Targets};
use crate::sources::{FluidDrainState, FluidEmitterState, FluidPumpState, FluidTankContents};

type Result<T> = std::result::Result<T, FluidSnapshotError>;

/// Names of the entries.
mod entry {
    pub const WORLD: &str = "world";
    pub const PLUGIN: &str = "bevy_blob_fluid";
    pub const GOVERNOR: &str = "bevy_blob_fluid governor";
    pub const BLOBS: &str = "bevy_blob_fluid blobs";
    pub const SPLASHES: &str = "bevy_blob_fluid splashes";
    pub const CONTAINERS: &str = "bevy_blob_fluid containers";
    pub const COLLIDERS: &str = "bevy_blob_fluid colliders";
    pub const HOSTS: &str = "bevy_blob_fluid host bodies";
    pub const EMITTERS: &str = "bevy_blob_fluid emitters";
    pub const DRAINS: &str = "bevy_blob_fluid drains";
    pub const TANKS: &str = "bevy_blob_fluid tanks";
    pub const PUMPS: &str = "bevy_blob_fluid pumps";
    pub const SENSORS: &str = "bevy_blob_fluid sensors";
    pub const AIRS: &str = "bevy_blob_fluid airs";
}

/// The longest time that a clock may show, in seconds: a hundred years.
const LONGEST_TIME: u64 = 100 * 366 * 24 * 3600;

impl FluidSnapshot {
    /// The snapshot as bytes, the same on every platform.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Invalid`](blob_fluid::SnapshotError::Invalid) if an impulse or a burst waits for the
    /// next tick, and its shape was made from an image.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.to_file()?.to_bytes())
    }

    /// Reads a snapshot from the bytes of [`to_bytes`](Self::to_bytes). The bytes may come from an untrusted source.
    ///
    /// # Errors
    ///
    /// [`FluidSnapshotError::Snapshot`] if the bytes are not such a snapshot, or have another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_file(&SnapshotFile::from_bytes(bytes)?)
    }

    /// The snapshot as a file, to which a game adds entries of its own.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_blob_fluid::prelude::*;
    /// # use bevy_blob_fluid::FluidSnapshot;
    /// # use bevy_blob_fluid::blob_fluid::SnapshotFile;
    /// # let mut app = App::new();
    /// # app.add_plugins((MinimalPlugins, BlobFluidPlugins::default()));
    /// let mut file = FluidSnapshot::take(app.world_mut())?.to_file()?;
    /// file.insert_bytes("score", &42_u32.to_le_bytes())?;
    /// let bytes = file.to_bytes();
    ///
    /// let file = SnapshotFile::from_bytes(&bytes)?;
    /// assert_eq!(file.bytes("score")?, 42_u32.to_le_bytes());
    /// let restored = FluidSnapshot::from_file(&file)?.restore_by_order(app.world_mut())?;
    /// assert!(restored.is_complete());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_bytes`](Self::to_bytes).
    pub fn to_file(&self) -> Result<SnapshotFile> {
        let mut file = SnapshotFile::default();
        file.insert(entry::WORLD, &self.world())?;
        let records = self.records();
        let records = postcard::to_allocvec(&records).map_err(FluidSnapshotError::invalid)?;
        file.insert_bytes(entry::PLUGIN, &records)?;
        insert_if_any(&mut file, entry::GOVERNOR, self.governor.as_ref())?;
        insert_if_any(&mut file, entry::BLOBS, self.blobs.as_ref())?;
        insert_if_any(&mut file, entry::SPLASHES, self.splashes.as_ref())?;
        let containers = self.containers.0.iter();
        let containers: Vec<(ContainerId, Container)> =
            containers.map(|target| (target.id, target.solid.clone())).collect();
        file.insert(entry::CONTAINERS, &containers)?;
        let colliders = self.colliders.0.iter();
        let colliders: Vec<(ColliderId, blob_fluid::Collider)> =
            colliders.map(|target| (target.id, target.solid.clone())).collect();
        file.insert(entry::COLLIDERS, &colliders)?;
        let bodies = self.hosts.hosts.values().filter_map(|host| host.id);
        let hosts: Vec<HostBodyId> = bodies.chain(self.hosts.gone.iter().copied()).collect();
        file.insert(entry::HOSTS, &hosts)?;
        let Components { emitters, drains, tanks, pumps, sensors, airs, .. } = &self.components;
        let emitters = emitters.0.iter().filter_map(|(_, state)| state.emitter.clone());
        file.insert(entry::EMITTERS, &emitters.collect::<Vec<Emitter>>())?;
        let drains = drains.0.iter().filter_map(|(_, state)| state.drain().cloned());
        file.insert(entry::DRAINS, &drains.collect::<Vec<Drain>>())?;
        let tanks = tanks.0.iter().map(|(_, contents)| contents.0.clone());
        file.insert(entry::TANKS, &tanks.collect::<Vec<Tank>>())?;
        let pumps = pumps.0.iter().filter_map(|(_, state)| state.pump().cloned());
        file.insert(entry::PUMPS, &pumps.collect::<Vec<Pump>>())?;
        let sensors = sensors.0.iter().filter_map(|(_, state)| state.sensor.clone());
        file.insert(entry::SENSORS, &sensors.collect::<Vec<Sensor>>())?;
        let airs = airs.0.iter().filter_map(|(_, state)| state.id);
        file.insert(entry::AIRS, &airs.collect::<Vec<AirId>>())?;
        Ok(file)
    }

    /// Reads a snapshot from the file of [`to_file`](Self::to_file). Entries that the game added are ignored.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_file(file: &SnapshotFile) -> Result<Self> {
        let world: FluidWorld = file.get(entry::WORLD)?;
        let records = file.bytes(entry::PLUGIN)?;
        let (records, rest): (Records, &[u8]) =
            postcard::take_from_bytes(records).map_err(FluidSnapshotError::invalid)?;
        if !rest.is_empty() {
            return Err(FluidSnapshotError::invalid("the plugin's part is too long"));
        }
        let mut snapshot = Self::default();
        world.keep_in(&mut snapshot.liquid)?;
        snapshot.governor = get_if_any(file, entry::GOVERNOR)?;
        snapshot.blobs = get_if_any(file, entry::BLOBS)?;
        snapshot.splashes = get_if_any(file, entry::SPLASHES)?;
        snapshot.clock = clock(&records.clock)?;
        let containers: Vec<(ContainerId, Container)> = file.get(entry::CONTAINERS)?;
        snapshot.containers = FluidContainers(targets(&records.containers, containers)?);
        let colliders: Vec<(ColliderId, blob_fluid::Collider)> = file.get(entry::COLLIDERS)?;
        snapshot.colliders = FluidColliders(targets(&records.colliders, colliders)?);
        snapshot.hosts = hosts(&records.hosts, file.get(entry::HOSTS)?)?;
        snapshot.entities = records.entities.iter().map(known).collect();
        snapshot.components = components(&records, file, &world)?;
        (snapshot.settings, snapshot.classes) = (records.settings, records.classes);
        Ok(snapshot)
    }

    fn records(&self) -> Records {
        let Components {
            emitters,
            emitter_totals,
            drains,
            drain_totals,
            tanks,
            pumps,
            pump_totals,
            sensors,
            // These are read from the sensors and from the air of the world.
            readings: _,
            reports: _,
            air_readings,
            airs,
            sources,
            bodies,
            motions,
            loads,
            transforms,
            filled,
            impulses,
        } = &self.components;
        let clock = &self.clock;
        Records {
            entities: self.entities.iter().filter_map(entity_record).collect(),
            settings: self.settings,
            classes: self.classes.clone(),
            clock: ClockRecord {
                context: *clock.context(),
                elapsed: clock.elapsed(),
                delta: clock.delta(),
            },
            containers: self.containers.0.iter().map(target_record).collect(),
            colliders: self.colliders.0.iter().map(target_record).collect(),
            hosts: host_records(&self.hosts),
            emitters: emitters.records(|id, state| EmitterRecord {
                id,
                has_emitter: state.emitter.is_some(),
                way: state.way,
            }),
            emitter_totals: emitter_totals.records(|id, totals| (id, *totals)),
            drains: drains.records(|id, state| (id, state.drain().is_some())),
            drain_totals: drain_totals.records(|id, totals| (id, totals.clone())),
            tanks: tanks.records(|id, _| id),
            pumps: pumps.records(|id, state| (id, state.pump().is_some())),
            pump_totals: pump_totals.records(|id, totals| (id, *totals)),
            sensors: sensors
                .records(|id, state| (id, state.sensor.as_ref().map(|_| state.measured))),
            air_readings: air_readings.records(|id, reading| (id, *reading)),
            airs: airs.records(|id, state| AirRecord {
                id,
                has_air: state.id.is_some(),
                size: state.size,
                cell_size: state.cell_size,
            }),
            sources: sources.records(source_record),
            bodies: bodies
                .0
                .iter()
                .map(|(entity, state)| BodyRecord::new(*entity, state))
                .collect(),
            motions: motions.records(|id, motion| (id, *motion)),
            loads: loads.records(|id, load| (id, *load)),
            transforms: transforms.records(|id, transform| (id, (*transform).into())),
            filled: filled.records(|id, filled| (id, *filled)),
            impulses: impulses.records(|id, impulse| (id, impulse.clone())),
        }
    }
}

impl<C> Column<C> {
    fn records<R>(&self, record: impl Fn(Id, &C) -> R) -> Vec<R> {
        self.0.iter().map(|(entity, component)| record((*entity).into(), component)).collect()
    }

    fn of_records<R>(records: &[R], read: impl FnMut(&R) -> Option<(Entity, C)>) -> Self {
        Self(records.iter().filter_map(read).collect())
    }
}

fn insert_if_any(file: &mut SnapshotFile, name: &str, value: Option<&impl Snapshot>) -> Result<()> {
    Ok(value.map_or(Ok(()), |value| file.insert(name, value))?)
}

fn get_if_any<T: Snapshot>(file: &SnapshotFile, name: &str) -> Result<Option<T>> {
    let is_there = file.names().any(|entry| entry == name);
    Ok(if is_there { Some(file.get(name)?) } else { None })
}

fn entity_record(known: &KnownEntity) -> Option<EntityRecord> {
    let KnownEntity { entity, order, name, kinds } = known;
    let name = name.as_ref().map(|name| name.as_str().to_owned());
    Some(EntityRecord { id: (*entity)?.into(), order: *order, name, kinds: *kinds })
}

fn known(EntityRecord { id, order, name, kinds }: &EntityRecord) -> KnownEntity {
    let name = name.clone().map(Name::new);
    KnownEntity { entity: id.entity(), order: *order, name, kinds: *kinds }
}

fn clock(ClockRecord { context, elapsed, delta }: &ClockRecord) -> Result<Time<Fluid>> {
    if elapsed.as_secs() > LONGEST_TIME {
        return Err(FluidSnapshotError::invalid("the clock shows more than a hundred years"));
    }
    let mut clock = Time::new_with(context.sound());
    clock.advance_by(elapsed.saturating_sub(*delta));
    clock.advance_by((*delta).min(*elapsed));
    Ok(clock)
}

fn target_record<Options: SolidKind>(target: &Target<Options>) -> TargetRecord {
    let Target { rank, part, .. } = target;
    TargetRecord {
        id: rank.entity.into(),
        order: rank.order(),
        number: part.number,
        pose: part.pose,
    }
}

fn targets<Options: SolidKind>(
    records: &[TargetRecord],
    solids: Vec<(Options::Id, blob_fluid::Solid<Options>)>,
) -> Result<Targets<Options>> {
    if records.len() != solids.len() {
        return Err(FluidSnapshotError::invalid("there are not as many solids as entities"));
    }
    let targets = records.iter().zip(solids).map(|(record, (id, solid))| {
        let (key, spawned) = record.order;
        let entity = record.id.entity().unwrap_or(Entity::PLACEHOLDER);
        Target { rank: Rank::new(key, spawned, entity), part: record.part(), id, solid }
    });
    Ok(Targets::of_all(targets))
}

fn host_records(hosts: &FluidHosts) -> Vec<HostRecord> {
    let record = |(entity, host): (&Entity, &crate::engines::Host)| HostRecord {
        id: (*entity).into(),
        has_body: host.id.is_some(),
        host: host.clone(),
    };
    hosts.hosts.iter().map(record).collect()
}

fn hosts(records: &[HostRecord], ids: Vec<HostBodyId>) -> Result<FluidHosts> {
    let mut ids = Each::of(ids);
    let mut hosts = FluidHosts::default();
    for HostRecord { id, has_body, host } in records {
        let mut host = host.clone();
        host.id = ids.next_if(*has_body)?;
        if let Some(entity) = id.entity() {
            hosts.hosts.insert(entity, host);
        }
    }
    // The remaining handles are those of removed bodies, which the next synchronisation removes.
    hosts.gone = ids.0.collect();
    Ok(hosts)
}

fn source_record(id: Id, source: &FluidAirSource) -> SourceRecord {
    let color = source.color.map(|color| color.to_linear().to_f32_array());
    let burst = source.burst.then(|| (source.clone(), color));
    SourceRecord { id, embers: source.embers, burst }
}

fn components(records: &Records, file: &SnapshotFile, world: &FluidWorld) -> Result<Components> {
    let mut emitters = Each::of(file.get::<Vec<Emitter>>(entry::EMITTERS)?);
    let mut drains = Each::of(file.get::<Vec<Drain>>(entry::DRAINS)?);
    let mut tanks = Each::of(file.get::<Vec<Tank>>(entry::TANKS)?);
    let mut pumps = Each::of(file.get::<Vec<Pump>>(entry::PUMPS)?);
    let mut sensors = Each::of(file.get::<Vec<Sensor>>(entry::SENSORS)?);
    let mut airs = Each::of(file.get::<Vec<AirId>>(entry::AIRS)?);
    let mut components = Components::default();
    for EmitterRecord { id, has_emitter, way } in &records.emitters {
        let emitter = emitters.next_if(*has_emitter)?;
        let state = FluidEmitterState { emitter, way: *way, ..default() };
        components.emitters.0.extend(id.entity().map(|entity| (entity, state)));
    }
    for (id, has_drain) in &records.drains {
        let state = FluidDrainState::of(drains.next_if(*has_drain)?);
        components.drains.0.extend(id.entity().map(|entity| (entity, state)));
    }
    for id in &records.tanks {
        let contents = tanks.next_if(true)?.map(FluidTankContents);
        components.tanks.0.extend(id.entity().zip(contents));
    }
    for (id, has_pump) in &records.pumps {
        let state = FluidPumpState::of(pumps.next_if(*has_pump)?);
        components.pumps.0.extend(id.entity().map(|entity| (entity, state)));
    }
    for (id, measured) in &records.sensors {
        let sensor = sensors.next_if(measured.is_some())?;
        let Some(entity) = id.entity() else { continue };
        let reading = sensor.as_ref().map(|sensor| sensor.reading().clone()).unwrap_or_default();
        components.readings.0.push((entity, FluidSensorReading(reading)));
        let measured = measured.unwrap_or_default();
        components.sensors.0.push((entity, SensorState { sensor, measured, ..default() }));
    }
    for AirRecord { id, has_air, size, cell_size } in &records.airs {
        let state =
            FluidAirState { id: airs.next_if(*has_air)?, size: *size, cell_size: *cell_size };
        let Some(entity) = id.entity() else { continue };
        let report = state.id.and_then(|id| world.air_report(id)).unwrap_or_default();
        components.airs.0.push((entity, state));
        components.reports.0.push((entity, FluidAirReport(report)));
    }
    emitters.finish()?;
    drains.finish()?;
    tanks.finish()?;
    pumps.finish()?;
    sensors.finish()?;
    airs.finish()?;
    components.emitter_totals =
        Column::of_records(&records.emitter_totals, |(id, totals)| Some((id.entity()?, *totals)));
    components.drain_totals = Column::of_records(&records.drain_totals, |(id, totals)| {
        Some((id.entity()?, totals.clone()))
    });
    components.pump_totals =
        Column::of_records(&records.pump_totals, |(id, totals)| Some((id.entity()?, *totals)));
    components.air_readings =
        Column::of_records(&records.air_readings, |(id, reading)| Some((id.entity()?, *reading)));
    components.sources = Column::of_records(&records.sources, |record| {
        let SourceRecord { id, embers, burst } = record;
        let burst = burst.as_ref().map(|(source, color)| {
            let color = color.map(|[r, g, b, a]| Color::linear_rgba(r, g, b, a));
            FluidAirSource { color, burst: true, ..source.clone() }
        });
        let source = burst.unwrap_or_default();
        Some((id.entity()?, FluidAirSource { embers: *embers, ..source }))
    });
    components.bodies =
        Column::of_records(&records.bodies, |record| Some((record.id.entity()?, record.state())));
    components.motions =
        Column::of_records(&records.motions, |(id, motion)| Some((id.entity()?, *motion)));
    components.loads = Column::of_records(&records.loads, |(id, load)| Some((id.entity()?, *load)));
    components.transforms = Column::of_records(&records.transforms, |(id, transform)| {
        Some((id.entity()?, transform.transform()))
    });
    components.filled =
        Column::of_records(&records.filled, |(id, filled)| Some((id.entity()?, *filled)));
    components.impulses = Column::of_records(&records.impulses, |(id, impulse)| {
        Some((id.entity()?, impulse.clone()))
    });
    Ok(components)
}

/// The items of a list. Each item belongs to one record, in the order of the records.
struct Each<T>(IntoIter<T>);

impl<T> Each<T> {
    fn of(items: Vec<T>) -> Self {
        Self(items.into_iter())
    }

    /// The next item if the record has one; an error if the list has ended.
    fn next_if(&mut self, has_one: bool) -> Result<Option<T>> {
        match (has_one, has_one.then(|| self.0.next()).flatten()) {
            (true, None) => Err(FluidSnapshotError::invalid("a list is too short")),
            (_, item) => Ok(item),
        }
    }

    fn finish(mut self) -> Result<()> {
        match self.0.next() {
            Some(_) => Err(FluidSnapshotError::invalid("a list is too long")),
            None => Ok(()),
        }
    }
}
