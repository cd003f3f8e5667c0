//! The kinds of shapes, their sizes, their checks and their bytes. Reading from bytes rebuilds the trees of edges and the
//! distances of pixels, which are not stored.

use glam::Vec2;

use super::field::DistanceField;
use super::polygon::{Polygon, Polyline};
use crate::settings::declare::settings;
use crate::settings::range::Check;
#[cfg(feature = "snapshot")]
use crate::settings::range::Limits;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{
    Numbers, Reader, SnapshotError, Stored, Writer, load_fractions, store_array,
};
use crate::stored::stored;
use crate::{FluidBounds, OutOfRange};

/// A shape, in coordinates relative to its own centre. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "bevy_reflect", reflect(Clone, Debug, PartialEq))]
pub enum FluidShape {
    /// A disc.
    Circle {
        /// Radius in world units; above 0, up to 1e9.
        radius: f32,
    },
    /// A rectangle whose sides are parallel to the axes.
    Rectangle {
        /// Half of the width and of the height, in world units; above 0, up to 1e9.
        half_size: Vec2,
    },
    /// A vertical bar with round ends.
    Capsule {
        /// Half of the height without the round ends, in world units; above 0, up to 1e9.
        half_length: f32,
        /// Radius of the ends, half of the width, in world units; above 0, up to 1e9.
        radius: f32,
    },
    /// Everything on one side of a straight line through the centre.
    HalfPlane {
        /// Unit vector that points out of the shape.
        normal: Vec2,
    },
    /// A filled shape with straight edges.
    Polygon(Polygon),
    /// A line through points.
    Polyline(Polyline),
    /// A shape drawn in pixels. Fields cannot be written to files.
    #[cfg_attr(feature = "serde", serde(skip))]
    Field(DistanceField),
}

settings! {
    impl FluidShape as "shape" {
        /// Radius of a disc, or of the round ends of a bar.
        RADIUS = "radius": f32 [above 0 to 1e9] in "world units",
        /// Half of the width and of the height of a rectangle.
        HALF_SIZE = "half_size": Vec2 [above 0 to 1e9] in "world units",
        /// Half of the length of a bar without its round ends.
        HALF_LENGTH = "half_length": f32 [above 0 to 1e9] in "world units",
    }
}

