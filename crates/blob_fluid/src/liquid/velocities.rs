//! Changing the velocities of particles in a box.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::liquid::state::Liquid;
use crate::particles::activity::Activity;
use crate::particles::id::ParticleId;
use crate::settings::class::ClassId;

/// A particle whose velocity may be changed.
#[derive(Debug)]
pub struct MovingParticle<'a> {
    /// Index in the [arrays](crate::Particles), until the next sort.
    pub index: usize,
    /// Its handle.
    pub id: ParticleId,
    /// Its position, in world units.
    pub position: Vec2,
    /// Its class.
    pub class: ClassId,
    /// Its velocity, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocity: &'a mut Vec2,
}

/// Changing the velocities of particles in a box.
impl Liquid {
    /// Calls `change` for every particle in a box, and wakes the particles around those whose
    /// velocity it changed. Liquid elsewhere continues to sleep. Returns the number of changed
    /// velocities. It may be called between two ticks and between two passes.
    ///
    /// ```
    /// use blob_fluid::{FluidBounds, FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in [0.0, 100.0] {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
    /// }
    /// let gust = FluidBounds { low: Vec2::splat(-10.0), high: Vec2::splat(10.0) };
    /// let blown = world.change_velocities_in(gust, |particle| particle.velocity.x += 50.0);
    /// assert_eq!(blown, 1);
    /// assert_eq!(world.particles().velocities()[1], Vec2::ZERO);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn change_velocities_in(
        &mut self,
        bounds: FluidBounds,
        mut change: impl FnMut(MovingParticle<'_>),
    ) -> usize {
        let Self { particles, sleep, .. } = self;
        let mut runs = Vec::new();
        particles.index().visit(|around| around.intersects(bounds), |run| runs.push(run));
        let (mut changed, mut around) = (0, FluidBounds::NONE);
        for index in runs.into_iter().flatten() {
            let position = particles.position[index];
            if !bounds.contains(position) {
                continue;
            }
            let before = particles.velocity[index];
            change(MovingParticle {
                index,
                id: particles.id[index],
                position,
                class: particles.class[index],
                velocity: &mut particles.velocity[index],
            });
            if particles.velocity[index] == before {
                continue;
            }
            changed += 1;
            particles.unchecked = true;
            around = around.union(FluidBounds { low: position, high: position });
            let activity = &mut particles.activity[index];
            if sleep.in_tick && *activity < Activity::Awake {
                // A particle that does not take part in a tick would lose its velocity at the end
                // of the tick.
                *activity = Activity::Awake;
                particles.order.renew();
                sleep.asleep = sleep.asleep.saturating_sub(1);
            }
        }
        if changed > 0 {
            // One box, however many particles are in it.
            sleep.disturb_around(around);
        }
        changed
    }
}
