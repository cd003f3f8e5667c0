//! Forces (interaction, Clavet et al. 2005, section 6.2) and the host's force fields.

use crate::geometry::bounds::Bounds;
use crate::liquid::force::field::FieldParticles;
use crate::liquid::force::forces::Forces;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::activity::idle;
use crate::particles::arrays::Particles;

/// Number of consecutive particles that share one bounding box.
const RUN: usize = 64;

/// Applies every [`Force`](crate::Force) in order, then every [force field](crate::ForceField).
pub(crate) fn apply_forces<E: Executor>(
    particles: &mut Particles,
    forces: &Forces,
    time_step: f32,
    executor: &E,
) {
    if forces.is_empty() {
        return;
    }
    let (positions, classes) = (&particles.position, &particles.class);
    let activity = &particles.activity;
    let changed = (&mut particles.velocity[..], &mut particles.temperature[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (velocities, temperatures)| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + velocities.len()]) {
            return;
        }
        let runs = velocities.chunks_mut(RUN).zip(temperatures.chunks_mut(RUN));
        for (run, (velocities, temperatures)) in runs.enumerate() {
            let indices = start + run * RUN..start + run * RUN + velocities.len();
            let (positions, classes) = (&positions[indices.clone()], &classes[indices]);
            let around = Bounds::of(positions);
            forces.apply(
                around,
                &mut FieldParticles { positions, classes, velocities, temperatures, time_step },
            );
        }
    });
}
