//! Blobs: shapes that are filled with liquid once.

use std::collections::HashSet;

use glam::Vec2;

use crate::parallel::instructions::floor;
use crate::settings::declare::settings;
use crate::settings::range::{Check, Settings, default_in};
use crate::solver::kernel::weight;
use crate::{
    CapacityPolicy, ClassId, FluidBounds, FluidLifetime, FluidRegion, FluidShape, Liquid,
    OutOfRange, ParticleSpawn, ParticleTag, Pose, SpawnError,
};

settings! {
    /// A shape that is filled with liquid once.
    ///
    /// By default, it is clipped to the free space. All particles are outside of the colliders that stop
    /// their class, and not on existing liquid. If there are containers, all particles are inside of one.
    /// So a blob does not burst where it does not fit.
    ///
    /// ```
    /// use blob_fluid::{Blob, ClassId, Collider, Container, FluidWorld, FluidRegion};
    /// use glam::Vec2;
    ///
    /// let mut world = FluidWorld::default();
    /// world.insert_container(Container::rectangle(Vec2::ZERO, Vec2::new(200.0, 100.0))?);
    /// world.insert_collider(Collider::circle(Vec2::ZERO, 40.0)?);
    /// // Water up to the middle: the region is larger than the container, and a stone is in the way.
    /// let lower_half = FluidRegion::rectangle(Vec2::new(0.0, -150.0), Vec2::new(400.0, 150.0))?;
    /// let report = Blob::new(lower_half, ClassId::MEDIUM).fill(world.liquid_mut())?;
    /// assert_eq!(report.spawned, world.particles().len());
    /// assert!(report.left_out_by_walls > 0 && report.left_out_by_liquid == 0);
    /// let on_water = FluidRegion::circle(Vec2::new(100.0, -10.0), 50.0)?;
    /// assert!(Blob::new(on_water, ClassId::LIGHT).fill(world.liquid_mut())?.left_out_by_liquid > 0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    ///
    /// A blob with a [`seed`](Self::seed) fills a vessel, which may be open at the top and made of lines:
    ///
    /// ```
    /// use blob_fluid::shape::Polyline;
    /// use blob_fluid::{Blob, ClassId, Collider, FluidRegion, FluidShape, FluidWorld};
    /// use glam::Vec2;
    ///
    /// let mut world = FluidWorld::default();
    /// let cup = [(-60.0, 80.0), (-50.0, 0.0), (50.0, 0.0), (60.0, 80.0)].map(Vec2::from);
    /// let cup = FluidShape::Polyline(Polyline::new(cup, 0.0)?);
    /// world.insert_collider(Collider::new(cup, Vec2::ZERO, Vec2::X)?);
    /// let below = |level| {
    ///     FluidRegion::new(FluidShape::HalfPlane { normal: Vec2::Y }, Vec2::new(0.0, level), Vec2::X)
    /// };
    /// let fill = Blob { seed: Some(Vec2::new(0.0, 10.0)), ..Blob::new(below(60.0)?, ClassId::MEDIUM) };
    /// let report = fill.fill(world.liquid_mut())?;
    /// assert!(report.spawned > 0 && !report.open);
    /// assert!(world.particles().positions().iter().all(|at| at.y > 0.0 && at.x.abs() < 60.0));
    /// // Above its rim the cup is open.
    /// let brimful = Blob { region: below(100.0)?, ..fill };
    /// assert!(brimful.fill(world.liquid_mut())?.open);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    pub struct Blob as "blob" {
        /// The region that is filled. A blob with a seed may have a half plane as its region.
        pub region: FluidRegion,
        /// A point in a vessel. The blob fills only the part of the region that liquid can reach from this point
        /// without passing a wall. So a clipped half plane fills an open vessel up to a level: once the liquid rests,
        /// its surface is within half a particle spacing of this level. At first some particles are above the level,
        /// because new liquid is less dense and keeps away from walls. A vessel whose rim is at the level gets less
        /// liquid.
        ///
        /// `None` (default) fills the whole region.
        pub seed: Option<Vec2> [finite] in "world units" = { None },
        /// Class of all its particles, if there is no mix.
        pub class: ClassId,
        /// Shares of classes.
        ///
        /// Particles of all classes are spread evenly over the region. Leave the list empty for one
        /// class.
        pub mix: Vec<(ClassId, f32)> [at least 0] = { Vec::new() },
        /// Distance of the particles.
        ///
        /// Below the default, the blob bursts apart.
        pub spacing: f32 [0.2 to 100] in "d" = 1.03,
        /// Velocity of all its particles.
        pub velocity: Vec2 [finite] in "world units/s" = 0,
        /// Temperature of all its particles.
        ///
        /// `None` (default) for the temperature of their class.
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
        /// Paint of all its particles.
        ///
        /// Red, green and blue, linear. `None` (default) for the paint of their class.
        pub paint: Option<[f32; 3]> [0 to 1] = { None },
        /// Lifetime of all its particles; `None` (default) for particles that live for ever.
        pub lifetime: Option<FluidLifetime> = { None },
        /// The tag of the group that its particles belong to. Default: no tag.
        pub tag: ParticleTag = { ParticleTag::NONE },
        /// Whether the blob is clipped to the free space. Default yes. An unclipped blob fills its whole region: liquid
        /// in walls or in other liquid bursts apart.
        pub clipped: bool = { true },
    }
}

