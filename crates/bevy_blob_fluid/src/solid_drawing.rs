//! Drawing of containers and colliders, for games that have no art yet.

use std::f32::consts::PI;

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::FluidShape;
use blob_fluid::shape::Polyline;

use crate::placing::Placement;
use crate::solids::{FluidBuoyant, FluidCollider, FluidContainer};

/// Depth of the inside of a container relative to its entity, behind the liquid.
const INTERIOR_DEPTH: f32 = -10.0;
/// Depth of walls relative to their entities, in front of the liquid.
const WALL_DEPTH: f32 = 5.0;

/// Draws every [`FluidContainer`] as a wall around a filled inside, and every [`FluidCollider`] as its filled shape.
/// This drawing is a placeholder for a game's art.
///
/// The meshes are children of the entities, and show the shapes of the simulation. For example, a round shape under an
/// uneven scale stays round. The meshes follow every change of a shape or a scale, and are removed with the shape. The
/// inside of a container is at depth -10 and walls are at depth 5, relative to their entities. Shapes from images are
/// not drawn. In an app without a renderer, the plugin does nothing.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// App::new()
///     .add_plugins((DefaultPlugins, BlobFluidPlugins::default(), FluidSolidDrawingPlugin))
///     .insert_resource(FluidSolidStyle { wall: Color::BLACK, ..default() })
///     .run();
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidSolidDrawingPlugin;

/// Colours and thickness of the meshes of [`FluidSolidDrawingPlugin`].
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidSolidStyle {
    /// Colour of the inside of containers. `None` draws nothing behind the liquid. Default a dark
    /// blue.
    pub interior: Option<Color>,
    /// Colour of the walls of containers, and of colliders. Default a greyish blue.
    pub wall: Color,
    /// Colour of colliders that are [`FluidBuoyant`]. Default brown.
    pub body: Color,
    /// Thickness of the walls of containers, in world units. Default 10.
    pub thickness: f32,
}

impl Default for FluidSolidStyle {
    fn default() -> Self {
        Self {
            interior: Some(Color::srgb(0.062, 0.078, 0.137)),
            wall: Color::srgb(0.36, 0.42, 0.56),
            body: Color::srgb(0.62, 0.45, 0.30),
            thickness: 10.0,
        }
    }
}

/// The colour of the wall of one container, or of one collider, in place of the colour in [`FluidSolidStyle`].
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidCollider::from(Rectangle::new(200.0, 20.0)),
///         FluidSolidColor(Color::srgb(0.8, 0.3, 0.2)),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidSolidColor(pub Color);

/// Marks the meshes of solids.
#[derive(Component)]
struct FluidSolidMesh {
    /// The scale at which the solid was drawn.
    scale: Vec2,
}

impl Plugin for FluidSolidDrawingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidSolidStyle>()
            .register_type::<FluidSolidStyle>()
            .register_type::<FluidSolidColor>();
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        let world = app.world();
        if world.contains_resource::<Assets<Mesh>>()
            && world.contains_resource::<Assets<ColorMaterial>>()
        {
            app.add_systems(PostUpdate, draw_solids.before(TransformSystems::Propagate));
        }
    }
}

