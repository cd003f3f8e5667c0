//! The copy from the app's world to the renderer's.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::sync_world::{MainEntity, RenderEntity};

use super::buffers::{DotsUniform, FluidBuffers};
use super::dots::FluidDots;
use super::instance::{FluidInstances, FluidInterpolation};
use super::palette::FluidPalette;

/// A [`FluidDots`] that some camera may see.
pub(super) struct ExtractedDots {
    pub entity: (Entity, MainEntity),
    pub depth: f32,
    pub uniform: DotsUniform,
}

/// This frame's dots.
#[derive(Resource, Default)]
pub(super) struct ExtractedDotsList(pub Vec<ExtractedDots>);

/// Copies the dots and the moment to draw.
pub(super) fn extract_dots(
    mut extracted: ResMut<ExtractedDotsList>,
    instances: Extract<Res<FluidInstances>>,
    interpolation: Extract<Res<FluidInterpolation>>,
    palette: Extract<Res<FluidPalette>>,
    dots: Extract<Query<(Entity, RenderEntity, &FluidDots, &GlobalTransform, &ViewVisibility)>>,
) {
    extracted.0.clear();
    for (main_entity, render_entity, own, transform, visibility) in &dots {
        if !visibility.get() {
            continue;
        }
        let depth = transform.translation().z;
        extracted.0.push(ExtractedDots {
            entity: (render_entity, main_entity.into()),
            depth,
            uniform: DotsUniform {
                radius: own.radius.max(0.0) * instances.particle_spacing(),
                softness: own.softness.clamp(0.0, 1.0),
                opacity: own.opacity.clamp(0.0, 1.0),
                shading: own.shading.clamp(0.0, 1.0),
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
    // This also runs after the device was lost, when the buffers are new.
    if palette.is_changed() || buffers.lacks_palette() {
        buffers.set_palette(&palette);
    }
}
