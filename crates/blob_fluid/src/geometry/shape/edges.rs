//! Straight edges in a tree of boxes: finds nearest points and crossings, and tells inside from
//! outside.

use glam::Vec2;

use crate::FluidBounds;
use crate::geometry::bounds::BoxTree;

/// Smallest cosine of the angle between two normals that count as normals of the same edge.
const SAME: f32 = 0.999;

/// A set of edges. It finds the edges near a point without visiting all edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    /// The two ends of every edge, in the order of the tree's leaves.
    edges: Vec<[Vec2; 2]>,
    tree: BoxTree,
}

/// The crossing of a segment with an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// Fraction of the segment before the crossing, 0 to 1.
    pub fraction: f32,
    /// Unit normal of the edge, towards the segment's start.
    pub normal: Vec2,
    /// The crossing point, at the edges' half thickness.
    pub point: Vec2,
}

impl Edges {
    /// Creates a tree of edges, given by their ends.
    pub(crate) fn new(mut edges: Vec<[Vec2; 2]>) -> Self {
        // An edge without a length has no direction; its ends belong to its neighbours as well.
        edges.retain(|[start, end]| start != end);
        let tree = BoxTree::new(&mut edges, |[start, end]| FluidBounds {
            low: start.min(*end),
            high: start.max(*end),
        });
        Self { edges, tree }
    }

    /// A box around all edges.
    pub(crate) fn bounds(&self) -> FluidBounds {
        self.tree.bounds()
    }

    /// Whether an edge may be within `reach` of a box. `false` is certain.
    pub(crate) fn may_be_near(&self, bounds: FluidBounds, reach: f32) -> bool {
        let around = bounds.inflated(reach);
        let mut found = false;
        self.tree.visit(
            &self.edges,
            |node| node.intersects(around),
            |[start, end]| {
                let edge = FluidBounds { low: start.min(*end), high: start.max(*end) };
                found |= edge.intersects(around) && !beside([*start, *end], around);
                found
            },
        );
        found
    }

    /// The nearest point on any edge closer than `reach`, and the distance to it. The third value
    /// is the direction of the edge; `None` if the point is one of the edge's ends.
    pub(crate) fn nearest(&self, point: Vec2, reach: f32) -> Option<(Vec2, f32, Option<Vec2>)> {
        let best = std::cell::Cell::new(reach * reach);
        let mut nearest = None;
        self.tree.visit(
            &self.edges,
            |node| {
                let offset = (node.low - point).max(point - node.high).max(Vec2::ZERO);
                offset.length_squared() < best.get()
            },
            |[start, end]| {
                let way = *end - *start;
                let along = (point - *start).dot(way) / way.length_squared();
                let position = *start + way * along.clamp(0.0, 1.0);
                let squared = point.distance_squared(position);
                if squared < best.get() {
                    best.set(squared);
                    nearest = Some((position, (0.0..=1.0).contains(&along).then_some(way)));
                }
                false
            },
        );
        nearest.map(|(position, way)| (position, best.get().sqrt(), way))
    }

    /// Calls `visit` with the offset of a point from an edge, and with the direction of the edge. It visits
    /// each edge that is closer than `reach` and that has the point beside it, not beyond one of its ends.
    pub(crate) fn for_each_beside(
        &self,
        point: Vec2,
        reach: f32,
        mut visit: impl FnMut(Vec2, Vec2),
    ) {
        let around = FluidBounds::at(point).inflated(reach);
        self.tree.visit(
            &self.edges,
            |node| node.intersects(around),
            |[start, end]| {
                let way = *end - *start;
                let along = (point - *start).dot(way) / way.length_squared();
                let offset = point - (*start + way * along);
                if (0.0..=1.0).contains(&along) && offset.length_squared() < reach * reach {
                    visit(offset, way);
                }
                false
            },
        );
    }

