//! Parts of the renderer that all looks share: buffers of particles, layouts, phase items and targets.

use bevy::core_pipeline::core_2d::{CORE_2D_DEPTH_FORMAT, Transparent2d};
use bevy::core_pipeline::tonemapping::get_lut_bind_group_layout_entries;
use bevy::math::FloatOrd;
use bevy::mesh::VertexBufferLayout;
use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_phase::{DrawFunctionId, PhaseItemExtraIndex};
use bevy::render::render_resource::binding_types::uniform_buffer;
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, Buffer, BufferUsages,
    CachedRenderPipelineId, CompareFunction, DepthBiasState, DepthStencilState, LoadOp, Operations,
    RawBufferVec, RenderPassColorAttachment, ShaderStages, ShaderType, StencilState, StoreOp,
    TextureView, UniformBuffer, VertexFormat, VertexStepMode,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::sync_world::MainEntity;
use bevy::render::view::{RenderVisibleEntities, ViewUniform};
use bytemuck::Pod;

use crate::render::instance::{FluidDeviceInstances, FluidInstance, FluidInstances, FluidPalette};

// The particles and their colours on the GPU.

/// The colours of a [`FluidPalette`], in linear light.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(in crate::render) struct PaletteUniform {
    colors: [Vec4; FluidPalette::MAX_COLORS],
}

/// Positions of particles, as far as the CPU knows them.
#[derive(Clone, Copy)]
pub(in crate::render) enum Places<'a> {
    /// The positions of these particles.
    Of(&'a [FluidInstance]),
    /// Unknown positions in the box between two opposite corners.
    Within([Vec2; 2]),
}

/// The particles and their colours on the GPU, which all looks share.
#[derive(Resource)]
pub(in crate::render) struct FluidBuffers {
    instances: RawBufferVec<FluidInstance>,
    /// Revision of [`FluidInstances`] that `instances` holds.
    revision: u64,
    instances_changed: bool,
    /// The particles, if they are already on the GPU.
    on_device: Option<FluidDeviceInstances>,
    palette: UniformBuffer<PaletteUniform>,
    /// Number of changes of the colours; 0 before the first.
    palette_revision: u64,
    palette_changed: bool,
}

impl Default for FluidBuffers {
    fn default() -> Self {
        let mut instances = RawBufferVec::new(BufferUsages::VERTEX);
        instances.set_label(Some("fluid_instances"));
        let colors = [Vec4::ONE; FluidPalette::MAX_COLORS];
        Self {
            instances,
            revision: 0,
            instances_changed: false,
            on_device: None,
            palette: UniformBuffer::from(PaletteUniform { colors }),
            palette_revision: 0,
            palette_changed: false,
        }
    }
}

impl FluidBuffers {
    /// Copies the particles if they have changed.
    fn set_instances(&mut self, instances: &FluidInstances) {
        if instances.revision() == self.revision {
            return;
        }
        self.revision = instances.revision();
        self.on_device = instances.on_device().cloned();
        self.instances.clear();
        self.instances.extend(instances.as_slice().iter().copied());
        self.instances_changed = true;
    }

    /// Copies the colours.
    fn set_palette(&mut self, palette: &FluidPalette) {
        let colors = &mut self.palette.get_mut().colors;
        colors.fill(Vec4::ONE);
        for (color, wanted) in colors.iter_mut().zip(palette.as_slice()) {
            *color = wanted.to_linear().to_vec4();
        }
        self.palette_revision += 1;
        self.palette_changed = true;
    }

    /// The buffer of the particles and their count; `None` without particles.
    pub(in crate::render) fn instances(&self) -> Option<(&Buffer, u32)> {
        if let Some(FluidDeviceInstances { buffer, count, .. }) = &self.on_device {
            return Some((buffer, *count)).filter(|(_, count)| *count > 0);
        }
        let count = self.instances.len() as u32;
        self.instances.buffer().filter(|_| count > 0).map(|buffer| (buffer, count))
    }

    /// The positions of the particles.
    pub(in crate::render) fn places(&self) -> Places<'_> {
        match &self.on_device {
            Some(on_device) => Places::Within(on_device.bounds),
            None => Places::Of(self.instances.values()),
        }
    }

    /// Revisions of the particles and of their colours.
    pub(in crate::render) fn revisions(&self) -> [u64; 2] {
        [self.revision, self.palette_revision]
    }

    pub(in crate::render) fn palette(&self) -> Option<&Buffer> {
        self.palette.buffer()
    }
}

/// Copies particles and colours if they changed since the last copy.
pub(in crate::render) fn extract_particles(
    mut buffers: ResMut<FluidBuffers>,
    instances: Extract<Res<FluidInstances>>,
    palette: Extract<Res<FluidPalette>>,
) {
    buffers.set_instances(&instances);
    // After a lost device the buffers are new, so the colours must be copied again.
    if palette.is_changed() || buffers.palette_revision == 0 {
        buffers.set_palette(&palette);
    }
}

