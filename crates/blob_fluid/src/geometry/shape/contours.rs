//! Polygons from the contours of fonts and drawing programs, iso lines of fields, and rectangles
//! from tiles of a grid.

use glam::{UVec2, Vec2};

use crate::geometry::shape::nesting::Nesting;
use crate::geometry::shape::polygon::Polygon;
use crate::{FluidBounds, OutOfRange};

impl Polygon {
    /// Creates the shape inside contours, by the nonzero rule of fonts and most drawings. Contours
    /// in one direction fill, and contours in the other direction cut holes. Unlike a ring of
    /// [`with_holes`](Self::with_holes), a contour within another one of the same direction is not
    /// a hole.
    ///
    /// Contours may lie within each other but must not cross. Where contours cross, a region that
    /// is covered twice is empty. Contours without area are ignored.
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
        if contours.iter().flatten().any(|corner| !corner.is_finite()) {
            return Self::with_holes(contours);
        }
        let turns: Vec<i32> = contours.iter().map(|contour| turn(contour)).collect();
        let outside = Nesting::of(&contours).values(0, |outside, around| outside + turns[around]);
        let bounds_something =
            |index: usize| (outside[index] == 0) != (outside[index] + turns[index] == 0);
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

// Iso lines: lines along which a field has a given value, like contour lines on a map.

/// Largest number of squares in which a field is evaluated.
const MAX_SQUARES: f32 = 4e6;

/// Calls `visit` with the value and both ends of every segment of a field's iso lines in a box. The
/// field is evaluated at the corners of squares with sides of `step` world units, and interpolated
/// linearly between them. Squares with a corner at which the field is not finite have no lines.
///
/// Boxes that are not finite or that have more than four million squares also have no lines.
///
/// ```
/// use blob_fluid::{FluidBounds, shape::{FluidShape, iso_lines}};
/// use glam::Vec2;
/// let disc = FluidShape::Circle { radius: 10.0 };
/// let around = FluidBounds { low: Vec2::splat(-20.0), high: Vec2::splat(20.0) };
/// let mut length = 0.0;
/// iso_lines(around, 0.5, &[0.0], |point| disc.distance(point), |_, [start, end]| {
///     assert!((start.length() - 10.0).abs() < 0.05);
///     length += start.distance(end);
/// });
/// assert!((length - 62.8).abs() < 0.2);
/// ```
pub fn iso_lines(
    bounds: FluidBounds,
    step: f32,
    values: &[f32],
    field: impl Fn(Vec2) -> f32,
    mut visit: impl FnMut(f32, [Vec2; 2]),
) {
    let squares = ((bounds.high - bounds.low) / step).ceil();
    let drawn = squares.cmpgt(Vec2::ZERO).all() && squares.x * squares.y <= MAX_SQUARES;
    if !drawn {
        return;
    }
    let (columns, rows) = (squares.x as usize, squares.y as usize);
    let corner = |x: usize, y: usize| bounds.low + step * Vec2::new(x as f32, y as f32);
    let sample = |y: usize| -> Vec<f32> { (0..=columns).map(|x| field(corner(x, y))).collect() };
    let mut below = sample(0);
    for y in 0..rows {
        let above = sample(y + 1);
        for x in 0..columns {
            // The corners, counter-clockwise from the lower left.
            let points = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
            let found = [below[x], below[x + 1], above[x + 1], above[x]];
            if found.iter().all(|value| value.is_finite()) {
                for value in values {
                    in_square(points, found.map(|corner| corner - value), |line| {
                        visit(*value, line)
                    });
                }
            }
        }
        below = above;
    }
}

/// Calls `visit` with the segments in a square along which the field is 0. `found` holds its values
/// at the corners.
fn in_square(points: [Vec2; 4], found: [f32; 4], mut visit: impl FnMut([Vec2; 2])) {
    let mut crossings = [Vec2::ZERO; 4];
    let mut count = 0;
    for start in 0..4 {
        let end = (start + 1) % 4;
        if (found[start] < 0.0) != (found[end] < 0.0) {
            let share = found[start] / (found[start] - found[end]);
            crossings[count] = points[start].lerp(points[end], share);
            count += 1;
        }
    }
    let [a, b, c, d] = crossings;
    match count {
        2 => visit([a, b]),
        4 => {
            // In a saddle the value at the middle decides which corners are connected.
            let middle: f32 = found.iter().sum();
            if (middle < 0.0) == (found[0] < 0.0) {
                visit([a, b]);
                visit([c, d]);
            } else {
                visit([d, a]);
                visit([b, c]);
            }
        }
        _ => {}
    }
}

// Solid tiles of a grid, merged into few rectangles.

/// A rectangle of whole tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileBlock {
    /// Lowest column and row of the block.
    pub low: UVec2,
    /// One more than the highest column and row of the block.
    pub high: UVec2,
}

impl TileBlock {
    /// Number of columns and rows of the block.
    pub fn size(self) -> UVec2 {
        self.high - self.low
    }
}