    /// Whether an odd number of edges lies to the right of a point, so that the point is inside
    /// closed rings.
    pub(crate) fn enclose(&self, point: Vec2) -> bool {
        let mut inside = false;
        self.tree.visit(
            &self.edges,
            |node| node.low.y <= point.y && point.y <= node.high.y && point.x <= node.high.x,
            |[start, end]| {
                if (start.y > point.y) != (end.y > point.y) {
                    let along = (point.y - start.y) / (end.y - start.y);
                    inside ^= point.x < start.x + (end.x - start.x) * along;
                }
                false
            },
        );
        inside
    }

    /// The corner of closed rings that is nearest to a point, if it is within `reach` and convex.
    pub(crate) fn corner(&self, point: Vec2, reach: f32) -> Option<Corner> {
        let around = FluidBounds::at(point).inflated(reach);
        let (mut before, mut nearest) = (None, reach * reach);
        self.tree.visit(
            &self.edges,
            |node| node.intersects(around),
            |[start, end]| {
                let squared = point.distance_squared(*end);
                if squared < nearest {
                    (before, nearest) = (Some([*start, *end]), squared);
                }
                false
            },
        );
        let [before, corner] = before?;
        let mut after = None;
        self.tree.visit(
            &self.edges,
            |node| node.contains(corner),
            |[start, end]| {
                after = (*start == corner).then_some(*end);
                after.is_some()
            },
        );
        let after = after?;
        let faces = [Face::at(corner, before, after), Face::at(corner, after, before)];
        let corner = Corner { point: corner, faces };
        (!self.enclose(corner.outside(reach))).then_some(corner)
    }

    /// The nearest open end within `reach` of a point, and the direction of the line there. An open end belongs to one
    /// edge only.
    pub(crate) fn open_end(&self, point: Vec2, reach: f32) -> Option<(Vec2, Vec2)> {
        let around = FluidBounds::at(point).inflated(reach);
        let (mut found, mut nearest) = (None, reach * reach);
        self.tree.visit(
            &self.edges,
            |node| node.intersects(around),
            |[start, end]| {
                for (end, before) in [(*start, *end), (*end, *start)] {
                    let squared = point.distance_squared(end);
                    if squared < nearest {
                        (found, nearest) = (Some((end, before)), squared);
                    }
                }
                false
            },
        );
        let (end, before) = found?;
        let mut edges = 0;
        self.tree.visit(
            &self.edges,
            |node| node.contains(end),
            |edge| {
                edges += u32::from(edge.contains(&end));
                edges > 1
            },
        );
        (edges == 1).then(|| (end, (end - before).normalize_or_zero()))
    }

    /// Calls `visit` for the ends of all edges in a box: for a shared end, once for each edge.
    pub(crate) fn for_each_end(&self, bounds: FluidBounds, mut visit: impl FnMut(Vec2)) {
        self.tree.visit(
            &self.edges,
            |node| node.intersects(bounds),
            |edge| {
                edge.iter().filter(|end| bounds.contains(**end)).for_each(|end| visit(*end));
                false
            },
        );
    }

    /// The point from which a segment continues outside of closed rings, if it has met an edge from
    /// inside. Such a segment passed the corner at the edge's end within the slack.
    pub(crate) fn beside_corner(&self, crossing: Crossing, slack: f32) -> Option<Vec2> {
        let corner = self.corner(crossing.point, 2.0 * slack)?;
        let from_inside = |face: &Face| face.normal.dot(crossing.normal) < -SAME;
        corner.faces.iter().any(from_inside).then(|| corner.outside(2.0 * slack))
    }

    /// The first point at which the segment from `start` to `end` comes closer to an edge than
    /// `half_thickness`, or than `slack` if that is larger.
    ///
    /// A segment that starts closer than that may move away from the edge but not towards it.
    /// Distances below `slack` may be caused by rounding. Edges that are `one_way` are crossed only
    /// from their left.
    pub(crate) fn cross(
        &self,
        start: Vec2,
        end: Vec2,
        half_thickness: f32,
        one_way: bool,
        slack: f32,
    ) -> Option<Crossing> {
        let way = FluidBounds { low: start.min(end), high: start.max(end) };
        let around = way.inflated(half_thickness + slack);
        let mut first: Option<Crossing> = None;
        self.tree.visit(
            &self.edges,
            |node| node.intersects(around),
            |edge| {
                let from_right = || (start - edge[0]).perp_dot(edge[1] - edge[0]) > 0.0;
                if !(one_way && from_right())
                    && let Some(found) = cross_edge(*edge, start, end, half_thickness, slack)
                    && first.is_none_or(|first| found.fraction < first.fraction)
                {
                    first = Some(found);
                }
                false
            },
        );
        first
    }
}

