//! The three pipelines: from particles to the field, from the field to coarser ones, and from the
//! field to the view.

use bevy::asset::load_embedded_asset;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{sampler, texture_2d, uniform_buffer};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendComponent, BlendFactor, BlendOperation,
    BlendState, CachedRenderPipelineId, ColorTargetState, ColorWrites, FilterMode, FragmentState,
    MultisampleState, PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor,
    Sampler, SamplerBindingType, SamplerDescriptor, ShaderStages, SpecializedRenderPipeline,
    TextureFormat, TextureFormatFeatureFlags, TextureSampleType, TextureUsages, VertexState,
};
use bevy::render::renderer::{RenderAdapter, RenderDevice};
use bevy::shader::{Shader, ShaderDefVal};
use bevy::sprite_render::SpritePipelineKey;

use super::uniform::SurfaceUniform;
use crate::render::buffers::PaletteUniform;
use crate::render::pipeline::{depth_stencil, instance_buffer, shader_defs, view_layout};

/// The requested texture format of fields.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct FieldPrecision {
    pub half_floats: bool,
}

/// Everything that the pipelines of surfaces are specialised from.
#[derive(Resource)]
pub(super) struct SurfacePipelines {
    view_layout: BindGroupLayoutDescriptor,
    pub field_layout: BindGroupLayoutDescriptor,
    pub coarser_layout: BindGroupLayoutDescriptor,
    pub surface_layout: BindGroupLayoutDescriptor,
    /// Format of the field: floats, or fixed point numbers if the device cannot blend floats.
    pub format: TextureFormat,
    /// Format of the two coarser textures.
    pub coarse_format: TextureFormat,
    pub linear: Sampler,
    field_shader: Handle<Shader>,
    draw_shader: Handle<Shader>,
    pub from_field: CachedRenderPipelineId,
    pub from_coarse: CachedRenderPipelineId,
}

/// Describes the pipelines. It may run again, for a new device.
pub(super) fn init_pipelines(
    mut commands: Commands,
    asset_server: Res<AssetServer>,
    adapter: Res<RenderAdapter>,
    device: Res<RenderDevice>,
    pipeline_cache: Res<PipelineCache>,
    precision: Res<FieldPrecision>,
) {
    let stages = ShaderStages::VERTEX_FRAGMENT;
    let texture = || texture_2d(TextureSampleType::Float { filterable: true });
    let field_layout = BindGroupLayoutDescriptor::new(
        "fluid_field_layout",
        &BindGroupLayoutEntries::sequential(
            stages,
            (uniform_buffer::<SurfaceUniform>(true), uniform_buffer::<PaletteUniform>(false)),
        ),
    );
    let coarser_layout = BindGroupLayoutDescriptor::new(
        "fluid_coarser_field_layout",
        &BindGroupLayoutEntries::sequential(
            ShaderStages::FRAGMENT,
            (
                uniform_buffer::<SurfaceUniform>(true),
                texture(),
                sampler(SamplerBindingType::Filtering),
            ),
        ),
    );
    let surface_layout = BindGroupLayoutDescriptor::new(
        "fluid_surface_layout",
        &BindGroupLayoutEntries::sequential(
            stages,
            (
                uniform_buffer::<SurfaceUniform>(true),
                texture(),
                texture(),
                texture(),
                texture(),
                texture(),
                sampler(SamplerBindingType::Filtering),
            ),
        ),
    );
    let format = field_format(&adapter, *precision);
    let coarse_format = match format {
        TextureFormat::Rgba16Float => TextureFormat::R16Float,
        _ => TextureFormat::R8Unorm,
    };
    let coarser_shader = load_embedded_asset!(asset_server.as_ref(), "coarser.wgsl");
    let [from_field, from_coarse] = [vec!["FROM_FIELD".into()], vec![]].map(|shader_defs| {
        pipeline_cache.queue_render_pipeline(RenderPipelineDescriptor {
            label: Some("fluid_coarser_field_pipeline".into()),
            layout: vec![coarser_layout.clone()],
            vertex: VertexState { shader: coarser_shader.clone(), ..default() },
            fragment: Some(FragmentState {
                shader: coarser_shader.clone(),
                shader_defs,
                targets: vec![Some(coarse_format.into())],
                ..default()
            }),
            ..default()
        })
    });
    commands.insert_resource(SurfacePipelines {
        view_layout: view_layout(),
        field_layout,
        coarser_layout,
        surface_layout,
        format,
        coarse_format,
        linear: device.create_sampler(&SamplerDescriptor {
            label: Some("fluid_field_sampler"),
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            ..default()
        }),
        field_shader: load_embedded_asset!(asset_server.as_ref(), "field.wgsl"),
        draw_shader: load_embedded_asset!(asset_server.as_ref(), "draw.wgsl"),
        from_field,
        from_coarse,
    });
}

