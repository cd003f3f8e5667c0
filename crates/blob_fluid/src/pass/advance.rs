//! Prediction (Clavet et al. 2005, Algorithm 1, lines 6-10).

use glam::Vec2;

use crate::executor::Executor;
use crate::pass::LONG_CHUNK;
use crate::pass::containment::keep_inside;
use crate::sleep::idle;
use crate::world::FluidWorld;

/// `x_prev = x; x += dt v`, for containers and colliders that move as well.
///
/// Where walls have a ghost density the predicted position is kept inside its container at once,
/// since a density read from beyond the wall would be wrong.
pub fn advance_positions<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let time_step = world.coefficients.time_step;
    let particles = &mut world.particles;
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
    world.solids.advance(time_step, world.coefficients.per_time_unit);
    if world.coefficients.has_ghost_walls() {
        keep_inside(world, true, executor);
    }
    world.has_moved();
}