/// Whether a box lies completely on one side of an edge's line.
fn beside([start, end]: [Vec2; 2], bounds: FluidBounds) -> bool {
    let normal = (end - start).perp();
    let distance = (bounds.centre() - start).dot(normal);
    let half_size = bounds.half_size().dot(normal.abs());
    distance.abs() > half_size * (1.0 + 1e-4)
}

/// [`Edges::cross`] for one edge.
pub(crate) fn cross_edge(
    [from, to]: [Vec2; 2],
    start: Vec2,
    end: Vec2,
    half_thickness: f32,
    slack: f32,
) -> Option<Crossing> {
    let length = from.distance(to);
    let along = (to - from) / length;
    let side = if (start - from).perp_dot(along) <= 0.0 { 1.0 } else { -1.0 };
    let normal = along.perp() * side;
    let (height, end_height) = ((start - from).dot(normal), (end - from).dot(normal));
    let mut first: Option<Crossing> = None;
    // A segment does not end closer to the edge than the slack. So its end, from which the next
    // segment starts, is certain to be on its side.
    let nearest = half_thickness.max(slack);
    if end_height < nearest && end_height < height {
        for thickness in [nearest, half_thickness] {
            let fraction = ((height - thickness) / (height - end_height)).clamp(0.0, 1.0);
            let foot = (start + (end - start) * fraction - from).dot(along);
            if (-slack..=length + slack).contains(&foot) {
                let point = from + along * foot + normal * half_thickness;
                first = Some(Crossing { fraction, normal, point });
                break;
            }
        }
    }
    if half_thickness > 0.0 {
        for cap in [from, to] {
            let Some((fraction, normal)) = cross_circle(start - cap, end - cap, half_thickness)
            else {
                continue;
            };
            if first.is_none_or(|first| fraction < first.fraction) {
                first = Some(Crossing { fraction, normal, point: cap + normal * half_thickness });
            }
        }
    }
    first
}

/// Fraction of the segment before it enters a circle around the origin, and the normal there.
fn cross_circle(start: Vec2, end: Vec2, radius: f32) -> Option<(f32, Vec2)> {
    let way = end - start;
    let (towards, squared) = (-start.dot(way), way.length_squared());
    let outside = start.length_squared() - radius * radius;
    let root = towards * towards - squared * outside;
    if towards <= 0.0 || root <= 0.0 {
        return None;
    }
    let fraction = ((towards - root.sqrt()) / squared).max(0.0);
    let point = start + way * fraction;
    (fraction <= 1.0).then(|| (fraction, point.normalize_or(Vec2::Y)))
}

// Corners of shapes.

/// A face of a shape that ends at a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face {
    /// Unit vector along the face, towards the corner and beyond it.
    pub along: Vec2,
    /// Unit normal, out of the shape.
    pub normal: Vec2,
}

impl Face {
    /// The face from a corner to `end`, where `other` is the end of the other face at the corner.
    pub(crate) fn at(corner: Vec2, end: Vec2, other: Vec2) -> Self {
        let along = (corner - end).normalize_or_zero();
        let side = along.perp();
        Self { along, normal: if side.dot(other - corner) < 0.0 { side } else { -side } }
    }
}

/// A convex corner of a shape, where two faces end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Corner {
    pub point: Vec2,
    pub faces: [Face; 2],
}

