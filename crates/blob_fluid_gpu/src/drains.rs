//! Drains: what is removed before a tick.

use blob_fluid::{ClassFilter, FluidRegion};
use wgpu::{BindGroup, Buffer, CommandEncoder, Device, Queue};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::error::GpuError;
use crate::pipelines::Pipeline;
use crate::read::upload;
use crate::regions::drain_entries;
use crate::sources::Shaders;

/// What a device removes once, before a tick: by the rule of [`Drain`](blob_fluid::Drain), the particles that are
/// nearest to the centre of a region.
#[derive(Clone, Debug)]
pub struct GpuDrain {
    /// The region.
    pub region: FluidRegion,
    /// The classes that are removed.
    pub classes: ClassFilter,
    /// The most particles that are removed; `u32::MAX` for all.
    pub most: u32,
    /// Which count of [`GpuReport::drained_of`](crate::GpuReport::drained_of) they are added to, 0 to 63.
    pub channel: u8,
}

/// The passes of drains, and the drains of the next tick.
#[derive(Debug)]
pub(crate) struct Drains {
    find: Pipeline,
    remove: Pipeline,
    pub waiting: Vec<GpuDrain>,
    /// For each drain of a tick its record, and what the passes are bound to.
    records: Vec<(Buffer, [BindGroup; 2])>,
}

impl Drains {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        use Access::{Read, Write};
        let accesses = [Read, Read, Write, Write].into_iter();
        let files = ["common", "finite", "region", "spread", "tallies", "find_drained"];
        let find = Pipeline::new(device, "find_drained", (shaders, &files), accesses);
        Self { find, remove: removal(device, shaders), waiting: Vec::new(), records: Vec::new() }
    }

    /// Forgets what the passes are bound to.
    pub(crate) fn unbind(&mut self) {
        self.records.clear();
    }

    /// Records the drains that wait. `groups` are the work groups of a pass over all particles.
    pub(crate) fn encode(
        &mut self,
        (device, queue): (&Device, &Queue),
        encoder: &mut CommandEncoder,
        (params, buffers, tallies): (&Buffer, &Buffers, &Buffer),
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

/// The pass that removes the particles that were found, up to a number.
pub(crate) fn removal(device: &Device, shaders: &Shaders) -> Pipeline {
    use Access::{Read, Write};
    let files = ["common", "region", "spread", "tallies", "tiles", "remove_drained"];
    let accesses = [Write, Read, Write, Write, Write].into_iter();
    Pipeline::new(device, "remove_drained", (shaders, &files), accesses)
}