/// Draws new and changed solids, and removes their old meshes.
fn draw_solids(
    mut commands: Commands,
    style: Res<FluidSolidStyle>,
    solids: Query<(
        Option<&FluidContainer>,
        Option<&FluidCollider>,
        Has<FluidBuoyant>,
        Option<&FluidSolidColor>,
        Option<&Children>,
    )>,
    all: Query<Entity, Or<(With<FluidContainer>, With<FluidCollider>)>>,
    changed: Query<
        Entity,
        Or<(
            Changed<FluidContainer>,
            Changed<FluidCollider>,
            Changed<FluidSolidColor>,
            Added<FluidBuoyant>,
        )>,
    >,
    moved: Query<
        Entity,
        (Or<(With<FluidContainer>, With<FluidCollider>)>, Changed<GlobalTransform>),
    >,
    transforms: TransformHelper,
    mut removed: (
        RemovedComponents<FluidContainer>,
        RemovedComponents<FluidCollider>,
        RemovedComponents<FluidSolidColor>,
        RemovedComponents<FluidBuoyant>,
    ),
    drawn: Query<&FluidSolidMesh>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let (containers, colliders, colors, bodies) = &mut removed;
    let lost = containers.read().chain(colliders.read()).chain(colors.read()).chain(bodies.read());
    let mut outdated: Vec<Entity> = lost.chain(&changed).collect();
    if style.is_changed() {
        outdated.extend(&all);
    }
    let scale_of =
        |entity| Placement::of(entity, &transforms).ok().map(|placement| placement.scale);
    outdated.extend(moved.iter().filter(|entity| {
        let children = solids.get(*entity).ok().and_then(|(.., children)| children);
        let mut meshes = children.into_iter().flatten().filter_map(|child| drawn.get(*child).ok());
        meshes
            .next()
            .is_some_and(|mesh| scale_of(*entity).is_some_and(|scale| differ(scale, mesh.scale)))
    }));
    outdated.sort_unstable();
    outdated.dedup();
    for entity in outdated {
        let Ok((container, collider, floats, solid_color, children)) = solids.get(entity) else {
            continue;
        };
        // Without a valid scale the entity is not visible. A valid scale later causes a new mesh.
        let scale = scale_of(entity).unwrap_or(Vec2::ONE);
        for child in children.into_iter().flatten().filter(|child| drawn.contains(**child)) {
            commands.entity(*child).try_despawn();
        }
        let color = solid_color.map(|color| color.0);
        let mut draw = |mesh: Mesh, color: Color, depth| {
            // The entity may have no visibility components.
            commands.entity(entity).insert_if_new(Visibility::default());
            commands.spawn((
                FluidSolidMesh { scale },
                Mesh2d(meshes.add(mesh)),
                MeshMaterial2d(materials.add(color)),
                // The shape is already scaled by the entity's scale.
                Transform::from_xyz(0.0, 0.0, depth).with_scale(scale.recip().extend(1.0)),
                ChildOf(entity),
            ));
        };
        if let Some(FluidContainer { shape, .. }) = container.filter(|solid| has_area(&solid.shape))
        {
            let shape = &shape.scaled(scale);
            if let Some(interior) = style.interior {
                draw(filled(shape), interior, INTERIOR_DEPTH);
            }
            draw(walls(shape, style.thickness), color.unwrap_or(style.wall), WALL_DEPTH);
        }
        if let Some(FluidCollider { shape, options, .. }) =
            collider.filter(|solid| has_area(&solid.shape))
        {
            let shape = &shape.scaled(scale);
            let mesh =
                if options.inside_out { walls(shape, style.thickness) } else { filled(shape) };
            let usual = if floats { style.body } else { style.wall };
            draw(mesh, color.unwrap_or(usual), WALL_DEPTH);
        }
    }
}

/// Whether two scales differ by more than rounding.
fn differ(one: Vec2, other: Vec2) -> bool {
    (one - other).abs().max_element() > 1e-4 * other.abs().max_element()
}

/// Whether a shape is valid and has an area.
fn has_area(shape: &FluidShape) -> bool {
    let size = shape.bounds().half_size();
    size.is_finite() && size.min_element() > 0.0
}

// Meshes of shapes.

/// Number of corners of round shapes.
const ROUNDNESS: u32 = 256;
/// Largest angle between two corners of a round joint or end, in radians.
const LARGEST_TURN: f32 = PI / 32.0;
/// Largest distance of a wall's outer corner from its inner corner, in thicknesses.
const LONGEST_CORNER: f32 = 2.0;