/// Result of filling a [`Blob`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlobReport {
    /// Number of new particles.
    pub spawned: usize,
    /// Number of particles left out because their places are outside of the containers, inside
    /// colliders, or too near to a wall. In a region with more than a million places, places far
    /// outside of the containers are not counted.
    pub left_out_by_walls: usize,
    /// Number of particles left out because their places are on other liquid.
    pub left_out_by_liquid: usize,
    /// Whether liquid from the [seed](Blob::seed) would leave the box around all walls, in a region that is infinite.
    /// The vessel is then open below the level, and no particles are added.
    pub open: bool,
    /// Whether the blob ended before its region was full: because of an `error`, or because 16
    /// million particles were left out.
    pub cut_short: bool,
    /// The error of the first particle that the liquid refused. The blob ends there.
    pub error: Option<SpawnError>,
}

/// Largest number of places of a region that is visited completely. In a larger region, only the
/// part around the containers is visited.
const ALL_VISITED: f64 = 1e6;

impl Blob {
    /// A blob at rest, with the density of liquid at rest.
    pub const fn new(region: FluidRegion, class: ClassId) -> Self {
        Self {
            region,
            seed: None,
            class,
            mix: Vec::new(),
            spacing: default_in(Self::ROWS, "spacing"),
            velocity: Vec2::ZERO,
            temperature: None,
            paint: None,
            lifetime: None,
            tag: ParticleTag::NONE,
            clipped: true,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()?;
        let any = self.mix.is_empty() || self.mix.iter().any(|(_, share)| *share > 0.0);
        Check("blob").that(any, "mix", 0.0, "above 0 for some class")?;
        self.lifetime.as_ref().map_or(Ok(()), FluidLifetime::validate)
    }

    /// Fills the region with particles. A blob that exceeds the liquid's capacity is cut short; it
    /// does not recycle its own particles.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`validate`](Self::validate); nothing is filled then. An error of a single particle, such
    /// as an unknown class, is in the [report](BlobReport::error).
    pub fn fill(&self, liquid: &mut Liquid) -> Result<BlobReport, OutOfRange> {
        self.validate()?;
        let room = match liquid.capacity_policy() {
            CapacityPolicy::Refuse => liquid.capacity().saturating_sub(liquid.particles().len()),
            CapacityPolicy::RecycleOldest => liquid.capacity(),
        };
        let mut report = BlobReport::default();
        for class in self.classes() {
            if let Err(error) = liquid.temperature_of_new(class) {
                return Ok(BlobReport { cut_short: true, error: Some(error), ..report });
            }
        }
        let flooded = self.seed.map(|seed| self.flood(seed, liquid, room, |_, _| false));
        let reach = match flooded.transpose() {
            Ok(reach) => reach,
            Err(Unbounded::Open) => return Ok(BlobReport { open: true, ..report }),
            Err(Unbounded::Full) => {
                let error = Some(SpawnError::Full { capacity: liquid.capacity() });
                return Ok(BlobReport { cut_short: true, error, ..report });
            }
        };
        let level = reach.as_ref().and_then(|reach| self.at_rest(reach, liquid, room));
        if let Some(AtRest { raised, reach, up, count }) = level {
            let places = raised.places(liquid, Some(reach));
            let mut found = liquid.free_places(places, self.spacing_in(liquid), room);
            let height = |place: &Place| up.dot(place.position);
            found.free.sort_by(|one, other| height(one).total_cmp(&height(other)));
            found.free.truncate(count);
            report.left_out_by_walls = found.left_out_by_walls;
            report.left_out_by_liquid = found.left_out_by_liquid;
            report.cut_short = found.cut_short;
            self.spawn_at(liquid, found.free.into_iter(), room, &mut report);
            return Ok(report);
        }
        let places = self.places(liquid, reach);
        if self.clipped {
            let found = liquid.free_places(places, self.spacing_in(liquid), room);
            report.left_out_by_walls = found.left_out_by_walls;
            report.left_out_by_liquid = found.left_out_by_liquid;
            report.cut_short = found.cut_short;
            self.spawn_at(liquid, found.free.into_iter(), room, &mut report);
        } else {
            self.spawn_at(liquid, places, room, &mut report);
        }
        Ok(report)
    }

    /// Distance of its particles, in world units.
    fn spacing_in(&self, liquid: &Liquid) -> f32 {
        self.spacing * liquid.parameters().particle_spacing
    }

    /// The classes of its particles.
    fn classes(&self) -> impl Iterator<Item = ClassId> {
        let mixed = self.mix.iter().filter(|(_, share)| *share > 0.0).map(|(class, _)| *class);
        mixed.chain(self.mix.is_empty().then_some(self.class))
    }

    /// Finds the cells that can be reached from the seed, for at most about `room` particles. The flood is open if it
    /// reaches a corner where liquid `spills`.
    fn flood(
        &self,
        seed: Vec2,
        liquid: &Liquid,
        room: usize,
        spills: impl Fn((i32, i32), Vec2) -> bool,
    ) -> Result<Reach, Unbounded> {
        let ends = self.region.shape().bounds().half_size().is_finite();
        let walls = if ends { FluidBounds::ALL } else { liquid.boundary.bounds_of_walls() };
        let is_free = |point: Vec2| self.is_free(point, liquid);
        let cell = CELL_OF_REACH * liquid.parameters.particle_spacing;
        let cells_across = self.spacing / CELL_OF_REACH;
        let per_particle = (cells_across * cells_across).ceil() as usize + 1;
        let is_outside = |corner, point| !walls.contains(point) || spills(corner, point);
        Reach::flood(seed, cell, is_outside, room.saturating_mul(per_particle), is_free)
    }

    /// Whether a point is in the region, and clear of walls.
    fn is_free(&self, point: Vec2, liquid: &Liquid) -> bool {
        let clearance = WALL_CLEARANCE * liquid.parameters.particle_spacing;
        let boundary = &liquid.boundary;
        let candidates = boundary.find_candidates(FluidBounds::at(point), clearance);
        let clear = |candidates| {
            self.classes().all(|class| boundary.is_clear(candidates, point, class, clearance))
        };
        self.region.contains(point) && candidates.as_ref().is_none_or(clear)
    }

    /// The content at rest of a vessel that is filled up to a level; `None` if the vessel ends at the level, or without
    /// a level.
    fn at_rest(&self, reach: &Reach, liquid: &Liquid, room: usize) -> Option<AtRest> {
        let FluidShape::HalfPlane { normal } = *self.region.shape() else { return None };
        let seed = self.seed.filter(|_| self.clipped)?;
        let spacing = liquid.parameters.particle_spacing;
        let up = self.region.rotation().rotate(normal);
        let (raised, higher) = (1..=MOST_RAISED).rev().find_map(|rows| {
            let Pose { translation, rotation } = self.region.pose();
            let centre = translation + f32::from(rows) * spacing * up;
            let region = FluidRegion::new(self.region.shape().clone(), centre, rotation).ok()?;
            let raised = Self { region, ..self.clone() };
            // Over the rim, liquid falls to places below the level that are outside of the vessel.
            let spills =
                |corner, point| self.region.contains(point) && !reach.corners.contains(&corner);
            let higher = raised.flood(seed, liquid, room, spills).ok()?;
            Some((raised, higher))
        })?;
        let per_area = |class: ClassId| {
            liquid.classes.get(class).map_or(1.0, |class| class.relative_rest_density)
                / (spacing * spacing)
        };
        let shares = self.mix.iter().map(|(class, share)| (per_area(*class), *share));
        let (sum, whole) = shares.fold((0.0, 0.0), |(sum, whole), (density, share)| {
            (sum + density * share, whole + share)
        });
        let density = if whole > 0.0 { sum / whole } else { per_area(self.class) };
        let mut there = Vec::new();
        liquid.positions_in(higher.bounds().inflated(spacing), &mut there);
        let there = there.iter().filter(|position| higher.contains(**position)).count();
        let all = (density * self.area_of(reach, liquid)).round() as usize;
        Some(AtRest { raised, reach: higher, up, count: all.saturating_sub(there) })
    }

    /// The area of the reached cells, up to the walls and the level.
    fn area_of(&self, reach: &Reach, liquid: &Liquid) -> f32 {
        let gap = WALL_CLEARANCE * liquid.parameters.particle_spacing;
        let cell = reach.cell;
        let mut width = 0.0;
        // In an order that is always the same.
        let mut corners: Vec<_> = reach.corners.iter().copied().collect();
        corners.sort_unstable();
        for (x, y) in corners {
            let here = reach.point((x, y));
            // The distance to the end of the free space, and whether it ends at a wall.
            let end = |next: (i32, i32)| {
                if reach.corners.contains(&next) {
                    return None;
                }
                let there = reach.point(next);
                let (mut free, mut taken) = (0.0, 1.0);
                for _ in 0..5 {
                    let middle = 0.5 * (free + taken);
                    let is_free = self.is_free(here.lerp(there, middle), liquid);
                    if is_free { free = middle } else { taken = middle }
                }
                let at_wall = self.region.contains(here.lerp(there, taken));
                Some(((0.5 * (free + taken) - 0.5) * cell, if at_wall { gap } else { 0.0 }))
            };
            let [right, left] = [(x + 1, y), (x - 1, y)].map(end);
            let [above, below] = [(x, y + 1), (x, y - 1)].map(end);
            let gaps = |one: Option<(f32, f32)>, other: Option<(f32, f32)>| {
                let ends = one.into_iter().chain(other);
                ends.fold((0.0, 0.0), |sum, end| (sum.0 + end.0, sum.1 + end.1))
            };
            let (across, upwards) = (gaps(right, left), gaps(above, below));
            // Along a slope both count.
            let both = if across.1 > 0.0 && upwards.1 > 0.0 { 0.7 } else { 1.0 };
            width += cell + across.0 + upwards.0 + both * (across.1 + upwards.1);
        }
        width * cell
    }

    /// The places in the region: all places, those in a box around the free part of a huge region, or those
    /// that the flood reached.
    fn places(&self, liquid: &Liquid, reach: Option<Reach>) -> impl Iterator<Item = Place> + use<> {
        let Self { region: whole, class, mix, .. } = self.clone();
        let spacing = self.spacing_in(liquid);
        let clearance = WALL_CLEARANCE * liquid.parameters.particle_spacing;
        let around = reach.as_ref().and_then(|reach| {
            let bounds = reach.bounds().inflated(clearance);
            FluidRegion::rectangle(bounds.centre(), bounds.half_size()).ok()
        });
        let region = around.unwrap_or_else(|| whole.clone());
        let size = region.shape().bounds().half_size().as_dvec2() / f64::from(spacing);
        let held = liquid.boundary.bounds_of_liquid(class);
        // An infinite box cannot be rotated.
        let has_ends = held.low.is_finite() && held.high.is_finite();
        let within = if self.clipped && has_ends && 4.0 * size.x * size.y > ALL_VISITED {
            region.to_local_bounds(held)
        } else {
            FluidBounds::ALL
        };
        let offsets = region.shape().fill_within(spacing, within);
        offsets.enumerate().filter_map(move |(number, offset)| {
            let position = region.to_world(offset);
            let is_reached = |reach: &Reach| whole.contains(position) && reach.contains(position);
            let class = dealt(&mix, number).unwrap_or(class);
            reach.as_ref().is_none_or(is_reached).then_some(Place { position, class, number })
        })
    }

    /// Spawns at most `room` particles.
    fn spawn_at(
        &self,
        liquid: &mut Liquid,
        places: impl Iterator<Item = Place>,
        room: usize,
        report: &mut BlobReport,
    ) {
        for Place { position, class, .. } in places {
            let spawn = ParticleSpawn {
                position,
                velocity: self.velocity,
                class,
                temperature: self.temperature,
                paint: self.paint,
                lifetime: self.lifetime,
                tag: self.tag,
            };
            let spawned = if report.spawned == room {
                Err(SpawnError::Full { capacity: liquid.capacity() })
            } else {
                liquid.spawn(spawn)
            };
            if let Err(error) = spawned {
                (report.error, report.cut_short) = (Some(error), true);
                return;
            }
            report.spawned += 1;
        }
    }
}

/// Class of a particle of a mix by its number; `None` without a mix. Multiples of the golden ratio spread every class
/// evenly, without lines of one class.
fn dealt(mix: &[(ClassId, f32)], number: usize) -> Option<ClassId> {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
    let whole: f64 = mix.iter().map(|(_, share)| f64::from(*share)).sum();
    let turns = number as f64 * GOLDEN_RATIO;
    let mut left = whole * (turns - turns.trunc());
    let dealt = mix.iter().find(|(_, share)| {
        left -= f64::from(*share);
        left < 0.0
    });
    dealt.or(mix.iter().rfind(|(_, share)| *share > 0.0)).map(|(class, _)| *class)
}

// The cells that can be reached from a point without passing a wall.

/// Distance of neighbouring visited points, in particle spacings. Two points on the two sides of a line, both
/// clear of it, are farther apart than the diagonal of a cell. So the flood does not pass through a line.
const CELL_OF_REACH: f32 = 0.5;
const _: () = assert!(2.0 * WALL_CLEARANCE > 1.4143 * CELL_OF_REACH);

/// Height above the level up to which places are filled, in particle spacings, because new liquid rests lower. It is
/// less if the vessel ends there.
const MOST_RAISED: u8 = 4;

/// The content at rest of a vessel that is filled up to a level.
struct AtRest {
    /// The blob up to a higher level, of which the lowest places are taken.
    raised: Blob,
    reach: Reach,
    up: Vec2,
    /// Number of particles that are missing.
    count: usize,
}

/// Why a flood is stopped.
enum Unbounded {
    /// It left the box around all walls, or spilled over the rim of the vessel.
    Open,
    /// It is larger than the remaining capacity.
    Full,
}

/// Cells that are reached.
struct Reach {
    origin: Vec2,
    cell: f32,
    corners: HashSet<(i32, i32)>,
}

impl Reach {
    /// Visits the free points that are connected to `seed`: about `most` points at most, and none outside.
    fn flood(
        seed: Vec2,
        cell: f32,
        is_outside: impl Fn((i32, i32), Vec2) -> bool,
        most: usize,
        is_free: impl Fn(Vec2) -> bool,
    ) -> Result<Self, Unbounded> {
        let mut reach = Self { origin: seed, cell, corners: HashSet::new() };
        // If the seed is too near to a wall, the flood starts at the nearest free point beside it.
        let beside = (-2..=2).flat_map(|x| (-2..=2).map(move |y| (x, y)));
        let mut starts: Vec<(i32, i32)> = beside.collect();
        starts.sort_by_key(|(x, y)| x * x + y * y);
        let start = starts.into_iter().find(|corner| is_free(reach.point(*corner)));
        let mut front: Vec<(i32, i32)> = start.into_iter().collect();
        reach.corners.extend(&front);
        while let Some((x, y)) = front.pop() {
            for next in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
                let point = reach.point(next);
                if reach.corners.contains(&next) || !is_free(point) {
                    continue;
                }
                if is_outside(next, point) {
                    return Err(Unbounded::Open);
                }
                if reach.corners.len() > most {
                    return Err(Unbounded::Full);
                }
                reach.corners.insert(next);
                front.push(next);
            }
        }
        Ok(reach)
    }

