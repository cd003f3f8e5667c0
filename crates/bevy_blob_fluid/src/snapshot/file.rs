//! The snapshot as bytes.

use bevy::prelude::*;
use blob_fluid::shape::TileBlock;
use blob_fluid::{
    ColliderId, Container, ContainerId, FluidWorld, HostBodyId, Snapshot, SnapshotFile,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::components::{ComponentRecords, Components};
use crate::engines::FluidHosts;
use crate::schedule::Rank;
use crate::simulation::{Fluid, FluidClasses, FluidSettings};
use crate::snapshot::records::{
    ClockRecord, EntityRecord, FluidSnapshotError, HostRecord, KnownEntity, KnownTiles,
    TargetRecord, TilesRecord,
};
use crate::snapshot::restore::FluidSnapshot;
use crate::solids::{FluidColliders, FluidContainers, SolidKind, Target, Targets};
use crate::streaming::{FluidRegions, RegionsRecord};

type Result<T> = std::result::Result<T, FluidSnapshotError>;

/// All data of a snapshot except the core's own entries.
#[derive(Serialize, Deserialize)]
struct Records {
    entities: Vec<EntityRecord>,
    settings: FluidSettings,
    classes: FluidClasses,
    clock: ClockRecord,
    containers: Vec<TargetRecord>,
    colliders: Vec<TargetRecord>,
    hosts: Vec<HostRecord>,
    components: ComponentRecords,
}

/// Names of the entries.
mod entry {
    pub const WORLD: &str = "world";
    pub const PLUGIN: &str = "bevy_blob_fluid";
    pub const GOVERNOR: &str = "bevy_blob_fluid governor";
    pub const BLOBS: &str = "bevy_blob_fluid blobs";
    pub const SPLASHES: &str = "bevy_blob_fluid splashes";
    pub const REGIONS: &str = "bevy_blob_fluid regions";
    pub const CONTAINERS: &str = "bevy_blob_fluid containers";
    pub const COLLIDERS: &str = "bevy_blob_fluid colliders";
    pub const HOSTS: &str = "bevy_blob_fluid host bodies";
}

/// The longest time that a clock may show, in seconds: a hundred years.
const LONGEST_TIME: u64 = 100 * 366 * 24 * 3600;

impl FluidSnapshot {
    /// The snapshot as bytes, the same on every platform.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Invalid`](blob_fluid::SnapshotError::Invalid) if an impulse or a burst with a shape from an
    /// image waits for the next tick.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.to_file()?.to_bytes())
    }

    /// Reads a snapshot from the bytes of [`to_bytes`](Self::to_bytes). The bytes may come from an untrusted source.
    ///
    /// # Errors
    ///
    /// [`FluidSnapshotError::Snapshot`] if the bytes are not a snapshot of this type and version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_file(&SnapshotFile::from_bytes(bytes)?)
    }

    /// The snapshot as a file, to which a game adds entries of its own.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_blob_fluid::prelude::*;
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
    /// Returns the errors of [`to_bytes`](Self::to_bytes).
    pub fn to_file(&self) -> Result<SnapshotFile> {
        let mut file = SnapshotFile::default();
        file.insert(entry::WORLD, &self.world())?;
        let records = self.records()?;
        let records = postcard::to_allocvec(&records).map_err(FluidSnapshotError::invalid)?;
        file.insert_bytes(entry::PLUGIN, &records)?;
        insert_if_any(&mut file, entry::GOVERNOR, self.governor.as_ref())?;
        insert_if_any(&mut file, entry::BLOBS, self.blobs.as_ref())?;
        insert_if_any(&mut file, entry::SPLASHES, self.splashes.as_ref())?;
        if let Some(record) = self.regions.as_ref().and_then(FluidRegions::record) {
            let record = postcard::to_allocvec(&record).map_err(FluidSnapshotError::invalid)?;
            file.insert_bytes(entry::REGIONS, &record)?;
        }
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
        Ok(file)
    }

    /// Reads a snapshot from the file of [`to_file`](Self::to_file). Entries that the game added are ignored.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_bytes`](Self::from_bytes).
    pub fn from_file(file: &SnapshotFile) -> Result<Self> {
        let world: FluidWorld = file.get(entry::WORLD)?;
        let records: Records = read(file.bytes(entry::PLUGIN)?)?;
        let mut snapshot = Self::default();
        world.keep_in(&mut snapshot.liquid)?;
        snapshot.governor = get_if_any(file, entry::GOVERNOR)?;
        snapshot.blobs = get_if_any(file, entry::BLOBS)?;
        snapshot.splashes = get_if_any(file, entry::SPLASHES)?;
        if has_entry(file, entry::REGIONS) {
            let record: RegionsRecord = read(file.bytes(entry::REGIONS)?)?;
            snapshot.regions = Some(FluidRegions::from_record(record)?);
        }
        snapshot.clock = clock(&records.clock)?;
        let containers: Vec<(ContainerId, Container)> = file.get(entry::CONTAINERS)?;
        snapshot.containers = FluidContainers(targets(&records.containers, containers)?);
        let colliders: Vec<(ColliderId, blob_fluid::Collider)> = file.get(entry::COLLIDERS)?;
        snapshot.colliders = FluidColliders(targets(&records.colliders, colliders)?);
        snapshot.hosts = hosts(&records.hosts, file.get(entry::HOSTS)?)?;
        snapshot.entities = records.entities.iter().map(known).collect();
        snapshot.components = Components::from_records(records.components, &world)?;
        (snapshot.settings, snapshot.classes) = (records.settings, records.classes);
        Ok(snapshot)
    }

    fn records(&self) -> Result<Records> {
        let clock = &self.clock;
        Ok(Records {
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
            components: self.components.records()?,
        })
    }
}

