//! The edges of shapes, as line segments.

use bevy::prelude::*;
use blob_fluid::FluidShape;
use blob_fluid::shape::Polygon;

/// Largest distance of a round shape's edge from its line segments, in particle spacings.
const ROUNDNESS: f32 = 0.01;
/// Least and largest number of line segments of a full circle.
const PIECES: (f32, f32) = (24.0, 720.0);
/// Length to which the edge of a half plane extends, in particle spacings.
const FAR: f32 = 2e4;

/// The edges of a shape, relative to its centre.
pub(super) enum Outline {
    /// Closed rings of corners, with the inside of the shape on their left.
    Rings(Vec<Vec<Vec2>>),
    /// A line with a thickness.
    Line { points: Vec<Vec2>, thickness: f32 },
}

impl Outline {
    /// The edges of a shape; `None` for shapes from images.
    pub(super) fn of(shape: &FluidShape, spacing: f32) -> Option<Self> {
        let ring = match shape {
            FluidShape::Circle { radius } => arc(*radius, spacing, 1.0),
            FluidShape::Rectangle { half_size } => {
                [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)]
                    .map(|corner| corner * *half_size)
                    .to_vec()
            }
            FluidShape::Capsule { half_length, radius } => {
                let top = arc(*radius, spacing, 0.5);
                let up = Vec2::new(0.0, *half_length);
                let bottom: Vec<Vec2> = top.iter().map(|corner| -*corner - up).collect();
                top.into_iter().map(|corner| corner + up).chain(bottom).collect()
            }
            FluidShape::HalfPlane { normal } => {
                let far = FAR * spacing;
                let (along, below) = (normal.perp() * far, *normal * -far);
                vec![-along, along, along + below, below - along]
            }
            FluidShape::Polygon(polygon) => return Some(Self::Rings(rings(polygon, shape))),
            FluidShape::Polyline(line) => {
                let (points, thickness) = (line.points().to_vec(), line.thickness());
                return Some(Self::Line { points, thickness });
            }
            FluidShape::Field(_) => return None,
        };
        Some(Self::Rings(vec![ring]))
    }
}

/// Corners of a fraction of a circle, counter-clockwise from the right. A full circle does not
/// repeat its first corner.
fn arc(radius: f32, spacing: f32, part: f32) -> Vec<Vec2> {
    let pieces = std::f32::consts::PI / (2.0 * ROUNDNESS * spacing / radius).sqrt();
    let pieces = pieces.max(PIECES.0).min(PIECES.1) * part;
    let pieces = pieces.ceil() as u32;
    let corners = if part < 1.0 { pieces + 1 } else { pieces };
    let step = std::f32::consts::TAU * part / pieces as f32;
    let corner = |index: u32| {
        let angle = index as f32 * step;
        Vec2::new(libm::cosf(angle), libm::sinf(angle)) * radius
    };
    (0..corners).map(corner).collect()
}

/// The rings of a polygon, each oriented with the inside on its left.
fn rings(polygon: &Polygon, shape: &FluidShape) -> Vec<Vec<Vec2>> {
    let turned = |ring: &Vec<Vec2>| {
        let mut ring = ring.clone();
        let edges = ring.iter().zip(ring.iter().cycle().skip(1));
        let longest = edges
            .max_by(|(a, b), (c, d)| a.distance_squared(**b).total_cmp(&c.distance_squared(**d)));
        if let Some((start, end)) = longest {
            let left = start.midpoint(*end) + (*end - *start).perp() * 1e-3;
            if !shape.contains(left) {
                ring.reverse();
            }
        }
        ring
    };
    polygon.rings().iter().map(turned).collect()
}

// The parts of edges that liquid can reach.

