//! The passes of a surface, in the order in which they run, each with its shader, a part of `passes.wgsl`.
//!
//! | pass | shader |
//! |---|---|
//! | walls: the wall nearest to each texel of the field, and solid texels | `nearest_wall`, `solid` |
//! | field: the sum of the particles' weights | `field` |
//! | coarser fields: the fill of the surroundings, the slope of the surface, and lit gases | `coarser`, `shape`, `haze` |
//! | the picture behind the liquid, for refraction | |
//! | the surface itself, in the view's own pass | `draw` |

use std::ops::Range;

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::{Read, SRes};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::diagnostic::RecordDiagnostics;
use bevy::render::render_phase::{
    DrawFunctionId, DrawFunctions, PhaseItem, RenderCommand, RenderCommandResult, SetItemPipeline,
    SortedRenderPhase, TrackedRenderPass, ViewSortedRenderPhases,
};
use bevy::render::render_resource::{
    BindGroup, CachedRenderPipelineId, Extent3d, LoadOp, Operations, Origin3d, PipelineCache,
    RenderPassDepthStencilAttachment, RenderPassDescriptor, RenderPipeline,
    SpecializedRenderPipelines, StoreOp, TexelCopyTextureInfo, TextureView,
};
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::{
    ExtractedView, RenderVisibleEntities, RetainedViewEntity, ViewTarget, ViewUniformOffset,
};
use bevy::sprite_render::{SetSpriteViewBindGroup, SpriteViewBindGroup};
use bevy::utils::default;

use crate::render::gpu::{FluidBuffers, FluidDrawingWork, cleared, phase_item, sees};
use crate::render::look::surface::FluidSurface;
use crate::render::surface::extract::{ExtractedSurfaces, WallBuffers, WallTextures};
use crate::render::surface::pipelines::{SurfaceKey, SurfaceKeyInView, SurfacePipelines};
use crate::render::surface::views::{FieldTextures, SurfaceBindGroups, SurfaceView, SurfaceViews};
use crate::render::view::{ViewDepth, ViewParts};

// Sources of fields.

/// Inputs that the fields of all surfaces share.
pub(super) struct FieldSources<'a> {
    pub view: (&'a BindGroup, u32),
    pub buffers: &'a FluidBuffers,
    pub walls: &'a WallBuffers,
    pub pipelines: &'a SurfacePipelines,
    pub pipeline_cache: &'a PipelineCache,
}

// The passes that cover a whole target. They draw fields to the shallow texture, this to the deep and then the wide
// texture, and all three to the shape. Another one draws the field of gases to their haze.

/// Draws a whole target with the bind groups and their offsets. Returns `None`, and only clears the
/// target, without a pipeline.
pub(super) fn draw_whole(
    pipeline: Option<&RenderPipeline>,
    bind_groups: &[(&BindGroup, u32)],
    target: &TextureView,
    context: &mut RenderContext,
) -> Option<()> {
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_whole_target_pass"),
        color_attachments: &[cleared(target)],
        ..default()
    });
    pass.set_render_pipeline(pipeline?);
    for (index, (bind_group, offset)) in bind_groups.iter().enumerate() {
        pass.set_bind_group(index, bind_group, &[*offset]);
    }
    pass.draw(0..3, 0..1);
    Some(())
}

// The passes that draw walls: the wall nearest to each texel of the field, and the solid texels.

/// Inputs of the passes that draw walls in a view.
pub(super) struct WallPass<'a> {
    pub textures: &'a WallTextures,
    pub bind_group: &'a BindGroup,
    pub surface: &'a SurfaceView,
}

/// Draws the nearest walls and the solids of a view. Returns `None` if a pipeline is not ready.
pub(super) fn draw_walls(
    walls: &WallPass,
    sources: &FieldSources,
    context: &mut RenderContext,
) -> Option<()> {
    let [nearest, solid] =
        sources.pipelines.from_walls.map(|id| sources.pipeline_cache.get_render_pipeline(id));
    let (view, view_offset) = sources.view;
    let offset = walls.surface.uniform_offset;
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_nearest_wall_pass"),
        color_attachments: &[cleared(&walls.textures.nearest.default_view)],
        depth_stencil_attachment: Some(RenderPassDepthStencilAttachment {
            view: &walls.textures.depth.default_view,
            depth_ops: Some(Operations { load: LoadOp::Clear(1.0), store: StoreOp::Discard }),
            stencil_ops: None,
        }),
        ..default()
    });
    if let Some(nearest) = nearest {
        pass.set_render_pipeline(nearest);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, walls.bind_group, &[offset]);
        pass.draw(0..4, 0..walls.surface.walls);
    }
    drop(pass);
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_solid_pass"),
        color_attachments: &[cleared(&walls.textures.solid.default_view)],
        ..default()
    });
    if let Some((solid, (triangles, count))) = solid.zip(sources.walls.triangles()) {
        pass.set_render_pipeline(solid);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, walls.bind_group, &[offset]);
        pass.set_vertex_buffer(0, triangles.slice(..));
        pass.draw(0..3, 0..count);
    }
    nearest.and(solid).map(|_| ())
}

