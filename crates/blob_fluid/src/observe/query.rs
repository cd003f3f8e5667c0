//! Queries about the liquid at a position: particles nearby, density, velocity, surface and blobs.

use std::cell::Cell;

use glam::Vec2;

use crate::{
    ClassFilter, ClassId, ClassTable, FluidBounds, FluidRegion, Liquid, ParticleId, Particles,
};

pub use crate::observe::blob_tracker::{
    BlobChange, BlobId, BlobTracker, BlobTracking, TrackedBlob,
};

// Samples the liquid at a point with the solver's kernel.

/// Relative density at the liquid's surface: the density at the edge of a half plane of liquid.
pub(super) const SURFACE_DENSITY: f32 = 0.5;

/// The density of a particle itself, which the sum over its neighbours does not contain.
const OWN_DENSITY: f32 = 1.0;

impl Liquid {
    /// Density of the liquid at a point, relative to the density at rest. The density is about 1
    /// inside the liquid, and 0 if the point is farther than the interaction radius from all
    /// particles, or not finite.
    ///
    /// The liquid's surface is where the relative density is a half. The surface of a large amount
    /// of liquid is half a particle spacing beyond the outermost particles. Single particles and
    /// thin spray have no surface.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, shape::FluidShape};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// for position in (FluidShape::Circle { radius: 100.0 }).fill(Vec2::ZERO, spacing) {
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// assert!((world.density_at(Vec2::new(10.0, 0.0)) - 1.0).abs() < 0.2);
    /// assert!((world.density_at(Vec2::new(100.0, 0.0)) - 0.5).abs() < 0.2);
    /// assert_eq!(world.density_at(Vec2::new(140.0, 0.0)), 0.0);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn density_at(&self, point: Vec2) -> f32 {
        self.density_of(point, ClassFilter::ALL)
    }

    /// Mean velocity of the liquid at a point, in world units/s; nearer particles have more weight.
    /// `None` if the point is farther than the interaction radius from all particles, or not
    /// finite.
    pub fn velocity_at(&self, point: Vec2) -> Option<Vec2> {
        let (mut total, mut sum) = (0.0, Vec2::ZERO);
        self.for_each_part(point, ClassFilter::ALL, |index, density, _| {
            total += density;
            sum += density * self.particles.velocity[index];
        });
        if let Some((pool, column)) = self.pools.around(point, |_| true) {
            total += 1.0;
            sum.x += pool.velocity(column);
        }
        (total > 0.0).then(|| sum / total)
    }

    /// Share of each class in the liquid at a point, 0 to 1, by class index; the sum is 1. `None`
    /// where [`velocity_at`](Self::velocity_at) is `None`.
    pub fn mix_at(&self, point: Vec2) -> Option<Vec<f32>> {
        let mut shares = vec![0.0; self.classes().len()];
        self.for_each_part(point, ClassFilter::ALL, |index, density, _| {
            shares[self.particles.class[index].index()] += density;
        });
        if let Some((pool, _)) = self.pools.around(point, |_| true)
            && let Some(share) = shares.get_mut(pool.settings().class.index())
        {
            *share += 1.0;
        }
        let total: f32 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
        (total > 0.0).then_some(shares)
    }

    /// Calls `visit` for each particle of some classes within the interaction radius of a point.
    /// The arguments are its index, its part of the relative density at the point, and the slope of
    /// that part away from the particle.
    pub(super) fn for_each_part(
        &self,
        point: Vec2,
        classes: ClassFilter,
        mut visit: impl FnMut(usize, f32, Vec2),
    ) {
        if !point.is_finite() {
            return;
        }
        let radius = self.parameters().interaction_radius();
        let within = radius * radius;
        let particles = self.particles();
        self.particles.index().visit(
            |bounds| bounds.distance_squared(point) < within,
            |run| {
                for index in run {
                    let offset = point - particles.position[index];
                    let squared = offset.length_squared();
                    let class = particles.class[index];
                    // This is also false for NaN.
                    if squared < within && classes.contains(class) {
                        let distance = squared.sqrt();
                        let weight = 1.0 - distance / radius;
                        let part = weight / (self.equilibrium_density(class) + OWN_DENSITY);
                        let away = if distance > 0.0 { offset / distance } else { Vec2::ZERO };
                        visit(index, weight * part, (2.0 * part / radius) * away);
                    }
                }
            },
        );
    }

    /// Relative density of only some classes.
    pub(super) fn density_of(&self, point: Vec2, classes: ClassFilter) -> f32 {
        let mut total = 0.0;
        self.for_each_part(point, classes, |_, density, _| total += density);
        if self.pools.around(point, |class| classes.contains(class)).is_some() {
            total = total.max(1.0);
        }
        total
    }

    /// Whether a point lies in liquid of some classes: whether the [relative
    /// density](Self::density_at) of only these classes is at least a half there.
    pub fn is_in_liquid(&self, point: Vec2, classes: ClassFilter) -> bool {
        self.density_of(point, classes) >= SURFACE_DENSITY
    }

    /// Direction out of the liquid at a point, as a unit vector, or zero without such a direction.
    /// The second value is the class that most of the liquid there belongs to, or the first of
    /// equal classes.
    pub(super) fn surface_at(&self, point: Vec2, classes: ClassFilter) -> (Vec2, ClassId) {
        let mut shares = [0.0_f32; ClassTable::MAX_CLASSES];
        let mut slope = Vec2::ZERO;
        self.for_each_part(point, classes, |index, density, steepness| {
            shares[self.particles.class[index].index()] += density;
            slope += steepness;
        });
        if let Some((pool, _)) = self.pools.around(point, |class| classes.contains(class)) {
            shares[pool.settings().class.index()] += 1.0;
            slope = Vec2::Y;
        }
        let first =
            |most: usize, class: usize| if shares[class] > shares[most] { class } else { most };
        let class = (0..shares.len()).fold(0, first);
        (slope.normalize_or_zero(), ClassId(class as u8))
    }
}

