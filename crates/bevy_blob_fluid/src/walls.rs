//! The walls of the simulation as line segments, which surfaces meet. Only changed solids, and solids near them, are
//! computed again.

use bevy::prelude::*;
use blob_fluid::shape::Polygon;
use blob_fluid::{
    ClassId, ColliderId, ColliderOptions, ContainerId, FluidBounds, FluidShape, FluidWorld, Pose,
};

use crate::placing::Placement;
use crate::render::{FluidWall, FluidWalls, SolidTriangle};
use crate::simulation::FluidSimulation;
use crate::solids::{EntityPart, FluidColliders, FluidContainers};

/// The entity of each solid of one kind, indexed by the slot of its handle.
pub(crate) struct Owners<Id>(Vec<Option<(Id, (Entity, EntityPart))>>);

impl<Id> Default for Owners<Id> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Id: Copy + PartialEq> Owners<Id> {
    fn set(
        &mut self,
        owners: impl Iterator<Item = (Id, (Entity, EntityPart))>,
        slot: impl Fn(Id) -> u32,
    ) {
        self.0.clear();
        for (id, owner) in owners {
            let slot = slot(id) as usize;
            if slot >= self.0.len() {
                self.0.resize(slot + 1, None);
            }
            self.0[slot] = Some((id, owner));
        }
    }

    fn of(&self, id: Id, slot: u32) -> Option<(Entity, EntityPart)> {
        let (owned, owner) = (*self.0.get(slot as usize)?)?;
        (owned == id).then_some(owner)
    }
}

/// The solids of the last frame, and lists whose memory is reused.
#[derive(Default)]
pub(crate) struct KnownSolids {
    solids: Vec<(SolidId, Solid)>,
    before: Vec<(SolidId, Solid)>,
    /// Boxes of the changes.
    changed: Vec<FluidBounds>,
    spacing: f32,
}

/// Copies the walls of changed solids. The solid of an entity is placed at the entity's pose in
/// this frame, so that it meets the liquid where the game draws it.
pub(crate) fn publish_walls(
    fluid: Res<FluidSimulation>,
    containers: Option<Res<FluidContainers>>,
    colliders: Option<Res<FluidColliders>>,
    entities: Query<&GlobalTransform>,
    mut container_owners: Local<Owners<ContainerId>>,
    mut collider_owners: Local<Owners<ColliderId>>,
    mut known: Local<KnownSolids>,
    mut walls: ResMut<FluidWalls>,
) {
    if let Some(containers) = containers.filter(DetectChanges::is_changed) {
        container_owners.set(containers.owners(), ContainerId::slot);
    }
    if let Some(colliders) = colliders.filter(DetectChanges::is_changed) {
        collider_owners.set(colliders.owners(), ColliderId::slot);
    }
    let placed = |(entity, part): (Entity, EntityPart)| {
        let placement = Placement::from_global(entities.get(entity).ok()?).ok()?;
        Some(placement.pose * part.pose)
    };
    let containers = fluid.containers().map(|(id, container)| {
        let owner = container_owners.of(id, id.slot());
        let pose = owner.and_then(placed).unwrap_or(container.pose());
        (SolidId::Container(id), container.shape(), WallKind::Container, pose)
    });
    let colliders = fluid.colliders().filter_map(|(id, collider)| {
        let options = collider.options();
        let kind = if options.inside_out { WallKind::InsideOut } else { WallKind::Collider };
        stops_all(&options, &fluid).then(|| {
            let owner = collider_owners.of(id, id.slot());
            let pose = owner.and_then(placed).unwrap_or(collider.pose());
            (SolidId::Collider(id), collider.shape(), kind, pose)
        })
    });
    let spacing = fluid.parameters().particle_spacing;
    if known.update(containers.chain(colliders), spacing) {
        walls.replace(|walls, solids| {
            let any = |wanted| known.solids.iter().filter(move |(_, solid)| solid.kind() == wanted);
            solids.contained = any(WallKind::Container).next().is_some();
            solids.inside_out = any(WallKind::InsideOut).count() as u32;
            for (_, solid) in &known.solids {
                walls.extend_from_slice(solid.walls());
                solids.triangles.extend(solid.triangles());
            }
        });
    }
}

/// Whether a collider stops every class from both sides.
fn stops_all(options: &ColliderOptions, fluid: &FluidWorld) -> bool {
    let mut classes = fluid.classes().iter().zip(0..=u8::MAX);
    !options.one_way
        && classes.all(|(class, index)| {
            options.classes.contains(ClassId(index)) && class.collision_layers & options.layers != 0
        })
}

