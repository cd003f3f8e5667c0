//! Iso lines: lines along which a field has a given value, like contour lines on a map.

use glam::Vec2;

use crate::geometry::bounds::FluidBounds;

/// Largest number of squares in which a field is evaluated.
const MAX_SQUARES: f32 = 4e6;

/// Calls `visit` with every segment of a field's iso lines in a box: with the value and both ends.
/// The field is evaluated at the corners of squares with sides of `step` world units, and
/// interpolated linearly between them. There are no lines where the field is not finite.
///
/// There are also none in a box that is not finite, or that has more than four million squares.
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

/// The segments in a square along which the field is 0, given the values that were `found` at its
/// corners.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
