//! Queries of the liquid, for any system.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use blob_fluid::{ClassFilter, FluidRegion, ParticleId, SurfaceHit};

use crate::simulation::FluidSimulation;

/// Queries of the liquid's state after the last tick, for systems in any schedule.
///
/// The surface of the liquid is where its density is half of that at rest
/// ([`density_at`](Self::density_at)). Lengths are in world units; points that are not finite count
/// as far from all liquid.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn swim(mut swimmers: Query<&mut Transform>, fluid: FluidQuery, time: Res<Time>) {
///     for mut transform in &mut swimmers {
///         if let Some(stream) = fluid.velocity_at(transform.translation.truncate()) {
///             transform.translation += (stream * time.delta_secs()).extend(0.0);
///         }
///     }
/// }
///
/// fn aim(fluid: FluidQuery) {
///     let ray = Ray2d::new(Vec2::new(0.0, 300.0), -Dir2::Y);
///     if let Some(hit) = fluid.cast_ray(ray, 1000.0, ClassFilter::ALL) {
///         info!("liquid at {}", hit.point);
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct FluidQuery<'w> {
    fluid: Res<'w, FluidSimulation>,
}

impl FluidQuery<'_> {
    /// Density at a point, relative to that of liquid at rest: about 1 inside, a half at the
    /// surface, 0 far from it.
    pub fn density_at(&self, point: Vec2) -> f32 {
        self.fluid.density_at(point)
    }

    /// Whether a point lies in liquid of some classes.
    pub fn is_in_liquid(&self, point: Vec2, classes: ClassFilter) -> bool {
        self.fluid.is_in_liquid(point, classes)
    }

    /// Mean velocity of the liquid around a point, in world units/s; `None` far from all liquid.
    pub fn velocity_at(&self, point: Vec2) -> Option<Vec2> {
        self.fluid.velocity_at(point)
    }

    /// Velocity of the [air](crate::FluidAir) at a point, in world units/s; `None` outside of all air.
    pub fn wind_at(&self, point: Vec2) -> Option<Vec2> {
        self.fluid.airs().find_map(|air| air.velocity_at(point))
    }

    /// Concentration of smoke at a point: 1 is thick; `None` outside of all air.
    pub fn smoke_at(&self, point: Vec2) -> Option<f32> {
        self.fluid.airs().find_map(|air| air.smoke_at(point))
    }

    /// Heat of the air at a point: 1 is as hot as a flame; `None` outside of all air.
    pub fn heat_at(&self, point: Vec2) -> Option<f32> {
        self.fluid.airs().find_map(|air| air.heat_at(point))
    }

    /// Share of each class in the liquid around a point, by class index, all together 1; `None` far
    /// from all liquid.
    pub fn mix_at(&self, point: Vec2) -> Option<Vec<f32>> {
        self.fluid.mix_at(point)
    }

    /// The colour of the [paint](blob_fluid::FluidPaint) around a point; `None` far from all paint.
    pub fn paint_at(&self, point: Vec2) -> Option<Color> {
        let [red, green, blue] = self.fluid.paint_at(point)?;
        Some(Color::linear_rgb(red, green, blue))
    }

    /// The colour that the [paint](blob_fluid::FluidPaint) of some classes in a region has when it is
    /// stirred; `None` if there is none.
    pub fn mean_paint(&self, region: &FluidRegion, classes: ClassFilter) -> Option<Color> {
        let [red, green, blue] = self.fluid.mean_paint(region, classes)?;
        Some(Color::linear_rgb(red, green, blue))
    }

    /// The particle of some classes nearest to a point, within `reach`, and its distance.
    pub fn nearest(
        &self,
        point: Vec2,
        reach: f32,
        classes: ClassFilter,
    ) -> Option<(ParticleId, f32)> {
        self.fluid.nearest(point, reach, classes)
    }

    /// The particles of some classes in a region.
    pub fn particles_in(&self, region: &FluidRegion, classes: ClassFilter) -> Vec<ParticleId> {
        let mut found = Vec::new();
        self.fluid.for_each_in(region, classes, |index| {
            found.push(self.fluid.particles().ids()[index]);
        });
        found
    }

    /// The point where a ray first meets the surface of the liquid of some classes, within a
    /// distance; the ray's origin if that is in liquid.
    pub fn cast_ray(
        &self,
        ray: Ray2d,
        max_distance: f32,
        classes: ClassFilter,
    ) -> Option<SurfaceHit> {
        self.fluid.cast_ray(ray.origin, *ray.direction, max_distance, classes)
    }

    /// The point where a circle whose centre follows a ray first touches liquid of some classes,
    /// including single drops.
    pub fn cast_circle(
        &self,
        disc: Circle,
        ray: Ray2d,
        max_distance: f32,
        classes: ClassFilter,
    ) -> Option<SurfaceHit> {
        self.fluid.cast_circle(ray.origin, *ray.direction, disc.radius, max_distance, classes)
    }

    /// Height of the highest surface at a horizontal position; with gravity pointing down, y at x.
    /// Other directions of gravity turn both axes. `None` where there is no liquid.
    pub fn surface_height(&self, across: f32) -> Option<f32> {
        self.fluid.surface_height(across)
    }

    /// Distance from a point in liquid upwards, against gravity, to the end of that liquid; 0
    /// outside of liquid.
    pub fn depth_at(&self, point: Vec2) -> f32 {
        self.fluid.depth_at(point)
    }

    /// Depth of the liquid below a point: from the point, or from the first surface below it, down
    /// to where that liquid ends; 0 if there is no liquid below.
    pub fn depth_below(&self, point: Vec2) -> f32 {
        self.fluid.depth_below(point)
    }
}
