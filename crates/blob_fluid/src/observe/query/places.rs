//! The particles in a region.

use std::cell::Cell;

use crate::geometry::bounds::FluidBounds;
use crate::geometry::region::FluidRegion;
use crate::liquid::state::Liquid;
use crate::particles::arrays::Particles;
use crate::settings::class_filter::ClassFilter;

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

    /// Root of the mean squared speed of the particles in a box, in world units/s; `None` if there
    /// are none. Sleeping particles have no speed.
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
