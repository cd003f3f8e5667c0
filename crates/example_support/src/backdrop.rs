//! Draws containers and colliders.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::Shape;
use bevy_blob_fluid::{FluidBuoyant, FluidCollider, FluidContainer};

/// Colour of the background.
pub(crate) const BACKGROUND: Color = Color::srgb(0.035, 0.043, 0.086);
/// Colour inside a container.
pub(crate) const INTERIOR: Color = Color::srgb(0.062, 0.078, 0.137);
/// Colour of a container's wall and of a collider.
pub(crate) const WALL: Color = Color::srgb(0.36, 0.42, 0.56);
/// Colour of bodies that float.
const BODY: Color = Color::srgb(0.62, 0.45, 0.30);

/// The colours of containers and colliders that are spawned.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct BackdropColors {
    /// Colour inside a container; `None` for no background.
    pub interior: Option<Color>,
    /// Colour of a container's wall and of a collider.
    pub wall: Color,
    /// Colour of bodies that float.
    pub body: Color,
}

impl Default for BackdropColors {
    fn default() -> Self {
        Self { interior: Some(INTERIOR), wall: WALL, body: BODY }
    }
}
/// Thickness of a wall, in world units.
pub(crate) const WALL_THICKNESS: f32 = 10.0;

const INTERIOR_DEPTH: f32 = -10.0;
/// Depth of walls: in front of the liquid, whose outermost dots reach over the edge.
const WALL_DEPTH: f32 = 5.0;

/// Draws every [`FluidContainer`], a dark interior behind the liquid and a wall around it, and
/// every [`FluidCollider`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BackdropPlugin;

impl Plugin for BackdropPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(BACKGROUND))
            .init_resource::<BackdropColors>()
            .add_systems(PostUpdate, (draw_containers, draw_colliders));
    }
}

fn draw_containers(
    mut commands: Commands,
    containers: Query<(Entity, &FluidContainer), Added<FluidContainer>>,
    colors: Res<BackdropColors>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (entity, container) in &containers {
        let (interior, wall): (Mesh, Mesh) = match &container.shape {
            Shape::Circle { radius } => (
                Circle::new(*radius).mesh().resolution(256).into(),
                Annulus::new(*radius, radius + WALL_THICKNESS).mesh().resolution(256).into(),
            ),
            Shape::Rectangle { half_size } => {
                let inner = Rectangle { half_size: *half_size };
                (inner.into(), inner.to_ring(-WALL_THICKNESS).into())
            }
            other => (filled(other), edged(other)),
        };
        let mut part = |mesh: Mesh, color: Color, depth| {
            let mesh = Mesh2d(meshes.add(mesh));
            let material = MeshMaterial2d(materials.add(color));
            (mesh, material, Transform::from_xyz(0.0, 0.0, depth))
        };
        let interior = colors.interior.map(|color| part(interior, color, INTERIOR_DEPTH));
        let parts = [interior, Some(part(wall, colors.wall, WALL_DEPTH))];
        // A container may lack visibility components of its own.
        commands.entity(entity).insert_if_new(Visibility::default());
        for part in parts.into_iter().flatten() {
            commands.spawn((part, ChildOf(entity)));
        }
    }
}

fn draw_colliders(
    mut commands: Commands,
    colliders: Query<(Entity, &FluidCollider, Has<FluidBuoyant>), Added<FluidCollider>>,
    colors: Res<BackdropColors>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (entity, collider, is_body) in &colliders {
        let mesh = if collider.options.inside_out {
            edged(&collider.shape)
        } else {
            filled(&collider.shape)
        };
        let part = (
            Mesh2d(meshes.add(mesh)),
            MeshMaterial2d(materials.add(if is_body { colors.body } else { colors.wall })),
            Transform::from_xyz(0.0, 0.0, WALL_DEPTH),
        );
        commands.entity(entity).insert_if_new(Visibility::default());
        commands.spawn((part, ChildOf(entity)));
    }
}

/// Triangles that fill a shape.
fn filled(shape: &Shape) -> Mesh {
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
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_inserted_indices(Indices::U32(triangles))
}

/// Bars along a shape's edges, outside of it, with the thickness of a wall.
fn edged(shape: &Shape) -> Mesh {
    let mut walls = Vec::new();
    for ring in shape.outlines().iter().flatten() {
        let turn: f32 =
            ring.iter().zip(ring.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum();
        for (from, to) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let out = -(*to - *from).normalize_or_zero().perp() * turn.signum();
            let (along, out) = ((*to - *from).normalize_or_zero(), out * WALL_THICKNESS);
            let (from, to) =
                (*from - along * 0.5 * WALL_THICKNESS, *to + along * 0.5 * WALL_THICKNESS);
            let corners = [from, to, to + out, from + out];
            walls.extend(
                [0, 1, 2, 0, 2, 3].map(|corner: usize| corners[corner].extend(0.0).to_array()),
            );
        }
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, walls)
}
