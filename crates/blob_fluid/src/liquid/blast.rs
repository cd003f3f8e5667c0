//! Blasts: gas that is created at once, and throws liquid and bodies within sight.
//!
//! 1. [`Liquid::blast_hits`] casts rays in all directions from the centre. Containers and colliders stop them.
//! 2. Each ray carries an equal part of the pulse's momentum. Particles take momentum from the rays that meet them.
//! 3. The wall or body at the end of a ray gets the rest. Without a wall the rest escapes with the gas.
//! 4. If liquid and bodies would get more energy than the blast has, all impulses shrink by one factor.

use std::f32::consts::PI;
use std::iter;

use glam::{DVec2, Vec2};

use crate::boundary::body::HostBody;
use crate::boundary::collider::ColliderId;
use crate::boundary::container::container_of;
use crate::boundary::solid::{Solid, SolidOptions};
use crate::boundary::solids::{BodyResponse, ChunkLoads, ColliderImpulse, Solids};
use crate::geometry::bounds::FluidBounds;
use crate::geometry::pose::Motion;
use crate::geometry::shape::FluidShape;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassFilter;
use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;

settings! {
    /// Gas that is created at once at a point. [`Liquid::apply_blast`] throws the liquid and the bodies that nothing
    /// hides from this point, and [`Liquid::blast_hits`] has the pressure on walls.
    ///
    /// Energies are in masses times square world units/s², where a particle of the medium class has mass 1.
    ///
    /// ```
    /// use blob_fluid::{Blast, Collider, FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in [-40.0, 40.0] {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
    /// }
    /// world.insert_collider(Collider::rectangle(Vec2::new(20.0, 0.0), Vec2::new(2.0, 30.0))?);
    /// let report = world.apply_blast(&Blast { energy: 1e6, radius: 100.0, ..Blast::default() })?;
    /// let [left, right] = *world.particles().velocities() else { panic!("two") };
    /// assert!(left.x < 0.0 && right == Vec2::ZERO);
    /// assert!(report.particles == 1 && report.energy < 1e6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    pub struct Blast: Default as "blast" with validate {
        /// Centre of the blast.
        pub position: Vec2 [within 1e12] in "world units" = 0,
        /// Energy of the gas, the most that liquid and bodies get together.
        pub energy: f32 [0 to 1e12] in "masses world units²/s²" = 1000000,
        /// Distance from the centre at which the pulse ends.
        pub radius: f32 [above 0 to 1000000] in "world units" = 100,
    }
}

/// The effect of a blast. Impulses are in masses times world units/s. The four impulses add up to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct BlastReport {
    /// Number of thrown particles.
    pub particles: usize,
    /// Number of bodies and host bodies that were pushed.
    pub bodies: usize,
    /// Kinetic energy that liquid and bodies gained, in masses times square world units/s²; at most the energy of the
    /// blast. It is negative if the blast stopped liquid that flew towards its centre.
    pub energy: f32,
    /// Impulse on the liquid.
    pub impulse_on_liquid: Vec2,
    /// Impulse on bodies and host bodies.
    pub impulse_on_bodies: Vec2,
    /// Impulse on containers and on colliders that are not bodies.
    pub impulse_on_walls: Vec2,
    /// Impulse of the gas that meets no wall within the radius.
    pub escaped: Vec2,
}

/// A point at which a blast meets a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlastHit {
    /// The collider; `None` for a container.
    pub collider: Option<ColliderId>,
    /// Position of the hit, in world units.
    pub point: Vec2,
    /// Unit vector from the centre of the blast to the hit.
    pub direction: Vec2,
    /// Distance from the centre of the blast, in world units.
    pub distance: f32,
    /// Pressure of the pulse, in masses/s²: the energy of the blast divided by the area `π r²` of the disc up to the
    /// hit. The radius `r` counts as at least one particle spacing.
    pub pressure: f32,
}

