//! The passes that cover a whole target: from fields to the shallow texture, from this to the deep one,
//! and from both to the shape; and from the field of gases to their haze.

use bevy::render::render_resource::{BindGroup, RenderPassDescriptor, RenderPipeline, TextureView};
use bevy::render::renderer::RenderContext;
use bevy::utils::default;

use crate::render::gpu::target::cleared;

/// Draws a whole target with bind groups and their offsets; `None` without a pipeline.
pub(super) fn draw_whole(
    pipeline: Option<&RenderPipeline>,
    bind_groups: &[(&BindGroup, u32)],
    target: &TextureView,
    context: &mut RenderContext,
) -> Option<()> {
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_whole_target_pass"),
        color_attachments: &[cleared(target)],
        ..default()
    });
    pass.set_render_pipeline(pipeline?);
    for (index, (bind_group, offset)) in bind_groups.iter().enumerate() {
        pass.set_bind_group(index, bind_group, &[*offset]);
    }
    pass.draw(0..3, 0..1);
    Some(())
}
