//! Growth of the buffers.

use blob_fluid::Liquid;

use crate::buffers::{Buffers, DeviceBuffer, PAIR, Room};
use crate::error::GpuError;
use crate::liquid::{GpuLiquid, bind_all};
use crate::records::{ParticleRecord, WarmthRecord};

impl GpuLiquid {
    /// Reserves room for `capacity` particles.
    ///
    /// # Errors
    ///
    /// [`GpuError::TooManyParticles`] beyond the device's limits, [`GpuError::OutOfMemory`] and
    /// [`GpuError::Lost`]. Then nothing is changed.
    pub fn reserve(&mut self, capacity: usize) -> Result<(), GpuError> {
        if capacity <= self.capacity() {
            return Ok(());
        }
        let most = Buffers::most_particles(&self.device);
        let particles = u32::try_from(capacity).ok().filter(|capacity| *capacity <= most);
        let Some(particles) = particles else {
            return Err(GpuError::TooManyParticles { count: capacity, most: most as usize });
        };
        self.make_room(Room { particles, ..self.buffers.room })
    }

    /// Replaces the buffers, and copies the particles.
    pub(crate) fn make_room(&mut self, room: Room) -> Result<(), GpuError> {
        self.guarded(|gpu| gpu.replace_buffers(room))
    }

    fn replace_buffers(&mut self, room: Room) -> Result<(), GpuError> {
        let larger = Buffers::new(self.device(), room)?;
        let mut encoder = self.encoder();
        let bytes = u64::from(self.count) * size_of::<ParticleRecord>() as u64;
        let loads = self.buffers.get(DeviceBuffer::Loads).size();
        let tiles = self.buffers.get(DeviceBuffer::Tiles).size();
        let mut copied = vec![
            (DeviceBuffer::Particles, [0, 0], bytes),
            (DeviceBuffer::Loads, [0, 0], loads),
            (DeviceBuffer::Tiles, [0, 0], tiles),
        ];
        let before = self.buffers.room;
        let pairs = PAIR * u64::from(self.count);
        if before.extras.warmth {
            copied.push((DeviceBuffer::Extras, [0, 0], pairs));
        } else if room.extras.warmth {
            let of_class = vec![WarmthRecord::OF_CLASS; self.len()];
            let into = larger.get(DeviceBuffer::Extras);
            self.queue.write_buffer(into, 0, bytemuck::cast_slice(&of_class));
        }
        if before.extras.rests {
            let first = [before, room].map(|room| PAIR * u64::from(room.first_rest()));
            copied.push((DeviceBuffer::Extras, first, pairs));
        }
        for (which, [from, to], bytes) in copied {
            let [source, into] = [&self.buffers, &larger].map(|buffers| buffers.get(which));
            encoder.copy_buffer_to_buffer(source, from, into, to, bytes);
        }
        self.queue.submit([encoder.finish()]);
        self.buffers = larger;
        self.solids.forget_buffers();
        self.bindings = bind_all(&self.pipelines, &self.device, &self.params, &self.buffers);
        self.reports.rebind(&self.device, &self.params, &self.buffers);
        self.forces.forget();
        self.drains.unbind();
        self.recycling.unbind();
        self.sensors.unbind();
        self.loads.unbind();
        self.impacts.unbind();
        self.sleep.unbind();
        self.columns.unbind();
        Ok(())
    }

    /// Makes room for the classes of a liquid, from which particles will be added, and for their extras.
    pub(crate) fn make_room_for(&mut self, liquid: &Liquid) -> Result<(), GpuError> {
        let (room, needed) = (self.buffers.room, self.buffers.room.for_settings(liquid));
        if needed != room {
            self.make_room(needed)?;
        }
        self.classes.set_table(liquid.classes().len());
        Ok(())
    }
}
