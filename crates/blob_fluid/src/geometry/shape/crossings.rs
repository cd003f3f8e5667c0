//! Nearest points on the edges of shapes, and crossings of segments with them.

use glam::Vec2;

use super::edges::cross_edge;
use super::kinds::FluidShape;
use crate::FluidBounds;
use crate::geometry::shape::edges::{Corner, Face};

/// The point of a shape's edge that is nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Unit normal, out of the shape.
    pub normal: Vec2,
    /// Distance to the edge, in world units; negative inside.
    pub distance: f32,
}

/// The crossing of a segment with a shape's edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Unit normal, towards the segment's start.
    pub normal: Vec2,
    /// The point of the edge.
    pub point: Vec2,
}

impl FluidShape {
    /// The corner of a rectangle or a polygon that is nearest to a point, if it is within `reach` and
    /// convex. For a line: the corner between its end and the face on the side of the point `from`.
    pub(crate) fn corner(&self, point: Vec2, reach: f32, from: Vec2) -> Option<Corner> {
        match self {
            Self::Rectangle { half_size } => {
                let out = Vec2::ONE.copysign(point);
                let corner = *half_size * out;
                let (x, y) = (Vec2::X * out, Vec2::Y * out);
                let faces = [Face { along: x, normal: y }, Face { along: y, normal: x }];
                let is_near = (point - corner).abs().cmple(Vec2::splat(reach)).all();
                is_near.then_some(Corner { point: corner, faces })
            }
            Self::Polygon(polygon) => polygon.edges().corner(point, reach),
            Self::Polyline(line) => {
                let half = line.half_thickness();
                let (end, along) = line.edges().open_end(point, reach + half)?;
                let left = along.perp();
                let normal = if (from - end).dot(left) < 0.0 { -left } else { left };
                let corner = end + half * normal;
                let faces = [Face { along, normal }, Face { along: normal, normal: along }];
                let is_near = half == 0.0 || point.distance_squared(corner) < reach * reach;
                is_near.then_some(Corner { point: corner, faces })
            }
            _ => None,
        }
    }

    /// Half the thickness of a line; 0 for other shapes.
    pub(crate) fn half_thickness(&self) -> f32 {
        match self {
            Self::Polyline(line) => line.half_thickness(),
            _ => 0.0,
        }
    }

    /// Calls `visit` for all corners in a box, those of lines at their middle. Rounded shapes have none.
    pub(crate) fn for_each_corner(&self, bounds: FluidBounds, mut visit: impl FnMut(Vec2)) {
        match self {
            Self::Rectangle { half_size: Vec2 { x, y } } => {
                let corners = [(*x, *y), (-x, *y), (-x, -y), (*x, -y)].map(Vec2::from);
                corners.into_iter().filter(|corner| bounds.contains(*corner)).for_each(visit);
            }
            Self::Polygon(polygon) => polygon.edges().for_each_end(bounds, &mut visit),
            Self::Polyline(line) => line.edges().for_each_end(bounds, &mut visit),
            _ => {}
        }
    }

    /// The nearest point of the edge, if it is closer than `reach` or if `point` is inside.
    #[inline]
    pub(crate) fn nearest(&self, point: Vec2, reach: f32) -> Option<Nearest> {
        let near = |normal, distance| (distance < reach).then_some(Nearest { normal, distance });
        match self {
            Self::Circle { radius } => {
                let distance = point.length();
                let normal = if distance > 1e-6 * radius { point / distance } else { Vec2::Y };
                near(normal, distance - radius)
            }
            Self::Rectangle { half_size } => {
                let sign = Vec2::ONE.copysign(point);
                let over = point.abs() - *half_size;
                let outside = over.max(Vec2::ZERO);
                if outside == Vec2::ZERO {
                    let normal = if over.x > over.y { Vec2::X } else { Vec2::Y };
                    near(normal * sign, over.max_element())
                } else {
                    let distance = outside.length();
                    near(outside * sign / distance, distance)
                }
            }
            Self::Capsule { half_length, radius } => {
                let foot = Vec2::new(0.0, point.y.max(-half_length).min(*half_length));
                let distance = point.distance(foot);
                let sideways = Vec2::X.copysign(point);
                near((point - foot).try_normalize().unwrap_or(sideways), distance - radius)
            }
            Self::HalfPlane { normal } => near(*normal, point.dot(*normal)),
            Self::Polygon(polygon) => {
                let edges = polygon.edges();
                let inside = edges.bounds().contains(point) && edges.enclose(point);
                let reach = if inside { f32::INFINITY } else { reach };
                let (position, distance, way) = edges.nearest(point, reach)?;
                let away = facing(point - position, way);
                Some(if inside {
                    Nearest { normal: -away, distance: -distance }
                } else {
                    Nearest { normal: away, distance }
                })
            }
            Self::Polyline(line) => {
                let half = line.half_thickness();
                let (position, distance, way) = line.edges().nearest(point, reach + half)?;
                Some(Nearest { normal: facing(point - position, way), distance: distance - half })
            }
            Self::Field(field) => {
                let distance = field.distance(point);
                (distance < reach).then(|| Nearest { normal: field.normal(point), distance })
            }
        }
    }

