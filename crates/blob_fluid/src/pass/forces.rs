//! Forces at a place (interaction, Clavet et al. 2005, section 6.2), and those of the host.

use crate::bounds::Bounds;
use crate::executor::Executor;
use crate::force::FieldParticles;
use crate::pass::LONG_CHUNK;
use crate::sleep::idle;
use crate::world::FluidWorld;

/// How many consecutive particles share a box that forces may miss.
const RUN: usize = 64;

/// What each [`Force`](crate::Force) says, in order, then each [force field](crate::ForceField).
pub fn apply_forces<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let FluidWorld { particles, forces, coefficients, .. } = world;
    if forces.is_empty() {
        return;
    }
    let time_step = coefficients.time_step;
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
            let places = start + run * RUN..start + run * RUN + velocities.len();
            let (positions, classes) = (&positions[places.clone()], &classes[places]);
            let around = Bounds::of(positions);
            forces.apply(
                around,
                &mut FieldParticles { positions, classes, velocities, temperatures, time_step },
            );
        }
    });
}
