//! The copy from the app's world to the renderer's.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_resource::ShaderType;
use bevy::render::sync_world::{MainEntity, RenderEntity};
use blob_fluid::{ClassFilter, ClassId};

use crate::render::instance::{FluidInstances, FluidInterpolation};
use crate::render::look::dots::FluidDots;
use crate::render::palette::FluidPalette;

/// A [`FluidDots`] as the shader reads it.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(super) struct DotsUniform {
    /// Radius of a dot, in world units.
    pub radius: f32,
    pub softness: f32,
    pub opacity: f32,
    pub shading: f32,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    pub depth: f32,
    /// Whether each instance has its own colour index.
    pub by_instance: u32,
    /// WebGL2 requires uniforms in multiples of 16 bytes.
    pub padding: f32,
    /// One bit for each class that is drawn.
    pub classes: [UVec4; 2],
}

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
    for (main_entity, render_entity, look, transform, visibility) in &dots {
        if !visibility.get() {
            continue;
        }
        let depth = transform.translation().z;
        extracted.0.push(ExtractedDots {
            entity: (render_entity, main_entity.into()),
            depth,
            uniform: DotsUniform {
                radius: look.radius.max(0.0) * instances.particle_spacing(),
                softness: look.softness.clamp(0.0, 1.0),
                opacity: look.opacity.clamp(0.0, 1.0),
                shading: look.shading.clamp(0.0, 1.0),
                interpolation: interpolation.0.clamp(0.0, 1.0),
                depth,
                by_instance: u32::from(palette.is_by_instance()),
                padding: 0.0,
                classes: bits_of(look.classes),
            },
        });
    }
}

/// One bit for each class of a set.
fn bits_of(classes: ClassFilter) -> [UVec4; 2] {
    let mut bits = [UVec4::ZERO; 2];
    for class in (0..=u8::MAX).filter(|class| classes.contains(ClassId(*class))) {
        bits[usize::from(class >> 7)][usize::from(class >> 5 & 3)] |= 1 << (class & 31);
    }
    bits
}
