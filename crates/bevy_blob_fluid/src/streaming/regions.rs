//! The component, the resource and the messages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bevy::prelude::*;
use blob_fluid::ranges::Limits;
use blob_fluid::{FluidBounds, FluidChunk, OutOfRange, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Simulates the liquid around the entity, such as a camera or a player, and stores the liquid far from all entities
/// with this component.
///
/// The world is a grid of regions, whose size [`FluidRegions::set_size`] sets. A region that touches the box around the
/// entity is present: its liquid is simulated. A region farther from the box than the [`margin`](Self::margin) leaves
/// when its liquid sleeps, or after the [patience](FluidRegions::patience). The region's liquid is then stored as
/// bytes. When the box touches the region again, the region's liquid returns with the same bits in that run of the
/// outer schedule. The liquid wakes if its [surroundings](blob_fluid::FluidWorld::put_chunk) have changed. Colliders
/// fill the absent regions beside present regions, so liquid does not cross the border.
///
/// The entity's [`Transform`] is read once in each run of the outer schedule, also while the liquid is paused. A
/// component with values out of range is left out with a warning, and no further region leaves meanwhile. Without the
/// component, no region enters or leaves. On the [graphics card](crate::FluidBackend::Gpu) the component does
/// nothing, with a warning.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut regions: ResMut<FluidRegions>, mut commands: Commands) -> Result {
///     regions.set_size(Vec2::splat(400.0))?;
///     commands.spawn((Camera2d, FluidStreaming::new(Vec2::new(800.0, 500.0))));
///     Ok(())
/// }
/// # let mut app = App::new();
/// # app.add_plugins((MinimalPlugins, TransformPlugin, BlobFluidPlugins::default()));
/// # app.add_systems(Startup, setup).finish();
/// # app.update();
/// # app.world_mut().run_schedule(FixedPostUpdate);
/// // The box touches regions from -1000 to 1000 units across, and from -600 to 600 units upwards.
/// # let regions = app.world().resource::<FluidRegions>();
/// assert_eq!(regions.present().count(), 5 * 3);
/// ```
#[doc = guide!("scrolling")]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
pub struct FluidStreaming {
    /// Half of the width and of the height of the box around the entity, in world units; 0 to 100,000. Default 1000
    /// and 1000. A box larger than the view lets liquid return before it is visible.
    pub reach: Vec2,
    /// Distance from the box beyond which a region leaves, in world units; 0 to 100,000. Default 200. The margin keeps
    /// regions from leaving and entering again and again.
    pub margin: f32,
}

impl Default for FluidStreaming {
    fn default() -> Self {
        Self { reach: Vec2::splat(1000.0), margin: 200.0 }
    }
}

impl FluidStreaming {
    /// A box with this `reach`, in world units, and the default margin.
    pub fn new(reach: Vec2) -> Self {
        Self { reach, ..Self::default() }
    }

    pub(super) fn validate(&self) -> Result<(), OutOfRange> {
        let numbers =
            [("reach.x", self.reach.x), ("reach.y", self.reach.y), ("margin", self.margin)];
        let check = |(field, value)| DISTANCES.check("fluid streaming", field, value);
        numbers.into_iter().try_for_each(check)
    }
}

/// Distances from the centre of a box, in world units.
const DISTANCES: Limits = Limits::between(0.0, 100_000.0);

/// Sizes of a region, in world units.
const SIZES: Limits = Limits::between(1.0, 100_000.0);

/// Patience, in seconds.
const PATIENCE: Limits = Limits::between(0.0, 1000.0);

/// A region entered the simulated part of the world: the box of a [`FluidStreaming`] touches it.
///
/// Spawn the region's walls in an observer: the stored liquid returns after them, in the same run of the outer schedule.
/// [`FluidRegions::hold`] lets liquid wait longer, for example for walls that are still loading.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn spawn_land(entered: On<FluidRegionEntered>, mut commands: Commands) {
///     let middle = Transform::from_translation(entered.bounds.centre().extend(0.0));
///     commands.spawn((FluidContainer::from(Rectangle::new(300.0, 300.0)), middle));
///     if entered.first {
///         commands.spawn((FluidBlob::from(Rectangle::new(200.0, 100.0)), middle));
///     }
/// }
///
/// App::new().add_observer(spawn_land);
/// ```
#[doc = guide!("scrolling")]
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidRegionEntered {
    /// Column and row of the region; see [`FluidRegions::region_at`].
    pub region: IVec2,
    /// The region's box, in world units.
    pub bounds: FluidBounds,
    /// Whether the region enters for the first time, without stored liquid of an earlier visit.
    pub first: bool,
}

/// A region left the simulated part of the world. The region's liquid has been stored, so its walls, emitters and
/// bodies may be despawned.
#[doc = guide!("scrolling")]
#[derive(Message, Event, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidRegionLeft {
    /// Column and row of the region; see [`FluidRegions::region_at`].
    pub region: IVec2,
    /// The region's box, in world units.
    pub bounds: FluidBounds,
}

