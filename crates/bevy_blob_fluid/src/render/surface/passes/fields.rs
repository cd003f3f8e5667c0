//! The order of the passes before the view's own pass: walls, the field, coarser fields.

use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::{ExtractedView, ViewUniformOffset};
use bevy::sprite_render::SpriteViewBindGroup;

use super::coarser::draw_coarser;
use super::field::draw_field;
use super::walls::{WallPass, draw_walls};
use crate::render::gpu::buffers::FluidBuffers;
use crate::render::surface::pipelines::SurfacePipelines;
use crate::render::surface::views::SurfaceViews;
use crate::render::surface::walls::WallBuffers;

/// Adds up the field of every surface that the view sees.
pub(in crate::render::surface) fn draw_fields(
    view: ViewQuery<(&ExtractedView, &ViewUniformOffset, &SpriteViewBindGroup)>,
    surfaces: Res<SurfaceViews>,
    buffers: Res<FluidBuffers>,
    walls: Res<WallBuffers>,
    pipelines: Res<SurfacePipelines>,
    pipeline_cache: Res<PipelineCache>,
    mut context: RenderContext,
) {
    let (extracted, view_offset, view_bind_group) = view.into_inner();
    for surface in surfaces.of(extracted.retained_view_entity) {
        let Some([field, from_field, from_shallow, _]) = &surface.bind_groups else { continue };
        let view = (&view_bind_group.value, view_offset.offset);
        if let Some(wall_textures) = &surface.walls {
            let pass = WallPass {
                textures: wall_textures,
                view,
                uniform_offset: surface.uniform_offset,
                pipelines: pipelines.from_walls,
            };
            draw_walls(&pass, &walls, &pipeline_cache, &mut context);
        }
        draw_field(surface, field, view, &buffers, &pipeline_cache, &mut context);
        let coarser = [
            (
                pipelines.from_field[usize::from(surface.walls.is_some())]
                    [usize::from(surface.details.is_some())],
                from_field,
                &surface.shallow.default_view,
            ),
            (pipelines.from_coarse, from_shallow, &surface.deep.default_view),
        ];
        for (pipeline, bind_group, target) in coarser {
            let pipeline = (pipeline, &*pipeline_cache);
            draw_coarser(pipeline, bind_group, surface.uniform_offset, target, &mut context);
        }
    }
}
