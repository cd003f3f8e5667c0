//! Forces (interaction, Clavet et al. 2005, section 6.2) and the host's force fields.

use glam::Vec2;

use crate::liquid::force::Forces;
use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::idle;
use crate::solver::coefficients::Coefficients;
use crate::{Executor, FieldParticles, FluidBounds, Particles};

/// Number of consecutive particles that share one bounding box.
const GROUP_SIZE: usize = 64;

/// Applies every [`Force`](crate::Force) in order, then every [force field](crate::ForceField).
///
/// Together they do not accelerate a particle beyond 16 interaction radii per substep. A particle
/// that is already faster does not get faster.
pub(crate) fn apply_forces(
    particles: &mut Particles,
    forces: &Forces,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if forces.is_empty() {
        return;
    }
    let &Coefficients { time_step, max_velocity_change, .. } = coefficients;
    let (positions, classes) = (&particles.position, &particles.class);
    let activity = &particles.activity;
    let changed = (&mut particles.velocity[..], &mut particles.temperature[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (velocities, temperatures)| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + velocities.len()]) {
            return;
        }
        let groups = velocities.chunks_mut(GROUP_SIZE).zip(temperatures.chunks_mut(GROUP_SIZE));
        for (group, (velocities, temperatures)) in groups.enumerate() {
            let indices = start + group * GROUP_SIZE..start + group * GROUP_SIZE + velocities.len();
            let (positions, classes) = (&positions[indices.clone()], &classes[indices]);
            let bounds = FluidBounds::of(positions);
            let mut before = [Vec2::ZERO; GROUP_SIZE];
            before[..velocities.len()].copy_from_slice(velocities);
            forces.apply(
                bounds,
                &mut FieldParticles {
                    positions,
                    classes,
                    velocities: &mut *velocities,
                    temperatures,
                    time_step,
                },
            );
            for (velocity, before) in velocities.iter_mut().zip(&before) {
                if velocity.length_squared() > max_velocity_change * max_velocity_change {
                    *velocity = velocity.clamp_length_max(max_velocity_change.max(before.length()));
                }
            }
        }
    });
}
