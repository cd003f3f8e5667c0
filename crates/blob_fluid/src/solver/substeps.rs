//! The number of substeps that a tick is divided into.

use glam::{I64Vec2, IVec2, Vec2};

use crate::boundary::container::container_of;
use crate::boundary::near::Near;
use crate::boundary::solids::Solids;
use crate::geometry::bounds::FluidBounds;
use crate::geometry::pose::Pose;
use crate::geometry::shape::Entry;
use crate::liquid::clock::ChosenSubsteps;
use crate::liquid::state::Liquid;
use crate::parallel::executor::{Executor, LONG_CHUNK, SerialExecutor};
use crate::parallel::lanes::floor;
use crate::particles::arrays::Particles;
use crate::settings::class::{ClassFilter, ClassId};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::{FluidParameters, Substeps};

/// Hysteresis of the number of substeps: the number decreases only if the required number falls
/// below a whole number by more than this.
const SUBSTEP_HYSTERESIS: f32 = 0.2;

/// The number of substeps that a solver requires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubstepDemand {
    /// `(c dt/h)^2`, where `c` is the speed at which pressure propagates in the liquid; infinite if
    /// pressures do not depend on the substep.
    pub stiffness: f32,
    /// The fraction of the resistance that is kept from substep to substep.
    pub kept: f32,
    /// The number that is required for other reasons than the depth.
    pub besides_depth: f32,
    /// The smallest number at which the liquid stays stable.
    pub least: u32,
    /// Substep length, in seconds, with sufficient resistance where the depth requires no more; 0
    /// if the resistance grows with the number of substeps.
    pub enough: f32,
}

impl SubstepDemand {
    /// The demand of a solver that is stable with any number and needs substeps only for the depth.
    pub(crate) fn of_depth(stiffness: f32) -> Self {
        Self { stiffness, kept: 0.0, besides_depth: 0.0, least: 1, enough: 0.0 }
    }
}

/// The number of substeps: `ceil((dt/h) sqrt(g D / (s compression)))`, or more if the solver
/// demands more, within the settings' bounds. `s` is the solver's stiffness. `g` is gravity times
/// the largest gravity scale of the classes that have particles, if that is above 1.
pub(crate) fn choose_substeps(
    liquid: &Liquid,
    demand: SubstepDemand,
    columns: &Columns,
    time_step: f32,
) -> ChosenSubsteps {
    choose_substeps_for(liquid, demand, time_step, || {
        let present = liquid.particles.present_classes();
        columns.depth(&liquid.parameters) * strongest_pull(&liquid.classes, present)
    })
}

/// As [`choose_substeps`]. `depth` returns the depth times the gravity scale, and is called only if needed.
pub(crate) fn choose_substeps_for(
    liquid: &Liquid,
    demand: SubstepDemand,
    time_step: f32,
    depth: impl FnOnce() -> f32,
) -> ChosenSubsteps {
    let SubstepDemand { stiffness, kept, besides_depth, least, enough } = demand;
    let (compression, max) = match liquid.parameters.substeps {
        Substeps::Fixed(wanted) => {
            return ChosenSubsteps { wanted, least, for_depth: 0.0, kept, enough: 0.0 };
        }
        Substeps::Automatic { compression, max } => (compression, max),
    };
    let head = liquid.parameters.gravity.length() * depth();
    let for_depth = time_step / liquid.parameters.interaction_radius()
        * (head / (stiffness * compression)).sqrt();
    let exact = for_depth.max(besides_depth);
    let needed = (exact.ceil() as u32).clamp(1, max);
    let relaxed = ((exact + SUBSTEP_HYSTERESIS).ceil() as u32).clamp(1, max);
    let before = liquid.clock.wanted_substeps;
    let wanted = if needed < before { relaxed.min(before) } else { needed };
    ChosenSubsteps { wanted, least, for_depth, kept, enough }
}

/// The largest magnitude of the gravity scales of the classes in a set, at least 1.
pub(crate) fn strongest_pull(classes: &ClassTable, set: ClassFilter) -> f32 {
    classes.members(set).map(|class| class.gravity_scale.abs()).fold(1.0, f32::max)
}

// Columns of liquid along gravity: their depths, and the solids below them.

/// Factor on the depth of a single column. Its number of particles varies more than that of two
/// neighbouring columns, whose mean counts in full.
const SINGLE_COLUMN: f32 = 0.9;

