//! Uploads, the bind group and the draw call.

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::math::FloatOrd;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::{
    DrawFunctionId, DrawFunctions, PhaseItemExtraIndex, RenderCommand, RenderCommandResult,
    SetItemPipeline, TrackedRenderPass, ViewSortedRenderPhases,
};
use bevy::render::render_resource::{
    CachedRenderPipelineId, PipelineCache, SpecializedRenderPipelines,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::MainEntity;
use bevy::render::view::{ExtractedView, RenderVisibleEntities};
use bevy::sprite_render::SetSpriteViewBindGroup;

use super::buffers::FluidBuffers;
use super::dots::FluidDots;
use super::extract::ExtractedDotsList;
use super::pipeline::{FluidPipeline, view_key};

/// Uploads changed buffers.
pub(super) fn prepare_buffers(
    mut buffers: ResMut<FluidBuffers>,
    dots: Res<ExtractedDotsList>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    buffers.upload(dots.0.iter().map(|own| &own.uniform), &device, &queue);
}

/// Binds the buffers to the pipeline's layout.
pub(super) fn prepare_bind_group(
    mut buffers: ResMut<FluidBuffers>,
    pipeline: Res<FluidPipeline>,
    pipeline_cache: Res<PipelineCache>,
    device: Res<RenderDevice>,
) {
    buffers.bind(&device, || pipeline_cache.get_bind_group_layout(&pipeline.dots_layout));
}

/// Adds one item to the transparent phase of every view for each [`FluidDots`] it sees.
pub(super) fn queue_fluid(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipeline: Res<FluidPipeline>,
    mut pipelines: ResMut<SpecializedRenderPipelines<FluidPipeline>>,
    pipeline_cache: Res<PipelineCache>,
    dots: Res<ExtractedDotsList>,
    mut phases: ResMut<ViewSortedRenderPhases<Transparent2d>>,
    views: Query<(
        &RenderVisibleEntities,
        &ExtractedCamera,
        &ExtractedView,
        &Msaa,
        Option<&Tonemapping>,
        Option<&DebandDither>,
    )>,
) {
    let draw_function = draw_functions.read().id::<DrawFluid>();
    for (visible, camera, view, msaa, tonemapping, dither) in &views {
        let Some(phase) = phases.get_mut(&view.retained_view_entity) else {
            continue;
        };
        let key = view_key(camera, view, *msaa, tonemapping, dither);
        let pipeline = pipelines.specialize(&pipeline_cache, &pipeline, key);
        for (index, own) in dots.0.iter().enumerate() {
            if sees::<FluidDots>(visible, own.entity.1) {
                let (entity, depth) = (own.entity, own.depth);
                phase.add_transient(phase_item(entity, depth, index, pipeline, draw_function));
            }
        }
    }
}

/// Whether a view sees an entity that has a `T`.
pub(super) fn sees<T: 'static>(visible: &RenderVisibleEntities, entity: MainEntity) -> bool {
    let of_kind = visible.get::<T>();
    of_kind.is_some_and(|of_kind| of_kind.iter_visible().any(|(_, seen)| *seen == entity))
}

/// The phase item of the extracted entity at an index, at its depth among sprites.
pub(super) fn phase_item(
    entity: (Entity, MainEntity),
    depth: f32,
    index: usize,
    pipeline: CachedRenderPipelineId,
    draw_function: DrawFunctionId,
) -> Transparent2d {
    Transparent2d {
        sort_key: FloatOrd(depth),
        entity,
        pipeline,
        draw_function,
        batch_range: 0..1,
        extracted_index: index,
        extra_index: PhaseItemExtraIndex::None,
        indexed: false,
    }
}

/// Draws all particles.
pub(super) type DrawFluid = (SetItemPipeline, SetSpriteViewBindGroup<0>, DrawInstances);

/// Binds a [`FluidDots`] and draws four vertices for every particle.
pub(super) struct DrawInstances;

impl RenderCommand<Transparent2d> for DrawInstances {
    type Param = SRes<FluidBuffers>;
    type ViewQuery = ();
    type ItemQuery = ();

    fn render<'w>(
        item: &Transparent2d,
        _view: ROQueryItem<'w, '_, Self::ViewQuery>,
        _item_query: Option<()>,
        buffers: SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
        let buffers = buffers.into_inner();
        let (Some((bind_group, offset)), Some((instances, count))) =
            (buffers.dots(item.extracted_index), buffers.instances())
        else {
            return RenderCommandResult::Skip;
        };
        pass.set_bind_group(1, bind_group, &[offset]);
        pass.set_vertex_buffer(0, instances.slice(..));
        pass.draw(0..4, 0..count);
        RenderCommandResult::Success
    }
}