/// A setting of [`FluidRegions`] that is refused. Nothing is changed then.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum FluidRegionsError {
    /// A number is out of its range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The size of regions cannot change after the first region has entered.
    #[error("fluid regions: the size is in use, and changes only before the first region enters")]
    InUse,
}

/// Column and row of a region.
pub(super) type Cell = [i32; 2];

/// Largest magnitude of a column or row. Regions at this limit extend to infinity.
pub(super) const LAST_CELL: i32 = 32_767;

/// The regions of a world with [`FluidStreaming`], and the liquid that is stored.
///
/// A [`FluidSnapshot`](crate::FluidSnapshot) contains this resource.
/// [`FluidSimulation::restart`](crate::FluidSimulation::restart) forgets all regions, and writes a [`FluidRegionLeft`]
/// for each present region.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn report(regions: Res<FluidRegions>, fluid: Res<FluidSimulation>) {
///     let (here, away) = (fluid.particles().len(), regions.stored_particles());
///     info!("{here} particles are simulated, {away} in {} bytes", regions.stored_bytes());
/// }
/// # bevy::ecs::system::assert_is_system(report);
/// ```
#[doc = guide!("scrolling")]
#[derive(Resource, Reflect, Clone, Debug)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidRegions {
    pub(super) size: Vec2,
    pub(super) patience: f32,
    /// Present regions. A region that may leave has the simulated time since which it may.
    pub(super) present: BTreeMap<Cell, Option<Duration>>,
    /// All regions that have ever entered.
    pub(super) known: BTreeSet<Cell>,
    pub(super) stored: BTreeMap<Cell, Vec<StoredLiquid>>,
    /// Number of chunks that have ever been stored.
    pub(super) count: u64,
    /// Regions whose liquid must not return yet.
    pub(super) held: BTreeSet<Cell>,
    /// Regions whose liquid returns in this run.
    pub(super) returning: BTreeSet<Cell>,
    /// Absent regions beside those that were present at the end of the last run.
    pub(super) closed: BTreeSet<Cell>,
}

/// Liquid that is stored.
#[derive(Clone, Debug)]
pub(super) struct StoredLiquid {
    /// Serial number. Later chunks return first, so that each one finds the surroundings that it left.
    pub(super) number: u64,
    pub(super) particles: usize,
    /// A [`FluidChunk`](blob_fluid::FluidChunk). Copies for rollback share it.
    pub(super) bytes: Arc<[u8]>,
}

impl Default for FluidRegions {
    fn default() -> Self {
        Self {
            size: Vec2::splat(500.0),
            patience: 2.0,
            present: BTreeMap::new(),
            known: BTreeSet::new(),
            stored: BTreeMap::new(),
            count: 0,
            held: BTreeSet::new(),
            returning: BTreeSet::new(),
            closed: BTreeSet::new(),
        }
    }
}

impl FluidRegions {
    /// Width and height of a region, in world units. Default 500 and 500.
    pub fn size(&self) -> Vec2 {
        self.size
    }

    /// Sets the width and the height of regions, in world units; 1 to 100,000.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`](FluidRegionsError::OutOfRange), and [`InUse`](FluidRegionsError::InUse) after the first region
    /// has entered.
    pub fn set_size(&mut self, size: Vec2) -> Result<(), FluidRegionsError> {
        SIZES.check("fluid regions", "size.x", size.x)?;
        SIZES.check("fluid regions", "size.y", size.y)?;
        if self.is_in_use() {
            return Err(FluidRegionsError::InUse);
        }
        self.size = size;
        Ok(())
    }

