//! A liquid on a device.

use std::collections::HashSet;

use blob_fluid::{ClassId, Container, DeviceTick, FluidBounds, Liquid, Motion};
use glam::Vec2;
use wgpu::{
    BindGroup, Buffer, BufferDescriptor, BufferUsages, CommandEncoder, CommandEncoderDescriptor,
    ComputePassDescriptor, ComputePassTimestampWrites, Device, Queue,
};

use crate::buffers::{Buffers, DeviceBuffer, Room};
use crate::error::GpuError;
use crate::grid::Grid;
use crate::ignores::refuse;
use crate::pass::{GpuPass, Shaders, Threads};
use crate::pipelines::Pipeline;
use crate::read::read_buffer;
use crate::records::{ClassRecord, PairRecord, Params, ParticleRecord};
use crate::solids::DeviceSolids;

/// A particle of a liquid on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuParticle {
    /// Its id, unique in the liquid. That of a particle that came from a core liquid is the
    /// [slot](blob_fluid::ParticleId::slot) of its handle there.
    pub id: u32,
    /// Its class.
    pub class: ClassId,
    /// Position, in world units. Out of reach or not finite, the particle is quarantined.
    pub position: Vec2,
    /// Velocity, in world units/s.
    pub velocity: Vec2,
    /// What walls and pressure moved it by in the last substep, in world units.
    pub displacement: Vec2,
    /// The density relative to the equilibrium density, in the last substep.
    pub relative_density: f32,
    /// What it keeps of its pressure.
    pub kept_pressure: f32,
}

/// A liquid that is stepped on a device.
///
/// The particles lie on the device; settings, classes, container and clock are those of a core liquid that
/// every tick is given, and may change between two ticks. All work is only submitted: nothing waits for the
/// device but [`read_particles`](Self::read_particles) and [`step_timed`](Self::step_timed).
///
/// Where it allocates ([`new`](Self::new), [`reserve`](Self::reserve), [`insert`](Self::insert)), it has an error
/// scope of the device. Without the feature `std` of wgpu these belong to all threads: no other may
/// push or pop one meanwhile.
#[derive(Debug)]
pub struct GpuLiquid {
    device: Device,
    queue: Queue,
    /// Where the liquid is without a container: a box around the particles as they were given.
    open_domain: FluidBounds,
    grid: Grid,
    buffers: Buffers,
    params: Buffer,
    solids: DeviceSolids,
    pipelines: Vec<Pipeline>,
    bindings: Vec<BindGroup>,
    count: u32,
    ids: HashSet<u32>,
}

impl GpuLiquid {
    /// Copies the particles of a liquid to a device.
    ///
    /// # Errors
    ///
    /// What a device [does not do](crate#what-it-does-not-do) is refused; so is a liquid that has no
    /// room in the device's buffers or memory.
    pub fn new(device: &Device, queue: &Queue, liquid: &Liquid) -> Result<Self, GpuError> {
        Self::with_shaders(device, queue, liquid, &Shaders::default())
    }

