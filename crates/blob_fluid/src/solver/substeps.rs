//! The number of substeps that a tick is divided into.

use std::ops::Range;

use glam::{I64Vec2, IVec2, Vec2};

use crate::boundary::container::container_of;
use crate::boundary::near::WallCandidates;
use crate::boundary::solids::Solids;
use crate::geometry::shape::Entry;
use crate::liquid::clock::ChosenSubsteps;
use crate::parallel::executor::LONG_CHUNK;
use crate::parallel::instructions::floor;
use crate::{
    ClassFilter, ClassId, ClassTable, Executor, FluidBounds, FluidParameters, Liquid, Particles,
    Pose, SerialExecutor, Substeps,
};

/// Hysteresis of the number of substeps: the number decreases only if the required number falls
/// below a whole number by more than this.
const SUBSTEP_HYSTERESIS: f32 = 0.2;

/// The number of substeps that a solver requires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubstepDemand {
    /// `(c dt/h)^2`, where `c` is the speed at which pressure propagates in the liquid; infinite if
    /// pressures do not depend on the substep.
    pub stiffness: f32,
    /// `stiffness` when the kept fraction has its stable value.
    pub stiffness_with_full_memory: f32,
    /// `stiffness` beside solids that yield to the liquid.
    pub stiffness_beside_yielding: f32,
    /// The fraction of the resistance that is kept from substep to substep.
    pub memory_fraction: f32,
    /// The number that is required for other reasons than the depth.
    pub other_substeps: f32,
    /// The smallest number at which the liquid stays stable.
    pub min_stable: u32,
    /// Substep length, in seconds, with sufficient resistance where the depth requires no more; 0
    /// if the resistance grows with the number of substeps.
    pub sufficient_length: f32,
    /// Whether [`calibrated`] applies: the liquid is that with which it was measured.
    pub is_calibrated: bool,
}

impl SubstepDemand {
    /// The demand of a solver that is stable with any number and needs substeps only for the depth.
    pub(crate) fn from_depth(stiffness: f32) -> Self {
        Self {
            stiffness,
            stiffness_with_full_memory: stiffness,
            stiffness_beside_yielding: stiffness,
            memory_fraction: 0.0,
            other_substeps: 0.0,
            min_stable: 1,
            sufficient_length: 0.0,
            is_calibrated: false,
        }
    }
}

/// The number of substeps: `(dt/h) sqrt(g D / (s compression))`, [`calibrated`] and rounded up, or more if the solver
/// demands more, within the settings' bounds. `s` is the solver's stiffness. `g` is gravity times
/// the largest gravity scale of the classes that have particles, if that is above 1. Beside solids that yield to the
/// liquid, `D` is the depth of the lowest of these solids, and `s` is smaller.
pub(crate) fn choose_substeps(
    liquid: &Liquid,
    demand: SubstepDemand,
    columns: &Columns,
    time_step: f32,
) -> ChosenSubsteps {
    choose_substeps_for(liquid, demand, time_step, || {
        let present = liquid.particles.present_classes();
        let scale = max_gravity_scale(&liquid.classes, present);
        [columns.depth(&liquid.parameters), columns.depth_beside_yielding(liquid)]
            .map(|depth| depth * scale)
    })
}