/// The walls that a blast meets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlastHits {
    /// The hits, counter-clockwise from the right: at most one for each ray.
    pub list: Vec<BlastHit>,
    /// Lasting pressure of gas that walls enclose, in masses/s²: the energy divided by the area that the rays cross. It
    /// is 0 if any ray meets no wall within the radius, because the gas then escapes.
    pub enclosed_pressure: f32,
}

/// Distance of two rays at the radius of a blast, in particle spacings.
const RAY_DISTANCE: f32 = 0.5;

/// Smallest and largest number of rays.
const RAYS: [usize; 2] = [128, 8192];

/// Largest speed that a blast gives, in interaction radii per substep, as for forces.
const MAX_SPEED_IN_RADII: f32 = 16.0;

/// Share of the energy that liquid and bodies may get. The rounding of velocities may add the rest.
const GIVEN_ENERGY: f64 = 1.0 - 1e-5;

impl Liquid {
    /// The walls that a blast meets, as its centre sees them: containers, colliders and bodies.
    ///
    /// Membranes, colliders that stop no class, and colliders around the centre let the blast pass. Two rays are half a
    /// particle spacing apart at the blast's radius. There are at most 8192 rays.
    ///
    /// ```
    /// use blob_fluid::{Blast, Container, FluidWorld};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// world.insert_container(Container::circle(Vec2::ZERO, 50.0)?);
    /// let hits = world.blast_hits(&Blast { energy: 1e6, radius: 80.0, ..Blast::default() })?;
    /// // In a disc the pressure of the pulse and the lasting pressure are equal.
    /// let pressure = 1e6 / (std::f32::consts::PI * 50.0 * 50.0);
    /// assert!((hits.list[0].pressure / pressure - 1.0).abs() < 1e-3);
    /// assert!((hits.enclosed_pressure / pressure - 1.0).abs() < 1e-3);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a field of the blast is outside its range.
    pub fn blast_hits(&self, blast: &Blast) -> Result<BlastHits, OutOfRange> {
        blast.validate()?;
        let spacing = self.parameters.particle_spacing;
        let rays = self.blast_rays(blast);
        let hit = |ray: &Ray| {
            let Wall { collider, point, distance } = ray.wall?;
            let collider = collider.map(|index| self.boundary.colliders.id_at(index));
            let counted = distance.max(spacing);
            let pressure = blast.energy / (PI * counted * counted);
            Some(BlastHit { collider, point, direction: ray.direction, distance, pressure })
        };
        let list: Vec<BlastHit> = rays.iter().filter_map(hit).collect();
        let square = |hit: &BlastHit| f64::from(hit.distance) * f64::from(hit.distance);
        let mean_square = list.iter().map(square).sum::<f64>() / rays.len() as f64;
        let area = PI * (mean_square as f32).max(spacing * spacing);
        let enclosed_pressure = if list.len() == rays.len() { blast.energy / area } else { 0.0 };
        Ok(BlastHits { list, enclosed_pressure })
    }

