//! Reports of a liquid on a graphics card, which arrive some ticks late.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use blob_fluid::device::LoadBearer;
use blob_fluid::{ClassId, FluidBounds, Liquid, TileImpact};
use glam::Vec2;
use wgpu::{
    BindGroup, Buffer, BufferUsages, CommandEncoder, Device, MapMode, PollType, Queue,
    SubmissionIndex,
};

use crate::buffers::{
    ANEW, Access, Buffers, CHANNELS, DeviceBuffer, PER_GROUP, TalliesHead, USAGE, tallies_bytes,
};
use crate::error::GpuError;
use crate::impacts::{Impacts, Scale};
use crate::loads::Loads;
use crate::programs::{Pipeline, Shaders};
use crate::records::{self, Borne, CLASSES, borne_of};
use crate::scope::{buffer, no_answer, poll, read_mapped};
use crate::sensors::{GpuSensorId, GpuSensorReading, Measured, Sensors};

/// A report of a liquid on a graphics card: its state at the end of a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuReport {
    /// Number of ticks that the liquid had run on the GPU.
    pub tick: u64,
    /// Number of particles in play, by the index of their class.
    pub classes: Vec<u32>,
    /// Number of particles that were quarantined since the liquid was created.
    pub quarantined: u32,
    /// Number of particles that were removed beyond the kill bounds since the liquid was created.
    pub out_of_bounds: u32,
    /// Number of particles whose lifetime ended.
    pub expired: u32,
    /// Number of particles that were drained, through all channels.
    pub drained: u32,
    /// Number of particles that were [recycled](crate::GpuLiquid::recycle_oldest).
    pub recycled: u32,
    /// Number of compressed particles
    /// ([`DeviceMeasures::compressed`](blob_fluid::device::DeviceMeasures::compressed)).
    pub compressed: u32,
    /// Number of particles that did not sleep in the tick.
    pub awake: u32,
    /// Number of particles in tiles in which heat changed a temperature, counted only if liquid may
    /// sleep.
    pub heated: u32,
    /// The lowest id in play; `u32::MAX` without particles.
    pub oldest: u32,
    /// Largest number of particles in a column of bins as wide as the interaction radius.
    pub in_one: u32,
    /// Largest number of particles in two adjacent columns.
    pub in_two: u32,
    /// The mean of all positions, in world units.
    pub centre: Vec2,
    /// The mean squares of the offsets from the centre along each axis, in square world units.
    pub squares: Vec2,
    /// The mean product of the two components of an offset, in square world units.
    pub product: f32,
    /// The box around all particles.
    pub bounds: FluidBounds,
    /// Drained particles, by class and channel.
    channels: Vec<u32>,
    /// Readings of the sensors.
    sensed: Vec<(GpuSensorId, GpuSensorReading)>,
    /// Sums of the loads on each bearer since it got its row, in steps.
    pub(crate) borne: Borne,
}

impl GpuReport {
    /// Number of particles in play.
    pub fn in_play(&self) -> usize {
        self.classes.iter().map(|count| *count as usize).sum()
    }

    /// Depth of the liquid in world units, which determines automatic substeps: the depth of its
    /// deepest column.
    pub fn depth(&self, liquid: &Liquid) -> f32 {
        liquid.depth_of_columns(self.in_one, self.in_two)
    }

    /// Number of particles of a class that were drained through a channel since the liquid was created.
    pub fn drained_of(&self, channel: u8, class: ClassId) -> u32 {
        let channel = usize::from(channel);
        let row = self.channels.as_chunks::<CHANNELS>().0.get(class.index());
        row.and_then(|row| row.get(channel)).copied().unwrap_or(0)
    }

    /// The reading of a sensor at the end of the tick; `None` if the sensor did not exist then.
    pub fn sensed(&self, sensor: GpuSensorId) -> Option<&GpuSensorReading> {
        self.sensed.iter().find(|(id, _)| *id == sensor).map(|(_, reading)| reading)
    }

    /// A report without particles, whose box is `bounds`.
    #[cfg(test)]
    pub(crate) fn of_bounds(tick: u64, bounds: FluidBounds) -> Self {
        let none = vec![0; size_of::<TalliesHead>() + 4 * CLASSES];
        Self {
            bounds,
            centre: bounds.centre(),
            ..Self::read(tick, &none, &[], &Measured::default(), Borne::new())
        }
    }

    /// Number of particles that have gone out of play since the liquid was created.
    pub fn removed(&self) -> u32 {
        let Self { quarantined, out_of_bounds, expired, drained, recycled, .. } = *self;
        let all = [quarantined, out_of_bounds, expired, drained, recycled];
        all.into_iter().fold(0, u32::wrapping_add)
    }

