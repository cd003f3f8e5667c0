//! Regions in a snapshot.

use std::time::Duration;

use bevy::prelude::*;
use blob_fluid::{FluidChunk, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};

use super::regions::{Cell, FluidRegions, LAST_CELL, StoredLiquid};

/// [`FluidRegions`] as they are written to a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct RegionsRecord {
    size: Vec2,
    patience: f32,
    present: Vec<(Cell, Option<Duration>)>,
    known: Vec<Cell>,
    stored: Vec<LiquidRecord>,
    count: u64,
}

#[derive(Serialize, Deserialize)]
struct LiquidRecord {
    cell: Cell,
    number: u64,
    bytes: Vec<u8>,
}

impl FluidRegions {
    /// The record of regions; `None` if none has ever entered.
    pub(crate) fn record(&self) -> Option<RegionsRecord> {
        let stored = self.stored.iter().flat_map(|(cell, liquid)| {
            liquid.iter().map(|StoredLiquid { number, bytes, .. }| LiquidRecord {
                cell: *cell,
                number: *number,
                bytes: bytes.to_vec(),
            })
        });
        self.is_in_use().then(|| RegionsRecord {
            size: self.size,
            patience: self.patience,
            present: self.present.iter().map(|(cell, since)| (*cell, *since)).collect(),
            known: self.known.iter().copied().collect(),
            stored: stored.collect(),
            count: self.count,
        })
    }

    /// Checks a record. Present regions whose liquid waits enter again.
    pub(crate) fn from_record(record: RegionsRecord) -> Result<Self, SnapshotError> {
        let RegionsRecord { size, patience, present, known, stored, count } = record;
        let invalid = |error: &dyn ToString| SnapshotError::Invalid(error.to_string());
        let mut regions = Self::default();
        regions.set_size(size).map_err(|error| invalid(&error))?;
        regions.set_patience(patience).map_err(|error| invalid(&error))?;
        let cells = known.iter().chain(present.iter().map(|(cell, _)| cell));
        let cells = cells.chain(stored.iter().map(|liquid| &liquid.cell));
        if cells.flatten().any(|index| !(-LAST_CELL..=LAST_CELL).contains(index)) {
            return Err(invalid(&"a fluid region is out of the world"));
        }
        for LiquidRecord { cell, number, bytes } in stored {
            let particles = FluidChunk::from_entry_bytes(&bytes)?.len();
            let liquid = StoredLiquid { number, particles, bytes: bytes.into() };
            regions.stored.entry(cell).or_default().push(liquid);
        }
        regions.known = known.into_iter().collect();
        regions.present = present.into_iter().collect();
        regions.closed = regions.beside_present();
        regions.present.retain(|cell, _| !regions.stored.contains_key(cell));
        regions.count = count;
        Ok(regions)
    }
}

/// Writes the messages about regions that are present in only one of the world and `saved`, so that observers spawn
/// and despawn walls before the entities of a snapshot are looked up.
pub(crate) fn move_to_regions(world: &mut World, saved: Option<&FluidRegions>) {
    let Some(regions) = world.get_resource::<FluidRegions>() else { return };
    let none = FluidRegions { size: regions.size, ..FluidRegions::default() };
    let saved = saved.unwrap_or(&none);
    let absent_in = |others: &FluidRegions| {
        let present = others.present.clone();
        move |cell: &&Cell| !present.contains_key(*cell)
    };
    let left = regions.present.keys().filter(absent_in(saved)).map(|cell| regions.left(*cell));
    let entered = saved.present.keys().filter(absent_in(regions));
    let entered = entered.map(|cell| saved.entered(*cell, false));
    let (left, entered): (Vec<_>, Vec<_>) = (left.collect(), entered.collect());
    for event in left {
        world.write_message(event);
        world.trigger(event);
    }
    for event in entered {
        world.write_message(event);
        world.trigger(event);
    }
    world.flush();
}

/// Forgets all regions, and the stored liquid.
pub(super) fn start_over(world: &mut World) {
    move_to_regions(world, None);
    world.resource_mut::<FluidRegions>().forget();
}