    /// Calls `visit` for every flat face that is closer than `reach` and that has the point beside it, not
    /// beyond one of its ends. The normal points towards the point. Only polygons, lines and `inside_out`
    /// rectangles have such faces; a rectangle has four.
    pub(crate) fn for_each_face(
        &self,
        point: Vec2,
        reach: f32,
        inside_out: bool,
        mut visit: impl FnMut(Nearest),
    ) {
        let (edges, half) = match self {
            Self::Polygon(polygon) => (polygon.edges(), 0.0),
            Self::Polyline(line) => (line.edges(), line.half_thickness()),
            Self::Rectangle { half_size } if inside_out => {
                for normal in [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y] {
                    let distance = half_size.dot(normal.abs()) + point.dot(normal);
                    if distance < reach {
                        visit(Nearest { normal, distance });
                    }
                }
                return;
            }
            _ => return,
        };
        edges.for_each_beside(point, reach + half, |offset, way| {
            let normal = facing(offset, Some(way));
            visit(Nearest { normal, distance: offset.dot(normal) - half });
        });
    }

    /// The crossing at which the segment from `start`, outside, to `end` enters the shape. A point
    /// that is less than `slack` inside has only touched the edge, because rounding explains such a
    /// distance. A `one_way` line is entered only from its left.
    pub(crate) fn entry(&self, start: Vec2, end: Vec2, slack: f32, one_way: bool) -> Option<Entry> {
        match self {
            Self::Circle { radius } => enter_circle(*radius, start, end, slack),
            Self::Rectangle { half_size } => enter_rectangle(*half_size, start, end, slack),
            Self::Capsule { half_length, radius } => {
                let tip = Vec2::new(0.0, *half_length);
                if self.distance(start) < -slack {
                    return None;
                }
                let crossing = cross_edge([-tip, tip], start, end, *radius, slack)?;
                Some(Entry { normal: crossing.normal, point: crossing.point })
            }
            Self::HalfPlane { normal } => {
                let (height, end_height) = (start.dot(*normal), end.dot(*normal));
                (height >= -slack && end_height < 0.0 && end_height < height).then(|| {
                    let fraction = (height / (height - end_height)).max(0.0);
                    let point = start + (end - start) * fraction;
                    Entry { normal: *normal, point: point - *normal * point.dot(*normal) }
                })
            }
            Self::Polygon(polygon) => {
                let edges = polygon.edges();
                if edges.enclose(start) && edges.nearest(start, slack).is_none() {
                    return None;
                }
                let mut crossing = edges.cross(start, end, 0.0, false, slack)?;
                if let Some(beside) = edges.beside_corner(crossing, slack) {
                    crossing = edges.cross(beside, end, 0.0, false, slack)?;
                }
                Some(Entry { normal: crossing.normal, point: crossing.point })
            }
            Self::Polyline(line) => {
                let crossing =
                    line.edges().cross(start, end, line.half_thickness(), one_way, slack)?;
                Some(Entry { normal: crossing.normal, point: crossing.point })
            }
            Self::Field(field) => {
                let point =
                    (field.distance(start) >= 0.0).then(|| field.enter(start, end, 1.0))??;
                Some(Entry { normal: field.normal(point), point })
            }
        }
    }

    /// The crossing at which the segment from `start`, inside, to `end` leaves the shape.
    pub(crate) fn exit(&self, start: Vec2, end: Vec2, slack: f32) -> Option<Entry> {
        match self {
            Self::Polygon(polygon) => {
                let edges = polygon.edges();
                if !edges.enclose(start) && edges.nearest(start, slack).is_none() {
                    return None;
                }
                let crossing = edges.cross(start, end, 0.0, false, slack)?;
                Some(Entry { normal: crossing.normal, point: crossing.point })
            }
            Self::Field(field) => {
                let point =
                    (field.distance(start) <= 0.0).then(|| field.enter(start, end, -1.0))??;
                Some(Entry { normal: -field.normal(point), point })
            }
            // A segment leaves a convex shape at the edge's point nearest to `end`.
            _ => {
                let Nearest { normal, distance } = self.nearest(end, f32::INFINITY)?;
                let left = distance > 0.0 && self.distance(start) <= slack;
                left.then(|| Entry { normal: -normal, point: end - normal * distance })
            }
        }
    }

