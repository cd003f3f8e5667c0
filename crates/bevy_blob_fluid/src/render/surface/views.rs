//! Resources of each surface in each view: textures, a uniform and strips.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::math::{U16Vec2, Vec4Swizzles};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::ViewSortedRenderPhases;
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BindGroupEntry, BindGroupLayoutDescriptor, BufferBinding,
    BufferSlice, BufferUsages, CachedRenderPipelineId, DynamicBindGroupEntries,
    DynamicUniformBuffer, Extent3d, PipelineCache, RawBufferVec, SpecializedRenderPipelines,
    TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::MainEntity;
use bevy::render::texture::{CachedTexture, TextureCache};
use bevy::render::view::{ExtractedView, RenderVisibleEntities, RetainedViewEntity, ViewTarget};

use crate::render::gpu::{FluidBuffers, FluidDrawingWork, sees};
use crate::render::look::surface::FluidSurface;
use crate::render::surface::extract::{
    ExtractedSurface, ExtractedSurfaces, NEAREST_DEPTH, NEAREST_FORMAT, SOLID_FORMAT, WallBuffers,
    WallTextures,
};
use crate::render::surface::pipelines::{
    FieldKey, HazeKey, ShallowKey, SurfaceKey, SurfacePipelines,
};
use crate::render::surface::strips::{PlaneInView, SeenParticles, Strip, StripFinder};
use crate::render::surface::uniform::{
    Channels, DEEP_STEP, FieldLayout, FieldRequest, SurfaceUniform,
};

/// Radius of the field's filter, in texels.
const FILTER_TEXELS: f32 = 2.0;
/// Width of the blur of an edge, in pixels. It also covers positions that walls displace by more
/// than their inset.
const FILTER_PIXELS: f32 = 2.0;
/// Texels of the field of gases per particle spacing. Puffs are wide, so few texels suffice.
const GAS_TEXELS_PER_SPACING: f32 = 0.75;
/// Texels of haze per particle spacing without liquids. The swirl is several spacings wide.
const HAZE_TEXELS_PER_SPACING: f32 = 1.0;

/// One surface in one view.
pub(super) struct SurfaceView {
    pub view: RetainedViewEntity,
    /// Index of the [`ExtractedSurface`].
    pub surface: usize,
    entity: MainEntity,
    pub textures: SurfaceTextures,
    /// Whether the surface has liquids besides gases.
    pub has_liquids: bool,
    /// Whether the shallow texture and its derived textures are read. Without liquids, only glowing gases need them.
    pub reads_shallow: bool,
    /// Number of texels that a particle covers in the textures of the field.
    pub texels_per_particle: u32,
    /// Number of walls that it meets.
    pub walls: u32,
    /// Copy of the picture behind, if it is refracted.
    pub behind: Option<Behind>,
    /// The range of its strips among all strips.
    strips: Range<usize>,
    pub uniform_offset: u32,
    /// The pipelines of the fields of liquids and of gases.
    pub field_pipelines: [CachedRenderPipelineId; 2],
    /// The pipeline from the field to the shallow texture.
    pub shallow_pipeline: CachedRenderPipelineId,
    /// The pipeline from the field of gases to their haze, if the surface has gases.
    pub haze_pipeline: Option<CachedRenderPipelineId>,
    pub bind_groups: Option<SurfaceBindGroups>,
}

/// The bind groups of a surface in a view, by the pass that uses them.
pub(super) struct SurfaceBindGroups {
    pub walls: Option<BindGroup>,
    pub field: BindGroup,
    pub shallow: BindGroup,
    pub deep: BindGroup,
    pub wide: BindGroup,
    pub shape: BindGroup,
    pub haze: Option<BindGroup>,
    pub surface: BindGroup,
}

/// Copy of the picture behind a surface.
pub(super) struct Behind {
    pub texture: CachedTexture,
    /// Corners of the part that is visible through the surface, in pixels of the target.
    pub low: UVec2,
    pub high: UVec2,
}

/// State of a surface in a view that is kept from frame to frame.
struct Kept {
    kinds: TextureKinds,
    textures: SurfaceTextures,
    strips: Vec<Strip>,
    /// Inputs of the fields and strips.
    state: FieldState,
    /// Whether the strips belong to the state.
    has_strips: bool,
    /// Whether the fields are drawn.
    is_drawn: AtomicBool,
    /// Whether the surface is visible in the view in this frame.
    is_seen: bool,
}