/// As [`choose_substeps`]. `depths` returns the depth of the liquid and that of the lowest solid that yields, both
/// times the gravity scale, and is called only if needed.
pub(crate) fn choose_substeps_for(
    liquid: &Liquid,
    demand: SubstepDemand,
    time_step: f32,
    depths: impl FnOnce() -> [f32; 2],
) -> ChosenSubsteps {
    let SubstepDemand { other_substeps, min_stable, sufficient_length, .. } = demand;
    let time_unit = liquid.parameters.time_unit();
    let without_memory = || liquid.clock.eased_memory_fraction(0.0, time_step, time_unit);
    let reach = liquid.parameters.interaction_radius();
    let any_solid_yields = liquid
        .boundary
        .any_yields_within(|| FluidBounds::of(&liquid.particles.position).inflated(reach));
    let (compression, max) = match liquid.parameters.substeps {
        Substeps::Fixed(wanted) => {
            return ChosenSubsteps {
                wanted,
                min_stable,
                for_depth: 0.0,
                memory_fraction: if any_solid_yields {
                    without_memory()
                } else {
                    demand.memory_fraction
                },
                sufficient_length: 0.0,
                any_solid_yields,
            };
        }
        Substeps::Automatic { compression, max } => (compression, max),
    };
    let gravity = liquid.parameters.gravity.length();
    let number = |depth: f32, stiffness: f32| {
        let by_formula = time_step / liquid.parameters.interaction_radius()
            * (gravity * depth / (stiffness * compression)).sqrt();
        if demand.is_calibrated { calibrated(by_formula) } else { by_formula }
    };
    let [depth, depth_of_yielding] = depths();
    let with_full_memory = number(depth, demand.stiffness_with_full_memory);
    let for_yielding = number(depth_of_yielding, demand.stiffness_beside_yielding);
    // Where a solid lies so deep that it needs more substeps than the liquid, nothing remembers pressure. Otherwise crowds
    // of bodies on a deep floor do not come to rest.
    let is_sunken = for_yielding.ceil() > with_full_memory.ceil();
    let memory_fraction = if is_sunken { without_memory() } else { demand.memory_fraction };
    let stiffening = (1.0 - demand.memory_fraction) / (1.0 - memory_fraction);
    let for_depth = number(depth, demand.stiffness * if is_sunken { stiffening } else { 1.0 });
    let required = for_depth.max(for_yielding).max(other_substeps);
    let needed = (required.ceil() as u32).clamp(1, max);
    let with_hysteresis = ((required + SUBSTEP_HYSTERESIS).ceil() as u32).clamp(1, max);
    let previous = liquid.clock.wanted_substeps;
    let wanted = if needed < previous { with_hysteresis.min(previous) } else { needed };
    ChosenSubsteps {
        wanted,
        min_stable,
        for_depth,
        memory_fraction,
        sufficient_length,
        any_solid_yields,
    }
}

/// Number of substeps that keeps the measured compression of `double_density`, from the number in [`choose_substeps`].
/// It is calibrated with pools, and with towers ten spacings wide, of 40 to 400 rows. One substep compresses them less
/// than the formula says. Several substeps compress deep ones more. The measured depth is up to 7 % too large, because
/// eight columns of a lattice fit into 7.6 spacings. Powder keeps to the formula.
fn calibrated(number: f32) -> f32 {
    number * (0.93 + 0.155 * ((number - 1.1) / 0.95).clamp(0.0, 1.0))
}

/// The largest magnitude of the gravity scales of the classes in a set, at least 1.
pub(crate) fn max_gravity_scale(classes: &ClassTable, set: ClassFilter) -> f32 {
    classes.members(set).map(|class| class.gravity_scale.abs()).fold(1.0, f32::max)
}

// Columns of liquid along gravity: their depths, and the solids below them.

/// Factor on the depth of a single column. Its number of particles varies more than that of two
/// neighbouring columns, whose mean counts in full.
const SINGLE_COLUMN_FACTOR: f32 = 0.9;

/// Largest count of a bin, relative to liquid at rest, so that particles at one point are not deep.
const MAX_BIN_FILL: f32 = 2.0;

/// Smallest cosine of the tilt angle of a floor.
const MIN_FLOOR_COSINE: f32 = 0.5;

/// Number of bins that may always be used, even for few particles.
const MIN_BIN_LIMIT: i64 = 1 << 12;

/// Square bins, as wide as the interaction radius and aligned with gravity, that count the particles at the
/// beginning of a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    frame: Frame,
    /// For each chunk of particles, runs of consecutive particles in the same bin.
    chunk_runs: Vec<Vec<BinRun>>,
    /// Column by column, from the top down.
    bins: Vec<BinContent>,
    /// Speed along gravity above which liquid falls.
    speed_limit: f32,
    /// The beds of each bin; empty if all beds stand still and take no load.
    beds: Vec<Beds>,
    /// For each column, the number of rows from the top whose beds may move or take load.
    rows_above_movers: Vec<i64>,
}

