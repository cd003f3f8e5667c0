//! Walls with light and shadow.

use bevy::prelude::*;
use bevy::sprite_render::AlphaMode2d;
use bevy_blob_fluid::prelude::*;

use crate::art::painter::{Canvas, rounded};

/// Depths relative to the entities, as in [`FluidSolidDrawingPlugin`], and the depth of shadows.
const INTERIOR: f32 = -10.0;
const SHADOW: f32 = -10.5;
const WALL: f32 = 5.0;

/// Draws containers and colliders in place of [`FluidSolidDrawingPlugin`], by the same
/// [`FluidSolidStyle`] and [`FluidSolidColor`]. Walls are lit from the upper left and have rounded
/// corners. Outlines must be convex. Later changes of a shape are not drawn.
#[derive(Resource, Clone, Copy, Debug)]
pub struct ShadedWalls {
    /// Radius of corners, in world units. Default 6.
    pub radius: f32,
    /// Darkness of the shadows on the background, 0 to 1. Default 0, for a distant background.
    pub shadow: f32,
}

impl Default for ShadedWalls {
    fn default() -> Self {
        Self { radius: 6.0, shadow: 0.0 }
    }
}

impl Plugin for ShadedWalls {
    fn build(&self, app: &mut App) {
        app.init_resource::<FluidSolidStyle>().insert_resource(*self);
        app.add_systems(PostUpdate, draw.before(TransformSystems::Propagate));
    }
}

fn draw(
    mut commands: Commands,
    art: Res<ShadedWalls>,
    style: Res<FluidSolidStyle>,
    added: Query<
        (
            Entity,
            Option<&FluidContainer>,
            Option<&FluidCollider>,
            Has<FluidBuoyant>,
            Option<&FluidSolidColor>,
            &Transform,
        ),
        Or<(Added<FluidContainer>, Added<FluidCollider>)>,
    >,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
    mut white: Local<Option<Handle<ColorMaterial>>>,
) {
    for (entity, container, collider, floats, color, transform) in &added {
        let turn = transform.rotation.to_euler(EulerRot::ZYX).0;
        let usual = if floats { style.body } else { style.wall };
        let color = color.map_or(usual, |color| color.0);
        let mut hang = |canvas: Canvas, at: Vec3| {
            let blend = ColorMaterial { alpha_mode: AlphaMode2d::Blend, ..default() };
            let white = white.get_or_insert_with(|| materials.add(blend)).clone();
            commands.entity(entity).insert_if_new(Visibility::default()).with_child((
                Mesh2d(meshes.add(canvas.mesh())),
                MeshMaterial2d(white),
                Transform::from_translation(at),
            ));
        };
        let rings = |shape: &FluidShape| -> Vec<Vec<Vec2>> {
            shape
                .outlines()
                .into_iter()
                .filter_map(|outline| outline.into_iter().next().map(counter_clockwise))
                .collect()
        };
        if let Some(FluidContainer { shape, .. }) = container {
            let rings = rings(shape);
            if let Some(interior) = style.interior {
                let colors = [interior, interior.mix(&Color::BLACK, 0.35)];
                let back =
                    rings.iter().fold(Canvas::default(), |canvas, ring| canvas.flat(ring, colors));
                hang(back, Vec3::Z * INTERIOR);
            }
            let wall = |canvas: Canvas, ring: &Vec<Vec2>| {
                canvas.wall(ring, style.thickness, art.radius, color, turn)
            };
            hang(rings.iter().fold(Canvas::default(), wall), Vec3::Z * WALL);
        }
        if let Some(FluidCollider { shape, .. }) = collider {
            let rings: Vec<_> = rings(shape).iter().map(|ring| rounded(ring, art.radius)).collect();
            let solid = |canvas: Canvas, ring: &Vec<Vec2>| canvas.solid(ring, color, turn);
            hang(rings.iter().fold(Canvas::default(), solid), Vec3::Z * WALL);
            if art.shadow > 0.0 {
                let colors = [Color::BLACK.with_alpha(art.shadow); 2];
                let shade =
                    rings.iter().fold(Canvas::default(), |canvas, ring| canvas.flat(ring, colors));
                let offset = Vec2::from_angle(-turn).rotate(Vec2::new(7.0, -10.0));
                hang(shade, offset.extend(SHADOW));
            }
        }
    }
}

fn counter_clockwise(mut ring: Vec<Vec2>) -> Vec<Vec2> {
    let edges = ring.iter().zip(ring.iter().cycle().skip(1));
    if edges.map(|(a, b)| a.perp_dot(*b)).sum::<f32>() < 0.0 {
        ring.reverse();
    }
    ring
}