/// Uploads particles and colours that changed.
pub(in crate::render) fn upload_particles(
    mut buffers: ResMut<FluidBuffers>,
    mut work: ResMut<FluidDrawingWork>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    let buffers = &mut *buffers;
    if std::mem::take(&mut buffers.instances_changed) && !buffers.instances.is_empty() {
        work.add_bytes(buffers.instances.values().as_slice());
        // Spare capacity, so that pouring does not allocate a new buffer every tick.
        if buffers.instances.capacity() < buffers.instances.len() {
            buffers.instances.reserve(buffers.instances.len().next_power_of_two(), &device);
        }
        buffers.instances.write_buffer(&device, &queue);
    }
    if std::mem::take(&mut buffers.palette_changed) {
        work.bytes_uploaded += size_of::<PaletteUniform>() as u64;
        buffers.palette.write_buffer(&device, &queue);
    }
}

// Parts of the pipelines that all looks share: the layouts of views and vertices, and depth.

/// The layout of the bind group of the view. It has the same entries as for sprites.
pub(in crate::render) fn view_layout() -> BindGroupLayoutDescriptor {
    let lookup_table = get_lut_bind_group_layout_entries();
    BindGroupLayoutDescriptor::new(
        "fluid_view_layout",
        &BindGroupLayoutEntries::sequential(
            ShaderStages::VERTEX_FRAGMENT,
            (
                uniform_buffer::<ViewUniform>(true),
                lookup_table[0].visibility(ShaderStages::FRAGMENT),
                lookup_table[1].visibility(ShaderStages::FRAGMENT),
            ),
        ),
    )
}

/// The layout of [`FluidInstance`]s: one per instance, that is per four vertices.
pub(in crate::render) fn instance_buffer() -> VertexBufferLayout {
    per_instance::<FluidInstance>(&[
        VertexFormat::Float32x2,
        VertexFormat::Float16x2,
        VertexFormat::Uint8x4,
        VertexFormat::Unorm8x4,
    ])
}

/// The layout of one `T` per instance. Its bytes are values of these formats, at locations from 0
/// on.
pub(in crate::render) fn per_instance<T>(formats: &[VertexFormat]) -> VertexBufferLayout {
    let formats = formats.iter().copied();
    let layout = VertexBufferLayout::from_vertex_formats(VertexStepMode::Instance, formats);
    assert_eq!(layout.array_stride, size_of::<T>() as u64, "the formats are all of it");
    layout
}

/// As for sprites, opaque meshes in front hide the liquid. The liquid writes no depth.
pub(in crate::render) fn depth_stencil() -> DepthStencilState {
    DepthStencilState {
        format: CORE_2D_DEPTH_FORMAT,
        depth_write_enabled: Some(false),
        depth_compare: Some(CompareFunction::GreaterEqual),
        stencil: StencilState::default(),
        bias: DepthBiasState::default(),
    }
}

// Visibility in a view, and the items of its transparent phase.

/// Whether a view sees an entity that has a `T`.
pub(in crate::render) fn sees<T: 'static>(
    visible: &RenderVisibleEntities,
    entity: MainEntity,
) -> bool {
    let with_component = visible.get::<T>();
    with_component.is_some_and(|visible| visible.iter_visible().any(|(_, seen)| *seen == entity))
}

/// The phase item of the extracted entity at an index, at its depth among sprites.
pub(in crate::render) fn phase_item(
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

// Targets of passes.

/// A colour attachment that is cleared first.
pub(in crate::render) fn cleared(view: &TextureView) -> Option<RenderPassColorAttachment<'_>> {
    Some(RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: Operations { load: LoadOp::Clear(default()), store: StoreOp::Store },
    })
}

// Statistics of the drawing of liquid.

/// Amount of work that drawing the liquid took in the last frame; a resource of the render world.
///
/// If liquid, camera, walls and looks do not change, nothing is uploaded and no surface is computed again. The only
/// exception is the time for gases and caustics, which stops while the liquid is paused.
///
/// ```
/// use bevy::prelude::*;
/// use bevy::render::{Render, RenderApp, RenderPlugin, RenderSystems};
/// use bevy_blob_fluid::render::raw::FluidDrawingWork;
///
/// fn print(work: Res<FluidDrawingWork>) {
///     println!("{} bytes, {} fields", work.bytes_uploaded, work.fields_drawn);
/// }
///
/// fn watch(app: &mut App) {
///     app.sub_app_mut(RenderApp).add_systems(Render, print.in_set(RenderSystems::Cleanup));
/// }
/// ```
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FluidDrawingWork {
    /// Bytes of particles, colours, walls and surfaces that were uploaded.
    pub bytes_uploaded: u64,
    /// Number of times that a surface was computed again, counted for each camera that sees it.
    pub fields_drawn: u32,
    /// Number of texels that a particle of liquid covers in all textures from which its surface is computed. The
    /// largest number of all surfaces; 0 if no surface was computed.
    pub texels_per_particle: u32,
}

impl FluidDrawingWork {
    /// Counts uploaded bytes.
    pub(in crate::render) fn add_bytes<T: Pod>(&mut self, uploaded: &[T]) {
        self.bytes_uploaded += size_of_val(uploaded) as u64;
    }
}

/// Resets the counts for a frame.
pub(in crate::render) fn begin_counting(mut work: ResMut<FluidDrawingWork>) {
    *work = FluidDrawingWork::default();
}
