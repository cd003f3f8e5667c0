//! The compiled passes, and what they are bound to.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Device, PipelineCompilationOptions, PipelineLayout,
    PipelineLayoutDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::pass::{GpuPass, Shaders};

/// A compiled pass.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pass: GpuPass,
    layout: BindGroupLayout,
    module: ShaderModule,
    pipeline_layout: PipelineLayout,
    /// Without and with solids, as far as they were needed.
    compiled: [Option<ComputePipeline>; 2],
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
        Self { pass, layout, module, pipeline_layout, compiled: [None, None] }
    }

    /// Compiles the pass for liquids with solids or without, unless it is compiled already.
    pub(crate) fn prepare(&mut self, device: &Device, solids: bool) {
        let constants = [("SOLIDS", if solids { 1.0 } else { 0.0 })];
        let constants = if self.knows_solids() { &constants[..] } else { &[] };
        let compile = || {
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(self.pass.name()),
                layout: Some(&self.pipeline_layout),
                module: &self.module,
                entry_point: Some(self.pass.name()),
                compilation_options: PipelineCompilationOptions {
                    constants,
                    ..PipelineCompilationOptions::default()
                },
                cache: None,
            })
        };
        let which = usize::from(solids && self.knows_solids());
        if self.compiled[which].is_none() {
            self.compiled[which] = Some(compile());
        }
    }

    /// The compiled pass, if it was [prepared](Self::prepare).
    pub(crate) fn get(&self, solids: bool) -> Option<&ComputePipeline> {
        self.compiled[usize::from(solids && self.knows_solids())].as_ref()
    }

    fn knows_solids(&self) -> bool {
        self.pass.bindings().iter().any(|(which, _)| *which == DeviceBuffer::Solids)
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
