//! An index that finds particles near a point: boxes around runs of consecutive particles.
//!
//! Sorting keeps neighbours together in memory, so these boxes are small. They are larger where
//! particles have been added or moved since the last sort, but all results are still right.

use std::ops::Range;

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;

/// Number of consecutive particles that share a box.
const RUN: usize = 64;

/// Number of boxes that share a larger box.
const RUNS: usize = 16;

/// Boxes around all particles of a world, at their present positions.
#[derive(Clone, Debug)]
pub(crate) struct ParticleIndex {
    runs: Vec<FluidBounds>,
    all: Vec<FluidBounds>,
    bounds: FluidBounds,
    count: usize,
}

impl ParticleIndex {
    pub(crate) fn of(positions: &[Vec2]) -> Self {
        let runs: Vec<FluidBounds> = positions.chunks(RUN).map(FluidBounds::of).collect();
        let around =
            |runs: &[FluidBounds]| runs.iter().copied().fold(FluidBounds::NONE, FluidBounds::union);
        let all: Vec<FluidBounds> = runs.chunks(RUNS).map(around).collect();
        Self { bounds: around(&all), all, runs, count: positions.len() }
    }

    /// A box around all particles.
    pub(crate) fn bounds(&self) -> FluidBounds {
        self.bounds
    }

    /// Calls `visit`, in ascending order, with runs of indices. The runs contain all particles in
    /// boxes for which `wanted` returns `true`. If `wanted` returns `true` for a box, it must
    /// return `true` for all larger boxes around it.
    #[inline]
    pub(crate) fn visit(
        &self,
        wanted: impl Fn(FluidBounds) -> bool,
        mut visit: impl FnMut(Range<usize>),
    ) {
        for (index, larger) in self.all.iter().enumerate() {
            if !wanted(*larger) {
                continue;
            }
            for (run, bounds) in self.runs_of(index) {
                if wanted(bounds) {
                    visit(run);
                }
            }
        }
    }

    /// Calls `visit` with runs of indices that contain all particles within a distance of a point.
    /// The runs that are most likely to be the nearest come first. The argument is the square of
    /// the distance, and `visit` returns a new square, which may be smaller.
    #[inline]
    pub(crate) fn visit_near(
        &self,
        point: Vec2,
        mut within: f32,
        mut visit: impl FnMut(Range<usize>) -> f32,
    ) {
        let distance = |index: &usize| self.all[*index].distance_squared(point);
        let by_distance = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b));
        let Some(nearest) = (0..self.all.len()).min_by(by_distance) else { return };
        let others = (0..self.all.len()).filter(|index| *index != nearest);
        for index in std::iter::once(nearest).chain(others) {
            if distance(&index) > within {
                continue;
            }
            for (run, bounds) in self.runs_of(index) {
                if bounds.distance_squared(point) <= within {
                    within = visit(run);
                }
            }
        }
    }

    /// The runs in one of the larger boxes, each with its own box.
    fn runs_of(&self, index: usize) -> impl Iterator<Item = (Range<usize>, FluidBounds)> + '_ {
        let first = index * RUNS;
        let runs = &self.runs[first..self.runs.len().min(first + RUNS)];
        runs.iter().enumerate().map(move |(offset, bounds)| {
            let start = (first + offset) * RUN;
            (start..self.count.min(start + RUN), *bounds)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    #[test]
    fn no_particle_is_missed_whatever_the_order() {
        let positions: Vec<_> = (0..5000).map(|index| scatter(index) * 500.0).collect();
        let index = ParticleIndex::of(&positions);
        for number in 0..50 {
            let low = scatter(9000 + number) * 500.0;
            let wanted = FluidBounds { low, high: low + 60.0 };
            let mut found = Vec::new();
            index.visit(
                |bounds| bounds.intersects(wanted),
                |run| found.extend(run.filter(|particle| wanted.contains(positions[*particle]))),
            );
            let all = (0..positions.len()).filter(|particle| wanted.contains(positions[*particle]));
            assert_eq!(found, all.collect::<Vec<_>>());
        }
    }
}
