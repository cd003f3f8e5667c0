//! Corners of shapes.

use glam::Vec2;

/// A face of a shape that ends at a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face {
    /// Unit vector along the face, towards the corner and beyond it.
    pub along: Vec2,
    /// Unit normal, out of the shape.
    pub normal: Vec2,
}

impl Face {
    /// The face from a corner to `end`, where `other` is the end of the other face at the corner.
    pub(crate) fn at(corner: Vec2, end: Vec2, other: Vec2) -> Self {
        let along = (corner - end).normalize_or_zero();
        let side = along.perp();
        Self { along, normal: if side.dot(other - corner) < 0.0 { side } else { -side } }
    }
}

/// A convex corner of a shape, where two faces end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub point: Vec2,
    pub faces: [Face; 2],
}

impl Corner {
    /// A point outside of the shape, at this distance above both faces.
    pub(crate) fn outside(&self, distance: f32) -> Vec2 {
        let [one, other] = self.faces;
        self.point + (one.normal + other.normal) * distance
    }
}
