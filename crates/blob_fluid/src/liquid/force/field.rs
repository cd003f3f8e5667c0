//! Force fields: forces that the host computes.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;
use crate::settings::class::ClassId;

/// Particles on which a [`ForceField`] acts: arrays of equal length, in an arbitrary order.
#[derive(Debug)]
pub struct FieldParticles<'a> {
    /// Positions, in world units.
    pub positions: &'a [Vec2],
    /// The particles' classes.
    pub classes: &'a [ClassId],
    /// Velocities, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocities: &'a mut [Vec2],
    /// Temperatures, in degrees. A particle whose temperature is not finite is quarantined.
    pub temperatures: &'a mut [f32],
    /// Time for which the field acts, in seconds.
    pub time_step: f32,
}

/// A force that the host computes. It is called in every substep, after the [forces](crate::Force),
/// for the particles in its bounds. A call gets a few dozen particles, and calls may run on several
/// threads.
///
/// Functions are force fields that act everywhere. The result for a particle must depend only on
/// that particle and the field, because it is not defined which particles are in the same call.
///
/// ```
/// use std::sync::Arc;
/// use blob_fluid::{FieldParticles, FluidWorld};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// // The drag of the air increases with height.
/// world.set_force_fields(vec![Arc::new(|particles: &mut FieldParticles<'_>| {
///     for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
///         *velocity /= 1.0 + particles.time_step * 0.01 * position.y.max(0.0);
///     }
/// })]);
/// ```
pub trait ForceField: Send + Sync {
    /// A box around the region in which it acts. A call may also get some particles outside of the
    /// box.
    fn bounds(&self) -> FluidBounds {
        FluidBounds::ALL
    }

    /// Whether it acts on liquid at rest, which then stays awake. Return `false` for a field that
    /// only slows liquid.
    fn acts_at_rest(&self) -> bool {
        true
    }

    /// Changes the velocities and temperatures of particles.
    fn apply(&self, particles: &mut FieldParticles<'_>);
}

impl<F: Fn(&mut FieldParticles<'_>) + Send + Sync> ForceField for F {
    fn apply(&self, particles: &mut FieldParticles<'_>) {
        self(particles);
    }
}
