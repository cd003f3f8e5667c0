//! Forces at a place (interaction, Clavet et al. 2005, section 6.2).

use crate::executor::Executor;
use crate::pass::LONG_CHUNK;
use crate::sleep::idle;
use crate::world::FluidWorld;

/// `v += dt a (1 - (r/R)^2) r_hat` towards each force's centre, then its drag, then its heat.
pub fn apply_forces<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let FluidWorld { particles, forces, coefficients, .. } = world;
    if forces.is_empty() {
        return;
    }
    let time_step = coefficients.time_step;
    let (positions, activity) = (&particles.position, &particles.activity);
    let changed = (&mut particles.velocity[..], &mut particles.temperature[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (velocities, temperatures)| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + velocities.len()]) {
            return;
        }
        let positions = &positions[start..];
        for force in &*forces {
            let particles = positions.iter().zip(&mut *velocities).zip(&mut *temperatures);
            for ((position, velocity), temperature) in particles {
                if let Some((strength, offset)) = force.strength(*position) {
                    let direction = offset.normalize_or_zero();
                    *velocity += direction * (force.acceleration * strength * time_step);
                    *velocity /= 1.0 + force.drag * strength * time_step;
                    *temperature += force.heat * strength * time_step;
                }
            }
        }
    });
}