// The pass from particles to a field.

/// Inputs of the pass that draws a field.
pub(super) struct FieldPass<'a> {
    pub textures: &'a FieldTextures,
    pub pipeline: CachedRenderPipelineId,
    pub bind_group: &'a BindGroup,
    pub uniform_offset: u32,
}

/// Sums the particles of a surface to a field. Returns `None` if the pipeline is not ready.
pub(super) fn draw_field(
    field: &FieldPass,
    sources: &FieldSources,
    context: &mut RenderContext,
) -> Option<()> {
    let details = field.textures.details.as_ref();
    let attachments = [
        cleared(&field.textures.field.default_view),
        details.and_then(|details| cleared(&details.default_view)),
    ];
    let count = 1 + usize::from(details.is_some());
    let diagnostics = context.diagnostic_recorder();
    let diagnostics = diagnostics.as_deref();
    let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("fluid_field_pass"),
        color_attachments: &attachments[..count],
        ..default()
    });
    let span = diagnostics.pass_span(&mut pass, "fluid_field_pass");
    let pipeline = sources.pipeline_cache.get_render_pipeline(field.pipeline);
    if let Some((pipeline, (instances, count))) = pipeline.zip(sources.buffers.instances()) {
        let (view, view_offset) = sources.view;
        pass.set_render_pipeline(pipeline);
        pass.set_bind_group(0, view, &[view_offset]);
        pass.set_bind_group(1, field.bind_group, &[field.uniform_offset]);
        pass.set_vertex_buffer(0, instances.slice(..));
        pass.draw(0..4, 0..count);
    }
    span.end(&mut pass);
    pipeline.map(|_| ())
}

// The order of the passes before the view's own pass: walls, fields, coarser fields, the shape, the haze.
//
// Textures of an earlier frame are kept if particles, walls, looks and camera are the same.

/// Draws the fields of every surface that is visible in the view.
pub(in crate::render::surface) fn draw_fields(
    view: ViewQuery<(&ExtractedView, &ViewUniformOffset, &SpriteViewBindGroup)>,
    surfaces: Res<SurfaceViews>,
    buffers: Res<FluidBuffers>,
    walls: Res<WallBuffers>,
    pipelines: Res<SurfacePipelines>,
    pipeline_cache: Res<PipelineCache>,
    mut work: ResMut<FluidDrawingWork>,
    mut context: RenderContext,
) {
    let (extracted, view_offset, view_bind_group) = view.into_inner();
    let sources = FieldSources {
        view: (&view_bind_group.value, view_offset.offset),
        buffers: &buffers,
        walls: &walls,
        pipelines: &pipelines,
        pipeline_cache: &pipeline_cache,
    };
    for surface in surfaces.of(extracted.retained_view_entity) {
        let Some(bind_groups) = &surface.bind_groups else { continue };
        if !surfaces.has_fields(surface) {
            work.fields_drawn += 1;
            work.texels_per_particle = work.texels_per_particle.max(surface.texels_per_particle);
            if draw_surface_fields(surface, bind_groups, &sources, &mut context).is_some() {
                surfaces.keep_fields(surface);
            }
        }
        // The haze moves with time even while its particles rest.
        let haze = surface.textures.haze.as_ref();
        if let Some((haze, bind_group)) = haze.zip(bind_groups.haze.as_ref()) {
            let pipeline = surface.haze_pipeline;
            let pipeline = pipeline.and_then(|id| pipeline_cache.get_render_pipeline(id));
            let bind_groups = [sources.view, (bind_group, surface.uniform_offset)];
            draw_whole(pipeline, &bind_groups, &haze.default_view, &mut context);
        }
    }
}

