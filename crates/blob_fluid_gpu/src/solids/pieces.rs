//! The pieces that shapes are made of on a device.

use std::collections::HashMap;

use blob_fluid::shape::iso_lines;
use blob_fluid::{DeviceSolid, FluidShape};
use glam::{DVec2, Vec2};

/// A piece of a shape, in the frame of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// The ends of an edge or of a bar's axis. The first one is the normal of a half plane.
    pub ends: [Vec2; 2],
    /// Radius of a bar's round ends, or the height of the body's centre above a half plane.
    pub radius: f32,
    /// What it is; see `shaders/solids.wgsl`.
    pub kind: u32,
}

impl Piece {
    const EDGE: u32 = 0;
    const BAR: u32 = 1;
    const PLANE: u32 = 2;
    const TWO_SIDED: u32 = 4;
    const HOLLOW_START: u32 = 8;
    const HOLLOW_END: u32 = 16;
    const COVERED: u32 = 32;

    fn edge(ends: [Vec2; 2], flags: u32) -> Self {
        Self { ends, radius: 0.0, kind: Self::EDGE | flags }
    }

    fn plane(normal: Vec2, height: f32) -> Self {
        Self { ends: [normal, Vec2::ZERO], radius: height, kind: Self::PLANE }
    }

    fn bar(ends: [Vec2; 2], radius: f32) -> Self {
        Self { ends, radius, kind: Self::BAR }
    }

    /// Points beside an edge with one free side, at a distance on that side; none for other pieces.
    pub(crate) fn points_beside(&self, distance: f32) -> Option<[Vec2; 3]> {
        let [start, end] = self.ends;
        let left = (end - start).perp().normalize_or(Vec2::Y) * distance;
        let is_edge = self.kind & !(Self::HOLLOW_START | Self::HOLLOW_END) == Self::EDGE;
        is_edge.then(|| [0.1, 0.5, 0.9].map(|part| start.lerp(end, part) + left))
    }

    /// The same, with another collider beyond it.
    pub(crate) fn covered(self) -> Self {
        Self { kind: self.kind | Self::COVERED, ..self }
    }

    /// Distance of a point from it, in the frame of its body.
    pub(crate) fn distance(&self, point: Vec2) -> f32 {
        distance_to_line(self.ends, point) - self.radius
    }

    /// Whether it has no bounds.
    pub(crate) fn is_plane(&self) -> bool {
        self.kind == Self::PLANE
    }
}

/// Distance of a point from the line between two.
pub(crate) fn distance_to_line([start, end]: [Vec2; 2], point: Vec2) -> f32 {
    let way = end - start;
    let along = (point - start).dot(way) / way.length_squared();
    // Ends at the same point give no number.
    let along = if along.is_finite() { along.clamp(0.0, 1.0) } else { 0.0 };
    point.distance(start + way * along)
}

/// The pieces of a solid, and whether each is a wall of its own.
///
/// Nothing is made of a line that is solid outside: there is no place that it leaves free.
pub(crate) fn pieces_of(solid: &DeviceSolid<'_>) -> (Vec<Piece>, bool) {
    let each = solid.is_container && matches!(solid.shape, FluidShape::Rectangle { .. });
    (pieces(solid), each)
}

fn pieces(solid: &DeviceSolid<'_>) -> Vec<Piece> {
    let (shape, inside_out) = (solid.shape, solid.inside_out);
    match shape {
        FluidShape::Rectangle { half_size } if solid.is_container => vec![
            Piece::plane(Vec2::X, half_size.x),
            Piece::plane(-Vec2::X, half_size.x),
            Piece::plane(Vec2::Y, half_size.y),
            Piece::plane(-Vec2::Y, half_size.y),
        ],
        FluidShape::Circle { radius } => vec![Piece::bar([Vec2::ZERO; 2], *radius)],
        FluidShape::Capsule { half_length, radius } => {
            let tip = Vec2::new(0.0, *half_length);
            vec![Piece::bar([-tip, tip], *radius)]
        }
        FluidShape::HalfPlane { normal } => {
            let normal = if inside_out { -*normal } else { *normal };
            vec![Piece::plane(normal, 0.0)]
        }
        FluidShape::Rectangle { .. } => {
            let rings: Vec<Vec<Vec2>> = shape.outlines().concat();
            of_rings(&rings, inside_out)
        }
        FluidShape::Polygon(polygon) => of_rings(polygon.rings(), inside_out),
        FluidShape::Polyline(_) if inside_out => Vec::new(),
        FluidShape::Polyline(line) => {
            let pairs = line.points().windows(2).map(|pair| [pair[0], pair[1]]);
            let half = 0.5 * line.thickness();
            let sides = if solid.one_way { 0 } else { Piece::TWO_SIDED };
            let piece = |ends| match half {
                0.0 => Piece::edge(ends, sides),
                _ => Piece::bar(ends, half),
            };
            pairs.filter(|[start, end]| start != end).map(piece).collect()
        }
        FluidShape::Field(field) => {
            let bounds = shape.bounds();
            let size = bounds.high - bounds.low;
            // Iso lines have at most four million squares.
            let step = field.pixel().min_element().max((size.element_product() / 3.9e6).sqrt());
            let mut lines = Vec::new();
            iso_lines(
                bounds,
                step,
                &[0.0],
                |point| shape.distance(point),
                |_, ends| {
                    lines.push(ends);
                },
            );
            lines.retain(|[start, end]| start != end);
            for ends in &mut lines {
                let left = (ends[1] - ends[0]).perp().normalize_or(Vec2::Y);
                let beside = 0.5 * (ends[0] + ends[1]) + left * (0.25 * step);
                if (shape.distance(beside) < 0.0) != inside_out {
                    ends.swap(0, 1);
                }
            }
            with_corners(lines, step * 1e-3)
        }
    }
}

