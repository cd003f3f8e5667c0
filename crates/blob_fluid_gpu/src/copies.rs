//! Copies of all particles, for a host that wants to know each.

use blob_fluid::ClassId;
use wgpu::Device;

use crate::buffers::DeviceBuffer;
use crate::error::GpuError;
use crate::liquid::{GpuLiquid, GpuParticle};
use crate::read::Copy;
use crate::records::ParticleRecord;

/// A copy of all particles that is on its way from the device: what [`GpuLiquid::request_particles`] gives.
#[derive(Debug)]
pub struct GpuParticlesCopy {
    copy: Copy,
    device: Device,
    /// The liquid's time when the copy was asked for.
    time: f64,
}

impl GpuParticlesCopy {
    /// The particles as they were when they were asked for, in the order of their ids, once: `None` before they have
    /// arrived, and after they were taken. It does not wait, in browsers neither.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoAnswer`], if the device is lost.
    pub fn take(&mut self) -> Result<Option<Vec<GpuParticle>>, GpuError> {
        let bytes = self.copy.take(&self.device)?;
        Ok(bytes.map(|bytes| particles_in(&bytes, self.time)))
    }

    /// The particles as [`take`](Self::take) gives them, when they have arrived. Natively only: browsers do not wait.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoAnswer`], if the device is lost, or the particles were taken.
    pub fn wait(self) -> Result<Vec<GpuParticle>, GpuError> {
        Ok(particles_in(&self.copy.wait(&self.device)?, self.time))
    }
}

impl GpuLiquid {
    /// Asks for a copy of all particles that are in play, after all that was submitted so far. It arrives some
    /// frames later, and nothing waits for it.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoAnswer`] if the device is lost, [`GpuError::OutOfMemory`] if it has no room for the copy.
    pub fn request_particles(&self) -> Result<GpuParticlesCopy, GpuError> {
        self.request(DeviceBuffer::Particles)
    }

    /// Waits for the device, and copies all particles that are in play, in the order of their ids. Natively only:
    /// browsers do not wait.
    ///
    /// # Errors
    ///
    /// As [`request_particles`](Self::request_particles).
    pub fn read_particles(&self) -> Result<Vec<GpuParticle>, GpuError> {
        self.request(DeviceBuffer::Particles)?.wait()
    }

    /// As [`read_particles`](Self::read_particles) after [`GpuPass::FindPressures`](crate::GpuPass::FindPressures), with
    /// the densities and pressures that it found.
    ///
    /// # Errors
    ///
    /// As [`read_particles`](Self::read_particles).
    pub fn read_sorted_particles(&self) -> Result<Vec<GpuParticle>, GpuError> {
        self.request(DeviceBuffer::Sorted)?.wait()
    }

    fn request(&self, which: DeviceBuffer) -> Result<GpuParticlesCopy, GpuError> {
        let bytes = self.len() as u64 * size_of::<ParticleRecord>() as u64;
        let (device, queue) = self.device();
        let copy = Copy::of(device, queue, self.buffer(which), bytes)?;
        Ok(GpuParticlesCopy { copy, device: device.clone(), time: self.time })
    }
}

/// The particles in play in the bytes of their records, in the order of their ids.
fn particles_in(bytes: &[u8], time: f64) -> Vec<GpuParticle> {
    let records: Vec<ParticleRecord> = bytemuck::pod_collect_to_vec(bytes);
    let live = records.iter().filter(|record| record.kind & ParticleRecord::OUT_OF_PLAY == 0);
    let mut particles: Vec<_> = live
        .map(|record| GpuParticle {
            id: record.id,
            class: ClassId(record.kind as u8),
            position: record.position.into(),
            velocity: record.velocity.into(),
            displacement: record.displacement.into(),
            relative_density: record.relative_density,
            kept_pressure: record.resistance,
            lifetime: record.lifetime(time),
        })
        .collect();
    particles.sort_unstable_by_key(|particle| particle.id);
    particles
}
