//! Outlines of shapes as rings of points, for drawing and for building other shapes.

use std::ops::Range;

use glam::{DVec2, Vec2};

use crate::geometry::shape::kinds::FluidShape;
use crate::geometry::shape::nesting::Nesting;
use crate::geometry::shape::polygon::Polygon;
use crate::{FluidBounds, OutOfRange};

/// Number of corners of a full circle.
const CORNERS: usize = 96;

/// Cosine and sine of a full turn divided by [`CORNERS`]. They are constants because sines differ
/// between platforms.
const TURN: Vec2 = Vec2::new(0.997_858_9, 0.065_403_13);

/// Distance up to which a half plane is drawn, in world units.
const FAR: f32 = 1e5;

/// An outline and the holes in it, each as a ring of corners.
pub type Outline = Vec<Vec<Vec2>>;

impl FluidShape {
    /// The outlines of the shape's parts, which may overlap. Round parts are polygons with many
    /// corners, a half plane ends a hundred thousand world units away, and a
    /// [`Field`](FluidShape::Field) has no outline.
    ///
    /// ```
    /// use blob_fluid::FluidShape;
    /// use glam::Vec2;
    /// let corners = &FluidShape::Rectangle { half_size: Vec2::new(3.0, 1.0) }.outlines()[0][0];
    /// assert_eq!(corners.len(), 4);
    /// assert_eq!(corners[0], Vec2::new(3.0, 1.0));
    /// ```
    pub fn outlines(&self) -> Vec<Outline> {
        match self {
            Self::Circle { radius } => vec![vec![ring(Vec2::splat(*radius))]],
            Self::Rectangle { half_size } => {
                let signs = [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)];
                vec![vec![signs.map(|sign| sign * *half_size).to_vec()]]
            }
            Self::Capsule { half_length, radius } => {
                let tip = Vec2::new(0.0, *half_length);
                vec![vec![bar(-tip, tip, *radius)]]
            }
            Self::HalfPlane { normal } => {
                let along = normal.perp() * FAR;
                let below = *normal * -FAR;
                vec![vec![vec![along, -along, below - along, below + along]]]
            }
            Self::Polygon(polygon) => parts(polygon),
            Self::Polyline(line) => {
                let segments = line.segments();
                segments.map(|[from, to]| vec![bar(from, to, line.half_thickness())]).collect()
            }
            Self::Field(_) => Vec::new(),
        }
    }

    /// At most `most` corners of its outlines: every n-th corner.
    pub(crate) fn some_corners(&self, most: usize) -> Vec<Vec2> {
        let one_of = |count: usize| count.div_ceil(most).max(1);
        match self {
            Self::Field(field) => {
                let all = field.edge_points();
                let every = one_of(all.len());
                all.into_iter().step_by(every).collect()
            }
            Self::Polygon(polygon) => {
                let every = one_of(polygon.rings().iter().map(Vec::len).sum());
                polygon.rings().iter().flatten().step_by(every).copied().collect()
            }
            Self::Polyline(line) => {
                let every = one_of(CORNERS * line.segments().count());
                let segments = line.segments().zip((0_usize..).step_by(CORNERS));
                let chosen = segments.flat_map(|([from, to], first)| {
                    let skipped = first.next_multiple_of(every) - first;
                    let any = skipped < CORNERS;
                    let corners = any.then(|| bar(from, to, line.half_thickness()));
                    corners.into_iter().flatten().skip(skipped).step_by(every)
                });
                chosen.collect()
            }
            _ => {
                let all = self.outlines().concat().concat();
                let every = one_of(all.len());
                all.into_iter().step_by(every).collect()
            }
        }
    }

    /// Creates an ellipse with these half axes (world units), as a polygon with many corners.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`](crate::OutOfRange) for half axes that are not finite.
    pub fn ellipse(half_size: Vec2) -> Result<Self, OutOfRange> {
        Polygon::new(ring(half_size)).map(Self::Polygon)
    }
}