    /// Throws the liquid and the bodies that nothing hides from the centre of a blast. Call this method between ticks.
    ///
    /// A particle at the distance `r` gets the speed `(s/m) sqrt(2E(1 - r/R) / (πRr))`. `E` and `R` are the energy
    /// and the radius of the blast, `s` is the particle spacing, and `m` is the particle's mass. Liquid of mass 1
    /// that fills the disc gets exactly the energy `E`. The distance counts as at least `s/2`, and no particle gets more
    /// than 16 interaction radii per substep. The momentum of the pulse in all directions is `(π²/4)(R/s) sqrt(2E/π)`.
    /// The wall or the body at the end of each ray gets the part of it that particles did not take.
    /// Visibility is that of [`blast_hits`](Self::blast_hits), but the visibility of a particle does not depend on the
    /// rays.
    ///
    /// [Loads](Self::load_on) include the impulses on colliders until the next tick begins. [Air](crate::air) stays at
    /// rest.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a field of the blast is outside its range. Then nothing is changed.
    pub fn apply_blast(&mut self, blast: &Blast) -> Result<BlastReport, OutOfRange> {
        blast.validate()?;
        let max_speed =
            MAX_SPEED_IN_RADII * self.parameters.interaction_radius() / self.clock.substep;
        self.throw_from_pools(blast.position, blast.radius);
        let mut rays = self.blast_rays(blast);
        let mut gain = EnergyGain::default();
        let thrown = self.throw_particles(blast, max_speed, &mut rays, &mut gain);

        let mut loads = ChunkLoads::default();
        let (mut on_walls, mut escaped) = (DVec2::ZERO, DVec2::ZERO);
        for Ray { direction, wall, momentum } in rays {
            // Particles that are wider than a ray may take more than it has.
            match wall.filter(|_| momentum.dot(direction.as_dvec2()) > 0.0) {
                Some(Wall { collider: Some(index), point, .. }) => {
                    let collider = &self.boundary.colliders[index];
                    loads.add(index as u32, collider, point, -momentum.as_vec2());
                }
                Some(Wall { collider: None, .. }) => on_walls += momentum,
                None => escaped += momentum,
            }
        }
        let mut bodies: Vec<PushedBody> = Vec::new();
        let mut carriers = Vec::new();
        for load in loads.list() {
            let body = PushedBody::with_load(load, &self.boundary);
            let known = bodies.iter().position(|other| other.is_same_as(&body));
            match known {
                Some(place) => bodies[place].add(&body),
                None => bodies.push(body),
            }
            carriers.push(known.unwrap_or(bodies.len() - 1));
        }
        for body in &mut bodies {
            body.limit(max_speed);
            body.add_to(&mut gain);
        }

        let share = gain.share(GIVEN_ENERGY * f64::from(blast.energy));
        let (mut on_liquid, mut on_bodies) = (DVec2::ZERO, DVec2::ZERO);
        if !thrown.is_empty() {
            self.sleep.disturb_around(FluidBounds::at(blast.position).inflated(blast.radius));
            self.particles_mut_in_place();
        }
        for (index, change) in &thrown {
            self.particles.velocity[*index] += *change * share as f32;
            let mass = self.classes[self.particles.class[*index]].mass;
            on_liquid += change.as_dvec2() * f64::from(mass);
        }
        for (load, carrier) in loads.list().iter().zip(carriers) {
            let body = &bodies[carrier];
            let sum = if body.moves() { &mut on_bodies } else { &mut on_walls };
            *sum += load.impulse * body.taken;
            escaped += load.impulse * (1.0 - body.taken);
            let (collider, taken) = (load.collider as usize, share * body.taken);
            let (impulse, angular_impulse) = (load.impulse * taken, load.angular_impulse * taken);
            let PushedBody { host, response, .. } = *body;
            if self.boundary.push_body(collider, host, impulse, angular_impulse, response) {
                let bounds = self.boundary.colliders[collider].swept_bounds();
                self.sleep.disturb_around(bounds);
            }
        }
        let scaled = |impulse: DVec2| (share * impulse).as_vec2();
        Ok(BlastReport {
            particles: thrown.len(),
            bodies: bodies.iter().filter(|body| body.moves()).count(),
            energy: gain.energy(share) as f32,
            impulse_on_liquid: scaled(on_liquid),
            impulse_on_bodies: scaled(on_bodies),
            impulse_on_walls: scaled(on_walls),
            escaped: scaled(escaped),
        })
    }