    /// The longest time, in simulated seconds, that a region waits for its liquid to sleep before the region leaves
    /// the world. A region waits while it is farther than the [`margin`](FluidStreaming::margin) from the box of every
    /// [`FluidStreaming`]. Default 2.
    pub fn patience(&self) -> f32 {
        self.patience
    }

    /// Sets the [`patience`](Self::patience) of regions; 0 to 1000 s. After that time, liquid that still moves is stored
    /// in motion, and continues to move when it returns.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`](FluidRegionsError::OutOfRange).
    pub fn set_patience(&mut self, patience: f32) -> Result<(), FluidRegionsError> {
        PATIENCE.check("fluid regions", "patience", patience)?;
        self.patience = patience;
        Ok(())
    }

    /// Column and row of the region that contains a point. The middle of region 0, 0 is the origin.
    pub fn region_at(&self, point: Vec2) -> IVec2 {
        self.cell_at(point).into()
    }

    /// The box of a region, in world units.
    pub fn bounds(&self, region: IVec2) -> FluidBounds {
        let low = self.size * (region.as_vec2() - 0.5);
        FluidBounds { low, high: low + self.size }
    }

    /// Present regions, in ascending order.
    pub fn present(&self) -> impl ExactSizeIterator<Item = IVec2> {
        self.present.keys().map(|cell| (*cell).into())
    }

    /// Whether a region is present.
    pub fn is_present(&self, region: IVec2) -> bool {
        self.present.contains_key(&region.to_array())
    }

    /// Regions with stored liquid, in ascending order.
    pub fn stored(&self) -> impl ExactSizeIterator<Item = IVec2> {
        self.stored.keys().map(|cell| (*cell).into())
    }

    /// Number of particles that are stored.
    pub fn stored_particles(&self) -> usize {
        self.stored.values().flatten().map(|liquid| liquid.particles).sum()
    }

    /// Size of the stored liquid, in bytes.
    pub fn stored_bytes(&self) -> usize {
        self.stored.values().flatten().map(|liquid| liquid.bytes.len()).sum()
    }

    /// Keeps the liquid of a region stored until [`release`](Self::release). The region's borders stay closed
    /// meanwhile. Loaded snapshots hold no region.
    pub fn hold(&mut self, region: IVec2) {
        self.held.insert(region.to_array());
    }

    /// Lets the liquid of a [held](Self::hold) region return.
    pub fn release(&mut self, region: IVec2) {
        self.held.remove(&region.to_array());
    }

    pub(super) fn cell_at(&self, point: Vec2) -> Cell {
        let limit = IVec2::splat(LAST_CELL);
        (point / self.size + 0.5).floor().as_ivec2().clamp(-limit, limit).to_array()
    }

    /// Forgets all regions, and the stored liquid. The settings stay.
    pub(crate) fn forget(&mut self) {
        *self = Self { size: self.size, patience: self.patience, ..Self::default() };
    }

    /// Whether any region has ever entered.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.known.is_empty()
    }

    /// Absent regions beside present ones.
    pub(super) fn beside_present(&self) -> BTreeSet<Cell> {
        let around = |[x, y]: &Cell| {
            let (x, y) = (*x, *y);
            (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| [x, y]))
        };
        let cells = self.present.keys().flat_map(around);
        cells.filter(|cell| !self.present.contains_key(cell)).collect()
    }

    /// The message that a region enters.
    pub(super) fn entered(&self, cell: Cell, first: bool) -> FluidRegionEntered {
        let region = cell.into();
        FluidRegionEntered { region, bounds: self.bounds(region), first }
    }

    /// The message that a region has left.
    pub(super) fn left(&self, cell: Cell) -> FluidRegionLeft {
        let region = cell.into();
        FluidRegionLeft { region, bounds: self.bounds(region) }
    }
}

// Regions in a snapshot.

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

/// Writes the messages about regions that are present only in the world or only in `saved`. So observers spawn and
/// despawn walls before the entities of a snapshot are looked up.
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