/// All inputs of a surface's fields and strips in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FieldState {
    uniform: SurfaceUniform,
    clip_from_world: Mat4,
    size: UVec2,
    /// Revisions of particles and colours.
    revisions: [u64; 2],
    /// Revision of the walls, if the surface meets any.
    walls: Option<u64>,
    pipelines: [CachedRenderPipelineId; 3],
}

/// All surfaces in all views of this frame.
#[derive(Resource)]
pub(super) struct SurfaceViews {
    pub views: Vec<SurfaceView>,
    pub uniforms: DynamicUniformBuffer<SurfaceUniform>,
    /// Content of `uniforms`, with offsets.
    uploaded: Vec<(SurfaceUniform, u32)>,
    strips: RawBufferVec<Strip>,
    finder: StripFinder,
    kept: HashMap<(RetainedViewEntity, MainEntity), Kept>,
}

impl Default for SurfaceViews {
    fn default() -> Self {
        let mut strips = RawBufferVec::new(BufferUsages::VERTEX);
        strips.set_label(Some("fluid_surface_strips"));
        Self {
            views: Vec::new(),
            uniforms: DynamicUniformBuffer::default(),
            uploaded: Vec::new(),
            strips,
            finder: StripFinder::default(),
            kept: HashMap::new(),
        }
    }
}

impl SurfaceViews {
    /// The surfaces that are visible in a view.
    pub(super) fn of(&self, view: RetainedViewEntity) -> impl Iterator<Item = &SurfaceView> {
        self.views.iter().filter(move |surface| surface.view == view)
    }

    /// One surface in a view.
    pub(super) fn get(&self, view: RetainedViewEntity, surface: usize) -> Option<&SurfaceView> {
        self.of(view).find(|found| found.surface == surface)
    }

    /// The strips of a surface, and their number.
    pub(super) fn strips(&self, surface: &SurfaceView) -> Option<(BufferSlice<'_>, u32)> {
        let bytes = |index| (index * size_of::<Strip>()) as u64;
        let buffer = self.strips.buffer()?;
        // Some WebGL2 implementations cannot start at an instance other than 0, so the slice starts
        // there.
        let slice = buffer.slice(bytes(surface.strips.start)..bytes(surface.strips.end));
        Some((slice, surface.strips.len() as u32))
    }

    /// Whether a surface's fields of an earlier frame are still valid.
    pub(super) fn has_fields(&self, surface: &SurfaceView) -> bool {
        let kept = self.kept.get(&(surface.view, surface.entity));
        kept.is_some_and(|kept| kept.is_drawn.load(Ordering::Relaxed))
    }

    /// Marks a surface's fields as drawn and valid.
    pub(super) fn keep_fields(&self, surface: &SurfaceView) {
        if let Some(kept) = self.kept.get(&(surface.view, surface.entity)) {
            kept.is_drawn.store(true, Ordering::Relaxed);
        }
    }
}