/// The frame of the bins. If the box around all particles has far more bins than there are
/// particles, bins that are far apart share an entry. Then the liquid may seem deeper.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    origin: Vec2,
    down: Vec2,
    inverse_size: f32,
    low: I64Vec2,
    /// Number of columns and of rows.
    size: I64Vec2,
    /// Whether bins that are far apart share an entry.
    shares_entries: bool,
}

/// Particles in a bin.
#[derive(Clone, Copy, Debug, Default)]
struct BinContent {
    count: u32,
    /// Sum of their speeds along gravity.
    speed_sum: f32,
    /// Indices of the lowest and the highest particle, and their coordinates along gravity, in bins.
    lowest: u32,
    highest: u32,
    depth: f32,
    top: f32,
}

/// Consecutive particles in the same bin.
#[derive(Clone, Copy, Debug)]
struct BinRun {
    /// Column and row.
    cell: IVec2,
    content: BinContent,
}

/// The solid below a column of liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bed {
    /// Velocity of the solid's centre; 0 without a solid.
    pub velocity: Vec2,
    /// Index of the solid, if the solid is a collider.
    pub collider: Option<u32>,
    /// Coordinate along gravity, in bins, above which liquid does not belong to the solid; minus infinity
    /// without a solid.
    crest: f32,
}

/// The beds of the liquid in a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Beds {
    lower: Bed,
    /// The bed of the liquid above the floor, such as liquid in a cart above a puddle.
    upper: Bed,
    /// Coordinate of the floor along gravity, in bins; minus infinity if there is none.
    floor: f32,
    /// The bed of the liquid above the crest of the lower or upper bed.
    base: Bed,
}

impl Bed {
    fn new(velocity: Vec2, collider: Option<u32>) -> Self {
        Self { velocity, collider, crest: f32::NEG_INFINITY }
    }

    /// Whether it moves or takes load.
    fn is_active(self, solids: &Solids) -> bool {
        self.velocity != Vec2::ZERO || solids.measured_collider(self.collider).is_some()
    }
}

impl Default for Bed {
    fn default() -> Self {
        Self::new(Vec2::ZERO, None)
    }
}

/// Some columns of the frame, and the number of rows from its top.
#[derive(Clone, Debug)]
struct BinRange {
    columns: Range<i64>,
    rows: i64,
}

impl Frame {
    fn all_bins(&self) -> BinRange {
        BinRange { columns: 0..self.size.x, rows: self.size.y }
    }

    /// The bins in the columns that intersect a box, down to its lowest row; none if the box is below all bins. All bins
    /// if bins that are far apart share an entry.
    fn bins_above(&self, bounds: FluidBounds) -> BinRange {
        if self.shares_entries {
            return self.all_bins();
        }
        let FluidBounds { low, high } = bounds;
        let places =
            [low, high, Vec2::new(low.x, high.y), Vec2::new(high.x, low.y)].map(|corner| {
                let offset = (corner - self.origin) * self.inverse_size;
                let place = Vec2::new(offset.dot(self.down.perp()), offset.dot(self.down));
                place.floor().as_i64vec2().saturating_sub(self.low)
            });
        let first = places.into_iter().fold(I64Vec2::MAX, I64Vec2::min);
        let end = places.into_iter().fold(I64Vec2::MIN, I64Vec2::max).saturating_add(I64Vec2::ONE);
        let columns = first.x.clamp(0, self.size.x)..end.x.clamp(0, self.size.x);
        let is_below = first.y >= self.size.y;
        BinRange { columns, rows: if is_below { 0 } else { end.y.clamp(0, self.size.y) } }
    }

