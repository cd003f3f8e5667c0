//! The copy from the app's world to the renderer's.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::sync_world::{MainEntity, RenderEntity};
use blob_fluid::ClassId;

use super::attached_look::AttachedLook;
use super::channels::Channels;
use super::liquids::Liquids;
use super::uniform::{SurfaceInputs, SurfaceUniform};
use crate::render::instance::{FluidDrawnTime, FluidInstances, FluidInterpolation};
use crate::render::look::detail::FluidDetail;
use crate::render::look::surface::{FluidSurface, FluidSurfaceQuality};
use crate::render::palette::{FluidBlending, FluidGases, FluidPalette};
use crate::render::walls::FluidWalls;

/// A [`FluidSurface`] that some camera may see.
pub(super) struct ExtractedSurface {
    pub entity: (Entity, MainEntity),
    pub depth: f32,
    pub quality: FluidSurfaceQuality,
    pub liquids: Liquids,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    /// Time by which gases swirl and caustics move, in seconds.
    pub time: f32,
    pub particle_spacing: f32,
    /// Where the field of each liquid is.
    pub channels: Channels,
    /// Number of its liquids that are gases.
    pub gases: usize,
    /// Whether heat, foam, opacity and shade are drawn: where the quality is low they are not.
    pub details: bool,
    /// Number of walls that it meets.
    pub walls: u32,
    pub uniform: SurfaceUniform,
    /// Set later, when the look's assets are ready.
    pub custom_look: Option<AttachedLook>,
}

/// This frame's surfaces.
#[derive(Resource, Default)]
pub(super) struct ExtractedSurfaces(pub Vec<ExtractedSurface>);

/// Copies the surfaces, if there is any liquid.
pub(super) fn extract_surfaces(
    mut extracted: ResMut<ExtractedSurfaces>,
    instances: Extract<Res<FluidInstances>>,
    interpolation: Extract<Res<FluidInterpolation>>,
    palette: Extract<Res<FluidPalette>>,
    blending: Extract<Res<FluidBlending>>,
    gas_classes: Extract<Res<FluidGases>>,
    walls: Extract<Res<FluidWalls>>,
    detail: Extract<Res<FluidDetail>>,
    (time, drawn_time): (Extract<Res<Time>>, Extract<Res<FluidDrawnTime>>),
    surfaces: Extract<
        Query<(Entity, RenderEntity, &FluidSurface, &GlobalTransform, &ViewVisibility)>,
    >,
) {
    extracted.0.clear();
    let particle_spacing = instances.particle_spacing();
    let Some(bounds) = instances.bounds().filter(|_| particle_spacing > 0.0) else {
        return;
    };
    let colors: Vec<Vec4> =
        palette.as_slice().iter().map(|color| color.to_linear().to_vec4()).collect();
    let time = drawn_time.0.unwrap_or_else(|| time.elapsed_secs_wrapped());
    // What stands still is the same at every moment, to the bit.
    let interpolation = if instances.is_moving() { interpolation.0.clamp(0.0, 1.0) } else { 1.0 };
    let is_tinted = instances.has_tints() && !palette.is_by_instance();
    let is_clear = |color: &Vec4| color.w < 1.0;
    for (main_entity, render_entity, surface, transform, visibility) in &surfaces {
        if !visibility.get() {
            continue;
        }
        let surface = &*detail.of(surface);
        let depth = transform.translation().z;
        let is_gas = |class| surface.look_of(ClassId(class), &gas_classes).haze > 0.0;
        let liquids = Liquids::new(instances.classes(), &blending.0, surface.mixing, is_gas);
        let by_instance = palette.is_by_instance();
        let own_colors = by_instance || instances.has_paint();
        let channels = Channels::new(&liquids, is_gas, instances.classes(), &colors, own_colors);
        let gases = liquids.first_classes().iter().filter(|class| is_gas(**class)).count();
        let inputs = SurfaceInputs {
            bounds,
            liquids,
            particle_spacing,
            interpolation,
            depth,
            by_instance,
            colors: &colors,
            inside_out: walls.solids.inside_out,
            contained: walls.solids.contained,
        };
        extracted.0.push(ExtractedSurface {
            entity: (render_entity, main_entity.into()),
            depth,
            quality: surface.quality,
            liquids,
            interpolation,
            time,
            particle_spacing,
            channels,
            gases,
            details: surface.quality != FluidSurfaceQuality::Low
                && (is_tinted || colors.iter().any(is_clear)),
            walls: if surface.meets_walls { walls.as_slice().len() as u32 } else { 0 },
            uniform: SurfaceUniform::new(surface, &gas_classes, &inputs),
            custom_look: None,
        });
    }
}