// Ray and circle casts against the liquid's surface.

/// Length of the steps of a search for liquid, in particle spacings.
const STEP: f32 = 0.25;

/// Number of times that the step with the surface in it is halved.
const HALVINGS: u32 = 12;

/// A point where a ray or a circle meets the liquid's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct SurfaceHit {
    /// Position of the hit, in world units.
    pub point: Vec2,
    /// Unit normal of the surface, which points out of the liquid.
    pub normal: Vec2,
    /// Distance from the start, in world units; 0 for a start in liquid.
    pub distance: f32,
    /// The class that most of the liquid at the point belongs to.
    pub class: ClassId,
}

impl Liquid {
    /// The point where a ray first meets the surface of the liquid of some classes, as
    /// [`density_at`](Self::density_at) defines it; `None` if the ray misses it.
    ///
    /// `direction` need not be a unit vector; `max_distance` is in world units and may be infinite.
    /// A ray that begins in liquid hits it at distance 0. The result is `None` if an argument is
    /// NaN or the direction is zero. The position is exact to a thousandth of a particle spacing.
    /// The ray may miss a corner of liquid if less than a quarter of a spacing of the ray is inside
    /// it.
    ///
    /// ```
    /// use blob_fluid::{ClassFilter, FluidWorld, ParticleSpawn, shape::FluidShape};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let spacing = world.parameters().particle_spacing;
    /// for position in (FluidShape::Circle { radius: 100.0 }).fill(Vec2::ZERO, spacing) {
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// let down = world.cast_ray(Vec2::new(0.0, 300.0), -Vec2::Y, f32::INFINITY, ClassFilter::ALL);
    /// assert!(down.is_some_and(|hit| (hit.distance - 200.0).abs() < spacing));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn cast_ray(
        &self,
        origin: Vec2,
        direction: Vec2,
        max_distance: f32,
        classes: ClassFilter,
    ) -> Option<SurfaceHit> {
        let (direction, end) = self.way(origin, direction, max_distance)?;
        let distance = self.way_to_liquid(origin, direction, end, classes)?;
        let point = origin + direction * distance;
        let (normal, class) = self.surface_at(point, classes);
        let normal = if normal == Vec2::ZERO { -direction } else { normal };
        Some(SurfaceHit { point, normal, distance, class })
    }

    /// The point where a moving disc first touches liquid of some classes; `None` if it touches
    /// none. The disc touches a particle when the distance of their centres is the disc's radius
    /// plus half a particle spacing. Unlike a ray, the disc is also stopped by single particles.
    ///
    /// The hit's distance is the distance that the disc's centre has moved. The hit's point is
    /// where disc and particle touch, and its normal points from there to the disc's centre. Other
    /// arguments and results are as for [`cast_ray`](Self::cast_ray). The result is `None` for a
    /// radius that is not finite or below 0.
    pub fn cast_circle(
        &self,
        origin: Vec2,
        direction: Vec2,
        radius: f32,
        max_distance: f32,
        classes: ClassFilter,
    ) -> Option<SurfaceHit> {
        if !radius.is_finite() || radius < 0.0 {
            return None;
        }
        let half_spacing = 0.5 * self.parameters().particle_spacing;
        let reach = radius + half_spacing;
        let (direction, end) = self.way(origin, direction, max_distance)?;
        let particles = self.particles();
        let nearest: Cell<Option<(f32, usize)>> = Cell::new(None);
        let end_now = || nearest.get().map_or(end, |(distance, _)| distance);
        self.particles.index().visit(
            |bounds| crosses(bounds.inflated(reach), origin, direction * end_now()),
            |run| {
                for index in run.filter(|index| classes.contains(particles.class[*index])) {
                    let distance = meet(particles.position[index] - origin, direction, reach);
                    let Some(distance) = distance.filter(|distance| *distance <= end_now()) else {
                        continue;
                    };
                    let is_first = nearest.get().is_none_or(|(least, first)| {
                        distance < least || particles.id[index] < particles.id[first]
                    });
                    if is_first {
                        nearest.set(Some((distance, index)));
                    }
                }
            },
        );
        let (distance, index) = nearest.get()?;
        let (centre, particle) = (origin + direction * distance, particles.position[index]);
        let normal = (centre - particle).try_normalize().unwrap_or(-direction);
        let point = particle + normal * half_spacing;
        Some(SurfaceHit { point, normal, distance, class: particles.class[index] })
    }

    /// Unit vector and length of the path of a cast. The path is limited to the farthest corner of
    /// the box around all particles and pools. `None` for invalid arguments, and without liquid.
    pub(super) fn way(
        &self,
        origin: Vec2,
        direction: Vec2,
        max_distance: f32,
    ) -> Option<(Vec2, f32)> {
        let direction = direction.is_finite().then_some(direction)?.try_normalize()?;
        if !origin.is_finite() || max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let radius = self.parameters().interaction_radius();
        let around = self.particles.index().bounds().inflated(radius).union(self.pools.bounds());
        let farthest = (around.low - origin).abs().max((around.high - origin).abs()).length();
        farthest.is_finite().then(|| (direction, max_distance.min(farthest)))
    }

    /// Distance along a unit vector to liquid; `None` if it is farther than `end`.
    pub(super) fn way_to_liquid(
        &self,
        origin: Vec2,
        direction: Vec2,
        end: f32,
        classes: ClassFilter,
    ) -> Option<f32> {
        let step = STEP * self.parameters().particle_spacing;
        let radius = self.parameters().interaction_radius();
        let pools = self.pools.bounds();
        let (mut before, mut distance) = (0.0, 0.0);
        loop {
            let point = origin + direction * distance;
            if self.is_in_liquid(point, classes) {
                return Some(if distance == 0.0 {
                    0.0
                } else {
                    let (_, inside) = halve(before, distance, |distance| {
                        self.is_in_liquid(origin + direction * distance, classes)
                    });
                    inside
                });
            }
            if distance >= end {
                return None;
            }
            // Liquid is at least this far away.
            let nearest = self.nearest(point, f32::INFINITY, classes);
            let nearest = nearest.map_or(f32::INFINITY, |(_, nearest)| nearest - radius);
            let nearest = nearest.min(pools.distance_squared(point).sqrt());
            if nearest == f32::INFINITY {
                return None;
            }
            before = distance;
            distance = (distance + nearest.max(step)).min(end);
            if distance == before {
                // Steps are below the rounding error here.
                return None;
            }
        }
    }

    /// Distance along a unit vector to the end of the liquid; 0 for a start outside.
    pub(super) fn way_out_of_liquid(&self, origin: Vec2, direction: Vec2) -> f32 {
        let step = STEP * self.parameters().particle_spacing;
        let is_out =
            |distance: f32| !self.is_in_liquid(origin + direction * distance, ClassFilter::ALL);
        let (mut before, mut distance) = (0.0, 0.0);
        while !is_out(distance) {
            before = distance;
            distance += step;
            if distance == before {
                return distance;
            }
        }
        if distance == 0.0 { 0.0 } else { halve(before, distance, is_out).0 }
    }
}