    /// Column and row of a point, and its coordinate along gravity; `None` if it is not finite.
    #[inline]
    fn cell_of(&self, point: Vec2) -> Option<(IVec2, f32)> {
        // Far from the origin, only differences of positions are precise.
        let offset = (point - self.origin) * self.inverse_size;
        let depth = offset.dot(self.down);
        let place = IVec2::new(floor(offset.dot(self.down.perp())), floor(depth));
        offset.is_finite().then_some((place, depth))
    }

    /// Index of a bin.
    #[inline]
    fn entry(&self, place: IVec2) -> usize {
        let mut place = place.as_i64vec2() - self.low;
        // The division takes longest, and only bins that share an entry need it.
        if place.x as u64 >= self.size.x as u64 || place.y as u64 >= self.size.y as u64 {
            place = place.rem_euclid(self.size);
        }
        (place.x * self.size.y + place.y) as usize
    }
}

impl Columns {
    /// Counts the particles of a liquid in bins, and finds the beds if any solid moves.
    pub(crate) fn rebuild(&mut self, liquid: &Liquid, executor: &dyn Executor) {
        self.beds.clear();
        self.bins.clear();
        if liquid.parameters.gravity == Vec2::ZERO || liquid.particles.position.is_empty() {
            return;
        }
        let Particles { position, velocity, .. } = &liquid.particles;
        self.count(position, velocity, &liquid.parameters, executor);
        if liquid.boundary.any_solid_moves() {
            self.find_beds(liquid);
        }
    }

    /// Whether any column stands on a solid that moves or takes loads.
    pub(crate) fn has_moving_beds(&self) -> bool {
        !self.beds.is_empty()
    }

    /// The bed of a particle that was at this point when the tick began.
    pub(crate) fn bed(&self, point: Vec2) -> Bed {
        let Some((cell, depth)) = self.frame.cell_of(point) else { return Bed::default() };
        let beds = &self.beds[self.frame.entry(cell)];
        let bed = if depth < beds.floor { beds.upper } else { beds.lower };
        if depth < bed.crest { beds.base } else { bed }
    }

    /// Depth of the liquid along gravity, in world units: the depth of its deepest column.
    pub(crate) fn depth(&self, parameters: &FluidParameters) -> f32 {
        self.depth_within(parameters, self.frame.all_bins())
    }

    /// As [`depth`](Self::depth), of the liquid beside solids that yield to it, and above their lowest points.
    fn depth_beside_yielding(&self, Liquid { parameters, boundary, .. }: &Liquid) -> f32 {
        let reach = parameters.interaction_radius();
        let bins = |solid: &FluidBounds| self.frame.bins_above(solid.inflated(reach));
        let depths =
            boundary.yielding_boxes().map(|solid| self.depth_within(parameters, bins(solid)));
        depths.fold(0.0, f32::max)
    }

    /// Depth of the liquid in some of the bins. A column ends at an empty bin, or where liquid falls faster than the
    /// average by more than a free fall over one bin gives. Falling liquid exerts no pressure.
    fn depth_within(&self, parameters: &FluidParameters, bins: BinRange) -> f32 {
        if self.bins.is_empty() {
            return 0.0;
        }
        let (columns, rows) = (self.frame.size.x as usize, self.frame.size.y as usize);
        let max_count = max_bin_count(parameters);
        let count = |column: usize, row: usize| {
            let BinContent { count, speed_sum, .. } = self.bins[column % columns * rows + row];
            if speed_sum > self.speed_limit * count as f32 { 0 } else { count.min(max_count) }
        };
        let (mut in_one, mut in_two) = (0, 0);
        for column in bins.columns.start as usize..bins.columns.end as usize {
            let (mut one, mut two) = (0, 0);
            for row in 0..bins.rows as usize {
                let (current, next) = (count(column, row), count(column + 1, row));
                one = if current > 0 { one + current } else { 0 };
                two = if current + next > 0 { two + current + next } else { 0 };
                (in_one, in_two) = (in_one.max(one), in_two.max(two));
            }
        }
        depth_of_counts([in_one, in_two], parameters)
    }

