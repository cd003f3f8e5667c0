//! A tick of a liquid on a graphics card.

use blob_fluid::device::{DeviceMeasures, DeviceTick};
use blob_fluid::{FluidBounds, Force, Liquid, Motion};
use wgpu::{
    Buffer, CommandEncoder, ComputePassDescriptor, ComputePassTimestampWrites, Features, PollType,
};

use crate::buffers::{BIN, DeviceBuffer, ENTRY, Extras, PAIR, Room, TILE, largest_buffer};
use crate::domain::{bounds_of, held_by};
use crate::error::GpuError;
use crate::ignores::supported;
use crate::liquid::GpuLiquid;
use crate::programs::{GpuPass, PassTime, Threads, Timestamps, Variant, Watch};
use crate::records;
use crate::records::{Frame, Params, TickEnd};
use crate::scope::guarded;
use crate::sensors::PER_GROUP;
use crate::sleep::Conditions;

impl GpuLiquid {
    /// Begins a tick of `time_step` seconds, for hosts that run all [passes](GpuPass) themselves, once
    /// for each substep. The tick uses the settings, classes and container of `liquid`, advances its
    /// clock, and ignores its particles.
    ///
    /// # Errors
    ///
    /// These errors change nothing:
    ///
    /// - [`GpuError::Step`] for a time step that is NaN, infinite or negative,
    /// - [`GpuError::UnknownClass`] for a table without the classes of all particles; in browsers,
    ///   which do not wait, also until a report says that no particle has the missing classes,
    /// - those of [`new`](Self::new), [`GpuError::ForcesTooLarge`] and [`GpuError::SensorsTooLarge`].
    ///
    /// With [`GpuError::TooManySolids`], and with [`GpuError::OutOfMemory`] for solids, the clock
    /// and the solids of `liquid` have advanced, but the particles have not. After such a late
    /// failure, all liquid wakes in the next tick. Loads that bodies have not received yet are
    /// lost.
    pub fn begin_tick(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
    ) -> Result<DeviceTick, GpuError> {
        self.recovering(liquid, |gpu, liquid| gpu.prepare_tick(liquid, time_step))
    }

    /// Runs the work of a tick on the GPU. If it fails after time has advanced, the next tick does
    /// not rely on its results.
    fn recovering<T>(
        &mut self,
        liquid: &mut Liquid,
        work: impl FnOnce(&mut Self, &mut Liquid) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let before = (liquid.ticks(), self.reports.tick);
        let done = self.guarded(|gpu| work(gpu, liquid));
        if done.is_err() && liquid.ticks() != before.0 {
            self.sleep.wake_all();
            self.loads.forget();
            self.classes.lose_tick();
            self.reports.forget_after(before.1);
        }
        done
    }

