//! The copy from the app's world to the renderer's.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::sync_world::{MainEntity, RenderEntity};

use super::buffers::{FluidBuffers, MaterialUniform};
use super::instance::{FluidInstances, FluidInterpolation};
use super::material::FluidMaterial;
use super::palette::FluidPalette;

/// A [`FluidMaterial`] that some camera may see.
pub(super) struct ExtractedMaterial {
    pub entity: (Entity, MainEntity),
    pub depth: f32,
    pub uniform: MaterialUniform,
}

/// This frame's materials.
#[derive(Resource, Default)]
pub(super) struct ExtractedMaterials(pub Vec<ExtractedMaterial>);

/// Copies the materials and the moment to draw.
pub(super) fn extract_materials(
    mut extracted: ResMut<ExtractedMaterials>,
    instances: Extract<Res<FluidInstances>>,
    interpolation: Extract<Res<FluidInterpolation>>,
    palette: Extract<Res<FluidPalette>>,
    materials: Extract<
        Query<(Entity, RenderEntity, &FluidMaterial, &GlobalTransform, &ViewVisibility)>,
    >,
) {
    extracted.0.clear();
    for (main_entity, render_entity, material, transform, visibility) in &materials {
        if !visibility.get() {
            continue;
        }
        let depth = transform.translation().z;
        extracted.0.push(ExtractedMaterial {
            entity: (render_entity, main_entity.into()),
            depth,
            uniform: MaterialUniform {
                radius: material.blob_radius.max(0.0) * instances.particle_spacing(),
                softness: material.softness.clamp(0.0, 1.0),
                opacity: material.opacity.clamp(0.0, 1.0),
                shading: material.shading.clamp(0.0, 1.0),
                interpolation: interpolation.0.clamp(0.0, 1.0),
                depth,
                by_instance: u32::from(palette.is_by_instance()),
                padding: 0.0,
            },
        });
    }
}

/// Copies particles and colours if they changed since the last copy.
pub(super) fn extract_particles(
    mut buffers: ResMut<FluidBuffers>,
    instances: Extract<Res<FluidInstances>>,
    palette: Extract<Res<FluidPalette>>,
) {
    buffers.set_instances(&instances);
    // Also right after the device was lost: the buffers are new then.
    if palette.is_changed() || buffers.lacks_palette() {
        buffers.set_palette(&palette);
    }
}
