//! Poses of entities in the plane, and their shapes at the scales of the entities.

use std::f32::consts::{PI, TAU};

use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::shape::{Polygon as FluidPolygon, Polyline};
use blob_fluid::{FluidRegion, FluidShape, OutOfRange, Pose};

use crate::bevy_names::Primitive2d;

// Shapes at the scale of their entities. They are scaled only when the shape or the scale changes,
// because shapes with many corners or pixels are slow to scale.

/// A shape at the scale of its entity: the shape, the scale, and the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled(Option<(FluidShape, Vec2, FluidShape)>);

impl Scaled {
    /// The shape at a scale. The last result is reused if shape and scale are the same.
    pub(crate) fn get(&mut self, shape: &FluidShape, scale: Vec2) -> FluidShape {
        if let Some((scaled_from, at_scale, scaled)) = &self.0
            && scaled_from == shape
            && *at_scale == scale
        {
            return scaled.clone();
        }
        let scaled = shape.scaled(scale);
        self.0 = Some((shape.clone(), scale, scaled.clone()));
        scaled
    }

    /// The region of a shape at a placement.
    pub(crate) fn region(
        &mut self,
        shape: &FluidShape,
        placement: &Placement,
    ) -> Result<FluidRegion, OutOfRange> {
        let Pose { translation, rotation } = placement.pose;
        FluidRegion::new(self.get(shape, placement.scale), translation, rotation)
    }
}

// Bevy's 2D primitives as shapes of the simulation.

/// Largest angle between two corners of a round shape, as in [`FluidShape::outlines`].
const CORNER: f32 = TAU / 96.0;

/// Length of an endless line to either side of its centre, in world units.
const FAR: f32 = 1e5;

/// The outline of a container, collider, blob or region, for every 2D primitive of [`bevy::math`] and for
/// [`FluidShape`] itself.
///
/// As colliders, primitives without an inside (segments, lines, polylines, arcs) are thin walls. Endless lines extend
/// 100,000 world units to either side. Ellipses, sectors and segments of circles become polygons. A component with an
/// invalid primitive, such as a polygon with two corners, is left out with a warning.
pub trait FluidOutline {
    /// The outline as a [`FluidShape`].
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] if the primitive is not a valid shape.
    fn outline(&self) -> Result<FluidShape, OutOfRange>;

    /// The shape. An invalid primitive becomes a shape that every component refuses, with a warning.
    fn outline_or_warn(&self) -> FluidShape {
        shape_or_warn(self.outline())
    }
}

/// The shape of a result. An error becomes a shape that every component refuses, with a warning.
pub(crate) fn shape_or_warn(shape: Result<FluidShape, OutOfRange>) -> FluidShape {
    shape.unwrap_or_else(|error| {
        warn!("no outline for a fluid: {error}");
        FluidShape::Circle { radius: 0.0 }
    })
}

/// Implements `Default` and `From<impl FluidOutline>` for a component whose `new` takes a shape.
macro_rules! from_outline {
    ($component:ty) => {
        impl Default for $component {
            /// A component without a valid shape: set one before use.
            fn default() -> Self {
                Self::new($crate::blob_fluid::FluidShape::Circle { radius: 0.0 })
            }
        }

        impl<T: $crate::placing::FluidOutline> From<T> for $component {
            fn from(outline: T) -> Self {
                Self::new(outline.outline_or_warn())
            }
        }
    };
}

pub(crate) use from_outline;

impl FluidOutline for FluidShape {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Ok(self.clone())
    }
}

impl FluidOutline for Circle {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Ok(FluidShape::Circle { radius: self.radius })
    }
}

impl FluidOutline for Rectangle {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Ok(FluidShape::Rectangle { half_size: self.half_size })
    }
}

impl FluidOutline for Capsule2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Ok(FluidShape::Capsule { half_length: self.half_length, radius: self.radius })
    }
}

impl FluidOutline for Plane2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Ok(FluidShape::HalfPlane { normal: *self.normal })
    }
}

impl FluidOutline for Ellipse {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        FluidShape::ellipse(self.half_size)
    }
}

impl FluidOutline for Rhombus {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        let Vec2 { x, y } = self.half_diagonals;
        polygon([Vec2::new(x, 0.0), Vec2::new(0.0, y), Vec2::new(-x, 0.0), Vec2::new(0.0, -y)])
    }
}

impl FluidOutline for Triangle2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        polygon(self.vertices)
    }
}