    fn prepare_tick(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
    ) -> Result<DeviceTick, GpuError> {
        supported(liquid)?;
        let classes = liquid.classes().len();
        self.check_classes(classes)?;
        // Older loads than those of the report would throw bodies about.
        if self.reports.exact || self.loads.any() {
            self.reports.wait_for_acting((&self.device, &self.queue))?;
        }
        if let Some(report) = self.reports.acting() {
            let radius = liquid.parameters().interaction_radius();
            self.domain.follow(report, radius, held_by(liquid).is_some());
        }
        let grid = self.domain.grid(liquid);
        let room = self.buffers.room;
        let mut needed = room.for_settings(liquid);
        // The grid of a liquid without a container grows repeatedly.
        needed.cells = self.grown(room.cells, grid.cells(), 4);
        if liquid.parameters().sleeping.is_on() {
            needed.tiles = self.grown(room.tiles, grid.tiles().element_product(), TILE);
        }
        let frame = Frame::over(&grid, liquid, self.count);
        needed.bins = self.grown(room.bins, frame.bins(), BIN);
        if needed != room {
            self.make_room(needed)?;
        }
        (self.grid, self.columns.frame) = (grid, frame);
        let speed_unit = liquid.parameters().speed_unit();
        self.sensors.prepare(&self.device, &self.queue, self.ids.end(), speed_unit)?;
        self.send_forces(liquid.forces())?;
        self.easing.follow(liquid, self.reports.tick);
        let report = self.reports.acting();
        let measured = DeviceMeasures {
            depth: self.added.depth(report, liquid),
            compressed: self.easing.compressed(report),
            bounds: Some(self.domain.particles()),
        };
        let tick = liquid.begin_device_tick(time_step, measured)?;
        if tick.substeps == 0 {
            return Ok(tick);
        }
        let report = self.reports.acting().map(|report| (&report.borne, report.tick));
        self.loads.begin_tick(liquid, &tick, report, self.reports.tick + 1);
        // This may replace the buffers, including those of the forces.
        self.begin_solids(liquid, &tick)?;
        let moving = self.solids.moving_bodies();
        let substep = tick.coefficients.time_step;
        let Self { device, queue, params, buffers, .. } = self;
        self.loads.upload(device, queue, params, buffers, moving, substep);
        self.send_forces(liquid.forces())?;
        let (device, queue) = (&self.device, &self.queue);
        self.impacts.prepare(device, queue, &tick.coefficients, self.ids.end(), tick.substeps)?;
        self.sleep.begin_tick(
            &self.queue,
            &Conditions {
                tick: &tick,
                number: self.reports.tick + 1,
                grid,
                kill_bounds: liquid.kill_bounds(),
                goes_on: self.mortals || liquid.is_easing() || self.loads.any(),
                report: self.reports.of_sleep(),
            },
        );
        if self.sleep.all_sleep() {
            self.classes.set_table(classes);
        } else {
            self.classes.begin_tick(classes, self.reports.tick + 1);
        }
        let variant = self.variant();
        self.pipelines.iter_mut().for_each(|pipeline| pipeline.prepare(variant));
        let coefficients = &tick.coefficients;
        let damps = coefficients.drag > 0.0 || coefficients.calm_drag > 0.0;
        self.beds = damps && self.solids.any_moves() && self.columns.frame != Frame::default();
        let container = liquid.containers().next().map(|(_, container)| container);
        let container = container.filter(|_| self.solids.has_plain_container());
        self.time += f64::from(tick.time_step);
        let (kill_bounds, time, count) = (liquid.kill_bounds(), self.time, self.count);
        let end = TickEnd { container, kill_bounds, time, count };
        let params = Params::new(&tick, &self.grid, end)
            .with_columns(&self.columns.frame, self.beds)
            .with_sleeping(self.sleep.settings(), self.buffers.room.first_rest());
        let tallies = self.reports.tallies();
        self.columns.bind(&self.device, &self.params, &self.buffers, tallies);
        self.queue.write_buffer(&self.params, 0, bytemuck::bytes_of(&params));
        let tables: [&[u8]; 4] = [
            bytemuck::cast_slice(&tick.classes),
            bytemuck::cast_slice(&tick.pairs),
            bytemuck::cast_slice(&tick.thermals),
            bytemuck::cast_slice(&tick.reactions),
        ];
        self.queue.write_buffer(self.buffers.get(DeviceBuffer::Tables), 0, &tables.concat());
        Ok(tick)
    }

    /// Refuses a table of `classes` classes that lacks the class of a particle.
    fn check_classes(&mut self, classes: usize) -> Result<(), GpuError> {
        if self.classes.check_table(classes).is_err() {
            // The report of the last tick contains the classes after reactions and removals.
            self.wait_for_report()?;
            if let Some(report) = self.reports.newest() {
                self.classes.learn(report);
            }
        }
        self.classes.check_table(classes)
    }

    /// Moves the colliders through a tick, and copies their data to the GPU.
    fn begin_solids(&mut self, liquid: &mut Liquid, tick: &DeviceTick) -> Result<(), GpuError> {
        let container = liquid.containers().next().map(|(_, container)| container);
        let still = container.filter(|container| container.motion() == Motion::STILL);
        let margin = 4.0 * tick.coefficients.interaction_radius;
        let domain =
            still.and_then(bounds_of).map_or(FluidBounds::ALL, |held| held.inflated(margin));
        self.solids.begin_tick(liquid, self.loads.due(), tick, domain);
        self.loads.note_changes(self.solids.changes());
        let [solids, poses] = self.solids.groups();
        let [bearers, loads] = self.loads.room();
        let room = self.buffers.room;
        let needed = Room {
            solids: self.grown(room.solids, solids, ENTRY),
            poses: self.grown(room.poses, poses, ENTRY),
            bearers: self.grown(room.bearers, bearers, ENTRY),
            loads: self.grown(room.loads, loads, records::LOAD_BYTES),
            ..room
        };
        if needed != room {
            self.make_room(needed)?;
        }
        let [solids, poses] = self.solids_buffers();
        self.solids.upload(&self.queue, &solids, &poses);
        Ok(())
    }

    /// The features that the passes need.
    fn variant(&self) -> Variant {
        let solids = !self.solids.is_empty();
        Variant {
            solids,
            forces: self.forces.any(),
            loads: solids && self.loads.any(),
            heat: self.has_heat(),
            extras: self.buffers.room.extras != Extras::default(),
            sleep: self.sleep.is_on(),
        }
    }

    /// The buffers of the colliders and of their poses.
    fn solids_buffers(&self) -> [Buffer; 2] {
        [DeviceBuffer::Solids, DeviceBuffer::Poses].map(|which| self.buffers.get(which).clone())
    }

