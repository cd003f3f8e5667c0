//! Pairs of neighbours, for a host that adds its own passes.

use glam::Vec2;

use crate::particles::arrays::Particles;
use crate::solver::neighbours::blocks::Block;
use crate::solver::neighbours::grid::Grid;

/// Two particles closer than the interaction radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Index of one particle in the [arrays](Particles).
    pub a: usize,
    /// Index of the other particle.
    pub b: usize,
    /// Vector from `a` to `b`, in world units.
    pub offset: Vec2,
    /// Length of the offset, in world units; 0 for particles at the same point.
    pub distance: f32,
    /// `q = 1 - r/h`: 1 at distance 0, 0 at the interaction radius.
    pub weight: f32,
}

/// All pairs of neighbours, as [`FluidWorld::pairs`](crate::FluidWorld::pairs) finds them.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    grid: &'a Grid,
    particles: &'a Particles,
    radius: f32,
}

impl<'a> Pairs<'a> {
    /// The pairs of particles that are sorted into the cells of a grid.
    pub(crate) fn new(grid: &'a Grid, particles: &'a Particles, radius: f32) -> Self {
        Self { grid, particles, radius }
    }

    /// The particles, in the order that the indices refer to.
    pub fn particles(&self) -> &'a Particles {
        self.particles
    }

    /// Calls `visit` once for every pair. It allocates nothing. The order is that of the arrays, so
    /// the same state gives the same order.
    pub fn for_each(&self, mut visit: impl FnMut(Pair)) {
        let mut blocks = self.grid.blocks(0..self.particles.len());
        while let Some(block) = blocks.next() {
            for a in block.particles.clone() {
                self.visit_candidates(block, a, a + 1, &mut visit);
            }
        }
    }

    /// Calls `visit` for every pair of one particle, which is `a` in each pair.
    ///
    /// # Panics
    ///
    /// If `index` is not below [`Particles::len`].
    pub fn for_each_of(&self, index: usize, mut visit: impl FnMut(Pair)) {
        assert!(index < self.particles.len(), "there is no particle {index}");
        let mut blocks = self.grid.blocks(index..index + 1);
        if let Some(block) = blocks.next() {
            self.visit_candidates(block, index, 0, &mut visit);
        }
    }

    /// Visits the pairs of `a` with the particles from index `first` on.
    fn visit_candidates(
        &self,
        block: &Block,
        a: usize,
        first: usize,
        visit: &mut impl FnMut(Pair),
    ) {
        let positions = self.particles.positions();
        for b in block.spans().flat_map(|span| span.start.max(first)..span.end) {
            let offset = positions[b] - positions[a];
            let squared = offset.length_squared();
            if b != a && squared < self.radius * self.radius {
                let distance = squared.sqrt();
                visit(Pair { a, b, offset, distance, weight: 1.0 - distance / self.radius });
            }
        }
    }
}
