//! Bodies and colliders that an engine lists before the fluid's ticks, and their shapes.

use std::any::Any;
use std::sync::Arc;

use bevy::ecs::entity::EntityHashMap;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::prelude::*;
use blob_fluid::ranges::{Limits, ValidRange};
use blob_fluid::shape::{Polygon as FluidPolygon, Polyline, merge_tiles};
use blob_fluid::{ClassFilter, FluidBounds, FluidShape, Motion, OutOfRange, Pose, WallProperties};

use crate::schedule::{FluidOrder, Ranks};

/// A rigid body of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineBody {
    /// Its entity.
    pub entity: Entity,
    /// Centre of mass and rotation.
    pub pose: Pose,
    /// Velocity of the centre of mass, in world units/s, and angular velocity, in radians/s.
    pub motion: Motion,
    /// Whether forces move the body. Kinematic and static bodies push the liquid, but the liquid does not push them.
    pub is_dynamic: bool,
    /// Whether the body sleeps.
    pub asleep: bool,
    /// Mass, in the engine's unit.
    pub mass: f32,
    /// 1/mass along each axis of the world; 0 along an axis that is locked.
    pub inverse_mass: Vec2,
    /// 1/moment of inertia about the centre of mass; 0 if the rotation is locked.
    pub inverse_inertia: f32,
}

/// A collider of an engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineCollider<'a> {
    /// Its entity.
    pub entity: Entity,
    /// The entity of the collider's body; `None` for a collider without a body, which does not move.
    pub body: Option<Entity>,
    /// Pose relative to the centre of mass and the rotation of the body; without a body, pose in the world.
    pub pose: Pose,
    /// Layers of the engine with which the collider collides, one bit per layer.
    pub layers: u32,
    /// The collider's coupling to the liquid.
    pub coupled: &'a FluidCoupled,
}

/// Impulses of the liquid on a body since the last step of its engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnginePush {
    /// The body's entity.
    pub body: Entity,
    /// Impulse at the body's centre of mass, in the engine's masses times world units/s.
    pub impulse: Vec2,
    /// Angular impulse about the body's centre of mass, counter-clockwise.
    pub angular_impulse: f32,
    /// Whether to wake the body, because the body or the liquid around it moves.
    pub wakes: bool,
}

/// The bodies and colliders of all engines that are coupled to the liquid. [`PhysicsEngine::collect`] adds bodies and
/// colliders before the fluid's ticks.
///
/// [`PhysicsEngine::collect`]: super::PhysicsEngine::collect
#[derive(Resource, Default)]
pub struct EngineBodies {
    pub(super) bodies: Vec<(&'static str, EngineBody)>,
    pub(super) colliders: Vec<KnownCollider>,
    /// Indices of the bodies, after sorting.
    indices: EntityHashMap<usize>,
    converted: EntityHashMap<Converted>,
    engine: Option<&'static str>,
}

/// A collected collider.
pub(super) struct KnownCollider {
    pub entity: Entity,
    pub body: Option<Entity>,
    pub pose: Pose,
    pub layers: u32,
    pub coupled: FluidCoupled,
    pub pieces: Result<Arc<[Piece]>, ShapeError>,
}

/// The pieces of a collider, and the shape from which they were made.
struct Converted {
    source: Box<dyn Any + Send + Sync>,
    pieces: Result<Arc<[Piece]>, ShapeError>,
    used: bool,
}

impl EngineBodies {
    /// Adds a body.
    pub fn body(&mut self, body: EngineBody) {
        self.bodies.extend(self.engine.map(|engine| (engine, body)));
    }

    /// Adds a collider with a `shape`. Calls `convert` only for a new collider, or if `same` returns `false` for the
    /// shape in the last call with this entity.
    pub fn collider<S: Clone + Send + Sync + 'static>(
        &mut self,
        collider: EngineCollider,
        shape: &S,
        same: impl FnOnce(&S, &S) -> bool,
        convert: impl FnOnce(&S) -> Result<Vec<Piece>, ShapeError>,
    ) {
        let EngineCollider { entity, body, pose, layers, coupled } = collider;
        let held = self.converted.get(&entity);
        let source = held.and_then(|held| held.source.downcast_ref::<S>());
        if !source.is_some_and(|source| same(source, shape)) {
            let pieces = convert(shape).map(Arc::from);
            let new = Converted { source: Box::new(shape.clone()), pieces, used: false };
            self.converted.insert(entity, new);
        }
        let Some(held) = self.converted.get_mut(&entity) else { return };
        held.used = true;
        let pieces = held.pieces.clone();
        let coupled = *coupled;
        let new = KnownCollider { entity, body, pose, layers, coupled, pieces };
        self.colliders.push(new);
    }

