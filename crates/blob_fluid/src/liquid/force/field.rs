//! Forces of the host's own making.

use glam::Vec2;

use crate::geometry::bounds::Bounds;
use crate::settings::class::ClassId;

/// Some of the particles, for a [`ForceField`] to act on: arrays of equal length, in no order that
/// means anything.
#[derive(Debug)]
pub struct FieldParticles<'a> {
    /// Where they are, in world units.
    pub positions: &'a [Vec2],
    /// Their classes.
    pub classes: &'a [ClassId],
    /// Their velocities, in world units/s. One that is not finite is quarantined with its particle.
    pub velocities: &'a mut [Vec2],
    /// Their temperatures, in degrees. One that is not finite is quarantined with its particle.
    pub temperatures: &'a mut [f32],
    /// For how long to act, in seconds.
    pub time_step: f32,
}

/// A force that the host computes: called in every substep, after the [forces](crate::Force), for
/// the particles in its bounds, a few dozen at a time and perhaps on several threads.
///
/// Functions are force fields that act everywhere. What becomes of a particle may depend on nothing
/// but that particle and the field: others may or may not come in the same call.
///
/// ```
/// use std::sync::Arc;
/// use blob_fluid::{FieldParticles, FluidWorld};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// // Air that is thicker farther up.
/// world.set_force_fields(vec![Arc::new(|particles: &mut FieldParticles<'_>| {
///     for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
///         *velocity /= 1.0 + particles.time_step * 0.01 * position.y.max(0.0);
///     }
/// })]);
/// ```
pub trait ForceField: Send + Sync {
    /// A box around where it acts. Some particles outside may be handed over as well.
    fn bounds(&self) -> Bounds {
        Bounds::ALL
    }

    /// Whether it does anything to liquid at rest, which then stays awake. `false` for what only
    /// slows.
    fn acts_at_rest(&self) -> bool {
        true
    }

    /// Changes velocities and temperatures.
    fn apply(&self, particles: &mut FieldParticles<'_>);
}

impl<F: Fn(&mut FieldParticles<'_>) + Send + Sync> ForceField for F {
    fn apply(&self, particles: &mut FieldParticles<'_>) {
        self(particles);
    }
}
