//! A read-only view of the particles for the passes over pairs.

use glam::Vec2;

use crate::particles::activity::Activity;
use crate::particles::arrays::Particles;
use crate::particles::grain::Grain;
use crate::particles::id::ParticleId;
use crate::settings::class::ClassId;

/// The arrays of all particles, which do not change while a pass reads them. They have equal
/// lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleView<'a> {
    pub position: &'a [Vec2],
    pub previous_position: &'a [Vec2],
    pub velocity: &'a [Vec2],
    pub displacement: &'a [Vec2],
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

/// What a solver computes beside displacements. The arrays have the length of the view's.
#[derive(Debug)]
pub(crate) struct Computed<'a> {
    pub relative_density: &'a mut [f32],
    /// To be set for particles that must not sleep yet.
    pub rest_time: &'a mut [f32],
    /// What the solver keeps of its pressures; empty if it keeps nothing.
    pub pressure: &'a mut [f32],
    /// What grains remember; empty if no class is a powder.
    pub grains: &'a mut [Grain],
}

impl Particles {
    /// The view of the particles, and what a solver computes.
    pub(crate) fn view_and_computed(&mut self) -> (ParticleView<'_>, Computed<'_>) {
        let view = ParticleView {
            position: &self.position,
            previous_position: &self.previous_position,
            velocity: &self.velocity,
            displacement: &self.displacement,
            class: &self.class,
            activity: &self.activity,
            id: &self.id,
            temperature: &self.temperature,
        };
        let computed = Computed {
            relative_density: &mut self.relative_density,
            rest_time: &mut self.rest_time,
            pressure: &mut self.pressure,
            grains: &mut self.grains,
        };
        (view, computed)
    }
}