    /// The changes of velocity of the particles that nothing hides, by index. The rays lose their momentum.
    fn throw_particles(
        &self,
        blast: &Blast,
        max_speed: f32,
        rays: &mut [Ray],
        gain: &mut EnergyGain,
    ) -> Vec<(usize, Vec2)> {
        let Blast { position: centre, energy, radius } = *blast;
        let spacing = self.parameters.particle_spacing;
        let mut thrown = Vec::new();
        for (index, position) in self.particles.position.iter().enumerate() {
            let (offset, distance) = (*position - centre, position.distance(centre));
            // This is also false for NaN.
            let is_within = distance > 0.0 && distance < radius;
            if !is_within || self.boundary.first_wall(centre, *position).is_some() {
                continue;
            }
            let counted = distance.max(0.5 * spacing);
            let mass = self.classes[self.particles.class[index]].mass;
            let fading = 2.0 * (1.0 - distance / radius) / (PI * radius * counted);
            let speed = (spacing / mass * (energy * fading).sqrt()).min(max_speed);
            let direction = offset / distance;
            let impulse = direction.as_dvec2() * f64::from(mass * speed);
            take_from(rays, direction, 0.5 * spacing / counted, impulse);
            let velocity = self.particles.velocity[index].as_dvec2();
            gain.add(impulse, velocity, DVec2::splat(1.0 / f64::from(mass)));
            thrown.push((index, direction * speed));
        }
        thrown
    }

    /// The rays of a blast with their momentum, counter-clockwise from the right, at equal angles.
    fn blast_rays(&self, blast: &Blast) -> Vec<Ray> {
        let Blast { position: centre, energy, radius } = *blast;
        let spacing = self.parameters.particle_spacing;
        let wanted = 2.0 * PI * radius / (RAY_DISTANCE * spacing);
        // Halves of right angles need no sine, which differs between platforms.
        let mut quarter = vec![Vec2::X, Vec2::Y];
        while 4 * (quarter.len() - 1) < RAYS[0]
            || ((4 * (quarter.len() - 1)) as f32) < wanted.min(RAYS[1] as f32)
        {
            let halves = quarter.windows(2).map(|pair| (pair[0] + pair[1]).normalize());
            let halves: Vec<Vec2> = halves.collect();
            let between =
                halves.into_iter().zip(&quarter[1..]).flat_map(|(half, next)| [half, *next]);
            quarter = iter::once(Vec2::X).chain(between).collect();
        }
        quarter.pop();
        // No wall is farther away, and shorter rays have more exact ends.
        let walls = self.boundary.bounds_of_walls();
        let farthest = (walls.low - centre).abs().max((walls.high - centre).abs()).length();
        let length = if farthest.is_finite() { radius.min(1.01 * farthest) } else { radius };
        let momentum = 0.25 * PI * PI * radius / spacing * (2.0 * energy / PI).sqrt();
        let of_ray = f64::from(momentum) / (4 * quarter.len()) as f64;
        let quarters = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y];
        let ray = |direction: Vec2| {
            let wall = self.boundary.first_wall(centre, centre + direction * length);
            Ray { direction, wall, momentum: direction.as_dvec2() * of_ray }
        };
        quarters.iter().flat_map(|turn| quarter.iter().map(|one| ray(turn.rotate(*one)))).collect()
    }
}

/// A direction from the centre of a blast.
#[derive(Clone, Copy, Debug)]
struct Ray {
    direction: Vec2,
    /// The first wall in this direction, within the radius.
    wall: Option<Wall>,
    /// Momentum that the ray still carries.
    momentum: DVec2,
}

/// Takes the impulse on a particle from the rays within `half_angle` radians of its direction.
fn take_from(rays: &mut [Ray], direction: Vec2, half_angle: f32, impulse: DVec2) {
    let quarter = rays.len() / 4;
    // The direction, turned back into the first quarter.
    let (mut turned, mut first) = (direction, 0);
    while !(turned.x > 0.0 && turned.y >= 0.0) && first < 3 * quarter {
        turned = -turned.perp();
        first += quarter;
    }
    let is_before = |ray: &Ray| ray.direction.perp_dot(turned) >= 0.0;
    let after = first + rays[..quarter].partition_point(is_before);
    let reach = half_angle / (2.0 * PI) * rays.len() as f32;
    let half = (reach.ceil() as usize).clamp(1, rays.len() / 2);
    let part = impulse / (2 * half) as f64;
    for ray in after + rays.len() - half..after + rays.len() + half {
        let ray = ray % rays.len();
        rays[ray].momentum -= part;
    }
}