/// Prepares the textures, uniforms and strips of all surfaces in all views.
pub(super) fn prepare_views(
    mut prepared: ResMut<SurfaceViews>,
    surfaces: Res<ExtractedSurfaces>,
    buffers: Res<FluidBuffers>,
    walls: Res<WallBuffers>,
    pipelines: Res<SurfacePipelines>,
    mut specialized: ResMut<SpecializedRenderPipelines<SurfacePipelines>>,
    pipeline_cache: Res<PipelineCache>,
    mut textures: ResMut<TextureCache>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    mut work: ResMut<FluidDrawingWork>,
    phases: Res<ViewSortedRenderPhases<Transparent2d>>,
    views: Query<(&RenderVisibleEntities, &ExtractedCamera, &ExtractedView, Option<&ViewTarget>)>,
) {
    let prepared = &mut *prepared;
    prepared.views.clear();
    prepared.kept.values_mut().for_each(|kept| kept.is_seen = false);
    let mut uniforms = Vec::new();
    let mut strips: Vec<Strip> = Vec::new();
    for (visible, camera, view, target) in &views {
        // Only 2D cameras draw surfaces.
        if phases.get(&view.retained_view_entity).is_none() {
            continue;
        }
        for (index, surface) in surfaces.0.iter().enumerate() {
            if !sees::<FluidSurface>(visible, surface.entity.1) {
                continue;
            }
            let Some(seen) = seen_in(view, camera, surface, &pipelines, &device) else {
                continue;
            };
            let layouts = [seen.kinds.liquids, seen.kinds.gases.unwrap_or(seen.kinds.liquids)]
                .map(|field| field.layout);
            let world_from_pixel = seen.plane.world_from_pixel();
            let fields = [&layouts[0], &layouts[1]];
            let uniform = surface.uniform.in_view(fields, world_from_pixel, surface.time);
            let at_walls = surface.walls > 0;
            let mut pipeline =
                |key| specialized.specialize(&pipeline_cache, &pipelines, SurfaceKey::Field(key));
            let field_pipelines = [
                pipeline(FieldKey::of_liquids(
                    surface.channels,
                    seen.kinds.liquids.details,
                    at_walls,
                )),
                pipeline(FieldKey::of_gases(surface.details, at_walls)),
            ];
            let shallow_pipeline = specialized.specialize(
                &pipeline_cache,
                &pipelines,
                SurfaceKey::Shallow(ShallowKey {
                    channels: surface.channels,
                    details: surface.details,
                    gases: seen.kinds.gases.is_some(),
                    walls: at_walls,
                }),
            );
            let has_liquids = surface.channels != Channels::NoLiquid;
            let glows = surface.details && surface.uniform.effects().glow;
            let haze_pipeline = seen.kinds.gases.map(|gases| {
                let key = HazeKey { details: gases.details, glow: glows, walls: at_walls };
                specialized.specialize(&pipeline_cache, &pipelines, SurfaceKey::Haze(key))
            });
            let state = FieldState {
                uniform: uniform.of_fields(),
                clip_from_world: seen.clip_from_world,
                size: seen.size,
                revisions: buffers.revisions(),
                walls: at_walls.then(|| walls.revision()),
                pipelines: [field_pipelines[0], field_pipelines[1], shallow_pipeline],
            };
            let key = (view.retained_view_entity, surface.entity.1);
            let kept = prepared.kept.entry(key);
            let kept = match kept {
                Entry::Occupied(kept) if kept.get().kinds == seen.kinds => {
                    let kept = kept.into_mut();
                    if kept.state != state {
                        kept.state = state;
                        *kept.is_drawn.get_mut() = false;
                        kept.has_strips = false;
                    }
                    kept
                }
                kept => kept
                    .insert_entry(Kept {
                        kinds: seen.kinds,
                        textures: SurfaceTextures::new(&seen.kinds, &device),
                        strips: Vec::new(),
                        state,
                        has_strips: false,
                        is_drawn: AtomicBool::new(false),
                        is_seen: true,
                    })
                    .into_mut(),
            };
            kept.is_seen = true;
            if !kept.has_strips {
                let texel = layouts[0]
                    .pixels_per_texel
                    .max(seen.kinds.gases.map_or(0.0, |gases| gases.layout.pixels_per_texel));
                let particles = SeenParticles {
                    places: buffers.places(),
                    interpolation: surface.interpolation,
                    liquids: surface.liquids.len(),
                    liquid_of_class: surface.liquids.indices(),
                    reach: state.uniform.reach(at_walls),
                    filters: FILTER_TEXELS * texel + FILTER_PIXELS,
                };
                kept.strips.clear();
                prepared.finder.find(&seen.plane, &particles, &mut kept.strips);
                kept.has_strips = true;
            }
            if kept.strips.is_empty() {
                continue;
            }
            let refraction = surface.uniform.longest_refraction();
            let behind = target.filter(|_| refraction > 0.0).map(|target| {
                let texture = copy_of_target(target, &mut textures, &device);
                let pixel = world_from_pixel.row(0).truncate().length();
                let [low, high] = seen_through(&kept.strips, refraction / pixel);
                // Corners of the view.
                let origin = view.viewport.xy();
                let end = (origin + view.viewport.zw())
                    .min(UVec2::new(texture.texture.width(), texture.texture.height()));
                Behind { texture, low: (origin + low).min(end), high: (origin + high).min(end) }
            });
            uniforms.push(uniform.before(behind.is_some()));
            let textures_of_field = if seen.kinds.liquids.details { 2.0 } else { 1.0 };
            let first_strip = strips.len();
            strips.extend_from_slice(&kept.strips);
            prepared.views.push(SurfaceView {
                view: view.retained_view_entity,
                surface: index,
                entity: surface.entity.1,
                textures: kept.textures.clone(),
                has_liquids,
                reads_shallow: has_liquids || glows,
                texels_per_particle: (uniform.texels_per_particle() * textures_of_field).round()
                    as u32,
                walls: surface.walls,
                behind,
                strips: first_strip..strips.len(),
                uniform_offset: 0,
                field_pipelines,
                shallow_pipeline,
                haze_pipeline,
                bind_groups: None,
            });
        }
    }
    prepared.kept.retain(|_, kept| kept.is_seen);
    prepared.upload(&uniforms, &strips, &device, &queue, &mut work);
}