/// Half floats if they are requested and the device can blend them; otherwise bytes, which are
/// coarser and end at twice the rest density.
fn field_format(adapter: &RenderAdapter, precision: FieldPrecision) -> TextureFormat {
    let features = adapter.get_texture_format_features(TextureFormat::Rgba16Float);
    let drawn = features.allowed_usages.contains(TextureUsages::RENDER_ATTACHMENT);
    let needed = TextureFormatFeatureFlags::BLENDABLE | TextureFormatFeatureFlags::FILTERABLE;
    if precision.half_floats && drawn && features.flags.contains(needed) {
        TextureFormat::Rgba16Float
    } else {
        TextureFormat::Rgba8Unorm
    }
}

/// Key of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SurfaceKey {
    /// From particles to the field.
    Field {
        /// Whether heat, foam and opacity are summed as well.
        details: bool,
    },
    /// From the field to a view.
    Surface { view: SpritePipelineKey, details: bool, look: Option<SurfaceShader> },
}

/// A shader of the game's own, and its bind group layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceShader {
    pub fragment: Handle<Shader>,
    pub layout: BindGroupLayoutDescriptor,
}

impl SpecializedRenderPipeline for SurfacePipelines {
    type Key = SurfaceKey;

    fn specialize(&self, key: SurfaceKey) -> RenderPipelineDescriptor {
        match key {
            SurfaceKey::Field { details } => self.field(details),
            SurfaceKey::Surface { view, details, look } => self.surface(view, details, look),
        }
    }
}

impl SurfacePipelines {
    fn field(&self, details: bool) -> RenderPipelineDescriptor {
        let shader_defs = detail_defs(details);
        let sum = BlendComponent {
            src_factor: BlendFactor::One,
            dst_factor: BlendFactor::One,
            operation: BlendOperation::Add,
        };
        let target = ColorTargetState {
            format: self.format,
            blend: Some(BlendState { color: sum, alpha: sum }),
            write_mask: ColorWrites::ALL,
        };
        RenderPipelineDescriptor {
            label: Some("fluid_field_pipeline".into()),
            layout: vec![self.view_layout.clone(), self.field_layout.clone()],
            vertex: VertexState {
                shader: self.field_shader.clone(),
                shader_defs: shader_defs.clone(),
                buffers: vec![instance_buffer()],
                ..default()
            },
            fragment: Some(FragmentState {
                shader: self.field_shader.clone(),
                shader_defs,
                targets: vec![Some(target); 1 + usize::from(details)],
                ..default()
            }),
            primitive: PrimitiveState { topology: PrimitiveTopology::TriangleStrip, ..default() },
            ..default()
        }
    }

    fn surface(
        &self,
        view: SpritePipelineKey,
        details: bool,
        look: Option<SurfaceShader>,
    ) -> RenderPipelineDescriptor {
        let mut shader_defs = shader_defs(view);
        shader_defs.extend(detail_defs(details));
        let mut layout = vec![self.view_layout.clone(), self.surface_layout.clone()];
        let fragment = match look {
            Some(look) => {
                layout.push(look.layout);
                look.fragment
            }
            None => self.draw_shader.clone(),
        };
        RenderPipelineDescriptor {
            label: Some("fluid_surface_pipeline".into()),
            layout,
            vertex: VertexState {
                shader: self.draw_shader.clone(),
                shader_defs: shader_defs.clone(),
                ..default()
            },
            fragment: Some(FragmentState {
                shader: fragment,
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: view.target_format(),
                    blend: Some(BlendState::ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
                ..default()
            }),
            primitive: PrimitiveState { topology: PrimitiveTopology::TriangleStrip, ..default() },
            depth_stencil: Some(depth_stencil()),
            multisample: MultisampleState { count: view.msaa_samples(), ..default() },
            ..default()
        }
    }
}

fn detail_defs(details: bool) -> Vec<ShaderDefVal> {
    if details { vec!["DETAILS".into()] } else { Vec::new() }
}