    /// Sets the engine to which the next bodies belong.
    pub(super) fn begin(&mut self, engine: &'static str) {
        self.engine = Some(engine);
    }

    /// Sorts colliders by their entities, and bodies by their first colliders.
    pub(super) fn sort(&mut self, ranks: &Ranks) {
        self.colliders.sort_by_cached_key(|collider| ranks.of(collider.entity));
        let mut first = EntityHashMap::default();
        for (index, collider) in self.colliders.iter().enumerate() {
            if let Some(body) = collider.body {
                first.entry(body).or_insert(index);
            }
        }
        self.bodies.sort_by_key(|(_, body)| first.get(&body.entity));
        let entities = self.bodies.iter().map(|(_, body)| body.entity);
        self.indices.clear();
        self.indices.extend(entities.enumerate().map(|(index, entity)| (entity, index)));
    }

    /// The collected body of an entity, after sorting.
    pub(super) fn find(&self, entity: Entity) -> Option<&EngineBody> {
        self.indices.get(&entity).map(|index| &self.bodies[*index].1)
    }

    /// Removes all bodies and colliders, and the converted shapes of colliders that were not collected.
    pub(super) fn clear(&mut self) {
        self.bodies.clear();
        self.colliders.clear();
        self.converted.retain(|_, held| std::mem::take(&mut held.used));
    }
}

// Pieces of an engine's colliders: shapes of the core with their poses.

/// A shape with its pose in an engine's collider.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The shape, in world units.
    pub shape: FluidShape,
    /// The shape's pose relative to the collider.
    pub pose: Pose,
}

/// The error of converting the shape of an engine's collider.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// The plugin cannot convert shapes of this type.
    #[error("a shape of the type {0} has no counterpart")]
    Unknown(&'static str),
    /// A size or a corner of the shape is invalid.
    #[error(transparent)]
    Invalid(#[from] OutOfRange),
}

/// Largest angle between two adjacent points of a rounded corner, in radians. The error of distances
/// is then at most 0.03 % of the radius.
const ARC: f32 = std::f32::consts::FRAC_PI_2 / 24.0;

/// Number of corners of a whole circle.
const AROUND: u32 = 96;

/// Points around a circle, counter-clockwise.
fn circle(count: u32, first: Vec2) -> impl Iterator<Item = Vec2> {
    (0..count).map(move |index| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * (index as f32 / count as f32));
        Vec2::new(cos, sin).rotate(first)
    })
}

/// Largest overlap of two triangles along an axis that counts as rounding, relative to their common length.
const ROUNDING: f32 = 1e-4;

/// Largest number of cells, empty ones included, of a grid whose cells are merged.
const LARGEST_GRID: i64 = 1 << 22;

impl Piece {
    /// A shape at the origin of the collider.
    pub fn new(shape: FluidShape) -> Self {
        Self { shape, pose: Pose::IDENTITY }
    }

    /// The same piece in the coordinates of a parent. `on` is the pose of the piece's present coordinates, relative to
    /// the parent.
    #[must_use]
    pub fn placed(self, on: Pose) -> Self {
        Self { pose: on * self.pose, ..self }
    }

    /// A bar with round ends.
    pub fn capsule(ends: [Vec2; 2], radius: f32) -> Self {
        let way = ends[1] - ends[0];
        let half_length = 0.5 * way.length();
        let centre = 0.5 * (ends[0] + ends[1]);
        if half_length <= 1e-6 * radius {
            let pose = Pose::from_translation(centre);
            return Self { pose, shape: FluidShape::Circle { radius } };
        }
        // The core's bars are upright.
        let pose = Pose::new(centre, -(way / way.length()).perp());
        Self { pose, shape: FluidShape::Capsule { half_length, radius } }
    }