    /// Reads a report from copies of the GPU's tallies and of the sensors' readings.
    fn read(tick: u64, tallies: &[u8], sensed: &[u8], measured: &Measured, borne: Borne) -> Self {
        let (head, rest) = tallies.split_at(size_of::<TalliesHead>());
        let head: TalliesHead = bytemuck::pod_read_unaligned(head);
        let rest: Vec<u32> = bytemuck::pod_collect_to_vec(rest);
        let (classes, channels) = rest.split_at(CLASSES);
        let classes = &classes[..channels.len() / CHANNELS];
        let spread = head.spread;
        let share = 1.0 / spread.count.max(1) as f32;
        let bounds = match spread.count {
            0 => FluidBounds::NONE,
            _ => FluidBounds { low: spread.low.into(), high: spread.high.into() },
        };
        Self {
            tick,
            classes: classes.to_vec(),
            quarantined: head.quarantined,
            out_of_bounds: head.out_of_bounds,
            expired: head.expired,
            drained: head.drained,
            recycled: head.recycled,
            compressed: head.compressed,
            awake: head.awake,
            heated: head.heated,
            oldest: !head.oldest,
            in_one: head.in_one,
            in_two: head.in_two,
            centre: spread.mean.into(),
            squares: Vec2::from(spread.squares) * share,
            product: spread.product * share,
            bounds,
            channels: channels.to_vec(),
            sensed: measured.readings(sensed, classes.len()),
            borne,
        }
    }
}

/// Largest number of reports in flight.
const IN_FLIGHT: usize = 4;
/// Number of ticks after which a report has an effect. If it arrives later, its effect is later.
const LATE: u64 = 2;
/// Number of ticks whose impacts are kept until the host takes them.
const MOST_IMPACTS: usize = 64;

/// The buffer of a report in flight.
#[derive(Debug)]
struct Copy {
    buffer: Buffer,
    /// The tick of the report, and the submission that makes it; `None` if the buffer is free.
    tick: Option<u64>,
    submission: Option<SubmissionIndex>,
    bytes: u64,
    /// Number of bytes of tallies. The readings of these sensors follow, up to the loads.
    tallies: u64,
    measured: Measured,
    /// Offset of the loads, and the bearers of their rows.
    loads: u64,
    bearers: Vec<Option<LoadBearer>>,
    /// Offset of the impacts, and their units; `None` without impacts.
    impacts: u64,
    scale: Option<Scale>,
    state: Arc<Mutex<State>>,
}

/// Progress of a copy.
#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Waiting,
    Arrived,
    Failed,
}

/// The passes that make reports, and the reports that have arrived.
#[derive(Debug)]
pub(crate) struct Reports {
    summarise: Pipeline,
    conclude: Pipeline,
    tallies: Buffer,
    bindings: [BindGroup; 2],
    copies: Vec<Copy>,
    /// The latest reports that have arrived, the newest last.
    arrived: VecDeque<GpuReport>,
    /// The impacts of ticks that the host has not taken yet.
    impacts: VecDeque<Vec<TileImpact>>,
    /// Number of submitted ticks, and the number of classes in the last one.
    pub tick: u64,
    classes: usize,
    /// Whether each tick waits for the report that affects it.
    pub exact: bool,
    /// Number of particles out of play whose places were reused.
    replaced: u32,
}