impl KnownSolids {
    /// Takes over the present solids, in their order, and finds the changed walls. Returns whether
    /// any wall changed.
    fn update<'a>(
        &mut self,
        present: impl Iterator<Item = (SolidId, &'a FluidShape, WallKind, Pose)>,
        spacing: f32,
    ) -> bool {
        let Self { solids, before, changed, .. } = self;
        std::mem::swap(solids, before);
        solids.clear();
        changed.clear();
        if spacing != self.spacing {
            self.spacing = spacing;
            before.clear();
            changed.push(FluidBounds::ALL);
        }
        // Solids keep their order, and new ones follow after all others.
        let mut known = before.drain(..).peekable();
        for (id, shape, kind, pose) in present {
            while let Some((_, gone)) = known.next_if(|(before, _)| *before != id) {
                changed.push(gone.influence());
            }
            let solid = match known.next() {
                Some((_, solid)) if solid.matches(shape, kind, pose) => solid,
                outdated => {
                    changed.extend(outdated.map(|(_, solid)| solid.influence()));
                    let solid = Solid::new(shape, kind, pose, spacing);
                    changed.push(solid.influence());
                    solid
                }
            };
            solids.push((id, solid));
        }
        changed.extend(known.map(|(_, gone)| gone.influence()));
        if changed.is_empty() {
            return false;
        }
        for index in 0..solids.len() {
            let walls = Solid::find_walls(solids, index, changed, spacing);
            if let (Some(walls), Some((_, solid))) = (walls, solids.get_mut(index)) {
                solid.set_walls(walls);
            }
        }
        true
    }
}

// The edges of shapes, as line segments.

/// Largest distance of a round shape's edge from its line segments, in particle spacings.
const ROUNDNESS: f32 = 0.01;
/// Least and largest number of line segments of a full circle.
const PIECES: (f32, f32) = (24.0, 720.0);
/// Length to which the edge of a half plane extends, in particle spacings.
const FAR: f32 = 2e4;

/// The edges of a shape, relative to its centre.
enum Outline {
    /// Closed rings of corners, with the inside of the shape on their left.
    Rings(Vec<Vec<Vec2>>),
    /// A line with a thickness.
    Line { points: Vec<Vec2>, thickness: f32 },
}

impl Outline {
    /// The edges of a shape; `None` for shapes from images.
    fn of(shape: &FluidShape, spacing: f32) -> Option<Self> {
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
fn exposed_parts(
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

// A container or collider with its walls.

/// Largest gap in which liquid would not be visible, in particle spacings.
const GAP: f32 = 0.05;

/// A solid of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SolidId {
    Container(ContainerId),
    Collider(ColliderId),
}

/// The solid side of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WallKind {
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
struct Solid {
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
struct FoundWalls {
    walls: Vec<FluidWall>,
    counts: Vec<u32>,
}

impl Solid {
    /// A solid whose walls are not computed yet.
    fn new(shape: &FluidShape, kind: WallKind, pose: Pose, spacing: f32) -> Self {
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
    fn matches(&self, shape: &FluidShape, kind: WallKind, pose: Pose) -> bool {
        self.pose == pose && self.kind == kind && self.shape == *shape
    }

    fn is_line(&self) -> bool {
        matches!(self.shape, FluidShape::Polyline(_))
    }

    fn kind(&self) -> WallKind {
        self.kind
    }

    fn influence(&self) -> FluidBounds {
        self.influence
    }

    fn walls(&self) -> &[FluidWall] {
        &self.walls
    }

    fn set_walls(&mut self, found: FoundWalls) {
        self.walls = found.walls;
        for (edge, count) in self.edges.iter_mut().zip(found.counts) {
            edge.walls = count;
        }
    }

    /// Triangles with signed areas that cover the shape. A line has none.
    fn triangles(&self) -> impl Iterator<Item = SolidTriangle> + '_ {
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
    fn find_walls(
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
    use blob_fluid::shape::Polyline;

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

    const SPACING: f32 = 8.0;

    fn solid(shape: FluidShape, kind: WallKind, centre: Vec2, angle: f32) -> (SolidId, Solid) {
        let pose = Pose::new(centre, Vec2::new(libm::cosf(angle), libm::sinf(angle)));
        let mut world = FluidWorld::default();
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