    fn point(&self, corner: (i32, i32)) -> Vec2 {
        self.origin + self.cell * Vec2::new(corner.0 as f32, corner.1 as f32)
    }

    /// A box around all points that are reached.
    fn bounds(&self) -> FluidBounds {
        let points = self.corners.iter().map(|corner| self.point(*corner));
        let boxes = points.map(FluidBounds::at);
        boxes.fold(FluidBounds::NONE, FluidBounds::union)
    }

    /// Whether a point that is clear of all walls is reached. It is if a corner of its cell is
    /// reached.
    fn contains(&self, point: Vec2) -> bool {
        let at = (point - self.origin) / self.cell;
        let (x, y) = (floor(at.x), floor(at.y));
        let corners = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
        corners.iter().any(|corner| self.corners.contains(corner))
    }
}

// Free places for new particles, clear of walls and of living particles.

// Measured: liquid that fills a tank up to half a spacing from its walls, at any density, jumps at
// four times the speed unit. With these three limits, new liquid without gravity moves at most at 1.4
// times the speed unit, because surface tension rounds its corners.

/// Least distance from a wall, in particle spacings: that of the outermost layer of liquid at rest.
pub(super) const WALL_CLEARANCE: f32 = 0.45;

/// Least distance from a living particle, in particle spacings.
const LIQUID_CLEARANCE: f32 = 0.8;

