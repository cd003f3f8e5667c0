//! The dots as the shader reads them.

use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BufferId, DynamicUniformBuffer, PipelineCache,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::extract::{DotsUniform, ExtractedDotsList};
use super::pipeline::DotsPipeline;
use crate::render::gpu::buffers::FluidBuffers;

/// The uniforms of all dots of this frame, and their bind group.
#[derive(Resource, Default)]
pub(super) struct DotsUniforms {
    buffer: DynamicUniformBuffer<DotsUniform>,
    /// Offset of each extracted [`FluidDots`](crate::render::FluidDots) in the buffer.
    offsets: Vec<u32>,
    bind_group: Option<([BufferId; 2], BindGroup)>,
}

impl DotsUniforms {
    /// The bind group, and the offset of an extracted [`FluidDots`](crate::render::FluidDots) in it.
    pub(super) fn get(&self, index: usize) -> Option<(&BindGroup, u32)> {
        let (_, bind_group) = self.bind_group.as_ref()?;
        Some((bind_group, *self.offsets.get(index)?))
    }
}

/// Uploads the uniforms.
pub(super) fn upload_dots(
    mut uniforms: ResMut<DotsUniforms>,
    dots: Res<ExtractedDotsList>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    let DotsUniforms { buffer, offsets, .. } = &mut *uniforms;
    buffer.clear();
    offsets.clear();
    offsets.extend(dots.0.iter().map(|dots| buffer.push(&dots.uniform)));
    if !offsets.is_empty() {
        buffer.write_buffer(&device, &queue);
    }
}

/// Creates the bind group again when one of its buffers was replaced.
pub(super) fn bind_dots(
    mut uniforms: ResMut<DotsUniforms>,
    buffers: Res<FluidBuffers>,
    pipeline: Res<DotsPipeline>,
    pipeline_cache: Res<PipelineCache>,
    device: Res<RenderDevice>,
) {
    let (Some(dots), Some(palette)) = (uniforms.buffer.buffer(), buffers.palette()) else {
        return;
    };
    let ids = [dots.id(), palette.id()];
    if uniforms.bind_group.as_ref().is_some_and(|(bound, _)| *bound == ids) {
        return;
    }
    let Some(dots) = uniforms.buffer.binding() else { return };
    let bind_group = device.create_bind_group(
        "fluid_dots_bind_group",
        &pipeline_cache.get_bind_group_layout(&pipeline.dots_layout),
        &BindGroupEntries::sequential((dots, palette.as_entire_binding())),
    );
    uniforms.bind_group = Some((ids, bind_group));
}
