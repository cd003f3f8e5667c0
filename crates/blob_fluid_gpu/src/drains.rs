//! Drains: removal of particles before a tick.

use std::ops::Range;

use blob_fluid::{ClassFilter, FluidRegion};
use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::buffers::{Access, Buffers, DeviceBuffer, upload};
use crate::error::GpuError;
use crate::programs::{Pipeline, Shaders};
use crate::regions::{drain_entries, recycling_entries};
use crate::scope::buffer;

/// A one-time removal of particles before a tick. Like a [`Drain`](blob_fluid::Drain), it removes
/// the particles nearest to the centre of a region.
#[derive(Clone, Debug)]
pub struct GpuDrain {
    /// The region.
    pub region: FluidRegion,
    /// The classes that are removed.
    pub classes: ClassFilter,
    /// Largest number of removed particles; `u32::MAX` for all.
    pub most: u32,
    /// The channel, 0 to 63, in which the removed particles are counted:
    /// [`GpuReport::drained_of`](crate::GpuReport::drained_of) returns the count of a channel.
    pub channel: u8,
}

/// The passes of drains, and the drains of the next tick.
#[derive(Debug)]
pub(crate) struct Drains {
    find: Pipeline,
    remove: Pipeline,
    pub waiting: Vec<GpuDrain>,
    /// For each drain of a tick, its record and the bindings of the passes.
    records: Vec<(Buffer, [BindGroup; 2])>,
}

impl Drains {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        use Access::{Read, Write};
        let accesses = [Read, Read, Write, Write].into_iter();
        let parts = ["common", "finite", "region", "spread", "tallies", "find_drained"];
        let find = Pipeline::new(device, "find_drained", shaders, &parts, accesses);
        Self { find, remove: removal(device, shaders), waiting: Vec::new(), records: Vec::new() }
    }

    /// Discards the bindings of the passes.
    pub(crate) fn unbind(&mut self) {
        self.records.clear();
    }

    /// Records the waiting drains. `groups` are the work groups of a pass over all particles.
    pub(crate) fn encode(
        &mut self,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        params: &Buffer,
        buffers: &Buffers,
        tallies: &Buffer,
        groups: (u32, u32),
    ) -> Result<(), GpuError> {
        for (index, drain) in self.waiting.drain(..).enumerate() {
            let entries =
                drain_entries(&drain.region, drain.classes, [drain.most, drain.channel.into()]);
            let bytes: &[u8] = bytemuck::cast_slice(&entries);
            let fits = self
                .records
                .get(index)
                .is_some_and(|(record, _)| record.size() >= bytes.len() as u64);
            if fits {
                queue.write_buffer(&self.records[index].0, 0, bytes);
            } else {
                let record = upload(device, queue, "drain", bytes)?;
                let [particles, found, tiles] =
                    [DeviceBuffer::Particles, DeviceBuffer::Keys, DeviceBuffer::Tiles]
                        .map(|which| buffers.get(which));
                let bound = [params, particles, &record, found, tallies].into_iter();
                let find = self.find.bind(device, bound.clone());
                let remove = self.remove.bind(device, bound.chain([tiles]));
                self.records.truncate(index);
                self.records.push((record, [find, remove]));
            }
            let passes = [(&self.find, groups), (&self.remove, (1, 1))];
            for ((pass, groups), binding) in passes.into_iter().zip(&self.records[index].1) {
                pass.record(encoder, binding, groups);
            }
        }
        Ok(())
    }
}

/// The pass that removes the found particles, up to a limit.
pub(crate) fn removal(device: &Device, shaders: &Shaders) -> Pipeline {
    use Access::{Read, Write};
    let parts = ["common", "region", "spread", "tallies", "tiles", "remove_drained"];
    let accesses = [Write, Read, Write, Write, Write].into_iter();
    Pipeline::new(device, "remove_drained", shaders, &parts, accesses)
}

// Recycling: the oldest particles are removed before a tick, to make room for new ones.

/// Number of ranges of ids in which particles are counted.
const RANGES: u32 = 256;

/// The passes that remove the oldest particles, and the number to remove.
#[derive(Debug)]
pub(crate) struct Recycling {
    count_ages: Pipeline,
    find_oldest: Pipeline,
    remove: Pipeline,
    /// Number of particles that the next tick removes.
    pub waiting: u32,
    record: Buffer,
    ages: Buffer,
    bindings: Option<[BindGroup; 3]>,
}

impl Recycling {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let parts = ["common", "region", "spread", "tallies", "recycle"];
        let pass = |name| {
            let accesses = [Read, Read, Write, Write, Write].into_iter();
            Pipeline::new(device, name, shaders, &parts, accesses)
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

    /// Discards the bindings of the passes.
    pub(crate) fn unbind(&mut self) {
        self.bindings = None;
    }

    /// Records the removal of the oldest particles, if any removal waits. Few particles have ids
    /// below `ids`, and none has an id above. `groups` are the work groups of 256 for all
    /// particles.
    pub(crate) fn encode(
        &mut self,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        params: &Buffer,
        buffers: &Buffers,
        tallies: &Buffer,
        ids: Range<u32>,
        groups: (u32, u32),
    ) {
        let most = std::mem::take(&mut self.waiting);
        if most == 0 {
            return;
        }
        // The shift puts the highest id into the last range at most.
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