/// Triangles that fill a shape.
pub(super) fn filled(shape: &FluidShape) -> Mesh {
    if let FluidShape::Circle { radius } = shape {
        return Circle::new(*radius).mesh().resolution(ROUNDNESS).into();
    }
    if let FluidShape::Polyline(line) = shape {
        return stroke(line);
    }
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    let mut earcut = earcut::Earcut::new();
    for outline in shape.outlines() {
        let first = corners.len() as u32;
        let sizes = outline.iter().map(Vec::len);
        let ends = sizes.scan(0, |end, size| {
            *end += size;
            Some(*end as u32)
        });
        let holes: Vec<u32> = ends.take(outline.len() - 1).collect();
        let points = outline.iter().flatten().map(|corner| corner.to_array());
        let mut found: Vec<u32> = Vec::new();
        earcut.earcut(points.clone(), &holes, &mut found);
        triangles.extend(found.into_iter().map(|corner| first + corner));
        corners.extend(points.map(|[x, y]| [x, y, 0.0]));
    }
    mesh_of(corners, triangles)
}

/// Distance of the ends of a line, in its radii, up to which the line is closed.
const ROUNDING: f32 = 1e-3;

/// Triangles that cover a line with round joints and ends. No two of them overlap where the line bends, so a
/// translucent line has the same colour everywhere.
fn stroke(line: &Polyline) -> Mesh {
    let radius = 0.5 * line.thickness();
    let mut points: Vec<Vec2> = line.points().to_vec();
    points.dedup();
    // Ends of a ring that was computed may differ by roundings.
    let end = points.len() - 1;
    if end > 2 && points[0].distance(points[end]) < ROUNDING * radius {
        points[end] = points[0];
    }
    let is_closed = end > 2 && points[0] == points[end];
    let mut stroke = Stroke::default();
    let count = points.len() - 1;
    let way = |from: usize| points[(from + 1) % points.len()] - points[from];
    let ways: Vec<Vec2> = (0..count).map(way).collect();
    let mut sides = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let after = ways.get(index).or(is_closed.then_some(&ways[0]));
        let before = match index.checked_sub(1) {
            Some(before) => Some(&ways[before]),
            None => is_closed.then_some(&ways[count - 1]),
        };
        match (before, after) {
            // The last point of a closed line is the first one.
            (Some(_), Some(_)) if is_closed && index == count => sides.push(sides[0]),
            (Some(before), Some(after)) => {
                sides.push(stroke.joint(*point, *before, *after, radius))
            }
            (None, Some(way)) => {
                let normal = way.normalize_or_zero().perp() * radius;
                let ends = stroke.fan(*point, normal, PI, None);
                sides.push([ends, ends]);
            }
            (Some(way), None) => {
                let normal = way.normalize_or_zero().perp() * radius;
                let [right, left] = stroke.fan(*point, -normal, PI, None);
                sides.push([[left, right]; 2]);
            }
            (None, None) => {}
        }
    }
    for ends in sides.windows(2) {
        let ([_, [left, right]], [[next_left, next_right], _]) = (ends[0], ends[1]);
        stroke.triangles.extend([left, right, next_right, left, next_right, next_left]);
    }
    mesh_of(stroke.corners, stroke.triangles)
}

/// The left and the right side of a line at a point.
type Sides = [u32; 2];

/// The triangles of a line with a thickness.
#[derive(Default)]
struct Stroke {
    corners: Vec<[f32; 3]>,
    triangles: Vec<u32>,
}

impl Stroke {
    fn corner(&mut self, point: Vec2) -> u32 {
        self.corners.push(point.extend(0.0).to_array());
        self.corners.len() as u32 - 1
    }

    /// Fills a sector of a disc around a point, from an offset counter-clockwise through an angle. The triangles meet
    /// in a `tip`, by default the first corner. Returns the first and the last corner.
    fn fan(&mut self, point: Vec2, from: Vec2, angle: f32, tip: Option<u32>) -> [u32; 2] {
        let pieces = (angle / LARGEST_TURN).ceil().max(1.0) as u32;
        let turned = |piece: u32| {
            let (sin, cos) = libm::sincosf(angle * piece as f32 / pieces as f32);
            Vec2::new(cos, sin)
        };
        let corners: Vec<u32> =
            (0..=pieces).map(|piece| self.corner(point + turned(piece).rotate(from))).collect();
        let tip = tip.unwrap_or(corners[0]);
        for pair in corners.windows(2).filter(|pair| !pair.contains(&tip)) {
            self.triangles.extend([tip, pair[0], pair[1]]);
        }
        [corners[0], corners[pieces as usize]]
    }