    /// Counts particles with these positions and velocities in the bins.
    fn count(
        &mut self,
        positions: &[Vec2],
        velocities: &[Vec2],
        parameters: &FluidParameters,
        executor: &dyn Executor,
    ) {
        let Self { frame, chunk_runs, bins, speed_limit, .. } = self;
        frame.origin = positions[0];
        frame.down = parameters.gravity.normalize();
        frame.inverse_size = 1.0 / parameters.interaction_radius();
        chunk_runs.resize_with(positions.len().div_ceil(LONG_CHUNK), Vec::new);
        executor.for_each_chunk(&mut chunk_runs[..], 1, |index, runs| {
            let runs = &mut runs[0];
            runs.clear();
            let range = index * LONG_CHUNK..positions.len().min((index + 1) * LONG_CHUNK);
            for particle in range {
                let Some((cell, depth)) = frame.cell_of(positions[particle]) else { continue };
                let speed = velocities[particle].dot(frame.down);
                let index = particle as u32;
                let content = BinContent {
                    count: 1,
                    speed_sum: speed,
                    lowest: index,
                    highest: index,
                    depth,
                    top: depth,
                };
                match runs.last_mut().filter(|last| last.cell == cell) {
                    Some(last) => last.content = last.content.merge(content),
                    None => runs.push(BinRun { cell, content }),
                }
            }
        });
        let all = || chunk_runs.iter().flatten();
        frame.low = all().fold(IVec2::MAX, |low, bin| low.min(bin.cell)).as_i64vec2();
        let high = all().fold(IVec2::MIN, |high, bin| high.max(bin.cell)).as_i64vec2();
        frame.size = (high - frame.low + 1).max(I64Vec2::ONE);
        let mut size = frame.size;
        let max_bins = (positions.len() as i64).max(MIN_BIN_LIMIT);
        while size.x.saturating_mul(size.y) > max_bins {
            let longer = if size.x > size.y { &mut size.x } else { &mut size.y };
            *longer = (*longer + 1) / 2;
        }
        frame.shares_entries = size != frame.size;
        frame.size = size;
        bins.resize((size.x * size.y) as usize, BinContent::default());
        for BinRun { cell, content } in all() {
            let bin = &mut bins[frame.entry(*cell)];
            *bin = bin.merge(*content);
        }
        let all = bins.iter().fold(BinContent::default(), |all, bin| all.merge(*bin));
        let mean_speed = all.speed_sum / all.count.max(1) as f32;
        let fall = 2.0 * parameters.gravity.length() * parameters.interaction_radius();
        *speed_limit = mean_speed + fall.sqrt();
    }