impl Corner {
    /// A point outside of the shape, at this distance above both faces.
    pub(crate) fn outside(&self, distance: f32) -> Vec2 {
        let [one, other] = self.faces;
        self.point + (one.normal + other.normal) * distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shape::scatter;

    /// Short and long edges, scattered over a square with sides of 200.
    fn scattered(count: u32) -> Vec<[Vec2; 2]> {
        let edge = |index| {
            let start = scatter(2 * index) * 100.0;
            [start, start + scatter(2 * index + 1) * if index % 7 == 0 { 80.0 } else { 9.0 }]
        };
        (0..count).map(edge).collect()
    }

    #[test]
    fn the_tree_finds_what_trying_all_finds() {
        let all = scattered(200);
        let tree = Edges::new(all.clone());
        let one = |edge: [Vec2; 2]| Edges::new(vec![edge]);
        for index in 0..400 {
            let point = scatter(7000 + index) * 130.0;
            let reach = 12.0;
            let by_all = all.iter().filter_map(|edge| one(*edge).nearest(point, reach));
            let by_all = by_all.map(|found| found.1).reduce(f32::min);
            assert_eq!(tree.nearest(point, reach).map(|found| found.1), by_all);
            let end = point + scatter(9000 + index) * 25.0;
            let crossings = all.iter().filter_map(|edge| cross_edge(*edge, point, end, 0.5, 1e-4));
            let by_all = crossings.map(|found| found.fraction).reduce(f32::min);
            let by_tree = tree.cross(point, end, 0.5, false, 1e-4);
            assert_eq!(by_tree.map(|found| found.fraction), by_all);
            let around = FluidBounds { low: point - 3.0, high: point + 3.0 };
            let near = all.iter().any(|edge| one(*edge).may_be_near(around, 2.0));
            assert_eq!(tree.may_be_near(around, 2.0), near);
            assert!(near || tree.nearest(point, 2.0).is_none());
        }
    }

    #[test]
    fn rings_enclose_what_is_in_them_but_not_in_their_holes() {
        let ring = |radius: f32| {
            let corners = [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)];
            let corners = corners.map(|corner| corner * radius);
            (0..4).map(|index| [corners[index], corners[(index + 1) % 4]]).collect::<Vec<_>>()
        };
        let square = Edges::new([ring(10.0), ring(4.0)].concat());
        for (point, inside) in [
            (Vec2::new(7.0, 0.0), true),
            (Vec2::new(0.0, 0.0), false),
            (Vec2::new(4.0, -7.0), true),
            (Vec2::new(-11.0, 4.0), false),
            (Vec2::new(-7.0, 4.0), true),
            (Vec2::new(-7.0, 10.5), false),
        ] {
            assert_eq!(square.enclose(point), inside, "{point}");
        }
    }

    #[test]
    fn nothing_passes_where_two_edges_meet() {
        let corner = [[Vec2::new(-50.0, -7.0), Vec2::ZERO], [Vec2::ZERO, Vec2::new(3.0, 60.0)]];
        let edges = Edges::new(corner.to_vec());
        for index in 0..5000 {
            let jitter = scatter(index) * 1e-5;
            let (start, end) = (Vec2::new(-3.0, 2.0) + jitter, Vec2::new(3.0, -2.0) - jitter);
            assert!(edges.cross(start, end, 0.0, false, 1e-4).is_some(), "{start} {end}");
            assert!(edges.cross(end, start, 0.0, false, 1e-4).is_some(), "{end} {start}");
        }
    }

    #[test]
    fn a_thick_edge_stops_at_its_skin_from_either_side_and_its_end() {
        let wall = [Vec2::ZERO, Vec2::new(0.0, 10.0)];
        for (start, end, point) in [
            (Vec2::new(-5.0, 5.0), Vec2::new(5.0, 5.0), Vec2::new(-1.0, 5.0)),
            (Vec2::new(5.0, 5.0), Vec2::new(-5.0, 5.0), Vec2::new(1.0, 5.0)),
            (Vec2::new(0.0, 15.0), Vec2::new(0.0, 5.0), Vec2::new(0.0, 11.0)),
            (Vec2::new(0.5, 5.0), Vec2::new(-5.0, 5.0), Vec2::new(1.0, 5.0)),
        ] {
            let found = cross_edge(wall, start, end, 1.0, 1e-4).expect("met");
            assert!(found.point.distance(point) < 1e-4, "{found:?}");
        }
        let away = cross_edge(wall, Vec2::new(0.5, 5.0), Vec2::new(3.0, 5.0), 1.0, 1e-4);
        assert_eq!(away, None);
    }
}
