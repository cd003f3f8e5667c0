//! The pass that draws the haze of gases, which moves with time even where its particles rest.

use bevy::render::render_resource::{BindGroup, RenderPassDescriptor, TextureView};
use bevy::render::renderer::RenderContext;

use super::sources::FieldSources;
use crate::render::gpu::target::cleared;
use crate::render::surface::views::SurfaceView;

/// Draws the haze of a surface's gases.
pub(super) fn draw_haze(
    surface: &SurfaceView,
    bind_group: &BindGroup,
    target: &TextureView,
    sources: &FieldSources,
    context: &mut RenderContext,
) {
    let (view, view_offset) = sources.view;
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_haze_pass"),
        color_attachments: &[cleared(target)],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    if let Some(pipeline) = sources.pipeline_cache.get_render_pipeline(surface.haze_pipeline) {
        pass.set_render_pipeline(pipeline);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, bind_group, &[surface.uniform_offset]);
        pass.draw(0..3, 0..1);
    }
}