fn insert_if_any(file: &mut SnapshotFile, name: &str, value: Option<&impl Snapshot>) -> Result<()> {
    Ok(value.map_or(Ok(()), |value| file.insert(name, value))?)
}

fn get_if_any<T: Snapshot>(file: &SnapshotFile, name: &str) -> Result<Option<T>> {
    Ok(if has_entry(file, name) { Some(file.get(name)?) } else { None })
}

fn has_entry(file: &SnapshotFile, name: &str) -> bool {
    file.names().any(|entry| entry == name)
}

/// Reads records of the plugin.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let (records, rest) = postcard::take_from_bytes(bytes).map_err(FluidSnapshotError::invalid)?;
    if rest.is_empty() {
        Ok(records)
    } else {
        Err(FluidSnapshotError::invalid("the plugin's part is too long"))
    }
}

fn entity_record(known: &KnownEntity) -> Option<EntityRecord> {
    let KnownEntity { entity, order, name, kinds, tiles } = known;
    let name = name.as_ref().map(|name| name.as_str().to_owned());
    let tiles = tiles.map(|KnownTiles { level, block }| TilesRecord {
        level: level.into(),
        low: block.low,
        high: block.high,
    });
    Some(EntityRecord { id: (*entity)?.into(), order: *order, name, kinds: *kinds, tiles })
}

fn known(EntityRecord { id, order, name, kinds, tiles }: &EntityRecord) -> KnownEntity {
    let name = name.clone().map(Name::new);
    let tiles = tiles.as_ref().and_then(|TilesRecord { level, low, high }| {
        let valid = low.cmplt(*high).all();
        let block = valid.then_some(TileBlock { low: *low, high: *high })?;
        Some(KnownTiles { level: level.entity()?, block })
    });
    KnownEntity { entity: id.entity(), order: *order, name, kinds: *kinds, tiles }
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
    let mut ids = ids.into_iter();
    let mut hosts = FluidHosts::default();
    for HostRecord { id, has_body, host } in records {
        let mut host = host.clone();
        host.id = has_body.then(|| ids.next()).flatten();
        if *has_body && host.id.is_none() {
            return Err(FluidSnapshotError::invalid(
                "there are not as many host bodies as handles",
            ));
        }
        if let Some(entity) = id.entity() {
            hosts.hosts.insert(entity, host);
        }
    }
    // The remaining handles are those of removed bodies, which the next synchronisation removes.
    hosts.gone = ids.collect();
    Ok(hosts)
}
