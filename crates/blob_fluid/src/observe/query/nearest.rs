//! The particle nearest to a point.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::particles::id::ParticleId;
use crate::settings::class_filter::ClassFilter;

impl Liquid {
    /// The particle of some classes nearest to a point, and its distance in world units; `None` if
    /// no particle is within `reach` world units (which may be infinite), or if the point is not
    /// finite. Of particles at the same distance it is the one with the lowest id.
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