/// Bisection: `reached` is false at `low` and true at `high`. Returns a smaller interval with the
/// same property.
fn halve(mut low: f32, mut high: f32, reached: impl Fn(f32) -> bool) -> (f32, f32) {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if reached(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}

/// Whether the path from `origin` along `way` may meet a box. `false` is certain.
fn crosses(bounds: FluidBounds, origin: Vec2, way: Vec2) -> bool {
    let half_way = 0.5 * way;
    let offset = origin + half_way - bounds.centre();
    let half_size = bounds.half_size() + bounds.rounding(origin);
    let across = half_size.x * way.y.abs() + half_size.y * way.x.abs();
    offset.abs().cmple(half_size + half_way.abs()).all() && way.perp_dot(offset).abs() <= across
}

/// Distance along a unit vector at which a moving point comes within `reach` of `point`; 0 if it is
/// within reach at the start.
fn meet(point: Vec2, direction: Vec2, reach: f32) -> Option<f32> {
    let (along, aside) = (point.dot(direction), direction.perp_dot(point));
    let half_chord = reach * reach - aside * aside;
    if point.length_squared() <= reach * reach {
        return Some(0.0);
    }
    (half_chord >= 0.0 && along >= 0.0).then(|| (along - half_chord.sqrt()).max(0.0))
}

// Height of the liquid's surface, and depth of a point in the liquid.

impl Liquid {
    /// Height of the highest surface of the liquid (see [`density_at`](Self::density_at)) at the
    /// horizontal position `across`, both in world units. `None` without liquid there, or if
    /// `across` is not finite.
    ///
    /// Heights are measured from the origin in the direction against gravity, and horizontal
    /// positions in the direction to the right of it. With gravity downwards or zero, the height is
    /// y and the horizontal position is x.
    pub fn surface_height(&self, across: f32) -> Option<f32> {
        if !across.is_finite() {
            return None;
        }
        let up = self.up();
        let radius = self.parameters().interaction_radius();
        let around = self.particles.index().bounds().inflated(radius).union(self.pools.bounds());
        let (centre, half_size) = (around.centre(), around.half_size());
        let half_height = half_size.dot(up.abs());
        let top = centre.dot(up) + half_height;
        let origin = -up.perp() * across + up * top;
        if !origin.is_finite() {
            return None;
        }
        let way = self.way_to_liquid(origin, -up, 2.0 * half_height, ClassFilter::ALL)?;
        Some(top - way)
    }

    /// Distance, in world units, from a point in liquid upwards to the end of the liquid. The depth
    /// is 0 outside the liquid, or if the point is not finite.
    ///
    /// Upwards means against gravity, or along the y axis if there is no gravity.
    pub fn depth_at(&self, point: Vec2) -> f32 {
        self.way_out_of_liquid(point, self.up())
    }

    /// Depth of the liquid below a point, in world units: from the point, or from the first surface
    /// below it, down to the end of that liquid. The depth is 0 without liquid below, or if the
    /// point is not finite. Use this depth to test whether a boat runs aground.
    ///
    /// Below means along gravity, or against the y axis if there is no gravity.
    pub fn depth_below(&self, point: Vec2) -> f32 {
        let Some((down, end)) = self.way(point, -self.up(), f32::MAX) else { return 0.0 };
        let way = self.way_to_liquid(point, down, end, ClassFilter::ALL);
        way.map_or(0.0, |way| self.way_out_of_liquid(point + down * way, down))
    }

    fn up(&self) -> Vec2 {
        (-self.parameters().gravity).normalize_or(Vec2::Y)
    }
}

// The particle nearest to a point.

impl Liquid {
    /// The particle of some classes nearest to a point, and its distance in world units. `None` if
    /// no particle is within `reach` world units (which may be infinite), or if the point is not
    /// finite. Among equally near particles, the lowest id counts.
    ///
    /// ```
    /// use blob_fluid::{ClassFilter, FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let id = world.spawn(ParticleSpawn { position: Vec2::new(30.0, 0.0), ..Default::default() })?;
    /// assert_eq!(world.nearest(Vec2::ZERO, 50.0, ClassFilter::ALL), Some((id, 30.0)));
    /// assert_eq!(world.nearest(Vec2::ZERO, 20.0, ClassFilter::ALL), None);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn nearest(
        &self,
        point: Vec2,
        reach: f32,
        classes: ClassFilter,
    ) -> Option<(ParticleId, f32)> {
        if !point.is_finite() || reach.is_nan() || reach < 0.0 {
            return None;
        }
        let particles = self.particles();
        let mut nearest: Option<(f32, ParticleId)> = None;
        let mut within = reach * reach;
        self.particles.index().visit_near(point, within, |run| {
            for index in run {
                let distance = particles.position[index].distance_squared(point);
                if distance > within || !classes.contains(particles.class[index]) {
                    continue;
                }
                let id = particles.id[index];
                // Particles that are not finite are ignored.
                if distance.is_finite()
                    && nearest.is_none_or(|(least, first)| distance < least || id < first)
                {
                    within = distance;
                    nearest = Some((distance, id));
                }
            }
            within
        });
        nearest.map(|(distance, id)| (id, distance.sqrt()))
    }
}

