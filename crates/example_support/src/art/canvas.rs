//! Meshes with a colour at each corner.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

/// Where light comes from.
const LIGHT: Vec2 = Vec2::new(-0.45, 0.89);
/// Greatest width of the lit and the shaded edge of a solid, in world units.
const BEVEL: f32 = 7.0;
/// Points in the place of a corner that is rounded.
const ROUNDNESS: usize = 6;

/// A mesh in the making.
#[derive(Default)]
pub(super) struct Canvas {
    corners: Vec<[f32; 3]>,
    colors: Vec<[f32; 4]>,
    triangles: Vec<u32>,
}

impl Canvas {
    fn corner(&mut self, at: Vec2, color: Color) -> u32 {
        self.corners.push(at.extend(0.0).to_array());
        self.colors.push(color.to_linear().to_f32_array());
        self.corners.len() as u32 - 1
    }

    /// Fills what lies between two lines, given as pairs of points.
    pub fn strip(mut self, pairs: impl IntoIterator<Item = [(Vec2, Color); 2]>) -> Self {
        let mut before: Option<[u32; 2]> = None;
        for pair in pairs {
            let [c, d] = pair.map(|(at, color)| self.corner(at, color));
            if let Some([a, b]) = before.replace([c, d]) {
                self.triangles.extend([a, c, d, a, d, b]);
            }
        }
        self
    }

    /// Fills a ring that a point inside of it sees all of.
    pub fn fan(mut self, centre: (Vec2, Color), ring: &[(Vec2, Color)]) -> Self {
        let middle = self.corner(centre.0, centre.1);
        let first = self.corners.len() as u32;
        for (at, color) in ring {
            self.corner(*at, *color);
        }
        let count = ring.len() as u32;
        let triangle = |number| [middle, first + number, first + (number + 1) % count];
        self.triangles.extend((0..count).flat_map(triangle));
        self
    }

    /// Fills a convex ring with the colours of its middle and its edge.
    pub fn flat(self, ring: &[Vec2], [middle, edge]: [Color; 2]) -> Self {
        let painted: Vec<_> = ring.iter().map(|at| (*at, edge)).collect();
        self.fan((centre(ring), middle), &painted)
    }

    /// Fills a convex ring, lit from above on the left; `turn` is the angle by which it will be
    /// turned, in radians.
    pub fn solid(self, ring: &[Vec2], color: Color, turn: f32) -> Self {
        let (centre, bevel) = (centre(ring), (0.9 * thickness(ring)).min(BEVEL));
        let lit = |(normal, at): (Vec2, &Vec2)| (*at, shade(color, normal, turn));
        let edge: Vec<_> = normals(ring).zip(ring).map(lit).collect();
        let inner = |(normal, at): (Vec2, &Vec2)| (*at - bevel * normal, color);
        let inner: Vec<_> = normals(ring).zip(ring).map(inner).collect();
        self.fan((centre, color), &inner).strip(closed(&edge, &inner))
    }

    /// Draws a wall of a thickness around a ring, lit as a [`Canvas::solid`] is.
    pub fn wall(self, ring: &[Vec2], thickness: f32, radius: f32, color: Color, turn: f32) -> Self {
        let offset = |by: f32| -> Vec<Vec2> {
            normals(ring).zip(ring).map(|(normal, at)| *at + by * normal).collect()
        };
        let inner = rounded(ring, radius);
        let outer = rounded(&offset(thickness), radius + thickness);
        let paint = |ring: &[Vec2], way: f32| -> Vec<(Vec2, Color)> {
            let lit = |(normal, at): (Vec2, &Vec2)| (*at, shade(color, way * normal, turn));
            normals(ring).zip(ring).map(lit).collect()
        };
        let middle = inner.iter().zip(&outer).map(|(a, b)| (a.midpoint(*b), color));
        let middle: Vec<_> = middle.collect();
        self.strip(closed(&paint(&inner, -1.0), &middle))
            .strip(closed(&middle, &paint(&outer, 1.0)))
    }

    pub fn mesh(self) -> Mesh {
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.corners)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colors)
            .with_inserted_indices(Indices::U32(self.triangles))
    }
}

/// A board with light on its upper edge and shadow below, and with rounded corners. `turn` is the
/// angle by which it will be turned, in radians. For a [`ColorMaterial`] that is white.
pub fn slab(size: Vec2, color: Color, turn: f32) -> Mesh {
    let signs = [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)];
    let ring = rounded(&signs.map(|sign| 0.5 * sign * size), 4.0);
    Canvas::default().solid(&ring, color, turn).mesh()
}

/// The pairs of two rings.
fn closed(a: &[(Vec2, Color)], b: &[(Vec2, Color)]) -> impl Iterator<Item = [(Vec2, Color); 2]> {
    let pairs = a.iter().zip(b).map(|(a, b)| [*a, *b]);
    pairs.clone().chain(pairs.take(1)).collect::<Vec<_>>().into_iter()
}

/// A colour in light or shadow, by the direction in which a surface looks.
fn shade(color: Color, normal: Vec2, turn: f32) -> Color {
    let light = Vec2::from_angle(turn).rotate(normal.normalize_or_zero()).dot(LIGHT);
    let (other, most) = if light > 0.0 { (Color::WHITE, 0.38) } else { (Color::BLACK, 0.5) };
    color.mix(&other, most * light.abs()).with_alpha(color.alpha())
}

/// The middle of a ring.
pub(super) fn centre(ring: &[Vec2]) -> Vec2 {
    let (low, high) = ring
        .iter()
        .fold((Vec2::MAX, Vec2::MIN), |(low, high), corner| (low.min(*corner), high.max(*corner)));
    low.midpoint(high)
}

/// Half the width of a long ring, in world units.
fn thickness(ring: &[Vec2]) -> f32 {
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    let (area, length) = edges.fold((0.0, 0.0), |(area, length), (a, b)| {
        (area + 0.5 * a.perp_dot(*b), length + a.distance(*b))
    });
    area.abs() / length.max(1e-6)
}

/// For each corner of a counter-clockwise ring, the offset to a ring at distance 1 around it.
fn normals(ring: &[Vec2]) -> impl Iterator<Item = Vec2> + '_ {
    let count = ring.len();
    (0..count).map(move |index| {
        let (before, after) = (ring[(index + count - 1) % count], ring[(index + 1) % count]);
        let [a, b] = [ring[index] - before, after - ring[index]]
            .map(|edge| -edge.normalize_or_zero().perp());
        ((a + b) / (1.0 + a.dot(b)).max(0.5)).clamp_length_max(2.0)
    })
}

/// A counter-clockwise ring whose corners are round, with this radius where its edges are long
/// enough.
pub(super) fn rounded(ring: &[Vec2], radius: f32) -> Vec<Vec2> {
    let count = ring.len();
    let corner = |index: usize| {
        let at = ring[index];
        let [back, on] =
            [(index + count - 1) % count, (index + 1) % count].map(|other| ring[other] - at);
        let sharp = back.angle_to(on).abs() < 2.6;
        let reach = radius.min(0.45 * back.length()).min(0.45 * on.length());
        let [a, b] = [back, on].map(|way| at + reach * way.normalize_or_zero());
        let points = if sharp { ROUNDNESS } else { 1 };
        (0..points).map(move |number| {
            let t = number as f32 / (ROUNDNESS - 1) as f32;
            if sharp { a.lerp(at, t).lerp(at.lerp(b, t), t) } else { at }
        })
    };
    (0..count).flat_map(corner).collect()
}
