//! The draw call of dots.

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::{
    DrawFunctions, RenderCommand, RenderCommandResult, SetItemPipeline, TrackedRenderPass,
    ViewSortedRenderPhases,
};
use bevy::render::render_resource::{PipelineCache, SpecializedRenderPipelines};
use bevy::render::view::{ExtractedView, RenderVisibleEntities};
use bevy::sprite_render::SetSpriteViewBindGroup;

use super::extract::ExtractedDotsList;
use super::pipeline::DotsPipeline;
use super::uniforms::DotsUniforms;
use crate::render::gpu::buffers::FluidBuffers;
use crate::render::gpu::phase::{phase_item, sees};
use crate::render::gpu::pipeline::view_key;
use crate::render::look::dots::FluidDots;

/// Adds one item to the transparent phase of every view for each [`FluidDots`] it sees.
pub(super) fn queue_dots(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipeline: Res<DotsPipeline>,
    mut pipelines: ResMut<SpecializedRenderPipelines<DotsPipeline>>,
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
    let draw_function = draw_functions.read().id::<DrawDots>();
    for (visible, camera, view, msaa, tonemapping, dither) in &views {
        let Some(phase) = phases.get_mut(&view.retained_view_entity) else {
            continue;
        };
        let key = view_key(camera, view, *msaa, tonemapping, dither);
        let pipeline = pipelines.specialize(&pipeline_cache, &pipeline, key);
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
        (uniforms, buffers): SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
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
