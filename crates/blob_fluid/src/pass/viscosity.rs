//! Viscosity (Clavet et al. 2005, Algorithm 5).

use glam::Vec2;

use crate::class::{ClassId, ClassTable};
use crate::executor::Executor;
use crate::grid::{Block, LANES};
use crate::kernel::positive;
use crate::pass::CHUNK;
use crate::pass::hash::refresh_grid;
use crate::pass::pair::{Lanes, gather};
use crate::world::FluidWorld;

/// Exchanges velocity along each pair: `v_i -= I m_j/(m_i + m_j) r_hat`, with
/// `u = (v_i - v_j) . r_hat` and `I = q u (min(dt (sigma + beta u), limit) [u > 0] + dt linear)`.
///
/// Reads velocities frozen before the pass, and a grid that is valid for the positions it reads:
/// where the last substep moved particles after hashing, they are hashed again. Coincident pairs
/// have no direction and exchange nothing.
pub fn apply_viscosity<E: Executor>(world: &mut FluidWorld, executor: &E) {
    if !world.coefficients.is_viscous() {
        return;
    }
    refresh_grid(world);
    let mut after = std::mem::take(&mut world.scratch.vectors);
    after.clear();
    after.extend_from_slice(&world.particles.velocity);
    let frozen = &*world;
    executor.for_each_chunk(&mut after, CHUNK, |chunk_index, chunk| {
        let start = chunk_index * CHUNK;
        let mut shares = [[0.0; LANES]; ClassTable::MAX_CLASSES];
        for block in frozen.grid.blocks(start..start + chunk.len()) {
            let (x, y) = viscosity_of_block(frozen, &block, &mut shares);
            for (lane, place) in block.particles.enumerate() {
                chunk[place - start] -= Vec2::new(x[lane], y[lane]);
            }
        }
    });
    world.scratch.vectors = std::mem::replace(&mut world.particles.velocity, after);
}

/// What each particle of a block loses.
fn viscosity_of_block(
    world: &FluidWorld,
    block: &Block,
    shares: &mut [Lanes; ClassTable::MAX_CLASSES],
) -> (Lanes, Lanes) {
    let coefficients = &world.coefficients;
    let (positions, velocities) = (world.particles.positions(), world.particles.velocities());
    let classes: &[ClassId] = world.particles.classes();
    let class_count = coefficients.classes.len();
    for (other, share) in shares[..class_count].iter_mut().enumerate() {
        *share = gather(block, |i| {
            coefficients.viscosity_shares[classes[i].index() * class_count + other]
        });
    }
    let x = gather(block, |i| positions[i].x);
    let y = gather(block, |i| positions[i].y);
    let velocity_x = gather(block, |i| velocities[i].x);
    let velocity_y = gather(block, |i| velocities[i].y);
    let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
    let (mut sum_x, mut sum_y) = ([0.0; LANES], [0.0; LANES]);
    for span in block.spans() {
        let others = positions[span.clone()].iter().zip(&velocities[span.clone()]);
        for ((position, velocity), class) in others.zip(&classes[span]) {
            let share = &shares[class.index()];
            for lane in 0..LANES {
                let (dx, dy) = (position.x - x[lane], position.y - y[lane]);
                let squared = dx * dx + dy * dy;
                let distance = squared.sqrt();
                let inverse = if squared < squared_coincidence { 0.0 } else { 1.0 / distance };
                let q = positive(1.0 - distance * coefficients.inverse_radius);
                let approach = ((velocity_x[lane] - velocity.x) * dx
                    + (velocity_y[lane] - velocity.y) * dy)
                    * inverse;
                let closing = positive(approach);
                let rate =
                    coefficients.approach_viscosity + coefficients.quadratic_viscosity * closing;
                let limit = coefficients.viscosity_limit;
                let limited = if rate < limit { rate } else { limit };
                let impulse = (limited * closing + coefficients.linear_viscosity * approach) * q;
                let along = impulse * share[lane] * inverse;
                sum_x[lane] += along * dx;
                sum_y[lane] += along * dy;
            }
        }
    }
    (sum_x, sum_y)
}
