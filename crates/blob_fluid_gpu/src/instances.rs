//! Instances for drawing, written in the memory of the GPU.

use bytemuck::{Pod, Zeroable};
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, BufferUsages,
    ComputePassDescriptor, ComputePipeline, ComputePipelineDescriptor, Device,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderSource,
    ShaderStages,
};

use crate::buffers::{DeviceBuffer, USAGE, largest_buffer};
use crate::error::GpuError;
use crate::liquid::GpuLiquid;
use crate::programs::Shaders;
use crate::scope::{buffer, guarded};

/// Settings of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Drawn {
    tick: f32,
    inside: f32,
    by_id: u32,
    count: u32,
    glow: [f32; 2],
    glows: u32,
    pad: u32,
}

/// Vertex buffers with the drawing data of a liquid's particles, which never leave the GPU.
///
/// A particle takes [`BYTES`](Self::BYTES), in this order:
///
/// - its position (two floats),
/// - the offset to its position one tick before, by its velocity (two half floats),
/// - its class (a byte),
/// - its glow (a byte: 0 to 15, times 16),
/// - its opacity (a byte: 0 out of play, otherwise 255),
/// - its looseness and its shade (a byte),
/// - four bytes of 0.
///
/// Looseness is 0 to 31, times 8; it grows as the density falls below that of the inside. The shade
/// is a number from 0 to 7 that follows from the id.
#[derive(Debug)]
pub struct GpuInstances {
    layout: BindGroupLayout,
    pipeline: ComputePipeline,
    settings: Buffer,
    /// The buffers are written in turn, so that one is drawn while the next is written.
    targets: [Option<Buffer>; 2],
    next: usize,
}

impl GpuInstances {
    /// Bytes of a particle.
    pub const BYTES: u64 = 20;

    /// Compiles the pass, for liquids on the same device.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`] and [`GpuError::OutOfMemory`].
    pub fn new(liquid: &GpuLiquid) -> Result<Self, GpuError> {
        guarded(liquid.device(), || Self::compiled(liquid.device().0))
    }

    fn compiled(device: &Device) -> Result<Self, GpuError> {
        let name = "write_instances";
        let label = Some(name);
        let entry = |binding, ty| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label,
            entries: &[
                entry(0, BufferBindingType::Uniform),
                entry(1, BufferBindingType::Uniform),
                entry(2, BufferBindingType::Storage { read_only: true }),
                entry(3, BufferBindingType::Storage { read_only: false }),
                entry(4, BufferBindingType::Storage { read_only: true }),
            ],
        });
        let source = Shaders::default().joined(&["common", "instances"]);
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label,
            source: ShaderSource::Wgsl(source.into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: label,
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let settings = buffer(device, name, size_of::<Drawn>() as u64, usage)?;
        Ok(Self { layout, pipeline, settings, targets: [None, None], next: 0 })
    }

    /// Submits work that writes a liquid's particles after its last tick of `tick` seconds.
    /// Particles with relative densities of at least `inside` have a looseness of 0. Glow begins at
    /// the first temperature of `glow`, and is largest at the second.
    ///
    /// Returns the buffer, with usage `VERTEX`, and its number of places. The call after the next
    /// one writes the same buffer again.
    ///
    /// A particle's place in the buffer is its id, so the place stays the same. If ids leave more
    /// places empty than there are particles, the place in memory is used instead. Empty places
    /// have an opacity of 0.
    ///
    /// # Errors
    ///
    /// [`GpuError::TooManyParticles`] if the buffer would exceed the device's limit,
    /// [`GpuError::OutOfMemory`], and [`GpuError::Lost`].
    pub fn write(
        &mut self,
        liquid: &GpuLiquid,
        tick: f32,
        inside: f32,
        glow: Option<[f32; 2]>,
    ) -> Result<(&Buffer, u32), GpuError> {
        self.next = 1 - self.next;
        let glow = glow.filter(|_| liquid.has_heat());
        let glows = u32::from(glow.is_some());
        let drawn =
            Drawn { tick, inside, glow: glow.unwrap_or_default(), glows, ..Drawn::zeroed() };
        guarded(liquid.device(), || self.submit(liquid, drawn))
    }

    fn submit(&mut self, liquid: &GpuLiquid, drawn: Drawn) -> Result<(&Buffer, u32), GpuError> {
        let (device, queue) = liquid.device();
        let count = liquid.len() as u32;
        let by_id = liquid.ids_end() / 2 <= count;
        let places = if by_id { liquid.ids_end() } else { count };
        let most = largest_buffer(device) / Self::BYTES;
        if u64::from(places) > most {
            let (count, most) = (places as usize, most as usize);
            return Err(GpuError::TooManyParticles { count, most });
        }
        let bytes = Self::BYTES * u64::from(places);
        let target = self.targets[self.next].take().filter(|target| target.size() >= bytes);
        let target = target.map_or_else(
            || {
                // Room for growth.
                let size = Self::BYTES * u64::from(places.max(1024)).next_power_of_two().min(most);
                buffer(device, "fluid_instances", size, USAGE | BufferUsages::VERTEX)
            },
            Ok,
        )?;
        let target = &*self.targets[self.next].insert(target);
        let drawn = Drawn { by_id: u32::from(by_id), count, ..drawn };
        queue.write_buffer(&self.settings, 0, bytemuck::bytes_of(&drawn));
        let [particles, warmth] =
            [DeviceBuffer::Particles, DeviceBuffer::Extras].map(|which| liquid.buffer(which));
        let sources = [liquid.params(), &self.settings, particles, target, warmth];
        let entries: Vec<_> = sources
            .into_iter()
            .enumerate()
            .map(|(binding, buffer)| BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let label = Some("write_instances");
        let bindings = device.create_bind_group(&BindGroupDescriptor {
            label,
            layout: &self.layout,
            entries: &entries,
        });
        let mut encoder = liquid.encoder();
        if by_id && places > count {
            encoder.clear_buffer(target, 0, Some(bytes));
        }
        {
            let mut pass = encoder
                .begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes: None });
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            let (across, up) = liquid.groups_of_particles();
            pass.dispatch_workgroups(across, up, 1);
        }
        queue.submit([encoder.finish()]);
        Ok((target, places))
    }
}