    /// Finds the beds of each column, from the bottom up. Liquid above a solid in the column belongs to that
    /// solid. Liquid without a solid below it belongs to the container that it is in.
    ///
    /// A solid that takes load is the bed up to its own size above its centre. The damping of a deep column would turn a
    /// small body below it back and forth.
    fn find_beds(&mut self, liquid: &Liquid) {
        self.find_rows_above_movers(liquid);
        let Self { frame, bins, beds, rows_above_movers, .. } = self;
        let Liquid { parameters, particles, boundary, .. } = liquid;
        let reach = parameters.interaction_radius();
        let with_crest = |bed: Bed| {
            let Some((_, collider)) = boundary.measured_collider(bed.collider) else { return bed };
            let centre = (collider.centre() - frame.origin).dot(frame.down);
            Bed { crest: (centre - collider.bounding_radius()) * frame.inverse_size, ..bed }
        };
        // Liquid on a floor is up to a spacing above it, perhaps in the next bin.
        let spacing_in_bins = parameters.particle_spacing / reach;
        let rows = frame.size.y as usize;
        beds.resize(bins.len(), Beds::default());
        let columns = bins.chunks(rows).zip(beds.chunks_mut(rows));
        for ((bins, beds), end) in columns.zip(&*rows_above_movers) {
            let end = *end as usize;
            let is_filled = bins.get(end).is_some_and(|bin| bin.count > 0);
            let mut below = is_filled.then(Beds::default);
            for (bin, beds) in bins.iter().zip(beds).take(end).rev() {
                if bin.count == 0 {
                    below = None;
                    continue;
                }
                let [(lowest, class), (start, upper_class)] =
                    [bin.lowest, bin.highest].map(|index| {
                        (particles.position[index as usize], particles.class[index as usize])
                    });
                let container = || container_bed(boundary, lowest);
                let (mut lower, mut base) = match below {
                    Some(below) => (below.upper, below.base),
                    None => (with_crest(bed_at(boundary, lowest, class, reach)), container()),
                };
                if bin.depth < lower.crest {
                    (lower, base) = (base, container());
                }
                let end = bin.depth.floor() + 1.0 + spacing_in_bins;
                let path = frame.down * ((end - bin.top) * reach);
                let floor = floor_below(boundary, start, path, upper_class)
                    .map(|(upper, fraction)| (with_crest(upper), fraction))
                    .filter(|(upper, _)| *upper != lower);
                *beds = match floor {
                    Some((upper, fraction)) => {
                        if lower.crest < upper.crest {
                            base = lower;
                        }
                        let floor = bin.top + (end - bin.top) * fraction;
                        Beds { lower, upper, floor, base }
                    }
                    None => Beds { lower, upper: lower, floor: f32::NEG_INFINITY, base },
                };
                below = Some(*beds);
            }
        }
        let is_active = |bed: Bed| bed.is_active(boundary);
        if !beds.iter().any(|beds| [beds.lower, beds.upper, beds.base].into_iter().any(is_active)) {
            beds.clear();
        }
    }

    /// Finds the rows of each column that a moving container holds, or that lie beside or above a collider that moves or
    /// takes load. The beds of all other liquid stand still and take no load.
    fn find_rows_above_movers(&mut self, Liquid { parameters, boundary, .. }: &Liquid) {
        let Self { frame, rows_above_movers, .. } = self;
        let reach = parameters.interaction_radius();
        let in_container = boundary.containers.iter().any(|it| it.motion.velocity != Vec2::ZERO);
        rows_above_movers.clear();
        let rows = if in_container { frame.size.y } else { 0 };
        rows_above_movers.resize(frame.size.x as usize, rows);
        for (index, collider) in boundary.colliders.iter().enumerate() {
            if Bed::new(collider.motion.velocity, Some(index as u32)).is_active(boundary) {
                let BinRange { columns, rows } =
                    frame.bins_above(boundary.boxes[index].inflated(reach));
                for column in columns {
                    let known = &mut rows_above_movers[column as usize];
                    *known = rows.max(*known);
                }
            }
        }
    }
}

/// Largest number of particles that a bin counts: further particles do not make the liquid deeper.
fn max_bin_count(parameters: &FluidParameters) -> u32 {
    let ratio = parameters.interaction_radius() / parameters.particle_spacing;
    (MAX_BIN_FILL * ratio * ratio) as u32
}

/// The depth, in world units, from the numbers of particles in one column and in two adjacent columns.
fn depth_of_counts([in_one, in_two]: [u32; 2], parameters: &FluidParameters) -> f32 {
    let deepest = (SINGLE_COLUMN_FACTOR * in_one as f32).max(0.5 * in_two as f32);
    deepest * parameters.particle_spacing * parameters.particle_spacing
        / parameters.interaction_radius()
}

/// The columns in which a device counts particles to measure the depth of its liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceColumns {
    /// A corner of a bin, in world units; a bin is a square part of a column. It is the position of the first particle
    /// on the CPU, if there is one.
    pub origin: Option<Vec2>,
    /// Unit vector along gravity. Bins are as wide as the interaction radius.
    pub down: Vec2,
    /// Largest number of particles that a bin counts: further particles do not make the liquid deeper.
    pub fullest: u32,
}