/// The corners of an ellipse, counter-clockwise from the right.
fn ring(half_size: Vec2) -> Vec<Vec2> {
    let mut direction = Vec2::X;
    (0..CORNERS)
        .map(|_| {
            let corner = direction * half_size;
            direction = direction.rotate(TURN).normalize();
            corner
        })
        .collect()
}

/// The corners of a bar with round ends.
fn bar(from: Vec2, to: Vec2, radius: f32) -> Vec<Vec2> {
    let along = (to - from).normalize_or(Vec2::X);
    let around = ring(Vec2::ONE).into_iter();
    around
        .map(|direction| {
            let corner = radius * -along.perp().rotate(direction);
            if direction.y >= 0.0 { to + corner } else { from + corner }
        })
        .collect()
}

/// Finds the rings that lie in an even number of others, each with the rings that are its holes.
fn parts(polygon: &Polygon) -> Vec<Outline> {
    let rings = polygon.rings();
    let nesting = Nesting::of(rings);
    let is_hole = nesting.values(false, |is_hole: bool, _| !is_hole);
    let mut holes = vec![Vec::new(); rings.len()];
    for hole in (0..rings.len()).filter(|index| is_hole[*index]) {
        let around = nesting.around(hole).into_iter();
        around.for_each(|outer| holes[outer].push(hole));
    }
    let outer = (0..rings.len()).filter(|index| !is_hole[*index]);
    outer
        .map(|index| {
            let holes = holes[index].iter().copied();
            std::iter::once(index).chain(holes).map(|index| rings[index].clone()).collect()
        })
        .collect()
}

// Patterns of points that fill shapes.

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

/// Position of a line relative to the middle of all lines, in units of the distance between lines.
fn from_middle(line: u64, lines: u64) -> f32 {
    // Integers place the lines of a huge shape exactly.
    let twice = 2 * line as i64 - (lines as i64 - 1);
    0.5 * twice as f32
}

/// The lines between two positions relative to the middle, in units of the distance between lines.
/// The range has one or two more lines on each side because points are shifted.
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

/// Returns a pseudo-random vector with both coordinates in -1..1. Equal indices give equal vectors.
pub fn scatter(index: u32) -> Vec2 {
    let unit = |bits: u32| (bits >> 8) as f32 / 8_388_608.0 - 1.0;
    Vec2::new(unit(mix(index.wrapping_mul(2))), unit(mix(index.wrapping_mul(2).wrapping_add(1))))
}

/// As [`scatter`], with another vector in every tick.
pub(crate) fn scatter_in_tick(index: u32, tick: u32) -> Vec2 {
    // An odd factor of many bits makes the products of neighbouring ticks unrelated.
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

    fn area(outlines: &[Outline]) -> f32 {
        let ring = |ring: &Vec<Vec2>| {
            let next = ring.iter().cycle().skip(1);
            0.5 * ring.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f32>().abs()
        };
        outlines.iter().map(|part| ring(&part[0]) - part[1..].iter().map(ring).sum::<f32>()).sum()
    }

    #[test]
    fn outlines_have_the_area_of_their_shapes() {
        let frame =
            |half: f32| FluidShape::Rectangle { half_size: Vec2::splat(half) }.outlines().remove(0);
        let rings = [frame(30.0), frame(20.0), frame(10.0)].concat();
        for shape in [
            FluidShape::Circle { radius: 12.0 },
            FluidShape::Rectangle { half_size: Vec2::new(3.0, 8.0) },
            FluidShape::Capsule { half_length: 20.0, radius: 7.0 },
            FluidShape::Polygon(Polygon::with_holes(rings).expect("valid")),
            FluidShape::ellipse(Vec2::new(30.0, 5.0)).expect("valid"),
        ] {
            let (drawn, stated) = (area(&shape.outlines()), shape.area());
            assert!((drawn / stated - 1.0).abs() < 2e-3, "{shape:?}: {drawn} {stated}");
        }
    }

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
