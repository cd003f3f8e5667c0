//! A soft dot for every particle, in one draw call. `dots.wgsl` is its shader.

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::prelude::*;
use bevy::render::render_phase::{
    AddRenderCommand, DrawFunctions, RenderCommand, RenderCommandResult, SetItemPipeline,
    TrackedRenderPass, ViewSortedRenderPhases,
};
use bevy::render::render_resource::binding_types::uniform_buffer;
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendState,
    BufferId, ColorTargetState, ColorWrites, DynamicUniformBuffer, FragmentState, MultisampleState,
    PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor, ShaderStages,
    ShaderType, SpecializedRenderPipeline, SpecializedRenderPipelines, VertexState,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, RenderEntity};
use bevy::render::view::RenderVisibleEntities;
use bevy::render::{
    Extract, ExtractSchedule, GpuResourceAppExt, Render, RenderApp, RenderStartup, RenderSystems,
};
use bevy::sprite_render::{SetSpriteViewBindGroup, SpritePipelineKey};
use blob_fluid::{ClassFilter, ClassId};

use crate::render::gpu::{
    FluidBuffers, PaletteUniform, depth_stencil, instance_buffer, phase_item, sees, view_layout,
};
use crate::render::instance::{FluidInstances, FluidInterpolation, FluidPalette};
use crate::render::look::FluidDots;
use crate::render::shader::{ShaderSource, ShaderVariants};
use crate::render::view::{ViewParts, view_flags};

// The systems that draw dots.

/// Adds the drawing of dots, if the app has a renderer.
pub(in crate::render) fn add_dots(app: &mut App) {
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
        return;
    };
    render_app
        .init_resource::<ExtractedDotsList>()
        .init_gpu_resource::<DotsUniforms>()
        .init_gpu_resource::<SpecializedRenderPipelines<DotsPipeline>>()
        .add_render_command::<Transparent2d, DrawDots>()
        .add_systems(RenderStartup, init_pipeline)
        .add_systems(ExtractSchedule, extract_dots)
        .add_systems(
            Render,
            (
                queue_dots.in_set(RenderSystems::Queue),
                upload_dots.in_set(RenderSystems::PrepareResources),
                bind_dots.in_set(RenderSystems::PrepareBindGroups),
            ),
        );
}

// The draw call of dots.

/// Adds one item to the transparent phase of every view for each [`FluidDots`] that is visible
/// there.
pub(super) fn queue_dots(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipeline: Res<DotsPipeline>,
    mut pipelines: ResMut<SpecializedRenderPipelines<DotsPipeline>>,
    pipeline_cache: Res<PipelineCache>,
    dots: Res<ExtractedDotsList>,
    mut phases: ResMut<ViewSortedRenderPhases<Transparent2d>>,
    views: Query<(&RenderVisibleEntities, ViewParts)>,
) {
    let draw_function = draw_functions.read().id::<DrawDots>();
    for (visible, parts) in &views {
        let Some(phase) = phases.get_mut(&parts.view.retained_view_entity) else {
            continue;
        };
        let pipeline = pipelines.specialize(&pipeline_cache, &pipeline, parts.key());
        for (index, extracted) in dots.0.iter().enumerate() {
            if sees::<FluidDots>(visible, extracted.entity.1) {
                let (entity, depth) = (extracted.entity, extracted.depth);
                phase.add_transient(phase_item(entity, depth, index, pipeline, draw_function));
            }
        }
    }
}

/// Draws all particles.
pub(super) type DrawDots = (SetItemPipeline, SetSpriteViewBindGroup<0>, DrawInstances);

/// Binds a [`FluidDots`] and draws four vertices for every particle.
pub(super) struct DrawInstances;

impl RenderCommand<Transparent2d> for DrawInstances {
    type Param = (SRes<DotsUniforms>, SRes<FluidBuffers>);
    type ViewQuery = ();
    type ItemQuery = ();

