//! The pass from particles to the field.

use bevy::render::diagnostic::RecordDiagnostics;
use bevy::render::render_resource::{BindGroup, PipelineCache, RenderPassDescriptor};
use bevy::render::renderer::RenderContext;

use crate::render::gpu::buffers::FluidBuffers;
use crate::render::gpu::target::cleared;
use crate::render::surface::views::SurfaceView;

/// Adds up the particles of a surface to its field.
pub(super) fn draw_field(
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