/// Largest density at a place next to walls or living particles, relative to the density at rest.
/// Distances alone would allow two interlocking lattices, which are 25 % too dense.
const MOST_CROWDED: f32 = 1.0;

/// Density of walls and living particles, relative to the density at rest, below which a place
/// counts as far from both.
const ALONE: f32 = 0.05;

/// Number of places that are tested together.
const TOGETHER: usize = 64;

/// Largest number of places that are left out before the search ends, so that a huge shape over
/// walls has a bounded cost.
const MOST_LEFT_OUT: usize = 1 << 24;

/// A place for a new particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub position: Vec2,
    pub class: ClassId,
    /// Its number among all places, free or not.
    #[cfg_attr(not(feature = "scene"), allow(dead_code, reason = "scenes scatter by it"))]
    pub number: usize,
}

/// The free places among some, and how many others were left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreePlaces {
    pub free: Vec<Place>,
    pub left_out_by_walls: usize,
    pub left_out_by_liquid: usize,
    /// Whether the search ended before all places were tested.
    pub cut_short: bool,
    /// For each free place, the densities that walls and living particles add to it.
    crowding: Vec<(f32, f32)>,
}

impl Liquid {
    /// Finds the places that are inside a container, if there are any. They are clear of the walls
    /// that act on their class, and of all living particles. Places do not count against each
    /// other, except where walls or living particles make them crowded. All classes must be in the
    /// table. `spacing` is the distance of the places, in world units. The search ends when twice
    /// as many places as `room` are free.
    pub(crate) fn free_places(
        &self,
        places: impl Iterator<Item = Place>,
        spacing: f32,
        room: usize,
    ) -> FreePlaces {
        let mut found = FreePlaces::default();
        let mut places = places.peekable();
        let (mut together, mut around) = (Vec::with_capacity(TOGETHER), Vec::new());
        while places.peek().is_some() {
            let left_out = found.left_out_by_walls + found.left_out_by_liquid;
            if found.free.len() / 2 > room || left_out > MOST_LEFT_OUT {
                found.cut_short = true;
                break;
            }
            together.clear();
            together.extend(places.by_ref().take(TOGETHER));
            self.test_together(&together, &mut around, &mut found);
        }
        self.thin_out(&mut found, spacing);
        found
    }