impl Liquid {
    /// The columns in which a device counts particles to measure the depth of its liquid; `None` without gravity.
    pub fn device_columns(&self) -> Option<DeviceColumns> {
        let down = self.parameters.gravity.try_normalize()?;
        let origin = self.particles.position.first().copied().filter(|origin| origin.is_finite());
        Some(DeviceColumns { origin, down, fullest: max_bin_count(&self.parameters) })
    }

    /// Depth of liquid on a device, in world units, which determines automatic substeps. `in_one`
    /// and `in_two` are the largest numbers of particles in one column and in two adjacent columns.
    pub fn depth_of_columns(&self, in_one: u32, in_two: u32) -> f32 {
        depth_of_counts([in_one, in_two], &self.parameters)
    }

    /// Depth, in world units, of particles with these positions, in world units, and velocities, in world
    /// units/s. This depth determines automatic substeps. `velocities` is at least as long as
    /// `positions`.
    ///
    /// ```
    /// use blob_fluid::FluidWorld;
    /// use glam::Vec2;
    /// let world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// // A hundred rows.
    /// let place = |index: u32| Vec2::new((index % 30) as f32, (index / 30) as f32) * spacing;
    /// let places: Vec<_> = (0..3000).map(place).collect();
    /// let depth = world.depth_of(&places, &vec![Vec2::ZERO; 3000]) / spacing;
    /// assert!((95.0..115.0).contains(&depth), "{depth}");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if there are fewer velocities than positions.
    pub fn depth_of(&self, positions: &[Vec2], velocities: &[Vec2]) -> f32 {
        assert!(positions.len() <= velocities.len(), "a velocity for each position");
        if self.parameters.gravity == Vec2::ZERO || positions.is_empty() {
            return 0.0;
        }
        let mut columns = Columns::default();
        columns.count(positions, velocities, &self.parameters, &SerialExecutor);
        columns.depth(&self.parameters)
    }
}

/// The container that a point is in.
fn container_bed(solids: &Solids, point: Vec2) -> Bed {
    container_of(&solids.containers, point)
        .map_or(Bed::default(), |container| Bed::new(container.motion.velocity, None))
}

/// The nearest solid within `reach` of a point; otherwise the container that the point is in.
fn bed_at(solids: &Solids, point: Vec2, class: ClassId, reach: f32) -> Bed {
    let mut nearest = f32::INFINITY;
    let mut bed = container_bed(solids, point);
    if let Some(container) = container_of(&solids.containers, point) {
        container.for_each_wall_near(point, reach, |wall| nearest = nearest.min(wall.distance));
    }
    let bounds = FluidBounds { low: point, high: point };
    let candidates = solids.find_candidates(bounds, reach).unwrap_or(WallCandidates::NONE);
    for (index, collider) in solids.blocking_colliders(&candidates, class) {
        let wall = collider.query_wall(point, reach, solids.jump_depth).wall();
        if let Some(wall) = wall.filter(|wall| wall.distance < nearest) {
            nearest = wall.distance;
            bed = Bed::new(collider.motion.velocity, Some(index as u32));
        }
    }
    bed
}

/// The first solid that a downward path hits, and the fraction of the path before it. Steep faces do not count.
fn floor_below(solids: &Solids, start: Vec2, path: Vec2, class: ClassId) -> Option<(Bed, f32)> {
    let end = start + path;
    let bounds = FluidBounds { low: start.min(end), high: start.max(end) };
    let candidates = solids.find_candidates(bounds, 0.0)?;
    let fraction = |pose: Pose, Entry { normal, point }: Entry| {
        let is_floor =
            -pose.to_world_direction(normal).dot(path) > MIN_FLOOR_COSINE * path.length();
        is_floor.then(|| (pose.to_world(point) - start).dot(path) / path.length_squared())
    };
    let container = container_of(&solids.containers, start).and_then(|container| {
        let exit =
            container.segment_exit(container.pose.to_local(start), container.pose.to_local(end))?;
        let bed = Bed::new(container.motion.velocity, None);
        Some((bed, fraction(container.pose, exit)?))
    });
    let floors = solids.blocking_colliders(&candidates, class).filter_map(|(index, collider)| {
        let pose = collider.pose;
        let entry = collider.segment_entry(pose.to_local(start), pose.to_local(end))?;
        let bed = Bed::new(collider.motion.velocity, Some(index as u32));
        Some((bed, fraction(pose, entry)?))
    });
    floors.chain(container).min_by(|(_, a), (_, b)| a.total_cmp(b))
}

