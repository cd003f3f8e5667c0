//! Compiled shaders, which liquids share, and the timestamps of their passes.

use std::sync::{Arc, Mutex, PoisonError};

use DeviceBuffer as B;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, BufferUsages, CommandEncoder,
    ComputePassDescriptor, ComputePassTimestampWrites, ComputePipeline, ComputePipelineDescriptor,
    Device, PipelineCompilationOptions, PipelineLayout, PipelineLayoutDescriptor,
    QUERY_RESOLVE_BUFFER_ALIGNMENT, QUERY_SET_MAX_QUERIES, QuerySet, QuerySetDescriptor, QueryType,
    Queue, ShaderModule, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::{Access, Buffers, Copy, DeviceBuffer};
use crate::error::GpuError;
use crate::scope::buffer;

/// The features of a compiled pass. Features that a pass does not use make no difference to it.
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
    /// The compiled variants.
    compiled: Mutex<Vec<(Variant, ComputePipeline)>>,
}

/// The compiled shaders of all devices. Clones share them.
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

    /// A variant, compiled on first use.
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

// The sources of the shaders.

/// The sources of the shaders, in WGSL. Clones share compiled shaders, also those [with a
/// change](Self::with_change). A host that creates several liquids keeps one value and clones it.
///
/// ```
/// use blob_fluid_gpu::{GpuPass, Shaders};
/// assert!(Shaders::default().source(GpuPass::Order).contains("fn order("));
/// ```
#[derive(Clone, Debug)]
pub struct Shaders {
    /// The parts of the files, by name. A part begins at a line `//# name` and ends at the next one.
    parts: Vec<(&'static str, String)>,
    pub(crate) programs: Programs,
}

impl Default for Shaders {
    fn default() -> Self {
        macro_rules! themes {
            ($($name:ident)*) => {
                [$(include_str!(concat!("shaders/", stringify!($name), ".wgsl"))),*]
            };
        }
        let themes = themes![
            common cells walls solids motion density heat regions loads columns sleep report
            instances
        ];
        let parts = themes.iter().flat_map(|theme| theme.split("\n//# ").skip(1));
        let named = parts.filter_map(|part| part.split_once('\n'));
        let parts = named.map(|(name, text)| (name, text.to_owned())).collect();
        Self { parts, programs: Programs::default() }
    }
}

impl Shaders {
    /// The source of a pass.
    pub fn source(&self, pass: GpuPass) -> String {
        self.joined(&pass.parts())
    }