/// Calls `visit` for every part of an edge on which `free` is not negative. Its arguments are the
/// distances of the part's ends from the edge's start.
///
/// `free` takes a distance from the start, up to `length`, and returns a distance to the next obstacle. The result must
/// not change faster than the argument, so that the search takes long steps far from obstacles. Its sign is constant
/// before `low` and beyond `high`. Parts shorter than `shortest` may be missed.
pub(super) fn exposed_parts(
    length: f32,
    low: f32,
    high: f32,
    shortest: f32,
    free: impl Fn(f32) -> f32,
    mut visit: impl FnMut(f32, f32),
) {
    let (mut at, mut here) = (0.0, free(0.0));
    let mut start = (here >= 0.0).then_some(0.0);
    while at < length {
        let beyond = if at < low { low - at } else { length - at };
        let step = if (low..high).contains(&at) { shortest } else { beyond };
        let next = (at + here.abs().max(step)).min(length);
        if next <= at {
            break;
        }
        let ahead = free(next);
        if (here >= 0.0) != (ahead >= 0.0) {
            let (mut low, mut high) = (at, next);
            for _ in 0..20 {
                let middle = 0.5 * (low + high);
                let like_before = (free(middle) >= 0.0) == (here >= 0.0);
                *(if like_before { &mut low } else { &mut high }) = middle;
            }
            match start.take() {
                Some(start) => visit(start, low),
                None => start = Some(high),
            }
        }
        (at, here) = (next, ahead);
    }
    if let Some(start) = start {
        visit(start, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring_of(shape: &FluidShape) -> Vec<Vec2> {
        match Outline::of(shape, 8.0) {
            Some(Outline::Rings(mut rings)) => rings.remove(0),
            _ => panic!("{shape:?} has rings"),
        }
    }

    fn area(ring: &[Vec2]) -> f32 {
        let next = ring.iter().cycle().skip(1);
        0.5 * ring.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f32>()
    }

    #[test]
    fn rings_have_the_inside_on_their_left() {
        let clockwise = [Vec2::ZERO, Vec2::new(0.0, 40.0), Vec2::new(50.0, 40.0)];
        for shape in [
            FluidShape::Circle { radius: 100.0 },
            FluidShape::Rectangle { half_size: Vec2::new(30.0, 80.0) },
            FluidShape::Capsule { half_length: 200.0, radius: 70.0 },
            FluidShape::Polygon(Polygon::new(clockwise).expect("valid")),
        ] {
            let (drawn, stated) = (area(&ring_of(&shape)), shape.area());
            assert!((drawn / stated - 1.0).abs() < 2e-3, "{shape:?}: {drawn} {stated}");
        }
        assert!(area(&ring_of(&FluidShape::HalfPlane { normal: Vec2::Y })) > 0.0);
        let half_plane = FluidShape::HalfPlane { normal: Vec2::new(0.6, 0.8) };
        let [start, end, ..] = ring_of(&half_plane)[..] else { panic!("four corners") };
        assert!((end - start).perp().dot(Vec2::new(0.6, 0.8)) < 0.0);
    }

    #[test]
    fn a_hole_has_the_inside_on_its_left() {
        let square = |half: f32| {
            [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)]
                .map(|corner| corner * half)
                .to_vec()
        };
        let frame = Polygon::with_holes([square(40.0), square(20.0)]).expect("valid");
        let Some(Outline::Rings(rings)) = Outline::of(&FluidShape::Polygon(frame), 8.0) else {
            panic!("rings")
        };
        assert_eq!(rings.iter().map(|ring| area(ring)).collect::<Vec<_>>(), [6400.0, -1600.0]);
    }

    #[test]
    fn circles_are_round_at_the_scale_of_the_liquid() {
        for (radius, spacing) in [(40.0, 8.0), (400.0, 8.0), (0.5, 0.02)] {
            let ring = ring_of_scaled(radius, spacing);
            let middle = ring[0].midpoint(ring[1]).length();
            assert!(radius - middle <= 1.01 * ROUNDNESS * spacing, "{radius} {middle}");
        }
    }

    fn ring_of_scaled(radius: f32, spacing: f32) -> Vec<Vec2> {
        match Outline::of(&FluidShape::Circle { radius }, spacing) {
            Some(Outline::Rings(mut rings)) => rings.remove(0),
            _ => panic!("a ring"),
        }
    }

    fn parts(length: f32, free: impl Fn(f32) -> f32) -> Vec<(f32, f32)> {
        let mut parts = Vec::new();
        exposed_parts(length, 0.0, length, 0.01, free, |start, end| parts.push((start, end)));
        parts
    }

    #[test]
    fn parts_end_where_obstacles_begin() {
        // Obstacles from 2 to 3, and from 7.
        let free = |at: f32| ((at - 2.5).abs() - 0.5).min(7.0 - at);
        let found = parts(10.0, free);
        assert_eq!(found.len(), 2);
        for (found, expected) in found.iter().zip([(0.0, 2.0), (3.0, 7.0)]) {
            assert!((found.0 - expected.0).abs() < 1e-3, "{found:?}");
            assert!((found.1 - expected.1).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn a_long_edge_is_searched_where_something_is() {
        let free = |at: f32| (at - 70_000.0).abs().min((at - 70_004.0).abs()) - 1.9;
        let (mut found, calls) = (Vec::new(), std::cell::Cell::new(0));
        let counted = |at| {
            calls.set(calls.get() + 1);
            free(at)
        };
        exposed_parts(1e5, 69_990.0, 70_010.0, 0.05, counted, |start, end| {
            found.push((start, end));
        });
        // A narrow gap is between the two obstacles.
        assert_eq!(found.len(), 3, "{found:?}");
        assert!((found[1].1 - found[1].0 - 0.2).abs() < 0.05 && calls.get() < 500, "{found:?}");
    }

    #[test]
    fn without_obstacles_all_is_exposed_and_within_one_nothing() {
        assert_eq!(parts(10.0, |_| f32::INFINITY), [(0.0, 10.0)]);
        assert_eq!(parts(10.0, |_| -1.0), []);
        assert_eq!(parts(10.0, |_| 0.0), [(0.0, 10.0)]);
        assert_eq!(parts(0.0, |_| 1.0), [(0.0, 0.0)]);
    }
}
