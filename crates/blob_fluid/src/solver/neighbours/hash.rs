//! Neighbour search: particles are sorted into the cells of a uniform grid (Clavet et al. 2005,
//! section 3).

use std::ops::Range;

use crate::boundary::solids::FreeDiscs;
use crate::liquid::state::Liquid;
use crate::parallel::executor::{Executor, LONG_CHUNK};
use crate::particles::arrays::{Activity, Particles, idle};
use crate::particles::reorder::ReorderScratch;
use crate::revision::Revision;
use crate::solver::coefficients::Coefficients;
use crate::solver::neighbours::blocks::ClassPresence;
use crate::solver::neighbours::grid::Grid;
use crate::solver::pass::quarantine::{Checked, quarantine};

/// The grid that the particles are sorted into, and buffers for sorting.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    pub grid: Grid,
    /// The particles' free discs, until they are sorted again.
    pub free: FreeDiscs,
    /// The classes in each group of particles, for passes, which find them anew.
    pub presence: ClassPresence,
    reorder: ReorderScratch,
    /// The order that the particles were sorted into, while the grid is theirs. While they still
    /// have it, only passes, which leave sleeping chunks alone, have changed them.
    order: Option<Revision>,
    /// The walls that the free discs keep clear of.
    walls: Option<Revision>,
    /// Whether each long chunk has been asleep since the particles were sorted. In a long chunk that
    /// is awake in part, sleeping particles go back to where they were.
    slept: Vec<bool>,
}

impl Neighbours {
    /// The grid, and the classes near each block of it. The grid must be that of these particles, of a
    /// table of so many classes.
    pub(crate) fn with_presence(
        &mut self,
        particles: &Particles,
        classes: usize,
    ) -> (&Grid, &ClassPresence) {
        (&self.grid, self.presence.find(&particles.class, classes))
    }

    /// Whether the grid is that of these particles, and none has been moved since they were sorted.
    pub(crate) fn are_of(&self, particles: &Particles) -> bool {
        particles.sorted && self.order == Some(particles.order)
    }

    /// Forgets what the free discs are about, if it has changed: where particles stand in their
    /// arrays, and which walls stop them.
    pub(crate) fn follow(&mut self, liquid: &Liquid) {
        let walls = Some(liquid.boundary.walls_revision);
        if self.order != Some(liquid.particles.order) || self.walls != walls {
            self.free.forget();
            self.walls = walls;
        }
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
pub(crate) fn hash_positions(
    particles: &mut Particles,
    neighbours: &mut Neighbours,
    interaction_radius: f32,
    asleep: Option<usize>,
    executor: &dyn Executor,
) {
    let Neighbours { grid, free, reorder, order, slept, .. } = neighbours;
    free.forget();
    let known = *order == Some(particles.order);
    let still = |range: Range<usize>| {
        let chunks = slept.get(range.start / LONG_CHUNK..range.end.div_ceil(LONG_CHUNK));
        known && chunks.is_some_and(|slept| slept.iter().all(|slept| *slept))
    };
    let mostly_asleep = asleep.is_some_and(|asleep| asleep > particles.len() / 2);
    let positions = &particles.position;
    let sorted = grid.sort_again(positions, interaction_radius, mostly_asleep, still, executor);
    particles.reorder(sorted, asleep.is_some(), reorder, executor);
    slept.clear();
    slept.extend(particles.activity.chunks(LONG_CHUNK).map(idle));
    particles.mark_moved();
    particles.sorted = true;
    particles.order.renew();
    *order = Some(particles.order);
}

// Sorts the particles again, for passes that run before the hashing or after something moved
// since.

/// Quarantines and hashes the particles, if any has moved since the last hashing.
pub(crate) fn refresh(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    if !neighbours.are_of(&liquid.particles) {
        quarantine(liquid, Checked::Awake, coefficients.time_step, executor);
        let asleep = liquid.parameters.sleeping.is_on().then_some(liquid.sleep.asleep);
        let radius = coefficients.interaction_radius;
        hash_positions(&mut liquid.particles, neighbours, radius, asleep, executor);
    }
}
