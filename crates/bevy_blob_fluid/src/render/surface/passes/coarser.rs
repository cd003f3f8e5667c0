//! The passes from the field to coarser ones.

use bevy::render::render_resource::{
    BindGroup, CachedRenderPipelineId, PipelineCache, RenderPassDescriptor, TextureView,
};
use bevy::render::renderer::RenderContext;

use crate::render::gpu::target::cleared;

/// Draws a field that is four times as coarse as the one it is bound to.
pub(super) fn draw_coarser(
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