    /// Fills the joint of two straight parts. Returns the sides at the end of the first part and at the start of the
    /// second part.
    fn joint(&mut self, point: Vec2, before: Vec2, after: Vec2, radius: f32) -> [Sides; 2] {
        let ways = [before.normalize_or_zero(), after.normalize_or_zero()];
        let normals = ways.map(|way| way.perp() * radius);
        let (turn, along) = (ways[0].perp_dot(ways[1]), ways[0].dot(ways[1]));
        let bend = libm::atan2f(turn, along);
        // Both inner edges end at their crossing, unless a part is too short for that. If the line turns back, they
        // never cross.
        let cut = radius * turn.abs() / (1.0 + along);
        let fits = cut <= 0.5 * before.length().min(after.length());
        let side = if bend > 0.0 { 1.0 } else { -1.0 };
        let inner = point + side * (normals[0] - side * cut * ways[0]);
        let tip = self.corner(if fits { inner } else { point });
        let from = if bend > 0.0 { -normals[0] } else { normals[1] };
        let [first, last] = self.fan(point, from, bend.abs(), Some(tip));
        let inner: [u32; 2] =
            if fits { [tip; 2] } else { normals.map(|normal| self.corner(point + side * normal)) };
        if bend > 0.0 {
            [[inner[0], first], [inner[1], last]]
        } else {
            [[last, inner[0]], [first, inner[1]]]
        }
    }
}

/// Walls of a thickness around a shape, and in its holes.
pub(super) fn walls(shape: &FluidShape, thickness: f32) -> Mesh {
    if let FluidShape::Circle { radius } = shape {
        return Annulus::new(*radius, radius + thickness).mesh().resolution(ROUNDNESS).into();
    }
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for outline in shape.outlines() {
        for (index, ring) in outline.iter().enumerate() {
            let first = corners.len() as u32;
            // The liquid is inside of the first ring, and outside of the holes.
            let side = area(ring).signum() * if index == 0 { 1.0 } else { -1.0 };
            for (corner, out) in ring.iter().zip(outward(ring)) {
                let outer = *corner + out * side * thickness;
                corners.extend([*corner, outer].map(|point| point.extend(0.0).to_array()));
            }
            let count = ring.len() as u32;
            for number in 0..count {
                let (here, next) = (first + 2 * number, first + 2 * ((number + 1) % count));
                triangles.extend([here, next, next + 1, here, next + 1, here + 1]);
            }
        }
    }
    mesh_of(corners, triangles)
}

/// Twice the area inside of a ring; negative if the ring is clockwise.
fn area(ring: &[Vec2]) -> f32 {
    ring.iter().zip(ring.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum()
}

/// For each corner of a counter-clockwise ring, the offset to a ring at distance 1 around it.
fn outward(ring: &[Vec2]) -> impl Iterator<Item = Vec2> + '_ {
    let count = ring.len();
    (0..count).map(move |index| {
        let (before, after) = (ring[(index + count - 1) % count], ring[(index + 1) % count]);
        let normals = [ring[index] - before, after - ring[index]]
            .map(|edge| -edge.normalize_or_zero().perp());
        let sum = normals[0] + normals[1];
        (sum / (1.0 + normals[0].dot(normals[1])).max(1e-3)).clamp_length_max(LONGEST_CORNER)
    })
}

fn mesh_of(corners: Vec<[f32; 3]>, triangles: Vec<u32>) -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_inserted_indices(Indices::U32(triangles))
}

#[cfg(test)]
mod tests {
    use blob_fluid::shape::Polygon;

