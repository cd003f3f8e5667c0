//! Regions: shapes with a pose, in which forces, sensors and drains act.

use glam::Vec2;

use crate::settings::range::Check;
use crate::stored::stored;
use crate::{FluidBounds, FluidShape, OutOfRange, Pose};

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
        Self { shape, centre: pose.translation, rotation: pose.rotation }
    }
}

impl FluidRegion {
    /// Creates a region from a shape and its `centre` (world units). `rotation` holds the cosine
    /// and the sine of its counter-clockwise angle.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FluidShape::validate`], and [`OutOfRange`] for a centre beyond
    /// ±1e12 and for a rotation whose length is not 1.
    pub fn new(shape: FluidShape, centre: Vec2, rotation: Vec2) -> Result<Self, OutOfRange> {
        shape.validate()?;
        let pose = Pose::new(centre, rotation).checked(Check("region"), "centre")?;
        Ok(Self { shape, pose })
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
        self.pose.translation
    }

    /// Cosine and sine of the region's angle, counter-clockwise.
    pub fn rotation(&self) -> Vec2 {
        self.pose.rotation
    }

    /// Centre and rotation of the region.
    pub fn pose(&self) -> Pose {
        self.pose
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
