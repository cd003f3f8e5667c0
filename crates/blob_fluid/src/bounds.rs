//! Boxes around particles that lie together, to find at once that no surface is near any of them.

use glam::Vec2;

use crate::instructions::{self, LaneKernel};
use crate::kernel::least;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub low: Vec2,
    pub high: Vec2,
}

impl Bounds {
    /// Around no point.
    pub(crate) const NONE: Self = Self { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY };

    /// Around finite points.
    pub(crate) fn of(points: &[Vec2]) -> Self {
        instructions::run(BoundsOf(points))
    }

    /// Around two boxes.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { low: lowest(self.low, other.low), high: highest(self.high, other.high) }
    }

    pub(crate) fn centre(self) -> Vec2 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half of the width and of the height.
    pub(crate) fn half_size(self) -> Vec2 {
        0.5 * self.high - 0.5 * self.low
    }

    /// How far rounding may move its points as seen from a centre.
    pub(crate) fn rounding(self, centre: Vec2) -> f32 {
        let farthest = self.low.abs().max(self.high.abs()).max_element();
        16.0 * f32::EPSILON * (farthest + centre.abs().max_element())
    }
}

struct BoundsOf<'a>(&'a [Vec2]);

impl LaneKernel for BoundsOf<'_> {
    type Output = Bounds;

    #[inline(always)]
    fn run(self) -> Bounds {
        let Self(points) = self;
        // Several at a time, because each waits for the one before.
        let (mut low, mut high) = ([Vec2::INFINITY; 8], [Vec2::NEG_INFINITY; 8]);
        let (groups, rest) = points.as_chunks::<8>();
        for group in groups {
            for lane in 0..8 {
                low[lane] = lowest(low[lane], group[lane]);
                high[lane] = highest(high[lane], group[lane]);
            }
        }
        Bounds {
            low: low.iter().chain(rest).copied().fold(Vec2::INFINITY, lowest),
            high: high.iter().chain(rest).copied().fold(Vec2::NEG_INFINITY, highest),
        }
    }
}

/// The smaller of both coordinates; `a` where `b` is not a number.
#[inline(always)]
fn lowest(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(least(b.x, a.x), least(b.y, a.y))
}

/// The larger of both coordinates; `a` where `b` is not a number.
#[inline(always)]
fn highest(a: Vec2, b: Vec2) -> Vec2 {
    -lowest(-a, -b)
}
