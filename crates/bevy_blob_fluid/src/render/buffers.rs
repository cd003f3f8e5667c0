//! The GPU buffers of the liquid.

use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BindGroupLayout, Buffer, BufferId, BufferUsages,
    DynamicUniformBuffer, RawBufferVec, ShaderType, UniformBuffer,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::instance::{FluidInstance, FluidInstances};
use super::palette::FluidPalette;

/// A [`FluidDots`] as the shader reads it.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(super) struct DotsUniform {
    /// Radius of a dot, in world units.
    pub radius: f32,
    pub softness: f32,
    pub opacity: f32,
    pub shading: f32,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    pub depth: f32,
    /// Whether each instance has its own colour index.
    pub by_instance: u32,
    /// WebGL2 requires uniforms in multiples of 16 bytes.
    pub padding: f32,
}

/// The colours of a [`FluidPalette`], in linear light.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(super) struct PaletteUniform {
    colors: [Vec4; FluidPalette::MAX_COLORS],
}

/// The GPU buffers of the liquid.
#[derive(Resource)]
pub(super) struct FluidBuffers {
    instances: RawBufferVec<FluidInstance>,
    /// Revision of [`FluidInstances`] that `instances` holds.
    revision: u64,
    instances_changed: bool,
    palette: UniformBuffer<PaletteUniform>,
    has_palette: bool,
    palette_changed: bool,
    dots: DynamicUniformBuffer<DotsUniform>,
    /// Offset of the uniform of each extracted [`FluidDots`] in `dots`.
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
            dots: DynamicUniformBuffer::default(),
            offsets: Vec::new(),
            bind_group: None,
        }
    }
}

impl FluidBuffers {
    /// Copies the particles if they have changed.
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

    /// Copies the colours.
    pub(super) fn set_palette(&mut self, palette: &FluidPalette) {
        let colors = &mut self.palette.get_mut().colors;
        colors.fill(Vec4::ONE);
        for (color, wanted) in colors.iter_mut().zip(palette.as_slice()) {
            *color = wanted.to_linear().to_vec4();
        }
        self.has_palette = true;
        self.palette_changed = true;
    }

    /// Uploads changed buffers, and the uniforms of the dots.
    pub(super) fn upload<'a>(
        &mut self,
        dots: impl Iterator<Item = &'a DotsUniform>,
        device: &RenderDevice,
        queue: &RenderQueue,
    ) {
        if std::mem::take(&mut self.instances_changed) && !self.instances.is_empty() {
            // Room to grow, so that pouring does not need a new buffer every tick.
            if self.instances.capacity() < self.instances.len() {
                self.instances.reserve(self.instances.len().next_power_of_two(), device);
            }
            self.instances.write_buffer(device, queue);
        }
        if std::mem::take(&mut self.palette_changed) {
            self.palette.write_buffer(device, queue);
        }
        self.dots.clear();
        self.offsets.clear();
        for own in dots {
            self.offsets.push(self.dots.push(own));
        }
        if !self.offsets.is_empty() {
            self.dots.write_buffer(device, queue);
        }
    }

    /// Creates the bind group again when one of its buffers was replaced.
    pub(super) fn bind(&mut self, device: &RenderDevice, layout: impl FnOnce() -> BindGroupLayout) {
        let ids = self.dots.buffer().zip(self.palette.buffer()).map(|(m, p)| [m.id(), p.id()]);
        let known = self.bind_group.as_ref().map(|(ids, _)| *ids);
        let (Some(ids), Some(dots), Some(palette)) =
            (ids.filter(|ids| known != Some(*ids)), self.dots.binding(), self.palette.binding())
        else {
            return;
        };
        let entries = BindGroupEntries::sequential((dots, palette));
        let bind_group = device.create_bind_group("fluid_dots_bind_group", &layout(), &entries);
        self.bind_group = Some((ids, bind_group));
    }

    /// The buffer of the particles and their number; `None` without any.
    pub(super) fn instances(&self) -> Option<(&Buffer, u32)> {
        let count = self.instances.len() as u32;
        self.instances.buffer().filter(|_| count > 0).map(|buffer| (buffer, count))
    }

    /// The particles.
    pub(super) fn particles(&self) -> &[FluidInstance] {
        self.instances.values()
    }

    /// The colours.
    pub(super) fn palette(&self) -> Option<&Buffer> {
        self.palette.buffer()
    }

    /// The bind group, and the offset of an extracted [`FluidDots`] in it.
    pub(super) fn dots(&self, index: usize) -> Option<(&BindGroup, u32)> {
        let (_, bind_group) = self.bind_group.as_ref()?;
        Some((bind_group, *self.offsets.get(index)?))
    }
}