    /// The texts of these parts, concatenated.
    pub(crate) fn joined(&self, parts: &[&'static str]) -> String {
        let text = |name: &&str| self.parts.iter().find(|(part, _)| part == name);
        let texts = parts.iter().filter_map(text);
        texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The sources with `text` in a part replaced by `instead`, for tests that must find a fault. A
    /// part begins at a line `//# name`. Returns `None` if the part does not contain the text.
    pub fn with_change(mut self, part: &str, text: &str, instead: &str) -> Option<Self> {
        let (_, source) = self.parts.iter_mut().find(|(name, _)| *name == part)?;
        if !source.contains(text) {
            return None;
        }
        *source = source.replace(text, instead);
        Some(self)
    }
}

// The passes of a substep on the GPU: their order, shaders, buffers and numbers of threads.

/// A pass of a substep on the GPU, in the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GpuPass {
    /// Only with heat: applies the effect of heat on a particle's weight, and the heat of forces.
    Warm,
    /// Runs the core's passes from [`ApplyDamping`](blob_fluid::FluidPass::ApplyDamping) to
    /// [`Quarantine`](blob_fluid::FluidPass::Quarantine), and finds the particle's cell.
    Predict,
    /// Prefix sums of the counts of the cells, in blocks.
    ScanBlocks,
    /// Prefix sums of the blocks' sums.
    ScanSums,
    /// Adds the sums of cells and of blocks, which gives the index of each cell's first particle.
    AddSums,
    /// Groups the ids by cell.
    Scatter,
    /// Sorts the ids of crowded cells in ascending order.
    SortCrowded,
    /// Sorts the particles by cell and id.
    Order,
    /// Only with heat or reactions: [`ExchangeHeat`](blob_fluid::FluidPass::ExchangeHeat) at the
    /// predicted positions.
    ExchangeHeat,
    /// Only with heat or reactions: [`React`](blob_fluid::FluidPass::React).
    React,
    /// Computes densities and pressures.
    FindPressures,
    /// Runs the displacements of [`RelaxDensity`](blob_fluid::FluidPass::RelaxDensity),
    /// [`Contain`](blob_fluid::FluidPass::Contain) and
    /// [`UpdateVelocities`](blob_fluid::FluidPass::UpdateVelocities).
    Displace,
    /// Only if loads of colliders are measured: sums the liquid's pressure on each collider. Then
    /// runs [`Contain`](blob_fluid::FluidPass::Contain) and
    /// [`UpdateVelocities`](blob_fluid::FluidPass::UpdateVelocities), which
    /// [`Displace`](Self::Displace) then leaves out.
    BearLoads,
}

/// The number of threads of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    /// One for each particle, in work groups of 64.
    Particles,
    /// A fixed number of work groups.
    Groups(u32),
    /// A work group for this number of counts.
    Counts(u32),
}

macro_rules! passes {
    ($($pass:ident $name:ident,)*) => {
        /// All passes, in order.
        pub const ALL: [Self; [$(stringify!($pass)),*].len()] = [$(Self::$pass),*];

        /// The pass's name, which is also the name of its entry point.
        pub const fn name(self) -> &'static str {
            match self { $(Self::$pass => stringify!($name),)* }
        }
    };
}

impl GpuPass {
    passes! {
        Warm warm, Predict predict, ScanBlocks scan_blocks, ScanSums scan_sums, AddSums add_sums,
        Scatter scatter, SortCrowded sort_crowded, Order order, ExchangeHeat exchange_heat,
        React react, FindPressures find_pressures, Displace displace, BearLoads bear_loads,
    }

