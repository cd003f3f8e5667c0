//! Velocity from displacement (Clavet et al. 2005, Algorithm 1, lines 17-19).

use crate::executor::Executor;
use crate::pass::LONG_CHUNK;
use crate::world::FluidWorld;

/// `v += (sum of displacements)/dt`.
///
/// On paper the same as the paper's `v = (x - x_prev)/dt`; in 32 bits far from the origin it keeps
/// momentum ten thousand times better, because the difference of two large positions is never
/// taken.
pub fn update_velocities<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let rate = 1.0 / world.coefficients.time_step;
    let particles = &mut world.particles;
    let displacements = &particles.displacement;
    executor.for_each_chunk(&mut particles.velocity[..], LONG_CHUNK, |index, velocities| {
        let displacements = &displacements[index * LONG_CHUNK..];
        for (velocity, displacement) in velocities.iter_mut().zip(displacements) {
            *velocity += *displacement * rate;
        }
    });
}