    /// A filled polygon.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Invalid`] for fewer than 3 corners, and for corners that are not finite.
    pub fn polygon(corners: impl IntoIterator<Item = Vec2>) -> Result<Self, ShapeError> {
        Ok(Self::new(FluidShape::Polygon(FluidPolygon::new(corners)?)))
    }

    /// A convex polygon with corners in counter-clockwise order, enlarged by a `radius` on all sides.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`polygon`](Self::polygon).
    pub fn rounded(corners: &[Vec2], radius: f32) -> Result<Self, ShapeError> {
        let count = corners.len();
        let normal = |from: usize| {
            let way = corners[(from + 1) % count] - corners[from % count];
            -way.perp().normalize_or_zero()
        };
        let mut outline = Vec::new();
        for (index, corner) in corners.iter().enumerate() {
            let (before, after) = (normal(index + count - 1), normal(index));
            let angle = libm::atan2f(before.perp_dot(after), before.dot(after)).max(0.0);
            let steps = (angle / ARC).ceil().max(1.0);
            let (sin, cos) = libm::sincosf(angle / steps);
            // The error is split evenly between both sides of the curve.
            let half = libm::cosf(0.5 * angle / steps);
            let mut way = before * (2.0 * radius / (1.0 + half));
            for _ in 0..=steps as u32 {
                outline.push(*corner + way);
                way = Vec2::new(cos, sin).rotate(way);
            }
        }
        Self::polygon(outline)
    }

    /// An ellipse whose half axes are the components of `half_size`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`polygon`](Self::polygon).
    pub fn ellipse(half_size: Vec2) -> Result<Self, ShapeError> {
        // The error is split evenly between both sides of the curve.
        let (_, half) = libm::sincosf(0.5 * ARC);
        Self::polygon(circle(AROUND, Vec2::X * (2.0 / (1.0 + half))).map(|way| half_size * way))
    }

    /// A polygon of at least 3 equal sides with a corner at its top. `circumradius` is the distance from the middle to
    /// a corner.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`polygon`](Self::polygon).
    pub fn regular_polygon(circumradius: f32, sides: u32) -> Result<Self, ShapeError> {
        Self::polygon(circle(sides, Vec2::Y * circumradius))
    }

    /// A convex shape. `farthest` returns the shape's farthest point in a direction.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`polygon`](Self::polygon).
    pub fn convex(farthest: impl Fn(Vec2) -> Vec2) -> Result<Self, ShapeError> {
        let mut corners: Vec<Vec2> = circle(AROUND, Vec2::X).map(farthest).collect();
        corners.dedup();
        Self::polygon(corners)
    }

    /// Thin lines along segments. Consecutive connected segments become one line.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Invalid`] for points that are not finite.
    pub fn lines(segments: impl IntoIterator<Item = [Vec2; 2]>) -> Result<Vec<Self>, ShapeError> {
        let mut lines: Vec<Vec<Vec2>> = Vec::new();
        for [start, end] in segments {
            match lines.last_mut() {
                Some(line) if line.last() == Some(&start) => line.push(end),
                _ => lines.push(vec![start, end]),
            }
        }
        let line = |points| Ok(Self::new(FluidShape::Polyline(Polyline::new(points, 0.0)?)));
        lines.into_iter().map(line).collect()
    }

    /// The outline of a mesh of triangles, or every triangle as a piece if any two overlap. Triangles without an area
    /// are left out.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`polygon`](Self::polygon), and an error for a mesh without triangles that
    /// have an area.
    pub fn mesh(triangles: impl IntoIterator<Item = [Vec2; 3]>) -> Result<Vec<Self>, ShapeError> {
        let twice = |[a, b, c]: &[Vec2; 3]| (*b - *a).perp_dot(*c - *a);
        let mut triangles: Vec<[Vec2; 3]> = triangles.into_iter().collect();
        triangles.retain(|triangle| twice(triangle) != 0.0);
        for triangle in &mut triangles {
            if twice(triangle) < 0.0 {
                triangle.swap(1, 2);
            }
        }
        if any_overlap(&triangles) {
            return triangles.into_iter().map(Self::polygon).collect();
        }
        let outline = FluidPolygon::with_holes(outline(&triangles))?;
        Ok(vec![Self::new(FluidShape::Polygon(outline))])
    }

