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
    pass: GpuPass,
    layout: BindGroupLayout,
    pub pipeline: ComputePipeline,
}

impl Pipeline {
    /// Compiles a pass.
    pub(crate) fn new(device: &Device, pass: GpuPass, shaders: &Shaders) -> Self {
        let label = Some(pass.name());
        let entry = |binding: usize, ty: BufferBindingType| BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = pass.bindings().iter().enumerate().map(|(index, (_, access))| {
            let read_only = *access == Access::Read;
            entry(index + 1, BufferBindingType::Storage { read_only })
        });
        let uniform = std::iter::once(entry(0, BufferBindingType::Uniform));
        let entries: Vec<_> = uniform.chain(storage).collect();
        let layout = device
            .create_bind_group_layout(&BindGroupLayoutDescriptor { label, entries: &entries });
        let module = device.create_shader_module(ShaderModuleDescriptor {
            label,
            source: ShaderSource::Wgsl(shaders.source(pass).into()),
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
            entry_point: Some(pass.name()),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { pass, layout, pipeline }
    }

    /// Binds the pass to the buffers of a liquid.
    pub(crate) fn bind(&self, device: &Device, params: &Buffer, buffers: &Buffers) -> BindGroup {
        let storage = self.pass.bindings().iter().map(|(which, _)| buffers.get(*which));
        let all = std::iter::once(params).chain(storage).enumerate();
        let entries: Vec<_> = all
            .map(|(binding, buffer)| BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        device.create_bind_group(&BindGroupDescriptor {
            label: Some(self.pass.name()),
            layout: &self.layout,
            entries: &entries,
        })
    }
}
