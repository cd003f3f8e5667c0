//! Impacts: places where fast liquid hits something in a tick, for
//! [splashes](blob_fluid::SplashDetector).

use blob_fluid::device::DeviceCoefficients;
use blob_fluid::{ClassId, SplashDetection, TileImpact};
use glam::Vec2;
use wgpu::{BindGroup, Buffer, CommandEncoder, CommandEncoderDescriptor, Device, Queue};

use crate::buffers::{Access, USAGE, largest_buffer};
use crate::error::GpuError;
use crate::programs::{Pipeline, Shaders};
use crate::records::number_of_halves;
use crate::scope::buffer;

/// Number of squares with room in a tick, and of 32-bit words of each, as in
/// `shaders/report.wgsl`.
const SQUARES: usize = 1024;
const WORDS: usize = 8;
/// Number of parts of a square's side, in which offsets are summed.
const PARTS: f64 = 256.0;
/// Number of steps of the energy of a medium particle at the speed unit.
const STEPS: f32 = 65536.0;

/// The search for impacts of a liquid.
#[derive(Debug)]
pub(crate) struct Impacts {
    shaders: Shaders,
    watched: Option<SplashDetection>,
    memory: Option<Memory>,
    scale: Scale,
}

/// The units of the counts of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    side: f32,
    /// Energy of a step.
    step: f32,
}

/// The pass and its buffers.
#[derive(Debug)]
struct Memory {
    pass: Pipeline,
    settings: Buffer,
    /// For each id, its velocity at the end of the last tick.
    before: Buffer,
    sums: Buffer,
    binding: Option<BindGroup>,
}

impl Impacts {
    pub(crate) fn new(shaders: &Shaders) -> Self {
        Self { shaders: shaders.clone(), watched: None, memory: None, scale: Scale::default() }
    }

    /// Watches for impacts from the next tick on; `None` stops it.
    pub(crate) fn watch(&mut self, watched: Option<SplashDetection>) {
        self.watched = watched;
        if watched.is_none() {
            self.memory = None;
        }
    }

    /// Bytes of the device's memory.
    pub(crate) fn bytes(&self) -> u64 {
        let buffers =
            |memory: &Memory| [&memory.settings, &memory.before, &memory.sums].map(Buffer::size);
        self.memory.as_ref().map_or(0, |memory| buffers(memory).iter().sum())
    }

    /// Discards the bindings of the pass.
    pub(crate) fn unbind(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.binding = None;
        }
    }

    /// Copies the settings of a tick with these substeps to the GPU, with room for all ids below
    /// `ids_end`. If a buffer cannot hold the ids, it stops watching.
    pub(crate) fn prepare(
        &mut self,
        device: &Device,
        queue: &Queue,
        coefficients: &DeviceCoefficients,
        ids_end: u32,
        substeps: u32,
    ) -> Result<(), GpuError> {
        let Some(watched) = self.watched else { return Ok(()) };
        let needed = 8 * u64::from(ids_end.max(1));
        let has = self.memory.as_ref().map_or(0, |memory| memory.before.size());
        if has < needed {
            let largest = largest_buffer(device) / 8 * 8;
            if needed > largest {
                self.watch(None);
                return Ok(());
            }
            // It grows by at least half, so that repeated small additions copy little.
            let room = needed.max((has + has / 16 * 8).min(largest));
            let larger = Memory::new(device, &self.shaders, room)?;
            if let Some(smaller) = self.memory.take() {
                let label = Some("impacts");
                let mut encoder =
                    device.create_command_encoder(&CommandEncoderDescriptor { label });
                encoder.copy_buffer_to_buffer(&smaller.before, 0, &larger.before, 0, has);
                queue.submit([encoder.finish()]);
            }
            self.memory = Some(larger);
        }
        let Some(memory) = &self.memory else { return Ok(()) };
        let unit = coefficients.speed_unit;
        let least = watched.min_speed * unit;
        let step = 0.5 * unit * unit / STEPS;
        let side = watched.tile * coefficients.particle_spacing;
        self.scale = Scale { side, step };
        let settings = [least * least, side, 1.0 / step, substeps as f32];
        queue.write_buffer(&memory.settings, 0, bytemuck::cast_slice(&settings));
        Ok(())
    }

    /// Records the pass, if impacts are watched. `groups` are the work groups for all particles.
    pub(crate) fn encode(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        [params, particles, classes]: [&Buffer; 3],
        groups: (u32, u32),
    ) {
        let Some(Memory { pass, settings, before, sums, binding }) = &mut self.memory else {
            return;
        };
        let bound = [params, particles, classes, &*settings, &*before, &*sums];
        let binding = binding.get_or_insert_with(|| pass.bind(device, bound.into_iter()));
        encoder.clear_buffer(sums, 0, None);
        pass.record(encoder, binding, groups);
    }

    /// The counts of the last tick, and their units.
    pub(crate) fn results(&self) -> Option<(&Buffer, Scale)> {
        self.memory.as_ref().map(|memory| (&memory.sums, self.scale))
    }
}

impl Scale {
    /// The impacts in a copy of the GPU's squares, in the order of the squares.
    pub(crate) fn impacts(self, bytes: &[u8]) -> Vec<TileImpact> {
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let squares = words.as_chunks::<WORDS>().0.iter().filter(|square| square[0] != 0);
        let mut impacts: Vec<_> = squares.map(|square| self.impact(square)).collect();
        impacts.sort_unstable_by_key(|impact| impact.tile);
        impacts
    }

    fn impact(self, &[key, hardest, ref sums @ ..]: &[u32; WORDS]) -> TileImpact {
        let sum = |number: usize| number_of_halves([sums[2 * number], sums[2 * number + 1]]) as f64;
        let tile = ((key & 0xffff) as i32 - 0x8000, (key >> 16) as i32 - 0x8000);
        let part = |number| sum(number) / (sum(0).max(1.0) * PARTS);
        let place = |tile: i32, part: f64| ((f64::from(tile) + part) * f64::from(self.side)) as f32;
        TileImpact {
            tile,
            energy: (sum(0) * f64::from(self.step)) as f32,
            position: Vec2::new(place(tile.0, part(1)), place(tile.1, part(2))),
            hardest: (f32::from_bits(hardest & !0xff), ClassId(hardest as u8)),
        }
    }
}

impl Memory {
    fn new(device: &Device, shaders: &Shaders, before: u64) -> Result<Self, GpuError> {
        use Access::{Read, Write};
        let parts = ["common", "finite", "sums", "impacts"];
        let accesses = [Read, Read, Read, Write, Write].into_iter();
        let buffer = |size| buffer(device, "impacts", size, USAGE);
        Ok(Self {
            pass: Pipeline::new(device, "find_impacts", shaders, &parts, accesses),
            settings: buffer(16)?,
            before: buffer(before)?,
            sums: buffer((4 * SQUARES * WORDS) as u64)?,
            binding: None,
        })
    }
}
