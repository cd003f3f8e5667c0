//! A read-only view of the particles for the passes over pairs.

use glam::Vec2;

use crate::particles::activity::Activity;
use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::settings::class::ClassId;

/// The arrays of all particles, which do not change while a pass reads them. They have equal
/// lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleView<'a> {
    pub position: &'a [Vec2],
    pub previous_position: &'a [Vec2],
    pub velocity: &'a [Vec2],
    pub class: &'a [ClassId],
    pub activity: &'a [Activity],
    pub id: &'a [ParticleId],
    pub temperature: &'a [f32],
}

impl ParticleView<'_> {
    /// Number of particles.
    pub(crate) fn len(&self) -> usize {
        self.position.len()
    }
}

impl Particles {
    /// The view of the particles, and what the relaxation computes beside displacements: the
    /// relative densities, and the rest times of particles that must not sleep yet.
    pub(crate) fn view_and_computed(&mut self) -> (ParticleView<'_>, &mut [f32], &mut [f32]) {
        let view = ParticleView {
            position: &self.position,
            previous_position: &self.previous_position,
            velocity: &self.velocity,
            class: &self.class,
            activity: &self.activity,
            id: &self.id,
            temperature: &self.temperature,
        };
        (view, &mut self.relative_density, &mut self.rest_time)
    }
}
