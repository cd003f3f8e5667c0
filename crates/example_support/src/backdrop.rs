//! Containers and colliders that can be seen.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::{ColliderShape, ContainerShape};
use bevy_blob_fluid::{FluidCollider, FluidContainer};

/// Behind everything.
pub(crate) const BACKGROUND: Color = Color::srgb(0.035, 0.043, 0.086);
/// Inside a container.
pub(crate) const INTERIOR: Color = Color::srgb(0.062, 0.078, 0.137);
/// A container's wall, and a collider.
pub(crate) const WALL: Color = Color::srgb(0.36, 0.42, 0.56);
/// Thickness of a wall, in world units.
pub(crate) const WALL_THICKNESS: f32 = 10.0;

const INTERIOR_DEPTH: f32 = -10.0;
/// In front of the liquid, whose outermost blobs reach over the edge.
const WALL_DEPTH: f32 = 5.0;

/// Draws every [`FluidContainer`], a dark interior behind the liquid and a wall around it, and
/// every [`FluidCollider`].
#[derive(Clone, Copy, Debug, Default)]
pub struct BackdropPlugin;

impl Plugin for BackdropPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(BACKGROUND))
            .add_systems(PostUpdate, (draw_containers, draw_colliders));
    }
}

fn draw_containers(
    mut commands: Commands,
    containers: Query<(Entity, &FluidContainer), Added<FluidContainer>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (entity, container) in &containers {
        let (interior, wall): (Mesh, Mesh) = match container.shape {
            ContainerShape::Circle { radius } => (
                Circle::new(radius).mesh().resolution(256).into(),
                Annulus::new(radius, radius + WALL_THICKNESS).mesh().resolution(256).into(),
            ),
            ContainerShape::Rectangle { half_size } => {
                let inner = Rectangle { half_size };
                (inner.into(), inner.to_ring(-WALL_THICKNESS).into())
            }
        };
        let mut part = |mesh: Mesh, color: Color, depth| {
            let mesh = Mesh2d(meshes.add(mesh));
            let material = MeshMaterial2d(materials.add(color));
            (mesh, material, Transform::from_xyz(0.0, 0.0, depth))
        };
        let parts = [part(interior, INTERIOR, INTERIOR_DEPTH), part(wall, WALL, WALL_DEPTH)];
        // A container need not have been visible itself.
        commands.entity(entity).insert_if_new(Visibility::default());
        for part in parts {
            commands.spawn((part, ChildOf(entity)));
        }
    }
}

fn draw_colliders(
    mut commands: Commands,
    colliders: Query<(Entity, &FluidCollider), Added<FluidCollider>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (entity, collider) in &colliders {
        let mesh: Mesh = match collider.shape {
            ColliderShape::Circle { radius } => Circle::new(radius).mesh().resolution(64).into(),
            ColliderShape::Rectangle { half_size } => Rectangle { half_size }.into(),
        };
        let part = (
            Mesh2d(meshes.add(mesh)),
            MeshMaterial2d(materials.add(WALL)),
            Transform::from_xyz(0.0, 0.0, WALL_DEPTH),
        );
        commands.entity(entity).insert_if_new(Visibility::default());
        commands.spawn((part, ChildOf(entity)));
    }
}
