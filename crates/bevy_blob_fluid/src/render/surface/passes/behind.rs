//! Refraction: the items behind a surface are drawn before it and copied.
//!
//! A view's transparent items are drawn in one pass, from back to front, and a pass cannot read
//! what it draws to. Where a surface refracts, the items behind it are drawn in a pass of their
//! own, the result is copied, and the view's own pass continues from there: nothing is drawn twice.

use std::ops::Range;

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::{
    DrawFunctionId, DrawFunctions, PhaseItem, SortedRenderPhase, ViewSortedRenderPhases,
};
use bevy::render::render_resource::{
    Extent3d, Origin3d, RenderPassDescriptor, StoreOp, TexelCopyTextureInfo,
};
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::{ExtractedView, RetainedViewEntity, ViewDepthTexture, ViewTarget};

use super::draw::DrawSurface;
use crate::render::surface::views::{SurfaceView, SurfaceViews};

/// Items of the present view that were already drawn, with their original batch ranges.
#[derive(Resource, Default)]
pub(in crate::render::surface) struct DrawnBefore(Vec<(usize, Range<u32>)>);

/// The refracting surfaces of a phase, and their indices in it.
fn refracting<'a>(
    phase: &'a SortedRenderPhase<Transparent2d>,
    view: RetainedViewEntity,
    surfaces: &'a SurfaceViews,
    draw_surface: DrawFunctionId,
) -> impl DoubleEndedIterator<Item = (usize, &'a SurfaceView)> {
    let items = phase.items.values().enumerate();
    items.filter_map(move |(index, item)| {
        let surface = (item.draw_function() == draw_surface)
            .then(|| surfaces.get(view, item.extracted_index))
            .flatten()?;
        surface.behind.is_some().then_some((index, surface))
    })
}

/// Draws the items behind refracting surfaces, and copies the result.
pub(in crate::render::surface) fn draw_behind(
    world: &World,
    view: ViewQuery<(&ExtractedCamera, &ExtractedView, &ViewTarget, &ViewDepthTexture)>,
    phases: Res<ViewSortedRenderPhases<Transparent2d>>,
    surfaces: Res<SurfaceViews>,
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    mut context: RenderContext,
) {
    let view_entity = view.entity();
    let (camera, extracted, target, depth) = view.into_inner();
    let Some(phase) = phases.get(&extracted.retained_view_entity) else { return };
    let draw_surface = draw_functions.read().id::<DrawSurface>();
    let mut begin = 0;
    for (index, surface) in
        refracting(phase, extracted.retained_view_entity, &surfaces, draw_surface)
    {
        // This pass runs also without items, because the output of the opaque pass may not be
        // resolved yet.
        let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
            label: Some("fluid_behind_pass"),
            color_attachments: &[Some(target.get_color_attachment())],
            depth_stencil_attachment: Some(depth.get_attachment(StoreOp::Store)),
            ..default()
        });
        if let Some(viewport) = &camera.viewport {
            pass.set_camera_viewport(viewport);
        }
        if let Err(error) = phase.render_range(&mut pass, world, view_entity, begin..index) {
            error!("what lies behind the liquid could not be drawn: {error:?}");
        }
        drop(pass);
        begin = index;
        if let Some(behind) = &surface.behind {
            let [x, y] = behind.low.to_array();
            let size = behind.high - behind.low;
            let [from, to] = [target.main_texture(), &behind.texture.texture].map(|texture| {
                TexelCopyTextureInfo { origin: Origin3d { x, y, z: 0 }, ..texture.as_image_copy() }
            });
            let size = Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 };
            context.command_encoder().copy_texture_to_texture(from, to, size);
        }
    }
}

/// Prevents the view's own pass from drawing them again.
pub(in crate::render::surface) fn skip_drawn(
    view: ViewQuery<&ExtractedView>,
    mut phases: ResMut<ViewSortedRenderPhases<Transparent2d>>,
    surfaces: Res<SurfaceViews>,
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    mut drawn: ResMut<DrawnBefore>,
) {
    drawn.0.clear();
    let view = view.into_inner().retained_view_entity;
    let Some(phase) = phases.get_mut(&view) else { return };
    let draw_surface = draw_functions.read().id::<DrawSurface>();
    let last = refracting(phase, view, &surfaces, draw_surface).next_back();
    let Some(count) = last.map(|(index, _)| index) else { return };
    for (index, item) in phase.items.values_mut().take(count).enumerate() {
        drawn.0.push((index, std::mem::replace(item.batch_range_mut(), 0..0)));
    }
}

/// Restores the phase: Bevy keeps some of its items for the next frame.
pub(in crate::render::surface) fn restore_drawn(
    view: ViewQuery<&ExtractedView>,
    mut phases: ResMut<ViewSortedRenderPhases<Transparent2d>>,
    mut drawn: ResMut<DrawnBefore>,
) {
    let Some(phase) = phases.get_mut(&view.into_inner().retained_view_entity) else { return };
    for (index, range) in drawn.0.drain(..) {
        if let Some((_, item)) = phase.items.get_index_mut(index) {
            *item.batch_range_mut() = range;
        }
    }
}
