//! The pipelines: from walls to the nearest one and to solids, from particles to the field, from the
//! field to coarser ones, and from the field to the view.

use bevy::asset::load_embedded_asset;
use bevy::mesh::VertexBufferLayout;
use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BlendComponent, BlendFactor, BlendOperation, BlendState,
    CachedRenderPipelineId, ColorTargetState, ColorWrites, CompareFunction, DepthBiasState,
    DepthStencilState, FilterMode, FragmentState, MultisampleState, PipelineCache, PrimitiveState,
    PrimitiveTopology, RenderPipelineDescriptor, Sampler, SamplerDescriptor,
    SpecializedRenderPipeline, StencilState, TextureFormat, TextureFormatFeatureFlags,
    TextureUsages, VertexFormat, VertexState,
};
use bevy::render::renderer::{RenderAdapter, RenderDevice};
use bevy::shader::{Shader, ShaderDefVal};
use bevy::sprite_render::SpritePipelineKey;

use super::attached_look::SurfaceShader;
use super::layouts::SurfaceLayouts;
use super::strips::Strip;
use super::uniform::SurfaceEffects;
use super::walls::{NEAREST_DEPTH, NEAREST_FORMAT, SOLID_FORMAT};
use crate::render::gpu::pipeline::{
    depth_stencil, instance_buffer, per_instance, shader_defs, view_layout,
};
use crate::render::walls::SolidTriangle;

/// The requested texture format of fields.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct FieldPrecision {
    pub half_floats: bool,
}

/// Everything that the pipelines of surfaces are specialised from.
#[derive(Resource)]
pub(super) struct SurfacePipelines {
    view_layout: BindGroupLayoutDescriptor,
    pub layouts: SurfaceLayouts,
    /// Format of the field and the coarser ones: floats, or fixed point numbers if the device cannot
    /// blend floats.
    pub format: TextureFormat,
    pub linear: Sampler,
    field_shader: Handle<Shader>,
    draw_shader: Handle<Shader>,
    /// From walls to the nearest one, and to solids.
    pub from_walls: [CachedRenderPipelineId; 2],
    /// Without walls and with walls, each without details and with details.
    pub from_field: [[CachedRenderPipelineId; 2]; 2],
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
    let layouts = SurfaceLayouts::new();
    let format = field_format(&adapter, *precision);
    let coarser_shader = load_embedded_asset!(asset_server.as_ref(), "passes/coarser.wgsl");
    let coarser = |layout: &BindGroupLayoutDescriptor, shader_defs| {
        pipeline_cache.queue_render_pipeline(RenderPipelineDescriptor {
            label: Some("fluid_coarser_field_pipeline".into()),
            layout: vec![layout.clone()],
            vertex: VertexState { shader: coarser_shader.clone(), ..default() },
            fragment: Some(FragmentState {
                shader: coarser_shader.clone(),
                shader_defs,
                targets: vec![Some(format.into())],
                ..default()
            }),
            ..default()
        })
    };
    let from_field = [false, true].map(|walls| {
        [false, true].map(|details| {
            let mut defs = [wall_defs(walls), detail_defs(details)].concat();
            defs.push("FROM_FIELD".into());
            coarser(&layouts.coarser[usize::from(walls)], defs)
        })
    });
    let from_coarse = coarser(&layouts.coarser[0], Vec::new());
    let wall_shaders = [
        load_embedded_asset!(asset_server.as_ref(), "passes/nearest_wall.wgsl"),
        load_embedded_asset!(asset_server.as_ref(), "passes/solid.wgsl"),
    ];
    let from_walls = wall_pipelines(&layouts.wall, wall_shaders)
        .map(|pipeline| pipeline_cache.queue_render_pipeline(pipeline));
    commands.insert_resource(SurfacePipelines {
        view_layout: view_layout(),
        layouts,
        format,
        linear: device.create_sampler(&SamplerDescriptor {
            label: Some("fluid_field_sampler"),
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            ..default()
        }),
        field_shader: load_embedded_asset!(asset_server.as_ref(), "passes/field.wgsl"),
        draw_shader: load_embedded_asset!(asset_server.as_ref(), "passes/draw.wgsl"),
        from_walls,
        from_field,
        from_coarse,
    });
}

