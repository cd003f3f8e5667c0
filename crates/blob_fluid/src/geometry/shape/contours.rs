//! Polygons from the contours of fonts and drawing programs, in which the direction of a contour
//! tells outlines from holes.

use glam::Vec2;

use super::nesting::Nesting;
use super::polygon::Polygon;
use crate::settings::range::OutOfRange;

impl Polygon {
    /// Creates the shape inside contours, by the nonzero rule of fonts and most drawings: contours
    /// in one direction fill, and contours in the other direction cut holes. Unlike a ring of
    /// [`with_holes`](Self::with_holes), a contour within another one of the same direction is not
    /// a hole.
    ///
    /// Contours may lie within each other but must not cross. Where they cross, a region that is
    /// covered twice is empty. Contours without area are ignored.
    ///
    /// ```
    /// use blob_fluid::shape::{Polygon, FluidShape};
    /// use glam::Vec2;
    /// let square = |half: f32| {
    ///     [(-half, -half), (half, -half), (half, half), (-half, half)].map(Vec2::from).to_vec()
    /// };
    /// let hole: Vec<Vec2> = square(1.0).into_iter().rev().collect();
    /// let ring = Polygon::from_contours([square(2.0), hole])?;
    /// assert!(!FluidShape::Polygon(ring).contains(Vec2::ZERO));
    /// let solid = Polygon::from_contours([square(2.0), square(1.0)])?;
    /// assert!(FluidShape::Polygon(solid).contains(Vec2::ZERO));
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if no contour has an area, and for corners that are not finite or
    /// beyond ±1e9.
    pub fn from_contours(
        contours: impl IntoIterator<Item = Vec<Vec2>>,
    ) -> Result<Self, OutOfRange> {
        let contours: Vec<Vec<Vec2>> =
            contours.into_iter().filter(|contour| turn(contour) != 0).collect();
        let turns: Vec<i32> = contours.iter().map(|contour| turn(contour)).collect();
        let nesting = Nesting::of(&contours);
        let bounds_something = |index: usize| {
            let mut outside = 0;
            nesting.for_each_around(index, |other| outside += turns[other]);
            (outside == 0) != (outside + turns[index] == 0)
        };
        let bounding = (0..contours.len()).filter(|index| bounds_something(*index));
        Self::with_holes(bounding.map(|index| contours[index].clone()))
    }
}

/// Returns 1 for a counter-clockwise ring, -1 for a clockwise one, and 0 for a ring without area.
///
/// A ring with a corner that is not finite counts as counter-clockwise; it is refused later.
fn turn(ring: &[Vec2]) -> i32 {
    let Some(first) = ring.first() else { return 0 };
    let pairs = ring.windows(2).map(|pair| (pair[0] - *first).perp_dot(pair[1] - *first));
    let twice: f32 = pairs.sum();
    if twice == 0.0 {
        0
    } else if twice < 0.0 {
        -1
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::FluidShape;

    fn square(centre: f32, half: f32) -> Vec<Vec2> {
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
        corners.map(|corner| Vec2::from(corner) + Vec2::X * centre).to_vec()
    }

    fn reversed(ring: Vec<Vec2>) -> Vec<Vec2> {
        ring.into_iter().rev().collect()
    }

    /// Tests which points are inside, with the given directions and with all directions reversed.
    fn inside(rings: &[Vec<Vec2>], points: [f32; 4]) -> [bool; 4] {
        let found = |rings: Vec<Vec<Vec2>>| {
            let shape = FluidShape::Polygon(Polygon::from_contours(rings).expect("valid"));
            points.map(|x| shape.contains(Vec2::new(x, 0.1)))
        };
        let as_they_are = found(rings.to_vec());
        assert_eq!(as_they_are, found(rings.iter().cloned().map(reversed).collect()));
        as_they_are
    }

    #[test]
    fn direction_decides_what_is_a_hole() {
        let points = [0.0, 3.0, 5.0, 21.0];
        let rings = |middle, inner| vec![square(0.0, 6.0), middle, inner, square(20.0, 2.0)];
        let island = rings(reversed(square(0.0, 4.0)), square(0.0, 2.0));
        assert_eq!(inside(&island, points), [true, false, true, true]);
        let plain = rings(square(0.0, 4.0), square(0.0, 2.0));
        assert_eq!(inside(&plain, points), [true, true, true, true]);
        // A hole in a region that was filled twice is filled once.
        let patched = rings(square(0.0, 4.0), reversed(square(0.0, 2.0)));
        assert_eq!(inside(&patched, points), [true, true, true, true]);
    }

    #[test]
    fn what_has_no_area_is_left_out_or_refused() {
        let flat = vec![Vec2::ZERO, Vec2::X, Vec2::X * 2.0];
        let some = Polygon::from_contours([flat.clone(), square(0.0, 1.0), vec![], vec![Vec2::X]]);
        assert_eq!(some.expect("one has an area").rings().len(), 1);
        assert!(Polygon::from_contours([flat]).is_err());
        assert!(Polygon::from_contours([]).is_err());
        let mut broken = square(0.0, 1.0);
        broken[2].x = f32::NAN;
        assert!(Polygon::from_contours([broken]).is_err());
    }
}
