//! Prediction (Clavet et al. 2005, Algorithm 1, lines 6-10).

use glam::Vec2;

use crate::pass::containment::keep_inside;
use crate::world::FluidWorld;

/// `x_prev = x; x += dt v`, for containers and colliders that move as well.
///
/// Where walls have a ghost density the predicted position is kept inside its container at once,
/// since a density read from beyond the wall would be wrong.
pub fn advance_positions(world: &mut FluidWorld) {
    let coefficients = &world.coefficients;
    let particles = &mut world.particles;
    for place in 0..particles.position.len() {
        let position = particles.position[place];
        particles.previous_position[place] = position;
        particles.position[place] = position + particles.velocity[place] * coefficients.time_step;
        particles.displacement[place] = Vec2::ZERO;
    }
    world.solids.advance(coefficients.time_step);
    if coefficients.has_ghost_walls() {
        keep_inside(world, true);
    }
    world.grid_is_current = false;
}
