//! The systems that store liquid and put it back. A run of the outer schedule has this order:
//!
//! 1. Regions near a centre enter, and observers spawn their walls.
//! 2. Borders of absent regions are closed, and borders of regions whose liquid returns are opened.
//! 3. Solids are synchronised.
//! 4. Stored liquid returns.
//! 5. Blobs are filled.
//! 6. Far regions leave, with their liquid.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::{Collider, FluidChunk, FluidShape, Pose, Snapshot};

use super::regions::{
    Cell, FluidRegionEntered, FluidRegionLeft, FluidRegions, FluidStreaming, LAST_CELL,
    StoredLiquid,
};
use crate::placing::Placement;
use crate::scenes::SceneBlocks;
use crate::schedule::{FluidEntitySystems, FluidSystems};
use crate::simulation::{Fluid, FluidSimulation, FluidStatistics};
use crate::solids::{EntityPart, ForeignColliders};
use crate::warnings::Warnings;

/// Largest number of regions that the box of a centre may touch.
const MOST_REGIONS: i64 = 4096;

pub(super) fn add_exchange(app: &mut App, schedule: InternedScheduleLabel) {
    app.add_systems(
        schedule,
        (
            enter_regions.run_if(is_streaming).before(FluidEntitySystems::Scenes),
            close_borders
                .run_if(|regions: Res<FluidRegions>| regions.is_in_use())
                .after(FluidEntitySystems::Engines)
                .before(FluidEntitySystems::Colliders),
            put_back
                .run_if(is_streaming)
                .after(FluidEntitySystems::Pools)
                .before(SceneBlocks)
                .before(FluidEntitySystems::Blobs),
            store_far_liquid
                .run_if(is_streaming)
                .after(FluidEntitySystems::Blobs)
                .before(FluidEntitySystems::Sensors),
        )
            .in_set(FluidSystems::SyncEntities),
    );
}

/// Whether liquid is streamed, and is on the CPU.
fn is_streaming(
    centres: Query<(), With<FluidStreaming>>,
    regions: Res<FluidRegions>,
    statistics: Res<FluidStatistics>,
) -> bool {
    let is_streaming = regions.is_in_use() || !centres.is_empty();
    if is_streaming && statistics.is_on_device() {
        warn_once!("fluid streaming does nothing while the liquid is on the graphics card");
    }
    is_streaming && !statistics.is_on_device()
}

/// A rectangle of regions.
#[derive(Clone, Copy)]
struct Cells {
    low: Cell,
    high: Cell,
}

impl Cells {
    fn contains(self, cell: &Cell) -> bool {
        (0..2).all(|axis| (self.low[axis]..=self.high[axis]).contains(&cell[axis]))
    }

    fn count(self) -> i64 {
        let along = |axis: usize| i64::from(self.high[axis] - self.low[axis]) + 1;
        along(0) * along(1)
    }

    fn iter(self) -> impl Iterator<Item = Cell> {
        let rows = self.low[1]..=self.high[1];
        (self.low[0]..=self.high[0]).flat_map(move |x| rows.clone().map(move |y| [x, y]))
    }
}

/// The regions around a centre: those that enter, and those that stay.
fn around(
    regions: &FluidRegions,
    FluidStreaming { reach, margin }: FluidStreaming,
    centre: Vec2,
) -> [Cells; 2] {
    [reach, reach + margin].map(|reach| Cells {
        low: regions.cell_at(centre - reach),
        high: regions.cell_at(centre + reach),
    })
}