    /// Whether the edge may be within `reach` of a box, or the box inside the shape. `false` is
    /// certain.
    pub(crate) fn may_touch(&self, bounds: FluidBounds, reach: f32) -> bool {
        if !self.bounds().inflated(reach).intersects(bounds) {
            return false;
        }
        match self {
            Self::HalfPlane { normal } => {
                let lowest = bounds.centre().dot(*normal) - bounds.half_size().dot(normal.abs());
                lowest <= reach
            }
            Self::Polygon(polygon) => {
                let edges = polygon.edges();
                edges.may_be_near(bounds, reach) || edges.enclose(bounds.centre())
            }
            Self::Polyline(line) => line.edges().may_be_near(bounds, reach + line.half_thickness()),
            _ => true,
        }
    }

    /// Whether the edge may be within `reach` of a box, or the box outside the shape. `false` is
    /// certain.
    #[inline]
    pub(crate) fn may_touch_from_inside(&self, bounds: FluidBounds, reach: f32) -> bool {
        let corner = bounds.low.abs().max(bounds.high.abs()) + reach;
        let within = match self {
            Self::Circle { radius } => corner.length() < *radius,
            Self::Rectangle { half_size } => corner.cmplt(*half_size).all(),
            Self::HalfPlane { normal } => {
                let highest = bounds.centre().dot(*normal) + bounds.half_size().dot(normal.abs());
                highest < -reach
            }
            Self::Polygon(polygon) => {
                let edges = polygon.edges();
                !edges.may_be_near(bounds, reach) && edges.enclose(bounds.centre())
            }
            _ => false,
        };
        !within
    }
}

/// The unit vector along `offset`, from an edge to a point. If the nearest point is not an end of
/// the edge, `edge` is its direction, and the result is perpendicular to it. A short offset has no
/// reliable direction.
fn facing(offset: Vec2, edge: Option<Vec2>) -> Vec2 {
    let Some(way) = edge else {
        return offset.normalize_or(Vec2::Y);
    };
    let normal = way.perp().normalize_or(Vec2::Y);
    if offset.dot(normal) >= 0.0 { normal } else { -normal }
}

/// Depth, relative to the shape's size, up to which a start inside a disc or a rectangle counts as
/// on its edge. Particles between several walls may be left about this far inside one of them.
const PRESSED_IN: f32 = 1e-3;

fn enter_circle(radius: f32, start: Vec2, end: Vec2, slack: f32) -> Option<Entry> {
    let slack = slack + PRESSED_IN * radius;
    let way = end - start;
    let (along, squared) = (-start.dot(way), way.length_squared());
    let outside = start.length_squared() - radius * radius;
    let root = along * along - squared * outside;
    if outside < -2.0 * radius * slack || along <= 0.0 || root <= 0.0 {
        return None;
    }
    let fraction = ((along - root.sqrt()) / squared).max(0.0);
    (fraction <= 1.0).then(|| {
        let point = start + way * fraction;
        let normal = point / point.length();
        Entry { normal, point: normal * radius }
    })
}

fn enter_rectangle(half_size: Vec2, start: Vec2, end: Vec2, slack: f32) -> Option<Entry> {
    let way = end - start;
    // The latest of the entries through both pairs of faces.
    let (mut latest, mut normal) = (-1.0, Vec2::ZERO);
    // The first choice is a face that the start lies clearly outside of. The second is a face that
    // the start lies outside of within rounding, and the third is a face that the start is pressed
    // into. Without this order a particle that moves down along a wall would fall through the seam
    // between two tiles of the floor. A wall that stopped the particle keeps it farther away, so
    // that no tile below catches it.
    let graze = 0.5 * slack;
    let mut clearest = 0;
    let mut leaves = f32::INFINITY;
    let depths = half_size - start.abs();
    for axis in [Vec2::X, Vec2::Y] {
        let (from, step) = (start.dot(axis), way.dot(axis));
        let half = half_size.dot(axis);
        if step == 0.0 {
            if from.abs() >= half + graze {
                return None;
            }
            continue;
        }
        let side = -1.0_f32.copysign(step);
        let mut enters = (side * half - from) / step;
        if side * from >= half - (slack + PRESSED_IN * half) {
            enters = enters.max(0.0);
        }
        let outside = side * from - half;
        let clear = u8::from(outside > 0.0) + u8::from(outside > graze);
        // A segment that stays beside a face does not enter through it.
        let stays_beside = clear == 1 && enters > 1.0;
        if !stays_beside && (clear > clearest || clear == clearest && enters > latest) {
            (clearest, latest, normal) = (clear, enters, axis * side);
        }
        leaves = leaves.min((-side * (half + graze) - from) / step);
    }
    if !(0.0..=1.0).contains(&latest) || latest >= leaves {
        return None;
    }
    // A start that is not clearly outside enters only through the face that it is nearest to. So a
    // particle in the corner between two rectangles is not drawn into the seam between them.
    if clearest < 2 && depths.dot(normal.abs()) > depths.min_element() {
        return None;
    }
    // The point is put exactly onto the face, because the fraction of the segment is rounded.
    let point = start + way * latest;
    let beyond = point.dot(normal) - half_size.dot(normal.abs());
    Some(Entry { normal, point: point - normal * beyond })
}
