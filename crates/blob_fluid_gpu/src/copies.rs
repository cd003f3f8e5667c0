//! Copies of all particles, for hosts that need each one.

use blob_fluid::{ClassId, FluidLifetime, Liquid, ParticleTag, SavedParticle, SavedParticles};

use crate::buffers::{Copy, DeviceBuffer, PAIR};
use crate::error::GpuError;
use crate::liquid::{GpuLiquid, GpuParticle};
use crate::records::{ParticleRecord, WarmthRecord};

/// A copy of all particles in flight from the GPU ([`GpuLiquid::request_particles`]).
#[derive(Debug)]
pub struct GpuParticlesCopy {
    copy: Copy,
    /// The liquid's time at the request.
    time: f64,
    /// Bytes of the particles. The temperatures follow, if particles have any.
    particles: usize,
}

/// Converts particles to the form that
/// [`Liquid::restore_particles`](blob_fluid::Liquid::restore_particles) takes, with the classes of
/// `liquid`. The GPU does not store ages, tags, paint and grains.
///
/// ```
/// use blob_fluid::{ClassId, FluidWorld};
/// use blob_fluid_gpu::{GpuParticle, saved_particles};
/// let mut world = FluidWorld::default();
/// let particle = GpuParticle { class: ClassId::HEAVY, ..GpuParticle::default() };
/// let saved = saved_particles(&[particle], world.liquid());
/// world.restore_particles(&saved)?;
/// assert_eq!(world.particles().classes(), [ClassId::HEAVY]);
/// # Ok::<(), blob_fluid::RestoreError>(())
/// ```
pub fn saved_particles(particles: &[GpuParticle], liquid: &Liquid) -> SavedParticles {
    let of_class = |class| liquid.classes().get(class)?.thermal.temperature;
    let ambient = liquid.parameters().ambient_temperature;
    let saved = |particle: &GpuParticle| SavedParticle {
        position: particle.position,
        velocity: particle.velocity,
        class: particle.class.0,
        temperature: particle.temperature.or(of_class(particle.class)).unwrap_or(ambient),
        exposure: particle.exposure.clamp(0.0, 1.0),
        relative_density: particle.relative_density,
        pressure: particle.kept_pressure,
        grain: None,
        paint: None,
        age: 0.0,
        lifetime: particle.lifetime.map(|seconds| FluidLifetime { seconds, fade: 0.0 }),
        tag: ParticleTag::default(),
        new: true,
    };
    SavedParticles {
        classes: liquid.classes().iter().map(|class| class.name.clone()).collect(),
        particles: particles.iter().map(saved).collect(),
        ..SavedParticles::default()
    }
}

impl GpuParticlesCopy {
    /// The particles at the time of the request, in the order of their ids. `None` before the
    /// particles have arrived, and after they were taken. The method does not wait, and works in
    /// browsers.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn take(&mut self) -> Result<Option<Vec<GpuParticle>>, GpuError> {
        let bytes = self.copy.take()?;
        Ok(bytes.map(|bytes| particles_in(&bytes, self.particles, self.time)))
    }

    /// Waits for the particles, and returns them as [`take`](Self::take) does. Native only, because
    /// browsers cannot wait.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`], and [`GpuError::NoAnswer`] if the particles were taken.
    pub fn wait(self) -> Result<Vec<GpuParticle>, GpuError> {
        Ok(particles_in(&self.copy.wait()?, self.particles, self.time))
    }
}

impl GpuLiquid {
    /// Requests a copy of all particles in play, after all submitted work. The copy arrives some
    /// frames later, without waiting.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`], and [`GpuError::OutOfMemory`] if the device has no memory for the copy.
    pub fn request_particles(&self) -> Result<GpuParticlesCopy, GpuError> {
        self.request(DeviceBuffer::Particles)
    }

    /// Waits for the device, and copies all particles in play, in the order of their ids. Native
    /// only, because browsers cannot wait.
    ///
    /// # Errors
    ///
    /// As [`request_particles`](Self::request_particles).
    pub fn read_particles(&self) -> Result<Vec<GpuParticle>, GpuError> {
        self.request(DeviceBuffer::Particles)?.wait()
    }

    /// As [`read_particles`](Self::read_particles), for use after
    /// [`GpuPass::FindPressures`](crate::GpuPass::FindPressures): the particles have the
    /// densities and pressures of that pass.
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
        let mut sources = vec![(self.buffer(which), bytes)];
        if self.has_heat() {
            sources.push((self.buffer(DeviceBuffer::Extras), PAIR * self.len() as u64));
        }
        let copy = Copy::of(device, queue, &sources)?;
        Ok(GpuParticlesCopy { copy, time: self.time, particles: bytes as usize })
    }
}

/// Reads the particles in play from the bytes of records and temperatures, in the order of their ids.
fn particles_in(bytes: &[u8], particles: usize, time: f64) -> Vec<GpuParticle> {
    let (records, warmth) = bytes.split_at(particles.min(bytes.len()));
    let records: Vec<ParticleRecord> = bytemuck::pod_collect_to_vec(records);
    let warmth: Vec<WarmthRecord> = bytemuck::pod_collect_to_vec(warmth);
    let warmth = warmth.into_iter().map(|warmth| (warmth.exposure >= 0.0).then_some(warmth));
    let live = records.iter().zip(warmth.chain(std::iter::repeat(None)));
    let live = live.filter(|(record, _)| record.kind & ParticleRecord::OUT_OF_PLAY == 0);
    let mut particles: Vec<_> = live
        .map(|(record, warmth)| GpuParticle {
            id: record.id,
            class: ClassId(record.kind as u8),
            position: record.position.into(),
            velocity: record.velocity.into(),
            displacement: record.displacement.into(),
            relative_density: record.relative_density,
            kept_pressure: record.resistance,
            temperature: warmth.map(|warmth| warmth.temperature),
            exposure: warmth.map_or(0.0, |warmth| warmth.exposure),
            lifetime: record.lifetime(time),
        })
        .collect();
    particles.sort_unstable_by_key(|particle| particle.id);
    particles
}
