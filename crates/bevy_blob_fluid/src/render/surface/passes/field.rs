//! The pass from particles to a field.

use bevy::render::diagnostic::RecordDiagnostics;
use bevy::render::render_resource::{BindGroup, CachedRenderPipelineId, RenderPassDescriptor};
use bevy::render::renderer::RenderContext;
use bevy::utils::default;

use super::sources::FieldSources;
use crate::render::gpu::target::cleared;
use crate::render::surface::textures::FieldTextures;

/// What a field is drawn with.
pub(super) struct FieldPass<'a> {
    pub textures: &'a FieldTextures,
    pub pipeline: CachedRenderPipelineId,
    pub bind_group: &'a BindGroup,
    pub uniform_offset: u32,
}

/// Adds up the particles of a surface to a field; `None` if the pipeline is not ready.
pub(super) fn draw_field(
    field: &FieldPass,
    sources: &FieldSources,
    context: &mut RenderContext,
) -> Option<()> {
    let details = field.textures.details.as_ref();
    let attachments = [
        cleared(&field.textures.field.default_view),
        details.and_then(|details| cleared(&details.default_view)),
    ];
    let count = 1 + usize::from(details.is_some());
    let diagnostics = context.diagnostic_recorder();
    let diagnostics = diagnostics.as_deref();
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_field_pass"),
        color_attachments: &attachments[..count],
        ..default()
    });
    let span = diagnostics.pass_span(&mut pass, "fluid_field_pass");
    let pipeline = sources.pipeline_cache.get_render_pipeline(field.pipeline);
    if let Some((pipeline, (instances, count))) = pipeline.zip(sources.buffers.instances()) {
        let (view, view_offset) = sources.view;
        pass.set_render_pipeline(pipeline);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, field.bind_group, &[field.uniform_offset]);
        pass.set_vertex_buffer(0, instances.slice(..));
        pass.draw(0..4, 0..count);
    }
    span.end(&mut pass);
    pipeline.map(|_| ())
}
