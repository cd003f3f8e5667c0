//! Neighbour search: particles are sorted into the cells of a uniform grid (Clavet et al. 2005,
//! section 3).

use glam::Vec2;

use crate::particle::Particles;
use crate::world::FluidWorld;

/// Sorts the particles into cells as wide as the interaction radius, after quarantining those
/// that are not finite or out of the world.
pub fn hash_positions(world: &mut FluidWorld) {
    quarantine(world);
    let order = world.grid.sort(&world.particles.position, world.coefficients.interaction_radius);
    world.particles.reorder(order, &mut world.scratch.reorder);
    world.grid_is_current = true;
}

/// Hashes unless nothing has moved since the last time.
pub(crate) fn refresh_grid(world: &mut FluidWorld) {
    if !world.grid_is_current {
        hash_positions(world);
    }
}

/// Removes and counts particles that would spread NaN or do not fit the grid.
fn quarantine(world: &mut FluidWorld) {
    let limit = world.reach();
    // Faster than that it leaves the world within a substep, wherever it is.
    let fastest = (2.0 * limit / world.coefficients.time_step).min(f32::MAX);
    let healthy = |particles: &Particles, place: usize| {
        // Comparisons with NaN are false, so one test finds all that is wrong.
        particles.position[place].abs().cmple(Vec2::splat(limit)).all()
            && particles.velocity[place].abs().cmple(Vec2::splat(fastest)).all()
            && particles.displacement[place].is_finite()
            && particles.temperature[place].is_finite()
    };
    let all_healthy = (0..world.particles.len()).all(|place| healthy(&world.particles, place));
    if !all_healthy {
        let removed = world.particles.remove_where(|all, place| !healthy(all, place));
        world.quarantined += removed as u64;
    }
}