    /// The parts of its shader.
    pub(crate) fn parts(self) -> Vec<&'static str> {
        let parts = match self {
            Self::Warm => "common tables thermal finite region forces warm",
            Self::Predict => {
                "common walls solids seams near_walls gravity region forces damping wall_friction \
                 bearers sums loads containment finite predict"
            }
            Self::ScanBlocks | Self::ScanSums | Self::AddSums => "common scan",
            Self::Scatter => "common scatter",
            Self::SortCrowded => "common sort_crowded",
            Self::Order => "common order",
            Self::ExchangeHeat => {
                "common tables thermal walls solids seams near_walls spans exchange_heat"
            }
            Self::React => "common tables thermal spans tiles react",
            Self::FindPressures => {
                "common tables walls solids seams near_walls spans ghost_walls tiles pressures"
            }
            Self::Displace => {
                "common tables walls solids seams near_walls spans ghost_walls wall_pressure no_loads \
                 containment segregation viscosity separation displacements"
            }
            Self::BearLoads => {
                "common tables walls solids seams near_walls ghost_walls wall_pressure bearers finite \
                 sums loads containment bear_loads"
            }
        };
        parts.split(' ').collect()
    }

    /// Its storage buffers, from binding 1 on.
    pub(crate) const fn bindings(self) -> &'static [(DeviceBuffer, Access)] {
        use Access::{Read, Write};
        match self {
            Self::Warm => &[
                (B::Particles, Read),
                (B::Extras, Write),
                (B::Keys, Write),
                (B::Tables, Read),
                (B::Forces, Read),
            ],
            Self::Predict => &[
                (B::Particles, Write),
                (B::Counts, Write),
                (B::Keys, Write),
                // The tables begin with the classes.
                (B::Tables, Read),
                (B::Solids, Read),
                (B::Forces, Read),
                (B::Bearers, Read),
                (B::Loads, Write),
            ],
            Self::ScanBlocks | Self::ScanSums | Self::AddSums => {
                &[(B::Counts, Write), (B::Starts, Write), (B::Blocks, Write), (B::Crowded, Write)]
            }
            Self::Scatter => &[
                (B::Keys, Read),
                (B::Particles, Read),
                (B::Starts, Read),
                (B::Slots, Write),
                (B::Crowded, Write),
            ],
            Self::SortCrowded => {
                &[(B::Crowded, Read), (B::Starts, Read), (B::Slots, Write), (B::Kinds, Write)]
            }
            Self::Order => &[
                (B::Keys, Read),
                (B::Starts, Read),
                (B::Slots, Read),
                (B::Particles, Read),
                (B::Sorted, Write),
                (B::Positions, Write),
                (B::Extras, Read),
                (B::SortedExtras, Write),
            ],
            Self::ExchangeHeat => &[
                (B::Positions, Read),
                (B::Starts, Read),
                (B::Sorted, Read),
                (B::SortedExtras, Read),
                (B::Extras, Write),
                (B::Kinds, Write),
                (B::Tables, Read),
                (B::Solids, Read),
            ],
            Self::React => &[
                (B::Positions, Read),
                (B::Starts, Read),
                (B::Sorted, Write),
                (B::Extras, Write),
                (B::Kinds, Read),
                (B::Tables, Read),
                (B::Tiles, Write),
            ],
            Self::FindPressures => &[
                (B::Positions, Read),
                (B::Starts, Read),
                (B::Sorted, Write),
                (B::States, Write),
                (B::Kinds, Write),
                (B::Tables, Read),
                (B::Solids, Read),
                (B::Marks, Read),
            ],
            Self::Displace => &[
                (B::Sorted, Read),
                (B::Particles, Write),
                (B::Positions, Read),
                (B::States, Read),
                (B::Kinds, Read),
                (B::Starts, Read),
                (B::Tables, Read),
                (B::Solids, Read),
            ],
            Self::BearLoads => &[
                (B::Sorted, Read),
                (B::Particles, Write),
                (B::States, Read),
                (B::Starts, Read),
                (B::Tables, Read),
                (B::Solids, Read),
                (B::Bearers, Read),
                (B::Loads, Write),
            ],
        }
    }

    pub(crate) const fn threads(self) -> Threads {
        match self {
            Self::ScanBlocks => Threads::Counts(1024),
            Self::SortCrowded => Threads::Groups(64),
            Self::ScanSums => Threads::Groups(1),
            Self::AddSums => Threads::Counts(256),
            _ => Threads::Particles,
        }
    }
}

// The compiled passes, and their bindings.

/// A pass of a liquid.
#[derive(Debug)]
pub(crate) struct Pipeline {
    program: Arc<Program>,
    knows: Variant,
    /// The variants that the liquid has used.
    compiled: Vec<(Variant, ComputePipeline)>,
}

