//! Axis-aligned boxes: around shapes, and around particles that lie together, to find at once that
//! nothing is near any of them.

use glam::Vec2;

use crate::instructions::{self, LaneKernel};
use crate::kernel::least;

/// An axis-aligned box.
///
/// ```
/// use blob_fluid::Bounds;
/// use glam::Vec2;
/// let level = Bounds { low: Vec2::new(-400.0, -300.0), high: Vec2::new(400.0, 300.0) };
/// assert!(level.contains(Vec2::new(400.0, 0.0)) && !level.contains(Vec2::new(0.0, -301.0)));
/// assert_eq!(level.half_size(), Vec2::new(400.0, 300.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Bounds {
    /// The lower left corner, in world units.
    pub low: Vec2,
    /// The upper right corner, in world units.
    pub high: Vec2,
}

impl Bounds {
    /// Around no point.
    pub const NONE: Self = Self { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY };

    /// Around every point.
    pub const ALL: Self = Self { low: Vec2::NEG_INFINITY, high: Vec2::INFINITY };

    /// Around points; coordinates that are not numbers are left out.
    pub fn of(points: &[Vec2]) -> Self {
        instructions::run(BoundsOf(points))
    }

    /// Around two boxes.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { low: lowest(self.low, other.low), high: highest(self.high, other.high) }
    }

    /// Larger by `margin` world units on every side.
    #[must_use]
    pub fn grown(self, margin: f32) -> Self {
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// The middle.
    pub fn centre(self) -> Vec2 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half of the width and of the height.
    pub fn half_size(self) -> Vec2 {
        0.5 * self.high - 0.5 * self.low
    }

    /// Whether a point lies inside or on the edge.
    #[inline]
    pub fn contains(self, point: Vec2) -> bool {
        self.low.cmple(point).all() && point.cmple(self.high).all()
    }

    /// Whether two boxes share a point.
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Square of a point's distance; 0 inside.
    #[inline]
    pub(crate) fn distance_squared(self, point: Vec2) -> f32 {
        (self.low - point).max(point - self.high).max(Vec2::ZERO).length_squared()
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