    /// As [`new`](Self::new), with other shaders.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_shaders(
        device: &Device,
        queue: &Queue,
        liquid: &Liquid,
        shaders: &Shaders,
    ) -> Result<Self, GpuError> {
        refuse(liquid)?;
        let particles = liquid.particles();
        let radius = liquid.parameters().interaction_radius();
        let open_domain = FluidBounds::of(particles.positions()).inflated(radius);
        let grid = grid_of(liquid, open_domain);
        let classes = liquid.classes().len() as u32;
        let room =
            Room { particles: FEWEST, cells: grid.cells(), classes, solids: FEWEST, poses: 1 };
        let buffers = Buffers::new(device, room)?;
        let params = device.create_buffer(&BufferDescriptor {
            label: Some("Params"),
            size: size_of::<Params>() as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let pipelines: Vec<_> =
            GpuPass::ALL.into_iter().map(|pass| Pipeline::new(device, pass, shaders)).collect();
        let bindings = bind_all(&pipelines, device, &params, &buffers);
        let mut copy = Self {
            device: device.clone(),
            queue: queue.clone(),
            open_domain,
            grid,
            buffers,
            params,
            solids: DeviceSolids::default(),
            pipelines,
            bindings,
            count: 0,
            ids: HashSet::new(),
        };
        let particle = |index: usize| GpuParticle {
            id: particles.ids()[index].slot(),
            class: particles.classes()[index],
            position: particles.positions()[index],
            velocity: particles.velocities()[index],
            displacement: Vec2::ZERO,
            relative_density: particles.relative_densities()[index],
            kept_pressure: particles.kept_pressures().get(index).copied().unwrap_or(0.0),
        };
        copy.insert(&(0..particles.len()).map(particle).collect::<Vec<_>>())?;
        Ok(copy)
    }

    /// Number of particles, quarantined ones included.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of particles that fit before the buffers grow.
    pub fn capacity(&self) -> usize {
        self.buffers.room.particles as usize
    }

    /// Bytes of the device's memory that the liquid takes.
    pub fn device_bytes(&self) -> u64 {
        self.buffers.bytes() + self.params.size()
    }

    /// Makes room for `capacity` particles.
    ///
    /// # Errors
    ///
    /// [`GpuError::TooManyParticles`] beyond the device's limits, and [`GpuError::OutOfMemory`]; then
    /// nothing is changed.
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
    fn make_room(&mut self, room: Room) -> Result<(), GpuError> {
        let larger = Buffers::new(&self.device, room)?;
        let mut encoder = self.encoder();
        let bytes = u64::from(self.count) * size_of::<ParticleRecord>() as u64;
        let which = DeviceBuffer::Particles;
        encoder.copy_buffer_to_buffer(self.buffers.get(which), 0, larger.get(which), 0, bytes);
        self.queue.submit([encoder.finish()]);
        self.buffers = larger;
        self.solids.forget_buffers();
        self.bindings = bind_all(&self.pipelines, &self.device, &self.params, &self.buffers);
        Ok(())
    }

    /// Adds particles.
    ///
    /// # Errors
    ///
    /// [`GpuError::IdInUse`] and [`GpuError::UnknownClass`], and those of [`reserve`](Self::reserve);
    /// then none is added.
    pub fn insert(&mut self, particles: &[GpuParticle]) -> Result<(), GpuError> {
        let classes = self.buffers.room.classes as usize;
        let mut new = HashSet::with_capacity(particles.len());
        for particle in particles {
            if particle.class.index() >= classes {
                return Err(GpuError::UnknownClass { class: particle.class.0, classes });
            }
            if self.ids.contains(&particle.id) || !new.insert(particle.id) {
                return Err(GpuError::IdInUse(particle.id));
            }
        }
        let needed = self.len() + particles.len();
        if needed > self.capacity() {
            // By half at least, so that many small insertions copy little.
            let most = Buffers::most_particles(&self.device) as usize;
            let larger = (self.capacity() + self.capacity() / 2).min(most);
            self.reserve(needed.max(larger))?;
        }
        let record = |particle: &GpuParticle| ParticleRecord {
            position: particle.position.into(),
            velocity: particle.velocity.into(),
            displacement: [0.0; 2],
            id: particle.id,
            kind: particle.class.0.into(),
            resistance: particle.kept_pressure,
            relative_density: particle.relative_density,
        };
        let records: Vec<_> = particles.iter().map(record).collect();
        let start = u64::from(self.count) * size_of::<ParticleRecord>() as u64;
        let into = self.buffers.get(DeviceBuffer::Particles);
        self.queue.write_buffer(into, start, bytemuck::cast_slice(&records));
        self.ids.extend(new);
        self.count += particles.len() as u32;
        Ok(())
    }

    /// Begins a tick of `time_step` seconds, for hosts that run the [passes](GpuPass) themselves: all of
    /// them, once for each of the tick's substeps. Settings, classes and container are those of `liquid`,
    /// whose clock advances; its particles take no part.
    ///
    /// # Errors
    ///
    /// [`GpuError::Step`] for a time step that is NaN, infinite or negative, and those of [`new`](Self::new);
    /// then nothing is changed.
    pub fn begin_tick(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
    ) -> Result<DeviceTick, GpuError> {
        refuse(liquid)?;
        let grid = grid_of(liquid, self.open_domain);
        let room = self.buffers.room;
        let needed = Room {
            cells: room.cells.max(grid.cells()),
            classes: room.classes.max(liquid.classes().len() as u32),
            ..room
        };
        if needed != room {
            self.make_room(needed)?;
        }
        self.grid = grid;
        let tick = liquid.begin_device_tick(time_step)?;
        if tick.substeps == 0 {
            return Ok(tick);
        }
        // It may replace the buffers.
        self.begin_solids(liquid, &tick)?;
        let coefficients = &tick.coefficients;
        let container = liquid.containers().next().map(|(_, container)| container);
        let container = container.filter(|_| self.solids.has_plain_container());
        let params = Params::of(coefficients, container, &self.grid, self.count);
        let classes: Vec<_> = coefficients.classes.iter().map(ClassRecord::from).collect();
        let pairs: Vec<_> = coefficients.pairs.iter().map(PairRecord::from).collect();
        let write = |buffer: &Buffer, offset: usize, bytes: &[u8]| {
            self.queue.write_buffer(buffer, offset as u64, bytes);
        };
        write(&self.params, 0, bytemuck::bytes_of(&params));
        let tables = self.buffers.get(DeviceBuffer::Tables);
        write(tables, 0, bytemuck::cast_slice(&classes));
        write(tables, size_of_val(&classes[..]), bytemuck::cast_slice(&pairs));
        Ok(tick)
    }

    /// Moves the colliders through a tick, and copies to the device what it needs of them.
    fn begin_solids(&mut self, liquid: &mut Liquid, tick: &DeviceTick) -> Result<(), GpuError> {
        let container = liquid.containers().next().map(|(_, container)| container);
        let still = container.filter(|container| container.motion() == Motion::STILL);
        let margin = 4.0 * tick.coefficients.interaction_radius;
        let domain =
            still.and_then(bounds_of).map_or(FluidBounds::ALL, |held| held.inflated(margin));
        self.solids.begin_tick(liquid, tick, domain);
        let any = !self.solids.is_empty();
        self.pipelines.iter_mut().for_each(|pipeline| pipeline.prepare(&self.device, any));
        let [solids, poses] = self.solids.groups();
        let room = self.buffers.room;
        if solids > room.solids || poses > room.poses {
            // By half at least, so that colliders that are added one by one are copied seldom.
            let larger = |needed: u32, room: u32| {
                if needed > room { needed.max(room + room / 2) } else { room }
            };
            let solids = larger(solids, room.solids);
            self.make_room(Room { solids, poses: larger(poses, room.poses), ..room })?;
        }
        let [solids, poses] = self.solids_buffers();
        self.solids.upload(&self.queue, &solids, &poses);
        Ok(())
    }

    /// The buffers of the colliders and of their poses.
    fn solids_buffers(&self) -> [Buffer; 2] {
        [DeviceBuffer::Solids, DeviceBuffer::Poses].map(|which| self.buffers.get(which).clone())
    }

    /// Runs one pass of a substep.
    pub fn run_pass(&self, pass: GpuPass) {
        let mut encoder = self.encoder();
        self.encode(pass, &mut encoder, None);
        self.queue.submit([encoder.finish()]);
    }

    /// Advances the liquid by `time_step` seconds, with settings, classes, container and clock of a core
    /// liquid. Returns the number of substeps.
    ///
    /// # Errors
    ///
    /// As [`begin_tick`](Self::begin_tick).
    pub fn step(&mut self, liquid: &mut Liquid, time_step: f32) -> Result<u32, GpuError> {
        let substeps = self.begin_tick(liquid, time_step)?.substeps;
        let mut encoder = self.encoder();
        for _ in 0..substeps {
            for pass in GpuPass::ALL {
                self.encode(pass, &mut encoder, None);
            }
        }
        self.queue.submit([encoder.finish()]);
        Ok(substeps)
    }

    /// Waits for the device, and copies all particles that are not quarantined, in the order of their
    /// ids. Natively only: browsers do not wait.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoAnswer`], if the device is lost.
    pub fn read_particles(&self) -> Result<Vec<GpuParticle>, GpuError> {
        self.read_from(DeviceBuffer::Particles)
    }

    /// As [`read_particles`](Self::read_particles) after [`GpuPass::FindPressures`], with the densities
    /// and pressures that it found.
    ///
    /// # Errors
    ///
    /// As [`read_particles`](Self::read_particles).
    pub fn read_sorted_particles(&self) -> Result<Vec<GpuParticle>, GpuError> {
        self.read_from(DeviceBuffer::Sorted)
    }

    fn read_from(&self, which: DeviceBuffer) -> Result<Vec<GpuParticle>, GpuError> {
        let bytes = u64::from(self.count) * size_of::<ParticleRecord>() as u64;
        let bytes = read_buffer(&self.device, &self.queue, self.buffers.get(which), bytes)?;
        let records: Vec<ParticleRecord> = bytemuck::pod_collect_to_vec(&bytes);
        let live = records.iter().filter(|record| record.kind & ParticleRecord::OUT_OF_PLAY == 0);
        let mut particles: Vec<_> = live
            .map(|record| GpuParticle {
                id: record.id,
                class: ClassId(record.kind as u8),
                position: record.position.into(),
                velocity: record.velocity.into(),
                displacement: record.displacement.into(),
                relative_density: record.relative_density,
                kept_pressure: record.resistance,
            })
            .collect();
        particles.sort_unstable_by_key(|particle| particle.id);
        Ok(particles)
    }

    pub(crate) fn device(&self) -> (&Device, &Queue) {
        (&self.device, &self.queue)
    }

    pub(crate) fn encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("liquid") })
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
        }
        let label = Some(pass.name());
        let mut recorded =
            encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes });
        // Before the first tick there is nothing to run.
        let Some(pipeline) = self.pipelines[pass as usize].get(!self.solids.is_empty()) else {
            return;
        };
        recorded.set_pipeline(pipeline);
        recorded.set_bind_group(0, &self.bindings[pass as usize], &[]);
        let (across, up) = match pass.threads() {
            Threads::One => (1, 1),
            Threads::Counts(per_group) => ((self.grid.cells() + 2).div_ceil(per_group), 1),
            Threads::Particles => {
                let groups = self.count.div_ceil(64).max(1);
                let most = self.device.limits().max_compute_workgroups_per_dimension;
                let up = groups.div_ceil(most);
                (groups.div_ceil(up), up)
            }
        };
        recorded.dispatch_workgroups(across, up, 1);
    }
}

/// Number of particles for which there is room at the beginning.
const FEWEST: u32 = 1024;

fn bind_all(
    pipelines: &[Pipeline],
    device: &Device,
    params: &Buffer,
    buffers: &Buffers,
) -> Vec<BindGroup> {
    pipelines.iter().map(|pipeline| pipeline.bind(device, params, buffers)).collect()
}

/// The grid of a liquid: over its container, or else over the box that is given.
fn grid_of(liquid: &Liquid, open_domain: FluidBounds) -> Grid {
    let container = liquid.containers().next();
    let domain = container.and_then(|(_, container)| bounds_of(container)).unwrap_or(open_domain);
    Grid::over(domain, liquid.parameters().interaction_radius())
}

/// A box around a container, unless it is endless.
fn bounds_of(container: &Container) -> Option<FluidBounds> {
    let local = container.shape().bounds();
    let (half, rotation) = (local.half_size(), container.rotation());
    let turned = rotation.abs();
    let half =
        Vec2::new(turned.x * half.x + turned.y * half.y, turned.y * half.x + turned.x * half.y);
    let centre = container.centre() + rotation.rotate(local.centre());
    half.is_finite().then_some(FluidBounds { low: centre - half, high: centre + half })
}
