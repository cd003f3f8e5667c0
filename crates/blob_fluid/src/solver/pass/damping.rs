//! Drags that bring a pool to rest. They are not in the paper: with plain viscosity alone a pool
//! keeps rocking.

use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::parallel::lanes::positive;
use crate::particles::activity::idle;
use crate::particles::arrays::Particles;
use crate::solver::coefficients::Coefficients;

/// Drag on all particles and drag on slow particles, both implicit: `v /= 1 + dt c`.
///
/// The calm drag fades as `(1 - |v|/v_calm)^2`. Both are off while gravity is zero.
pub(crate) fn apply_damping(
    particles: &mut Particles,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if coefficients.drag <= 0.0 && coefficients.calm_drag <= 0.0 {
        return;
    }
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
