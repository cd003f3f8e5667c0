//! Neighbour search: particles are sorted into the cells of a uniform grid (Clavet et al. 2005,
//! section 3).

use crate::parallel::executor::Executor;
use crate::particles::arrays::Particles;
use crate::particles::reorder::ReorderScratch;
use crate::solver::neighbours::grid::Grid;

/// The grid that the particles are sorted into, and buffers for sorting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    pub grid: Grid,
    reorder: ReorderScratch,
}

/// Sorts the particles into the cells of the grid. All positions must be finite.
pub(crate) fn hash_positions<E: Executor>(
    particles: &mut Particles,
    neighbours: &mut Neighbours,
    interaction_radius: f32,
    may_sleep: bool,
    executor: &E,
) {
    let Neighbours { grid, reorder } = neighbours;
    let order = grid.sort_again(&particles.position, interaction_radius, executor);
    particles.reorder(order, may_sleep, reorder, executor);
    particles.has_moved();
    particles.sorted = true;
}
