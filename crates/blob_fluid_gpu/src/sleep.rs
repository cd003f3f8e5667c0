//! Sleep by tiles, and the particles that stay at their places in a tick.
//!
//! A tile is settled while none of its particles moves, and few are fast or have left their places
//! of rest. It sleeps unless a tile near it is not settled. `summarise` counts the state of
//! particles at the end of a tick. `react` and `remove_drained` mark places where liquid has to
//! settle again.

use blob_fluid::FluidBounds;
use blob_fluid::device::{DeviceSleeping, DeviceTick};
use glam::Vec2;
use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::buffers::{Access, Buffers, DeviceBuffer};
use crate::error::GpuError;
use crate::grid::Grid;
use crate::programs::{Pipeline, Shaders};
use crate::report::GpuReport;
use crate::scope::buffer;

/// Largest number of boxes in which the GPU wakes tiles. Beyond it, neighbouring boxes are merged.
const BOXES: usize = 256;

/// The passes that choose sleeping tiles, and the events that wake them.
#[derive(Debug)]
pub(crate) struct Sleep {
    passes: [Pipeline; 3],
    bindings: Option<[BindGroup; 3]>,
    woken: Buffer,
    /// Boxes that the host has disturbed since the last tick, and whether it has added particles.
    disturbed: Vec<FluidBounds>,
    added: bool,
    /// Boxes in which the GPU may remove particles before the next tick, which wakes the liquid around them.
    may_change: Vec<FluidBounds>,
    grid: Option<Grid>,
    kill_bounds: Option<FluidBounds>,
    settings: DeviceSleeping,
    /// The last tick in which liquid was woken.
    woken_in: u64,
    all_sleep: bool,
}

/// The conditions of sleep in a tick.
#[derive(Debug)]
pub(crate) struct Conditions<'a> {
    pub tick: &'a DeviceTick,
    /// The number of the tick, from 1.
    pub number: u64,
    pub grid: Grid,
    pub kill_bounds: Option<FluidBounds>,
    /// Whether the tick must run even if all particles sleep.
    pub goes_on: bool,
    pub report: Option<&'a GpuReport>,
}

