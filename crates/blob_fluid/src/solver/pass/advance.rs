//! Prediction (Clavet et al. 2005, Algorithm 1, lines 6-10).

use glam::Vec2;

use crate::boundary::solids::Solids;
use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::idle;
use crate::solver::coefficients::Coefficients;
use crate::{Executor, Particles};

/// `x_prev = x; x += dt v`. Containers and colliders that move advance as well.
pub(crate) fn advance_positions(
    particles: &mut Particles,
    boundary: &mut Solids,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let time_step = coefficients.time_step;
    let (velocities, activity) = (&particles.velocity, &particles.activity);
    let changed = (
        &mut particles.position[..],
        &mut particles.previous_position[..],
        &mut particles.displacement[..],
    );
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (positions, previous, displacements)| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + positions.len()]) {
            return;
        }
        previous.copy_from_slice(positions);
        displacements.fill(Vec2::ZERO);
        for (position, velocity) in positions.iter_mut().zip(&velocities[start..]) {
            *position += *velocity * time_step;
        }
    });
    boundary.advance(time_step, coefficients.per_time_unit);
    particles.mark_moved();
}
