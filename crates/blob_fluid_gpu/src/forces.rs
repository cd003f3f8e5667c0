//! Forces on a device, and impulses.

use blob_fluid::Force;
use wgpu::{Buffer, CommandEncoder, Device, Queue};

use crate::buffers::Access;
use crate::error::GpuError;
use crate::pipelines::Pipeline;
use crate::read::upload;
use crate::regions::{Entry, force_entries};
use crate::sources::Shaders;

/// The forces that the device has, and the pass of impulses.
#[derive(Debug)]
pub(crate) struct Forces {
    sent: Option<Vec<Force>>,
    impulse: Pipeline,
}

impl Forces {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        let files = ["common", "finite", "region", "forces", "impulse"];
        let accesses = [Access::Write, Access::Read, Access::Write].into_iter();
        let impulse = Pipeline::new(device, "apply_impulse", (shaders, &files), accesses);
        Self { sent: None, impulse }
    }

    /// Notes that the device has no forces.
    pub(crate) fn forget(&mut self) {
        self.sent = None;
    }

    /// Notes that the device gets these forces.
    pub(crate) fn note(&mut self, forces: &[Force]) {
        self.sent = Some(forces.to_vec());
    }

    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.sent.as_ref().is_some_and(|forces| !forces.is_empty())
    }

    /// The entries of these forces, if the device has others.
    pub(crate) fn changed(&self, forces: &[Force]) -> Option<Vec<Entry>> {
        (self.sent.as_deref() != Some(forces)).then(|| force_entries(forces))
    }

    /// Records an impulse. `groups` are the work groups of a pass over all particles.
    pub(crate) fn encode_impulse(
        &self,
        (device, queue): (&Device, &Queue),
        encoder: &mut CommandEncoder,
        force: &Force,
        [params, particles, warmth]: [&Buffer; 3],
        groups: (u32, u32),
    ) -> Result<(), GpuError> {
        let entries = force_entries(std::slice::from_ref(force));
        let bytes = bytemuck::cast_slice(&entries);
        let regions = upload(device, queue, "impulse", bytes)?;
        let binding = self.impulse.bind(device, [params, particles, &regions, warmth].into_iter());
        self.impulse.record(encoder, &binding, groups);
        Ok(())
    }
}