/// Covers the solid tiles of a grid with rectangles that do not overlap and that contain no other
/// tile.
///
/// There are far fewer rectangles than tiles, but not always the fewest possible. The rectangles are
/// built row by row upwards, from left to right: each takes the largest width and then the largest
/// height. Colliders with these rectangles have no gaps, and faces between two rectangles do not act
/// as walls. Unlike one concave polygon, two rectangles push liquid in a corner from both sides.
///
/// ```
/// use blob_fluid::shape::merge_tiles;
/// use glam::UVec2;
/// let level = ["#......#", "#..##..#", "########"];
/// let solid = |tile: UVec2| level[2 - tile.y as usize].as_bytes()[tile.x as usize] == b'#';
/// let blocks = merge_tiles(UVec2::new(8, 3), solid);
/// let sizes: Vec<[u32; 2]> = blocks.iter().map(|block| block.size().to_array()).collect();
/// assert_eq!(sizes, [[8, 1], [1, 2], [2, 1], [1, 2]]);
/// ```
pub fn merge_tiles(size: UVec2, solid: impl Fn(UVec2) -> bool) -> Vec<TileBlock> {
    let (columns, rows) = (size.x as usize, size.y as usize);
    let index = |column: u32, row: u32| row as usize * columns + column as usize;
    let mut left = vec![false; columns * rows];
    for row in 0..size.y {
        for column in 0..size.x {
            left[index(column, row)] = solid(UVec2::new(column, row));
        }
    }
    let mut blocks = Vec::new();
    for row in 0..size.y {
        for column in 0..size.x {
            if !left[index(column, row)] {
                continue;
            }
            let end = (column..size.x).find(|x| !left[index(*x, row)]).unwrap_or(size.x);
            let whole = |y: &u32| (column..end).all(|x| left[index(x, *y)]);
            let top = (row..size.y).find(|y| !whole(y)).unwrap_or(size.y);
            for y in row..top {
                left[index(column, y)..index(column, y) + (end - column) as usize].fill(false);
            }
            blocks.push(TileBlock { low: UVec2::new(column, row), high: UVec2::new(end, top) });
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FluidShape;

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

    fn lines(field: impl Fn(Vec2) -> f32, values: &[f32]) -> Vec<(f32, [Vec2; 2])> {
        let bounds = FluidBounds { low: Vec2::splat(-1.0), high: Vec2::splat(1.0) };
        let mut lines = Vec::new();
        iso_lines(bounds, 0.25, values, field, |value, line| lines.push((value, line)));
        lines
    }

    #[test]
    fn every_point_of_a_line_has_its_value() {
        let slope = |point: Vec2| point.x + 0.5 * point.y;
        let found = lines(slope, &[-0.3, 0.1]);
        for (value, line) in &found {
            assert!(line.iter().all(|end| (slope(*end) - value).abs() < 1e-5), "{line:?}");
        }
        // The line crosses the whole box, over a length of 2 sqrt(1 + 0.5^2).
        for value in [-0.3, 0.1] {
            let lines = found.iter().filter(|(line_value, _)| *line_value == value);
            let length: f32 = lines.map(|(_, [start, end])| start.distance(*end)).sum();
            assert!((length - 5.0_f32.sqrt()).abs() < 1e-4, "{length}");
        }
    }

    #[test]
    fn a_saddle_has_two_lines_that_do_not_cross() {
        for sign in [1.0, -1.0] {
            let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
            let mut found = Vec::new();
            let values = [1.5, -1.0, 1.5, -1.0].map(|value| sign * value);
            in_square(square, values, |line| found.push(line));
            // Corners with the sign of the middle are connected, and the others are cut off.
            let cut_off = [Vec2::X, Vec2::Y];
            assert_eq!(found.len(), 2);
            for [start, end] in found {
                let middle = 0.5 * (start + end);
                assert!(cut_off.iter().any(|corner| corner.distance(middle) < 0.5), "{middle}");
            }
        }
    }

    #[test]
    fn nothing_is_drawn_where_there_is_no_field() {
        assert_eq!(lines(|_| f32::NAN, &[0.0]), []);
        assert_eq!(lines(|_| f32::INFINITY, &[0.0]), []);
        for (low, high, step) in
            [(0.0, f32::INFINITY, 1.0), (1.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1e9, 0.1)]
        {
            let bounds = FluidBounds { low: Vec2::splat(low), high: Vec2::splat(high) };
            iso_lines(bounds, step, &[0.0], |point| point.x, |_, _| panic!("no lines"));
        }
    }

    #[test]
    fn every_solid_tile_is_in_one_block_and_no_other_is() {
        let size = UVec2::new(37, 23);
        for (seed, most) in [(1_u32, 3), (7, 2), (12, 5)] {
            let solid = |tile: UVec2| {
                let mixed = (tile.x * 31 + tile.y * 57 + seed).wrapping_mul(2_654_435_769);
                !(mixed >> 24).is_multiple_of(most)
            };
            let mut covered = vec![0; (size.x * size.y) as usize];
            for TileBlock { low, high } in merge_tiles(size, solid) {
                for y in low.y..high.y {
                    for x in low.x..high.x {
                        covered[(y * size.x + x) as usize] += 1;
                    }
                }
            }
            for y in 0..size.y {
                for x in 0..size.x {
                    let expected = i32::from(solid(UVec2::new(x, y)));
                    assert_eq!(covered[(y * size.x + x) as usize], expected, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn grids_without_solid_tiles_have_no_blocks() {
        assert_eq!(merge_tiles(UVec2::ZERO, |_| true), []);
        assert_eq!(merge_tiles(UVec2::new(0, 4), |_| true), []);
        assert_eq!(merge_tiles(UVec2::new(3, 4), |_| false), []);
        let all = TileBlock { low: UVec2::ZERO, high: UVec2::new(3, 4) };
        assert_eq!(merge_tiles(UVec2::new(3, 4), |_| true), [all]);
    }
}
