//! A container or collider with its walls.

use bevy::prelude::*;
use blob_fluid::{ColliderId, ContainerId, FluidBounds, FluidShape, Pose};

use super::outline::Outline;
use crate::render::{FluidWall, SolidTriangle};
use crate::walls::outline::exposed_parts;

/// Largest gap in which liquid would not be visible, in particle spacings.
const GAP: f32 = 0.05;

/// A solid of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SolidId {
    Container(ContainerId),
    Collider(ColliderId),
}

/// The solid side of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WallKind {
    /// Solid outside of all containers.
    Container,
    /// Solid inside of the shape.
    Collider,
    /// Solid outside of the shape.
    InsideOut,
}

/// An edge of a solid, with the liquid on its left unless it is a line.
#[derive(Clone, Copy, Debug)]
struct Edge {
    start: Vec2,
    end: Vec2,
    /// Whether the adjacent faces at the start and at the end turn towards the liquid.
    inner: [bool; 2],
    /// Thickness of a line.
    line: Option<f32>,
    /// Number of walls up to and including this edge.
    walls: u32,
}

impl Edge {
    fn bounds(&self) -> FluidBounds {
        FluidBounds { low: self.start.min(self.end), high: self.start.max(self.end) }
    }
}

/// A solid and its walls.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    shape: FluidShape,
    kind: WallKind,
    pose: Pose,
    /// A box outside of which the solid does not change the walls of other solids.
    influence: FluidBounds,
    /// A box around its edges.
    extent: FluidBounds,
    edges: Vec<Edge>,
    walls: Vec<FluidWall>,
}

/// The walls of a solid, and the number of walls up to each edge.
pub(super) struct FoundWalls {
    walls: Vec<FluidWall>,
    counts: Vec<u32>,
}

impl Solid {
    /// A solid whose walls are not computed yet.
    pub(super) fn new(shape: &FluidShape, kind: WallKind, pose: Pose, spacing: f32) -> Self {
        let mut edges = Vec::new();
        match Outline::of(shape, spacing) {
            Some(Outline::Rings(rings)) => {
                for ring in rings {
                    ring_edges(&ring, kind != WallKind::Collider, pose, &mut edges);
                }
            }
            Some(Outline::Line { points, thickness }) => {
                let ends = points.windows(2).map(|ends| [ends[0], ends[1]]);
                edges.extend(ends.filter(|[start, end]| start != end).map(|ends| {
                    let [start, end] = ends.map(|end| pose.to_world(end));
                    Edge { start, end, inner: [false; 2], line: Some(thickness), walls: 0 }
                }));
            }
            None => {}
        }
        let half_thickness = edges.first().and_then(|edge| edge.line).unwrap_or(0.0) * 0.5;
        let around = edges.iter().map(Edge::bounds).fold(FluidBounds::NONE, FluidBounds::union);
        let extent = around.inflated(half_thickness + 2.0 * GAP * spacing);
        let influence = match kind {
            WallKind::Collider => extent,
            WallKind::Container | WallKind::InsideOut => FluidBounds::ALL,
        };
        Self { shape: shape.clone(), kind, pose, influence, extent, edges, walls: Vec::new() }
    }

    /// Whether the solid has this shape, kind and pose.
    pub(super) fn matches(&self, shape: &FluidShape, kind: WallKind, pose: Pose) -> bool {
        self.pose == pose && self.kind == kind && self.shape == *shape
    }

    fn is_line(&self) -> bool {
        matches!(self.shape, FluidShape::Polyline(_))
    }

    pub(super) fn kind(&self) -> WallKind {
        self.kind
    }

    pub(super) fn influence(&self) -> FluidBounds {
        self.influence
    }

    pub(super) fn walls(&self) -> &[FluidWall] {
        &self.walls
    }

    pub(super) fn set_walls(&mut self, found: FoundWalls) {
        self.walls = found.walls;
        for (edge, count) in self.edges.iter_mut().zip(found.counts) {
            edge.walls = count;
        }
    }

