//! The drags that bring a pool to rest. Not in the paper: plain viscosity alone lets it rock on.

use crate::executor::Executor;
use crate::kernel::positive;
use crate::pass::LONG_CHUNK;
use crate::sleep::idle;
use crate::world::FluidWorld;

/// Drag on everything and drag on slow particles, both implicit: `v /= 1 + dt c`.
///
/// The calm drag fades as `(1 - |v|/v_calm)^2`. Both are off while gravity is zero.
pub fn apply_damping<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let coefficients = &world.coefficients;
    if coefficients.drag <= 0.0 && coefficients.calm_drag <= 0.0 {
        return;
    }
    let particles = &mut world.particles;
    let activity = &particles.activity;
    executor.for_each_chunk(&mut particles.velocity[..], LONG_CHUNK, |index, velocities| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + velocities.len()]) {
            return;
        }
        for velocity in velocities {
            let slowness = positive(1.0 - velocity.length() * coefficients.inverse_calm_speed);
            let drag = coefficients.drag + coefficients.calm_drag * slowness * slowness;
            *velocity /= 1.0 + drag;
        }
    });
}
