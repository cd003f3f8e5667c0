//! The buffers in the memory of the GPU, and copies to and from them.

use std::mem;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Mutex, PoisonError, mpsc};

use blob_fluid::device::{DeviceClass, DevicePair, DeviceReaction, DeviceThermal};
use blob_fluid::{DensityClass, FluidThermal, Liquid};
use bytemuck::{Pod, Zeroable};
use wgpu::{
    Buffer, BufferAsyncError, BufferUsages, CommandEncoderDescriptor, Device, MapMode, PollType,
    Queue,
};

use crate::error::GpuError;
use crate::records;
use crate::records::{CLASSES, ParticleRecord};
use crate::scope::{buffer, check_there, guarded, no_answer, poll, read_mapped};

/// Bytes of a bin, as in `shaders/columns.wgsl`.
pub(crate) const BIN: u64 = 40;

/// A storage buffer of a liquid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceBuffer {
    /// The particles between two substeps.
    Particles,
    /// The particles by cell and id.
    Sorted,
    /// The cell of each particle, and its rank by arrival in the cell.
    Keys,
    /// The ids of each cell's particles, in order of arrival.
    Slots,
    /// Positions of the sorted particles.
    Positions,
    /// Velocities and pressures of the sorted particles.
    States,
    /// Classes of the sorted particles, and their factors on viscosity. Earlier in a substep the
    /// buffer holds the changes of temperature by heat.
    Kinds,
    /// Number of particles of each cell; zeros between two substeps.
    Counts,
    /// Index of each cell's first particle.
    Starts,
    /// Sums of blocks of counts.
    Blocks,
    /// Coefficients of the classes, then of their pairs. The effects of heat on classes and the
    /// reactions of pairs follow.
    Tables,
    /// Colliders; see `solids/layout.rs`.
    Solids,
    /// The records of moving bodies in the later substeps of a tick. No pass reads this
    /// buffer; each substep copies its own records from it.
    Poses,
    /// The number of crowded cells, and these cells.
    Crowded,
    /// Forces, with the edges and pixels of their regions.
    Forces,
    /// Bearers of the loads on colliders; see `shaders/loads.wgsl`.
    Bearers,
    /// The loads, in rows.
    Loads,
    /// The [extras](Extras) of each particle.
    Extras,
    /// The extras of the sorted particles.
    SortedExtras,
    /// Counts of the tiles, and how unsettled each one is.
    Tiles,
    /// Marks of tiles near tiles that are not settled.
    Marks,
    /// The particles in columns; see `shaders/columns.wgsl`.
    Columns,
    /// The sums of each work group of `summarise`.
    Partial,
}

/// Access of a pass to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Optional numbers of particles, in pairs: first the warmth of all particles, then their places of rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    /// Temperature and exposure, with heat.
    pub warmth: bool,
    /// The place where each particle rests, with sleep.
    pub rests: bool,
}

/// Bytes of a tile, as in `shaders/sleep.wgsl`.
pub(crate) const TILE: u64 = 40;

/// Bytes of a group of four numbers.
pub(crate) const ENTRY: u64 = 16;

/// Bytes of a pair.
pub(crate) const PAIR: u64 = 8;

/// Capacities of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub particles: u32,
    pub cells: u32,
    pub classes: u32,
    /// Groups of four numbers.
    pub solids: u32,
    pub poses: u32,
    /// Entries of 16 bytes.
    pub forces: u32,
    /// Entries of 16 bytes.
    pub bearers: u32,
    /// Rows.
    pub loads: u32,
    pub extras: Extras,
    /// Tiles.
    pub tiles: u32,
    /// Bins of columns.
    pub bins: u32,
}

impl Room {
    /// Adds capacity for the classes of a liquid, and for the extras that it needs.
    pub(crate) fn for_settings(self, liquid: &Liquid) -> Self {
        let classes = self.classes.max(liquid.classes().len() as u32);
        // Existing extras are kept.
        let extras = Extras {
            warmth: self.extras.warmth || has_heat(liquid),
            rests: self.extras.rests || liquid.parameters().sleeping.is_on(),
        };
        Self { classes, extras, ..self }
    }

    /// Index of the first place of rest. It is above 0 if warmth comes first.
    pub(crate) fn first_rest(self) -> u32 {
        let Extras { warmth, rests } = self.extras;
        if warmth && rests { self.particles } else { 0 }
    }
}

/// Whether temperatures or contacts between classes change any particle.
fn has_heat(liquid: &Liquid) -> bool {
    let of_class = |class: &DensityClass| {
        let FluidThermal { conductivity, cooling, expansion, above, below, .. } = &class.thermal;
        let rates = [conductivity, cooling, expansion];
        rates.iter().any(|rate| **rate != 0.0) || above.is_some() || below.is_some()
    };
    let classes = liquid.classes();
    classes.iter().any(of_class)
        || classes.pairs().iter().any(|pair| pair.reaction.is_some())
        || liquid.forces().iter().any(|force| force.heat != 0.0)
}