    /// Cells of a grid, merged into rectangles. The cell `(x, y)` extends from `(x, y)` to
    /// `(x + 1, y + 1)`, times the `size` of a cell.
    pub fn cells(cells: impl IntoIterator<Item = IVec2>, size: Vec2) -> Vec<Self> {
        let cells: HashSet<IVec2> = cells.into_iter().collect();
        let Some(low) = cells.iter().copied().reduce(IVec2::min) else { return Vec::new() };
        let high = cells.iter().copied().fold(low, IVec2::max);
        let (columns, rows) =
            (i64::from(high.x) - i64::from(low.x), i64::from(high.y) - i64::from(low.y));
        let rectangle = |low: Vec2, high: Vec2| {
            let half_size = 0.5 * (high - low) * size;
            let pose = Pose::from_translation(0.5 * (low + high) * size);
            Self { pose, shape: FluidShape::Rectangle { half_size } }
        };
        if (columns + 1).saturating_mul(rows + 1) > LARGEST_GRID {
            let mut single: Vec<IVec2> = cells.into_iter().collect();
            single.sort_unstable_by_key(|cell| cell.to_array());
            let corner = |cell: IVec2| rectangle(cell.as_vec2(), cell.as_vec2() + 1.0);
            return single.into_iter().map(corner).collect();
        }
        let solid = |tile: UVec2| cells.contains(&(low + tile.as_ivec2()));
        let blocks = merge_tiles(UVec2::new(columns as u32 + 1, rows as u32 + 1), solid);
        let at = |corner: UVec2| (low + corner.as_ivec2()).as_vec2();
        blocks.iter().map(|block| rectangle(at(block.low), at(block.high))).collect()
    }

    /// Distance from a point of the collider to the piece's edge; negative inside.
    pub fn distance(&self, point: Vec2) -> f32 {
        self.shape.distance(self.pose.to_local(point))
    }

    /// A box around the piece, in the collider's coordinates; infinite for a half plane.
    pub(crate) fn bounds(&self) -> FluidBounds {
        let upright = self.shape.bounds();
        let Vec2 { x, y } = self.pose.rotation.abs();
        let half = upright.half_size();
        if !half.is_finite() {
            return upright;
        }
        let half = Vec2::new(half.x * x + half.y * y, half.x * y + half.y * x);
        let centre = self.pose.to_world(upright.centre());
        FluidBounds { low: centre - half, high: centre + half }
    }
}

/// The rings around counter-clockwise triangles, along the edges that belong to only one triangle.
fn outline(triangles: &[[Vec2; 3]]) -> Vec<Vec<Vec2>> {
    let key = |point: Vec2| (point + 0.0).to_array().map(f32::to_bits);
    let mut edges = HashSet::new();
    let mut order = Vec::new();
    for [a, b, c] in triangles {
        for [start, end] in [[a, b], [b, c], [c, a]] {
            if !edges.remove(&(key(*end), key(*start))) {
                edges.insert((key(*start), key(*end)));
                order.push([*start, *end]);
            }
        }
    }
    order.retain(|[start, end]| edges.contains(&(key(*start), key(*end))));
    let mut from = HashMap::<[u32; 2], Vec<usize>>::new();
    for (index, [start, _]) in order.iter().enumerate() {
        from.entry(key(*start)).or_default().push(index);
    }
    let mut used = vec![false; order.len()];
    let mut rings = Vec::new();
    for first in 0..order.len() {
        let mut ring = Vec::new();
        let mut next = Some(first).filter(|first| !used[*first]);
        while let Some(index) = next {
            used[index] = true;
            ring.push(order[index][0]);
            let onward = from.get(&key(order[index][1]));
            next = onward.and_then(|ways| ways.iter().copied().find(|way| !used[*way]));
        }
        if ring.len() >= 3 {
            rings.push(ring);
        }
    }
    rings
}

