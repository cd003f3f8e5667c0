//! The compiled passes, and what they are bound to.

use std::sync::Arc;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, CommandEncoder, ComputePassDescriptor,
    ComputePipeline, Device,
};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::pass::GpuPass;
use crate::programs::{Program, Variant};
use crate::sources::Shaders;

/// A pass of a liquid.
#[derive(Debug)]
pub(crate) struct Pipeline {
    program: Arc<Program>,
    knows: Variant,
    /// The variants that the liquid has needed.
    compiled: Vec<(Variant, ComputePipeline)>,
}

impl Pipeline {
    /// A pass of a substep, to be [prepared](Self::prepare).
    pub(crate) fn of_pass(device: &Device, pass: GpuPass, shaders: &Shaders) -> Self {
        let accesses = pass.bindings().iter().map(|(_, access)| *access);
        let binds = |buffer| pass.bindings().iter().any(|(which, _)| *which == buffer);
        let knows = Variant {
            solids: binds(DeviceBuffer::Solids),
            forces: binds(DeviceBuffer::Forces),
            loads: pass.files().contains(&"containment"),
            // The passes of heat themselves run with it only.
            heat: pass == GpuPass::Predict,
            extras: pass == GpuPass::Order,
            sleep: matches!(
                pass,
                GpuPass::Predict | GpuPass::FindPressures | GpuPass::Displace | GpuPass::BearLoads
            ),
        };
        let program = shaders.programs.get(device, pass.name(), shaders.source(pass), accesses);
        Self { program, knows, compiled: Vec::new() }
    }

    /// The entry point `name` of these files, compiled, with the settings at binding 0 and storage buffers from 1
    /// on.
    pub(crate) fn new(
        device: &Device,
        name: &'static str,
        (shaders, files): (&Shaders, &[&'static str]),
        accesses: impl Iterator<Item = Access>,
    ) -> Self {
        let program = shaders.programs.get(device, name, shaders.joined(files), accesses);
        let mut pipeline = Self { program, knows: Variant::default(), compiled: Vec::new() };
        pipeline.prepare(Variant::default());
        pipeline
    }

    /// Compiles a variant of the pass, unless it is compiled already.
    pub(crate) fn prepare(&mut self, variant: Variant) {
        if self.get(variant).is_some() {
            return;
        }
        let known = self.known(variant);
        let constants = [
            ("SOLIDS", self.knows.solids, known.solids),
            ("FORCES", self.knows.forces, known.forces),
            ("LOADS", self.knows.loads, known.loads),
            ("HEAT", self.knows.heat, known.heat),
            ("EXTRAS", self.knows.extras, known.extras),
            ("SLEEP", self.knows.sleep, known.sleep),
        ];
        let constants: Vec<_> = constants
            .into_iter()
            .filter(|(_, knows, _)| *knows)
            .map(|(name, _, value)| (name, f64::from(u8::from(value))))
            .collect();
        self.compiled.push((known, self.program.variant(known, &constants)));
    }

    /// A variant without what the pass does not know.
    fn known(&self, variant: Variant) -> Variant {
        Variant {
            solids: variant.solids && self.knows.solids,
            forces: variant.forces && self.knows.forces,
            loads: variant.loads && self.knows.loads,
            heat: variant.heat && self.knows.heat,
            extras: variant.extras && self.knows.extras,
            sleep: variant.sleep && self.knows.sleep,
        }
    }

    /// A compiled variant, if it was [prepared](Self::prepare).
    pub(crate) fn get(&self, variant: Variant) -> Option<&ComputePipeline> {
        let known = self.known(variant);
        self.compiled.iter().find(|(variant, _)| *variant == known).map(|(_, compiled)| compiled)
    }

    /// Records the pass, without variants, with so many work groups.
    pub(crate) fn record(
        &self,
        encoder: &mut CommandEncoder,
        binding: &BindGroup,
        (across, up): (u32, u32),
    ) {
        let Some(pipeline) = self.get(Variant::default()) else { return };
        let label = Some(self.program.name);
        let mut recorded =
            encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes: None });
        recorded.set_pipeline(pipeline);
        recorded.set_bind_group(0, binding, &[]);
        recorded.dispatch_workgroups(across, up, 1);
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
            label: Some(self.program.name),
            layout: &self.program.layout,
            entries: &entries,
        })
    }
}