    /// Copies forces to the GPU, if it has different ones.
    fn send_forces(&mut self, forces: &[Force]) -> Result<(), GpuError> {
        let Some(entries) = self.forces.changed(forces) else { return Ok(()) };
        let room = self.buffers.room;
        let needed = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let larger = self.grown(room.forces, needed, ENTRY);
        if larger > room.forces {
            self.make_room(Room { forces: larger, ..room })?;
        }
        let buffer = self.buffers.get(DeviceBuffer::Forces);
        self.queue.write_buffer(buffer, 0, bytemuck::cast_slice(&entries));
        self.forces.note(forces);
        Ok(())
    }

    /// Capacity for the needed number of elements, each of `bytes` bytes.
    fn grown(&self, room: u32, needed: u32, bytes: u64) -> u32 {
        if needed <= room {
            return room;
        }
        // The buffer of counts has two elements in addition to the cells.
        let most = (largest_buffer(&self.device) / bytes).saturating_sub(2);
        grown_up_to(room, needed, u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// Runs one pass of a substep.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn run_pass(&self, pass: GpuPass) -> Result<(), GpuError> {
        guarded(self.device(), || {
            let mut encoder = self.encoder();
            self.encode(pass, &mut encoder, None);
            self.queue.submit([encoder.finish()]);
            Ok(())
        })
    }

    /// Advances the liquid by `time_step` seconds, with settings, classes, container and clock of a
    /// core liquid. Returns the number of substeps; 0 if the whole liquid sleeps.
    ///
    /// At the beginning of the tick, [drains](Self::drain) remove particles and the [oldest are
    /// recycled](Self::recycle_oldest). At its end, particles beyond the kill bounds and those
    /// whose lifetime is over go out of play. Then [sensors](Self::insert_sensor) measure.
    ///
    /// # Errors
    ///
    /// As [`begin_tick`](Self::begin_tick). After [`GpuError::OutOfMemory`] the state is not known:
    /// the particles may have advanced or not, and drains and recycling may have acted or not.
    pub fn step(&mut self, liquid: &mut Liquid, time_step: f32) -> Result<u32, GpuError> {
        self.recovering(liquid, |gpu, liquid| gpu.submit_tick(liquid, time_step))
    }

    fn submit_tick(&mut self, liquid: &mut Liquid, time_step: f32) -> Result<u32, GpuError> {
        let substeps = self.prepare_tick(liquid, time_step)?.substeps;
        if substeps == 0 {
            return Ok(0);
        }
        if self.sleep.all_sleep() {
            // The drains are far from the liquid, or the tick has none.
            self.drains.waiting.clear();
            self.recycling.waiting = 0;
            if self.sensors.results().next().is_some() {
                self.end_step(self.encoder(), liquid.classes().len())?;
            }
            // Particles were not sorted, so those out of play are still at their places.
            return Ok(0);
        }
        let mut encoder = self.encoder();
        self.encode_beginning(&mut encoder)?;
        let timestamps = self.timestamps(substeps)?;
        for substep in 0..substeps {
            for pass in GpuPass::ALL {
                let writes = timestamps.as_ref().and_then(|stamps| stamps.writes(substep, pass));
                self.encode(pass, &mut encoder, writes);
            }
        }
        if let Some(timestamps) = &timestamps {
            timestamps.resolve(&mut encoder);
        }
        self.end_step(encoder, liquid.classes().len())?;
        self.count -= self.reports.take_vacant();
        if let Some(timestamps) = timestamps {
            self.request_times(timestamps)?;
        }
        Ok(substeps)
    }

    /// Records the work before the first substep: waiting drains, recycling, and the choice of
    /// sleeping tiles.
    fn encode_beginning(&mut self, encoder: &mut CommandEncoder) -> Result<(), GpuError> {
        let groups = self.groups_of_particles();
        let (device, queue) = (&self.device, &self.queue);
        let (params, buffers, tallies) = (&self.params, &self.buffers, self.reports.tallies());
        self.drains.encode(device, queue, encoder, params, buffers, tallies, groups)?;
        let end = self.ids.end();
        let first = self.reports.newest().map_or(0, |report| report.oldest.min(end));
        let groups_of_256 = self.groups_of(256);
        let ids = first..end;
        self.recycling.encode(device, queue, encoder, params, buffers, tallies, ids, groups_of_256);
        let groups = [self.groups_for(self.grid.tiles().element_product(), 64), groups];
        self.sleep.encode(device, encoder, params, buffers, groups);
        Ok(())
    }

    /// Submits the end of a step, with a report.
    fn end_step(&mut self, mut encoder: CommandEncoder, classes: usize) -> Result<(), GpuError> {
        self.reports.encode(&mut encoder, self.count, classes);
        self.columns.encode_depth(&mut encoder, &self.buffers, self.groups_of_particles());
        let bound = [&self.params, self.buffers.get(DeviceBuffer::Particles)];
        let groups = self.groups_of(PER_GROUP);
        self.sensors.encode(&self.device, &mut encoder, bound, groups);
        let [particles, classes, loads] =
            [DeviceBuffer::Particles, DeviceBuffer::Tables, DeviceBuffer::Loads]
                .map(|which| self.buffers.get(which));
        let bound = [&self.params, particles, classes];
        let groups = self.groups_of_particles();
        self.impacts.encode(&self.device, &mut encoder, bound, groups);
        let Self { device, sensors, impacts, .. } = self;
        self.reports.copy(device, &mut encoder, sensors, &self.loads, loads, impacts)?;
        let submission = self.queue.submit([encoder.finish()]);
        self.reports.request(submission);
        self.reports.poll((&self.device, &self.queue), PollType::Poll)
    }

    /// Whether a pass has work in the present tick.
    pub(crate) fn runs(&self, pass: GpuPass) -> bool {
        match pass {
            GpuPass::BearLoads => self.variant().loads,
            GpuPass::Warm | GpuPass::ExchangeHeat | GpuPass::React => self.variant().heat,
            _ => true,
        }
    }

    /// Records a pass.
    pub(crate) fn encode(
        &self,
        pass: GpuPass,
        encoder: &mut CommandEncoder,
        timestamp_writes: Option<ComputePassTimestampWrites>,
    ) {
        if pass == GpuPass::Predict {
            let [solids, poses] = self.solids_buffers();
            self.solids.begin_substep(encoder, &solids, &poses);
            let [_, bodies] = self.solids.moving_bodies();
            self.loads.encode(encoder, bodies, self.groups_of_particles());
            if self.beds {
                self.columns.encode_damping(encoder, &self.buffers, self.groups_of_particles());
            }
        }
        if pass == GpuPass::FindPressures && self.buffers.room.extras.rests {
            // `order` cannot write these itself, because other threads still read them.
            let [sorted, extras] = [DeviceBuffer::SortedExtras, DeviceBuffer::Extras]
                .map(|which| self.buffers.get(which));
            let first = PAIR * u64::from(self.buffers.room.first_rest());
            let bytes = PAIR * u64::from(self.count);
            encoder.copy_buffer_to_buffer(sorted, first, extras, first, bytes);
        }
        if !self.runs(pass) {
            return;
        }
        let label = Some(pass.name());
        let mut recorded =
            encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes });
        // Pipelines do not exist before the first tick.
        let Some(pipeline) = self.pipelines[pass as usize].get(self.variant()) else {
            return;
        };
        recorded.set_pipeline(pipeline);
        recorded.set_bind_group(0, &self.bindings[pass as usize], &[]);
        let (across, up) = match pass.threads() {
            Threads::Groups(groups) => (groups, 1),
            Threads::Counts(per_group) => ((self.grid.cells() + 2).div_ceil(per_group), 1),
            Threads::Particles => self.groups_of_particles(),
        };
        recorded.dispatch_workgroups(across, up, 1);
    }
}

