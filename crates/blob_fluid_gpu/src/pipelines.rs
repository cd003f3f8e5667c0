//! The compiled passes, and what they are bound to.

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Device, PipelineCompilationOptions, PipelineLayout,
    PipelineLayoutDescriptor, ShaderModule, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::pass::{GpuPass, Shaders};

/// What a pass is compiled for. A pass that does not know something is the same with it and without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variant {
    pub solids: bool,
    pub forces: bool,
}

/// A compiled pass.
#[derive(Debug)]
pub(crate) struct Pipeline {
    name: &'static str,
    layout: BindGroupLayout,
    module: ShaderModule,
    pipeline_layout: PipelineLayout,
    knows: Variant,
    /// The variants that were needed.
    compiled: Vec<(Variant, ComputePipeline)>,
}

impl Pipeline {
    /// A pass of a substep, to be [prepared](Self::prepare).
    pub(crate) fn of_pass(device: &Device, pass: GpuPass, shaders: &Shaders) -> Self {
        let accesses = pass.bindings().iter().map(|(_, access)| *access);
        let binds = |buffer| pass.bindings().iter().any(|(which, _)| *which == buffer);
        let knows =
            Variant { solids: binds(DeviceBuffer::Solids), forces: binds(DeviceBuffer::Forces) };
        Self::described(device, pass.name(), shaders.source(pass), accesses, knows)
    }

    /// Compiles an entry point, with the settings at binding 0 and storage buffers from 1 on.
    pub(crate) fn new(
        device: &Device,
        name: &'static str,
        source: String,
        accesses: impl Iterator<Item = Access>,
    ) -> Self {
        let nothing = Variant::default();
        let mut pipeline = Self::described(device, name, source, accesses, nothing);
        pipeline.prepare(device, nothing);
        pipeline
    }

    /// An entry point before it is compiled.
    fn described(
        device: &Device,
        name: &'static str,
        source: String,
        accesses: impl Iterator<Item = Access>,
        knows: Variant,
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
        Self { name, layout, module, pipeline_layout, knows, compiled: Vec::new() }
    }

    /// Compiles a variant of the pass, unless it is compiled already.
    pub(crate) fn prepare(&mut self, device: &Device, variant: Variant) {
        if self.get(variant).is_some() {
            return;
        }
        let known = self.known(variant);
        let constants = [
            ("SOLIDS", self.knows.solids, known.solids),
            ("FORCES", self.knows.forces, known.forces),
        ];
        let constants: Vec<_> = constants
            .into_iter()
            .filter(|(_, knows, _)| *knows)
            .map(|(name, _, value)| (name, f64::from(u8::from(value))))
            .collect();
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(self.name),
            layout: Some(&self.pipeline_layout),
            module: &self.module,
            entry_point: Some(self.name),
            compilation_options: PipelineCompilationOptions {
                constants: &constants,
                ..PipelineCompilationOptions::default()
            },
            cache: None,
        });
        self.compiled.push((known, pipeline));
    }

    /// A variant without what the pass does not know.
    fn known(&self, variant: Variant) -> Variant {
        Variant {
            solids: variant.solids && self.knows.solids,
            forces: variant.forces && self.knows.forces,
        }
    }

    /// A compiled variant, if it was [prepared](Self::prepare).
    pub(crate) fn get(&self, variant: Variant) -> Option<&ComputePipeline> {
        let known = self.known(variant);
        self.compiled.iter().find(|(variant, _)| *variant == known).map(|(_, compiled)| compiled)
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
