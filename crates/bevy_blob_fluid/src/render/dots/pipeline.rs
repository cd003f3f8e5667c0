//! The pipeline of dots.

use bevy::asset::load_embedded_asset;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::uniform_buffer;
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendState, ColorTargetState, ColorWrites,
    FragmentState, MultisampleState, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor,
    ShaderStages, SpecializedRenderPipeline, VertexState,
};
use bevy::shader::Shader;
use bevy::sprite_render::SpritePipelineKey;

use super::extract::DotsUniform;
use crate::render::gpu::buffers::PaletteUniform;
use crate::render::gpu::pipeline::{depth_stencil, instance_buffer, shader_defs, view_layout};

/// The pipeline before it is specialised for a view.
#[derive(Resource)]
pub(super) struct DotsPipeline {
    view_layout: BindGroupLayoutDescriptor,
    pub dots_layout: BindGroupLayoutDescriptor,
    shader: Handle<Shader>,
}

/// Describes the pipeline. It may run again, for a new device.
pub(super) fn init_pipeline(mut commands: Commands, asset_server: Res<AssetServer>) {
    let dots_layout = BindGroupLayoutDescriptor::new(
        "fluid_dots_layout",
        &BindGroupLayoutEntries::sequential(
            ShaderStages::VERTEX_FRAGMENT,
            (uniform_buffer::<DotsUniform>(true), uniform_buffer::<PaletteUniform>(false)),
        ),
    );
    commands.insert_resource(DotsPipeline {
        view_layout: view_layout(),
        dots_layout,
        shader: load_embedded_asset!(asset_server.as_ref(), "dots.wgsl"),
    });
}

impl SpecializedRenderPipeline for DotsPipeline {
    type Key = SpritePipelineKey;

    fn specialize(&self, key: Self::Key) -> RenderPipelineDescriptor {
        let shader_defs = shader_defs(key);
        RenderPipelineDescriptor {
            label: Some("fluid_pipeline".into()),
            layout: vec![self.view_layout.clone(), self.dots_layout.clone()],
            vertex: VertexState {
                shader: self.shader.clone(),
                shader_defs: shader_defs.clone(),
                buffers: vec![instance_buffer()],
                ..default()
            },
            fragment: Some(FragmentState {
                shader: self.shader.clone(),
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: key.target_format(),
                    blend: Some(BlendState::ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
                ..default()
            }),
            primitive: PrimitiveState { topology: PrimitiveTopology::TriangleStrip, ..default() },
            depth_stencil: Some(depth_stencil()),
            multisample: MultisampleState { count: key.msaa_samples(), ..default() },
            ..default()
        }
    }
}
