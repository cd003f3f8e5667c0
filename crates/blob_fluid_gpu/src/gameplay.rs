//! Methods for games, between two ticks. They do not wait for the GPU, unless they say so.

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
    /// Moves all particles of a core liquid to the GPU, for example those that sources have spawned
    /// since the last tick. The particles get ids as with [`append`](Self::append), and the oldest
    /// particle gets the lowest id. Returns the ids. Tags are lost.
    ///
    /// # Errors
    ///
    /// The errors of [`append`](Self::append); then all particles stay in the core liquid.
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
    /// [report](crate::GpuReport::drained_of) contains the number of removed particles of each
    /// channel.
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

    /// Removes the particles with the lowest ids at the beginning of the next tick, after all
    /// drains. `count` is the largest number of removed particles, in addition to earlier calls. If
    /// [`append`](Self::append) and [`take_from`](Self::take_from) gave all ids, these particles
    /// are the oldest. So a fountain continues when the number of particles reaches its limit, as
    /// with [`CapacityPolicy::RecycleOldest`](blob_fluid::CapacityPolicy).
    pub fn recycle_oldest(&mut self, count: u32) {
        if count > 0 {
            self.sleep.may_change(FluidBounds::ALL);
        }
        self.recycling.waiting = self.recycling.waiting.saturating_add(count);
    }

    /// Adds a sensor, which measures at the end of each tick from the next one on.
    /// [Reports](crate::GpuReport::sensed) contain its readings. A sensor takes 1 KB, and a bit for
    /// each id that was ever given. Without sensors, no pass runs and no memory is used.
    pub fn insert_sensor(&mut self, sensor: GpuSensor) -> GpuSensorId {
        self.sensors.insert(sensor)
    }

    /// Moves or changes a sensor, from the next tick on. Particles inside the new region that were
    /// not inside the old one count as entered. Returns whether the sensor exists.
    pub fn set_sensor(&mut self, id: GpuSensorId, sensor: GpuSensor) -> bool {
        self.sensors.set(id, sensor)
    }

    /// Removes a sensor, and returns it; `None` if it was already removed.
    pub fn remove_sensor(&mut self, id: GpuSensorId) -> Option<GpuSensor> {
        self.sensors.remove(id)
    }

    /// Finds impacts for [splashes](blob_fluid::SplashDetector) at the end of each tick from the
    /// next one on. `detection` gives the least speed of impacts and the squares that separate
    /// splashes; `None` stops the search. A tick has room for impacts in 1024 squares. Each id that
    /// was ever given takes 8 bytes. Once all ids together need more than the largest storage buffer
    /// of the device, no more impacts are found.
    pub fn watch_impacts(&mut self, detection: Option<SplashDetection>) {
        self.impacts.watch(detection);
    }

    /// The impacts of the ticks whose reports have arrived since the last call, the oldest first,
    /// of at most 64 ticks. These impacts are the input of
    /// [`SplashDetector::update_with`](blob_fluid::SplashDetector::update_with). Impacts of ticks
    /// without a report are lost.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn take_impacts(&mut self) -> Result<Vec<Vec<TileImpact>>, GpuError> {
        self.poll_reports(PollType::Poll)?;
        Ok(self.reports.take_impacts())
    }

    /// Applies a force once, with the effect of one second, as
    /// [`Liquid::apply_impulse`](blob_fluid::Liquid::apply_impulse) does. The heat of a force
    /// affects only a liquid that has had heat in an earlier tick.
    ///
    /// # Errors
    ///
    /// [`GpuError::Force`] for an invalid force, [`GpuError::OutOfMemory`] and [`GpuError::Lost`].
    /// Then the particles do not change.
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
        // Particles may have been added since the last tick.
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

    /// Number of ticks submitted since the liquid was created. A [report](crate::GpuReport::tick)
    /// contains the number of its tick.
    pub fn tick(&self) -> u64 {
        self.reports.tick
    }

    /// Whether each tick waits for the report of the tick before the previous one; `false` by
    /// default. Reports decide automatic substeps, the skipping of ticks in which all particles
    /// sleep, and the grid of a liquid in a very large container or in none.
    ///
    /// With `true`, equal ticks give equal bits despite these reports. Otherwise the substeps, the order
    /// of sums and the last tick before rest may depend on the arrival of reports. If the load on any
    /// collider is measured, ticks always wait. Native only, because browsers cannot wait.
    pub fn set_exact(&mut self, exact: bool) {
        self.reports.exact = exact;
    }

    fn poll_reports(&mut self, how: PollType) -> Result<(), GpuError> {
        self.reports.poll((&self.device, &self.queue), how)
    }

    /// The newest report that has arrived, of the last tick or an earlier one, without waiting.
    /// `None` before the first report has arrived.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn report(&mut self) -> Result<Option<&GpuReport>, GpuError> {
        self.poll_reports(PollType::Poll)?;
        Ok(self.reports.newest())
    }

    /// As [`report`](Self::report), but waits for the report of the last tick. Native only, because
    /// browsers cannot wait.
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

    /// Requests the report of the last tick.
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