/// Largest count of a bin, relative to liquid at rest, so that particles at one point are not deep.
const FULLEST: f32 = 2.0;

/// Smallest cosine of the tilt angle of a floor.
const STEEPEST_FLOOR: f32 = 0.5;

/// Number of bins that may always be used, even for few particles.
const FEW_BINS: i64 = 1 << 12;

/// Square bins, as wide as the interaction radius and aligned with gravity, that count the particles at the
/// beginning of a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    frame: Frame,
    /// For each chunk of particles, runs of consecutive particles in the same bin.
    parts: Vec<Vec<Bin>>,
    /// Column by column, from the top down.
    bins: Vec<Content>,
    /// The beds of each bin; empty if all beds stand still and take no load.
    beds: Vec<Beds>,
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
}

/// Particles in a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Content {
    count: u32,
    /// Sum of their speeds along gravity.
    falling: f32,
    /// Indices of the lowest and the highest particle, and their coordinates along gravity, in bins.
    lowest: u32,
    highest: u32,
    depth: f32,
    top: f32,
}

/// Consecutive particles in the same bin.
#[derive(Clone, Copy, Debug)]
struct Bin {
    /// Column and row.
    place: IVec2,
    content: Content,
}

/// The solid below a column of liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bed {
    /// Velocity of its centre; 0 without a solid.
    pub velocity: Vec2,
    /// Its index, if it is a collider.
    pub collider: Option<u32>,
    /// Coordinate along gravity, in bins, above which liquid does not belong to it; minus infinity if there is none.
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
}

impl Default for Bed {
    fn default() -> Self {
        Self::new(Vec2::ZERO, None)
    }
}

