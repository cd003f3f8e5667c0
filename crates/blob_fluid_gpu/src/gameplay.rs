//! What a game does with a liquid on a device between two ticks, without waiting for it.

use std::ops::Range;

use blob_fluid::{FluidBounds, FluidRegion, Force, Liquid, SplashDetection, TileImpact};
use wgpu::PollType;

use crate::buffers::{CHANNELS, DeviceBuffer};
use crate::drains::GpuDrain;
use crate::error::GpuError;
use crate::liquid::{GpuLiquid, particles_at};
use crate::records::Params;
use crate::report::GpuReport;
use crate::sensors::{GpuSensor, GpuSensorId};

impl GpuLiquid {
    /// Moves all particles of a core liquid to the device: those that sources have spawned there since the last
    /// tick. They get ids as from [`append`](Self::append), the oldest the lowest, which are returned. Tags are lost.
    ///
    /// # Errors
    ///
    /// Those of [`append`](Self::append); then none is moved, and all stay in the core liquid.
    pub fn take_from(&mut self, liquid: &mut Liquid) -> Result<Range<u32>, GpuError> {
        self.make_room_for(liquid)?;
        let particles = liquid.particles();
        let by_age = particles.oldest_first().into_iter().filter_map(|id| particles.index_of(id));
        let ids = self.append(&particles_at(particles, by_age))?;
        if !ids.is_empty() {
            liquid.despawn_where(|_, _| true);
        }
        Ok(ids)
    }

    /// Removes particles at the beginning of the next tick. Drains act in the order of the calls. A
    /// [report](crate::GpuReport::drained_of) says how many each channel has removed.
    ///
    /// # Errors
    ///
    /// [`GpuError::UnknownChannel`] for a channel above 63.
    pub fn drain(&mut self, drain: GpuDrain) -> Result<(), GpuError> {
        if usize::from(drain.channel) >= CHANNELS {
            return Err(GpuError::UnknownChannel(drain.channel));
        }
        self.sleep.may_change(drain.region.bounds());
        self.drains.waiting.push(drain);
        Ok(())
    }

    /// Removes the particles with the lowest ids at the beginning of the next tick and after all drains: at most `count`, beside
    /// those of earlier calls. Those are the oldest where [`append`](Self::append) and [`take_from`](Self::take_from) gave all
    /// ids. So a fountain goes on when there are as many particles as there may be, as with
    /// [`CapacityPolicy::RecycleOldest`](blob_fluid::CapacityPolicy).
    pub fn recycle_oldest(&mut self, count: u32) {
        if count > 0 {
            self.sleep.may_change(FluidBounds::ALL);
        }
        self.recycling.waiting = self.recycling.waiting.saturating_add(count);
    }

    /// Adds a sensor, which measures at the end of each tick from the next one on. [Reports](crate::GpuReport::sensed)
    /// bring what it measured. Sensors take a bit of the device's memory for each of them and each
    /// id that was ever given, and 1 KB; without any there is no pass and no memory.
    pub fn insert_sensor(&mut self, sensor: GpuSensor) -> GpuSensorId {
        self.sensors.insert(sensor)
    }

    /// Moves or changes a sensor, from the next tick on. Particles that are inside the new region and were not
    /// inside the old one count as entered. Returns whether there is such a sensor.
    pub fn set_sensor(&mut self, id: GpuSensorId, sensor: GpuSensor) -> bool {
        self.sensors.set(id, sensor)
    }

    /// Removes a sensor.
    pub fn remove_sensor(&mut self, id: GpuSensorId) -> Option<GpuSensor> {
        self.sensors.remove(id)
    }

    /// Finds impacts for [splashes](blob_fluid::SplashDetector) at the end of each tick from the next one on, with the least
    /// speed and the squares of `detection`, or no longer. Of a tick there is room for impacts in 1024 squares. Each id that was
    /// ever given takes 8 bytes: as soon as these do not fit into a buffer of the device, no more impacts are found.
    pub fn watch_impacts(&mut self, detection: Option<SplashDetection>) {
        self.impacts.watch(detection);
    }

