//! The particles and their colours on the GPU.

use bevy::prelude::*;
use bevy::render::Extract;
use bevy::render::render_resource::{
    Buffer, BufferUsages, RawBufferVec, ShaderType, UniformBuffer,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::work::FluidDrawingWork;
use crate::render::instance::{FluidDeviceInstances, FluidInstance, FluidInstances};
use crate::render::palette::FluidPalette;

/// The colours of a [`FluidPalette`], in linear light.
#[derive(ShaderType, Clone, Copy, Debug)]
pub(in crate::render) struct PaletteUniform {
    colors: [Vec4; FluidPalette::MAX_COLORS],
}

/// Where particles are, as far as the processor knows.
#[derive(Clone, Copy)]
pub(in crate::render) enum Places<'a> {
    /// Where these are.
    Of(&'a [FluidInstance]),
    /// Anywhere between two opposite corners.
    Within([Vec2; 2]),
}

/// The particles and their colours on the GPU, which all looks share.
#[derive(Resource)]
pub(in crate::render) struct FluidBuffers {
    instances: RawBufferVec<FluidInstance>,
    /// Revision of [`FluidInstances`] that `instances` holds.
    revision: u64,
    instances_changed: bool,
    /// The particles, if they lie on the device already.
    on_device: Option<FluidDeviceInstances>,
    palette: UniformBuffer<PaletteUniform>,
    /// How often the colours changed; 0 before the first.
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

    /// The buffer of the particles and their number; `None` without any.
    pub(in crate::render) fn instances(&self) -> Option<(&Buffer, u32)> {
        if let Some(FluidDeviceInstances { buffer, count, .. }) = &self.on_device {
            return Some((buffer, *count)).filter(|(_, count)| *count > 0);
        }
        let count = self.instances.len() as u32;
        self.instances.buffer().filter(|_| count > 0).map(|buffer| (buffer, count))
    }

    /// Where the particles are.
    pub(in crate::render) fn places(&self) -> Places<'_> {
        match &self.on_device {
            Some(on_device) => Places::Within(on_device.bounds),
            None => Places::Of(self.instances.values()),
        }
    }

    /// Numbers that change with the particles and with their colours.
    pub(in crate::render) fn revisions(&self) -> [u64; 2] {
        [self.revision, self.palette_revision]
    }

    /// The colours.
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
    // This also runs after the device was lost, when the buffers are new.
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
        // Room to grow, so that pouring does not need a new buffer every tick.
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
