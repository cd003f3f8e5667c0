//! Recycling: the oldest particles are removed before a tick, to make room for others.

use std::ops::Range;

use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::drains::removal;
use crate::error::GpuError;
use crate::pipelines::Pipeline;
use crate::regions::recycling_entries;
use crate::scope::buffer;
use crate::sources::Shaders;

/// Ranges of ids by which particles are counted.
const RANGES: u32 = 256;

/// The passes that remove the oldest particles, and how many are to be removed.
#[derive(Debug)]
pub(crate) struct Recycling {
    count_ages: Pipeline,
    find_oldest: Pipeline,
    remove: Pipeline,
    /// How many the next tick removes.
    pub waiting: u32,
    record: Buffer,
    ages: Buffer,
    bindings: Option<[BindGroup; 3]>,
}

impl Recycling {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let files = ["common", "region", "spread", "tallies", "recycle"];
        let pass = |name| {
            let accesses = [Read, Read, Write, Write, Write].into_iter();
            Pipeline::new(device, name, (shaders, &files), accesses)
        };
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let bytes = size_of_val(&recycling_entries(0, [0; 2])) as u64;
        Ok(Self {
            count_ages: pass("count_ages"),
            find_oldest: pass("find_oldest"),
            remove: removal(device, shaders),
            waiting: 0,
            record: buffer(device, "recycling", bytes, usage)?,
            ages: buffer(device, "ages", u64::from(4 * RANGES), usage)?,
            bindings: None,
        })
    }

    /// Forgets what the passes are bound to.
    pub(crate) fn unbind(&mut self) {
        self.bindings = None;
    }

    /// Records the removal of the oldest, if any wait for it. Hardly any of them have ids outside of `ids`, and none above;
    /// `groups` are the work groups of 256 for all particles.
    pub(crate) fn encode(
        &mut self,
        (device, queue): (&Device, &Queue),
        encoder: &mut CommandEncoder,
        (params, buffers, tallies): (&Buffer, &Buffers, &Buffer),
        (ids, groups): (Range<u32>, (u32, u32)),
    ) {
        let most = std::mem::take(&mut self.waiting);
        if most == 0 {
            return;
        }
        // So that the highest id is in the last range at most.
        let bits = u32::BITS - (ids.end - ids.start).leading_zeros();
        let shift = bits.saturating_sub(RANGES.ilog2());
        let entries = recycling_entries(most, [ids.start, shift]);
        queue.write_buffer(&self.record, 0, bytemuck::cast_slice(&entries));
        encoder.clear_buffer(&self.ages, 0, None);
        let [particles, found, tiles] =
            [DeviceBuffer::Particles, DeviceBuffer::Keys, DeviceBuffer::Tiles]
                .map(|which| buffers.get(which));
        let bindings = self.bindings.get_or_insert_with(|| {
            let shared = [params, particles, &self.record, found, tallies];
            let count = |pass: &Pipeline| pass.bind(device, shared.into_iter().chain([&self.ages]));
            let remove = self.remove.bind(device, shared.into_iter().chain([tiles]));
            [count(&self.count_ages), count(&self.find_oldest), remove]
        });
        let passes =
            [(&self.count_ages, groups), (&self.find_oldest, groups), (&self.remove, (1, 1))];
        for ((pass, groups), binding) in passes.into_iter().zip(bindings) {
            pass.record(encoder, binding, groups);
        }
    }
}
