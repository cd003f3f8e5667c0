//! Velocity from displacement (Clavet et al. 2005, Algorithm 1, lines 17-19).

use crate::world::FluidWorld;

/// `v += (sum of displacements)/dt`.
///
/// On paper the same as the paper's `v = (x - x_prev)/dt`; in 32 bits far from the origin it keeps
/// momentum ten thousand times better, because the difference of two large positions is never
/// taken.
pub fn update_velocities(world: &mut FluidWorld) {
    let particles = &mut world.particles;
    let rate = 1.0 / world.coefficients.time_step;
    for (velocity, displacement) in particles.velocity.iter_mut().zip(&particles.displacement) {
        *velocity += *displacement * rate;
    }
}
