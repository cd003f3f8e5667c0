//! Sensors, which measure liquid in regions.

use blob_fluid::{ClassFilter, FluidRegion};
use bytemuck::{Pod, Zeroable};
use glam::Vec2;
use wgpu::{BindGroup, Buffer, CommandEncoder, CommandEncoderDescriptor, Device, Queue};

use crate::buffers::{Access, USAGE, largest_buffer};
use crate::error::GpuError;
use crate::programs::{Pipeline, Shaders};
use crate::records::{CLASSES, number_of_halves};
use crate::regions::{Entry, sensor_entries};
use crate::scope::buffer;

/// A sensor of a liquid on a graphics card. Like the core's [`Sensor`](blob_fluid::Sensor), it
/// watches a region and classes.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuSensor {
    /// The region.
    pub region: FluidRegion,
    /// The counted classes.
    pub classes: ClassFilter,
}

/// Handle of a sensor of a liquid on a graphics card. A handle is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuSensorId(u32);

/// The reading of a sensor at the end of a tick.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuSensorReading {
    /// Number of particles inside, by the index of their class.
    pub classes: Vec<u32>,
    /// Mean velocity of the particles inside, in world units/s; 0 without particles. Each velocity
    /// is rounded to a 4096th of the [speed unit](blob_fluid::FluidParameters::speed_unit), and
    /// limited to 1024 units along each axis.
    pub velocity: Vec2,
    /// Number of particles that have entered since the sensor was inserted, modulo 2^32.
    pub entered: u32,
}

impl GpuSensorReading {
    /// Number of particles inside.
    pub fn count(&self) -> u32 {
        self.classes.iter().sum()
    }

    /// Number of particles that have left or died inside since the sensor was inserted, modulo 2^32.
    pub fn left(&self) -> u32 {
        self.entered.wrapping_sub(self.count())
    }
}

/// Number of steps of velocity per speed unit.
const STEPS: f32 = 4096.0;
/// Largest number of steps of a particle. A work group of 256 sums them in 32 bits.
const MOST_STEPS: u32 = 1 << 22;
/// Number of particles of a work group.
pub(crate) const PER_GROUP: u32 = 256;

/// As in `shaders/regions.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Sensed {
    steps: [[u32; 2]; 2],
    classes: [u32; CLASSES],
}

/// The sensors of a liquid, and the pass that measures them.
#[derive(Debug)]
pub(crate) struct Sensors {
    shaders: Shaders,
    /// Sensors by their place on the GPU.
    places: Vec<Option<(GpuSensorId, GpuSensor)>>,
    /// Places whose memory belonged to a removed sensor.
    stale: Vec<usize>,
    /// Number of handles given.
    given: u32,
    /// The head on the GPU; `None` if the sensors on the GPU are out of date.
    sent: Option<Entry>,
    /// `None` without sensors.
    memory: Option<Memory>,
    measured: Measured,
}

/// The sensors that the last tick has measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    places: Vec<Option<GpuSensorId>>,
    /// Speed of a step, in world units/s.
    step: f32,
}

/// The pass of the sensors and its buffers.
#[derive(Debug)]
struct Memory {
    pass: Pipeline,
    /// Number of places, and of words of a place's row in `inside`.
    room: [u32; 2],
    regions: Buffer,
    inside: Buffer,
    entered: Buffer,
    sensed: Buffer,
    binding: Option<BindGroup>,
}

impl Sensors {
    pub(crate) fn new(shaders: &Shaders) -> Self {
        Self {
            shaders: shaders.clone(),
            places: Vec::new(),
            stale: Vec::new(),
            given: 0,
            sent: None,
            memory: None,
            measured: Measured::default(),
        }
    }

    pub(crate) fn insert(&mut self, sensor: GpuSensor) -> GpuSensorId {
        let id = GpuSensorId(self.given);
        self.given += 1;
        self.sent = None;
        match self.places.iter().position(Option::is_none) {
            Some(place) => {
                self.places[place] = Some((id, sensor));
                self.stale.push(place);
            }
            None => self.places.push(Some((id, sensor))),
        }
        id
    }

    /// Changes a sensor; returns whether it exists.
    pub(crate) fn set(&mut self, id: GpuSensorId, sensor: GpuSensor) -> bool {
        let known = self.places.iter_mut().flatten().find(|(known, _)| *known == id);
        let Some((_, known)) = known else { return false };
        if *known != sensor {
            *known = sensor;
            self.sent = None;
        }
        true
    }

