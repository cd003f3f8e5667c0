//! Neighbour search: sorts the particles into the cells of a uniform grid (Clavet et al. 2005, section 3).

use std::ops::Range;

use crate::boundary::solids::FreeDiscs;
use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::{Activity, idle};
use crate::particles::reorder::ReorderScratch;
use crate::revision::Revision;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::blocks::ClassPresence;
use crate::solver::neighbours::grid::Grid;
use crate::solver::pass::quarantine::{QuarantineScope, quarantine};
use crate::{Executor, Liquid, Particles};

/// The grid that the particles are sorted into, and the buffers of the sort.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    pub grid: Grid,
    /// The free discs of the particles, valid until the next sort.
    pub free_discs: FreeDiscs,
    /// The classes in each group of particles. Each pass that needs them computes them again.
    pub class_presence: ClassPresence,
    reorder: ReorderScratch,
    /// Revision of the particle order that the grid was built for. While it is unchanged, only passes have changed the
    /// particles, and passes do not change sleeping chunks.
    order: Option<Revision>,
    /// Revision of the walls that the free discs were computed for.
    walls: Option<Revision>,
    /// Whether all particles of each long chunk have slept since the last sort. In a partly awake long chunk, passes
    /// move sleeping particles and then reset their positions.
    asleep_chunks: Vec<bool>,
}

impl Neighbours {
    /// Returns the grid, and the classes near each of its blocks. The grid must belong to these particles, and
    /// `classes` is the length of the class table.
    pub(crate) fn with_presence(
        &mut self,
        particles: &Particles,
        classes: usize,
    ) -> (&Grid, &ClassPresence) {
        (&self.grid, self.class_presence.compute(&particles.class, classes))
    }

    /// Whether the grid belongs to these particles, and no particle has moved since the last sort.
    pub(crate) fn is_current_for(&self, particles: &Particles) -> bool {
        particles.sorted && self.order == Some(particles.order)
    }

    /// Discards the free discs if the order of the particles in their arrays, or the walls that stop them, have
    /// changed.
    pub(crate) fn invalidate_free_discs(&mut self, liquid: &Liquid) {
        let walls = Some(liquid.boundary.walls_revision);
        if self.order != Some(liquid.particles.order) || self.walls != walls {
            self.free_discs.invalidate();
            self.walls = walls;
        }
    }

    /// Updates which long chunks have slept. Must be called after a tick has chosen the awake particles.
    pub(crate) fn update_sleeping_chunks(&mut self, activity: &[Activity]) {
        for (slept, activity) in self.asleep_chunks.iter_mut().zip(activity.chunks(LONG_CHUNK)) {
            *slept &= idle(activity);
        }
    }
}

/// Sorts the particles into the cells of the grid. All positions must be finite. `asleep` is the number of sleeping
/// particles; `None` if no particle can sleep.
pub(crate) fn hash_positions(
    particles: &mut Particles,
    neighbours: &mut Neighbours,
    interaction_radius: f32,
    asleep: Option<usize>,
    executor: &dyn Executor,
) {
    let Neighbours { grid, free_discs, reorder, order, asleep_chunks, .. } = neighbours;
    free_discs.invalidate();
    let order_is_current = *order == Some(particles.order);
    let is_unchanged = |range: Range<usize>| {
        let chunks = asleep_chunks.get(range.start / LONG_CHUNK..range.end.div_ceil(LONG_CHUNK));
        order_is_current && chunks.is_some_and(|chunks| chunks.iter().all(|asleep| *asleep))
    };
    let mostly_asleep = asleep.is_some_and(|asleep| asleep > particles.len() / 2);
    let positions = &particles.position;
    let sorted = grid.sort_incrementally(
        positions,
        interaction_radius,
        mostly_asleep,
        is_unchanged,
        executor,
    );
    particles.reorder(sorted, asleep.is_some(), reorder, executor);
    asleep_chunks.clear();
    asleep_chunks.extend(particles.activity.chunks(LONG_CHUNK).map(idle));
    particles.mark_moved();
    particles.sorted = true;
    particles.order.renew();
    *order = Some(particles.order);
}

// Sorts the particles again, for passes that run before the hashing or after particles have moved.

/// Quarantines and hashes the particles, if any particle has moved since the last hashing.
pub(crate) fn refresh(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if !neighbours.is_current_for(&liquid.particles) {
        quarantine(liquid, QuarantineScope::Awake, coefficients.time_step, executor);
        let asleep = liquid.parameters.sleeping.is_on().then_some(liquid.sleep.asleep);
        let radius = coefficients.interaction_radius;
        hash_positions(&mut liquid.particles, neighbours, radius, asleep, executor);
    }
}
