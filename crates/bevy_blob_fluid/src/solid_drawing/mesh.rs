//! Meshes of shapes.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use blob_fluid::FluidShape;

/// Number of corners of round shapes.
const ROUNDNESS: u32 = 256;
/// Largest distance of a wall's outer corner from its inner one, in thicknesses.
const LONGEST_CORNER: f32 = 2.0;

/// Triangles that fill a shape.
pub(super) fn filled(shape: &FluidShape) -> Mesh {
    if let FluidShape::Circle { radius } = shape {
        return Circle::new(*radius).mesh().resolution(ROUNDNESS).into();
    }
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    let mut earcut = earcut::Earcut::new();
    for outline in shape.outlines() {
        let first = corners.len() as u32;
        let sizes = outline.iter().map(Vec::len);
        let ends = sizes.scan(0, |end, size| {
            *end += size;
            Some(*end as u32)
        });
        let holes: Vec<u32> = ends.take(outline.len() - 1).collect();
        let points = outline.iter().flatten().map(|corner| corner.to_array());
        let mut found: Vec<u32> = Vec::new();
        earcut.earcut(points.clone(), &holes, &mut found);
        triangles.extend(found.into_iter().map(|corner| first + corner));
        corners.extend(points.map(|[x, y]| [x, y, 0.0]));
    }
    mesh_of(corners, triangles)
}

/// Walls of a thickness around a shape, and in its holes.
pub(super) fn walls(shape: &FluidShape, thickness: f32) -> Mesh {
    if let FluidShape::Circle { radius } = shape {
        return Annulus::new(*radius, radius + thickness).mesh().resolution(ROUNDNESS).into();
    }
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for outline in shape.outlines() {
        for (index, ring) in outline.iter().enumerate() {
            let first = corners.len() as u32;
            // The liquid is inside of the first ring, and outside of the holes.
            let side = area(ring).signum() * if index == 0 { 1.0 } else { -1.0 };
            for (corner, out) in ring.iter().zip(outward(ring)) {
                let outer = *corner + out * side * thickness;
                corners.extend([*corner, outer].map(|point| point.extend(0.0).to_array()));
            }
            let count = ring.len() as u32;
            for number in 0..count {
                let (here, next) = (first + 2 * number, first + 2 * ((number + 1) % count));
                triangles.extend([here, next, next + 1, here, next + 1, here + 1]);
            }
        }
    }
    mesh_of(corners, triangles)
}

/// Twice the area inside of a ring; below 0 if it is clockwise.
fn area(ring: &[Vec2]) -> f32 {
    ring.iter().zip(ring.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum()
}

/// For each corner of a counter-clockwise ring, the offset to a ring at distance 1 around it.
fn outward(ring: &[Vec2]) -> impl Iterator<Item = Vec2> + '_ {
    let count = ring.len();
    (0..count).map(move |index| {
        let (before, after) = (ring[(index + count - 1) % count], ring[(index + 1) % count]);
        let normals = [ring[index] - before, after - ring[index]]
            .map(|edge| -edge.normalize_or_zero().perp());
        let sum = normals[0] + normals[1];
        (sum / (1.0 + normals[0].dot(normals[1])).max(1e-3)).clamp_length_max(LONGEST_CORNER)
    })
}

fn mesh_of(corners: Vec<[f32; 3]>, triangles: Vec<u32>) -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_inserted_indices(Indices::U32(triangles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use blob_fluid::shape::Polygon;

    /// The area that a mesh covers, without overlaps.
    fn area_of(mesh: &Mesh) -> f32 {
        mesh.triangles().expect("triangles").map(|triangle| triangle.area()).sum()
    }

    fn is_close(area: f32, expected: f32) -> bool {
        (area - expected).abs() < 2e-3 * expected
    }

    #[test]
    fn shapes_are_filled() {
        let rectangle = FluidShape::Rectangle { half_size: Vec2::new(3.0, 2.0) };
        assert!(is_close(area_of(&filled(&rectangle)), 24.0));
        let circle = FluidShape::Circle { radius: 2.0 };
        assert!(is_close(area_of(&filled(&circle)), 4.0 * std::f32::consts::PI));
        let corner = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 4.0), (0.0, 4.0)];
        let corner = Polygon::new(corner.map(Vec2::from)).expect("an outline");
        assert!(is_close(area_of(&filled(&FluidShape::Polygon(corner))), 7.0));
    }

    #[test]
    fn walls_are_outside_and_as_thick_as_asked_for() {
        let rectangle = FluidShape::Rectangle { half_size: Vec2::new(3.0, 2.0) };
        assert!(is_close(area_of(&walls(&rectangle, 1.0)), 8.0 * 6.0 - 24.0));
        // Clockwise, and with a corner that points inwards.
        let corner = [(0.0, 4.0), (1.0, 4.0), (1.0, 1.0), (4.0, 1.0), (4.0, 0.0), (0.0, 0.0)];
        let corner = Polygon::new(corner.map(Vec2::from)).expect("an outline");
        let wall = walls(&FluidShape::Polygon(corner), 0.5);
        assert!(is_close(area_of(&wall), 5.0 * 5.0 - 3.0 * 3.0 - 7.0));
    }
}
