//! Columns of liquid along gravity: their depth, and the solid below them.

use wgpu::{BindGroup, Buffer, CommandEncoder, Device};

use crate::buffers::{Access, BIN, Buffers, DeviceBuffer};
use crate::programs::{Pipeline, Shaders};
use crate::records::Frame;

/// The passes that count particles in columns.
#[derive(Debug)]
pub(crate) struct Columns {
    count: Pipeline,
    depth: [Pipeline; 2],
    beds: [Pipeline; 4],
    bindings: Option<Bindings>,
    pub frame: Frame,
}

/// The bindings of the passes.
#[derive(Debug)]
struct Bindings {
    count: BindGroup,
    depth: [BindGroup; 2],
    beds: [BindGroup; 4],
}

impl Columns {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        use Access::{Read, Write};
        let pass = |name, parts: &[&'static str], accesses: &[Access]| {
            Pipeline::new(device, name, shaders, parts, accesses.iter().copied())
        };
        let count = ["common", "finite", "columns"];
        let depth = [&count[..], &["spread", "tallies", "depth"]].concat();
        let beds = ["tables", "walls", "solids", "damping", "bearers", "sums", "loads", "beds"];
        let beds = [&count[..], &beds].concat();
        let of_beds = |name| pass(name, &beds, &[Write, Write, Read, Read, Read, Write]);
        Self {
            count: pass("count_columns", &count, &[Write; 2]),
            depth: ["sum_columns", "measure_depth"].map(|name| pass(name, &depth, &[Write; 3])),
            beds: ["find_ends", "find_beds", "settle_beds", "damp"].map(of_beds),
            bindings: None,
            frame: Frame::default(),
        }
    }

    /// Discards the bindings of the passes.
    pub(crate) fn unbind(&mut self) {
        self.bindings = None;
    }

    /// Binds the passes.
    pub(crate) fn bind(
        &mut self,
        device: &Device,
        params: &Buffer,
        buffers: &Buffers,
        tallies: &Buffer,
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

    /// Counts the particles, in `groups` work groups.
    fn encode_count(
        &self,
        encoder: &mut CommandEncoder,
        buffers: &Buffers,
        groups: (u32, u32),
    ) -> Option<&Bindings> {
        let bindings = self.bindings.as_ref().filter(|_| !self.frame.is_empty())?;
        let bytes = BIN * u64::from(self.frame.bins());
        encoder.clear_buffer(buffers.get(DeviceBuffer::Columns), 0, Some(bytes));
        self.count.record(encoder, &bindings.count, groups);
        Some(bindings)
    }

    /// Records the computation of the depth at the end of a tick.
    pub(crate) fn encode_depth(
        &self,
        encoder: &mut CommandEncoder,
        buffers: &Buffers,
        groups: (u32, u32),
    ) {
        let Some(bindings) = self.encode_count(encoder, buffers, groups) else { return };
        let groups = [(1, 1), self.groups_of_columns()];
        for ((pass, binding), groups) in self.depth.iter().zip(&bindings.depth).zip(groups) {
            pass.record(encoder, binding, groups);
        }
    }

    /// Records the damping relative to the beds at the beginning of a substep.
    pub(crate) fn encode_damping(
        &self,
        encoder: &mut CommandEncoder,
        buffers: &Buffers,
        groups: (u32, u32),
    ) {
        let Some(bindings) = self.encode_count(encoder, buffers, groups) else { return };
        let groups = [groups, groups, self.groups_of_columns(), groups];
        for ((pass, binding), groups) in self.beds.iter().zip(&bindings.beds).zip(groups) {
            pass.record(encoder, binding, groups);
        }
    }

    fn groups_of_columns(&self) -> (u32, u32) {
        (self.frame.size.x.div_ceil(64), 1)
    }
}