    /// The impacts of the ticks whose reports have arrived since the last call, at most of 64, the oldest first; for
    /// [`SplashDetector::update_with`](blob_fluid::SplashDetector::update_with). Those of ticks without a report are lost.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn take_impacts(&mut self) -> Result<Vec<Vec<TileImpact>>, GpuError> {
        self.poll_reports(PollType::Poll)?;
        Ok(self.reports.take_impacts())
    }

    /// Applies a force once, with the effect of one second, as
    /// [`Liquid::apply_impulse`](blob_fluid::Liquid::apply_impulse) does. Its heat has an effect only on a liquid that has had
    /// heat in a tick.
    ///
    /// # Errors
    ///
    /// [`GpuError::Force`] for an invalid force, [`GpuError::OutOfMemory`] and [`GpuError::Lost`]. Then nothing is changed.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), GpuError> {
        force.validate().map_err(GpuError::Force)?;
        let bounds = force.region.as_ref().map_or(FluidBounds::ALL, FluidRegion::bounds);
        self.sleep.wake(bounds);
        self.guarded(|gpu| gpu.submit_impulse(force))
    }

    fn submit_impulse(&self, force: &Force) -> Result<(), GpuError> {
        let heat = if self.has_heat() { force.heat } else { 0.0 };
        let force = &Force { heat, ..force.clone() };
        let (device, queue) = self.device();
        // Some may have been added since the last tick.
        let count = self.len() as u32;
        queue.write_buffer(&self.params, Params::COUNT_OFFSET, bytemuck::bytes_of(&count));
        let [particles, warmth] =
            [DeviceBuffer::Particles, DeviceBuffer::Extras].map(|which| self.buffers.get(which));
        let buffers = [&self.params, particles, warmth];
        let mut encoder = self.encoder();
        let groups = self.groups_of_particles();
        self.forces.encode_impulse(device, queue, &mut encoder, force, buffers, groups)?;
        queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Number of ticks that were submitted since the liquid was made; a [report](crate::GpuReport::tick) says of which it is.
    pub fn tick(&self) -> u64 {
        self.reports.tick
    }

    /// Whether each tick waits for the report of the tick before the last one; `false` by default. Automatic
    /// substeps, the grid of a liquid without a container or in a very large one, and whether a tick is left out
    /// because all sleep, follow from these reports: with `true` the same ticks give the same bits even so. Otherwise
    /// the substeps, the order of sums and the last tick before all rest may depend on when reports arrive. Where
    /// colliders have loads, ticks wait in any case. Natively only: browsers do not wait.
    pub fn set_exact(&mut self, exact: bool) {
        self.reports.exact = exact;
    }

    fn poll_reports(&mut self, how: PollType) -> Result<(), GpuError> {
        self.reports.poll((&self.device, &self.queue), how)
    }

    /// The newest report that has arrived, without waiting for it: that of the last tick, or of one before.
    /// `None` before the first one has arrived.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn report(&mut self) -> Result<Option<&GpuReport>, GpuError> {
        self.poll_reports(PollType::Poll)?;
        Ok(self.reports.newest())
    }

    /// As [`report`](Self::report), but waits until the last tick's is there. Natively only: browsers do not
    /// wait.
    ///
    /// # Errors
    ///
    /// As [`report`](Self::report).
    pub fn wait_for_report(&mut self) -> Result<Option<&GpuReport>, GpuError> {
        self.poll_reports(PollType::wait_indefinitely())?;
        if self.reports.lacks_last() {
            self.guarded(Self::request_report)?;
            self.poll_reports(PollType::wait_indefinitely())?;
        }
        Ok(self.reports.newest())
    }

    /// Asks for the report of the last tick.
    fn request_report(&mut self) -> Result<(), GpuError> {
        let mut encoder = self.encoder();
        let rows = self.buffers.get(DeviceBuffer::Loads);
        let Self { device, sensors, loads, impacts, .. } = self;
        self.reports.copy(device, &mut encoder, sensors, loads, rows, impacts)?;
        let submission = self.queue.submit([encoder.finish()]);
        self.reports.request(submission);
        Ok(())
    }
}
