//! The edges of shapes, as straight lines.

use bevy::prelude::*;
use blob_fluid::shape::{FluidShape, Polygon};

/// Largest distance of a round shape's edge from its straight pieces, in particle spacings.
const ROUNDNESS: f32 = 0.01;
/// Least and largest number of pieces of a full circle.
const PIECES: (f32, f32) = (24.0, 720.0);
/// Distance to which a half plane reaches, in particle spacings.
const FAR: f32 = 2e4;

/// The edges of a shape, relative to its centre.
pub(super) enum Outline {
    /// Closed rings of corners, with the inside of the shape on their left.
    Rings(Vec<Vec<Vec2>>),
    /// A line with a thickness.
    Line { points: Vec<Vec2>, thickness: f32 },
}

impl Outline {
    /// The edges of a shape; `None` for shapes drawn in pixels.
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

/// Corners of a part of a circle, counter-clockwise from the right. The last corner of a full
/// circle is left out.
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

/// The rings of a polygon, each turned so that the inside is on its left.
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
}