    /// Triangles with signed areas that cover the shape. A line has none.
    pub(super) fn triangles(&self) -> impl Iterator<Item = SolidTriangle> + '_ {
        let edges = if self.is_line() { &[] } else { &self.edges[..] };
        let container = if self.kind == WallKind::Container { 1.0 } else { 0.0 };
        edges.iter().map(move |edge| {
            // The edges of a container have its inside on their left, which makes its triangles
            // positive. The edges of an inside-out collider do so too, but its inside must be
            // subtracted.
            let corners = match self.kind {
                WallKind::Container => [self.pose.translation, edge.start, edge.end],
                WallKind::Collider | WallKind::InsideOut => {
                    [self.pose.translation, edge.end, edge.start]
                }
            };
            SolidTriangle {
                corners: corners.map(|corner| corner.to_array()),
                container,
                padding: 0.0,
            }
        })
    }

    /// Signed distance of a point from the edge; positive outside of the solid part.
    fn free(&self, point: Vec2) -> f32 {
        let distance = self.shape.distance(self.pose.to_local(point));
        if self.kind == WallKind::Collider { distance } else { -distance }
    }

    /// The parts of a solid's edges that liquid can reach, or `None` if they cannot have changed.
    /// Edges outside of the boxes `changed` keep their walls.
    pub(super) fn find_walls(
        solids: &[(SolidId, Self)],
        index: usize,
        changed: &[FluidBounds],
        spacing: f32,
    ) -> Option<FoundWalls> {
        let (_, solid) = solids.get(index)?;
        let around =
            solid.edges.iter().map(Edge::bounds).fold(FluidBounds::NONE, FluidBounds::union);
        if !changed.iter().any(|changed| changed.intersects(around)) {
            return None;
        }
        let others = solids.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.map(|(_, (_, other))| other);
        let near: Vec<&Self> = others.filter(|other| other.influence.intersects(around)).collect();
        let mut found = FoundWalls { walls: Vec::new(), counts: Vec::new() };
        let mut first = 0;
        for edge in &solid.edges {
            let bounds = edge.bounds();
            let before = first..edge.walls as usize;
            first = before.end;
            if changed.iter().any(|changed| changed.intersects(bounds)) {
                let near = Near { solid, others: &near, bounds };
                near.find(edge, spacing, &mut found.walls);
            } else {
                found.walls.extend_from_slice(&solid.walls[before]);
            }
            found.counts.push(found.walls.len() as u32);
        }
        Some(found)
    }
}

/// Adds the edges of a ring with its inside on the left.
fn ring_edges(ring: &[Vec2], liquid_inside: bool, pose: Pose, edges: &mut Vec<Edge>) {
    let count = ring.len();
    let corner = |index: usize| ring[index % count];
    // Whether the faces turn towards the liquid: at a left turn for liquid inside of the ring, at
    // a right turn for liquid outside.
    let inner = |index: usize| {
        let (before, here, after) = (corner(index + count - 1), corner(index), corner(index + 1));
        ((here - before).perp_dot(after - here) > 0.0) == liquid_inside
    };
    for index in (0..count).filter(|index| corner(*index) != corner(index + 1)) {
        let ends = [corner(index), corner(index + 1)].map(|end| pose.to_world(end));
        let inner = [inner(index), inner(index + 1)];
        let (ends, inner) =
            if liquid_inside { (ends, inner) } else { ([ends[1], ends[0]], [inner[1], inner[0]]) };
        edges.push(Edge { start: ends[0], end: ends[1], inner, line: None, walls: 0 });
    }
}

/// A solid, and the other solids near it.
struct Near<'a> {
    solid: &'a Solid,
    others: &'a [&'a Solid],
    /// Box around the present edge.
    bounds: FluidBounds,
}

