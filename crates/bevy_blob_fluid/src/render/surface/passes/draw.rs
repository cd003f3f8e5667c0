//! The draw call of a surface.

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::{Read, SRes};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::{
    DrawFunctions, RenderCommand, RenderCommandResult, SetItemPipeline, TrackedRenderPass,
    ViewSortedRenderPhases,
};
use bevy::render::render_resource::{PipelineCache, SpecializedRenderPipelines};
use bevy::render::view::{ExtractedView, RenderVisibleEntities};
use bevy::sprite_render::SetSpriteViewBindGroup;

use crate::render::gpu::phase::{phase_item, sees};
use crate::render::gpu::pipeline::view_key;
use crate::render::look::surface::FluidSurface;
use crate::render::surface::extract::ExtractedSurfaces;
use crate::render::surface::pipelines::{SurfaceKey, SurfaceKeyInView, SurfacePipelines};
use crate::render::surface::views::SurfaceViews;

/// Adds one item to the transparent phase of every view for each surface it sees.
pub(in crate::render::surface) fn queue_surfaces(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipelines: Res<SurfacePipelines>,
    mut specialized: ResMut<SpecializedRenderPipelines<SurfacePipelines>>,
    pipeline_cache: Res<PipelineCache>,
    surfaces: Res<ExtractedSurfaces>,
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
    let draw_function = draw_functions.read().id::<DrawSurface>();
    for (visible, camera, view, msaa, tonemapping, dither) in &views {
        let Some(phase) = phases.get_mut(&view.retained_view_entity) else { continue };
        for (index, surface) in surfaces.0.iter().enumerate() {
            if !sees::<FluidSurface>(visible, surface.entity.1) {
                continue;
            }
            let mut effects = surface.uniform.effects();
            // Without details nothing is hot.
            effects.glow &= surface.details;
            effects.crust &= surface.details;
            let key = SurfaceKeyInView {
                view: view_key(camera, view, *msaa, tonemapping, dither),
                channels: surface.channels,
                details: surface.details,
                walls: surface.walls > 0,
                effects,
                look: surface.custom_look.as_ref().map(|look| look.shader.clone()),
            };
            let key = SurfaceKey::Surface(key);
            let pipeline = specialized.specialize(&pipeline_cache, &pipelines, key);
            let (entity, depth) = (surface.entity, surface.depth);
            phase.add_transient(phase_item(entity, depth, index, pipeline, draw_function));
        }
    }
}

/// Draws a surface.
pub(in crate::render::surface) type DrawSurface =
    (SetItemPipeline, SetSpriteViewBindGroup<0>, DrawStrips);

/// Binds a surface and draws it in its strips.
pub(in crate::render::surface) struct DrawStrips;

impl RenderCommand<Transparent2d> for DrawStrips {
    type Param = (SRes<SurfaceViews>, SRes<ExtractedSurfaces>);
    type ViewQuery = Read<ExtractedView>;
    type ItemQuery = ();

    fn render<'w>(
        item: &Transparent2d,
        view: ROQueryItem<'w, '_, Self::ViewQuery>,
        _item_query: Option<()>,
        (views, surfaces): SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
        let views = views.into_inner();
        let found = views.get(view.retained_view_entity, item.extracted_index);
        let Some((surface, bind_group, (strips, count))) = found.and_then(|surface| {
            Some((surface, &surface.bind_groups.as_ref()?.surface, views.strips(surface)?))
        }) else {
            return RenderCommandResult::Skip;
        };
        pass.set_bind_group(1, bind_group, &[surface.uniform_offset]);
        let extracted = surfaces.into_inner().0.get(item.extracted_index);
        if let Some(look) = extracted.and_then(|surface| surface.custom_look.as_ref()) {
            pass.set_bind_group(2, &look.bind_group, &[]);
        }
        pass.set_vertex_buffer(0, strips);
        pass.draw(0..4, 0..count);
        RenderCommandResult::Success
    }
}
