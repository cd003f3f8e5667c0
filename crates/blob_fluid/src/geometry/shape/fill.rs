//! Patterns of points that fill shapes.

use std::ops::Range;

use glam::{DVec2, Vec2};

use super::kinds::FluidShape;
use crate::geometry::bounds::FluidBounds;

/// Cosine and sine of the golden angle, in `f64`: the rotation from one point of a Fermat spiral to
/// the next.
const GOLDEN_TURN: DVec2 = DVec2::new(-0.737_368_878_078_320_1, 0.675_490_294_261_523_7);

impl FluidShape {
    /// Fills the shape with points so that each has an area of `spacing` squared (world units). The
    /// points form a hexagonal lattice, and each is moved by up to 1 % of the spacing so that the
    /// pattern has no symmetry.
    ///
    /// Yields nothing for a shape or a spacing that is zero, negative or not finite, and nothing
    /// for a half plane. The iterator computes each point when it is requested, so a huge shape
    /// costs nothing until then.
    ///
    /// ```
    /// use blob_fluid::shape::FluidShape;
    /// use glam::Vec2;
    /// let points = FluidShape::Circle { radius: 100.0 }.fill(Vec2::ZERO, 8.0).count();
    /// let expected = std::f32::consts::PI * 100.0 * 100.0 / 64.0;
    /// assert!((points as f32 - expected).abs() < 0.05 * expected);
    /// ```
    pub fn fill(&self, centre: Vec2, spacing: f32) -> impl Iterator<Item = Vec2> + use<> {
        self.fill_within(spacing, FluidBounds::ALL).map(move |point| centre + point)
    }

    /// The points of [`fill`](Self::fill) around the origin that may be in a box, and some around
    /// it.
    pub(crate) fn fill_within(
        &self,
        spacing: f32,
        within: FluidBounds,
    ) -> impl Iterator<Item = Vec2> + use<> {
        let shape = self.clone();
        let bounds = shape.bounds();
        let (half_size, middle) = (bounds.half_size(), bounds.centre());
        let valid = shape.validate().is_ok()
            && spacing.is_normal()
            && spacing > 0.0
            && half_size.is_finite()
            && half_size.min_element() > 0.0;
        // In a hexagonal lattice each point has an area of sqrt(3)/2 times the step squared.
        let step = spacing * 1.074_57;
        let row_height = step * 0.866_025_4;
        let lines = |length: f32, distance: f32| {
            if valid { ((2.0 * length / distance) as u64).max(1) } else { 0 }
        };
        let (rows, columns) = (lines(half_size.y, row_height), lines(half_size.x, step));
        let (low, high) = (within.low - middle, within.high - middle);
        let wanted_rows = lines_between(low.y / row_height, high.y / row_height, rows);
        let wanted_columns = lines_between(low.x / step, high.x / step, columns);
        let numbers = wanted_rows
            .flat_map(move |row| wanted_columns.clone().map(move |column| (row, column)));
        numbers.filter_map(move |(row, column)| {
            let number = row.wrapping_mul(columns).wrapping_add(column);
            let shift = if row % 2 == 0 { 0.25 } else { -0.25 };
            let x = (from_middle(column, columns) + shift) * step;
            let y = from_middle(row, rows) * row_height;
            let point = middle + Vec2::new(x, y) + scatter(number as u32) * (0.01 * spacing);
            shape.contains(point).then_some(point)
        })
    }
}

/// Where a line is relative to the middle of all lines, in their distances.
fn from_middle(line: u64, lines: u64) -> f32 {
    // Integers place the lines of a huge shape exactly.
    let twice = 2 * line as i64 - (lines as i64 - 1);
    0.5 * twice as f32
}

/// The lines between two positions relative to the middle, in their distances, and one or two lines
/// more on each side because points are shifted.
fn lines_between(low: f32, high: f32, lines: u64) -> Range<u64> {
    let middle = 0.5 * (lines as f64 - 1.0);
    // Casts of floats to integers saturate.
    let first = (f64::from(low) + middle - 1.0) as u64;
    let end = ((f64::from(high) + middle + 3.0) as u64).min(lines);
    first.min(end)..end
}

/// Returns `count` points of a Fermat spiral (the pattern of a sunflower's seeds), which fill a
/// disc evenly.
///
/// ```
/// use blob_fluid::shape::fermat_spiral;
/// use glam::Vec2;
/// let points = fermat_spiral(Vec2::ZERO, 360.0, 3000);
/// assert!(points.iter().all(|p| p.length() < 360.0));
/// ```
pub fn fermat_spiral(centre: Vec2, radius: f32, count: usize) -> Vec<Vec2> {
    // The direction is rotated step by step because sines differ between platforms.
    let mut direction = DVec2::X;
    (0..count)
        .map(|index| {
            let distance = f64::from(radius) * ((index as f64 + 0.5) / count as f64).sqrt();
            let point = centre + (direction * distance).as_vec2();
            direction = direction.rotate(GOLDEN_TURN);
            direction /= direction.length();
            point
        })
        .collect()
}

/// Returns a pseudo-random vector with both coordinates in -1..1. It is always the same for the
/// same index.
pub fn scatter(index: u32) -> Vec2 {
    let unit = |bits: u32| (bits >> 8) as f32 / 8_388_608.0 - 1.0;
    Vec2::new(unit(mix(index.wrapping_mul(2))), unit(mix(index.wrapping_mul(2).wrapping_add(1))))
}

/// The same with another vector in every tick.
pub(crate) fn scatter_in_tick(index: u32, tick: u32) -> Vec2 {
    // An odd factor of many bits: the products of neighbouring ticks have nothing in common.
    scatter(index ^ tick.wrapping_mul(0x9e37_79b9))
}

/// Spreads the bits of a number (the finaliser of MurmurHash3).
fn mix(mut bits: u32) -> u32 {
    bits = bits.wrapping_add(0x9e37_79b9);
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
    bits ^ (bits >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_stays_inside_and_keeps_the_density() {
        for shape in [
            FluidShape::Circle { radius: 90.0 },
            FluidShape::Rectangle { half_size: Vec2::new(120.0, 40.0) },
        ] {
            let points: Vec<_> = shape.fill(Vec2::new(5.0, -3.0), 6.0).collect();
            assert!(points.iter().all(|p| shape.contains(*p - Vec2::new(5.0, -3.0))));
            let expected = shape.area() / 36.0;
            assert!(
                (points.len() as f32 / expected - 1.0).abs() < 0.08,
                "{shape:?}: {}",
                points.len()
            );
        }
    }

    #[test]
    fn impossible_fills_are_empty() {
        for (radius, spacing) in
            [(0.0, 1.0), (-1.0, 1.0), (f32::NAN, 1.0), (5.0, 0.0), (5.0, f32::NAN)]
        {
            assert!(FluidShape::Circle { radius }.fill(Vec2::ZERO, spacing).next().is_none());
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a reference, compared within a tolerance")]
    fn the_golden_turn_is_a_rotation_by_the_golden_angle() {
        let angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        assert!((GOLDEN_TURN - DVec2::new(angle.cos(), angle.sin())).length() < 1e-15);
    }
}