// The component that couples an engine's collider to the liquid.

/// Couples a collider of a physics engine to the liquid. On a rigid body, the component applies to all its
/// colliders that have no `FluidCoupled` themselves.
///
/// The collider keeps liquid out, and pushes liquid when the collider moves. A dynamic body floats, sinks and is
/// dragged along. The engine's sensors and disabled colliders do not affect the liquid; watch regions with a
/// [`FluidSensor`](crate::FluidSensor).
///
/// How deep a body floats follows from its density in the engine, which is its mass divided by the area of its
/// colliders. A body with density 0.5 is half immersed in liquid with a [mass](blob_fluid::DensityClass::mass) of 1.
/// The [gap](blob_fluid::Body::GAP) between body and liquid counts as part of the body.
///
/// ```
/// use bevy_blob_fluid::prelude::*;
/// // Floats by the engine's own density.
/// let crate_of_the_engine = FluidCoupled::default();
/// // Masses of the engine in kilograms per square metre, where water has 1000.
/// let ship = FluidCoupled::default().with_liquid_density(1000.0);
/// // A density for the liquid only: the mass in the engine stays as it is.
/// let balloon = FluidCoupled::of_density(0.1);
/// # assert_eq!((crate_of_the_engine.density, balloon.density), (None, Some(0.1)));
/// # assert_eq!(ship.liquid_density, 1000.0);
/// ```
#[doc = guide!("bodies")]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(FluidOrder)]
pub struct FluidCoupled {
    /// Friction, stickiness, wetting and temperature of the collider's walls.
    pub wall: WallProperties,
    /// Density of liquid with a mass of 1 in the units of the engine, as mass per square world unit. Above 0. Default
    /// 1, the default density of colliders in avian2d and bevy_rapier2d.
    pub liquid_density: f32,
    /// Density of the body as a multiple of the density of liquid with a mass of 1. This value replaces the density in
    /// the engine divided by `liquid_density`. Above 0. Default `None`.
    pub density: Option<f32>,
    /// The classes that the collider stops. Default all.
    pub classes: ClassFilter,
    /// Layers of the collider for the liquid, in place of the collider's layers or groups in the engine. The collider
    /// stops the classes that share a layer with it
    /// ([`DensityClass::collision_layers`](blob_fluid::DensityClass::collision_layers)). Default `None`.
    pub layers: Option<u32>,
}

impl Default for FluidCoupled {
    /// A coupling with default walls, and the engine's densities and layers.
    fn default() -> Self {
        Self {
            wall: WallProperties::default(),
            liquid_density: 1.0,
            density: None,
            classes: ClassFilter::ALL,
            layers: None,
        }
    }
}

impl FluidCoupled {
    /// A body with this density, as a multiple of the density of liquid with a mass of 1. The mass in the engine does
    /// not affect this density.
    pub fn of_density(density: f32) -> Self {
        Self { density: Some(density), ..Self::default() }
    }

    /// The same coupling for an engine in which liquid with a mass of 1 has this density, as mass per square world
    /// unit.
    pub const fn with_liquid_density(mut self, density: f32) -> Self {
        self.liquid_density = density;
        self
    }

    /// The same coupling with other properties of the walls.
    pub const fn with_wall(mut self, wall: WallProperties) -> Self {
        self.wall = wall;
        self
    }

    /// Checks the densities.
    pub(super) fn validate(&self) -> Result<(), OutOfRange> {
        let densities = [("liquid_density", Some(self.liquid_density)), ("density", self.density)];
        for (field, value) in densities {
            if let Some(value) = value.filter(|value| !Limits::POSITIVE.contains(*value)) {
                let range = ValidRange::Limits(Limits::POSITIVE);
                return Err(OutOfRange { subject: "fluid coupling", field, value, range });
            }
        }
        Ok(())
    }

    /// The same coupling for a collider that stops only these classes.
    pub const fn stopping(mut self, classes: ClassFilter) -> Self {
        self.classes = classes;
        self
    }

    /// The same coupling for a collider on these layers, one bit per layer.
    pub const fn on_layers(mut self, layers: u32) -> Self {
        self.layers = Some(layers);
        self
    }
}

