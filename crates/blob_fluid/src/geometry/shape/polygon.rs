//! Shapes with straight edges: filled polygons, and lines with a thickness.

use std::sync::Arc;

use glam::Vec2;

use crate::geometry::shape::edges::Edges;
use crate::geometry::shape::nesting::Nesting;
use crate::settings::declare::settings;
use crate::settings::range::Check;
use crate::{FluidBounds, OutOfRange};

/// Largest coordinate of a corner relative to the shape's centre, in world units.
const FARTHEST: f32 = 1e9;

/// A filled shape with straight edges. It may be concave and may have holes. Cheap to clone.
///
/// ```
/// use blob_fluid::shape::Polygon;
/// use glam::Vec2;
/// let arrow = [(0.0, 10.0), (8.0, -8.0), (0.0, -2.0), (-8.0, -8.0)].map(Vec2::from);
/// let arrow = Polygon::new(arrow)?;
/// assert_eq!(arrow.rings()[0].len(), 4);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Vec<Vec2>>", into = "Vec<Vec<Vec2>>"))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "bevy_reflect", reflect(opaque, Clone, Debug, PartialEq))]
pub struct Polygon(Arc<Rings>);

#[derive(Debug)]
struct Rings {
    rings: Vec<Vec<Vec2>>,
    edges: Edges,
}

impl Polygon {
    /// Creates the shape inside a ring of corners, in either direction. If the ring crosses itself,
    /// a region that it surrounds an even number of times is outside.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for fewer than 3 corners, and for corners that are not finite or
    /// beyond ±1e9.
    pub fn new(corners: impl IntoIterator<Item = Vec2>) -> Result<Self, OutOfRange> {
        Self::with_holes([corners.into_iter().collect()])
    }

    /// Creates the shape of all points that an odd number of rings surrounds: an outline with
    /// holes, several outlines, or both.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for no ring, for rings of fewer than 3 corners, and for corners that
    /// are not finite or beyond ±1e9.
    pub fn with_holes(rings: impl IntoIterator<Item = Vec<Vec2>>) -> Result<Self, OutOfRange> {
        let rings: Vec<Vec<Vec2>> = rings.into_iter().collect();
        let check = Check("polygon");
        check.that(!rings.is_empty(), "rings", 0.0, "at least 1")?;
        let mut edges = Vec::new();
        for ring in &rings {
            check.that(ring.len() >= 3, "corners", ring.len() as f32, "at least 3")?;
            check_points(check, "corners", ring)?;
            edges.extend(ring.windows(2).map(|pair| [pair[0], pair[1]]));
            edges.push([ring[ring.len() - 1], ring[0]]);
        }
        Ok(Self(Arc::new(Rings { rings, edges: Edges::new(edges) })))
    }

    /// Creates the ground below a list of heights (world units), which are `step` world units apart
    /// from left to right. The ground reaches down to `depth` world units below the lowest height.
    /// The centre of the ground is half way between the first and the last height, at height 0.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for fewer than 2 heights, for a step or depth that is not above 0,
    /// and for numbers that are not finite.
    pub fn heightfield(heights: &[f32], step: f32, depth: f32) -> Result<Self, OutOfRange> {
        let check = Check("heightfield");
        check.that(heights.len() >= 2, "heights", heights.len() as f32, "at least 2")?;
        check.finite("heights", heights)?;
        check.size("step", step)?;
        check.size("depth", depth)?;
        let left = -0.5 * step * (heights.len() - 1) as f32;
        let surface = heights.iter().enumerate();
        let surface = surface.map(|(index, height)| Vec2::new(left + step * index as f32, *height));
        let bottom = heights.iter().copied().fold(f32::INFINITY, f32::min) - depth;
        Self::new(surface.chain([Vec2::new(-left, bottom), Vec2::new(left, bottom)]))
    }

    /// The corners of each ring, relative to the shape's centre, in world units.
    pub fn rings(&self) -> &[Vec<Vec2>] {
        &self.0.rings
    }

    pub(crate) fn edges(&self) -> &Edges {
        &self.0.edges
    }

    /// Area, in square world units, if the rings do not cross: holes are subtracted from the
    /// outline around them.
    pub(crate) fn area(&self) -> f32 {
        let rings = self.rings();
        let signs = Nesting::of(rings).values(0.5, |sign, _| -sign);
        let signed_area = |(ring, sign): (&Vec<Vec2>, f32)| {
            let next = ring.iter().cycle().skip(1);
            let twice: f32 = ring.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
            twice.abs() * sign
        };
        rings.iter().zip(signs).map(signed_area).sum::<f32>().abs()
    }

    /// The polygon with every corner multiplied by `scale`.
    pub(crate) fn scaled(&self, scale: Vec2) -> Self {
        let rings = self.rings().iter();
        let rings: Vec<Vec<Vec2>> =
            rings.map(|ring| ring.iter().map(|corner| *corner * scale).collect()).collect();
        Self::with_holes(rings).unwrap_or_else(|_| self.clone())
    }
}

impl PartialEq for Polygon {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.rings() == other.rings()
    }
}

impl TryFrom<Vec<Vec<Vec2>>> for Polygon {
    type Error = OutOfRange;