    /// Tests neighbouring places. `around` is a buffer for the living particles near them.
    fn test_together(&self, places: &[Place], around: &mut Vec<Vec2>, found: &mut FreePlaces) {
        let unit = self.parameters.particle_spacing;
        let (clearance, least) = (WALL_CLEARANCE * unit, LIQUID_CLEARANCE * unit);
        let radius = self.parameters.interaction_radius();
        let grown =
            |bounds, place: &Place| FluidBounds::union(bounds, FluidBounds::at(place.position));
        let bounds = places.iter().fold(FluidBounds::NONE, grown);
        let candidates = self.boundary.find_candidates(bounds, radius);
        self.positions_in(bounds.inflated(radius), around);
        for place in places {
            let Place { position, class, .. } = *place;
            let clear = |candidates| self.boundary.is_clear(candidates, position, class, clearance);
            if !candidates.as_ref().is_none_or(clear) {
                found.left_out_by_walls += 1;
                continue;
            }
            let close = |other: &Vec2| other.distance_squared(position) < least * least;
            if around.iter().any(close) {
                found.left_out_by_liquid += 1;
                continue;
            }
            let squares = around.iter().map(|other| {
                let q = weight(other.distance(position), radius);
                q * q
            });
            let liquid = squares.sum();
            let walls = candidates
                .as_ref()
                .map_or(0.0, |candidates| self.wall_density_at(candidates, position, class));
            found.free.push(*place);
            found.crowding.push((walls, liquid));
        }
    }