/// The kinetic energy that impulses add, as a polynomial of the share of the impulses that acts.
#[derive(Clone, Copy, Debug, Default)]
struct EnergyGain {
    linear: f64,
    quadratic: f64,
}

impl EnergyGain {
    /// Adds an impulse on a mass that moves.
    fn add(&mut self, impulse: DVec2, velocity: DVec2, inverse_mass: DVec2) {
        self.linear += impulse.dot(velocity);
        self.quadratic += 0.5 * (impulse * impulse).dot(inverse_mass);
    }

    /// The energy that a share of the impulses adds.
    fn energy(self, share: f64) -> f64 {
        share * (self.linear + share * self.quadratic)
    }

    /// The largest share, up to 1, that adds at most `most`. Energy that slowed matter loses is not given to other
    /// matter.
    fn share(self, most: f64) -> f64 {
        let (linear, quadratic) = (self.linear.max(0.0), self.quadratic);
        if linear + quadratic <= most {
            return 1.0;
        }
        2.0 * most / (linear + (linear * linear + 4.0 * quadratic * most).sqrt())
    }
}

/// A body, a host body or a fixed wall, with the sum of the impulses on its colliders.
#[derive(Clone, Copy, Debug)]
struct PushedBody {
    collider: u32,
    host: Option<usize>,
    motion: Motion,
    response: BodyResponse,
    impulse: DVec2,
    /// About the centre of mass.
    angular_impulse: f64,
    /// Distance from the centre of mass to its edge, in world units.
    radius: f32,
    /// The part of the impulses that acts.
    taken: f64,
}

impl PushedBody {
    /// The carrier of a collider, with the impulse on this collider.
    fn with_load(load: &ColliderImpulse, solids: &Solids) -> Self {
        let ColliderImpulse { collider, impulse, angular_impulse } = *load;
        let record = &solids.colliders[collider as usize];
        let attachment = record.options.attachment.as_ref();
        let host = attachment.and_then(|attachment| solids.host_bodies.index_of(attachment.body));
        let (motion, centre, inverse_mass, inverse_inertia) = match (host, record.options.body) {
            (Some(host), _) => {
                let HostBody { motion, pose, inverse_mass, inverse_inertia, .. } =
                    solids.host_bodies[host].body;
                (motion, pose.translation, inverse_mass, inverse_inertia)
            }
            (None, Some(body)) => {
                let inverse_mass = Vec2::splat(body.inverse_mass());
                (record.motion, record.centre(), inverse_mass, body.inverse_inertia())
            }
            (None, None) => (record.motion, record.centre(), Vec2::ZERO, 0.0),
        };
        let lever = record.centre() - centre;
        Self {
            collider,
            host,
            motion,
            response: BodyResponse { inverse_mass, inverse_inertia, least_change: 0.0 },
            impulse,
            angular_impulse: angular_impulse + lever.as_dvec2().perp_dot(impulse),
            radius: lever.length() + record.bounding_radius(),
            taken: 1.0,
        }
    }

    fn is_same_as(&self, other: &Self) -> bool {
        self.host == other.host && (self.host.is_some() || self.collider == other.collider)
    }

    /// Adds the impulse on another collider of the same host body.
    fn add(&mut self, other: &Self) {
        self.impulse += other.impulse;
        self.angular_impulse += other.angular_impulse;
        self.radius = self.radius.max(other.radius);
    }

    /// Whether it can move.
    fn moves(&self) -> bool {
        self.response.inverse_mass != Vec2::ZERO || self.response.inverse_inertia != 0.0
    }