impl BinContent {
    fn merge(self, other: Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { other } else { self };
        }
        let lower = if other.depth > self.depth { other } else { self };
        let upper = if other.top < self.top { other } else { self };
        Self {
            count: self.count + other.count,
            speed_sum: self.speed_sum + other.speed_sum,
            highest: upper.highest,
            top: upper.top,
            ..lower
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceMeasures;
    use crate::{
        Body, Collider, ColliderOptions, DensityClass, FluidShape, FluidWorld, ParticleSpawn,
        SerialExecutor,
    };

    const TICK: f32 = 1.0 / 60.0;
    const ROWS: u32 = 100;

    /// A column of a class with this gravity scale, beside another class without particles.
    fn column(scale: f32, other: f32) -> FluidWorld {
        let class = |name: &str, gravity_scale: f32| DensityClass {
            name: name.into(),
            gravity_scale,
            ..DensityClass::default()
        };
        let mut world = FluidWorld::default();
        let classes = ClassTable::new(vec![class("one", scale), class("other", other)]);
        world.set_classes(classes.expect("valid")).expect("no particles yet");
        for number in 0..10 * ROWS {
            let cell = Vec2::new((number % 10) as f32, (number / 10) as f32);
            let position = cell * world.parameters().particle_spacing;
            let spawn = ParticleSpawn { position, class: ClassId(0), ..Default::default() };
            world.spawn(spawn).expect("valid");
        }
        world
    }

    #[test]
    fn deep_liquid_belongs_to_its_vessel_and_not_to_a_small_body_below_it() {
        let mut world = column(1.0, 1.0);
        let spacing = world.parameters().particle_spacing;
        let shape = FluidShape::Circle { radius: 3.0 * spacing };
        let body = Body::of_density(2.0, &shape, spacing).expect("valid");
        let options = ColliderOptions { body: Some(body), ..Default::default() };
        let centre = Vec2::new(4.5, -3.5) * spacing;
        let disc =
            Collider::new(shape, centre, Vec2::X).and_then(|disc| disc.with_options(options));
        world.insert_collider(disc.expect("valid"));
        world.step(TICK, &SerialExecutor).expect("valid");
        let mut columns = Columns::default();
        columns.rebuild(world.liquid(), &SerialExecutor);
        let bed = |height: f32| columns.bed(centre + Vec2::Y * height * spacing).collider;
        assert_eq!([3.5, 4.1, 6.0, 50.0, 99.0].map(bed), [Some(0), Some(0), None, None, None]);
    }

    #[test]
    fn liquid_that_gravity_pulls_more_strongly_takes_more_substeps() {
        let substeps = |scale: f32, other: f32| {
            column(scale, other).step(TICK, &SerialExecutor).expect("valid").substeps
        };
        let plain = substeps(1.0, 1.0);
        // The number grows with the square root of the gravity scale.
        let strong = substeps(16.0, 1.0);
        assert!(strong > 2 * plain, "{strong} and {plain}");
        assert_eq!(substeps(-16.0, 1.0), strong);
        assert_eq!(substeps(0.1, 1.0), plain);
        assert_eq!(substeps(1.0, 1000.0), plain, "a class without particles");
        // A device reports how deep its liquid is, but not the classes in it.
        let mut liquid = column(1.0, 16.0).liquid().clone();
        let depth = Some(ROWS as f32 * liquid.parameters().particle_spacing);
        let measured = DeviceMeasures { depth, ..DeviceMeasures::default() };
        let tick = liquid.begin_device_tick(TICK, measured).expect("valid");
        assert_eq!(tick.substeps, strong);
    }
}
