//! The order of the passes before the view's own pass: walls, fields, coarser fields, the shape, the haze.
//!
//! What has been drawn in an earlier frame from the same particles, walls, looks and camera is kept.

use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::{ExtractedView, ViewUniformOffset};
use bevy::sprite_render::SpriteViewBindGroup;

use super::field::{FieldPass, draw_field};
use super::sources::FieldSources;
use super::walls::{WallPass, draw_walls};
use super::whole_target::draw_whole;
use crate::render::gpu::buffers::FluidBuffers;
use crate::render::gpu::work::FluidDrawingWork;
use crate::render::surface::pipelines::SurfacePipelines;
use crate::render::surface::views::{SurfaceBindGroups, SurfaceView, SurfaceViews};
use crate::render::surface::walls::WallBuffers;

/// Adds up the field of every surface that the view sees.
pub(in crate::render::surface) fn draw_fields(
    view: ViewQuery<(&ExtractedView, &ViewUniformOffset, &SpriteViewBindGroup)>,
    surfaces: Res<SurfaceViews>,
    (buffers, walls): (Res<FluidBuffers>, Res<WallBuffers>),
    pipelines: Res<SurfacePipelines>,
    pipeline_cache: Res<PipelineCache>,
    mut work: ResMut<FluidDrawingWork>,
    mut context: RenderContext,
) {
    let (extracted, view_offset, view_bind_group) = view.into_inner();
    let sources = FieldSources {
        view: (&view_bind_group.value, view_offset.offset),
        buffers: &buffers,
        walls: &walls,
        pipelines: &pipelines,
        pipeline_cache: &pipeline_cache,
    };
    for surface in surfaces.of(extracted.retained_view_entity) {
        let Some(bind_groups) = &surface.bind_groups else { continue };
        if !surfaces.has_fields(surface) {
            work.fields_drawn += 1;
            work.texels_per_particle = work.texels_per_particle.max(surface.texels_per_particle);
            if draw_surface_fields(surface, bind_groups, &sources, &mut context).is_some() {
                surfaces.keep_fields(surface);
            }
        }
        // It moves with time even where its particles rest.
        let haze = surface.textures.haze.as_ref();
        if let Some((haze, bind_group)) = haze.zip(bind_groups.haze.as_ref()) {
            let pipeline = surface.haze_pipeline;
            let pipeline = pipeline.and_then(|id| pipeline_cache.get_render_pipeline(id));
            let bind_groups = [sources.view, (bind_group, surface.uniform_offset)];
            draw_whole(pipeline, &bind_groups, &haze.default_view, &mut context);
        }
    }
}

/// Draws all that a surface is read from; `None` if some pipeline is not ready, and the picture not
/// whole.
fn draw_surface_fields(
    surface: &SurfaceView,
    bind_groups: &SurfaceBindGroups,
    sources: &FieldSources,
    context: &mut RenderContext,
) -> Option<()> {
    let textures = &surface.textures;
    let mut is_whole = Some(());
    if let Some((walls, bind_group)) = textures.walls.as_ref().zip(bind_groups.walls.as_ref()) {
        let pass = WallPass { textures: walls, bind_group, surface };
        is_whole = is_whole.and(draw_walls(&pass, sources, context));
    }
    let liquids = surface.has_liquids.then_some(&textures.liquids);
    let fields = [liquids, textures.gases.as_ref()];
    for (textures, pipeline) in fields.into_iter().zip(surface.field_pipelines) {
        let Some(textures) = textures else { continue };
        let pass = FieldPass {
            textures,
            pipeline,
            bind_group: &bind_groups.field,
            uniform_offset: surface.uniform_offset,
        };
        is_whole = is_whole.and(draw_field(&pass, sources, context));
    }
    if !surface.reads_shallow {
        return is_whole;
    }
    let SurfacePipelines { deep, shape, .. } = sources.pipelines;
    for (pipeline, bind_group, target) in [
        (surface.shallow_pipeline, &bind_groups.shallow, &textures.shallow),
        (*deep, &bind_groups.deep, &textures.deep),
        (*deep, &bind_groups.wide, &textures.wide),
        (*shape, &bind_groups.shape, &textures.shape),
    ] {
        let pipeline = sources.pipeline_cache.get_render_pipeline(pipeline);
        let target = &target.default_view;
        let bind_groups = [(bind_group, surface.uniform_offset)];
        is_whole = is_whole.and(draw_whole(pipeline, &bind_groups, target, context));
    }
    is_whole
}