// The colour of paint in a region and at a point.

impl Liquid {
    /// The mixed colour of the paint of some classes in a region: red, green and blue, linear. `None`
    /// without paint.
    pub fn mean_paint(&self, region: &FluidRegion, classes: ClassFilter) -> Option<[f32; 3]> {
        let mut amounts = Vec::new();
        self.for_each_in(region, classes, |index| amounts.extend(self.paint_amounts_at(index)));
        self.parameters.paint_mixing.mean_of_amounts(amounts.into_iter())
    }

    /// The colour of the paint at a point: red, green and blue, linear; nearer particles have more weight.
    /// `None` if the point is farther than the interaction radius from all paint, or not finite.
    pub fn paint_at(&self, point: Vec2) -> Option<[f32; 3]> {
        let (mut total, mut sums) = (0.0, [0.0; 3]);
        self.for_each_part(point, ClassFilter::ALL, |index, density, _| {
            if let Some(amounts) = self.paint_amounts_at(index) {
                total += density;
                sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += density * amount);
            }
        });
        let mixing = self.parameters.paint_mixing;
        (total > 0.0).then(|| mixing.color_of(sums.map(|sum| sum / total)))
    }

    /// The amounts that mixing averages for the paint at an index; `None` if the particle's class
    /// takes no paint.
    pub(crate) fn paint_amounts_at(&self, index: usize) -> Option<[f32; 3]> {
        let amounts = self.particles.paints.amounts.get(index)?;
        let class = self.classes.get(self.particles.class[index]);
        class.is_some_and(|class| class.paint.is_some()).then_some(*amounts)
    }
}