    pub(crate) fn remove(&mut self, id: GpuSensorId) -> Option<GpuSensor> {
        let is_it = |place: &Option<(GpuSensorId, _)>| matches!(place, Some((of, _)) if *of == id);
        let place = self.places.iter().position(is_it)?;
        self.sent = None;
        self.places[place].take().map(|(_, sensor)| sensor)
    }

    /// Bytes of the device's memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.memory.as_ref().map_or(0, Memory::bytes)
    }

    /// Discards the bindings of the pass.
    pub(crate) fn unbind(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.binding = None;
        }
    }

    /// Copies the data of the sensors to the GPU, with room for all ids below `ids_end`.
    pub(crate) fn prepare(
        &mut self,
        device: &Device,
        queue: &Queue,
        ids_end: u32,
        speed_unit: f32,
    ) -> Result<(), GpuError> {
        if self.places.iter().all(Option::is_none) {
            self.places.clear();
            self.stale.clear();
            (self.memory, self.measured) = (None, Measured::default());
            return Ok(());
        }
        let count = self.places.len() as u32;
        let needed = [count, ids_end.div_ceil(32).max(1)];
        let too_large = || GpuError::SensorsTooLarge(count as usize);
        let has = self.memory.as_ref().map_or([0; 2], |memory| memory.room);
        let grows = has[0] < needed[0] || has[1] < needed[1];
        if grows || !self.stale.is_empty() {
            self.refresh(device, queue, grows.then_some([has, needed]))?;
        }
        let Some(memory) = &mut self.memory else { return Ok(()) };
        let per_speed = STEPS / speed_unit;
        let head = [count, memory.room[1], per_speed.to_bits(), MOST_STEPS];
        if self.sent != Some(head) {
            let sensors = self
                .places
                .iter()
                .map(|place| place.as_ref().map(|(_, sensor)| (&sensor.region, sensor.classes)));
            let entries = sensor_entries(head, sensors);
            memory.send((device, queue), &entries)?.ok_or_else(too_large)?;
            self.sent = Some(head);
        }
        Ok(())
    }

    /// Enlarges the memory from the present to the needed room if `grows` is given, and clears the
    /// rows of removed sensors.
    fn refresh(
        &mut self,
        device: &Device,
        queue: &Queue,
        grows: Option<[[u32; 2]; 2]>,
    ) -> Result<(), GpuError> {
        let mut encoder =
            device.create_command_encoder(&CommandEncoderDescriptor { label: Some("sensors") });
        if let Some(room) = grows {
            let larger = Memory::new(device, &self.shaders, room)?;
            let larger = larger.ok_or(GpuError::SensorsTooLarge(self.places.len()))?;
            if let Some(smaller) = self.memory.take() {
                larger.take_over(&mut encoder, &smaller);
            }
            self.memory = Some(larger);
            // The results of the last tick were in the smaller memory.
            (self.sent, self.measured) = (None, Measured::default());
        }
        if let Some(memory) = &self.memory {
            for place in self.stale.drain(..) {
                memory.clear(&mut encoder, place as u64);
            }
        }
        queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Records the pass, if there are sensors. `groups` are the work groups for all particles.
    pub(crate) fn encode(
        &mut self,
        device: &Device,
        encoder: &mut CommandEncoder,
        [params, particles]: [&Buffer; 2],
        groups: (u32, u32),
    ) {
        self.measured = Measured::default();
        let (Some(memory), Some(head)) = (&mut self.memory, self.sent) else { return };
        let Memory { pass, regions, inside, entered, sensed, binding, .. } = memory;
        let bound = [params, particles, &*regions, &*inside, &*entered, &*sensed];
        let binding = binding.get_or_insert_with(|| pass.bind(device, bound.into_iter()));
        encoder.clear_buffer(sensed, 0, None);
        pass.record(encoder, binding, groups);
        self.measured = Measured {
            places: self.places.iter().map(|place| place.as_ref().map(|(id, _)| *id)).collect(),
            step: 1.0 / f32::from_bits(head[2]),
        };
    }

    /// The sensors that the last tick has measured.
    pub(crate) fn measured(&self) -> &Measured {
        &self.measured
    }

    /// The results on the GPU: buffers, and the number of their bytes.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&Buffer, u64)> {
        let count = self.measured.places.len() as u64;
        let both = self.memory.as_ref().map(|memory| {
            let sensed = size_of::<Sensed>() as u64;
            [(&memory.sensed, count * sensed), (&memory.entered, count * 4)]
        });
        both.into_iter().flatten()
    }
}