impl Pipeline {
    /// A pass of a substep, which must be [prepared](Self::prepare).
    pub(crate) fn of_pass(device: &Device, pass: GpuPass, shaders: &Shaders) -> Self {
        let accesses = pass.bindings().iter().map(|(_, access)| *access);
        let binds = |buffer| pass.bindings().iter().any(|(which, _)| *which == buffer);
        let knows = Variant {
            solids: binds(DeviceBuffer::Solids),
            forces: binds(DeviceBuffer::Forces),
            loads: pass.parts().contains(&"containment"),
            // The passes of heat run only with heat, so they have no such variant.
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

    /// The entry point `name` of these parts, compiled, with the settings at binding 0 and storage
    /// buffers from 1 on.
    pub(crate) fn new(
        device: &Device,
        name: &'static str,
        shaders: &Shaders,
        parts: &[&'static str],
        accesses: impl Iterator<Item = Access>,
    ) -> Self {
        let program = shaders.programs.get(device, name, shaders.joined(parts), accesses);
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

    /// The variant without features that the pass does not use.
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

    /// Records a pass without variants, with `groups` work groups.
    pub(crate) fn record(
        &self,
        encoder: &mut CommandEncoder,
        binding: &BindGroup,
        groups: (u32, u32),
    ) {
        let Some(pipeline) = self.get(Variant::default()) else { return };
        let label = Some(self.program.name);
        let mut recorded =
            encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes: None });
        recorded.set_pipeline(pipeline);
        recorded.set_bind_group(0, binding, &[]);
        recorded.dispatch_workgroups(groups.0, groups.1, 1);
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

    /// Binds the pass to buffers. The first buffer holds the settings.
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

// Timestamps of the passes of a tick.

/// The time of a pass in a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// The pass.
    pub pass: GpuPass,
    /// Sum over all substeps, in milliseconds.
    pub milliseconds: f64,
}

/// The timestamps of a tick: before and after each pass of each substep.
#[derive(Debug)]
pub(crate) struct Timestamps {
    queries: QuerySet,
    resolved: Buffer,
    passes: Vec<GpuPass>,
    substeps: u32,
}

/// Times that a host watches.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub on: bool,
    /// Timestamps of a tick in flight.
    pub coming: Option<(Copy, Timestamps)>,
    pub newest: Vec<PassTime>,
}

impl Timestamps {
    /// Creates timestamps for these passes in `substeps` substeps. With very many substeps, only
    /// the first ones are timed.
    pub(crate) fn new(
        device: &Device,
        passes: Vec<GpuPass>,
        substeps: u32,
    ) -> Result<Self, GpuError> {
        let of_substep = 2 * passes.len() as u32;
        let substeps = substeps.min(QUERY_SET_MAX_QUERIES / of_substep.max(1));
        let count = of_substep * substeps;
        let queries = device.create_query_set(&QuerySetDescriptor {
            label: Some("passes"),
            ty: QueryType::Timestamp,
            count,
        });
        let size = (8 * u64::from(count)).next_multiple_of(QUERY_RESOLVE_BUFFER_ALIGNMENT);
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = buffer(device, "timestamps", size, usage)?;
        Ok(Self { queries, resolved, passes, substeps })
    }

    fn count(&self) -> u32 {
        2 * self.passes.len() as u32 * self.substeps
    }

    /// The timestamps of a pass in a substep.
    pub(crate) fn writes(
        &self,
        substep: u32,
        pass: GpuPass,
    ) -> Option<ComputePassTimestampWrites<'_>> {
        let place = self.passes.iter().position(|timed| *timed == pass)?;
        let first = 2 * (substep * self.passes.len() as u32 + place as u32);
        (substep < self.substeps).then_some(ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Records the resolution of the timestamps, after the last substep.
    pub(crate) fn resolve(&self, encoder: &mut CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.count(), &self.resolved, 0);
    }

    /// Requests the timestamps.
    pub(crate) fn copy(&self, device: &Device, queue: &Queue) -> Result<Copy, GpuError> {
        Copy::of(device, queue, &[(&self.resolved, 8 * u64::from(self.count()))])
    }

    /// Converts the bytes to times, where a step takes `period` nanoseconds.
    pub(crate) fn times(&self, bytes: &[u8], period: f32) -> Vec<PassTime> {
        let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let took = |pair: &[u64]| pair[1].saturating_sub(pair[0]) as f64 * f64::from(period);
        let time = |(place, pass): (usize, &GpuPass)| {
            let of_pass = stamps.chunks_exact(2).skip(place).step_by(self.passes.len());
            PassTime { pass: *pass, milliseconds: 1e-6 * of_pass.map(took).sum::<f64>() }
        };
        self.passes.iter().enumerate().map(time).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_its_own_name_and_passes_have_all_theirs() {
        let shaders = Shaders::default();
        let mut names: Vec<_> = shaders.parts.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        for pass in GpuPass::ALL {
            assert!(pass.parts().iter().all(|part| names.contains(part)), "{pass:?}");
        }
    }
}
