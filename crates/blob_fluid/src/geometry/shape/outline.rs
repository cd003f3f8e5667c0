//! Outlines of shapes as rings of points, for drawing and for building other shapes.

use glam::Vec2;

use super::kinds::FluidShape;
use super::nesting::Nesting;
use super::polygon::Polygon;
use crate::settings::range::OutOfRange;

/// Number of corners of a full circle.
const CORNERS: usize = 96;

/// Cosine and sine of a full turn divided by [`CORNERS`]. They are constants because sines differ
/// between platforms.
const TURN: Vec2 = Vec2::new(0.997_858_9, 0.065_403_13);

/// Distance up to which a half plane is drawn, in world units.
const FAR: f32 = 1e5;

/// An outline and the holes in it. Each is a ring of corners.
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

    /// At most so many corners of its outlines: every n-th.
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
    let around = ring(Vec2::splat(radius)).into_iter();
    around
        .map(|corner| {
            let turned = -along.perp().rotate(corner);
            if corner.y >= 0.0 { to + turned } else { from + turned }
        })
        .collect()
}

/// Finds the rings that lie in an even number of others, each with the rings that are its holes.
fn parts(polygon: &Polygon) -> Vec<Outline> {
    let rings = polygon.rings();
    let nesting = Nesting::of(rings);
    let around = |index: usize| {
        let mut around = Vec::new();
        nesting.for_each_around(index, |other| around.push(other));
        around
    };
    let around: Vec<Vec<usize>> = (0..rings.len()).map(around).collect();
    let is_outer = |index: usize| around[index].len().is_multiple_of(2);
    let mut holes = vec![Vec::new(); rings.len()];
    for hole in (0..rings.len()).filter(|index| !is_outer(*index)) {
        let parents =
            around[hole].iter().filter(|ring| around[**ring].len() + 1 == around[hole].len());
        parents.for_each(|parent| holes[*parent].push(hole));
    }
    let outer = (0..rings.len()).filter(|index| is_outer(*index));
    outer
        .map(|index| {
            let holes = holes[index].iter().copied();
            std::iter::once(index).chain(holes).map(|index| rings[index].clone()).collect()
        })
        .collect()
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
}
