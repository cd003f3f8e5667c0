//! Compiled shaders, which liquids share.

use std::sync::{Arc, Mutex, PoisonError};

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, Device,
    PipelineCompilationOptions, PipelineLayout, PipelineLayoutDescriptor, ShaderModule,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::Access;

/// What a pass is compiled for. A pass that does not know something is the same with it and without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variant {
    pub solids: bool,
    pub forces: bool,
    pub loads: bool,
    pub heat: bool,
    pub extras: bool,
    pub sleep: bool,
}

/// A shader on a device.
#[derive(Debug)]
pub(crate) struct Program {
    device: Device,
    pub name: &'static str,
    source: String,
    pub layout: BindGroupLayout,
    module: ShaderModule,
    pipeline_layout: PipelineLayout,
    /// The variants that were needed.
    compiled: Mutex<Vec<(Variant, ComputePipeline)>>,
}

/// The shaders that were needed on all devices. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs(Arc<Mutex<Vec<Arc<Program>>>>);

impl Programs {
    /// The shader of an entry point, with the settings at binding 0 and storage buffers from 1 on.
    pub(crate) fn get(
        &self,
        device: &Device,
        name: &'static str,
        source: String,
        accesses: impl Iterator<Item = Access>,
    ) -> Arc<Program> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |program: &&Arc<Program>| {
            program.name == name && program.source == source && program.device == *device
        };
        if let Some(known) = all.iter().find(same) {
            return Arc::clone(known);
        }
        let made = Arc::new(Program::new(device, name, source, accesses));
        all.push(Arc::clone(&made));
        made
    }
}

impl Program {
    fn new(
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
            source: ShaderSource::Wgsl(source.as_str().into()),
        });
        let pipeline_layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let (device, compiled) = (device.clone(), Mutex::default());
        Self { device, name, source, layout, module, pipeline_layout, compiled }
    }

    /// A variant, which is compiled when it is first needed.
    pub(crate) fn variant(&self, variant: Variant, constants: &[(&str, f64)]) -> ComputePipeline {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pipeline)) = compiled.iter().find(|(of, _)| *of == variant) {
            return pipeline.clone();
        }
        let pipeline = self.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(self.name),
            layout: Some(&self.pipeline_layout),
            module: &self.module,
            entry_point: Some(self.name),
            compilation_options: PipelineCompilationOptions {
                constants,
                ..PipelineCompilationOptions::default()
            },
            cache: None,
        });
        compiled.push((variant, pipeline.clone()));
        pipeline
    }
}