    /// Limits the change of speed of its edge.
    fn limit(&mut self, max_speed: f32) {
        let BodyResponse { inverse_mass, inverse_inertia, .. } = self.response;
        let straight = (self.impulse * inverse_mass.as_dvec2()).length();
        let turning = self.angular_impulse.abs() * f64::from(inverse_inertia);
        let change = straight + turning * f64::from(self.radius);
        if change > f64::from(max_speed) {
            self.taken = f64::from(max_speed) / change;
        }
    }

    /// Adds the energy of its impulses.
    fn add_to(&self, gain: &mut EnergyGain) {
        let BodyResponse { inverse_mass, inverse_inertia, .. } = self.response;
        if inverse_mass != Vec2::ZERO {
            let (velocity, inverse_mass) =
                (self.motion.velocity.as_dvec2(), inverse_mass.as_dvec2());
            let locked = inverse_mass.cmpeq(DVec2::ZERO);
            let impulse = DVec2::select(locked, DVec2::ZERO, self.impulse * self.taken);
            gain.add(impulse, velocity, inverse_mass);
        }
        let turning = if inverse_inertia > 0.0 { self.angular_impulse * self.taken } else { 0.0 };
        let velocity = f64::from(self.motion.angular_velocity);
        gain.add(DVec2::X * turning, DVec2::X * velocity, DVec2::X * f64::from(inverse_inertia));
    }
}

/// The first wall on a segment.
#[derive(Clone, Copy, Debug)]
struct Wall {
    /// Index of the collider; `None` for a container.
    collider: Option<usize>,
    point: Vec2,
    /// Distance from the start of the segment.
    distance: f32,
}

impl Solids {
    /// The first wall on the segment from `start` to `end`. Membranes, colliders that stop no class, and colliders
    /// around the start are no walls.
    fn first_wall(&self, start: Vec2, end: Vec2) -> Option<Wall> {
        let mut first: Option<Wall> = None;
        let mut add = |collider: Option<usize>, point: Option<Vec2>| {
            let Some(point) = point else { return };
            let wall = Wall { collider, point, distance: start.distance(point) };
            // Colliders come in no particular order.
            let key = |wall: Wall| (wall.distance, wall.collider);
            if first.is_none_or(|first| key(wall) < key(first)) {
                first = Some(wall);
            }
        };
        match container_of(&self.containers, start) {
            Some(home) if home.depth(start) >= 0.0 => add(None, crossing(home, start, end, true)),
            _ => {
                let all = self.containers.iter();
                all.for_each(|other| add(None, crossing(other, start, end, false)));
            }
        }
        self.boxes.visit(FluidBounds { low: start.min(end), high: start.max(end) }, |index| {
            let index = index as usize;
            let record = &self.colliders[index];
            if !record.options.one_way && record.options.classes != ClassFilter::NONE {
                add(Some(index), crossing(record, start, end, record.options.inside_out));
            }
            false
        });
        first
    }
}

/// The point at which the segment from `start` to `end` enters a solid's shape or, with `leaves`, leaves it.
fn crossing<Options>(solid: &Solid<Options>, start: Vec2, end: Vec2, leaves: bool) -> Option<Vec2>
where
    Options: SolidOptions,
{
    let (shape, slack) = (&solid.shape, solid.slack());
    let (from, to) = (solid.pose.to_local(start), solid.pose.to_local(end));
    let entry = match shape {
        _ if !leaves => shape.entry(from, to, slack, false),
        FluidShape::Polygon(_) | FluidShape::Field(_) => shape.exit(from, to, slack),
        // A segment leaves a convex shape where the reversed segment enters it.
        _ if shape.distance(to) > 0.0 => shape.entry(to, from, slack, false),
        _ => None,
    };
    entry.map(|entry| solid.pose.to_world(entry.point))
}
