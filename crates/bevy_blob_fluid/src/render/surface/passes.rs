//! The passes before the view's own pass: from particles to the field, and from the field to
//! coarser ones.

use bevy::prelude::*;
use bevy::render::diagnostic::RecordDiagnostics;
use bevy::render::render_resource::{
    BindGroup, CachedRenderPipelineId, LoadOp, Operations, PipelineCache,
    RenderPassColorAttachment, RenderPassDescriptor, StoreOp, TextureView,
};
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::{ExtractedView, ViewUniformOffset};
use bevy::sprite_render::SpriteViewBindGroup;

use super::pipeline::SurfacePipelines;
use super::views::{SurfaceView, SurfaceViews};
use super::walls::{WallBuffers, WallPass, draw_walls};
use crate::render::buffers::FluidBuffers;

/// Adds up the field of every surface that the view sees.
pub(super) fn draw_fields(
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

/// A color attachment that is cleared first.
pub(super) fn cleared(view: &TextureView) -> Option<RenderPassColorAttachment<'_>> {
    Some(RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: Operations { load: LoadOp::Clear(default()), store: StoreOp::Store },
    })
}

fn draw_field(
    surface: &SurfaceView,
    bind_group: &BindGroup,
    (view_bind_group, view_offset): (&BindGroup, u32),
    buffers: &FluidBuffers,
    pipeline_cache: &PipelineCache,
    context: &mut RenderContext,
) {
    let field = cleared(&surface.field.default_view);
    let details = surface.details.as_ref().map(|details| cleared(&details.default_view));
    let attachments = [field, details.flatten()];
    let count = 1 + usize::from(surface.details.is_some());
    let diagnostics = context.diagnostic_recorder();
    let diagnostics = diagnostics.as_deref();
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_field_pass"),
        color_attachments: &attachments[..count],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    let span = diagnostics.pass_span(&mut pass, "fluid_field_pass");
    let ready = pipeline_cache.get_render_pipeline(surface.field_pipeline).zip(buffers.instances());
    if let Some((pipeline, (instances, count))) = ready {
        pass.set_render_pipeline(pipeline);
        pass.set_bind_group(0, view_bind_group, &[view_offset]);
        pass.set_bind_group(1, bind_group, &[surface.uniform_offset]);
        pass.set_vertex_buffer(0, instances.slice(..));
        pass.draw(0..4, 0..count);
    }
    span.end(&mut pass);
}

fn draw_coarser(
    (pipeline, pipeline_cache): (CachedRenderPipelineId, &PipelineCache),
    bind_group: &BindGroup,
    uniform_offset: u32,
    target: &TextureView,
    context: &mut RenderContext,
) {
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_coarser_field_pass"),
        color_attachments: &[cleared(target)],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    if let Some(pipeline) = pipeline_cache.get_render_pipeline(pipeline) {
        pass.set_render_pipeline(pipeline);
        pass.set_bind_group(0, bind_group, &[uniform_offset]);
        pass.draw(0..3, 0..1);
    }
}
