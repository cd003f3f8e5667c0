//! Gravity (Clavet et al. 2005, Algorithm 1, lines 1-3).

use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::idle;
use crate::solver::coefficients::Coefficients;
use crate::{Executor, Particles};

/// `v += dt g s`, where `s` is the class's gravity scale. If heat makes the class lighter, `s` is
/// reduced by the fraction `expansion (T - T_ambient)`, which is limited to ±2. `dt g s` is limited
/// to 16 interaction radii per substep.
pub(crate) fn apply_gravity(
    particles: &mut Particles,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let classes = &coefficients.classes;
    let ambient = coefficients.ambient_temperature;
    let expands = classes.iter().any(|class| class.expansion != 0.0);
    let (particle_classes, temperatures) = (&particles.class, &particles.temperature);
    let activity = &particles.activity;
    executor.for_each_chunk(&mut particles.velocity[..], LONG_CHUNK, |index, velocities| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + velocities.len()]) {
            return;
        }
        let chunk_classes = &particle_classes[start..start + velocities.len()];
        for (velocity, class) in velocities.iter_mut().zip(chunk_classes) {
            *velocity += classes[class.index()].gravity_impulse;
        }
        if !expands {
            return;
        }
        let warmth = temperatures[start..].iter().map(|temperature| temperature - ambient);
        for ((velocity, class), warmth) in velocities.iter_mut().zip(chunk_classes).zip(warmth) {
            let class = &classes[class.index()];
            *velocity -= class.gravity_impulse * buoyancy_fraction(class.expansion, warmth);
        }
    });
}

/// Fraction of its weight that a particle loses when it is warmer than the surroundings by
/// `temperature_difference` degrees.
#[inline(always)]
pub(crate) fn buoyancy_fraction(expansion: f32, temperature_difference: f32) -> f32 {
    (expansion * temperature_difference).clamp(-2.0, 2.0)
}
