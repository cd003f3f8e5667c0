//! Buffers, bind groups and the draw call.

use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::ecs::query::ROQueryItem;
use bevy::ecs::system::SystemParamItem;
use bevy::ecs::system::lifetimeless::SRes;
use bevy::math::FloatOrd;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::{
    DrawFunctions, PhaseItemExtraIndex, RenderCommand, RenderCommandResult, SetItemPipeline,
    TrackedRenderPass, ViewSortedRenderPhases,
};
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BufferId, BufferUsages, DynamicUniformBuffer, PipelineCache,
    RawBufferVec, ShaderType, SpecializedRenderPipelines, UniformBuffer,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::view::{ExtractedView, RenderVisibleEntities};
use bevy::sprite_render::SetSpriteViewBindGroup;

use super::extract::ExtractedMaterials;
use super::instance::{FluidInstance, FluidInstances, FluidPalette};
use super::material::FluidMaterial;
use super::pipeline::{FluidPipeline, view_key};

/// A [`FluidMaterial`] as the shader reads it.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(super) struct MaterialUniform {
    /// Of a blob, in world units.
    pub radius: f32,
    pub softness: f32,
    pub opacity: f32,
    pub shading: f32,
    /// 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    pub depth: f32,
    /// WebGL2 wants uniforms in multiples of 16 bytes.
    pub padding: Vec2,
}

/// The colours of the classes, in linear light.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(super) struct PaletteUniform {
    colors: [Vec4; FluidPalette::MAX_COLORS],
}

/// Everything of the liquid that lies in the GPU's memory.
#[derive(Resource)]
pub(super) struct FluidBuffers {
    instances: RawBufferVec<FluidInstance>,
    /// Revision of [`FluidInstances`] that `instances` holds.
    revision: u64,
    instances_changed: bool,
    palette: UniformBuffer<PaletteUniform>,
    has_palette: bool,
    palette_changed: bool,
    materials: DynamicUniformBuffer<MaterialUniform>,
    /// Where each extracted material lies in `materials`.
    offsets: Vec<u32>,
    bind_group: Option<([BufferId; 2], BindGroup)>,
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
            palette: UniformBuffer::from(PaletteUniform { colors }),
            has_palette: false,
            palette_changed: false,
            materials: DynamicUniformBuffer::default(),
            offsets: Vec::new(),
            bind_group: None,
        }
    }
}

impl FluidBuffers {
    /// Takes over the particles unless they are the ones it has.
    pub(super) fn set_instances(&mut self, instances: &FluidInstances) {
        if instances.revision() == self.revision {
            return;
        }
        self.revision = instances.revision();
        self.instances.clear();
        self.instances.extend(instances.as_slice().iter().copied());
        self.instances_changed = true;
    }

    pub(super) fn lacks_palette(&self) -> bool {
        !self.has_palette
    }

    /// Takes over the colours.
    pub(super) fn set_palette(&mut self, palette: &FluidPalette) {
        let colors = &mut self.palette.get_mut().colors;
        colors.fill(Vec4::ONE);
        for (color, wanted) in colors.iter_mut().zip(palette.as_slice()) {
            *color = wanted.to_linear().to_vec4();
        }
        self.has_palette = true;
        self.palette_changed = true;
    }
}

/// Uploads what changed.
pub(super) fn prepare_buffers(
    mut buffers: ResMut<FluidBuffers>,
    materials: Res<ExtractedMaterials>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    let buffers = &mut *buffers;
    if std::mem::take(&mut buffers.instances_changed) && !buffers.instances.is_empty() {
        // Room to grow, so that pouring does not ask for a new buffer every tick.
        if buffers.instances.capacity() < buffers.instances.len() {
            buffers.instances.reserve(buffers.instances.len().next_power_of_two(), &device);
        }
        buffers.instances.write_buffer(&device, &queue);
    }
    if std::mem::take(&mut buffers.palette_changed) {
        buffers.palette.write_buffer(&device, &queue);
    }
    buffers.materials.clear();
    buffers.offsets.clear();
    for material in &materials.0 {
        let offset = buffers.materials.push(&material.uniform);
        buffers.offsets.push(offset);
    }
    if !materials.0.is_empty() {
        buffers.materials.write_buffer(&device, &queue);
    }
}

/// Makes the bind group anew when one of its buffers was replaced.
pub(super) fn prepare_bind_group(
    mut buffers: ResMut<FluidBuffers>,
    pipeline: Res<FluidPipeline>,
    pipeline_cache: Res<PipelineCache>,
    device: Res<RenderDevice>,
) {
    let (Some(materials), Some(palette)) = (buffers.materials.buffer(), buffers.palette.buffer())
    else {
        return;
    };
    let ids = [materials.id(), palette.id()];
    if buffers.bind_group.as_ref().is_some_and(|(known, _)| *known == ids) {
        return;
    }
    let (Some(materials), Some(palette)) = (buffers.materials.binding(), buffers.palette.binding())
    else {
        return;
    };
    let bind_group = device.create_bind_group(
        "fluid_material_bind_group",
        &pipeline_cache.get_bind_group_layout(&pipeline.material_layout),
        &BindGroupEntries::sequential((materials, palette)),
    );
    buffers.bind_group = Some((ids, bind_group));
}

/// Adds one item to the transparent phase of every view for each material it sees.
pub(super) fn queue_fluid(
    draw_functions: Res<DrawFunctions<Transparent2d>>,
    pipeline: Res<FluidPipeline>,
    mut pipelines: ResMut<SpecializedRenderPipelines<FluidPipeline>>,
    pipeline_cache: Res<PipelineCache>,
    materials: Res<ExtractedMaterials>,
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
        let Some(visible) = visible.get::<FluidMaterial>() else {
            continue;
        };
        let key = view_key(camera, view, *msaa, tonemapping, dither);
        let pipeline = pipelines.specialize(&pipeline_cache, &pipeline, key);
        for (index, material) in materials.0.iter().enumerate() {
            if !visible.iter_visible().any(|(_, entity)| *entity == material.entity.1) {
                continue;
            }
            phase.add_transient(Transparent2d {
                sort_key: FloatOrd(material.depth),
                entity: material.entity,
                pipeline,
                draw_function,
                batch_range: 0..1,
                extracted_index: index,
                extra_index: PhaseItemExtraIndex::None,
                indexed: false,
            });
        }
    }
}

/// Draws all particles.
pub(super) type DrawFluid = (SetItemPipeline, SetSpriteViewBindGroup<0>, DrawInstances);

/// Binds a material and draws four vertices for every particle.
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
        let (Some((_, bind_group)), Some(offset), Some(instances)) = (
            &buffers.bind_group,
            buffers.offsets.get(item.extracted_index),
            buffers.instances.buffer(),
        ) else {
            return RenderCommandResult::Skip;
        };
        if buffers.instances.is_empty() {
            return RenderCommandResult::Skip;
        }
        pass.set_bind_group(1, bind_group, &[*offset]);
        pass.set_vertex_buffer(0, instances.slice(..));
        pass.draw(0..4, 0..buffers.instances.len() as u32);
        RenderCommandResult::Success
    }
}
