//! Boxes around particles that lie together, to find at once that no surface is near any of them.

use glam::Vec2;

use crate::instructions::{self, LaneKernel};

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
        Self { low: least(self.low, other.low), high: greatest(self.high, other.high) }
    }

    pub(crate) fn centre(self) -> Vec2 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half of the width and of the height.
    pub(crate) fn half_size(self) -> Vec2 {
        0.5 * self.high - 0.5 * self.low
    }

    /// How far its points may be from where they are, for all that rounding does to them.
    pub(crate) fn rounding(self) -> f32 {
        16.0 * f32::EPSILON * self.low.abs().max(self.high.abs()).max_element()
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
                low[lane] = least(low[lane], group[lane]);
                high[lane] = greatest(high[lane], group[lane]);
            }
        }
        Bounds {
            low: low.iter().chain(rest).copied().fold(Vec2::INFINITY, least),
            high: high.iter().chain(rest).copied().fold(Vec2::NEG_INFINITY, greatest),
        }
    }
}

// Single instructions, unlike the methods of `f32`, which have a rule for NaN.
#[inline(always)]
fn least(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(if b.x < a.x { b.x } else { a.x }, if b.y < a.y { b.y } else { a.y })
}

#[inline(always)]
fn greatest(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(if b.x > a.x { b.x } else { a.x }, if b.y > a.y { b.y } else { a.y })
}