/// Regions near a centre enter. Present regions far from all centres may leave from here on.
fn enter_regions(
    centres: Query<(Entity, &FluidStreaming)>,
    transforms: TransformHelper,
    time: Res<Time<Fluid>>,
    mut regions: ResMut<FluidRegions>,
    mut warnings: Warnings,
    mut messages: MessageWriter<FluidRegionEntered>,
    mut commands: Commands,
) {
    warnings.retain(|entity| centres.contains(entity));
    let mut boxes = Vec::new();
    for (entity, streaming) in &centres {
        let cells = || {
            streaming.validate().map_err(|error| error.to_string())?;
            let placement =
                Placement::of(entity, &transforms).map_err(|error| error.to_string())?;
            let cells = around(&regions, *streaming, placement.pose.translation);
            match cells[1].count() {
                ..=MOST_REGIONS => Ok(cells),
                count => Err(format!(
                    "its box touches {count} regions, and at most {MOST_REGIONS} are possible"
                )),
            }
        };
        boxes.extend(warnings.check(entity, "fluid streaming", cells()));
    }
    for cell in boxes.iter().flat_map(|[enter, _]| enter.iter()) {
        if regions.present.insert(cell, None).is_none() {
            let first = regions.known.insert(cell);
            let event = regions.entered(cell, first);
            messages.write(event);
            commands.trigger(event);
        }
    }
    let all_are_valid = !boxes.is_empty() && boxes.len() == centres.iter().len();
    let now = time.elapsed();
    for (cell, far_since) in &mut regions.present {
        let is_near = boxes.iter().any(|[_, stay]| stay.contains(cell));
        *far_since = if is_near || !all_are_valid { None } else { far_since.or(Some(now)) };
    }
}

impl FluidRegions {
    /// Present regions whose stored liquid can return.
    fn ready(&self, fluid: &FluidSimulation) -> BTreeSet<Cell> {
        let mut room = fluid.capacity().saturating_sub(fluid.particles().len());
        let mut ready = BTreeSet::new();
        for (cell, liquid) in &self.stored {
            if !self.present.contains_key(cell) || self.held.contains(cell) {
                continue;
            }
            let count: usize = liquid.iter().map(|liquid| liquid.particles).sum();
            if count <= room {
                room -= count;
                ready.insert(*cell);
            } else {
                warn_once!("stored fluid waits, because the world is full");
            }
        }
        ready
    }

    /// The collider that fills a region.
    fn filled(&self, cell: Cell) -> (Entity, EntityPart, Result<Collider, String>) {
        let shape = FluidShape::Rectangle { half_size: 0.5 * self.size };
        let collider = Collider::new(shape, self.bounds(cell.into()).centre(), Vec2::X);
        // Different for all regions, and at least 1.
        let [column, row] = cell.map(|index| (index + LAST_CELL + 1) as u32);
        let part = EntityPart { number: column << 16 | row, pose: Pose::IDENTITY };
        (Entity::PLACEHOLDER, part, collider.map_err(|error| error.to_string()))
    }

    /// Whether a point lies in an absent region, farther than `distance` from all present ones.
    fn is_far(&self, point: Vec2, distance: f32) -> bool {
        const AROUND: [Vec2; 9] = [
            Vec2::ZERO,
            Vec2::X,
            Vec2::Y,
            Vec2::NEG_X,
            Vec2::NEG_Y,
            Vec2::ONE,
            Vec2::NEG_ONE,
            Vec2::new(1.0, -1.0),
            Vec2::new(-1.0, 1.0),
        ];
        AROUND.iter().all(|way| !self.present.contains_key(&self.cell_at(point + distance * way)))
    }

    /// Stores the particles of a region that satisfy a condition.
    fn store(
        &mut self,
        cell: Cell,
        fluid: &mut FluidSimulation,
        is_taken: impl Fn(&Self, Vec2) -> bool,
    ) {
        let is_taken = |position| self.cell_at(position) == cell && is_taken(self, position);
        // This is between two ticks, so it does not fail.
        let Ok(chunk) = fluid.world_mut().take_chunk_where(is_taken) else { return };
        let Ok(bytes) = chunk.to_entry_bytes() else { return };
        if !chunk.is_empty() {
            let liquid =
                StoredLiquid { number: self.count, particles: chunk.len(), bytes: bytes.into() };
            self.stored.entry(cell).or_default().push(liquid);
            self.count += 1;
        }
    }
}