impl FluidOutline for Polygon {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        polygon(self.vertices.iter().copied())
    }
}

impl FluidOutline for ConvexPolygon {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        polygon(self.vertices().iter().copied())
    }
}

impl FluidOutline for RegularPolygon {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        let corner = |index: u32| direction(TAU * index as f32 / self.sides as f32);
        polygon((0..self.sides).map(|index| corner(index) * self.circumcircle.radius))
    }
}

impl FluidOutline for CircularSector {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        polygon(arc(&self.arc).chain([Vec2::ZERO]))
    }
}

impl FluidOutline for CircularSegment {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        polygon(arc(&self.arc))
    }
}

impl FluidOutline for Annulus {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        ring(&self.outer_circle, &self.inner_circle)
    }
}

impl<P: Primitive2d + FluidOutline> FluidOutline for Ring<P> {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        ring(&self.outer_shape, &self.inner_shape)
    }
}

impl FluidOutline for Arc2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Polyline::new(arc(self), 0.0).map(FluidShape::Polyline)
    }
}

impl FluidOutline for Segment2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Polyline::new(self.vertices, 0.0).map(FluidShape::Polyline)
    }
}

impl FluidOutline for Polyline2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        Polyline::new(self.vertices.iter().copied(), 0.0).map(FluidShape::Polyline)
    }
}

impl FluidOutline for Line2d {
    fn outline(&self) -> Result<FluidShape, OutOfRange> {
        let far = *self.direction * FAR;
        Polyline::new([-far, far], 0.0).map(FluidShape::Polyline)
    }
}

fn polygon(corners: impl IntoIterator<Item = Vec2>) -> Result<FluidShape, OutOfRange> {
    FluidPolygon::new(corners).map(FluidShape::Polygon)
}

/// One outline with the other as a hole.
fn ring(outer: &impl FluidOutline, inner: &impl FluidOutline) -> Result<FluidShape, OutOfRange> {
    let (outer, inner) = (outer.outline()?, inner.outline()?);
    outer.validate()?;
    inner.validate()?;
    let rings = [outer, inner].into_iter().flat_map(|shape| shape.outlines()).flatten();
    FluidPolygon::with_holes(rings).map(FluidShape::Polygon)
}

/// Points along an arc around the origin, with its middle at the top, from right to left.
fn arc(arc: &Arc2d) -> impl Iterator<Item = Vec2> {
    let Arc2d { radius, half_angle } = *arc;
    let pieces = (2.0 * half_angle.abs().min(PI) / CORNER).ceil().max(1.0) as u32;
    (0..=pieces).map(move |piece| {
        direction(half_angle * (1.0 - 2.0 * piece as f32 / pieces as f32)) * radius
    })
}

/// The upward direction, turned clockwise by an angle. It uses `libm`, because other sines differ
/// between platforms.
fn direction(angle: f32) -> Vec2 {
    Vec2::new(libm::sinf(angle), libm::cosf(angle))
}

// Poses of entities in the plane.

/// A pose and a scale in the plane: a `Transform` without depth and tilt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub pose: Pose,
    /// Scale along the entity's own axes, not 0. The first scale is negative if the entity is mirrored.
    pub scale: Vec2,
}

/// The reason why an entity has no valid placement in the plane.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum PlacementError {
    #[error("its transform or an ancestor's is missing")]
    Missing,
    #[error("its transform is not finite")]
    NotFinite,
    #[error("its scale is zero, or it is turned out of the plane")]
    Degenerate,
}

impl Placement {
    /// A direction of the entity, in world coordinates.
    pub(crate) fn direction(&self, local: Vec2) -> Vec2 {
        self.pose.to_world_direction(local * self.scale.signum())
    }

    /// The same placement, moved by `way`.
    pub(crate) fn moved(self, way: Vec2) -> Self {
        let translation = self.pose.translation + way;
        Self { pose: Pose { translation, ..self.pose }, ..self }
    }

    /// The present placement of an entity, including its ancestors' transforms. Unlike
    /// `GlobalTransform` it is valid in the frame in which the entity is spawned.
    pub(crate) fn of(entity: Entity, transforms: &TransformHelper) -> Result<Self, PlacementError> {
        let global =
            transforms.compute_global_transform(entity).map_err(|_| PlacementError::Missing)?;
        Self::from_global(&global)
    }

