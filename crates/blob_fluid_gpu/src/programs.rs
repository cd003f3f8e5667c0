//! Compiled shaders, which liquids share.

use std::sync::{Arc, Mutex, PoisonError};

use DeviceBuffer as B;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, CommandEncoder,
    ComputePassDescriptor, ComputePipeline, ComputePipelineDescriptor, Device,
    PipelineCompilationOptions, PipelineLayout, PipelineLayoutDescriptor, ShaderModule,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::buffers::{Access, Buffers, DeviceBuffer};

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
/// change](Self::with_change). A host that creates several liquids, or repeats it, keeps one value
/// and clones it.
///
/// ```
/// use blob_fluid_gpu::{GpuPass, Shaders};
/// assert!(Shaders::default().source(GpuPass::Order).contains("fn order("));
/// ```
#[derive(Clone, Debug)]
pub struct Shaders {
    files: Vec<(&'static str, String)>,
    pub(crate) programs: Programs,
}

impl Default for Shaders {
    fn default() -> Self {
        macro_rules! files {
            ($($name:ident)*) => {
                vec![$((
                    stringify!($name),
                    include_str!(concat!("shaders/", stringify!($name), ".wgsl")).to_owned(),
                )),*]
            };
        }
        let files = files![
            common tables walls solids near_walls gravity damping wall_friction containment predict
            scan scatter sort_crowded order spans ghost_walls pressures segregation viscosity
            separation displacements finite spread tallies summarise conclude region forces impulse
            find_drained remove_drained recycle sense wall_pressure bearers loads no_loads
            bear_loads yield sums impacts thermal warm exchange_heat react tiles unrest choose_tiles
            mark_tiles doze columns depth beds seams added_mass
        ];
        Self { files, programs: Programs::default() }
    }
}

impl Shaders {
    /// The source of a pass.
    pub fn source(&self, pass: GpuPass) -> String {
        self.joined(&pass.files())
    }

    /// The texts of these files, concatenated.
    pub(crate) fn joined(&self, files: &[&'static str]) -> String {
        let text = |name: &&str| self.files.iter().find(|(file, _)| file == name);
        let texts = files.iter().filter_map(text);
        texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The sources with a change in a file, for tests that must find a fault. Returns `None` if the
    /// file does not contain the text.
    pub fn with_change(mut self, file: &str, text: &str, instead: &str) -> Option<Self> {
        let (_, source) = self.files.iter_mut().find(|(name, _)| *name == file)?;
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
    /// Only with heat: the effect of heat on a particle's weight, and the heat of forces.
    Warm,
    /// The core's passes from [`ApplyDamping`](blob_fluid::FluidPass::ApplyDamping) to
    /// [`Quarantine`](blob_fluid::FluidPass::Quarantine), and the particle's cell.
    Predict,
    /// Prefix sums of the counts of the cells, in blocks.
    ScanBlocks,
    /// Prefix sums of the blocks' sums.
    ScanSums,
    /// Adds both, which gives the index of the first particle of each cell.
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
    /// Densities and pressures.
    FindPressures,
    /// [`RelaxDensity`](blob_fluid::FluidPass::RelaxDensity)'s displacements,
    /// [`Contain`](blob_fluid::FluidPass::Contain) and
    /// [`UpdateVelocities`](blob_fluid::FluidPass::UpdateVelocities).
    Displace,
    /// Only if loads of colliders are measured: sums the pressure of the liquid on each collider, and
    /// then does [`Contain`](blob_fluid::FluidPass::Contain) and
    /// [`UpdateVelocities`](blob_fluid::FluidPass::UpdateVelocities), which
    /// [`Displace`](Self::Displace) leaves out in that case.
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

        /// The pass's name: that of its entry point.
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

    /// The files of its shader.
    pub(crate) fn files(self) -> Vec<&'static str> {
        let files = match self {
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
        files.split(' ').collect()
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
            loads: pass.files().contains(&"containment"),
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

    /// The entry point `name` of these files, compiled, with the settings at binding 0 and storage
    /// buffers from 1 on.
    pub(crate) fn new(
        device: &Device,
        name: &'static str,
        shaders: &Shaders,
        files: &[&'static str],
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
