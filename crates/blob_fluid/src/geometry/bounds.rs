//! Axis-aligned boxes. A box around a group of particles shows in one test that nothing is near any
//! of them.

use glam::Vec2;

use crate::geometry::pose::Pose;
use crate::geometry::shape::FluidShape;
use crate::parallel::instructions;
use crate::parallel::instructions::{Instructions, LaneKernel};
use crate::parallel::lanes::{fast_max, fast_min};
use crate::settings::range::{Check, OutOfRange};
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

// Regions: shapes with a pose, in which forces, sensors and drains act.

/// A shape with a centre and a rotation in the world. Forces, sensors and drains act in regions.
///
/// ```
/// use blob_fluid::{FluidRegion, shape::FluidShape};
/// use glam::Vec2;
/// let shape = FluidShape::Rectangle { half_size: Vec2::new(30.0, 5.0) };
/// let upright = FluidRegion::new(shape, Vec2::new(100.0, 0.0), Vec2::Y)?;
/// assert!(upright.contains(Vec2::new(102.0, 25.0)) && !upright.contains(Vec2::new(120.0, 0.0)));
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Placed", into = "Placed"))]
pub struct FluidRegion {
    shape: FluidShape,
    pose: Pose,
}

stored!(FluidRegion { shape, pose });

/// A region as serialised.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Region", deny_unknown_fields)]
struct Placed {
    shape: FluidShape,
    centre: Vec2,
    #[serde(default = "unturned")]
    rotation: Vec2,
}

#[cfg(feature = "serde")]
fn unturned() -> Vec2 {
    Vec2::X
}

#[cfg(feature = "serde")]
impl TryFrom<Placed> for FluidRegion {
    type Error = OutOfRange;

    fn try_from(Placed { shape, centre, rotation }: Placed) -> Result<Self, OutOfRange> {
        Self::new(shape, centre, rotation)
    }
}

#[cfg(feature = "serde")]
impl From<FluidRegion> for Placed {
    fn from(FluidRegion { shape, pose }: FluidRegion) -> Self {
        Self { shape, centre: pose.centre, rotation: pose.rotation }
    }
}

impl FluidRegion {
    /// Creates a region from a shape and its `centre` (world units). `rotation` holds the cosine
    /// and the sine of its counter-clockwise angle.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidShape::validate`], and [`OutOfRange`] for a centre that is not
    /// finite and for a rotation whose length is not 1.
    pub fn new(shape: FluidShape, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        shape.validate()?;
        Ok(Self { shape, pose: Pose::new(Check("region"), centre, rotation)? })
    }

    /// Creates a disc with this radius, in world units.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidRegion::new`].
    pub fn circle(centre: Vec2, radius: f32) -> Result<Self, OutOfRange> {
        Self::new(FluidShape::Circle { radius }, centre, Vec2::X)
    }

    /// Creates a rectangle whose sides are parallel to the axes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidRegion::new`].
    pub fn rectangle(centre: Vec2, half_size: Vec2) -> Result<Self, OutOfRange> {
        Self::new(FluidShape::Rectangle { half_size }, centre, Vec2::X)
    }

    /// The shape, in coordinates relative to its centre.
    pub fn shape(&self) -> &FluidShape {
        &self.shape
    }

    /// The centre, in world units.
    pub fn centre(&self) -> Vec2 {
        self.pose.centre
    }

    /// Cosine and sine of its counter-clockwise angle.
    pub fn rotation(&self) -> Vec2 {
        self.pose.rotation
    }

    /// Converts a point of the world to a point relative to the shape's centre and rotation.
    pub fn to_local(&self, point: Vec2) -> Vec2 {
        self.pose.to_local(point)
    }

    /// Converts a point relative to the shape's centre and rotation to a point of the world.
    pub fn to_world(&self, local: Vec2) -> Vec2 {
        self.pose.to_world(local)
    }

    /// Whether a point of the world lies inside the region or on its edge.
    #[inline]
    pub fn contains(&self, point: Vec2) -> bool {
        self.shape.contains(self.pose.to_local(point))
    }

    /// Distance of a point of the world to the edge, in world units; positive outside and negative
    /// inside.
    pub fn distance(&self, point: Vec2) -> f32 {
        self.shape.distance(self.pose.to_local(point))
    }

    /// Converts a box of the world to a box, slightly enlarged, relative to the shape's centre and
    /// rotation.
    pub(crate) fn to_local_bounds(&self, bounds: FluidBounds) -> FluidBounds {
        self.pose.to_local_bounds(bounds)
    }

    /// A box around the region; infinite for a half plane.
    pub fn bounds(&self) -> FluidBounds {
        self.pose.bounds(&self.shape)
    }
}