/// The pipelines that find the nearest walls and that count solids.
fn wall_pipelines(
    wall_layout: &BindGroupLayoutDescriptor,
    [nearest, solid]: [Handle<Shader>; 2],
) -> [RenderPipelineDescriptor; 2] {
    let layout = || vec![view_layout(), wall_layout.clone()];
    let nearest_wall = RenderPipelineDescriptor {
        label: Some("fluid_nearest_wall_pipeline".into()),
        layout: layout(),
        vertex: VertexState { shader: nearest.clone(), ..default() },
        fragment: Some(FragmentState {
            shader: nearest,
            targets: vec![Some(NEAREST_FORMAT.into())],
            ..default()
        }),
        primitive: PrimitiveState { topology: PrimitiveTopology::TriangleStrip, ..default() },
        depth_stencil: Some(DepthStencilState {
            format: NEAREST_DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(CompareFunction::Less),
            stencil: StencilState::default(),
            bias: DepthBiasState::default(),
        }),
        ..default()
    };
    let target = ColorTargetState {
        format: SOLID_FORMAT,
        blend: Some(BlendState { color: SUM, alpha: SUM }),
        write_mask: ColorWrites::ALL,
    };
    let solids = RenderPipelineDescriptor {
        label: Some("fluid_solid_pipeline".into()),
        layout: layout(),
        vertex: VertexState {
            shader: solid.clone(),
            buffers: vec![triangle_buffer()],
            ..default()
        },
        fragment: Some(FragmentState { shader: solid, targets: vec![Some(target)], ..default() }),
        ..default()
    };
    [nearest_wall, solids]
}

/// Blending that adds up.
const SUM: BlendComponent = BlendComponent {
    src_factor: BlendFactor::One,
    dst_factor: BlendFactor::One,
    operation: BlendOperation::Add,
};

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
        /// Whether there are walls.
        walls: bool,
    },
    /// From the field to a view.
    Surface(SurfaceKeyInView),
}

/// Key of the pipeline that draws a surface in a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceKeyInView {
    pub view: SpritePipelineKey,
    /// Whether heat, foam and opacity are read as well.
    pub details: bool,
    /// Whether there are walls.
    pub walls: bool,
    pub effects: SurfaceEffects,
    pub look: Option<SurfaceShader>,
}

impl SpecializedRenderPipeline for SurfacePipelines {
    type Key = SurfaceKey;

    fn specialize(&self, key: SurfaceKey) -> RenderPipelineDescriptor {
        match key {
            SurfaceKey::Field { details, walls } => self.field(details, walls),
            SurfaceKey::Surface(key) => self.surface(key),
        }
    }
}

impl SurfacePipelines {
    fn field(&self, details: bool, walls: bool) -> RenderPipelineDescriptor {
        let shader_defs = [detail_defs(details), wall_defs(walls)].concat();
        let target = ColorTargetState {
            format: self.format,
            blend: Some(BlendState { color: SUM, alpha: SUM }),
            write_mask: ColorWrites::ALL,
        };
        RenderPipelineDescriptor {
            label: Some("fluid_field_pipeline".into()),
            layout: vec![self.view_layout.clone(), self.layouts.field[usize::from(walls)].clone()],
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

    fn surface(&self, key: SurfaceKeyInView) -> RenderPipelineDescriptor {
        let SurfaceKeyInView { view, details, walls, effects, look } = key;
        let shader_defs =
            [shader_defs(view), detail_defs(details), wall_defs(walls), effect_defs(effects)]
                .concat();
        let surface_layout = self.layouts.surface[usize::from(walls)].clone();
        let mut layout = vec![self.view_layout.clone(), surface_layout];
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
                buffers: vec![strip_buffer()],
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

fn effect_defs(effects: SurfaceEffects) -> Vec<ShaderDefVal> {
    let SurfaceEffects { refraction, caustics, glow, haze } = effects;
    let defs = [(refraction, "REFRACTION"), (caustics, "CAUSTICS"), (glow, "GLOW"), (haze, "HAZE")];
    defs.into_iter().filter(|(has, _)| *has).map(|(_, def)| def.into()).collect()
}

fn wall_defs(walls: bool) -> Vec<ShaderDefVal> {
    if walls { vec!["WALLS".into()] } else { Vec::new() }
}

/// A [`Strip`] for every four vertices.
fn strip_buffer() -> VertexBufferLayout {
    per_instance::<Strip>(&[VertexFormat::Uint16x4, VertexFormat::Uint32])
}

/// A [`SolidTriangle`] for every three vertices.
fn triangle_buffer() -> VertexBufferLayout {
    per_instance::<SolidTriangle>(&[VertexFormat::Float32x4; 2])
}
