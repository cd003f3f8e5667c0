//! Shapes of parry as pieces. This file is compiled for each engine, with the engine's own version
//! of parry.

use blob_fluid::{FluidShape, Pose};

use super::parry;
use super::parry::shape::{Shape as ParryShape, SharedShape, TypedShape};
use crate::engines::bodies::{Piece, ShapeError};

/// Converts a custom shape of the engine that parry does not have; `None` for an unknown shape.
pub(super) type OwnShape = fn(&dyn ParryShape) -> Option<Result<Piece, ShapeError>>;

/// The pieces of a shape.
pub(super) fn pieces(shape: &SharedShape, own: OwnShape) -> Result<Vec<Piece>, ShapeError> {
    pieces_of(&**shape, own)
}

/// Whether two shapes are the same one in memory.
pub(super) fn is_same(a: &SharedShape, b: &SharedShape) -> bool {
    std::sync::Arc::ptr_eq(&a.0, &b.0)
}

fn pieces_of(shape: &dyn ParryShape, own: OwnShape) -> Result<Vec<Piece>, ShapeError> {
    let one = |shape| Ok(vec![Piece::new(shape)]);
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => one(FluidShape::Circle { radius: ball.radius }),
        TypedShape::Cuboid(cuboid) => one(FluidShape::Rectangle { half_size: cuboid.half_extents }),
        TypedShape::Capsule(capsule) => {
            Ok(vec![Piece::capsule([capsule.segment.a, capsule.segment.b], capsule.radius)])
        }
        TypedShape::Segment(segment) => Piece::lines([[segment.a, segment.b]]),
        TypedShape::Triangle(triangle) => Ok(vec![Piece::polygon(*triangle.vertices())?]),
        TypedShape::ConvexPolygon(polygon) => {
            Ok(vec![Piece::polygon(polygon.points().iter().copied())?])
        }
        TypedShape::HalfSpace(plane) => one(FluidShape::HalfPlane { normal: plane.normal }),
        TypedShape::Polyline(line) => {
            Piece::lines(line.segments().map(|segment| [segment.a, segment.b]))
        }
        TypedShape::HeightField(field) => {
            Piece::lines(field.segments().map(|segment| [segment.a, segment.b]))
        }
        TypedShape::TriMesh(mesh) => {
            Piece::mesh(mesh.triangles().map(|triangle| *triangle.vertices()))
        }
        TypedShape::Voxels(voxels) => {
            let full = voxels.voxels().filter(|voxel| !voxel.state.is_empty());
            let cells = full.map(|voxel| voxel.grid_coords);
            Ok(Piece::cells(cells, voxels.voxel_size()))
        }
        TypedShape::RoundCuboid(round) => {
            let half = round.inner_shape.half_extents;
            let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
            let corners = corners.map(|corner| half * bevy::math::Vec2::from(corner));
            Ok(vec![Piece::rounded(&corners, round.border_radius)?])
        }
        TypedShape::RoundTriangle(round) => {
            let mut corners = *round.inner_shape.vertices();
            if (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]) < 0.0 {
                corners.swap(1, 2);
            }
            Ok(vec![Piece::rounded(&corners, round.border_radius)?])
        }
        TypedShape::RoundConvexPolygon(round) => {
            Ok(vec![Piece::rounded(round.inner_shape.points(), round.border_radius)?])
        }
        TypedShape::Compound(compound) => {
            let mut all = Vec::new();
            for (pose, part) in compound.shapes() {
                let pose = pose_of(pose);
                all.extend(pieces(part, own)?.into_iter().map(|piece| piece.placed(pose)));
            }
            Ok(all)
        }
        TypedShape::Custom(_) => {
            let outline = || {
                let map = shape.as_support_map()?;
                Some(Piece::convex(|way| map.local_support_point(way)))
            };
            let piece = own(shape).or_else(outline);
            Ok(vec![piece.unwrap_or(Err(ShapeError::Unknown("Custom")))?])
        }
    }
}

/// The pose of a shape of parry.
pub(super) fn pose_of(pose: &parry::math::Pose) -> Pose {
    Pose::new(pose.translation, bevy::math::Vec2::new(pose.rotation.re, pose.rotation.im))
}
