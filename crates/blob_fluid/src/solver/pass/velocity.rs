//! Velocity from displacement (Clavet et al. 2005, Algorithm 1, lines 17-19).

use glam::Vec2;

use crate::liquid::state::Sleep;
use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::{Activity, idle};
use crate::{Executor, Particles};

/// `v += (sum of displacements)/dt`.
///
/// In exact arithmetic, this equals the paper's `v = (x - x_prev)/dt`. In `f32` and far from the
/// origin it conserves momentum ten thousand times better, because it never subtracts two large
/// positions. Sleeping particles return to their previous positions.
pub(crate) fn update_velocities(
    particles: &mut Particles,
    sleep: &Sleep,
    time_step: f32,
    executor: &dyn Executor,
) {
    let rate = 1.0 / time_step;
    particles.mark_moved();
    let all_awake = sleep.asleep == 0;
    let (previous, activity) = (&particles.previous_position, &particles.activity);
    let changed =
        (&mut particles.velocity[..], &mut particles.displacement[..], &mut particles.position[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, changed| {
        let (velocities, displacements, positions) = changed;
        let start = index * LONG_CHUNK;
        let activity = &activity[start..start + velocities.len()];
        if idle(activity) {
            return;
        }
        for (velocity, displacement) in velocities.iter_mut().zip(&*displacements) {
            *velocity += *displacement * rate;
        }
        if all_awake {
            return;
        }
        for (offset, activity) in activity.iter().enumerate() {
            if *activity < Activity::Awake {
                velocities[offset] = Vec2::ZERO;
                displacements[offset] = Vec2::ZERO;
                positions[offset] = previous[start + offset];
            }
        }
    });
}
