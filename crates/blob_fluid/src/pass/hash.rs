//! Neighbour search: particles are sorted into the cells of a uniform grid (Clavet et al. 2005,
//! section 3).

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use glam::Vec2;

use crate::executor::Executor;
use crate::instructions::{self, LaneKernel};
use crate::particle::Particles;
use crate::pass::LONG_CHUNK;
use crate::world::FluidWorld;

/// Sorts the particles into the cells of the grid, after quarantining those that are not finite or
/// out of the world.
pub fn hash_positions<E: Executor>(world: &mut FluidWorld, executor: &E) {
    quarantine(world, executor);
    let may_sleep = world.parameters().sleeping.is_on();
    let FluidWorld { grid, particles, coefficients, scratch, .. } = world;
    let order = grid.sort(&particles.position, coefficients.interaction_radius, executor);
    particles.reorder(order, may_sleep, &mut scratch.reorder, executor);
    world.has_moved();
    world.grid_is_current = true;
}

/// Hashes unless nothing has moved since the last time.
pub(crate) fn refresh_grid<E: Executor>(world: &mut FluidWorld, executor: &E) {
    if !world.grid_is_current {
        hash_positions(world, executor);
    }
}

/// Removes and counts particles that would spread NaN or do not fit the grid.
pub(crate) fn quarantine<E: Executor>(world: &mut FluidWorld, executor: &E) {
    let limit = world.reach();
    // Faster than that it leaves the world within a substep, wherever it is.
    let fastest = (2.0 * limit / world.coefficients.time_step).min(f32::MAX);
    let healthy = |particles: &Particles, place: usize| {
        within(particles.position[place], limit)
            & within(particles.velocity[place], fastest)
            & within(particles.displacement[place], f32::MAX)
            & (particles.temperature[place].abs() <= f32::MAX)
    };
    let all_healthy = AtomicBool::new(true);
    let all = &world.particles;
    executor.for_each_chunk(0..all.len(), LONG_CHUNK, |_, places| {
        let vectors = |vectors: &[Vec2], limit| {
            instructions::run(AllWithin { vectors: &vectors[places.clone()], limit })
        };
        let healthy = vectors(&all.position, limit)
            & vectors(&all.velocity, fastest)
            & vectors(&all.displacement, f32::MAX)
            & all.temperature[places.clone()].iter().all(|temperature| temperature.is_finite());
        if !healthy {
            all_healthy.store(false, Relaxed);
        }
    });
    if !all_healthy.load(Relaxed) {
        let FluidWorld { particles, sleep, .. } = world;
        let removed = particles.remove_where(|all, place| {
            let dies = !healthy(all, place);
            if dies {
                sleep.disturb(all.resting_place[place]);
            }
            dies
        });
        world.quarantined += removed as u64;
        world.has_moved();
    }
}

/// Whether a vector's components are numbers within `±limit`: comparisons with NaN are false.
#[inline(always)]
fn within(vector: Vec2, limit: f32) -> bool {
    (vector.x.abs() <= limit) & (vector.y.abs() <= limit)
}

/// The same for many.
struct AllWithin<'a> {
    vectors: &'a [Vec2],
    limit: f32,
}

impl LaneKernel for AllWithin<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.vectors.iter().fold(true, |all, vector| all & within(*vector, self.limit))
    }
}
