//! The walls on the GPU, and the textures of the passes that draw them.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_resource::{
    Buffer, BufferUsages, Extent3d, Origin3d, RawBufferVec, TexelCopyBufferLayout,
    TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor, TextureDimension,
    TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::texture::CachedTexture;

use crate::render::gpu::work::FluidDrawingWork;
use crate::render::walls::{FluidWall, FluidWalls, SolidTriangle};

/// Format of the index of the nearest wall, from 1; 0 where none is near.
pub(super) const NEAREST_FORMAT: TextureFormat = TextureFormat::R32Uint;
/// Format of the depth with which the nearest wall is found.
pub(super) const NEAREST_DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Format of the count of solids.
pub(super) const SOLID_FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

/// Walls in a row of their texture.
const PER_ROW: u32 = 256;
/// Texels that a wall takes up.
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

    /// The triangles of solids and their number; `None` without any.
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
    // Whole rows are uploaded, with at least one wall after the last that none is near to.
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
