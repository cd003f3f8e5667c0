//! The pipelines. First, walls become the nearest wall and solids, and particles become fields. Then follow the
//! shallow, the deep and the wide texture, the shape, the haze, and finally the view.

use bevy::mesh::VertexBufferLayout;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{sampler, texture_2d, uniform_buffer};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendComponent, BlendFactor, BlendOperation,
    BlendState, CachedRenderPipelineId, ColorTargetState, ColorWrites, CompareFunction,
    DepthBiasState, DepthStencilState, DynamicBindGroupLayoutEntries, FilterMode, FragmentState,
    MultisampleState, PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor,
    Sampler, SamplerBindingType, SamplerDescriptor, ShaderStages, SpecializedRenderPipeline,
    StencilState, TextureFormat, TextureFormatFeatureFlags, TextureSampleType, TextureUsages,
    VertexFormat, VertexState,
};
use bevy::render::renderer::{RenderAdapter, RenderDevice};
use bevy::shader::Shader;
use bevy::sprite_render::SpritePipelineKey;

use crate::render::gpu::{
    PaletteUniform, depth_stencil, instance_buffer, per_instance, view_layout,
};
use crate::render::instance::SolidTriangle;
use crate::render::shader::{ShaderSource, ShaderVariants};
use crate::render::surface::extract::{NEAREST_DEPTH, NEAREST_FORMAT, SOLID_FORMAT, SurfaceShader};
use crate::render::surface::strips::Strip;
use crate::render::surface::uniform::{Channels, SurfaceEffects, SurfaceUniform};
use crate::render::view::view_flags;

/// The requested texture format of fields.
#[derive(Resource, Clone, Copy, Debug)]
pub(super) struct FieldPrecision {
    pub half_floats: bool,
}

/// Parts from which the pipelines of surfaces are specialised.
#[derive(Resource)]
pub(super) struct SurfacePipelines {
    view_layout: BindGroupLayoutDescriptor,
    pub layouts: SurfaceLayouts,
    /// Format of the field and of the coarser textures: floats, or bytes if the GPU cannot blend floats.
    pub format: TextureFormat,
    pub linear: Sampler,
    shaders: ShaderVariants,
    /// The pipelines from walls to the nearest wall, and from triangles to solids.
    pub from_walls: [CachedRenderPipelineId; 2],
    /// The pipeline from the shallow texture to the deep one, and from that to the wide one.
    pub deep: CachedRenderPipelineId,
    pub shape: CachedRenderPipelineId,
}

/// Describes the pipelines. It runs again for a new device.
pub(super) fn init_pipelines(
    mut commands: Commands,
    shaders: Res<ShaderVariants>,
    adapter: Res<RenderAdapter>,
    device: Res<RenderDevice>,
    pipeline_cache: Res<PipelineCache>,
    precision: Res<FieldPrecision>,
) {
    let layouts = SurfaceLayouts::new();
    let format = field_format(&adapter, *precision);
    let coarser_shader = shaders.request(ShaderSource::Coarser, &[]);
    let shape_shader = shaders.request(ShaderSource::Shape, &[]);
    let deep = whole_target("fluid_deep_pipeline", &layouts.coarser[0], coarser_shader, format);
    let shape = whole_target("fluid_shape_pipeline", &layouts.shape, shape_shader, format);
    let [deep, shape] =
        [deep, shape].map(|pipeline| pipeline_cache.queue_render_pipeline(pipeline));
    let wall_shaders =
        [ShaderSource::NearestWall, ShaderSource::Solid].map(|source| shaders.request(source, &[]));
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
        shaders: shaders.clone(),
        from_walls,
        deep,
        shape,
    });
}

/// A pipeline that covers a whole target.
fn whole_target(
    label: &'static str,
    layout: &BindGroupLayoutDescriptor,
    shader: Handle<Shader>,
    format: TextureFormat,
) -> RenderPipelineDescriptor {
    RenderPipelineDescriptor {
        label: Some(label.into()),
        layout: vec![layout.clone()],
        vertex: VertexState { shader: shader.clone(), ..default() },
        fragment: Some(FragmentState { shader, targets: vec![Some(format.into())], ..default() }),
        ..default()
    }
}

/// The pipelines that find the nearest walls and count solids.
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

/// Additive blending.
const SUM: BlendComponent = BlendComponent {
    src_factor: BlendFactor::One,
    dst_factor: BlendFactor::One,
    operation: BlendOperation::Add,
};

/// Half floats if they are requested and the GPU can blend them. Otherwise bytes, which are coarser
/// and saturate at twice the rest density.
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
    /// From particles to a field.
    Field(FieldKey),
    /// From fields to the shallow texture.
    Shallow(ShallowKey),
    /// From the field of gases to their haze.
    Haze(HazeKey),
    /// From the field to a view.
    Surface(SurfaceKeyInView),
}

