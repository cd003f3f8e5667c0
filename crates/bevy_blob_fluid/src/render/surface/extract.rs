//! The copy from the app's world to the renderer's.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_resource::{
    BindGroup, BindGroupLayoutDescriptor, Buffer, BufferUsages, Extent3d, Origin3d, RawBufferVec,
    TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::{MainEntity, RenderEntity};
use bevy::render::texture::CachedTexture;
use blob_fluid::ClassId;

use crate::materials::FilteredClasses;
use crate::render::gpu::FluidDrawingWork;
use crate::render::instance::{
    FluidBlending, FluidDrawnTime, FluidGases, FluidInstances, FluidInterpolation, FluidPalette,
    FluidWall, FluidWalls, SolidTriangle,
};
use crate::render::look::detail::FluidDetail;
use crate::render::look::surface::{FluidSurface, FluidSurfaceQuality};
use crate::render::shader::ShaderSource;
use crate::render::surface::uniform::{Channels, Liquids, SurfaceInputs, SurfaceUniform};

/// A [`FluidSurface`] that is visible to some camera.
pub(super) struct ExtractedSurface {
    pub entity: (Entity, MainEntity),
    pub depth: f32,
    pub quality: FluidSurfaceQuality,
    pub liquids: Liquids,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    /// Time for the motion of gases and caustics, in seconds.
    pub time: f32,
    pub particle_spacing: f32,
    /// The layout of the liquids' fields in the channels.
    pub channels: Channels,
    /// Number of its liquids that are gases.
    pub gases: usize,
    /// Whether heat, foam, opacity and shade are drawn; false at low quality.
    pub details: bool,
    /// Number of walls that it meets.
    pub walls: u32,
    pub uniform: SurfaceUniform,
    /// Set by `attach_looks` as soon as the assets of the look are ready.
    pub custom_look: Option<AttachedLook>,
}

/// This frame's surfaces.
#[derive(Resource, Default)]
pub(super) struct ExtractedSurfaces(pub Vec<ExtractedSurface>);

/// Copies the surfaces, if any particles exist.
pub(super) fn extract_surfaces(
    mut extracted: ResMut<ExtractedSurfaces>,
    instances: Extract<Res<FluidInstances>>,
    interpolation: Extract<Res<FluidInterpolation>>,
    palette: Extract<Res<FluidPalette>>,
    blending: Extract<Res<FluidBlending>>,
    (classes, gas_classes): (Extract<FilteredClasses>, Extract<Res<FluidGases>>),
    walls: Extract<Res<FluidWalls>>,
    detail: Extract<Res<FluidDetail>>,
    time: Extract<Res<Time>>,
    drawn_time: Extract<Res<FluidDrawnTime>>,
    surfaces: Extract<
        Query<(Entity, RenderEntity, &FluidSurface, &GlobalTransform, &ViewVisibility)>,
    >,
) {
    extracted.0.clear();
    let particle_spacing = instances.particle_spacing();
    let Some(bounds) = instances.bounds().filter(|_| particle_spacing > 0.0) else {
        return;
    };
    let colors: Vec<Vec4> =
        palette.as_slice().iter().map(|color| color.to_linear().to_vec4()).collect();
    let time = drawn_time.0.unwrap_or_else(|| time.elapsed_secs_wrapped());
    // A constant interpolation keeps the picture of resting liquid bit-identical, so fields are
    // reused.
    let interpolation = if instances.is_moving() { interpolation.0.clamp(0.0, 1.0) } else { 1.0 };
    let is_tinted = instances.has_tints() && !palette.is_by_instance();
    let is_clear = |color: &Vec4| color.w < 1.0;
    for (main_entity, render_entity, surface, transform, visibility) in &surfaces {
        if !visibility.get() {
            continue;
        }
        let surface = surface.resolved(&classes);
        let surface = &*detail.of(&surface);
        let depth = transform.translation().z;
        let is_gas = |class| surface.look_of(ClassId(class), &gas_classes).haze > 0.0;
        let liquids = Liquids::new(instances.classes(), &blending.0, surface.mixing, is_gas);
        let by_instance = palette.is_by_instance();
        let own_colors = by_instance || instances.has_paint();
        let channels = Channels::new(&liquids, is_gas, instances.classes(), &colors, own_colors);
        let gases = liquids.first_classes().iter().filter(|class| is_gas(**class)).count();
        let inputs = SurfaceInputs {
            bounds,
            liquids,
            particle_spacing,
            interpolation,
            depth,
            by_instance,
            colors: &colors,
            inside_out: walls.solids.inside_out,
            contained: walls.solids.contained,
        };
        let uniform = SurfaceUniform::new(surface, &gas_classes, &inputs);
        let has_details = is_tinted || uniform.effects().grain || colors.iter().any(is_clear);
        extracted.0.push(ExtractedSurface {
            entity: (render_entity, main_entity.into()),
            depth,
            quality: surface.quality,
            liquids,
            interpolation,
            time,
            particle_spacing,
            channels,
            gases,
            details: surface.quality != FluidSurfaceQuality::Low && has_details,
            walls: if surface.meets_walls { walls.as_slice().len() as u32 } else { 0 },
            uniform,
            custom_look: None,
        });
    }
}