impl Near<'_> {
    fn colliders(&self) -> impl Iterator<Item = &Solid> {
        let colliders = self.others.iter().filter(|other| other.kind != WallKind::Container);
        colliders.copied().filter(|other| other.influence.intersects(self.bounds))
    }

    /// Largest depth of a point in the other containers.
    fn depth(&self, point: Vec2) -> Option<f32> {
        let containers = self.others.iter().filter(|other| other.kind == WallKind::Container);
        containers.map(|container| container.free(point)).reduce(f32::max)
    }

    /// Signed distance of a point of the edge from the solids that hide it; negative if it is
    /// hidden.
    fn free(&self, edge: &Edge, point: Vec2, gap: f32) -> f32 {
        let is_line = edge.line.is_some();
        let normal = (edge.end - edge.start).perp().normalize_or_zero();
        // A point of a face is hidden if the point in front of it, at the distance of a gap, is
        // solid.
        let (ahead, needed) = if is_line { (point, gap) } else { (point + normal * gap, 0.0) };
        // Crossing lines do not hide each other.
        let colliders = self.colliders().filter(|other| !(is_line && other.is_line()));
        let free = colliders.map(|other| other.free(ahead) - needed).fold(f32::INFINITY, f32::min);
        match self.solid.kind {
            // Overlapping containers are connected, so their edges inside of each other are hidden.
            WallKind::Container => {
                free.min(self.depth(point).map_or(f32::INFINITY, |depth| gap - depth))
            }
            _ => free.min(self.depth(ahead).map_or(f32::INFINITY, |depth| depth - needed)),
        }
    }

    /// Finds the walls of an edge.
    fn find(&self, edge: &Edge, spacing: f32, walls: &mut Vec<FluidWall>) {
        let gap = GAP * spacing;
        let (length, along) =
            (edge.start.distance(edge.end), (edge.end - edge.start).normalize_or_zero());
        let point = |at: f32| edge.start + along * at;
        // Beyond all other solids, the sign is the same as at the ends.
        let (mut low, mut high) = (length, 0.0_f32);
        for other in self.others {
            let corners = [other.extent.low, other.extent.high];
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let at = (Vec2::new(corners[x].x, corners[y].y) - edge.start).dot(along);
                (low, high) = (low.min(at), high.max(at));
            }
        }
        let (low, high) = ((low - spacing).clamp(0.0, length), (high + spacing).clamp(0.0, length));
        let shortest = (0.1 * spacing).max((high - low) / 4096.0);
        // A solid that touches the end of an edge makes an inner corner.
        let touches = |end: Vec2| {
            let mut others = self.others.iter().filter(|other| !other.is_line());
            others.any(|other| other.free(end).abs() < gap)
        };
        exposed_parts(
            length,
            low,
            high,
            shortest,
            |at| self.free(edge, point(at), gap),
            |start, end| {
                // A face without length has no normal.
                if edge.line.is_none() && point(start) == point(end) {
                    return;
                }
                walls.push(match edge.line {
                    Some(thickness) => FluidWall::line(point(start), point(end), thickness),
                    None => {
                        let inner = [
                            start > 0.0 || edge.inner[0] || touches(edge.start),
                            end < length || edge.inner[1] || touches(edge.end),
                        ];
                        FluidWall::face(point(start), point(end), inner)
                    }
                });
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blob_fluid::shape::Polyline;

    const SPACING: f32 = 8.0;

    fn solid(shape: FluidShape, kind: WallKind, centre: Vec2, angle: f32) -> (SolidId, Solid) {
        let pose = Pose::new(centre, Vec2::new(libm::cosf(angle), libm::sinf(angle)));
        let mut world = blob_fluid::FluidWorld::default();
        let any = blob_fluid::Collider::circle(Vec2::ZERO, 1.0).expect("valid");
        let id = SolidId::Collider(world.insert_collider(any));
        (id, Solid::new(&shape, kind, pose, SPACING))
    }

    fn rectangle(kind: WallKind, centre: [f32; 2], size: [f32; 2]) -> (SolidId, Solid) {
        let shape = FluidShape::Rectangle { half_size: Vec2::from(size) * 0.5 };
        solid(shape, kind, centre.into(), 0.0)
    }

    fn found(mut solids: Vec<(SolidId, Solid)>) -> Vec<(SolidId, Solid)> {
        for index in 0..solids.len() {
            let walls = Solid::find_walls(&solids, index, &[FluidBounds::ALL], SPACING);
            solids[index].1.set_walls(walls.expect("changed"));
        }
        solids
    }

    fn length(found: &(SolidId, Solid)) -> f32 {
        found.1.walls().iter().map(|wall| wall.ends()[0].distance(wall.ends()[1])).sum()
    }

    #[test]
    fn faces_between_tiles_are_no_walls() {
        let tile = |x| rectangle(WallKind::Collider, [x, 0.0], [40.0, 40.0]);
        for gap in [-2.0, 0.0, 0.2] {
            let tiles = found(vec![tile(0.0), tile(40.0 + gap), tile(80.0 + 2.0 * gap)]);
            // No wall of zero length remains at the end of a hidden face.
            let mut walls = tiles.iter().flat_map(|(_, tile)| tile.walls());
            assert!(walls.all(|wall| wall.ends()[0] != wall.ends()[1]), "{gap}");
            let lengths: Vec<f32> = tiles.iter().map(length).collect();
            assert!((lengths[1] - 80.0).abs() < 5.0, "{gap}: {lengths:?}");
            assert!((lengths[0] - 120.0).abs() < 5.0, "{gap}: {lengths:?}");
            assert!((lengths[2] - 120.0).abs() < 5.0, "{gap}: {lengths:?}");
        }
        // A gap of one spacing is wide enough for liquid.
        let apart = found(vec![tile(0.0), tile(48.0)]);
        assert_eq!(apart.iter().map(length).collect::<Vec<_>>(), [160.0, 160.0]);
    }

    #[test]
    fn only_what_is_in_a_container_is_a_wall_and_it_hides_the_container() {
        let tank = rectangle(WallKind::Container, [0.0, 0.0], [200.0, 100.0]);
        // Half of the block is outside, on the right.
        let block = rectangle(WallKind::Collider, [100.0, 0.0], [40.0, 20.0]);
        let found = found(vec![tank, block]);
        assert!((length(&found[0]) - 580.0).abs() < 1.0, "{}", length(&found[0]));
        assert!((length(&found[1]) - 60.0).abs() < 1.0, "{}", length(&found[1]));
        // Liquid is in the corners at which the two solids meet.
        let meeting = found.iter().flat_map(|(_, solid)| solid.walls());
        let meeting = meeting.filter(|wall| {
            wall.ends().iter().any(|end| end.distance(Vec2::new(100.0, 10.0)) < 0.5)
        });
        assert_eq!(meeting.count(), 2);
    }

    #[test]
    fn a_line_is_a_wall_as_far_as_it_is_not_in_another_solid() {
        let line = Polyline::new([Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0)], 2.0);
        let line = FluidShape::Polyline(line.expect("valid"));
        let line = solid(line, WallKind::Collider, Vec2::ZERO, 0.0);
        let post = FluidShape::Circle { radius: 20.0 };
        let post = solid(post, WallKind::Collider, Vec2::new(50.0, 0.0), 0.0);
        let found = found(vec![line, post]);
        assert!((length(&found[0]) - 80.0).abs() < 1.0, "{}", length(&found[0]));
        // The line covers a part of the post's outline that is as wide as the line is thick.
        let around = 40.0 * std::f32::consts::PI - 2.0;
        assert!((length(&found[1]) - around).abs() < 1.0, "{}", length(&found[1]));
    }

    #[test]
    fn triangles_cover_the_area_of_a_solid_once() {
        let area = |(_, solid): &(SolidId, Solid)| {
            let triangles = solid.triangles().map(|triangle| {
                let [a, b, c] = triangle.corners.map(Vec2::from);
                0.5 * (b - a).perp_dot(c - a)
            });
            triangles.sum::<f32>()
        };
        let box_of = |kind| rectangle(kind, [7.0, 3.0], [40.0, 20.0]);
        assert_eq!(area(&box_of(WallKind::Collider)), 800.0);
        assert_eq!(area(&box_of(WallKind::Container)), 800.0);
        // An inside-out collider is solid everywhere, minus its shape.
        assert_eq!(area(&box_of(WallKind::InsideOut)), -800.0);
    }
}