impl Reports {
    pub(crate) fn new(
        device: &Device,
        shaders: &Shaders,
        params: &Buffer,
        buffers: &Buffers,
    ) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let pass = |name, parts: &[&'static str], accesses: &[Access]| {
            let parts = [&["common", "finite", "spread", "tallies"], parts, &[name]].concat();
            Pipeline::new(device, name, shaders, &parts, accesses.iter().copied())
        };
        let summarise = pass("summarise", &["tiles", "unrest"], &[Write; 5]);
        let conclude = pass("conclude", &[], &[Read, Write]);
        // The size of a struct with vectors is rounded as in the shader.
        let bytes = tallies_bytes(CLASSES).next_multiple_of(8);
        let tallies = buffer(device, "tallies", bytes, USAGE)?;
        let bindings = bind(device, [&summarise, &conclude], params, &tallies, buffers);
        Ok(Self {
            summarise,
            conclude,
            tallies,
            bindings,
            copies: Vec::new(),
            arrived: VecDeque::new(),
            impacts: VecDeque::new(),
            tick: 0,
            classes: 0,
            exact: false,
            replaced: 0,
        })
    }

    /// Binds the passes to new buffers.
    pub(crate) fn rebind(&mut self, device: &Device, params: &Buffer, buffers: &Buffers) {
        let pipelines = [&self.summarise, &self.conclude];
        self.bindings = bind(device, pipelines, params, &self.tallies, buffers);
    }

    /// The counts of the GPU.
    pub(crate) fn tallies(&self) -> &Buffer {
        &self.tallies
    }

    /// Bytes of the device's memory.
    pub(crate) fn bytes(&self) -> u64 {
        let copies = self.copies.iter().map(|copy| copy.buffer.size()).sum::<u64>();
        self.tallies.size() + copies
    }

    /// Records the end of a tick with `count` particles.
    pub(crate) fn encode(&mut self, encoder: &mut CommandEncoder, count: u32, classes: usize) {
        self.tick += 1;
        let from = size_of::<TalliesHead>() as u64 - ANEW;
        encoder.clear_buffer(&self.tallies, from, Some(ANEW + 4 * CLASSES as u64));
        let groups = [count.div_ceil(PER_GROUP).max(1), 1];
        let passes = [&self.summarise, &self.conclude].into_iter().zip(&self.bindings);
        for ((pass, binding), groups) in passes.zip(groups) {
            pass.record(encoder, binding, (groups, 1));
        }
        self.classes = classes;
    }

    /// Whether the last tick's report was not copied because the limit of reports in flight was reached.
    pub(crate) fn lacks_last(&self) -> bool {
        let last = Some(self.tick);
        let is_known = self.arrived.back().map(|report| report.tick) == last;
        self.tick > 0 && !is_known && self.copies.iter().all(|copy| copy.tick != last)
    }

    /// Records a copy of the last tick's report, unless the limit of reports in flight is reached.
    pub(crate) fn copy(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        sensors: &Sensors,
        loads: &Loads,
        rows: &Buffer,
        impacts: &Impacts,
    ) -> Result<(), GpuError> {
        let free = self.copies.iter().position(|copy| copy.tick.is_none());
        let index = free.unwrap_or(self.copies.len());
        if index == IN_FLIGHT {
            return Ok(());
        }
        if free.is_none() {
            self.copies.push(Copy::new(device, tallies_bytes(CLASSES))?);
        }
        let copy = &mut self.copies[index];
        let tallies = tallies_bytes(self.classes);
        let begin = tallies + sensors.results().map(|(_, bytes)| bytes).sum::<u64>();
        let bearers = loads.bearers();
        let borne = (rows, records::LOAD_BYTES * bearers.len() as u64);
        let squares = impacts.results().map(|(buffer, _)| (buffer, buffer.size()));
        let found = begin + borne.1;
        let bytes = found + squares.map_or(0, |(_, bytes)| bytes);
        if bytes > copy.buffer.size() {
            *copy = Copy::new(device, bytes)?;
        }
        (copy.tick, copy.bytes, copy.tallies) = (Some(self.tick), bytes, tallies);
        copy.measured = sensors.measured().clone();
        (copy.loads, copy.bearers) = (begin, bearers);
        (copy.impacts, copy.scale) = (found, impacts.results().map(|(_, scale)| scale));
        let mut end = 0;
        let all = std::iter::once((&self.tallies, tallies)).chain(sensors.results());
        let all = all.chain(std::iter::once(borne).filter(|borne| borne.1 > 0)).chain(squares);
        for (buffer, bytes) in all {
            encoder.copy_buffer_to_buffer(buffer, 0, &copy.buffer, end, bytes);
            end += bytes;
        }
        Ok(())
    }

    /// Requests the copy of the tick that was just submitted.
    pub(crate) fn request(&mut self, submission: SubmissionIndex) {
        let tick = self.tick;
        let Some(copy) = self.copies.iter_mut().find(|copy| copy.tick == Some(tick)) else {
            return;
        };
        copy.submission = Some(submission);
        let state = Arc::clone(&copy.state);
        copy.buffer.map_async(MapMode::Read, ..copy.bytes, move |result| {
            let now = if result.is_ok() { State::Arrived } else { State::Failed };
            *state.lock().unwrap_or_else(PoisonError::into_inner) = now;
        });
    }

    /// Discards the copies of later ticks, which may not have been made.
    pub(crate) fn forget_after(&mut self, tick: u64) {
        self.copies.retain(|copy| copy.tick.is_none_or(|of| of <= tick));
    }

    /// Waits for the report that affects the next tick.
    pub(crate) fn wait_for_acting(&mut self, on: (&Device, &Queue)) -> Result<(), GpuError> {
        let needed = |copy: &&Copy| copy.tick.is_some_and(|tick| self.acts(tick));
        let latest = self.copies.iter().filter(needed).max_by_key(|copy| copy.tick);
        let Some(submission_index) = latest.and_then(|copy| copy.submission.clone()) else {
            return Ok(());
        };
        let submission_index = Some(submission_index);
        self.poll(on, PollType::Wait { submission_index, timeout: None })
    }

    /// Reads the reports that have arrived.
    pub(crate) fn poll(&mut self, on: (&Device, &Queue), how: PollType) -> Result<(), GpuError> {
        poll(on, how)?;
        self.copies.sort_unstable_by_key(|copy| copy.tick);
        let mut failed = false;
        for copy in &mut self.copies {
            let Some(tick) = copy.tick else { continue };
            let state = mem::take(&mut *copy.state.lock().unwrap_or_else(PoisonError::into_inner));
            match state {
                State::Waiting => continue,
                State::Arrived if !failed => {
                    read_mapped(on, &copy.buffer, copy.bytes, |bytes| {
                        let (all, impacts) = bytes.split_at(copy.impacts as usize);
                        self.impacts.extend(copy.scale.map(|scale| scale.impacts(impacts)));
                        let (all, loads) = all.split_at(copy.loads as usize);
                        let (tallies, sensed) = all.split_at(copy.tallies as usize);
                        let borne = borne_of(loads, &copy.bearers);
                        let report = GpuReport::read(tick, tallies, sensed, &copy.measured, borne);
                        self.arrived.push_back(report);
                    })?;
                }
                _ => failed = true,
            }
            copy.tick = None;
        }
        while self.impacts.len() > MOST_IMPACTS {
            self.impacts.pop_front();
        }
        while self.arrived.len() > IN_FLIGHT + LATE as usize {
            self.arrived.pop_front();
        }
        if failed {
            // Their buffers may still be mapped, so they cannot be mapped again.
            self.copies.clear();
            return Err(no_answer("a report did not come back"));
        }
        Ok(())
    }

    /// The impacts of ticks that the host has not taken yet.
    pub(crate) fn take_impacts(&mut self) -> Vec<Vec<TileImpact>> {
        self.impacts.drain(..).collect()
    }

    /// The newest report that has arrived.
    pub(crate) fn newest(&self) -> Option<&GpuReport> {
        self.arrived.back()
    }

    /// Whether the report of a tick affects the next one.
    fn acts(&self, tick: u64) -> bool {
        tick + LATE <= self.tick + 1
    }

    /// The newest report that affects the next tick.
    pub(crate) fn acting(&self) -> Option<&GpuReport> {
        self.arrived.iter().rev().find(|report| self.acts(report.tick))
    }

    /// The report that decides whether the next tick is skipped because all particles sleep. The
    /// newest one skips more ticks, but its arrival depends on the device.
    pub(crate) fn of_sleep(&self) -> Option<&GpuReport> {
        if self.exact { self.acting() } else { self.newest() }
    }

    /// Number of places at the end that hold particles out of play, after the tick that was just
    /// submitted. Each is returned once.
    pub(crate) fn take_vacant(&mut self) -> u32 {
        // Particles that a tick removes at its end are sorted to the end only in the next tick.
        let known = self.arrived.iter().rev().find(|report| report.tick < self.tick);
        let Some(removed) = known.map(GpuReport::removed) else { return 0 };
        let vacant = removed.wrapping_sub(self.replaced);
        self.replaced = removed;
        vacant
    }
}

impl Copy {
    fn new(device: &Device, size: u64) -> Result<Self, GpuError> {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        Ok(Self {
            buffer: buffer(device, "report", size, usage)?,
            tick: None,
            submission: None,
            bytes: 0,
            tallies: 0,
            measured: Measured::default(),
            loads: 0,
            bearers: Vec::new(),
            impacts: 0,
            scale: None,
            state: Arc::default(),
        })
    }
}

fn bind(
    device: &Device,
    [summarise, conclude]: [&Pipeline; 2],
    params: &Buffer,
    tallies: &Buffer,
    buffers: &Buffers,
) -> [BindGroup; 2] {
    use DeviceBuffer::{Extras, Partial, Particles, Tiles};
    let [particles, partial, tiles, rests] =
        [Particles, Partial, Tiles, Extras].map(|which| buffers.get(which));
    [
        summarise.bind(device, [params, particles, tallies, partial, tiles, rests].into_iter()),
        conclude.bind(device, [params, partial, tallies].into_iter()),
    ]
}