impl Measured {
    /// The readings in a copy of the GPU's [results](Sensors::results), for `classes` classes.
    pub(crate) fn readings(
        &self,
        bytes: &[u8],
        classes: usize,
    ) -> Vec<(GpuSensorId, GpuSensorReading)> {
        let (sensed, entered) = bytes.split_at(self.places.len() * size_of::<Sensed>());
        let sensed: Vec<Sensed> = bytemuck::pod_collect_to_vec(sensed);
        let entered: Vec<u32> = bytemuck::pod_collect_to_vec(entered);
        let reading = |(sensed, entered): (Sensed, u32)| {
            let count: u32 = sensed.classes.iter().sum();
            let mean = |steps: [u32; 2]| {
                (number_of_halves(steps) as f64 / f64::from(count.max(1)) * f64::from(self.step))
                    as f32
            };
            let velocity = Vec2::from(sensed.steps.map(mean));
            GpuSensorReading { classes: sensed.classes[..classes].to_vec(), velocity, entered }
        };
        let readings = sensed.into_iter().zip(entered).map(reading);
        let named = self.places.iter().zip(readings);
        named.filter_map(|(id, reading)| Some(((*id)?, reading))).collect()
    }
}

impl Memory {
    /// Larger memory; `None` if it does not fit into the device's buffers.
    fn new(
        device: &Device,
        shaders: &Shaders,
        [has, needed]: [[u32; 2]; 2],
    ) -> Result<Option<Self>, GpuError> {
        let largest = largest_buffer(device);
        let bits = |[places, words]: [u32; 2]| 4 * u64::from(places) * u64::from(words);
        // It grows by at least half, so that repeated small additions copy little.
        let grown = [0, 1].map(|which: usize| match (has[which], needed[which]) {
            (has, needed) if needed > has => needed.max(has + has / 2),
            (has, _) => has,
        });
        let fitting = if bits(grown) <= largest {
            grown
        } else {
            [0, 1].map(|which| needed[which].max(has[which]))
        };
        let places = u64::from(fitting[0]);
        let sensed = places * size_of::<Sensed>() as u64;
        if bits(fitting).max(sensed) > largest {
            return Ok(None);
        }
        use Access::{Read, Write};
        let parts = ["common", "finite", "region", "sense"];
        let accesses = [Read, Read, Write, Write, Write].into_iter();
        let buffer = |size| buffer(device, "sensors", size, USAGE);
        Ok(Some(Self {
            pass: Pipeline::new(device, "sense", shaders, &parts, accesses),
            room: fitting,
            regions: buffer(0)?,
            inside: buffer(bits(fitting))?,
            entered: buffer(4 * places)?,
            sensed: buffer(sensed)?,
            binding: None,
        }))
    }

    fn bytes(&self) -> u64 {
        [&self.regions, &self.inside, &self.entered, &self.sensed].map(Buffer::size).iter().sum()
    }

    /// Copies the contents of a smaller memory.
    fn take_over(&self, encoder: &mut CommandEncoder, smaller: &Self) {
        let bytes = smaller.entered.size();
        encoder.copy_buffer_to_buffer(&smaller.entered, 0, &self.entered, 0, bytes);
        let [from, to] = [smaller, self].map(|memory| 4 * u64::from(memory.room[1]));
        for place in 0..u64::from(smaller.room[0]) {
            encoder.copy_buffer_to_buffer(
                &smaller.inside,
                place * from,
                &self.inside,
                place * to,
                from,
            );
        }
    }

    /// Clears the row of a place.
    fn clear(&self, encoder: &mut CommandEncoder, place: u64) {
        let row = 4 * u64::from(self.room[1]);
        encoder.clear_buffer(&self.inside, place * row, Some(row));
        encoder.clear_buffer(&self.entered, place * 4, Some(4));
    }

    /// Copies entries to the GPU; returns `None` if they do not fit into a buffer.
    fn send(&mut self, on: (&Device, &Queue), entries: &[Entry]) -> Result<Option<()>, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(entries);
        let size = bytes.len() as u64;
        if size > self.regions.size() {
            if size > largest_buffer(on.0) {
                return Ok(None);
            }
            self.regions = buffer(on.0, "sensors", size, USAGE)?;
            self.binding = None;
        }
        on.1.write_buffer(&self.regions, 0, bytes);
        Ok(Some(()))
    }
}