impl SurfaceViews {
    /// Uploads the uniforms and the strips of all views, in their order, if they changed.
    fn upload(
        &mut self,
        uniforms: &[SurfaceUniform],
        strips: &[Strip],
        device: &RenderDevice,
        queue: &RenderQueue,
        work: &mut FluidDrawingWork,
    ) {
        if !self.uploaded.iter().map(|(uniform, _)| uniform).eq(uniforms) {
            self.uniforms.clear();
            self.uploaded.clear();
            for uniform in uniforms {
                self.uploaded.push((*uniform, self.uniforms.push(uniform)));
            }
            work.bytes_uploaded += size_of_val(uniforms) as u64;
            self.uniforms.write_buffer(device, queue);
        }
        for (view, (_, offset)) in self.views.iter_mut().zip(&self.uploaded) {
            view.uniform_offset = *offset;
        }
        if self.strips.values() != strips {
            self.strips.clear();
            self.strips.extend(strips.iter().copied());
            // Spare capacity, so that spreading liquid does not allocate a new buffer every frame.
            if self.strips.capacity() < strips.len() {
                self.strips.reserve(strips.len().next_power_of_two(), device);
            }
            work.add_bytes(strips);
            self.strips.write_buffer(device, queue);
        }
    }
}

/// Corners of the box around strips and the visible part of the picture behind, which is shifted by
/// up to `shift` pixels.
fn seen_through(strips: &[Strip], shift: f32) -> [UVec2; 2] {
    let (mut low, mut high) = (UVec2::MAX, UVec2::ZERO);
    for strip in strips {
        low = low.min(U16Vec2::from(strip.low).as_uvec2());
        high = high.max(U16Vec2::from(strip.high).as_uvec2());
    }
    // Filters read half a pixel more. The limit is wider than any view.
    let shift = UVec2::splat(shift.min(65_535.0) as u32 + 2);
    [low.saturating_sub(shift), high + shift]
}

/// The plane of a surface in a view, and the kinds of its textures.
struct SeenSurface {
    size: UVec2,
    clip_from_world: Mat4,
    plane: PlaneInView,
    kinds: TextureKinds,
}

/// A surface in a view; `None` if it is not visible.
fn seen_in(
    view: &ExtractedView,
    camera: &ExtractedCamera,
    surface: &ExtractedSurface,
    pipelines: &SurfacePipelines,
    device: &RenderDevice,
) -> Option<SeenSurface> {
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
    let texels_per_spacing = match surface.channels {
        Channels::NoLiquid => HAZE_TEXELS_PER_SPACING,
        _ => surface.quality.texels_per_spacing() * surface.uniform.fineness(),
    };
    let request = FieldRequest {
        view: size,
        spacing: right.max(up),
        texels_per_spacing,
        tiles: surface.channels.tiles(surface.liquids.len() - surface.gases).max(1),
        largest_texture: device.limits().max_texture_dimension_2d,
        floats: pipelines.format == TextureFormat::Rgba16Float,
    };
    let details = surface.details;
    let liquids = FieldKind {
        layout: FieldLayout::new(&request)?,
        details: details && surface.channels.need_details(),
    };
    let gases = FieldLayout::new(&FieldRequest {
        texels_per_spacing: GAS_TEXELS_PER_SPACING,
        tiles: surface.gases,
        ..request
    });
    let kinds = TextureKinds {
        liquids,
        gases: gases.map(|layout| FieldKind { layout, details }),
        walls: surface.walls > 0,
        format: pipelines.format,
    };
    let plane = PlaneInView::new(clip_from_world, surface.depth, size)?;
    Some(SeenSurface { size, clip_from_world, plane, kinds })
}