    fn render<'w>(
        item: &Transparent2d,
        _view: ROQueryItem<'w, '_, Self::ViewQuery>,
        _item_query: Option<()>,
        param: SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
        let (uniforms, buffers) = param;
        let (Some((bind_group, offset)), Some((instances, count))) =
            (uniforms.into_inner().get(item.extracted_index), buffers.into_inner().instances())
        else {
            return RenderCommandResult::Skip;
        };
        pass.set_bind_group(1, bind_group, &[offset]);
        pass.set_vertex_buffer(0, instances.slice(..));
        pass.draw(0..4, 0..count);
        RenderCommandResult::Success
    }
}

// The uniforms of dots.

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

/// Creates the bind group again if one of its buffers was replaced.
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

// The pipeline of dots.

/// The pipeline of dots, from which those of views are specialised.
#[derive(Resource)]
pub(super) struct DotsPipeline {
    view_layout: BindGroupLayoutDescriptor,
    pub dots_layout: BindGroupLayoutDescriptor,
    shaders: ShaderVariants,
}

/// Describes the pipeline. It runs again for a new device.
pub(super) fn init_pipeline(mut commands: Commands, shaders: Res<ShaderVariants>) {
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
        shaders: shaders.clone(),
    });
}

impl SpecializedRenderPipeline for DotsPipeline {
    type Key = SpritePipelineKey;

    fn specialize(&self, key: Self::Key) -> RenderPipelineDescriptor {
        let shader = self.shaders.request(ShaderSource::Dots, &view_flags(key));
        RenderPipelineDescriptor {
            label: Some("fluid_pipeline".into()),
            layout: vec![self.view_layout.clone(), self.dots_layout.clone()],
            vertex: VertexState {
                shader: shader.clone(),
                buffers: vec![instance_buffer()],
                ..default()
            },
            fragment: Some(FragmentState {
                shader,
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

// The copy from the app's world to the renderer's.

/// A [`FluidDots`] as the shader reads it.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(super) struct DotsUniform {
    /// Radius of a dot, in world units.
    pub radius: f32,
    pub softness: f32,
    pub opacity: f32,
    pub shading: f32,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    pub depth: f32,
    /// Whether each instance has its own colour index.
    pub by_instance: u32,
    /// WebGL2 requires uniforms in multiples of 16 bytes.
    pub padding: f32,
    /// One bit for each class that is drawn.
    pub classes: [UVec4; 2],
}

/// A [`FluidDots`] that is visible to some camera.
pub(super) struct ExtractedDots {
    pub entity: (Entity, MainEntity),
    pub depth: f32,
    pub uniform: DotsUniform,
}

/// This frame's dots.
#[derive(Resource, Default)]
pub(super) struct ExtractedDotsList(pub Vec<ExtractedDots>);

/// Copies the dots, and the moment to draw.
pub(super) fn extract_dots(
    mut extracted: ResMut<ExtractedDotsList>,
    instances: Extract<Res<FluidInstances>>,
    interpolation: Extract<Res<FluidInterpolation>>,
    palette: Extract<Res<FluidPalette>>,
    dots: Extract<Query<(Entity, RenderEntity, &FluidDots, &GlobalTransform, &ViewVisibility)>>,
) {
    extracted.0.clear();
    for (main_entity, render_entity, look, transform, visibility) in &dots {
        if !visibility.get() {
            continue;
        }
        let depth = transform.translation().z;
        extracted.0.push(ExtractedDots {
            entity: (render_entity, main_entity.into()),
            depth,
            uniform: DotsUniform {
                radius: look.radius.max(0.0) * instances.particle_spacing(),
                softness: look.softness.clamp(0.0, 1.0),
                opacity: look.opacity.clamp(0.0, 1.0),
                shading: look.shading.clamp(0.0, 1.0),
                interpolation: interpolation.0.clamp(0.0, 1.0),
                depth,
                by_instance: u32::from(palette.is_by_instance()),
                padding: 0.0,
                classes: bits_of(look.classes),
            },
        });
    }
}

/// One bit for each class of a set.
fn bits_of(classes: ClassFilter) -> [UVec4; 2] {
    let mut bits = [UVec4::ZERO; 2];
    for class in (0..=u8::MAX).filter(|class| classes.contains(ClassId(*class))) {
        bits[usize::from(class >> 7)][usize::from(class >> 5 & 3)] |= 1 << (class & 31);
    }
    bits
}