    use super::*;

    /// The area that a mesh covers, without overlaps.
    fn area_of(mesh: &Mesh) -> f32 {
        mesh.triangles().expect("triangles").map(|triangle| triangle.area()).sum()
    }

    fn is_close(area: f32, expected: f32) -> bool {
        (area - expected).abs() < 2e-3 * expected
    }

    #[test]
    fn shapes_are_filled() {
        let rectangle = FluidShape::Rectangle { half_size: Vec2::new(3.0, 2.0) };
        assert!(is_close(area_of(&filled(&rectangle)), 24.0));
        let circle = FluidShape::Circle { radius: 2.0 };
        assert!(is_close(area_of(&filled(&circle)), 4.0 * PI));
        let corner = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 4.0), (0.0, 4.0)];
        let corner = Polygon::new(corner.map(Vec2::from)).expect("an outline");
        assert!(is_close(area_of(&filled(&FluidShape::Polygon(corner))), 7.0));
    }

    /// The sum of all triangles is the area that they cover only if no two overlap.
    #[test]
    fn lines_are_covered_once_at_their_joints_and_ends() {
        let ring = |corners: u32, radius: f32| {
            let turn = std::f32::consts::TAU / corners as f32;
            let corner = move |index: u32| radius * Vec2::from_angle(turn * index as f32);
            (0..=corners).map(move |index| corner(index % corners)).collect::<Vec<Vec2>>()
        };
        let points = |points: &[(f32, f32)]| points.iter().copied().map(Vec2::from).collect();
        let lines: [(Vec<Vec2>, f32); 7] = [
            (points(&[(0.0, 0.0), (50.0, 10.0)]), 8.0),
            (points(&[(0.0, 0.0), (50.0, 0.0), (50.0, 40.0)]), 10.0),
            (points(&[(0.0, 0.0), (50.0, 0.0), (10.0, -30.0), (90.0, -60.0)]), 12.0),
            (
                points(&[
                    (40.0, -60.0),
                    (240.0, -60.0),
                    (240.0, 140.0),
                    (40.0, 140.0),
                    (40.0, -60.0),
                ]),
                8.0,
            ),
            (ring(24, 110.0), 10.0),
            // Parts that are much shorter than the thickness of the line.
            (ring(200, 30.0), 20.0),
            (ring(200, 30.0)[..150].to_vec(), 20.0),
        ];
        for (points, thickness) in lines {
            let line = Polyline::new(points.clone(), thickness).expect("valid");
            let shape = FluidShape::Polyline(line);
            let bounds = shape.bounds();
            let step = thickness / 40.0;
            let size = 2.0 * bounds.half_size() / step;
            let mut covered = 0.0;
            for column in 0..size.x as u32 + 1 {
                for row in 0..size.y as u32 + 1 {
                    let at = bounds.low + step * (Vec2::new(column as f32, row as f32) + 0.5);
                    covered += if shape.contains(at) { step * step } else { 0.0 };
                }
            }
            let drawn = area_of(&filled(&shape));
            assert!((drawn / covered - 1.0).abs() < 5e-3, "{points:?}: {drawn} of {covered}");
        }
    }

    #[test]
    fn walls_are_outside_and_as_thick_as_asked_for() {
        let rectangle = FluidShape::Rectangle { half_size: Vec2::new(3.0, 2.0) };
        assert!(is_close(area_of(&walls(&rectangle, 1.0)), 8.0 * 6.0 - 24.0));
        // A clockwise polygon with a corner that points inwards.
        let corner = [(0.0, 4.0), (1.0, 4.0), (1.0, 1.0), (4.0, 1.0), (4.0, 0.0), (0.0, 0.0)];
        let corner = Polygon::new(corner.map(Vec2::from)).expect("an outline");
        let wall = walls(&FluidShape::Polygon(corner), 0.5);
        assert!(is_close(area_of(&wall), 5.0 * 5.0 - 3.0 * 3.0 - 7.0));
    }
}