// The particles in a region.

impl Liquid {
    /// Indices of all particles of some classes in a region, in ascending order.
    ///
    /// ```
    /// use blob_fluid::{ClassFilter, FluidWorld, ParticleSpawn, FluidRegion};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in 0..10 {
    ///     let position = Vec2::new(8.0 * x as f32, 0.0);
    ///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
    /// }
    /// let disc = FluidRegion::circle(Vec2::ZERO, 20.0)?;
    /// assert_eq!(world.indices_in(&disc, ClassFilter::ALL), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn indices_in(&self, region: &FluidRegion, classes: ClassFilter) -> Vec<usize> {
        let mut indices = Vec::new();
        self.for_each_in(region, classes, |index| indices.push(index));
        indices
    }

    /// Calls `visit` with the index of every particle of some classes in a region, in ascending
    /// order.
    pub fn for_each_in(
        &self,
        region: &FluidRegion,
        classes: ClassFilter,
        mut visit: impl FnMut(usize),
    ) {
        let Particles { position, class, .. } = &self.particles;
        let around = region.bounds();
        self.particles.index().visit(
            |bounds| bounds.intersects(around),
            |run| {
                let chosen = |index: &usize| {
                    classes.contains(class[*index])
                        && around.contains(position[*index])
                        && region.contains(position[*index])
                };
                run.filter(chosen).for_each(&mut visit);
            },
        );
    }

    /// Root of the mean squared speed of the particles in a box, in world units/s; `None` without
    /// particles. Sleeping particles have no speed.
    ///
    /// ```
    /// use blob_fluid::{FluidBounds, FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let around = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(10.0) };
    /// assert_eq!(world.rms_speed_in(around), None);
    /// let (position, velocity) = (Vec2::splat(5.0), Vec2::new(3.0, 4.0));
    /// world.spawn(ParticleSpawn { position, velocity, ..Default::default() })?;
    /// assert_eq!(world.rms_speed_in(around), Some(5.0));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn rms_speed_in(&self, bounds: FluidBounds) -> Option<f32> {
        let (mut squares, mut count) = (0.0_f32, 0_u32);
        self.particles.index().visit(
            |around| around.intersects(bounds),
            |run| {
                for index in run.filter(|index| bounds.contains(self.particles.position[*index])) {
                    squares += self.particles.velocity[index].length_squared();
                    count += 1;
                }
            },
        );
        (count > 0).then(|| (squares / count as f32).sqrt())
    }

    /// Whether any particle is in a box.
    pub(crate) fn any_in(&self, around: FluidBounds) -> bool {
        let found = Cell::new(false);
        self.particles.index().visit(
            |bounds| !found.get() && bounds.intersects(around),
            |mut run| {
                found.set(run.any(|index| around.contains(self.particles.position[index])));
            },
        );
        found.get()
    }
}
