//! Times of the passes, from timestamps of the device.

use blob_fluid::Liquid;
use wgpu::Features;

use crate::error::GpuError;
use crate::liquid::GpuLiquid;
use crate::programs::GpuPass;
use crate::timestamps::{PassTime, Timestamps, Watch};

impl GpuLiquid {
    /// As [`step`](Self::step), but waits for the device, and returns the time of each pass that
    /// ran. The times of drains, of the choice of sleeping tiles and of the report are not
    /// included.
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step) and [`read_particles`](Self::read_particles), and
    /// [`GpuError::NoTimestamps`].
    pub fn step_timed(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
    ) -> Result<Vec<PassTime>, GpuError> {
        self.watch_times(true)?;
        // Earlier requests belong to another tick.
        self.times = Watch { on: true, ..Watch::default() };
        let stepped = self.step(liquid, time_step);
        let coming = self.times.coming.take();
        self.times = Watch::default();
        stepped?;
        let Some((copy, timestamps)) = coming else { return Ok(Vec::new()) };
        Ok(timestamps.times(&copy.wait()?, self.queue.get_timestamp_period()))
    }

    /// Starts or stops timing the passes. A tick is timed whenever the previous times have arrived,
    /// without waiting. [`pass_times`](Self::pass_times) returns the newest times.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoTimestamps`].
    pub fn watch_times(&mut self, on: bool) -> Result<(), GpuError> {
        if on && !self.device().0.features().contains(Features::TIMESTAMP_QUERY) {
            return Err(GpuError::NoTimestamps);
        }
        if on != self.times.on {
            self.times = Watch { on, ..Watch::default() };
        }
        Ok(())
    }

    /// The newest times since [`watch_times`](Self::watch_times): those of each pass in one tick.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn pass_times(&mut self) -> Result<&[PassTime], GpuError> {
        let arrived = match &mut self.times.coming {
            Some((copy, _)) => copy.take()?,
            None => None,
        };
        if let Some(bytes) = arrived
            && let Some((_, timestamps)) = self.times.coming.take()
        {
            self.times.newest = timestamps.times(&bytes, self.queue.get_timestamp_period());
        }
        Ok(&self.times.newest)
    }

    /// The timestamps of a tick, if its times are wanted and none are in flight.
    pub(crate) fn timestamps(&self, substeps: u32) -> Result<Option<Timestamps>, GpuError> {
        let wanted = self.times.on && self.times.coming.is_none();
        // The device would wait for timestamps that no pass writes.
        let running = || GpuPass::ALL.into_iter().filter(|pass| self.runs(*pass)).collect();
        wanted.then(|| Timestamps::new(&self.device, running(), substeps)).transpose()
    }

    /// Requests the timestamps of the tick that was just submitted.
    pub(crate) fn request_times(&mut self, timestamps: Timestamps) -> Result<(), GpuError> {
        let copy = timestamps.copy(&self.device, &self.queue)?;
        self.times.coming = Some((copy, timestamps));
        Ok(())
    }
}