    fn try_from(rings: Vec<Vec<Vec2>>) -> Result<Self, OutOfRange> {
        Self::with_holes(rings)
    }
}

impl From<Polygon> for Vec<Vec<Vec2>> {
    fn from(polygon: Polygon) -> Self {
        polygon.rings().to_vec()
    }
}

/// A line through points. Liquid does not cross the line, however thin it is. Cheap to clone.
///
/// ```
/// use blob_fluid::shape::Polyline;
/// use glam::Vec2;
/// let bowl = [(-40.0, 30.0), (-20.0, 0.0), (20.0, 0.0), (40.0, 30.0)].map(Vec2::from);
/// let bowl = Polyline::new(bowl, 2.0)?;
/// assert_eq!(bowl.thickness(), 2.0);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "PolylineData", into = "PolylineData"))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
#[cfg_attr(feature = "bevy_reflect", reflect(opaque, Clone, Debug, PartialEq))]
pub struct Polyline(Arc<Line>);

#[derive(Debug)]
struct Line {
    points: Vec<Vec2>,
    thickness: f32,
    edges: Edges,
}

settings! {
    impl Polyline as "polyline" {
        /// Thickness of a line; 0 still holds liquid back.
        THICKNESS = "thickness": f32 [0 to 1e9] in "world units" = 0,
    }
}

impl Polyline {
    /// Creates a line through points, `thickness` world units across, 0 to 1e9, with round ends. A
    /// line of thickness 0 still holds liquid back (default 0 in files). The line is closed if the
    /// last point equals the first.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for fewer than 2 points, for points that are all equal, for a
    /// thickness below 0, and for numbers that are not finite or beyond ±1e9.
    pub fn new(points: impl IntoIterator<Item = Vec2>, thickness: f32) -> Result<Self, OutOfRange> {
        let points: Vec<Vec2> = points.into_iter().collect();
        let check = Check("polyline");
        check.that(points.len() >= 2, "points", points.len() as f32, "at least 2")?;
        check_points(check, "points", &points)?;
        Self::THICKNESS.check(thickness)?;
        let edges = Edges::new(points.windows(2).map(|pair| [pair[0], pair[1]]).collect());
        check.that(edges.bounds() != FluidBounds::NONE, "length", 0.0, "above 0")?;
        Ok(Self(Arc::new(Line { points, thickness, edges })))
    }

    /// The points, relative to the shape's centre, in world units.
    pub fn points(&self) -> &[Vec2] {
        &self.0.points
    }

    /// The two ends of each straight part that has a length.
    pub(crate) fn segments(&self) -> impl Iterator<Item = [Vec2; 2]> {
        let pairs = self.points().windows(2).map(|pair| [pair[0], pair[1]]);
        pairs.filter(|[from, to]| from != to)
    }

    /// Thickness, in world units.
    pub fn thickness(&self) -> f32 {
        self.0.thickness
    }

    pub(crate) fn edges(&self) -> &Edges {
        &self.0.edges
    }

    /// Whether `normal`, from the line to a point, points to the right of the line there.
    pub(crate) fn faces_right(&self, point: Vec2, normal: Vec2) -> bool {
        let nearest = self.edges().nearest(point, f32::INFINITY);
        nearest.and_then(|(_, _, way)| way).is_some_and(|way| way.perp_dot(normal) < 0.0)
    }

    pub(crate) fn half_thickness(&self) -> f32 {
        0.5 * self.0.thickness
    }

    pub(crate) fn area(&self) -> f32 {
        self.thickness()
            * self.points().windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f32>()
    }

    /// The line with every point multiplied by `scale`, and its thickness by the smaller factor. A
    /// mirrored line has its points in reverse order, so that its left side stays on its left.
    pub(crate) fn scaled(&self, scale: Vec2) -> Self {
        let points = self.points().iter().map(|point| *point * scale);
        let mut points: Vec<Vec2> = points.collect();
        if scale.x * scale.y < 0.0 {
            points.reverse();
        }
        let thickness = self.thickness() * scale.abs().min_element();
        Self::new(points, thickness).unwrap_or_else(|_| self.clone())
    }
}

impl PartialEq for Polyline {
    fn eq(&self, other: &Self) -> bool {
        let same = || self.thickness() == other.thickness() && self.points() == other.points();
        Arc::ptr_eq(&self.0, &other.0) || same()
    }
}

/// A [`Polyline`] as serialised.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PolylineData {
    points: Vec<Vec2>,
    #[serde(default)]
    thickness: f32,
}

#[cfg(feature = "serde")]
impl TryFrom<PolylineData> for Polyline {
    type Error = OutOfRange;

    fn try_from(data: PolylineData) -> Result<Self, OutOfRange> {
        Self::new(data.points, data.thickness)
    }
}

#[cfg(feature = "serde")]
impl From<Polyline> for PolylineData {
    fn from(line: Polyline) -> Self {
        Self { points: line.points().to_vec(), thickness: line.thickness() }
    }
}

fn check_points(check: Check, field: &'static str, points: &[Vec2]) -> Result<(), OutOfRange> {
    for value in points.iter().flat_map(|point| point.to_array()) {
        let valid = value.abs() <= FARTHEST;
        check.that(valid, field, value, "finite and within ±1e9")?;
    }
    Ok(())
}