macro_rules! buffers {
    ($($buffer:ident)*) => {
        [$(DeviceBuffer::$buffer),*]
    };
}

impl DeviceBuffer {
    /// Every buffer, in order.
    const ALL: [Self; 23] = buffers![
        Particles Sorted Keys Slots Positions States Kinds Counts Starts Blocks Tables Solids Poses
        Crowded Forces Bearers Loads Extras SortedExtras Tiles Marks Columns
        Partial
    ];

    /// Its size in bytes.
    fn bytes(self, room: Room) -> u64 {
        let Room {
            particles,
            cells,
            classes,
            solids,
            poses,
            forces,
            bearers,
            loads,
            extras,
            tiles,
            bins,
        } = room;
        let [particles, cells, classes, solids, poses, forces, bearers, loads] =
            [particles, cells, classes, solids, poses, forces, bearers, loads].map(u64::from);
        let record = size_of::<ParticleRecord>() as u64;
        // One more count for particles out of play, and one for the end.
        let counts = cells + 2;
        match self {
            Self::Particles | Self::Sorted => record * particles,
            Self::Slots => 4 * particles,
            Self::Keys | Self::Positions | Self::Kinds => 8 * particles,
            Self::States => 16 * particles,
            Self::Counts | Self::Starts => 4 * counts,
            Self::Blocks => 4 * counts.div_ceil(1024),
            Self::Tables => {
                let of_pair = size_of::<DevicePair>() + size_of::<DeviceReaction>();
                let of_class = size_of::<DeviceClass>() + size_of::<DeviceThermal>();
                of_class as u64 * classes + of_pair as u64 * classes * classes
            }
            Self::Solids => ENTRY * solids,
            Self::Poses => ENTRY * poses,
            // Each crowded cell has at least 128 particles.
            Self::Crowded => 4 * (particles / 128 + 1),
            Self::Forces => ENTRY * forces,
            Self::Bearers => ENTRY * bearers,
            Self::Loads => records::LOAD_BYTES * loads,
            Self::Tiles => TILE * u64::from(tiles),
            Self::Marks => 4 * u64::from(tiles),
            Self::Columns => BIN * u64::from(bins),
            Self::Partial => {
                size_of::<Spread>() as u64 * particles.div_ceil(PER_GROUP.into()).max(1)
            }
            Self::Extras | Self::SortedExtras => {
                let pairs = u64::from(extras.warmth) + u64::from(extras.rests);
                PAIR * (pairs * particles).max(1)
            }
        }
    }
}

/// Usages of all storage buffers of a liquid.
pub(crate) const USAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// Largest size of a storage buffer, in bytes.
pub(crate) fn largest_buffer(device: &Device) -> u64 {
    let limits = device.limits();
    limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)
}

/// All storage buffers of a liquid.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub room: Room,
    buffers: Vec<Buffer>,
}

impl Buffers {
    /// Largest number of particles within the device's limits.
    pub(crate) fn most_particles(device: &Device) -> u32 {
        let limits = device.limits();
        let bytes = largest_buffer(device);
        // Two-dimensional dispatches of work groups of 64.
        let groups = u64::from(limits.max_compute_workgroups_per_dimension);
        (bytes / size_of::<ParticleRecord>() as u64).min(64 * groups * groups).min(1 << 30) as u32
    }

    /// Allocates all buffers, filled with zeros. If one fails, none is kept.
    pub(crate) fn new(on: (&Device, &Queue), room: Room) -> Result<Self, GpuError> {
        let device = on.0;
        let most = Self::most_particles(device);
        if room.particles > most {
            return Err(GpuError::TooManyParticles {
                count: room.particles as usize,
                most: most as usize,
            });
        }
        let largest = largest_buffer(device);
        if DeviceBuffer::Tables.bytes(room) > largest {
            return Err(GpuError::TooManyClasses(room.classes as usize));
        }
        if DeviceBuffer::Solids.bytes(room).max(DeviceBuffer::Poses.bytes(room)) > largest {
            return Err(GpuError::TooManySolids);
        }
        if DeviceBuffer::Forces.bytes(room) > largest {
            return Err(GpuError::ForcesTooLarge(room.forces as usize));
        }
        let buffer =
            |which: DeviceBuffer| buffer(device, &format!("{which:?}"), which.bytes(room), USAGE);
        let buffers = DeviceBuffer::ALL.into_iter().map(buffer).collect::<Result<_, _>>()?;
        check_there(on)?;
        Ok(Self { room, buffers })
    }

    pub(crate) fn get(&self, which: DeviceBuffer) -> &Buffer {
        &self.buffers[which as usize]
    }

    /// Bytes of all buffers.
    pub(crate) fn bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::size).sum()
    }
}

// Counts of the GPU, in the layout of `shaders/report.wgsl`.

