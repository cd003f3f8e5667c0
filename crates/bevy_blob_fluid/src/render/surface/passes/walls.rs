//! The passes that draw walls: the wall nearest to each texel of the field, and which texels are
//! solid.

use bevy::render::render_resource::{
    BindGroup, LoadOp, Operations, RenderPassDepthStencilAttachment, RenderPassDescriptor, StoreOp,
};
use bevy::render::renderer::RenderContext;
use bevy::utils::default;

use super::sources::FieldSources;
use crate::render::gpu::target::cleared;
use crate::render::surface::views::SurfaceView;
use crate::render::surface::walls::WallTextures;

/// What the passes of a view draw with.
pub(super) struct WallPass<'a> {
    pub textures: &'a WallTextures,
    pub bind_group: &'a BindGroup,
    pub surface: &'a SurfaceView,
}

/// Draws the nearest walls and the solids of a view; `None` if a pipeline is not ready.
pub(super) fn draw_walls(
    walls: &WallPass,
    sources: &FieldSources,
    context: &mut RenderContext,
) -> Option<()> {
    let [nearest, solid] =
        sources.pipelines.from_walls.map(|id| sources.pipeline_cache.get_render_pipeline(id));
    let (view, view_offset) = sources.view;
    let offset = walls.surface.uniform_offset;
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_nearest_wall_pass"),
        color_attachments: &[cleared(&walls.textures.nearest.default_view)],
        depth_stencil_attachment: Some(RenderPassDepthStencilAttachment {
            view: &walls.textures.depth.default_view,
            depth_ops: Some(Operations { load: LoadOp::Clear(1.0), store: StoreOp::Discard }),
            stencil_ops: None,
        }),
        ..default()
    });
    if let Some(nearest) = nearest {
        pass.set_render_pipeline(nearest);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, walls.bind_group, &[offset]);
        pass.draw(0..4, 0..walls.surface.walls);
    }
    drop(pass);
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_solid_pass"),
        color_attachments: &[cleared(&walls.textures.solid.default_view)],
        ..default()
    });
    if let Some((solid, (triangles, count))) = solid.zip(sources.walls.triangles()) {
        pass.set_render_pipeline(solid);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, walls.bind_group, &[offset]);
        pass.set_vertex_buffer(0, triangles.slice(..));
        pass.draw(0..3, 0..count);
    }
    nearest.and(solid).map(|_| ())
}