impl FluidShape {
    /// Checks the sizes and the normal.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for sizes that are not finite or not above zero, and for a normal
    /// whose length is not 1.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let check = Check("shape");
        match self {
            Self::Circle { radius } => Self::RADIUS.check(*radius),
            Self::Rectangle { half_size } => Self::HALF_SIZE.check_all(half_size.to_array()),
            Self::Capsule { half_length, radius } => {
                Self::HALF_LENGTH.check(*half_length)?;
                Self::RADIUS.check(*radius)
            }
            Self::HalfPlane { normal } => {
                let length = normal.length();
                check.that((length - 1.0).abs() < 1e-3, "normal", length, "a unit vector")
            }
            Self::Field(field) => {
                check.size("pixel", field.pixel().x)?;
                check.size("pixel", field.pixel().y)
            }
            Self::Polygon(_) | Self::Polyline(_) => Ok(()),
        }
    }

    /// Whether a point relative to the shape's centre lies inside the shape or on its edge. On the
    /// edge of a polygon, the result may be `true` or `false`.
    pub fn contains(&self, point: Vec2) -> bool {
        match self {
            Self::Circle { radius } => point.length_squared() <= radius * radius,
            Self::Rectangle { half_size } => point.abs().cmple(*half_size).all(),
            Self::Polygon(polygon) => polygon.edges().enclose(point),
            _ => self.distance(point) <= 0.0,
        }
    }

    /// Distance, in world units, from a point (relative to the shape's centre) to the shape's edge;
    /// positive outside and negative inside.
    ///
    /// ```
    /// use blob_fluid::shape::FluidShape;
    /// use glam::Vec2;
    /// let post = FluidShape::Circle { radius: 40.0 };
    /// assert_eq!(post.distance(Vec2::new(50.0, 0.0)), 10.0);
    /// assert_eq!(post.distance(Vec2::new(0.0, 39.0)), -1.0);
    /// ```
    pub fn distance(&self, point: Vec2) -> f32 {
        self.nearest(point, f32::INFINITY).map_or(f32::INFINITY, |nearest| nearest.distance)
    }

    /// A box around the shape; infinite for a half plane.
    pub fn bounds(&self) -> FluidBounds {
        let around = |half_size: Vec2| FluidBounds { low: -half_size, high: half_size };
        match self {
            Self::Circle { radius } => around(Vec2::splat(*radius)),
            Self::Rectangle { half_size } => around(*half_size),
            Self::Capsule { half_length, radius } => {
                around(Vec2::new(*radius, half_length + radius))
            }
            Self::HalfPlane { .. } => around(Vec2::INFINITY),
            Self::Polygon(polygon) => polygon.edges().bounds(),
            Self::Polyline(line) => line.edges().bounds().inflated(line.half_thickness()),
            Self::Field(field) => around(field.half_size()),
        }
    }

    /// Area in square world units; infinite for a half plane. The area is an estimate where edges
    /// of a polygon or a line cross each other.
    pub fn area(&self) -> f32 {
        const PI: f32 = std::f32::consts::PI;
        match self {
            Self::Circle { radius } => PI * radius * radius,
            Self::Rectangle { half_size } => 4.0 * half_size.x * half_size.y,
            Self::Capsule { half_length, radius } => {
                4.0 * half_length * radius + PI * radius * radius
            }
            Self::HalfPlane { .. } => f32::INFINITY,
            Self::Polygon(polygon) => polygon.area(),
            Self::Polyline(line) => line.area(),
            Self::Field(field) => field.area(),
        }
    }

    /// The shape scaled along its own axes; a negative factor mirrors it. Round parts stay round
    /// and are scaled by the smaller factor.
    #[must_use]
    pub fn scaled(&self, scale: Vec2) -> Self {
        if scale == Vec2::ONE {
            return self.clone();
        }
        let smaller = scale.abs().min_element();
        match self {
            Self::Circle { radius } => Self::Circle { radius: radius * smaller },
            Self::Rectangle { half_size } => {
                Self::Rectangle { half_size: *half_size * scale.abs() }
            }
            Self::Capsule { half_length, radius } => {
                Self::Capsule { half_length: half_length * scale.y.abs(), radius: radius * smaller }
            }
            Self::HalfPlane { normal } => {
                Self::HalfPlane { normal: (*normal / scale).normalize_or(*normal) }
            }
            Self::Polygon(polygon) => Self::Polygon(polygon.scaled(scale)),
            Self::Polyline(line) => Self::Polyline(line.scaled(scale)),
            Self::Field(field) => Self::Field(field.scaled(scale)),
        }
    }

    /// The greatest depth of a point inside the shape, in world units. The result is exact for
    /// discs, rectangles and capsules, and an upper limit for other shapes.
    pub fn max_depth(&self) -> f32 {
        match self {
            Self::Capsule { radius, .. } => *radius,
            Self::Polyline(line) => line.half_thickness(),
            _ => self.bounds().half_size().min_element(),
        }
    }
}

stored!(enum FluidShape as "shape" {
    0: Circle { radius in Limits::SIZE },
    1: Rectangle { half_size in Limits::SIZE },
    2: Capsule { half_length in Limits::SIZE, radius in Limits::SIZE },
    3: HalfPlane { normal in Limits::FINITE },
    4: Polygon(polygon),
    5: Polyline(line),
    6: Field(field),
} check Self::validate);

#[cfg(feature = "snapshot")]
impl Stored for Polygon {
    fn store(&self, to: &mut Writer) {
        to.count(self.rings().len());
        self.rings().iter().for_each(|ring| store_array(ring, to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        // A ring takes at least the bytes of its length.
        let count = from.count(size_of::<u64>())?;
        let rings = (0..count).map(|_| load_fractions::<Vec2>(Some(Limits::FINITE), from));
        Self::with_holes(rings.collect::<Result<Vec<_>, _>>()?).map_err(SnapshotError::invalid)
    }
}

#[cfg(feature = "snapshot")]
impl Stored for Polyline {
    fn store(&self, to: &mut Writer) {
        store_array(self.points(), to);
        self.thickness().store_numbers(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let points = load_fractions::<Vec2>(Some(Limits::FINITE), from)?;
        let thickness = Numbers::load_within(Limits::FINITE, from)?;
        Self::new(points, thickness).map_err(SnapshotError::invalid)
    }
}