    /// Removes places next to walls or living particles until none is too crowded.
    fn thin_out(&self, found: &mut FreePlaces, spacing: f32) {
        let crowding = std::mem::take(&mut found.crowding);
        let is_alone = |place: &Place, (walls, liquid): (f32, f32)| {
            walls + liquid <= ALONE * self.equilibrium_density(place.class)
        };
        if found.free.iter().zip(&crowding).all(|(place, crowding)| is_alone(place, *crowding)) {
            return;
        }
        let radius = self.parameters.interaction_radius();
        // The density of the places by themselves; a blob may be denser than liquid at rest.
        let ratio = radius / spacing;
        let lattice_density = std::f32::consts::FRAC_PI_6 * ratio * ratio - 1.0;
        let mut near = PointHash::default();
        near.clear(radius);
        found.free.iter().for_each(|place| near.add(place.position));
        let mut stays = vec![true; found.free.len()];
        for (index, (walls, liquid)) in crowding.into_iter().enumerate() {
            let Place { position, class, .. } = found.free[index];
            if is_alone(&found.free[index], (walls, liquid)) {
                continue;
            }
            let mut density = walls + liquid;
            near.for_each_around(position, |other, point| {
                if other != index && stays[other] {
                    let q = weight(point.distance(position), radius);
                    density += q * q;
                }
            });
            let most = MOST_CROWDED * self.equilibrium_density(class);
            if density > most.max(lattice_density) {
                stays[index] = false;
                let left_out = if walls > liquid {
                    &mut found.left_out_by_walls
                } else {
                    &mut found.left_out_by_liquid
                };
                *left_out += 1;
            }
        }
        let mut stays = stays.into_iter();
        found.free.retain(|_| stays.next() == Some(true));
    }

