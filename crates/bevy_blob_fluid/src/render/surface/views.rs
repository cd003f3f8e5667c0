//! Resources of each surface in each view: textures, a uniform and strips.

use std::ops::Range;

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::math::{U16Vec2, Vec4Swizzles};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::ViewSortedRenderPhases;
use bevy::render::render_resource::{
    BindGroup, BufferSlice, BufferUsages, CachedRenderPipelineId, DynamicUniformBuffer, Extent3d,
    PipelineCache, RawBufferVec, SpecializedRenderPipelines, TextureDescriptor, TextureDimension,
    TextureFormat, TextureUsages,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::texture::{CachedTexture, TextureCache};
use bevy::render::view::{ExtractedView, RenderVisibleEntities, RetainedViewEntity, ViewTarget};

use super::extract::{ExtractedSurface, ExtractedSurfaces};
use super::field_layout::{FieldLayout, TILE_STEP};
use super::pipelines::{SurfaceKey, SurfacePipelines};
use super::strips::{PlaneInView, SeenParticles, Strip, StripFinder};
use super::uniform::SurfaceUniform;
use super::walls::{NEAREST_DEPTH, NEAREST_FORMAT, SOLID_FORMAT, WallTextures};
use crate::render::gpu::buffers::FluidBuffers;
use crate::render::gpu::phase::sees;
use crate::render::look::surface::{FluidSurface, FluidSurfaceQuality};

/// Texels on each side of a place that the field's filter reads.
const FILTER_TEXELS: f32 = 2.0;
/// Pixels that an edge is blurred over, and by which walls shift places more than by their inset.
const FILTER_PIXELS: f32 = 2.0;

/// One surface in one view.
pub(super) struct SurfaceView {
    pub view: RetainedViewEntity,
    /// Index of the [`ExtractedSurface`].
    pub surface: usize,
    pub field: CachedTexture,
    pub details: Option<CachedTexture>,
    pub shallow: CachedTexture,
    pub deep: CachedTexture,
    /// The walls that the surface meets, if there are any.
    pub walls: Option<WallTextures>,
    /// Copy of the picture behind, if it is refracted.
    pub behind: Option<Behind>,
    /// The strips that it is drawn in, of all.
    strips: Range<usize>,
    pub uniform_offset: u32,
    pub field_pipeline: CachedRenderPipelineId,
    /// Bind groups in the order in which they are used: field, both coarser ones, the surface
    /// itself.
    pub bind_groups: Option<[BindGroup; 4]>,
}

/// Copy of the picture behind a surface.
pub(super) struct Behind {
    pub texture: CachedTexture,
    /// Corners of the part that is seen through the surface, in pixels of the target.
    pub low: UVec2,
    pub high: UVec2,
}

/// All surfaces in all views of this frame.
#[derive(Resource)]
pub(super) struct SurfaceViews {
    pub views: Vec<SurfaceView>,
    pub uniforms: DynamicUniformBuffer<SurfaceUniform>,
    strips: RawBufferVec<Strip>,
    finder: StripFinder,
}

impl Default for SurfaceViews {
    fn default() -> Self {
        let mut strips = RawBufferVec::new(BufferUsages::VERTEX);
        strips.set_label(Some("fluid_surface_strips"));
        Self {
            views: Vec::new(),
            uniforms: DynamicUniformBuffer::default(),
            strips,
            finder: StripFinder::default(),
        }
    }
}

impl SurfaceViews {
    /// The surfaces that a view sees.
    pub(super) fn of(&self, view: RetainedViewEntity) -> impl Iterator<Item = &SurfaceView> {
        self.views.iter().filter(move |surface| surface.view == view)
    }

    /// The view of one surface.
    pub(super) fn get(&self, view: RetainedViewEntity, surface: usize) -> Option<&SurfaceView> {
        self.of(view).find(|found| found.surface == surface)
    }

    /// The strips of one of them, and their number.
    pub(super) fn strips(&self, surface: &SurfaceView) -> Option<(BufferSlice<'_>, u32)> {
        let bytes = |index| (index * size_of::<Strip>()) as u64;
        let buffer = self.strips.buffer()?;
        // Not every WebGL2 draws from an instance other than the first: the slice begins there.
        let slice = buffer.slice(bytes(surface.strips.start)..bytes(surface.strips.end));
        Some((slice, surface.strips.len() as u32))
    }
}

/// Whether a surface's heat, foam and opacity are drawn.
pub(super) fn has_details(quality: FluidSurfaceQuality) -> bool {
    quality != FluidSurfaceQuality::Low
}

/// Finds textures for all surfaces in all views, and uploads the uniforms.
pub(super) fn prepare_views(
    mut prepared: ResMut<SurfaceViews>,
    surfaces: Res<ExtractedSurfaces>,
    buffers: Res<FluidBuffers>,
    pipelines: Res<SurfacePipelines>,
    mut specialized: ResMut<SpecializedRenderPipelines<SurfacePipelines>>,
    pipeline_cache: Res<PipelineCache>,
    mut textures: ResMut<TextureCache>,
    (device, queue, time): (Res<RenderDevice>, Res<RenderQueue>, Res<Time>),
    phases: Res<ViewSortedRenderPhases<Transparent2d>>,
    views: Query<(&RenderVisibleEntities, &ExtractedCamera, &ExtractedView, Option<&ViewTarget>)>,
) {
    let prepared = &mut *prepared;
    prepared.views.clear();
    prepared.uniforms.clear();
    prepared.strips.clear();
    for (visible, camera, view, target) in &views {
        // Only 2D cameras draw surfaces.
        if phases.get(&view.retained_view_entity).is_none() {
            continue;
        }
        for (index, surface) in surfaces.0.iter().enumerate() {
            if !sees::<FluidSurface>(visible, surface.entity.1) {
                continue;
            }
            let Some((layout, plane)) = layout_in(view, camera, surface, &pipelines, &device)
            else {
                continue;
            };
            let first_strip = prepared.strips.len();
            let particles = SeenParticles {
                instances: buffers.particles(),
                interpolation: surface.interpolation,
                liquids: surface.liquids.len(),
                liquid_of_class: surface.liquids.indices(),
                reach: surface.uniform.reach(surface.walls > 0),
                filters: FILTER_TEXELS * layout.pixels_per_texel + FILTER_PIXELS,
            };
            prepared.finder.find(&plane, &particles, prepared.strips.values_mut());
            let strips = first_strip..prepared.strips.len();
            if strips.is_empty() {
                continue;
            }
            let world_from_pixel = plane.world_from_pixel();
            let refraction = surface.uniform.longest_refraction();
            let behind = target.filter(|_| refraction > 0.0).map(|target| {
                let texture = copy_of_target(target, &mut textures, &device);
                let pixel = world_from_pixel.row(0).truncate().length();
                let [low, high] =
                    seen_through(&prepared.strips.values()[strips.clone()], refraction / pixel);
                // Corners of the view.
                let origin = view.viewport.xy();
                let end = (origin + view.viewport.zw())
                    .min(UVec2::new(texture.texture.width(), texture.texture.height()));
                Behind { texture, low: (origin + low).min(end), high: (origin + high).min(end) }
            });
            let time = time.elapsed_secs_wrapped();
            let uniform =
                surface.uniform.in_view(&layout, world_from_pixel, time, behind.is_some());
            let details = has_details(surface.quality);
            let mut texture =
                |label, size, format| get_texture(&mut textures, &device, label, size, format);
            let all_tiles = layout.texture();
            let walls = (surface.walls > 0).then(|| WallTextures {
                nearest: texture("fluid_nearest_wall", layout.tile, NEAREST_FORMAT),
                depth: texture("fluid_nearest_wall_depth", layout.tile, NEAREST_DEPTH),
                solid: texture("fluid_solid", layout.tile / 4, SOLID_FORMAT),
                count: surface.walls,
                bind_group: None,
            });
            prepared.views.push(SurfaceView {
                view: view.retained_view_entity,
                surface: index,
                field: texture("fluid_field", all_tiles, pipelines.format),
                details: details
                    .then(|| texture("fluid_field_details", all_tiles, pipelines.format)),
                shallow: texture("fluid_field_shallow", layout.tile / 4, pipelines.format),
                deep: texture("fluid_field_deep", layout.tile / TILE_STEP, pipelines.format),
                walls,
                behind,
                strips,
                uniform_offset: prepared.uniforms.push(&uniform),
                field_pipeline: specialized.specialize(
                    &pipeline_cache,
                    &pipelines,
                    SurfaceKey::Field { details, walls: surface.walls > 0 },
                ),
                bind_groups: None,
            });
        }
    }
    if !prepared.views.is_empty() {
        prepared.uniforms.write_buffer(&device, &queue);
        // Room to grow, so that liquid that spreads does not need a new buffer every frame.
        if prepared.strips.capacity() < prepared.strips.len() {
            prepared.strips.reserve(prepared.strips.len().next_power_of_two(), &device);
        }
        prepared.strips.write_buffer(&device, &queue);
    }
}

/// Corners of the box around strips and what they show of the picture behind, which is shifted by
/// up to `shift` pixels.
fn seen_through(strips: &[Strip], shift: f32) -> [UVec2; 2] {
    let (mut low, mut high) = (UVec2::MAX, UVec2::ZERO);
    for strip in strips {
        low = low.min(U16Vec2::from(strip.low).as_uvec2());
        high = high.max(U16Vec2::from(strip.high).as_uvec2());
    }
    // Filters read half a pixel more. No view is wider than the limit.
    let shift = UVec2::splat(shift.min(65_535.0) as u32 + 2);
    [low.saturating_sub(shift), high + shift]
}

/// Sizes of a view's textures, and the plane of the liquid in it.
fn layout_in(
    view: &ExtractedView,
    camera: &ExtractedCamera,
    surface: &ExtractedSurface,
    pipelines: &SurfacePipelines,
    device: &RenderDevice,
) -> Option<(FieldLayout, PlaneInView)> {
    let size = camera.physical_viewport_size?;
    let clip_from_world = view
        .clip_from_world
        .unwrap_or_else(|| view.clip_from_view * view.world_from_view.to_matrix().inverse());
    let on_screen = |point: Vec2| {
        let clip = clip_from_world * point.extend(surface.depth).extend(1.0);
        clip.truncate().truncate() / clip.w * 0.5 * size.as_vec2()
    };
    let [right, up] = [Vec2::X, Vec2::Y]
        .map(|axis| (on_screen(axis * surface.particle_spacing) - on_screen(Vec2::ZERO)).length());
    let layout = FieldLayout::new(
        size,
        right.max(up),
        surface.quality.texels_per_spacing(),
        surface.liquids.len(),
        device.limits().max_texture_dimension_2d,
        pipelines.format == TextureFormat::Rgba16Float,
    )?;
    Some((layout, PlaneInView::new(clip_from_world, surface.depth, size)?))
}

fn get_texture(
    textures: &mut TextureCache,
    device: &RenderDevice,
    label: &'static str,
    size: UVec2,
    format: TextureFormat,
) -> CachedTexture {
    let usage = TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING;
    textures.get(device, descriptor(label, size, format, usage))
}

fn copy_of_target(
    target: &ViewTarget,
    textures: &mut TextureCache,
    device: &RenderDevice,
) -> CachedTexture {
    let main = target.main_texture();
    let size = UVec2::new(main.width(), main.height());
    let usage = TextureUsages::COPY_DST | TextureUsages::TEXTURE_BINDING;
    textures.get(device, descriptor("fluid_behind", size, main.format(), usage))
}

fn descriptor(
    label: &'static str,
    size: UVec2,
    format: TextureFormat,
    usage: TextureUsages,
) -> TextureDescriptor<'static> {
    TextureDescriptor {
        label: Some(label),
        size: Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    }
}