impl Sleep {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let pass = |name, accesses: [Access; 2]| {
            let parts = ["common", "finite", "tiles", name];
            Pipeline::new(device, name, shaders, &parts, accesses.into_iter())
        };
        let passes = [
            pass("choose_tiles", [Write, Read]),
            pass("mark_tiles", [Write, Write]),
            pass("doze", [Write, Read]),
        ];
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let woken = buffer(device, "woken", 16 * (1 + BOXES as u64), usage)?;
        Ok(Self {
            passes,
            bindings: None,
            woken,
            disturbed: Vec::new(),
            added: false,
            may_change: Vec::new(),
            grid: None,
            kill_bounds: None,
            settings: DeviceSleeping::default(),
            woken_in: 0,
            all_sleep: false,
        })
    }

    /// Discards the bindings of the passes.
    pub(crate) fn unbind(&mut self) {
        self.bindings = None;
    }

    /// Records that particles are added in a box before the next tick, and wakes the liquid there.
    pub(crate) fn add(&mut self, bounds: FluidBounds) {
        self.added = true;
        self.wake(bounds);
    }

    /// Wakes the liquid in a box in the next tick.
    pub(crate) fn wake(&mut self, bounds: FluidBounds) {
        self.disturbed.push(bounds);
    }

    /// Wakes all liquid in the next tick.
    pub(crate) fn wake_all(&mut self) {
        self.grid = None;
    }

    /// Records that the GPU may remove particles in a box before the next tick, so that the tick is not skipped.
    pub(crate) fn may_change(&mut self, bounds: FluidBounds) {
        self.may_change.push(bounds);
    }

    /// Whether liquid may sleep in the present tick.
    pub(crate) fn is_on(&self) -> bool {
        self.settings.still_speed > 0.0
    }

    /// The limits of sleep in the present tick.
    pub(crate) fn settings(&self) -> DeviceSleeping {
        self.settings
    }

    /// Whether all particles sleep in the present tick, so that it changes nothing.
    pub(crate) fn all_sleep(&self) -> bool {
        self.all_sleep
    }

    /// Begins a tick.
    pub(crate) fn begin_tick(&mut self, queue: &Queue, conditions: &Conditions<'_>) {
        let Conditions { tick, number, grid, kill_bounds, goes_on, report } = *conditions;
        let before = self.is_on();
        self.settings = tick.sleeping;
        let anew = !before || self.grid != Some(grid) || self.kill_bounds != kill_bounds;
        (self.grid, self.kill_bounds) = (Some(grid), kill_bounds);
        let everywhere = tick.wake.everywhere || anew;
        let radius = tick.coefficients.interaction_radius;
        let own = self.disturbed.drain(..).map(|bounds| bounds.inflated(radius));
        let mut boxes: Vec<_> = tick.wake.boxes.iter().copied().chain(own).collect();
        let may_change = std::mem::take(&mut self.may_change);
        let heats = |report: &GpuReport| tick.wake.exchanges_heat && report.heated > 0;
        let goes_on = std::mem::take(&mut self.added)
            || goes_on
            || tick.wake.reacts
            || report.is_some_and(heats);
        self.all_sleep = false;
        if !self.is_on() {
            return;
        }
        let meets = |bounds: &[FluidBounds]| {
            report.is_some_and(|report| bounds.iter().any(|one| one.intersects(report.bounds)))
        };
        let changes = meets(&may_change);
        let sleeps = |report: &GpuReport| report.awake == 0 && report.tick >= self.woken_in;
        self.all_sleep =
            !everywhere && !goes_on && !changes && !meets(&boxes) && report.is_some_and(sleeps);
        if self.all_sleep {
            return;
        }
        if everywhere || changes || !boxes.is_empty() {
            self.woken_in = number;
        }
        if boxes.len() > BOXES {
            boxes.sort_unstable_by(|one, other| one.low.x.total_cmp(&other.low.x));
        }
        let merged = boxes.chunks(boxes.len().div_ceil(BOXES).max(1));
        let merged =
            merged.map(|few| few.iter().copied().fold(FluidBounds::NONE, FluidBounds::union));
        let mut words = vec![[0.0; 4]];
        // Shaders may assume finite numbers.
        let corner = |corner: Vec2| corner.clamp(-Vec2::MAX, Vec2::MAX).to_array();
        words.extend(merged.map(|FluidBounds { low, high }| {
            let ([left, bottom], [right, top]) = (corner(low), corner(high));
            [left, bottom, right, top]
        }));
        words[0] = [(words.len() - 1) as f32, f32::from(u8::from(everywhere)), 0.0, 0.0];
        queue.write_buffer(&self.woken, 0, bytemuck::cast_slice(&words));
    }

    /// Records the choice of sleeping tiles, before the first substep. `groups` are the work groups
    /// of passes over all tiles, and over all particles.
    pub(crate) fn encode(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        params: &Buffer,
        buffers: &Buffers,
        [of_tiles, of_particles]: [(u32, u32); 2],
    ) {
        if !self.is_on() {
            return;
        }
        let [particles, tiles, marks] =
            [DeviceBuffer::Particles, DeviceBuffer::Tiles, DeviceBuffer::Marks]
                .map(|which| buffers.get(which));
        let [choose, mark, doze] = &self.passes;
        let bindings = self.bindings.get_or_insert_with(|| {
            [
                choose.bind(device, [params, tiles, &self.woken].into_iter()),
                mark.bind(device, [params, tiles, marks].into_iter()),
                doze.bind(device, [params, particles, marks].into_iter()),
            ]
        });
        let passes = self.passes.iter().zip([of_tiles, of_tiles, of_particles]);
        for ((pass, groups), binding) in passes.zip(bindings) {
            pass.record(encoder, binding, groups);
        }
    }
}