    /// Replaces the contents of `found` by the positions of all particles in a box.
    fn positions_in(&self, bounds: FluidBounds, found: &mut Vec<Vec2>) {
        found.clear();
        let positions = self.particles.positions();
        self.particles.index().visit(
            |run| run.intersects(bounds),
            |run| {
                found.extend(positions[run].iter().filter(|position| bounds.contains(**position)))
            },
        );
    }
}

// A hash table of points, which finds new particles that are near to each other.

/// Index that marks the end of a chain.
const NONE: u32 = u32::MAX;

/// A spatial hash of points.
#[derive(Clone, Debug, Default)]
pub(crate) struct PointHash {
    points: Vec<Vec2>,
    /// For each bucket, the last point in it.
    last: Vec<u32>,
    /// For each point, the previous point in its bucket.
    before: Vec<u32>,
    cell: f32,
}

impl PointHash {
    /// Removes all points, and sets the radius for the next calls of
    /// [`for_each_around`](Self::for_each_around) and [`is_free`](Self::is_free).
    pub(crate) fn clear(&mut self, radius: f32) {
        self.points.clear();
        self.before.clear();
        self.last.fill(NONE);
        self.cell = radius;
    }

    fn cell_of(&self, point: Vec2) -> (i32, i32) {
        (floor(point.x / self.cell), floor(point.y / self.cell))
    }

