//! What fields are drawn from.

use bevy::render::render_resource::{BindGroup, PipelineCache};

use crate::render::gpu::buffers::FluidBuffers;
use crate::render::surface::pipelines::SurfacePipelines;
use crate::render::surface::walls::WallBuffers;

/// What the fields of all surfaces are drawn from.
pub(super) struct FieldSources<'a> {
    pub view: (&'a BindGroup, u32),
    pub buffers: &'a FluidBuffers,
    pub walls: &'a WallBuffers,
    pub pipelines: &'a SurfacePipelines,
    pub pipeline_cache: &'a PipelineCache,
}