/// Key of the pipeline from particles to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FieldKey {
    /// The channels of the field.
    channels: Channels,
    /// Whether the field is that of gases.
    gases: bool,
    /// Whether heat, foam, opacity and shade are summed in a separate texture.
    details: bool,
    /// Whether the surface meets walls.
    walls: bool,
}

impl FieldKey {
    /// The key for the field of liquids.
    pub(super) fn of_liquids(channels: Channels, details: bool, walls: bool) -> Self {
        Self { channels, gases: false, details, walls }
    }

    /// The key for the field of gases.
    pub(super) fn of_gases(details: bool, walls: bool) -> Self {
        Self { channels: Channels::Tiles, gases: true, details, walls }
    }
}

/// Key of the pipeline from fields to the shallow texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ShallowKey {
    /// The channels of the liquids' field.
    pub channels: Channels,
    /// Whether heat and shade are drawn.
    pub details: bool,
    /// Whether the surface has gases, which glowing liquid and gas light.
    pub gases: bool,
    /// Whether the surface meets walls.
    pub walls: bool,
}

/// Key of the pipeline from the field of gases to their haze.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HazeKey {
    /// Whether heat and opacity are read.
    pub details: bool,
    /// Whether any gas or liquid glows.
    pub glow: bool,
    /// Whether the surface meets walls.
    pub walls: bool,
}

/// Key of the pipeline that draws a surface in a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceKeyInView {
    pub view: SpritePipelineKey,
    /// The channels of the liquids' field.
    pub channels: Channels,
    /// Whether heat, foam, opacity and shade are read as well.
    pub details: bool,
    /// Whether the surface meets walls.
    pub walls: bool,
    pub effects: SurfaceEffects,
    pub look: Option<SurfaceShader>,
}

impl SpecializedRenderPipeline for SurfacePipelines {
    type Key = SurfaceKey;

    fn specialize(&self, key: SurfaceKey) -> RenderPipelineDescriptor {
        match key {
            SurfaceKey::Field(key) => self.field(key),
            SurfaceKey::Shallow(key) => self.shallow(key),
            SurfaceKey::Haze(key) => self.haze(key),
            SurfaceKey::Surface(key) => self.surface(key),
        }
    }
}

impl SurfacePipelines {
    fn shallow(&self, key: ShallowKey) -> RenderPipelineDescriptor {
        let ShallowKey { channels, details, gases, walls } = key;
        let layout = &self.layouts.coarser[usize::from(walls)];
        let mut flags = vec!["FROM_FIELD", channel_flag(channels)];
        flags.extend(flags_of([(details, "DETAILS"), (gases, "GASES"), (walls, "WALLS")]));
        let shader = self.shaders.request(ShaderSource::Coarser, &flags);
        whole_target("fluid_shallow_pipeline", layout, shader, self.format)
    }

    fn haze(&self, key: HazeKey) -> RenderPipelineDescriptor {
        let HazeKey { details, glow, walls } = key;
        let layout = &self.layouts.surface[usize::from(walls)];
        let mut flags = vec!["FROM_GASES"];
        flags.extend(flags_of([(details, "DETAILS"), (glow, "GLOW"), (walls, "WALLS")]));
        let shader = self.shaders.request(ShaderSource::Haze, &flags);
        let mut pipeline = whole_target("fluid_haze_pipeline", layout, shader, self.format);
        pipeline.layout.insert(0, self.view_layout.clone());
        pipeline
    }

    fn field(&self, key: FieldKey) -> RenderPipelineDescriptor {
        let FieldKey { channels, gases, details, walls } = key;
        let mut flags = vec![channel_flag(channels)];
        flags.extend(flags_of([(details, "DETAILS"), (gases, "GASES"), (walls, "WALLS")]));
        let shader = self.shaders.request(ShaderSource::Field, &flags);
        let target = ColorTargetState {
            format: self.format,
            blend: Some(BlendState { color: SUM, alpha: SUM }),
            write_mask: ColorWrites::ALL,
        };
        RenderPipelineDescriptor {
            label: Some("fluid_field_pipeline".into()),
            layout: vec![self.view_layout.clone(), self.layouts.field[usize::from(walls)].clone()],
            vertex: VertexState {
                shader: shader.clone(),
                buffers: vec![instance_buffer()],
                ..default()
            },
            fragment: Some(FragmentState {
                shader,
                targets: vec![Some(target); 1 + usize::from(details)],
                ..default()
            }),
            primitive: PrimitiveState { topology: PrimitiveTopology::TriangleStrip, ..default() },
            ..default()
        }
    }