// The walls on the GPU, and the textures that are drawn from them.

/// Format of the index of the nearest wall, from 1; 0 without a near wall.
pub(super) const NEAREST_FORMAT: TextureFormat = TextureFormat::R32Uint;
/// Format of the depth by which the nearest wall is selected.
pub(super) const NEAREST_DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Format of the count of solids.
pub(super) const SOLID_FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

/// Walls per row of the texture.
const PER_ROW: u32 = 256;
/// Texels per wall.
const TEXELS: u32 = 2;

/// The walls on the GPU.
#[derive(Resource)]
pub(super) struct WallBuffers {
    walls: Vec<FluidWall>,
    triangles: RawBufferVec<SolidTriangle>,
    revision: u64,
    changed: bool,
    texture: Option<(Texture, TextureView)>,
}

impl Default for WallBuffers {
    fn default() -> Self {
        let mut triangles = RawBufferVec::new(BufferUsages::VERTEX);
        triangles.set_label(Some("fluid_solids"));
        Self { walls: Vec::new(), triangles, revision: 0, changed: true, texture: None }
    }
}

impl WallBuffers {
    /// The texture with all walls.
    pub(super) fn view(&self) -> Option<&TextureView> {
        self.texture.as_ref().map(|(_, view)| view)
    }

    /// The revision of the walls.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// The triangles of solids and their count; `None` without triangles.
    pub(super) fn triangles(&self) -> Option<(&Buffer, u32)> {
        let count = self.triangles.len() as u32;
        self.triangles.buffer().filter(|_| count > 0).map(|buffer| (buffer, count))
    }
}

/// Copies the walls if they changed since the last copy.
pub(super) fn extract_walls(mut buffers: ResMut<WallBuffers>, walls: Extract<Res<FluidWalls>>) {
    if walls.revision() == buffers.revision {
        return;
    }
    let buffers = &mut *buffers;
    buffers.revision = walls.revision();
    buffers.walls.clear();
    buffers.walls.extend_from_slice(walls.as_slice());
    buffers.triangles.clear();
    buffers.triangles.extend(walls.solids.triangles.iter().copied());
    buffers.changed = true;
}

/// Uploads the walls if they changed.
pub(super) fn prepare_walls(
    mut buffers: ResMut<WallBuffers>,
    mut work: ResMut<FluidDrawingWork>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    let buffers = &mut *buffers;
    if !std::mem::take(&mut buffers.changed) {
        return;
    }
    // Whole rows are uploaded. At least one wall follows the last real one, and it is far from
    // every point.
    let rows = (buffers.walls.len() as u32 / PER_ROW) + 1;
    let rows = rows.min(device.limits().max_texture_dimension_2d);
    let far_away = Vec2::splat(1e9);
    let filling = FluidWall::line(far_away, far_away, 0.0);
    buffers.walls.resize((rows * PER_ROW) as usize, filling);
    let height = buffers.texture.as_ref().map_or(0, |(texture, _)| texture.height());
    if height < rows {
        let texture = device.create_texture(&TextureDescriptor {
            label: Some("fluid_walls"),
            size: Extent3d {
                width: PER_ROW * TEXELS,
                height: rows.next_power_of_two(),
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: TextureFormat::Rgba32Float,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let view = texture.create_view(&TextureViewDescriptor::default());
        buffers.texture = Some((texture, view));
    }
    work.add_bytes(&buffers.walls);
    work.add_bytes(buffers.triangles.values().as_slice());
    if let Some((texture, _)) = &buffers.texture {
        queue.write_texture(
            TexelCopyTextureInfo {
                texture,
                mip_level: 0,
                origin: Origin3d::ZERO,
                aspect: TextureAspect::All,
            },
            bytemuck::cast_slice(&buffers.walls),
            TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(PER_ROW * size_of::<FluidWall>() as u32),
                rows_per_image: None,
            },
            Extent3d { width: PER_ROW * TEXELS, height: rows, depth_or_array_layers: 1 },
        );
    }
    if !buffers.triangles.is_empty() {
        buffers.triangles.write_buffer(&device, &queue);
    }
}

/// The textures of the walls in a view.
#[derive(Clone)]
pub(super) struct WallTextures {
    /// Index of the nearest wall.
    pub nearest: CachedTexture,
    /// Its distance.
    pub depth: CachedTexture,
    /// The count of solids.
    pub solid: CachedTexture,
}

// A game's own fragment shader, ready for drawing.

/// A game's own shader, and its bind group layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SurfaceShader {
    pub fragment: ShaderSource,
    pub layout: BindGroupLayoutDescriptor,
}

/// A custom look on the GPU.
#[derive(Clone)]
pub(super) struct AttachedLook {
    pub shader: SurfaceShader,
    pub bind_group: BindGroup,
}