fn copy_of_target(
    target: &ViewTarget,
    textures: &mut TextureCache,
    device: &RenderDevice,
) -> CachedTexture {
    let main = target.main_texture();
    let size = UVec2::new(main.width(), main.height());
    let descriptor = TextureDescriptor {
        label: Some("fluid_behind"),
        size: Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: main.format(),
        usage: TextureUsages::COPY_DST | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    };
    textures.get(device, descriptor)
}

// The textures of a surface in a view.

/// A field's layout, and whether heat, foam, opacity and shade have a separate texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldKind {
    pub layout: FieldLayout,
    pub details: bool,
}

/// The sizes and formats of the textures of a surface in a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextureKinds {
    pub liquids: FieldKind,
    /// `None` without gases.
    pub gases: Option<FieldKind>,
    pub walls: bool,
    pub format: TextureFormat,
}

/// A field, and the texture of its heat, foam, opacity and shade.
#[derive(Clone)]
pub(super) struct FieldTextures {
    pub field: CachedTexture,
    pub details: Option<CachedTexture>,
}

/// The textures of a surface in a view.
#[derive(Clone)]
pub(super) struct SurfaceTextures {
    pub liquids: FieldTextures,
    pub gases: Option<FieldTextures>,
    /// Fill, light and shade of the surroundings: near, far, and over a large part of the view.
    pub shallow: CachedTexture,
    pub deep: CachedTexture,
    pub wide: CachedTexture,
    /// Slope of the surface, and depth below it.
    pub shape: CachedTexture,
    /// The haze of gases, if the surface has gases.
    pub haze: Option<CachedTexture>,
    /// The walls that the surface meets, if any.
    pub walls: Option<WallTextures>,
}

impl SurfaceTextures {
    /// Textures of the given kinds, with undefined contents.
    pub(super) fn new(kinds: &TextureKinds, device: &RenderDevice) -> Self {
        let texture = |label, size, format| create(device, label, size, format);
        let field = |kind: &FieldKind, [field, details]: [&'static str; 2]| FieldTextures {
            field: texture(field, kind.layout.texture(), kinds.format),
            details: kind.details.then(|| texture(details, kind.layout.texture(), kinds.format)),
        };
        let layout = &kinds.liquids.layout;
        let shallow = layout.tile / layout.step();
        let deep = shallow / DEEP_STEP;
        // The last texel may extend beyond the deep texture.
        let wide = (deep + DEEP_STEP - 1) / DEEP_STEP;
        Self {
            liquids: field(&kinds.liquids, ["fluid_field", "fluid_field_details"]),
            gases: kinds.gases.map(|gases| field(&gases, ["fluid_gas", "fluid_gas_details"])),
            shallow: texture("fluid_field_shallow", shallow, kinds.format),
            deep: texture("fluid_field_deep", deep, kinds.format),
            wide: texture("fluid_field_wide", wide, kinds.format),
            shape: texture("fluid_shape", shallow, kinds.format),
            haze: kinds.gases.map(|_| texture("fluid_haze", layout.tile, kinds.format)),
            walls: kinds.walls.then(|| WallTextures {
                nearest: texture("fluid_nearest_wall", layout.walls(), NEAREST_FORMAT),
                depth: texture("fluid_nearest_wall_depth", layout.walls(), NEAREST_DEPTH),
                solid: texture("fluid_solid", shallow, SOLID_FORMAT),
            }),
        }
    }
}