/// The edges of rings, with their free sides to their left. Where rings cross, both sides are free.
fn of_rings(rings: &[Vec<Vec2>], inside_out: bool) -> Vec<Piece> {
    let rings: Vec<Vec<Vec2>> = rings.iter().map(|ring| without_doubles(ring)).collect();
    let mut pieces = Vec::new();
    for (index, ring) in rings.iter().enumerate().filter(|(_, ring)| ring.len() >= 2) {
        let others = rings.iter().enumerate().filter(|(other, _)| *other != index);
        let is_hole = others.filter(|(_, other)| encloses(other, ring[0])).count() % 2 == 1;
        let counter_clockwise = twice_area(ring) > 0.0;
        let mut ring = ring.clone();
        // An outline that runs clockwise has the outside to its left.
        if counter_clockwise == (is_hole == inside_out) {
            ring.reverse();
        }
        let count = ring.len();
        let hollow = |corner: usize| {
            let [before, at, after] =
                [corner + count - 1, corner, corner + 1].map(|index| ring[index % count]);
            (at - before).as_dvec2().perp_dot((after - at).as_dvec2()) > 0.0
        };
        for corner in 0..count {
            let next = (corner + 1) % count;
            let start = if hollow(corner) { Piece::HOLLOW_START } else { 0 };
            let end = if hollow(next) { Piece::HOLLOW_END } else { 0 };
            pieces.push(Piece::edge([ring[corner], ring[next]], start | end));
        }
    }
    if any_cross(&pieces) {
        pieces.iter_mut().for_each(|piece| piece.kind = Piece::EDGE | Piece::TWO_SIDED);
    }
    pieces
}

fn without_doubles(ring: &[Vec2]) -> Vec<Vec2> {
    let mut corners = ring.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    corners
}

fn twice_area(ring: &[Vec2]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| a.as_dvec2().perp_dot(b.as_dvec2())).sum()
}

fn encloses(ring: &[Vec2], point: Vec2) -> bool {
    let point = point.as_dvec2();
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    let right_of = |(start, end): &(&Vec2, &Vec2)| {
        let (start, end): (DVec2, DVec2) = (start.as_dvec2(), end.as_dvec2());
        (start.y > point.y) != (end.y > point.y)
            && point.x < start.x + (end.x - start.x) * (point.y - start.y) / (end.y - start.y)
    };
    edges.filter(right_of).count() % 2 == 1
}

/// Most edges of a shape that are tested for crossing each other. More are taken not to.
const MOST_TESTED: usize = 4096;

fn any_cross(pieces: &[Piece]) -> bool {
    let side = |[start, end]: [Vec2; 2], point: Vec2| {
        let [start, end, point] = [start, end, point].map(Vec2::as_dvec2);
        (end - start).perp_dot(point - start)
    };
    let apart = |line: [Vec2; 2], ends: [Vec2; 2]| side(line, ends[0]) * side(line, ends[1]) < 0.0;
    let tested = if pieces.len() > MOST_TESTED { &[] } else { pieces };
    tested.iter().enumerate().any(|(index, one)| {
        tested[..index]
            .iter()
            .any(|other| apart(one.ends, other.ends) && apart(other.ends, one.ends))
    })
}

/// Edges with their free sides to their left, whose ends meet within a distance.
fn with_corners(lines: Vec<[Vec2; 2]>, within: f32) -> Vec<Piece> {
    let place = |point: Vec2| (point / within).round().as_i64vec2();
    let ways = |end: usize| -> HashMap<_, Vec2> {
        lines.iter().map(|ends| (place(ends[end]), ends[1] - ends[0])).collect()
    };
    let (starting, ending) = (ways(0), ways(1));
    let hollow = |before: Option<&Vec2>, after: Option<&Vec2>, flag: u32| match (before, after) {
        (Some(before), Some(after)) if before.perp_dot(*after) > 0.0 => flag,
        _ => 0,
    };
    let piece = |ends: &[Vec2; 2]| {
        let way = ends[1] - ends[0];
        let start = hollow(ending.get(&place(ends[0])), Some(&way), Piece::HOLLOW_START);
        let end = hollow(Some(&way), starting.get(&place(ends[1])), Piece::HOLLOW_END);
        Piece::edge(*ends, start | end)
    };
    lines.iter().map(piece).collect()
}
