//! Forces on a device, and impulses.

use blob_fluid::{Force, Liquid};
use wgpu::{BufferUsages, ComputePassDescriptor, Device};

use crate::buffers::{Access, DeviceBuffer, Room};
use crate::error::GpuError;
use crate::liquid::GpuLiquid;
use crate::pass::Shaders;
use crate::pipelines::Pipeline;
use crate::read::upload;
use crate::regions::force_entries;

/// The forces that the device has, and the pass of impulses.
#[derive(Debug)]
pub(crate) struct Forces {
    sent: Option<Vec<Force>>,
    impulse: Pipeline,
}

impl Forces {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        let files = ["common", "finite", "region", "forces", "impulse"];
        let accesses = [Access::Write, Access::Read].into_iter();
        let impulse = Pipeline::new(device, "apply_impulse", shaders.joined(&files), accesses);
        Self { sent: None, impulse }
    }

    /// Notes that the device has no forces.
    pub(crate) fn forget(&mut self) {
        self.sent = None;
    }
}

impl GpuLiquid {
    /// Copies the forces of a liquid to the device, if it has others.
    pub(crate) fn send_forces(&mut self, liquid: &Liquid) -> Result<(), GpuError> {
        if self.forces.sent.as_deref() == Some(liquid.forces()) {
            return Ok(());
        }
        let entries = force_entries(liquid.forces());
        let room = self.buffers.room;
        if entries.len() > room.forces as usize {
            let forces = u32::try_from(entries.len().next_power_of_two()).unwrap_or(u32::MAX);
            self.make_room(Room { forces, ..room })?;
        }
        let (_, queue) = self.device();
        let buffer = self.buffers.get(DeviceBuffer::Forces);
        queue.write_buffer(buffer, 0, bytemuck::cast_slice(&entries));
        self.forces.sent = Some(liquid.forces().to_vec());
        Ok(())
    }

    /// Applies a force once, with the effect of one second, as [`Liquid::apply_impulse`] does. Heat has no
    /// effect.
    ///
    /// # Errors
    ///
    /// [`GpuError::Force`] for an invalid force. Then nothing is changed.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), GpuError> {
        force.validate().map_err(GpuError::Force)?;
        let entries = force_entries(std::slice::from_ref(force));
        let (device, queue) = self.device();
        let regions =
            upload(device, "impulse", bytemuck::cast_slice(&entries), BufferUsages::STORAGE);
        // Some may have been added since the last tick.
        queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&(self.len() as u32)));
        let particles = self.buffers.get(DeviceBuffer::Particles);
        let impulse = &self.forces.impulse;
        let binding = impulse.bind(device, [&self.params, particles, &regions].into_iter());
        let mut encoder = self.encoder();
        let mut recorded = encoder.begin_compute_pass(&ComputePassDescriptor {
            label: Some("impulse"),
            timestamp_writes: None,
        });
        let Some(pipeline) = impulse.get(false) else { return Ok(()) };
        recorded.set_pipeline(pipeline);
        recorded.set_bind_group(0, &binding, &[]);
        let (across, up) = self.groups_of_particles();
        recorded.dispatch_workgroups(across, up, 1);
        drop(recorded);
        queue.submit([encoder.finish()]);
        Ok(())
    }
}