    fn surface(&self, key: SurfaceKeyInView) -> RenderPipelineDescriptor {
        let SurfaceKeyInView { view, channels, details, walls, effects, look } = key;
        let SurfaceEffects { refraction, caustics, glow, crust, grain, haze } = effects;
        let mut flags = view_flags(view);
        flags.push(channel_flag(channels));
        flags.extend(flags_of([
            (details, "DETAILS"),
            (walls, "WALLS"),
            (refraction, "REFRACTION"),
            (caustics, "CAUSTICS"),
            (glow, "GLOW"),
            (crust, "CRUST"),
            (grain, "GRAIN"),
            (haze, "HAZE"),
        ]));
        let surface_layout = self.layouts.surface[usize::from(walls)].clone();
        let mut layout = vec![self.view_layout.clone(), surface_layout];
        let vertex = self.shaders.request(ShaderSource::Draw, &flags);
        let fragment = match look {
            Some(look) => {
                layout.push(look.layout);
                self.shaders.request(look.fragment, &flags)
            }
            None => vertex.clone(),
        };
        RenderPipelineDescriptor {
            label: Some("fluid_surface_pipeline".into()),
            layout,
            vertex: VertexState { shader: vertex, buffers: vec![strip_buffer()], ..default() },
            fragment: Some(FragmentState {
                shader: fragment,
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

fn channel_flag(channels: Channels) -> &'static str {
    match channels {
        Channels::NoLiquid => "NO_LIQUID",
        Channels::OneLiquid => "ONE_LIQUID",
        Channels::FourLiquids => "FOUR_LIQUIDS",
        Channels::Tiles => "TILES",
    }
}

/// The flags whose condition holds.
fn flags_of<const N: usize>(
    flags: [(bool, &'static str); N],
) -> impl Iterator<Item = &'static str> {
    flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag)
}

/// The layout of [`Strip`]s: one per instance, that is per four vertices.
fn strip_buffer() -> VertexBufferLayout {
    per_instance::<Strip>(&[VertexFormat::Uint16x4, VertexFormat::Uint32])
}

/// The layout of [`SolidTriangle`]s: one per instance, that is per three vertices.
fn triangle_buffer() -> VertexBufferLayout {
    per_instance::<SolidTriangle>(&[VertexFormat::Float32x4; 2])
}

/// The layouts of the bind groups of a surface.
pub(super) struct SurfaceLayouts {
    /// The layout of the passes that draw walls.
    pub wall: BindGroupLayoutDescriptor,
    /// Each without walls and with walls, as for `coarser` and `surface`.
    pub field: [BindGroupLayoutDescriptor; 2],
    pub coarser: [BindGroupLayoutDescriptor; 2],
    pub shape: BindGroupLayoutDescriptor,
    pub surface: [BindGroupLayoutDescriptor; 2],
}

impl SurfaceLayouts {
    pub(super) fn new() -> Self {
        let both = ShaderStages::VERTEX_FRAGMENT;
        let surface = uniform_buffer::<SurfaceUniform>(true);
        let texture = texture_2d(TextureSampleType::Float { filterable: true });
        let linear = sampler(SamplerBindingType::Filtering);
        // The texture of all walls, and that of the nearest walls. The one of the solids is filterable.
        let walls = texture_2d(TextureSampleType::Float { filterable: false });
        let nearest = texture_2d(TextureSampleType::Uint);
        Self {
            wall: BindGroupLayoutDescriptor::new(
                "fluid_wall_layout",
                &BindGroupLayoutEntries::sequential(both, (surface, walls)),
            ),
            field: [false, true].map(|at_walls| {
                let palette = uniform_buffer::<PaletteUniform>(false);
                let entries = DynamicBindGroupLayoutEntries::sequential(both, (surface, palette));
                let entries = if at_walls {
                    entries.extend_sequential((walls, nearest, texture))
                } else {
                    entries
                };
                BindGroupLayoutDescriptor::new("fluid_field_layout", &entries)
            }),
            coarser: [false, true].map(|at_walls| {
                let entries = DynamicBindGroupLayoutEntries::sequential(
                    ShaderStages::FRAGMENT,
                    (surface, texture, linear, texture, texture),
                );
                let entries =
                    if at_walls { entries.extend_sequential((texture,)) } else { entries };
                BindGroupLayoutDescriptor::new("fluid_coarser_field_layout", &entries)
            }),
            shape: BindGroupLayoutDescriptor::new(
                "fluid_shape_layout",
                &BindGroupLayoutEntries::sequential(
                    ShaderStages::FRAGMENT,
                    (surface, texture, texture, texture),
                ),
            ),
            surface: [false, true].map(|at_walls| {
                let entries = DynamicBindGroupLayoutEntries::sequential(
                    both,
                    (
                        surface, texture, texture, texture, texture, texture, linear, texture,
                        texture, texture,
                    ),
                );
                let entries = if at_walls {
                    entries.extend_sequential((walls, nearest, texture))
                } else {
                    entries
                };
                BindGroupLayoutDescriptor::new("fluid_surface_layout", &entries)
            }),
        }
    }
}