fn create(
    device: &RenderDevice,
    label: &'static str,
    size: UVec2,
    format: TextureFormat,
) -> CachedTexture {
    let texture = device.create_texture(&TextureDescriptor {
        label: Some(label),
        size: Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let default_view = texture.create_view(&TextureViewDescriptor::default());
    CachedTexture { texture, default_view }
}

// The bind groups of each surface in each view.

/// Creates the bind groups.
pub(super) fn prepare_bind_groups(
    mut prepared: ResMut<SurfaceViews>,
    buffers: Res<FluidBuffers>,
    walls: Res<WallBuffers>,
    pipelines: Res<SurfacePipelines>,
    pipeline_cache: Res<PipelineCache>,
    device: Res<RenderDevice>,
) {
    let SurfaceViews { views, uniforms, .. } = &mut *prepared;
    let (Some(uniform), Some(palette)) = (uniforms.binding(), buffers.palette()) else {
        return;
    };
    let group = |label, layout: &BindGroupLayoutDescriptor, entries: &[BindGroupEntry]| {
        device.create_bind_group(label, &pipeline_cache.get_bind_group_layout(layout), entries)
    };
    let layouts = &pipelines.layouts;
    let linear = &pipelines.linear;
    let palette = BufferBinding { buffer: palette, offset: 0, size: None };
    for view in views {
        // The shader does not read a missing texture, so the field is bound instead.
        let textures = &view.textures;
        let field = &textures.liquids.field;
        let gases = textures.gases.as_ref();
        let behind = view.behind.as_ref().map(|behind| &behind.texture);
        let [field, details, gas, gas_details, haze, behind, shallow, deep, wide, shape] = [
            Some(field),
            textures.liquids.details.as_ref(),
            gases.map(|gases| &gases.field),
            gases.and_then(|gases| gases.details.as_ref()),
            textures.haze.as_ref(),
            behind,
            Some(&textures.shallow),
            Some(&textures.deep),
            Some(&textures.wide),
            Some(&textures.shape),
        ]
        .map(|texture| &texture.unwrap_or(field).default_view);
        let uniform = || uniform.clone();
        let mut to_field = DynamicBindGroupEntries::sequential((uniform(), palette.clone()));
        let mut to_shallow =
            DynamicBindGroupEntries::sequential((uniform(), field, linear, details, gas_details));
        let to_deep =
            BindGroupEntries::sequential((uniform(), shallow, linear, details, gas_details));
        let to_wide = BindGroupEntries::sequential((uniform(), deep, linear, details, gas_details));
        let to_shape = BindGroupEntries::sequential((uniform(), shallow, deep, wide));
        // The haze is drawn from the gases. The view then reads it at the binding of the gases.
        let [mut to_haze, mut to_view] = [gas, haze].map(|gas_or_haze| {
            DynamicBindGroupEntries::sequential((
                uniform(),
                field,
                details,
                shape,
                deep,
                behind,
                linear,
                gas_or_haze,
                gas_details,
                shallow,
            ))
        });
        let mut at_walls = 0;
        let mut to_walls = None;
        if let Some((textures, walls)) = textures.walls.as_ref().zip(walls.view()) {
            at_walls = 1;
            let [nearest, solid] =
                [&textures.nearest, &textures.solid].map(|texture| &texture.default_view);
            to_field = to_field.extend_sequential((walls, nearest, solid));
            to_shallow = to_shallow.extend_sequential((solid,));
            to_haze = to_haze.extend_sequential((walls, nearest, solid));
            to_view = to_view.extend_sequential((walls, nearest, solid));
            let entries = BindGroupEntries::sequential((uniform(), walls));
            to_walls = Some(group("fluid_wall_bind_group", &layouts.wall, &entries));
        }
        view.bind_groups = Some(SurfaceBindGroups {
            walls: to_walls,
            field: group("fluid_field_bind_group", &layouts.field[at_walls], &to_field),
            shallow: group("fluid_shallow_bind_group", &layouts.coarser[at_walls], &to_shallow),
            deep: group("fluid_deep_bind_group", &layouts.coarser[0], &to_deep),
            wide: group("fluid_wide_bind_group", &layouts.coarser[0], &to_wide),
            shape: group("fluid_shape_bind_group", &layouts.shape, &to_shape),
            haze: textures
                .haze
                .as_ref()
                .map(|_| group("fluid_haze_bind_group", &layouts.surface[at_walls], &to_haze)),
            surface: group("fluid_surface_bind_group", &layouts.surface[at_walls], &to_view),
        });
    }
}