/// Fills absent regions beside present ones, and regions whose liquid waits, with colliders.
fn close_borders(
    mut regions: ResMut<FluidRegions>,
    fluid: Res<FluidSimulation>,
    mut colliders: ResMut<ForeignColliders>,
) {
    regions.returning = regions.ready(&fluid);
    let FluidRegions { present, stored, returning, closed, .. } = &*regions;
    let absent = closed.iter().filter(|cell| !present.contains_key(*cell));
    let waits = |cell: &&Cell| present.contains_key(*cell) && !returning.contains(*cell);
    let filled: BTreeSet<Cell> = absent.chain(stored.keys().filter(waits)).copied().collect();
    colliders.0.extend(filled.into_iter().map(|cell| regions.filled(cell)));
}

/// Puts the liquid of present regions back. The chunk that was stored last returns first.
fn put_back(mut regions: ResMut<FluidRegions>, mut fluid: ResMut<FluidSimulation>) {
    let mut returning = Vec::new();
    for cell in std::mem::take(&mut regions.returning) {
        let liquid = regions.stored.remove(&cell).unwrap_or_default();
        returning.extend(liquid.into_iter().map(|liquid| (cell, liquid)));
    }
    returning.sort_unstable_by_key(|(_, liquid)| Reverse(liquid.number));
    for (cell, liquid) in returning {
        let chunk = FluidChunk::from_entry_bytes(&liquid.bytes).map_err(|error| error.to_string());
        let put = |chunk| fluid.put_chunk(&chunk).map_err(|error| error.to_string());
        if let Err(error) = chunk.and_then(put) {
            warn_once!("the stored fluid of region {cell:?} is held: {error}");
            regions.held.insert(cell);
            regions.stored.entry(cell).or_default().push(liquid);
        }
    }
}

/// Lets far regions leave whose liquid sleeps or whose time is over, and stores the liquid of absent regions.
fn store_far_liquid(
    time: Res<Time<Fluid>>,
    mut regions: ResMut<FluidRegions>,
    mut fluid: ResMut<FluidSimulation>,
    mut messages: MessageWriter<FluidRegionLeft>,
    mut commands: Commands,
) {
    for cell in leaving(&regions, &fluid, time.elapsed()) {
        regions.present.remove(&cell);
        regions.held.remove(&cell);
        regions.store(cell, &mut fluid, |_, _| true);
        let event = regions.left(cell);
        messages.write(event);
        commands.trigger(event);
    }
    // The colliders of absent regions push liquid back that has crossed a border by less.
    let radius = fluid.parameters().interaction_radius();
    let positions = fluid.particles().positions().iter();
    let strays: BTreeSet<Cell> = positions
        .filter(|position| regions.is_far(**position, radius))
        .map(|position| regions.cell_at(*position))
        .collect();
    for cell in strays {
        regions.store(cell, &mut fluid, |regions, position| regions.is_far(position, radius));
    }
    regions.closed = regions.beside_present();
}

/// Far regions whose liquid sleeps, or whose time to settle is over.
fn leaving(regions: &FluidRegions, fluid: &FluidSimulation, now: Duration) -> BTreeSet<Cell> {
    let far = regions.present.iter().filter_map(|(cell, since)| Some((*cell, (*since)?)));
    let mut leaving: BTreeSet<Cell> = far.clone().map(|(cell, _)| cell).collect();
    if !leaving.is_empty() {
        let particles = fluid.particles();
        for (index, position) in particles.positions().iter().enumerate() {
            if !particles.is_asleep(index) {
                leaving.remove(&regions.cell_at(*position));
            }
        }
    }
    let has_waited = |since| now.saturating_sub(since).as_secs_f32() >= regions.patience;
    leaving.extend(far.filter(|(_, since)| has_waited(*since)).map(|(cell, _)| cell));
    leaving
}