    /// The placement of a transform.
    pub(crate) fn from_global(global: &GlobalTransform) -> Result<Self, PlacementError> {
        let affine = global.affine();
        if !affine.is_finite() {
            return Err(PlacementError::NotFinite);
        }
        let axes = [affine.matrix3.x_axis, affine.matrix3.y_axis];
        let [x, y] = axes.map(|axis| axis.truncate());
        let scale = Vec2::new(x.length(), y.length());
        let area = x.perp_dot(y);
        // After a tilt by a right angle, rounding leaves a small length in the plane.
        let is_tilted = axes.iter().any(|axis| axis.truncate().length() < 1e-6 * axis.length());
        if scale.min_element() < 1e-9 || area == 0.0 || is_tilted {
            return Err(PlacementError::Degenerate);
        }
        let translation = affine.translation.truncate();
        // A negative scale on both axes is a half turn; on one of them, the other axis defines the
        // rotation.
        Ok(if area > 0.0 {
            Self { pose: Pose::new(translation, x / scale.x), scale }
        } else {
            let scale = Vec2::new(-scale.x, scale.y);
            Self { pose: Pose::new(translation, -y.perp() / scale.y), scale }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_areas_of_their_primitives() {
        let arc = Arc2d::new(50.0, 0.8);
        let corners = [Vec2::ZERO, Vec2::new(40.0, 5.0), Vec2::new(10.0, 30.0)];
        let shapes: [(Box<dyn FluidOutline>, f32); 13] = [
            (Box::new(Circle::new(30.0)), Circle::new(30.0).area()),
            (Box::new(Rectangle::new(30.0, 20.0)), 600.0),
            (Box::new(Capsule2d::new(10.0, 30.0)), Capsule2d::new(10.0, 30.0).area()),
            (Box::new(Ellipse::new(30.0, 9.0)), Ellipse::new(30.0, 9.0).area()),
            (Box::new(Rhombus::new(30.0, 9.0)), Rhombus::new(30.0, 9.0).area()),
            (Box::new(RegularPolygon::new(30.0, 7)), RegularPolygon::new(30.0, 7).area()),
            (Box::new(CircularSector { arc }), CircularSector { arc }.area()),
            (Box::new(CircularSegment { arc }), CircularSegment { arc }.area()),
            (Box::new(Annulus::new(10.0, 30.0)), Annulus::new(10.0, 30.0).area()),
            (Box::new(Ring::new(Circle::new(30.0), Circle::new(10.0))), 800.0 * PI),
            (Box::new(Triangle2d::new(corners[0], corners[1], corners[2])), 575.0),
            (Box::new(Polygon::new(corners)), 575.0),
            (Box::new(Plane2d::new(Vec2::Y)), f32::INFINITY),
        ];
        for (primitive, area) in shapes {
            let shape = primitive.outline().expect("valid");
            assert!(area == shape.area() || (shape.area() / area - 1.0).abs() < 3e-3, "{shape:?}");
        }
    }

    #[test]
    fn lines_are_thin_walls_where_their_primitives_are() {
        let lines: [Box<dyn FluidOutline>; 4] = [
            Box::new(Segment2d::new(Vec2::new(-9.0, 3.0), Vec2::new(9.0, 3.0))),
            Box::new(Polyline2d::new([Vec2::new(-9.0, 3.0), Vec2::new(9.0, 3.0)])),
            Box::new(Line2d { direction: Dir2::X }),
            Box::new(Arc2d::new(3.0, 1.0)),
        ];
        for (line, height) in lines.into_iter().zip([3.0, 3.0, 0.0, 3.0]) {
            let shape = line.outline().expect("valid");
            let distance = shape.distance(Vec2::new(0.0, height + 2.0));
            assert!((distance - 2.0).abs() < 0.02, "{shape:?} {distance}");
        }
    }

    // Row 13 of docs/reliability.md.
    #[test]
    fn what_is_no_shape_is_refused() {
        let no_shapes: [Box<dyn FluidOutline>; 4] = [
            Box::new(Polygon::new([Vec2::ZERO, Vec2::X])),
            Box::new(Polyline2d::new([Vec2::ZERO, Vec2::ZERO])),
            Box::new(Ellipse { half_size: Vec2::splat(f32::NAN) }),
            Box::new(RegularPolygon { circumcircle: Circle::new(f32::INFINITY), sides: 5 }),
        ];
        for shape in no_shapes {
            assert!(shape.outline().is_err());
            let left_out = blob_fluid::Collider::new(shape.outline_or_warn(), Vec2::ZERO, Vec2::X);
            assert!(left_out.is_err());
        }
    }
}
