//! Symplectic Euler: forces act where the particles are, and then the particles move with the
//! velocities that follow.

use glam::Vec2;

use crate::boundary::solids::Solids;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::activity::idle;
use crate::particles::arrays::Particles;
use crate::solver::coefficients::Coefficients;

/// Begins a substep: particles and walls stay where they are until the forces are known. Bodies advance,
/// because their velocities contain the forces of the substep before.
pub(crate) fn hold_positions(
    particles: &mut Particles,
    boundary: &mut Solids,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let (positions, activity) = (&particles.position, &particles.activity);
    let changed = (&mut particles.previous_position[..], &mut particles.displacement[..]);
    executor.for_each_chunk(changed, LONG_CHUNK, |index, (previous, displacements)| {
        let range = index * LONG_CHUNK..index * LONG_CHUNK + previous.len();
        if !idle(&activity[range.clone()]) {
            previous.copy_from_slice(&positions[range]);
            displacements.fill(Vec2::ZERO);
        }
    });
    boundary.advance_bodies(coefficients.time_step);
}

/// `x += dt v` with the velocities before the forces; the displacements that these cause have been
/// added already. Containers and colliders that move advance as well: all but bodies.
pub(crate) fn move_on(
    particles: &mut Particles,
    boundary: &mut Solids,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    let (velocities, activity) = (&particles.velocity, &particles.activity);
    executor.for_each_chunk(&mut particles.position[..], LONG_CHUNK, |index, positions| {
        let start = index * LONG_CHUNK;
        if idle(&activity[start..start + positions.len()]) {
            return;
        }
        for (position, velocity) in positions.iter_mut().zip(&velocities[start..]) {
            *position += *velocity * coefficients.time_step;
        }
    });
    boundary.advance_others(coefficients.time_step, coefficients.per_time_unit);
    particles.mark_moved();
}