/// Number of channels for counting drained particles.
pub(crate) const CHANNELS: usize = 64;

/// Particles of a work group of `summarise`.
pub(crate) const PER_GROUP: u32 = 2048;

/// As in `shaders/report.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct Spread {
    pub mean: [f32; 2],
    pub squares: [f32; 2],
    pub low: [f32; 2],
    pub high: [f32; 2],
    pub product: f32,
    pub count: u32,
}

/// The part before the counts in `shaders/report.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct TalliesHead {
    pub quarantined: u32,
    pub out_of_bounds: u32,
    pub expired: u32,
    pub drained: u32,
    pub spread: Spread,
    pub recycled: u32,
    pub found: u32,
    pub compressed: u32,
    pub awake: u32,
    pub heated: u32,
    pub oldest: u32,
    pub in_one: u32,
    pub in_two: u32,
}

/// Bytes of the last numbers before the counts by class. They restart in each tick.
pub(crate) const ANEW: u64 = 24;

/// Bytes of the tallies, with the channels of the first `classes` classes.
pub(crate) fn tallies_bytes(classes: usize) -> u64 {
    (size_of::<TalliesHead>() + 4 * (CLASSES + classes * CHANNELS)) as u64
}

// Copies to the memory of the GPU and from it.

/// A new storage buffer with these bytes.
pub(crate) fn upload(
    device: &Device,
    queue: &Queue,
    label: &str,
    bytes: &[u8],
) -> Result<Buffer, GpuError> {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
    let buffer = buffer(device, label, bytes.len() as u64, usage)?;
    queue.write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}

/// A copy of the first bytes of buffers, concatenated, in flight from the GPU.
#[derive(Debug)]
pub(crate) struct Copy {
    device: Device,
    queue: Queue,
    /// `None` for a copy of 0 bytes, and after the bytes were taken.
    buffer: Option<Buffer>,
    /// Receives the arrival of the bytes. Only [`Copy::take`] and [`Copy::wait`] lock it.
    arrived: Mutex<Receiver<Result<(), BufferAsyncError>>>,
    none: bool,
}

impl Copy {
    /// Requests the first bytes of each buffer, after all submitted work.
    pub(crate) fn of(
        device: &Device,
        queue: &Queue,
        sources: &[(&Buffer, u64)],
    ) -> Result<Self, GpuError> {
        let (sender, arrived) = mpsc::channel();
        let bytes: u64 = sources.iter().map(|(_, bytes)| bytes).sum();
        let request = || {
            if bytes == 0 {
                return Ok(None);
            }
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let copy = buffer(device, "copy", bytes, usage)?;
            let mut encoder =
                device.create_command_encoder(&CommandEncoderDescriptor { label: Some("copy") });
            let mut end = 0;
            for (buffer, bytes) in sources {
                encoder.copy_buffer_to_buffer(buffer, 0, &copy, end, *bytes);
                end += bytes;
            }
            queue.submit([encoder.finish()]);
            copy.map_async(MapMode::Read, .., move |result| {
                // The receiver is gone if waiting has failed.
                _ = sender.send(result);
            });
            Ok(Some(copy))
        };
        let buffer = guarded((device, queue), request)?;
        let (device, queue, none) = (device.clone(), queue.clone(), buffer.is_none());
        Ok(Self { device, queue, buffer, arrived: Mutex::new(arrived), none })
    }

    /// The bytes, if they have arrived; `None` after they were taken.
    pub(crate) fn take(&mut self) -> Result<Option<Vec<u8>>, GpuError> {
        if mem::take(&mut self.none) {
            return Ok(Some(Vec::new()));
        }
        if self.buffer.is_none() {
            return Ok(None);
        }
        let on = (&self.device, &self.queue);
        poll(on, PollType::Poll)?;
        let arrived = self.arrived.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mapped = match arrived.try_recv() {
            Ok(mapped) => mapped,
            Err(TryRecvError::Empty) => return Ok(None),
            Err(error) => return Err(no_answer(error)),
        };
        let Some(buffer) = self.buffer.take() else { return Ok(None) };
        mapped.map_err(no_answer)?;
        read_mapped(on, &buffer, buffer.size(), <[u8]>::to_vec).map(Some)
    }

    /// Waits for the bytes.
    pub(crate) fn wait(self) -> Result<Vec<u8>, GpuError> {
        if self.none {
            return Ok(Vec::new());
        }
        let Some(buffer) = self.buffer else { return Err(no_answer("it was taken")) };
        let on = (&self.device, &self.queue);
        poll(on, PollType::wait_indefinitely())?;
        let arrived = self.arrived.into_inner().unwrap_or_else(PoisonError::into_inner);
        // If several threads wait for a device, another thread may run the callback a little later.
        arrived.recv().map_err(no_answer)?.map_err(no_answer)?;
        read_mapped(on, &buffer, buffer.size(), <[u8]>::to_vec)
    }
}