    fn bucket(&self, cell: (i32, i32)) -> usize {
        let (x, y) = cell;
        let hash = (x as u32).wrapping_mul(0x9e37_79b9) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
        (hash ^ (hash >> 15)) as usize & (self.last.len() - 1)
    }

    /// Adds a point.
    pub(crate) fn add(&mut self, point: Vec2) {
        if self.points.len() >= self.last.len() {
            let buckets = (2 * self.last.len()).max(64);
            self.last.clear();
            self.last.resize(buckets, NONE);
            self.before.clear();
            for index in 0..self.points.len() {
                self.link(index);
            }
        }
        self.points.push(point);
        self.link(self.points.len() - 1);
    }

    fn link(&mut self, index: usize) {
        let bucket = self.bucket(self.cell_of(self.points[index]));
        self.before.push(self.last[bucket]);
        self.last[bucket] = index as u32;
    }

    /// Whether no point lies within the radius of a position.
    pub(crate) fn is_free(&self, position: Vec2) -> bool {
        let squared = self.cell * self.cell;
        !self.any_around(position, |_, point| point.distance_squared(position) < squared)
    }

    /// Calls `visit` with the index, in the order of adding, and the position of all points within
    /// the radius of a position, and of some others.
    pub(super) fn for_each_around(&self, position: Vec2, mut visit: impl FnMut(usize, Vec2)) {
        self.any_around(position, |index, point| {
            visit(index, point);
            false
        });
    }

    /// As [`for_each_around`](Self::for_each_around), but ends when `visit` returns `true`, and
    /// returns whether it did.
    fn any_around(&self, position: Vec2, mut visit: impl FnMut(usize, Vec2) -> bool) -> bool {
        if self.points.is_empty() {
            return false;
        }
        let (x, y) = self.cell_of(position);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            let cell = (x.saturating_add(dx), y.saturating_add(dy));
            let mut next = self.last[self.bucket(cell)];
            while let Some(point) = self.points.get(next as usize) {
                if self.cell_of(*point) == cell && visit(next as usize, *point) {
                    return true;
                }
                next = self.before[next as usize];
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn it_finds_what_comparing_with_all_finds() {
        let mut taken = PointHash::default();
        for round in 0..2 {
            taken.clear(3.0);
            let mut points: Vec<Vec2> = Vec::new();
            for index in 0..2000 {
                let point = scatter(index + 5000 * round) * 80.0;
                let free = points.iter().all(|other| other.distance(point) >= 3.0);
                assert_eq!(taken.is_free(point), free);
                taken.add(point);
                points.push(point);
            }
        }
    }
}
