//! Axis-aligned boxes. A box around a group of particles shows in one test that nothing is near any
//! of them.

use glam::Vec2;

use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{fast_max, fast_min};
use crate::stored::stored;

/// An axis-aligned box.
///
/// ```
/// use blob_fluid::FluidBounds;
/// use glam::Vec2;
/// let level = FluidBounds { low: Vec2::new(-400.0, -300.0), high: Vec2::new(400.0, 300.0) };
/// assert!(level.contains(Vec2::new(400.0, 0.0)) && !level.contains(Vec2::new(0.0, -301.0)));
/// assert_eq!(level.half_size(), Vec2::new(400.0, 300.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct FluidBounds {
    /// The lower left corner, in world units.
    pub low: Vec2,
    /// The upper right corner, in world units.
    pub high: Vec2,
}

stored!(FluidBounds { low in Limits::NOT_NAN, high in Limits::NOT_NAN });

impl FluidBounds {
    /// The empty box: it contains no point.
    pub const NONE: Self = Self { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY };

    /// The box that contains every point.
    pub const ALL: Self = Self { low: Vec2::NEG_INFINITY, high: Vec2::INFINITY };

    /// The smallest box around points. Coordinates that are NaN are ignored.
    pub fn of(points: &[Vec2]) -> Self {
        instructions::run(BoundsOf(points))
    }

    /// The smallest box around two boxes.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self { low: lowest(self.low, other.low), high: highest(self.high, other.high) }
    }

    /// The box that is in both, which is empty (see [`NONE`](Self::NONE)) if they do not meet.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The box enlarged by `margin` world units on every side.
    #[must_use]
    pub fn inflated(self, margin: f32) -> Self {
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// The centre, in world units.
    pub fn centre(self) -> Vec2 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half of the width and of the height, in world units.
    pub fn half_size(self) -> Vec2 {
        0.5 * self.high - 0.5 * self.low
    }

    /// Whether a point lies inside the box or on its edge.
    #[inline]
    pub fn contains(self, point: Vec2) -> bool {
        self.low.cmple(point).all() && point.cmple(self.high).all()
    }

    /// Whether two boxes share a point.
    #[inline]
    pub fn intersects(self, other: Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Square of a point's distance to the box; 0 inside.
    #[inline]
    pub(crate) fn distance_squared(self, point: Vec2) -> f32 {
        (self.low - point).max(point - self.high).max(Vec2::ZERO).length_squared()
    }

    /// Upper bound of the rounding error of its points relative to a centre, in world units.
    pub(crate) fn rounding(self, centre: Vec2) -> f32 {
        let farthest = self.low.abs().max(self.high.abs()).max_element();
        16.0 * f32::EPSILON * (farthest + centre.abs().max_element())
    }
}

struct BoundsOf<'a>(&'a [Vec2]);

/// Number of points that are processed together, so that no operation waits for the previous one.
const SIDE_BY_SIDE: usize = 8;

impl LaneKernel for BoundsOf<'_> {
    type Output = FluidBounds;

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) -> FluidBounds {
        let Self(points) = self;
        // The lanes hold `x` and `y` in turn, in the order of the memory.
        let mut low = [f32::INFINITY; 2 * SIDE_BY_SIDE];
        let mut high = [f32::NEG_INFINITY; 2 * SIDE_BY_SIDE];
        let (groups, rest) = points.as_chunks::<SIDE_BY_SIDE>();
        for group in groups {
            let coordinates: [f32; 2 * SIDE_BY_SIDE] =
                std::array::from_fn(|index| group[index / 2][index % 2]);
            for index in 0..2 * SIDE_BY_SIDE {
                low[index] = fast_min(coordinates[index], low[index]);
                high[index] = fast_max(coordinates[index], high[index]);
            }
        }
        let mut width = SIDE_BY_SIDE;
        while width > 1 {
            for index in 0..width {
                low[index] = fast_min(low[index + width], low[index]);
                high[index] = fast_max(high[index + width], high[index]);
            }
            width /= 2;
        }
        let around_groups =
            FluidBounds { low: Vec2::new(low[0], low[1]), high: Vec2::new(high[0], high[1]) };
        rest.iter()
            .fold(around_groups, |all, point| all.union(FluidBounds { low: *point, high: *point }))
    }
}

/// Returns the smaller of both coordinates; that of `a` if that of `b` is NaN.
#[inline(always)]
fn lowest(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(fast_min(b.x, a.x), fast_min(b.y, a.y))
}

/// Returns the larger of both coordinates; that of `a` if that of `b` is NaN.
#[inline(always)]
fn highest(a: Vec2, b: Vec2) -> Vec2 {
    Vec2::new(fast_max(b.x, a.x), fast_max(b.y, a.y))
}
