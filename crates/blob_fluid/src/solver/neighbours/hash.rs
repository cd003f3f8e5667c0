//! Neighbour search: particles are sorted into the cells of a uniform grid (Clavet et al. 2005,
//! section 3).

use std::ops::Range;

use crate::boundary::free_disc::FreeDiscs;
use crate::parallel::chunks::LONG_CHUNK;
use crate::parallel::executor::Executor;
use crate::particles::activity::{Activity, idle};
use crate::particles::arrays::Particles;
use crate::particles::reorder::ReorderScratch;
use crate::solver::neighbours::grid::Grid;

/// The grid that the particles are sorted into, and buffers for sorting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    pub grid: Grid,
    /// The particles' free discs, until they are sorted again.
    pub free: FreeDiscs,
    reorder: ReorderScratch,
    /// Whether only passes, which leave sleeping chunks alone, have changed particles since they
    /// were sorted.
    undisturbed: bool,
    /// Whether each long chunk has been asleep since the particles were sorted. In a long chunk that
    /// is awake in part, sleeping particles go back to where they were.
    slept: Vec<bool>,
}

impl Neighbours {
    /// Must be called when a host gets access to the liquid: it may move or replace any particle.
    pub(crate) fn disturb(&mut self) {
        self.undisturbed = false;
        self.free.forget();
    }

    /// Must be called when a tick has chosen which particles are awake.
    pub(crate) fn wake(&mut self, activity: &[Activity]) {
        for (slept, activity) in self.slept.iter_mut().zip(activity.chunks(LONG_CHUNK)) {
            *slept &= idle(activity);
        }
    }
}

/// Sorts the particles into the cells of the grid. All positions must be finite. `asleep` is how
/// many of them sleep; `None` if nothing may sleep.
pub(crate) fn hash_positions<E: Executor>(
    particles: &mut Particles,
    neighbours: &mut Neighbours,
    interaction_radius: f32,
    asleep: Option<usize>,
    executor: &E,
) {
    let Neighbours { grid, free, reorder, undisturbed, slept } = neighbours;
    free.forget();
    let known = std::mem::replace(undisturbed, true);
    let still = |range: Range<usize>| {
        let chunks = slept.get(range.start / LONG_CHUNK..range.end.div_ceil(LONG_CHUNK));
        known && chunks.is_some_and(|slept| slept.iter().all(|slept| *slept))
    };
    let mostly_asleep = asleep.is_some_and(|asleep| asleep > particles.len() / 2);
    let positions = &particles.position;
    let order = grid.sort_again(positions, interaction_radius, mostly_asleep, still, executor);
    particles.reorder(order, asleep.is_some(), reorder, executor);
    slept.clear();
    slept.extend(particles.activity.chunks(LONG_CHUNK).map(idle));
    particles.has_moved();
    particles.sorted = true;
}