/// Draws all textures that a surface reads. Returns `None` if some pipeline is not ready, so that
/// the textures are incomplete.
fn draw_surface_fields(
    surface: &SurfaceView,
    bind_groups: &SurfaceBindGroups,
    sources: &FieldSources,
    context: &mut RenderContext,
) -> Option<()> {
    let textures = &surface.textures;
    let mut is_whole = Some(());
    if let Some((walls, bind_group)) = textures.walls.as_ref().zip(bind_groups.walls.as_ref()) {
        let pass = WallPass { textures: walls, bind_group, surface };
        is_whole = is_whole.and(draw_walls(&pass, sources, context));
    }
    let liquids = surface.has_liquids.then_some(&textures.liquids);
    let fields = [liquids, textures.gases.as_ref()];
    for (textures, pipeline) in fields.into_iter().zip(surface.field_pipelines) {
        let Some(textures) = textures else { continue };
        let pass = FieldPass {
            textures,
            pipeline,
            bind_group: &bind_groups.field,
            uniform_offset: surface.uniform_offset,
        };
        is_whole = is_whole.and(draw_field(&pass, sources, context));
    }
    if !surface.reads_shallow {
        return is_whole;
    }
    let SurfacePipelines { deep, shape, .. } = sources.pipelines;
    for (pipeline, bind_group, target) in [
        (surface.shallow_pipeline, &bind_groups.shallow, &textures.shallow),
        (*deep, &bind_groups.deep, &textures.deep),
        (*deep, &bind_groups.wide, &textures.wide),
        (*shape, &bind_groups.shape, &textures.shape),
    ] {
        let pipeline = sources.pipeline_cache.get_render_pipeline(pipeline);
        let target = &target.default_view;
        let bind_groups = [(bind_group, surface.uniform_offset)];
        is_whole = is_whole.and(draw_whole(pipeline, &bind_groups, target, context));
    }
    is_whole
}

// Refraction: the items behind a surface are drawn before it and copied.
//
// A view's transparent items are drawn in one pass, from back to front, and a pass cannot read its
// own target. Before a refracting surface, the items behind it are therefore drawn in a separate
// pass, and the result is copied. The view's own pass continues from there, so nothing is drawn
// twice.

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
    view: ViewQuery<(&ExtractedCamera, &ExtractedView, &ViewTarget, &ViewDepth)>,
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
        // This pass also runs without items, because the output of the opaque pass may not be
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
            error!("the picture behind the liquid could not be drawn: {error:?}");
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

/// Prevents the view's own pass from drawing these items again.
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

/// Restores the batch ranges, because Bevy keeps some items of the phase for the next frame.
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

// The draw call of a surface.

/// Adds one item to the transparent phase of every view for each surface that is visible there.
pub(in crate::render::surface) fn queue_surfaces(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipelines: Res<SurfacePipelines>,
    mut specialized: ResMut<SpecializedRenderPipelines<SurfacePipelines>>,
    pipeline_cache: Res<PipelineCache>,
    surfaces: Res<ExtractedSurfaces>,
    mut phases: ResMut<ViewSortedRenderPhases<Transparent2d>>,
    views: Query<(&RenderVisibleEntities, ViewParts)>,
) {
    let draw_function = draw_functions.read().id::<DrawSurface>();
    for (visible, parts) in &views {
        let Some(phase) = phases.get_mut(&parts.view.retained_view_entity) else { continue };
        for (index, surface) in surfaces.0.iter().enumerate() {
            if !sees::<FluidSurface>(visible, surface.entity.1) {
                continue;
            }
            let mut effects = surface.uniform.effects();
            // Without the details texture, no heat is known.
            effects.glow &= surface.details;
            effects.crust &= surface.details;
            let key = SurfaceKeyInView {
                view: parts.key(),
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

/// Binds a surface and draws its strips.
pub(in crate::render::surface) struct DrawStrips;

impl RenderCommand<Transparent2d> for DrawStrips {
    type Param = (SRes<SurfaceViews>, SRes<ExtractedSurfaces>);
    type ViewQuery = Read<ExtractedView>;
    type ItemQuery = ();

    fn render<'w>(
        item: &Transparent2d,
        view: ROQueryItem<'w, '_, Self::ViewQuery>,
        _item_query: Option<()>,
        param: SystemParamItem<'w, '_, Self::Param>,
        pass: &mut TrackedRenderPass<'w>,
    ) -> RenderCommandResult {
        let (views, surfaces) = param;
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