/// Whether any two triangles share an area.
fn any_overlap(triangles: &[[Vec2; 3]]) -> bool {
    let across = |[a, b, c]: &[Vec2; 3]| (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
    let mut sorted: Vec<&[Vec2; 3]> = triangles.iter().collect();
    sorted.sort_by(|one, other| across(one).0.total_cmp(&across(other).0));
    sorted.iter().enumerate().any(|(index, one)| {
        let later = sorted[index + 1..].iter();
        later.take_while(|other| across(other).0 < across(one).1).any(|other| overlap(one, other))
    })
}

/// Whether two triangles share an area, and not only an edge or a corner: no edge is a separating axis.
fn overlap(one: &[Vec2; 3], other: &[Vec2; 3]) -> bool {
    let normals = |[a, b, c]: &[Vec2; 3]| [*b - *a, *c - *b, *a - *c].map(Vec2::perp);
    let along = |axis: Vec2, triangle: &[Vec2; 3]| {
        let [a, b, c] = triangle.map(|corner| axis.dot(corner - one[0]));
        (a.min(b).min(c), a.max(b).max(c))
    };
    normals(one).into_iter().chain(normals(other)).all(|axis| {
        let ((low, high), (other_low, other_high)) = (along(axis, one), along(axis, other));
        let length = high.max(other_high) - low.min(other_low);
        high.min(other_high) - low.max(other_low) > ROUNDING * length
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_becomes_its_outline_with_holes() {
        // A square ring of eight triangles.
        let corner = |radius: f32, index: usize| {
            let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
            Vec2::from(corners[index % 4]) * radius
        };
        let triangles = (0..4).flat_map(|index| {
            let (a, b) = (corner(3.0, index), corner(3.0, index + 1));
            let (c, d) = (corner(1.0, index), corner(1.0, index + 1));
            [[a, b, c], [d, c, b]]
        });
        let pieces = Piece::mesh(triangles).expect("valid");
        assert_eq!(pieces.len(), 1);
        let FluidShape::Polygon(polygon) = &pieces[0].shape else { panic!("a polygon") };
        assert_eq!(polygon.rings().len(), 2);
        assert!((pieces[0].shape.area() - 32.0).abs() < 1e-3);
        assert!((pieces[0].distance(Vec2::ZERO) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn triangles_that_overlap_stay_triangles() {
        let triangle = [Vec2::ZERO, Vec2::X * 4.0, Vec2::Y * 4.0];
        let moved = triangle.map(|corner| corner + Vec2::ONE);
        assert_eq!(Piece::mesh([triangle, moved]).expect("valid").len(), 2);
        assert_eq!(Piece::mesh([triangle, triangle]).expect("valid").len(), 2);
        let beside = [Vec2::X * 4.0, Vec2::splat(4.0), Vec2::Y * 4.0];
        assert_eq!(Piece::mesh([triangle, beside]).expect("valid").len(), 1);
        let flat = [Vec2::ZERO, Vec2::X, Vec2::X * 2.0];
        assert!(Piece::mesh([flat]).is_err());
    }

    #[test]
    fn lines_that_follow_each_other_are_one() {
        let points = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y].map(|point| point * 5.0);
        let segment = |index: usize| [points[index], points[(index + 1) % 4]];
        let closed = Piece::lines((0..4).map(segment)).expect("valid");
        assert_eq!(closed.len(), 1);
        assert!((closed[0].distance(Vec2::splat(2.0)) - 2.0).abs() < 1e-6);
        assert_eq!(Piece::lines([segment(0), segment(2)]).expect("valid").len(), 2);
    }

    #[test]
    fn a_piece_on_a_turned_collider_turns_with_it() {
        let bar =
            Piece::capsule([Vec2::ZERO, Vec2::X * 8.0], 1.0).placed(Pose::new(Vec2::ONE, Vec2::Y));
        assert!((bar.distance(Vec2::new(1.0, 12.0)) - 2.0).abs() < 1e-5);
        assert!((bar.distance(Vec2::new(3.0, 5.0)) - 1.0).abs() < 1e-5);
        assert!(bar.bounds().high.distance(Vec2::new(2.0, 10.0)) < 1e-5);
    }
}
