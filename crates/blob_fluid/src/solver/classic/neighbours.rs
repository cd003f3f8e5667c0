//! The neighbours of one particle.

use glam::Vec2;

use crate::solver::neighbours::blocks::Block;

/// Fills `near` with the indices of all particles that are closer than the interaction radius to
/// the particle at index `i` of a block, in the order of the arrays. `positions` are the positions
/// that the grid was sorted by.
pub(super) fn find_neighbours(
    near: &mut Vec<usize>,
    positions: &[Vec2],
    block: &Block,
    i: usize,
    interaction_radius: f32,
) {
    let squared_radius = interaction_radius * interaction_radius;
    let is_near =
        |j: &usize| *j != i && positions[i].distance_squared(positions[*j]) < squared_radius;
    near.clear();
    near.extend(block.spans().flatten().filter(is_near));
    // The spans of a folded grid are not in order.
    near.sort_unstable();
}
