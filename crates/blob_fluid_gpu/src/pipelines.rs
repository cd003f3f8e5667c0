//! The compiled passes, and what they are bound to.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Device, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::{Access, Buffers};
use crate::pass::{GpuPass, Shaders};

/// A compiled pass.
#[derive(Debug)]
pub(crate) struct Pipeline {
    name: &'static str,
    layout: BindGroupLayout,
    pub pipeline: ComputePipeline,
}

impl Pipeline {
    /// Compiles a pass of a substep.
    pub(crate) fn of_pass(device: &Device, pass: GpuPass, shaders: &Shaders) -> Self {
        let accesses = pass.bindings().iter().map(|(_, access)| *access);
        Self::new(device, pass.name(), shaders.source(pass), accesses)
    }

    /// Compiles an entry point, with the settings at binding 0 and storage buffers from 1 on.
    pub(crate) fn new(
        device: &Device,
        name: &'static str,
        source: String,
        accesses: impl Iterator<Item = Access>,
    ) -> Self {
        let label = Some(name);
        let entry = |binding: usize, ty: BufferBindingType| BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = accesses.enumerate().map(|(index, access)| {
            let read_only = access == Access::Read;
            entry(index + 1, BufferBindingType::Storage { read_only })
        });
        let uniform = std::iter::once(entry(0, BufferBindingType::Uniform));
        let entries: Vec<_> = uniform.chain(storage).collect();
        let layout = device
            .create_bind_group_layout(&BindGroupLayoutDescriptor { label, entries: &entries });
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
        Self { name, layout, pipeline }
    }

    /// Binds a pass of a substep to the buffers of a liquid.
    pub(crate) fn bind_pass(
        &self,
        device: &Device,
        pass: GpuPass,
        params: &Buffer,
        buffers: &Buffers,
    ) -> BindGroup {
        let storage = pass.bindings().iter().map(|(which, _)| buffers.get(*which));
        self.bind(device, std::iter::once(params).chain(storage))
    }

    /// Binds the pass to buffers, of which the first holds the settings.
    pub(crate) fn bind<'a>(
        &self,
        device: &Device,
        buffers: impl Iterator<Item = &'a Buffer>,
    ) -> BindGroup {
        let entries: Vec<_> = buffers
            .enumerate()
            .map(|(binding, buffer)| BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        device.create_bind_group(&BindGroupDescriptor {
            label: Some(self.name),
            layout: &self.layout,
            entries: &entries,
        })
    }
}
