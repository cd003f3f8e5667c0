//! Blobs: shapes that are filled with liquid once.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::liquid::population::CapacityPolicy;
use crate::liquid::state::Liquid;
use crate::particles::life::{FluidLifetime, ParticleTag};
use crate::particles::spawn::{ParticleSpawn, SpawnError};
use crate::settings::class::ClassId;
use crate::settings::declare::settings;
use crate::settings::range::{OutOfRange, default_in};
use crate::settings::visit::Settings;
use crate::sources::free_places::Place;

settings! {
    /// A shape that is filled with liquid once.
    ///
    /// By default it is clipped to what is free: the particles are inside a container, if there are
    /// containers, outside of the colliders that stop their class, and not on liquid that is already
    /// there. So a blob does not burst where it does not fit.
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
    #[derive(Clone, Debug, PartialEq)]
    pub struct Blob as "blob" {
        /// The region that is filled.
        pub region: FluidRegion,
        /// Class of all its particles.
        pub class: ClassId,
        /// Distance of the particles.
        ///
        /// Below the default the blob bursts apart.
        pub spacing: f32 [0.2 to 100] in "d" = 1.03,
        /// Velocity of all its particles.
        pub velocity: Vec2 [finite] in "world units/s" = 0,
        /// Temperature of all its particles.
        ///
        /// `None` (default) for that of their class.
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
        /// Paint of all its particles.
        ///
        /// Red, green and blue, linear. `None` (default) for that of their class.
        pub paint: Option<[f32; 3]> [0 to 1] = { None },
        /// Lifetime of all its particles; `None` (default) for particles that live for ever.
        pub lifetime: Option<FluidLifetime> = { None },
        /// The tag of the group that its particles belong to. Default none.
        pub tag: ParticleTag = { ParticleTag::NONE },
        /// Whether it is clipped to what is free. Default yes. An unclipped blob fills its whole region:
        /// liquid in walls or in other liquid bursts apart.
        pub clipped: bool = { true },
    }
}

/// What came of filling a [`Blob`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlobReport {
    /// Number of new particles.
    pub spawned: usize,
    /// Number of particles left out because they would have been outside of the containers, inside
    /// colliders, or too near to a wall. Of a region with more than a million places, those far
    /// outside of the containers are not counted.
    pub left_out_by_walls: usize,
    /// Number of particles left out because they would have been on liquid that was already there.
    pub left_out_by_liquid: usize,
    /// Whether the blob ended before its region was full: because of an `error`, or because 16
    /// million particles were left out.
    pub cut_short: bool,
    /// The error of the first particle that the liquid refused. There are no particles after it.
    pub error: Option<SpawnError>,
}

/// Largest number of places of a region that are all visited. Of a larger region only the part
/// around the containers is visited.
const ALL_VISITED: f64 = 1e6;

impl Blob {
    /// A blob at rest, with the density of liquid at rest.
    pub const fn new(region: FluidRegion, class: ClassId) -> Self {
        Self {
            region,
            class,
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
        self.lifetime.as_ref().map_or(Ok(()), FluidLifetime::validate)
    }

    /// Fills the region with particles. A blob that does not fit into a full liquid is cut short;
    /// it does not recycle its own particles.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate); nothing is filled then. An error of a single particle, such
    /// as an unknown class, is in the [report](BlobReport::error).
    pub fn fill(&self, liquid: &mut Liquid) -> Result<BlobReport, OutOfRange> {
        self.validate()?;
        let room = match liquid.capacity_policy() {
            CapacityPolicy::Refuse => liquid.capacity().saturating_sub(liquid.particles().len()),
            CapacityPolicy::RecycleOldest => liquid.capacity(),
        };
        let mut report = BlobReport::default();
        if let Err(error) = liquid.temperature_of_new(self.class) {
            return Ok(BlobReport { cut_short: true, error: Some(error), ..report });
        }
        if self.clipped {
            let found = liquid.free_places(self.places(liquid), self.spacing_in(liquid), room);
            report.left_out_by_walls = found.left_out_by_walls;
            report.left_out_by_liquid = found.left_out_by_liquid;
            report.cut_short = found.cut_short;
            self.spawn_at(liquid, found.free.into_iter(), room, &mut report);
        } else {
            self.spawn_at(liquid, self.places(liquid), room, &mut report);
        }
        Ok(report)
    }

    /// Distance of its particles, in world units.
    fn spacing_in(&self, liquid: &Liquid) -> f32 {
        self.spacing * liquid.parameters().particle_spacing
    }

    /// All places in the region, or only those in a box around the free part of a huge region.
    fn places(&self, liquid: &Liquid) -> impl Iterator<Item = Place> + use<> {
        let Self { region, class, .. } = self.clone();
        let spacing = self.spacing_in(liquid);
        let size = region.shape().bounds().half_size().as_dvec2() / f64::from(spacing);
        let held = liquid.boundary.bounds_of_liquid(class);
        // A box without ends cannot be turned.
        let has_ends = held.low.is_finite() && held.high.is_finite();
        let within = if self.clipped && has_ends && 4.0 * size.x * size.y > ALL_VISITED {
            region.to_local_bounds(held)
        } else {
            FluidBounds::ALL
        };
        let offsets = region.shape().fill_within(spacing, within);
        offsets.enumerate().map(move |(number, offset)| Place {
            position: region.to_world(offset),
            class,
            number,
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
