//! Pairs of a block's particles with another particle, side by side, and the loop over them.

use std::ops::Range;

use fearless_simd::prelude::*;
use glam::Vec2;

use crate::parallel::instructions::Instructions;
use crate::parallel::lanes::{LaneCounts, LaneVector, PointLanes, gather_points, splat};
use crate::solver::coefficients::Coefficients;

/// Each particle of a block paired with the same other one. What is not used of it costs nothing.
pub(crate) struct PairLanes<S: Instructions> {
    /// Offset to the other particle.
    pub dx: LaneVector<S>,
    pub dy: LaneVector<S>,
    pub squared: LaneVector<S>,
    pub distance: LaneVector<S>,
    /// Where the two are at the same point, as each particle is with itself.
    pub coincide: <LaneVector<S> as SimdBase<S>>::Mask,
    /// `1/r`, and 0 where the two coincide.
    pub inverse: LaneVector<S>,
    /// `q = 1 - r/h`, and 0 beyond the interaction radius `h`.
    pub closeness: LaneVector<S>,
    /// Whether any of them is closer than the interaction radius.
    pub any_near: bool,
}

impl<S: Instructions> PairLanes<S> {
    /// The speed of approach times the distance, from the velocities of both.
    #[inline(always)]
    pub(crate) fn approach(&self, (x, y): PointLanes<S>, other: Vec2) -> LaneVector<S> {
        let splat = |number: f32| splat(x.simd, number);
        (x - splat(other.x)) * self.dx + (y - splat(other.y)) * self.dy
    }
}

/// The positions of a block's particles, side by side, and those of all particles.
pub(crate) struct BlockLanes<'a, S: Instructions> {
    block: PointLanes<S>,
    all: &'a [Vec2],
    squared_coincidence: LaneVector<S>,
    inverse_radius: LaneVector<S>,
}

impl<'a, S: Instructions> BlockLanes<'a, S> {
    #[inline(always)]
    pub(crate) fn of(
        instructions: S,
        coefficients: &Coefficients,
        particles: &Range<usize>,
        all: &'a [Vec2],
    ) -> Self {
        let Coefficients { coincidence, inverse_radius, .. } = *coefficients;
        Self {
            block: gather_points(instructions, particles, all),
            all,
            squared_coincidence: splat(instructions, coincidence * coincidence),
            inverse_radius: splat(instructions, inverse_radius),
        }
    }

    /// The pairs with a particle at this point.
    #[inline(always)]
    pub(crate) fn pairs_with(&self, other: Vec2) -> PairLanes<S> {
        let (x, y) = self.block;
        let splat = |number: f32| splat(x.simd, number);
        let (dx, dy) = (splat(other.x) - x, splat(other.y) - y);
        let squared = dx * dx + dy * dy;
        let distance = squared.sqrt();
        let coincide = squared.simd_lt(self.squared_coincidence);
        // The division by the square does not have to wait for the square root.
        let inverse = distance * (splat(1.0) / squared);
        let inverse = (inverse.bitcast::<LaneCounts<S>>() & !coincide.to_vector()).bitcast();
        let inside = splat(1.0) - distance * self.inverse_radius;
        let (closeness, any_near) = x.simd.positive_and_any(inside);
        PairLanes { dx, dy, squared, distance, coincide, inverse, closeness, any_near }
    }

    /// Visits the pairs with each of the others, whose indices come in one or more spans. `visit`
    /// must be `#[inline(always)]`, like all that a
    /// [`LaneKernel`](crate::parallel::instructions::LaneKernel) calls.
    #[inline(always)]
    pub(crate) fn for_each(
        &self,
        others: impl IntoIterator<Item: Iterator<Item = usize>>,
        mut visit: impl FnMut(usize, PairLanes<S>),
    ) {
        for span in others {
            for index in span {
                visit(index, self.pairs_with(self.all[index]));
            }
        }
    }
}