impl Frame {
    /// Column and row of a point, and its coordinate along gravity; `None` if it is not finite.
    #[inline]
    fn place(&self, point: Vec2) -> Option<(IVec2, f32)> {
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
    pub(crate) fn find(&mut self, liquid: &Liquid, executor: &dyn Executor) {
        self.beds.clear();
        self.bins.clear();
        if liquid.parameters.gravity == Vec2::ZERO || liquid.particles.position.is_empty() {
            return;
        }
        let Particles { position, velocity, .. } = &liquid.particles;
        self.count(position, velocity, &liquid.parameters, executor);
        if liquid.boundary.any_moves() {
            self.find_beds(liquid);
        }
    }

    /// Whether any column stands on a solid that moves or takes loads.
    pub(crate) fn any_bed_moves(&self) -> bool {
        !self.beds.is_empty()
    }

    /// The bed of a particle that was at this point when the tick began.
    pub(crate) fn bed(&self, point: Vec2) -> Bed {
        let Some((place, depth)) = self.frame.place(point) else { return Bed::default() };
        let beds = &self.beds[self.frame.entry(place)];
        let bed = if depth < beds.floor { beds.upper } else { beds.lower };
        if depth < bed.crest { beds.base } else { bed }
    }

    /// Depth of the liquid along gravity, in world units: the depth of its deepest column. A column
    /// ends at an empty bin, or where liquid falls faster than the average by more than a free fall
    /// over one bin gives. Falling liquid exerts no pressure.
    pub(crate) fn depth(&self, parameters: &FluidParameters) -> f32 {
        if self.bins.is_empty() {
            return 0.0;
        }
        let radius = parameters.interaction_radius();
        let gravity = parameters.gravity.length();
        let (columns, rows) = (self.frame.size.x as usize, self.frame.size.y as usize);
        let all = self.bins.iter().fold(Content::default(), |all, bin| all.with(*bin));
        let fastest = all.falling / all.count.max(1) as f32 + (2.0 * gravity * radius).sqrt();
        let most = fullest(parameters);
        let count = |column: usize, row: usize| {
            let Content { count, falling, .. } = self.bins[column % columns * rows + row];
            if falling > fastest * count as f32 { 0 } else { count.min(most) }
        };
        let (mut in_one, mut in_two) = (0, 0);
        for column in 0..columns {
            let (mut one, mut two) = (0, 0);
            for row in 0..rows {
                let (own, next) = (count(column, row), count(column + 1, row));
                one = if own > 0 { one + own } else { 0 };
                two = if own + next > 0 { two + own + next } else { 0 };
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
        let Self { frame, parts, bins, .. } = self;
        frame.origin = positions[0];
        frame.down = parameters.gravity.normalize();
        frame.inverse_size = 1.0 / parameters.interaction_radius();
        parts.resize_with(positions.len().div_ceil(LONG_CHUNK), Vec::new);
        executor.for_each_chunk(&mut parts[..], 1, |index, part| {
            let part = &mut part[0];
            part.clear();
            let range = index * LONG_CHUNK..positions.len().min((index + 1) * LONG_CHUNK);
            for particle in range {
                let Some((place, depth)) = frame.place(positions[particle]) else { continue };
                let falling = velocities[particle].dot(frame.down);
                let index = particle as u32;
                let content =
                    Content { count: 1, falling, lowest: index, highest: index, depth, top: depth };
                match part.last_mut().filter(|last| last.place == place) {
                    Some(last) => last.content = last.content.with(content),
                    None => part.push(Bin { place, content }),
                }
            }
        });
        let all = || parts.iter().flatten();
        frame.low = all().fold(IVec2::MAX, |low, bin| low.min(bin.place)).as_i64vec2();
        let high = all().fold(IVec2::MIN, |high, bin| high.max(bin.place)).as_i64vec2();
        let mut size = (high - frame.low + 1).max(I64Vec2::ONE);
        let most = (positions.len() as i64).max(FEW_BINS);
        while size.x.saturating_mul(size.y) > most {
            let longer = if size.x > size.y { &mut size.x } else { &mut size.y };
            *longer = (*longer + 1) / 2;
        }
        frame.size = size;
        bins.resize((size.x * size.y) as usize, Content::default());
        for Bin { place, content } in all() {
            let bin = &mut bins[frame.entry(*place)];
            *bin = bin.with(*content);
        }
    }

    /// Finds the beds of each column, from the bottom up. Liquid above a solid in the column belongs to that
    /// solid. Liquid without a solid below it belongs to the container that it is in.
    ///
    /// A solid that takes load is the bed up to its own size above its centre. The damping of a deep column would turn a
    /// small body below it back and forth.
    fn find_beds(&mut self, liquid: &Liquid) {
        let Self { frame, bins, beds, .. } = self;
        let Liquid { parameters, particles, boundary, .. } = liquid;
        let reach = parameters.interaction_radius();
        let with_crest = |bed: Bed| {
            let Some((_, collider)) = boundary.load_bearing(bed.collider) else { return bed };
            let centre = (collider.centre() - frame.origin).dot(frame.down);
            Bed { crest: (centre - collider.farthest()) * frame.inverse_size, ..bed }
        };
        // Liquid on a floor is up to a spacing above it, perhaps in the next bin.
        let beyond = parameters.particle_spacing / reach;
        let rows = frame.size.y as usize;
        beds.resize(bins.len(), Beds::default());
        for (bins, beds) in bins.chunks(rows).zip(beds.chunks_mut(rows)) {
            let mut below: Option<Beds> = None;
            for (bin, beds) in bins.iter().zip(beds).rev() {
                if bin.count == 0 {
                    below = None;
                    continue;
                }
                let [(lowest, class), (start, upper_class)] =
                    [bin.lowest, bin.highest].map(|index| {
                        (particles.position[index as usize], particles.class[index as usize])
                    });
                let home = || container_bed(boundary, lowest);
                let (mut lower, mut base) = match below {
                    Some(below) => (below.upper, below.base),
                    None => (with_crest(bed_at(boundary, lowest, class, reach)), home()),
                };
                if bin.depth < lower.crest {
                    (lower, base) = (base, home());
                }
                let end = bin.depth.floor() + 1.0 + beyond;
                let way = frame.down * ((end - bin.top) * reach);
                let floor = floor_below(boundary, start, way, upper_class)
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
        let moves =
            |bed: Bed| bed.velocity != Vec2::ZERO || boundary.load_bearing(bed.collider).is_some();
        if !beds.iter().any(|beds| [beds.lower, beds.upper, beds.base].into_iter().any(moves)) {
            beds.clear();
        }
    }
}

/// Largest number of particles that count in a bin.
fn fullest(parameters: &FluidParameters) -> u32 {
    let ratio = parameters.interaction_radius() / parameters.particle_spacing;
    (FULLEST * ratio * ratio) as u32
}

/// The depth, in world units, from the numbers of particles in one column and in two adjacent columns.
fn depth_of_counts([in_one, in_two]: [u32; 2], parameters: &FluidParameters) -> f32 {
    let deepest = (SINGLE_COLUMN * in_one as f32).max(0.5 * in_two as f32);
    deepest * parameters.particle_spacing * parameters.particle_spacing
        / parameters.interaction_radius()
}

/// The frame in which a device counts particles in columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceColumns {
    /// A corner of a bin, in world units: the position of the first particle on the CPU, if there is one.
    pub origin: Option<Vec2>,
    /// Unit vector along gravity. Bins are as wide as the interaction radius.
    pub down: Vec2,
    /// Largest number of particles that count in a bin.
    pub fullest: u32,
}

impl Liquid {
    /// The frame in which a device counts particles in columns; `None` without gravity.
    pub fn device_columns(&self) -> Option<DeviceColumns> {
        let down = self.parameters.gravity.try_normalize()?;
        let origin = self.particles.position.first().copied().filter(|origin| origin.is_finite());
        Some(DeviceColumns { origin, down, fullest: fullest(&self.parameters) })
    }

    /// Depth, in world units, that determines automatic substeps, of liquid on a device. `in_one`
    /// and `in_two` are the largest numbers of particles in one column and in two adjacent columns.
    pub fn depth_of_columns(&self, in_one: u32, in_two: u32) -> f32 {
        depth_of_counts([in_one, in_two], &self.parameters)
    }

    /// Depth, in world units, that determines automatic substeps, of particles with these positions, in world
    /// units, and velocities, in world units/s. `velocities` is at least as long as `positions`.
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
        .map_or(Bed::default(), |home| Bed::new(home.motion.velocity, None))
}

/// The nearest solid within `reach` of a point; otherwise the container that the point is in.
fn bed_at(solids: &Solids, point: Vec2, class: ClassId, reach: f32) -> Bed {
    let mut nearest = f32::INFINITY;
    let mut bed = container_bed(solids, point);
    if let Some(home) = container_of(&solids.containers, point) {
        home.near_walls(point, reach, |wall| nearest = nearest.min(wall.distance));
    }
    let here = FluidBounds { low: point, high: point };
    let near = solids.around(here, reach).unwrap_or(Near::NONE);
    for (index, collider) in solids.stopping(&near, class) {
        let wall = collider.wall_near(point, reach, solids.jump_depth).wall();
        if let Some(wall) = wall.filter(|wall| wall.distance < nearest) {
            nearest = wall.distance;
            bed = Bed::new(collider.motion.velocity, Some(index as u32));
        }
    }
    bed
}

/// The first solid that a downward path hits, and the fraction of the path before it. Steep faces do not count.
fn floor_below(solids: &Solids, start: Vec2, way: Vec2, class: ClassId) -> Option<(Bed, f32)> {
    let end = start + way;
    let bounds = FluidBounds { low: start.min(end), high: start.max(end) };
    let near = solids.around(bounds, 0.0)?;
    let fraction = |pose: Pose, Entry { normal, point }: Entry| {
        let rises = -pose.to_world_direction(normal).dot(way) > STEEPEST_FLOOR * way.length();
        rises.then(|| (pose.to_world(point) - start).dot(way) / way.length_squared())
    };
    let home = container_of(&solids.containers, start).and_then(|home| {
        let left = home.leaves(home.pose.to_local(start), home.pose.to_local(end))?;
        let bed = Bed::new(home.motion.velocity, None);
        Some((bed, fraction(home.pose, left)?))
    });
    let floors = solids.stopping(&near, class).filter_map(|(index, collider)| {
        let pose = collider.pose;
        let entry = collider.enters(pose.to_local(start), pose.to_local(end))?;
        let bed = Bed::new(collider.motion.velocity, Some(index as u32));
        Some((bed, fraction(pose, entry)?))
    });
    floors.chain(home).min_by(|(_, a), (_, b)| a.total_cmp(b))
}

impl Content {
    fn with(self, other: Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return if self.count == 0 { other } else { self };
        }
        let lower = if other.depth > self.depth { other } else { self };
        let upper = if other.top < self.top { other } else { self };
        Self {
            count: self.count + other.count,
            falling: self.falling + other.falling,
            highest: upper.highest,
            top: upper.top,
            ..lower
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::class::DensityClass;
    use crate::{
        Body, Collider, ColliderOptions, DeviceMeasures, FluidShape, FluidWorld, ParticleSpawn,
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
        columns.find(world.liquid(), &SerialExecutor);
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
