//! Columns of liquid along gravity: how deep they are, and on which solid they stand.

use blob_fluid::Liquid;
use glam::{IVec2, UVec2, Vec2};
use wgpu::{BindGroup, Buffer, CommandEncoder, Device};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::grid::Grid;
use crate::pipelines::Pipeline;
use crate::sources::Shaders;

/// Bytes of a bin, as `shaders/columns.wgsl` has it.
pub(crate) const BIN: u64 = 20;

/// Number of bins that may always be used, however few the particles.
const FEW_BINS: u64 = 1 << 14;

/// Where the bins are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub origin: Vec2,
    pub down: Vec2,
    /// Column and row of the first bin, and their numbers. If the grid has far more bins than there are particles,
    /// bins that are far apart share an entry, which may make the liquid seem deeper.
    pub first: IVec2,
    pub size: UVec2,
    pub fullest: u32,
}

impl Frame {
    /// The bins over a grid with so many places of particles. There are none without gravity.
    pub(crate) fn over(grid: &Grid, liquid: &Liquid, count: u32) -> Self {
        let Some(columns) = liquid.device_columns() else { return Self::default() };
        let (radius, down) = (liquid.parameters().interaction_radius(), columns.down);
        let origin = columns.origin.unwrap_or(grid.low);
        let corners = [grid.low, grid.high, Vec2::new(grid.low.x, grid.high.y)];
        let corners = corners.into_iter().chain([Vec2::new(grid.high.x, grid.low.y)]);
        let bins = corners.map(|corner| {
            let offset = (corner - origin) / radius;
            Vec2::new(offset.dot(down.perp()), offset.dot(down))
        });
        let (low, high) = bins.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), bin| {
            (low.min(bin), high.max(bin))
        });
        let far = Vec2::splat(1e9);
        let first = low.floor().clamp(-far, far).as_ivec2();
        let mut size = (high - low + 2.0).clamp(Vec2::ONE, far).as_uvec2();
        let most = u64::from(count).max(FEW_BINS);
        while u64::from(size.x) * u64::from(size.y) > most {
            let longer = if size.x > size.y { &mut size.x } else { &mut size.y };
            *longer = longer.div_ceil(2);
        }
        Self { origin, down, first, size, fullest: columns.fullest }
    }

    /// Number of bins, with the one for the sums over all.
    pub(crate) fn bins(&self) -> u32 {
        self.size.element_product() + 1
    }

    fn is_empty(&self) -> bool {
        self.size == UVec2::ZERO
    }
}

/// The passes that count particles in columns.
#[derive(Debug)]
pub(crate) struct Columns {
    count: Pipeline,
    depth: [Pipeline; 2],
    beds: [Pipeline; 4],
    bindings: Option<Bindings>,
    pub frame: Frame,
}

/// What the passes are bound to.
#[derive(Debug)]
struct Bindings {
    count: BindGroup,
    depth: [BindGroup; 2],
    beds: [BindGroup; 4],
}

impl Columns {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        use Access::{Read, Write};
        let pass = |name, files: &[&'static str], accesses: &[Access]| {
            Pipeline::new(device, name, (shaders, files), accesses.iter().copied())
        };
        let count = ["common", "finite", "columns"];
        let depth = [&count[..], &["spread", "tallies", "depth"]].concat();
        let beds = ["tables", "walls", "solids", "damping", "bearers", "sums", "loads", "beds"];
        let beds = [&count[..], &beds].concat();
        let of_beds = |name| pass(name, &beds, &[Write, Write, Read, Read, Read, Write]);
        Self {
            count: pass("count_columns", &count, &[Write; 2]),
            depth: ["sum_columns", "measure_depth"].map(|name| pass(name, &depth, &[Write; 3])),
            beds: ["find_lowest", "find_beds", "settle_beds", "damp"].map(of_beds),
            bindings: None,
            frame: Frame::default(),
        }
    }

    /// Forgets what the passes are bound to.
    pub(crate) fn unbind(&mut self) {
        self.bindings = None;
    }

    /// Binds the passes.
    pub(crate) fn bind(
        &mut self,
        device: &Device,
        (params, buffers, tallies): (&Buffer, &Buffers, &Buffer),
    ) {
        use DeviceBuffer::{Bearers, Columns, Loads, Particles, Solids, Tables};
        let Self { count, depth, beds, .. } = self;
        self.bindings.get_or_insert_with(|| {
            let bound = |which: &[DeviceBuffer]| {
                let buffers = which.iter().map(|which| buffers.get(*which));
                std::iter::once(params).chain(buffers).collect::<Vec<_>>()
            };
            let counted = bound(&[Particles, Columns]);
            let measured = counted.iter().copied().chain([tallies]);
            let of_beds = bound(&[Particles, Columns, Tables, Solids, Bearers, Loads]);
            Bindings {
                count: count.bind(device, counted.iter().copied()),
                depth: [0, 1].map(|pass: usize| depth[pass].bind(device, measured.clone())),
                beds: [0, 1, 2, 3]
                    .map(|pass: usize| beds[pass].bind(device, of_beds.iter().copied())),
            }
        });
    }

    /// Counts the particles, in so many work groups.
    fn encode_count(
        &self,
        encoder: &mut CommandEncoder,
        (buffers, bindings): (&Buffers, &Bindings),
        groups: (u32, u32),
    ) {
        let bytes = BIN * u64::from(self.frame.bins());
        encoder.clear_buffer(buffers.get(DeviceBuffer::Columns), 0, Some(bytes));
        self.count.record(encoder, &bindings.count, groups);
    }

    /// Records at the end of a tick how deep the liquid is.
    pub(crate) fn encode_depth(
        &self,
        encoder: &mut CommandEncoder,
        buffers: &Buffers,
        groups: (u32, u32),
    ) {
        let Some(bindings) = self.bindings.as_ref().filter(|_| !self.frame.is_empty()) else {
            return;
        };
        self.encode_count(encoder, (buffers, bindings), groups);
        let groups = [(1, 1), self.groups_of_columns()];
        for ((pass, binding), groups) in self.depth.iter().zip(&bindings.depth).zip(groups) {
            pass.record(encoder, binding, groups);
        }
    }

    /// Records at the beginning of a substep the damping relative to the beds.
    pub(crate) fn encode_damping(
        &self,
        encoder: &mut CommandEncoder,
        buffers: &Buffers,
        groups: (u32, u32),
    ) {
        let Some(bindings) = self.bindings.as_ref().filter(|_| !self.frame.is_empty()) else {
            return;
        };
        self.encode_count(encoder, (buffers, bindings), groups);
        let groups = [groups, groups, self.groups_of_columns(), groups];
        for ((pass, binding), groups) in self.beds.iter().zip(&bindings.beds).zip(groups) {
            pass.record(encoder, binding, groups);
        }
    }

    fn groups_of_columns(&self) -> (u32, u32) {
        (self.frame.size.x.div_ceil(64), 1)
    }
}
