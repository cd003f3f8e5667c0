//! The passes that draw walls: the wall nearest to each texel of the field, and which texels are
//! solid.

use bevy::render::render_resource::{
    BindGroup, CachedRenderPipelineId, LoadOp, Operations, PipelineCache,
    RenderPassDepthStencilAttachment, RenderPassDescriptor, StoreOp,
};
use bevy::render::renderer::RenderContext;

use crate::render::gpu::target::cleared;
use crate::render::surface::walls::{WallBuffers, WallTextures};

/// What the passes of a view draw with.
pub(super) struct WallPass<'a> {
    pub textures: &'a WallTextures,
    pub view: (&'a BindGroup, u32),
    pub uniform_offset: u32,
    /// The pipelines for the nearest walls and for solids.
    pub pipelines: [CachedRenderPipelineId; 2],
}

/// Draws the nearest walls and the solids of a view.
pub(super) fn draw_walls(
    walls: &WallPass,
    buffers: &WallBuffers,
    pipeline_cache: &PipelineCache,
    context: &mut RenderContext,
) {
    let Some(bind_group) = &walls.textures.bind_group else { return };
    let [nearest, solid] = walls.pipelines.map(|id| pipeline_cache.get_render_pipeline(id));
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_nearest_wall_pass"),
        color_attachments: &[cleared(&walls.textures.nearest.default_view)],
        depth_stencil_attachment: Some(RenderPassDepthStencilAttachment {
            view: &walls.textures.depth.default_view,
            depth_ops: Some(Operations { load: LoadOp::Clear(1.0), store: StoreOp::Discard }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    let (view_bind_group, view_offset) = walls.view;
    if let Some(nearest) = nearest {
        pass.set_render_pipeline(nearest);
        pass.set_bind_group(0, view_bind_group, &[view_offset]);
        pass.set_bind_group(1, bind_group, &[walls.uniform_offset]);
        pass.draw(0..4, 0..walls.textures.count);
    }
    drop(pass);
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_solid_pass"),
        color_attachments: &[cleared(&walls.textures.solid.default_view)],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    if let Some((solid, (triangles, count))) = solid.zip(buffers.triangles()) {
        pass.set_render_pipeline(solid);
        pass.set_bind_group(0, view_bind_group, &[view_offset]);
        pass.set_bind_group(1, bind_group, &[walls.uniform_offset]);
        pass.set_vertex_buffer(0, triangles.slice(..));
        pass.draw(0..3, 0..count);
    }
}
