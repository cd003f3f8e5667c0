//! A shape of a game's own, that parry does not know. This file is compiled for each engine, with the
//! engine's own version of parry.

use bevy::math::Vec2;

use super::parry::bounding_volume::{Aabb, BoundingSphere};
use super::parry::mass_properties::MassProperties;
use super::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use super::parry::shape::{
    FeatureId, RoundCuboid, Shape, ShapeType, SharedShape, SupportMap, TypedShape,
};

/// A rounded rectangle that does not say so.
#[derive(Clone, Debug)]
struct OwnShape {
    hidden: RoundCuboid,
    /// Whether it says how far it reaches in a direction.
    has_support_map: bool,
}

/// A shape of a game's own, 60 by 20, with corners rounded by another 10.
pub fn own_shape(has_support_map: bool) -> SharedShape {
    let rounded = SharedShape::round_cuboid(30.0, 10.0, 10.0);
    let hidden = *rounded.as_round_cuboid().expect("it is one");
    SharedShape::new(OwnShape { hidden, has_support_map })
}

/// Distance from a point to a shape, 0 inside, exact for rounded shapes and for compounds of them.
///
/// Parry finds distances to round shapes by iteration, to about 0.1: those to the shape that was made
/// round are exact.
pub fn exact_distance(shape: &dyn Shape, point: Vec2) -> f32 {
    let (inner, radius): (&dyn Shape, f32) = match shape.as_typed_shape() {
        TypedShape::RoundCuboid(round) => (&round.inner_shape, round.border_radius),
        TypedShape::RoundTriangle(round) => (&round.inner_shape, round.border_radius),
        TypedShape::RoundConvexPolygon(round) => (&round.inner_shape, round.border_radius),
        TypedShape::Compound(compound) => {
            let parts = compound.shapes().iter();
            let distances = parts
                .map(|(pose, part)| exact_distance(&**part, pose.inverse_transform_point(point)));
            return distances.fold(f32::INFINITY, f32::min);
        }
        _ => match shape.as_shape::<OwnShape>() {
            Some(own) => return exact_distance(&own.hidden, point),
            None => (shape, 0.0),
        },
    };
    (inner.distance_to_local_point(point, true) - radius).max(0.0)
}

impl Shape for OwnShape {
    fn compute_local_aabb(&self) -> Aabb {
        self.hidden.compute_local_aabb()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.hidden.compute_local_bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _: Vec2, _: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: f32) -> MassProperties {
        self.hidden.mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f32 {
        self.hidden.ccd_thickness()
    }

    fn ccd_angular_thickness(&self) -> f32 {
        self.hidden.ccd_angular_thickness()
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        self.has_support_map.then_some(&self.hidden)
    }
}

impl RayCast for OwnShape {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        longest: f32,
        solid: bool,
    ) -> Option<RayIntersection> {
        self.hidden.cast_local_ray_and_get_normal(ray, longest, solid)
    }
}

impl PointQuery for OwnShape {
    fn project_local_point(&self, point: Vec2, solid: bool) -> PointProjection {
        self.hidden.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vec2) -> (PointProjection, FeatureId) {
        self.hidden.project_local_point_and_get_feature(point)
    }
}