/// The new capacity. It grows by at least half, so that repeated small growth copies little, but
/// not beyond `most` unless more is needed.
fn grown_up_to(room: u32, needed: u32, most: u32) -> u32 {
    needed.max(room.saturating_add(room / 2).min(most))
}

// Times of the passes, from timestamps of the device.

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

    /// The newest time of each pass in one tick, since [`watch_times`](Self::watch_times).
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
    fn timestamps(&self, substeps: u32) -> Result<Option<Timestamps>, GpuError> {
        let wanted = self.times.on && self.times.coming.is_none();
        // The device would wait for timestamps that no pass writes.
        let running = || GpuPass::ALL.into_iter().filter(|pass| self.runs(*pass)).collect();
        wanted.then(|| Timestamps::new(&self.device, running(), substeps)).transpose()
    }

    /// Requests the timestamps of the tick that was just submitted.
    fn request_times(&mut self, timestamps: Timestamps) -> Result<(), GpuError> {
        let copy = timestamps.copy(&self.device, &self.queue)?;
        self.times.coming = Some((copy, timestamps));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_grows_by_half_but_not_beyond_what_fits() {
        assert_eq!(grown_up_to(100, 101, 1000), 150);
        assert_eq!(grown_up_to(100, 200, 1000), 200);
        assert_eq!(grown_up_to(100, 101, 120), 120);
        // Other code refuses sizes beyond the limit.
        assert_eq!(grown_up_to(100, 130, 120), 130);
        assert_eq!(grown_up_to(u32::MAX - 1, u32::MAX, u32::MAX), u32::MAX);
    }
}
