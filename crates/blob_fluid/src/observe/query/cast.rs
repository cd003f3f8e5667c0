//! Ray and circle casts against the liquid's surface.

use std::cell::Cell;

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassId;
use crate::settings::class_filter::ClassFilter;

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
    /// [`density_at`](Self::density_at) defines it; `None` if it does not.
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

    /// The point where a moving disc first touches liquid of some classes; `None` if it does not.
    /// The disc touches a particle when the distance of their centres is the disc's radius plus
    /// half a particle spacing. Unlike a ray, the disc is also stopped by single drops.
    ///
    /// The hit's distance is the distance that the disc's centre has moved. Its point is where disc
    /// and particle touch, and its normal points from there to the disc's centre. The rest is as
    /// for [`cast_ray`](Self::cast_ray). The result is `None` for a radius that is not finite or
    /// below 0.
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

    /// Unit vector and length of the path of a cast. The path is cut where there are no more
    /// particles to meet; `None` if nothing is left of it.
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
        let around =
            self.particles.index().bounds().inflated(self.parameters().interaction_radius());
        let farthest = (around.low - origin).abs().max((around.high - origin).abs()).length();
        farthest.is_finite().then(|| (direction, max_distance.min(farthest)))
    }

    /// Distance along a unit vector to liquid, at most `end`.
    pub(super) fn way_to_liquid(
        &self,
        origin: Vec2,
        direction: Vec2,
        end: f32,
        classes: ClassFilter,
    ) -> Option<f32> {
        let step = STEP * self.parameters().particle_spacing;
        let radius = self.parameters().interaction_radius();
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
            let (_, nearest) = self.nearest(point, f32::INFINITY, classes)?;
            before = distance;
            distance = (distance + (nearest - radius).max(step)).min(end);
            if distance == before {
                // Steps are below the rounding error here.
                return None;
            }
        }
    }

    /// Distance along a unit vector to where the liquid ends; 0 for a start outside.
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

/// Bisection: finds where `reached` becomes true between `low`, where it is false, and `high`,
/// where it is true.
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

/// Whether the path from `origin` along `way` may meet a box. `false` is always right; `true` may
/// not be.
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
