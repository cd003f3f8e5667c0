//! Streamlines: ribbons that taper towards their ends.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::RenderLayers;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::air::Air;

use super::material::show_on;
use crate::air::{FluidAir, FluidAirState};
use crate::render::look::air::{FluidAirLook, FluidStreamlines};
use crate::simulation::FluidSimulation;

/// The streamlines of air: a child of its entity.
#[derive(Component, PartialEq)]
pub(super) struct Streamlines {
    /// What they were drawn of: the air's time, its place, and the settings.
    time: f64,
    place: GlobalTransform,
    settings: FluidStreamlines,
}

/// Most starts of streamlines.
const MOST: usize = 4000;

/// In front of the picture of the air.
const DEPTH: f32 = 0.01;

/// Draws the streamlines of all air that shows them.
pub(super) fn draw_streamlines(
    mut commands: Commands,
    airs: Query<(Entity, &FluidAirLook, &FluidAirState, Option<&RenderLayers>), With<FluidAir>>,
    mut lines: Query<(Entity, &ChildOf, &Mesh2d, &mut Streamlines, Option<&RenderLayers>)>,
    transforms: TransformHelper,
    fluid: Res<FluidSimulation>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (line, parent, ..) in &lines {
        if !airs.get(parent.parent()).is_ok_and(|(_, look, ..)| look.streamlines.is_some()) {
            commands.entity(line).try_despawn();
        }
    }
    for (entity, look, state, layers) in &airs {
        let Some(settings) = look.streamlines else { continue };
        let Some(air) = state.id.and_then(|id| fluid.air(id)) else { continue };
        let Ok(place) = transforms.compute_global_transform(entity) else { continue };
        let present = lines.iter_mut().find(|(_, parent, ..)| parent.parent() == entity);
        let drawn = Streamlines { time: air.time(), place, settings };
        if present.as_ref().is_some_and(|(_, _, _, before, on)| **before == drawn && *on == layers)
        {
            continue;
        }
        let to_local = place.affine().inverse();
        let mesh =
            ribbons(air, settings, |point| to_local.transform_point3(point.extend(0.0)).truncate());
        match present {
            Some((line, _, handle, mut before, on)) => {
                *before = drawn;
                _ = meshes.insert(&handle.0, mesh);
                show_on(layers, on, &mut commands.entity(line));
            }
            None => {
                let mut line = commands.spawn((
                    drawn,
                    Mesh2d(meshes.add(mesh)),
                    MeshMaterial2d(materials.add(ColorMaterial {
                        alpha_mode: bevy::sprite_render::AlphaMode2d::Blend,
                        ..ColorMaterial::default()
                    })),
                    Transform::from_xyz(0.0, 0.0, DEPTH),
                    ChildOf(entity),
                ));
                show_on(layers, None, &mut line);
            }
        }
    }
}

/// Ribbons along streamlines that start on a lattice.
fn ribbons(air: &Air, settings: FluidStreamlines, to_local: impl Fn(Vec2) -> Vec2) -> Mesh {
    let bounds = air.bounds();
    let size = bounds.high - bounds.low;
    let area = size.x * size.y;
    let least = (area / MOST as f32).sqrt();
    let spacing = settings.spacing.max(least);
    let step = (0.5 * air.cell_size()).max(settings.length / 200.0);
    let points = (settings.length / step) as usize;
    let color = settings.color.to_linear();
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut colors: Vec<[f32; 4]> = Vec::new();
    let mut indices: Vec<u32> = Vec::new();
    let fastest = (0..air.columns() * air.rows())
        .map(|index| air.velocity_in_cell(index).length())
        .fold(f32::MIN_POSITIVE, f32::max);
    let counts = (size / spacing).max(Vec2::ONE);
    for row in 0..counts.y as usize {
        for column in 0..counts.x as usize {
            // Every second row is shifted by half a spacing.
            let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
            let start = bounds.low + Vec2::new(column as f32 + shift, row as f32 + 0.5) * spacing;
            let Some(speed) = air.velocity_at(start).map(Vec2::length) else { continue };
            let line = air.streamline(start, step, points);
            if line.len() < 4 {
                continue;
            }
            let strength = (4.0 * speed / fastest).min(1.0);
            let first = positions.len() as u32;
            for (number, point) in line.iter().enumerate() {
                let before = line[number.saturating_sub(1)];
                let after = line[(number + 1).min(line.len() - 1)];
                let across = (after - before).normalize_or_zero().perp();
                let along = number as f32 / (line.len() - 1) as f32;
                let width = (0.15 + 0.25 * along) * air.cell_size().min(0.08 * spacing);
                for side in [-width, width] {
                    positions.push(to_local(*point + across * side).extend(0.0).to_array());
                    let alpha = color.alpha * along * strength;
                    colors.push([color.red, color.green, color.blue, alpha]);
                }
            }
            for number in 0..line.len() as u32 - 1 {
                let corner = first + 2 * number;
                indices.extend([
                    corner,
                    corner + 1,
                    corner + 2,
                    corner + 2,
                    corner + 1,
                    corner + 3,
                ]);
            }
        }
    }
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, positions);
    mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colors);
    mesh.insert_indices(Indices::U32(indices));
    mesh
}
