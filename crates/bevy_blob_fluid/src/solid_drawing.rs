//! Drawing of containers and colliders, for games that have no art of their own yet.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::FluidShape;

use crate::placing::Placement;
use crate::solids::{FluidBuoyant, FluidCollider, FluidContainer};

/// Depth of the inside of a container relative to its entity, behind the liquid.
const INTERIOR_DEPTH: f32 = -10.0;
/// Depth of walls relative to their entities, in front of the liquid.
const WALL_DEPTH: f32 = 5.0;

/// Draws every [`FluidContainer`] as a wall around a filled inside, and every [`FluidCollider`] as
/// its filled shape, so that a game has something to see before it has art.
///
/// The meshes are children of the entities, and show what the simulation has: a round shape under an uneven scale
/// stays round. They follow every change of a shape or a scale, and are removed
/// with it. The inside of a container is at depth -10 and walls are at depth 5, relative to their
/// entities. Shapes from images are not drawn. In an app without a renderer the plugin does nothing.
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

/// Colours and thickness of what [`FluidSolidDrawingPlugin`] draws.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidSolidStyle {
    /// Colour of the inside of containers; `None` for nothing behind the liquid. Default a dark
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

/// The colour of the wall of one container, or of one collider, instead of the one in
/// [`FluidSolidStyle`].
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

/// Marks the meshes.
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

    /// This runs in `finish`, because Bevy's plugins may be added after this one.
    fn finish(&self, app: &mut App) {
        let world = app.world();
        if world.contains_resource::<Assets<Mesh>>()
            && world.contains_resource::<Assets<ColorMaterial>>()
        {
            app.add_systems(PostUpdate, draw_solids.before(TransformSystems::Propagate));
        }
    }
}

/// Draws the solids that are new or have changed, and removes what was drawn of them before.
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
        // Without a valid scale nothing is seen, and with one all is drawn again.
        let scale = scale_of(entity).unwrap_or(Vec2::ONE);
        for child in children.into_iter().flatten().filter(|child| drawn.contains(**child)) {
            commands.entity(*child).try_despawn();
        }
        let color = solid_color.map(|color| color.0);
        let mut draw = |mesh: Mesh, color: Color, depth| {
            // The entity may lack visibility components of its own.
            commands.entity(entity).insert_if_new(Visibility::default());
            commands.spawn((
                FluidSolidMesh { scale },
                Mesh2d(meshes.add(mesh)),
                MeshMaterial2d(materials.add(color)),
                // The shape has the entity's scale already.
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

/// Whether two scales are not the same but for rounding.
fn differ(one: Vec2, other: Vec2) -> bool {
    (one - other).abs().max_element() > 1e-4 * other.abs().max_element()
}

/// Whether a shape is valid and large enough to be seen.
fn has_area(shape: &FluidShape) -> bool {
    let size = shape.bounds().half_size();
    size.is_finite() && size.min_element() > 0.0
}

// Meshes of shapes.

/// Number of corners of round shapes.
const ROUNDNESS: u32 = 256;
/// Largest distance of a wall's outer corner from its inner one, in thicknesses.
const LONGEST_CORNER: f32 = 2.0;

/// Triangles that fill a shape.
pub(super) fn filled(shape: &FluidShape) -> Mesh {
    if let FluidShape::Circle { radius } = shape {
        return Circle::new(*radius).mesh().resolution(ROUNDNESS).into();
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

/// Twice the area inside of a ring; below 0 if it is clockwise.
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
        assert!(is_close(area_of(&filled(&circle)), 4.0 * std::f32::consts::PI));
        let corner = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 4.0), (0.0, 4.0)];
        let corner = Polygon::new(corner.map(Vec2::from)).expect("an outline");
        assert!(is_close(area_of(&filled(&FluidShape::Polygon(corner))), 7.0));
    }

    #[test]
    fn walls_are_outside_and_as_thick_as_asked_for() {
        let rectangle = FluidShape::Rectangle { half_size: Vec2::new(3.0, 2.0) };
        assert!(is_close(area_of(&walls(&rectangle, 1.0)), 8.0 * 6.0 - 24.0));
        // Clockwise, and with a corner that points inwards.
        let corner = [(0.0, 4.0), (1.0, 4.0), (1.0, 1.0), (4.0, 1.0), (4.0, 0.0), (0.0, 0.0)];
        let corner = Polygon::new(corner.map(Vec2::from)).expect("an outline");
        let wall = walls(&FluidShape::Polygon(corner), 0.5);
        assert!(is_close(area_of(&wall), 5.0 * 5.0 - 3.0 * 3.0 - 7.0));
    }
}
