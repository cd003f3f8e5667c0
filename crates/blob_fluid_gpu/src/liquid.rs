//! A liquid on a graphics card.

use std::collections::VecDeque;
use std::ops::Range;

use blob_fluid::{ClassId, FluidBounds, Liquid, Particles};
use glam::Vec2;
use wgpu::{
    BindGroup, Buffer, BufferUsages, CommandEncoder, CommandEncoderDescriptor, Device, Queue,
};

use crate::buffers::{Buffers, DeviceBuffer, Extras, PAIR, Room};
use crate::classes::Classes;
use crate::columns::Columns;
use crate::domain::{Domain, Easing};
use crate::drains::{Drains, Recycling};
use crate::error::GpuError;
use crate::grid::{Grid, Ids, free_ranges};
use crate::ignores::supported;
use crate::impacts::Impacts;
use crate::loads::Loads;
use crate::programs::{GpuPass, Pipeline, Shaders, Watch};
use crate::records::{BEARERS_HEAD, Params, ParticleRecord, WarmthRecord};
use crate::regions::Forces;
use crate::report::{GpuReport, Reports};
use crate::scope::{buffer, guarded};
use crate::sensors::Sensors;
use crate::sleep::Sleep;
use crate::solids::DeviceSolids;

/// A particle of a liquid on a graphics card.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GpuParticle {
    /// Its id, unique in the liquid. The id of a particle from a core liquid ([`GpuLiquid::new`])
    /// is the [slot](blob_fluid::ParticleId::slot) of its handle there.
    pub id: u32,
    /// Its class.
    pub class: ClassId,
    /// Position, in world units. A particle with a coordinate beyond the
    /// [reach](blob_fluid::device::DeviceCoefficients::reach), or with a number that is not finite,
    /// is quarantined.
    pub position: Vec2,
    /// Velocity, in world units/s.
    pub velocity: Vec2,
    /// Displacement by walls and pressure in the last substep, in world units.
    pub displacement: Vec2,
    /// The density relative to the equilibrium density, in the last substep.
    pub relative_density: f32,
    /// Resistance to compression that the particle keeps between substeps.
    pub kept_pressure: f32,
    /// Its temperature, in degrees. `None` inserts the temperature of new particles of its class. A
    /// liquid without heat and reactions returns `None`. A particle whose temperature is not finite
    /// is quarantined.
    pub temperature: Option<f32>,
    /// Progress of the particle's reaction with other classes, 0 to 1.
    pub exposure: f32,
    /// Lifetime of an added particle, or remaining lifetime of a particle that is read, in seconds;
    /// `None` for an unlimited lifetime. Lifetimes are rounded to 1/256 s, and limited to 4000 s. The
    /// particle is removed at the end of a tick.
    pub lifetime: Option<f32>,
}

impl GpuParticle {
    /// The flag of a particle whose temperature is not finite. The particle never comes into play,
    /// because it would pass the temperature on.
    fn quarantine(&self) -> u32 {
        let sound = self.temperature.is_none_or(f32::is_finite);
        if sound { 0 } else { ParticleRecord::OUT_OF_PLAY }
    }

    fn warmth(&self) -> [f32; 2] {
        let Some(temperature) = self.temperature else { return WarmthRecord::OF_CLASS.into() };
        WarmthRecord { temperature, exposure: self.exposure.max(0.0) }.into()
    }
}

/// A liquid that is stepped on a graphics card.
///
/// The particles are in the memory of the GPU. Every tick takes settings, classes, container and
/// clock from a core liquid; they may change between two ticks. Only
/// [`read_particles`](Self::read_particles), [`step_timed`](Self::step_timed) and the methods that
/// say so wait for the device.
///
/// All calls use the device in its error scopes. They return [`GpuError::Lost`] on a lost device,
/// and [`GpuError::OutOfMemory`] if its memory is too small. Without the feature `std` of wgpu,
/// error scopes belong to all threads, so no other thread may push or pop a scope during a call.
#[derive(Debug)]
pub struct GpuLiquid {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    pub(crate) domain: Domain,
    pub(crate) added: Added,
    pub(crate) easing: Easing,
    pub(crate) grid: Grid,
    pub(crate) buffers: Buffers,
    pub(crate) params: Buffer,
    pub(crate) solids: DeviceSolids,
    pub(crate) pipelines: Vec<Pipeline>,
    pub(crate) bindings: Vec<BindGroup>,
    pub(crate) reports: Reports,
    pub(crate) forces: Forces,
    pub(crate) drains: Drains,
    pub(crate) recycling: Recycling,
    pub(crate) sensors: Sensors,
    pub(crate) loads: Loads,
    pub(crate) impacts: Impacts,
    pub(crate) sleep: Sleep,
    pub(crate) columns: Columns,
    /// Whether liquid in the present tick is damped relative to the beds of its columns.
    pub(crate) beds: bool,
    pub(crate) times: Watch,
    /// Whether any particle with a lifetime was ever added.
    pub(crate) mortals: bool,
    /// Number of places: particles in play, and particles out of play whose places are not reused yet.
    pub(crate) count: u32,
    pub(crate) ids: Ids,
    pub(crate) classes: Classes,
    /// Simulated time, in seconds.
    pub(crate) time: f64,
}

impl GpuLiquid {
    /// Copies the particles of a liquid to the GPU.
    ///
    /// # Errors
    ///
    /// [`GpuError`] for a liquid that the GPU [does not support](crate#what-it-does-not-do), or
    /// that does not fit into the buffers or the memory of the device. A lost device is also an
    /// error.
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
        supported(liquid)?;
        guarded((device, queue), || Self::copied(device, queue, liquid, shaders))
    }

    /// Creates a liquid with the particles of another.
    fn copied(
        device: &Device,
        queue: &Queue,
        liquid: &Liquid,
        shaders: &Shaders,
    ) -> Result<Self, GpuError> {
        let particles = liquid.particles();
        let mut domain = Domain::default();
        domain.add(0, particles.positions().iter().copied());
        let grid = domain.grid(liquid);
        let room = Room {
            particles: FEWEST,
            cells: grid.cells(),
            classes: 1,
            solids: FEWEST,
            poses: 1,
            forces: 1,
            bearers: BEARERS_HEAD,
            loads: 1,
            extras: Extras::default(),
            tiles: 1,
            bins: 1,
        }
        .for_settings(liquid);
        let buffers = Buffers::new((device, queue), room)?;
        let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let params = buffer(device, "Params", size_of::<Params>() as u64, usage)?;
        let pipelines: Vec<_> =
            GpuPass::ALL.into_iter().map(|pass| Pipeline::of_pass(device, pass, shaders)).collect();
        let bindings = bind_all(&pipelines, device, &params, &buffers);
        let reports = Reports::new(device, shaders, &params, &buffers)?;
        let (forces, drains) = (Forces::new(device, shaders), Drains::new(device, shaders));
        let mut copy = Self {
            device: device.clone(),
            queue: queue.clone(),
            domain,
            added: Added::default(),
            easing: Easing::default(),
            grid,
            buffers,
            params,
            solids: DeviceSolids::default(),
            pipelines,
            bindings,
            reports,
            forces,
            drains,
            recycling: Recycling::new(device, shaders)?,
            sensors: Sensors::new(shaders),
            loads: Loads::new(device, shaders),
            impacts: Impacts::new(shaders),
            sleep: Sleep::new(device, shaders)?,
            columns: Columns::new(device, shaders),
            beds: false,
            times: Watch::default(),
            mortals: false,
            count: 0,
            ids: Ids::default(),
            classes: Classes::of_table(liquid.classes().len()),
            time: 0.0,
        };
        copy.insert(&particles_at(particles, 0..particles.len()))?;
        Ok(copy)
    }

    /// The device.
    pub fn wgpu_device(&self) -> &Device {
        &self.device
    }

    /// A box around the particles at the last tick. If the liquid has no container, single particles
    /// far from the others may be outside of this box.
    pub fn domain(&self) -> FluidBounds {
        FluidBounds { low: self.grid.low, high: self.grid.high }
    }

    /// Number of places that particles occupy: those in play, and those out of play whose places
    /// are not reused yet. A [report](Self::report) contains the number in play.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of particles that fit before the buffers grow.
    pub fn capacity(&self) -> usize {
        self.buffers.room.particles as usize
    }

    /// Bytes of the device's memory that the liquid occupies.
    pub fn device_bytes(&self) -> u64 {
        self.buffers.bytes()
            + self.params.size()
            + self.reports.bytes()
            + self.sensors.bytes()
            + self.impacts.bytes()
    }

    /// Runs work on the device, and returns its failure as an error.
    pub(crate) fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let (device, queue) = (self.device.clone(), self.queue.clone());
        guarded((&device, &queue), || work(self))
    }

    /// Adds particles with their own ids. Ids are never reused.
    ///
    /// # Errors
    ///
    /// [`GpuError::InvalidId`], [`GpuError::IdInUse`] and [`GpuError::UnknownClass`], and those of
    /// [`reserve`](Self::reserve). Then no particle is added.
    pub fn insert(&mut self, particles: &[GpuParticle]) -> Result<(), GpuError> {
        let ids = particles.iter().map(|particle| particle.id);
        let ranges = free_ranges(&self.ids, ids)?;
        self.write_particles(particles, |_, particle| particle.id)?;
        ranges.into_iter().for_each(|range| self.ids.add(range));
        Ok(())
    }

    /// Adds particles, and gives them consecutive ids above all earlier ids. The particles' own
    /// [`id`](GpuParticle::id) is ignored.
    ///
    /// # Errors
    ///
    /// [`GpuError::UnknownClass`], [`GpuError::NoMoreIds`], and those of
    /// [`reserve`](Self::reserve). Then no particle is added.
    pub fn append(&mut self, particles: &[GpuParticle]) -> Result<Range<u32>, GpuError> {
        let count = u32::try_from(particles.len()).map_err(|_| GpuError::NoMoreIds)?;
        let ids = self.ids.next(count).ok_or(GpuError::NoMoreIds)?;
        self.write_particles(particles, |index, _| ids.start + index as u32)?;
        self.ids.add(ids.clone());
        Ok(ids)
    }

    /// Adds all of the particles after the present ones, or none if it fails.
    fn write_particles(
        &mut self,
        particles: &[GpuParticle],
        id: impl Fn(usize, &GpuParticle) -> u32,
    ) -> Result<(), GpuError> {
        let highest = particles.iter().map(|particle| particle.class.0).max();
        highest.map_or(Ok(()), |class| self.classes.check_added(class))?;
        let needed = self.len() + particles.len();
        if needed > self.capacity() {
            // Capacity grows by at least half, so repeated small insertions copy little.
            let most = Buffers::most_particles(&self.device) as usize;
            let larger = (self.capacity() + self.capacity() / 2).min(most);
            self.reserve(needed.max(larger))?;
        }
        self.guarded(|gpu| {
            gpu.send(particles, id);
            Ok(())
        })?;
        self.count += particles.len() as u32;
        let positions = particles.iter().map(|particle| particle.position);
        let points = positions.clone().map(|point| FluidBounds { low: point, high: point });
        if let Some(highest) = highest {
            self.sleep.add(points.fold(FluidBounds::NONE, FluidBounds::union));
            self.classes.add(highest);
        }
        self.mortals |= particles.iter().any(|particle| particle.lifetime.is_some());
        self.domain.add(self.reports.tick, positions);
        let moving = particles.iter().map(|particle| (particle.position, particle.velocity));
        self.added.add(self.reports.tick, moving);
        Ok(())
    }

    /// Copies particles to the GPU, into free room after the present ones.
    fn send(&self, particles: &[GpuParticle], id: impl Fn(usize, &GpuParticle) -> u32) {
        let record = |(index, particle): (usize, &GpuParticle)| ParticleRecord {
            position: particle.position.into(),
            velocity: particle.velocity.into(),
            displacement: [0.0; 2],
            id: id(index, particle),
            kind: u32::from(particle.class.0)
                | ParticleRecord::time_of_death(self.time, particle.lifetime)
                | particle.quarantine(),
            resistance: particle.kept_pressure,
            relative_density: particle.relative_density,
        };
        let records: Vec<_> = particles.iter().enumerate().map(record).collect();
        let start = u64::from(self.count) * size_of::<ParticleRecord>() as u64;
        let into = self.buffers.get(DeviceBuffer::Particles);
        self.queue.write_buffer(into, start, bytemuck::cast_slice(&records));
        let write = |first: u32, pairs: Vec<[f32; 2]>| {
            let into = self.buffers.get(DeviceBuffer::Extras);
            let at = PAIR * u64::from(first + self.count);
            self.queue.write_buffer(into, at, bytemuck::cast_slice(&pairs));
        };
        let room = self.buffers.room;
        if room.extras.warmth {
            write(0, particles.iter().map(GpuParticle::warmth).collect());
        }
        if room.extras.rests {
            let rests = particles.iter().map(|particle| particle.position.into());
            write(room.first_rest(), rests.collect());
        }
    }

    /// Whether particles have temperatures, because the liquid has had a class that heat changes, a
    /// reaction, or a force that heats.
    pub fn has_heat(&self) -> bool {
        self.buffers.room.extras.warmth
    }

    /// One more than the highest id that was ever inserted.
    pub(crate) fn ids_end(&self) -> u32 {
        self.ids.end()
    }

    /// The settings of the last tick's substeps.
    pub(crate) fn params(&self) -> &Buffer {
        &self.params
    }

    pub(crate) fn buffer(&self, which: DeviceBuffer) -> &Buffer {
        self.buffers.get(which)
    }

    pub(crate) fn device(&self) -> (&Device, &Queue) {
        (&self.device, &self.queue)
    }

    pub(crate) fn encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&CommandEncoderDescriptor { label: Some("liquid") })
    }

    /// Work groups of 64 particles for all particles, across and up.
    pub(crate) fn groups_of_particles(&self) -> (u32, u32) {
        self.groups_of(64)
    }

    /// Work groups of `particles` particles for all particles, across and up.
    pub(crate) fn groups_of(&self, particles: u32) -> (u32, u32) {
        self.groups_for(self.count, particles)
    }

    /// Work groups for `count` items with `per_group` items in each, across and up.
    pub(crate) fn groups_for(&self, count: u32, per_group: u32) -> (u32, u32) {
        let groups = count.div_ceil(per_group).max(1);
        let most = self.device.limits().max_compute_workgroups_per_dimension;
        let up = groups.div_ceil(most);
        (groups.div_ceil(up), up)
    }
}

/// Initial capacity, in particles.
const FEWEST: u32 = 1024;

fn bind_all(
    pipelines: &[Pipeline],
    device: &Device,
    params: &Buffer,
    buffers: &Buffers,
) -> Vec<BindGroup> {
    let both = pipelines.iter().zip(GpuPass::ALL);
    both.map(|(pipeline, pass)| pipeline.bind_pass(device, pass, params, buffers)).collect()
}

/// The particles of a core liquid at these indices, with their slots as ids.
pub(crate) fn particles_at(
    particles: &Particles,
    indices: impl Iterator<Item = usize>,
) -> Vec<GpuParticle> {
    let lifetime = |index: usize| particles.remaining_lifetime(particles.ids()[index]);
    let particle = |index: usize| GpuParticle {
        id: particles.ids()[index].slot(),
        class: particles.classes()[index],
        position: particles.positions()[index],
        velocity: particles.velocities()[index],
        displacement: Vec2::ZERO,
        relative_density: particles.relative_densities()[index],
        kept_pressure: particles.kept_pressures().get(index).copied().unwrap_or(0.0),
        temperature: Some(particles.temperatures()[index]),
        exposure: particles.exposures()[index],
        lifetime: lifetime(index).filter(|left| left.is_finite()),
    };
    indices.map(particle).collect()
}

// Depth of a liquid, including particles added since the newest report.

/// Positions and velocities.
type Moving = (Vec<Vec2>, Vec<Vec2>);

/// Particles that were added and that no report has counted yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Added {
    /// The added particles, each with the number of ticks before them.
    particles: VecDeque<(u64, Moving)>,
}

impl Added {
    /// Records that particles with these positions and velocities are added after `tick` ticks.
    pub(crate) fn add(&mut self, tick: u64, moving: impl Iterator<Item = (Vec2, Vec2)>) {
        if self.particles.back().is_none_or(|(last, _)| *last != tick) {
            self.particles.push_back((tick, Moving::default()));
        }
        let Some((_, (positions, velocities))) = self.particles.back_mut() else { return };
        for (position, velocity) in moving.filter(|(position, _)| position.is_finite()) {
            positions.push(position);
            velocities.push(velocity);
        }
    }

    /// Depth of a liquid: the depth from `report`, plus the depth of all particles added since, as
    /// if on top. It is `None` without a report and without particles.
    pub(crate) fn depth(&mut self, report: Option<&GpuReport>, liquid: &Liquid) -> Option<f32> {
        while let (Some(report), Some((tick, _))) = (report, self.particles.front())
            && *tick < report.tick
        {
            self.particles.pop_front();
        }
        let mut all = Moving::default();
        for (_, (positions, velocities)) in &self.particles {
            all.0.extend(positions);
            all.1.extend(velocities);
        }
        if report.is_none() && all.0.is_empty() {
            return None;
        }
        let known = report.map_or(0.0, |report| report.depth(liquid));
        Some(known + liquid.depth_of(&all.0, &all.1))
    }
}

// Growth of the buffers.

impl GpuLiquid {
    /// Reserves room for `capacity` particles.
    ///
    /// # Errors
    ///
    /// [`GpuError::TooManyParticles`] beyond the device's limits, [`GpuError::OutOfMemory`] and
    /// [`GpuError::Lost`]. Then nothing is changed.
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
    pub(crate) fn make_room(&mut self, room: Room) -> Result<(), GpuError> {
        self.guarded(|gpu| gpu.replace_buffers(room))
    }

    fn replace_buffers(&mut self, room: Room) -> Result<(), GpuError> {
        let larger = Buffers::new(self.device(), room)?;
        let mut encoder = self.encoder();
        let bytes = u64::from(self.count) * size_of::<ParticleRecord>() as u64;
        let loads = self.buffers.get(DeviceBuffer::Loads).size();
        let tiles = self.buffers.get(DeviceBuffer::Tiles).size();
        let mut copied = vec![
            (DeviceBuffer::Particles, [0, 0], bytes),
            (DeviceBuffer::Loads, [0, 0], loads),
            (DeviceBuffer::Tiles, [0, 0], tiles),
        ];
        let before = self.buffers.room;
        let pairs = PAIR * u64::from(self.count);
        if before.extras.warmth {
            copied.push((DeviceBuffer::Extras, [0, 0], pairs));
        } else if room.extras.warmth {
            let of_class = vec![WarmthRecord::OF_CLASS; self.len()];
            let into = larger.get(DeviceBuffer::Extras);
            self.queue.write_buffer(into, 0, bytemuck::cast_slice(&of_class));
        }
        if before.extras.rests {
            let first = [before, room].map(|room| PAIR * u64::from(room.first_rest()));
            copied.push((DeviceBuffer::Extras, first, pairs));
        }
        for (which, [from, to], bytes) in copied {
            let [source, into] = [&self.buffers, &larger].map(|buffers| buffers.get(which));
            encoder.copy_buffer_to_buffer(source, from, into, to, bytes);
        }
        self.queue.submit([encoder.finish()]);
        self.buffers = larger;
        self.solids.forget_buffers();
        self.bindings = bind_all(&self.pipelines, &self.device, &self.params, &self.buffers);
        self.reports.rebind(&self.device, &self.params, &self.buffers);
        self.forces.forget();
        self.drains.unbind();
        self.recycling.unbind();
        self.sensors.unbind();
        self.loads.unbind();
        self.impacts.unbind();
        self.sleep.unbind();
        self.columns.unbind();
        Ok(())
    }

    /// Makes room for the classes of a liquid, from which particles will be added, and for their extras.
    pub(crate) fn make_room_for(&mut self, liquid: &Liquid) -> Result<(), GpuError> {
        let (room, needed) = (self.buffers.room, self.buffers.room.for_settings(liquid));
        if needed != room {
            self.make_room(needed)?;
        }
        self.classes.set_table(liquid.classes().len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use blob_fluid::FluidWorld;

    use super::*;

    #[test]
    fn what_was_added_counts_until_a_report_has_it() {
        let world = FluidWorld::default();
        let spacing = world.parameters().particle_spacing;
        let rows = |from: usize, rows: usize| {
            let at = move |index: usize| Vec2::new((index % 50) as f32, (index / 50) as f32 + 0.5);
            let far = Vec2::new(20_000.0, -9000.0);
            (50 * from..50 * (from + rows)).map(move |index| far + at(index) * spacing)
        };
        let still = |position: Vec2| (position, Vec2::ZERO);
        let depth_of = |rows: f32| rows * spacing;
        let near = |depth: Option<f32>, rows: f32| {
            let depth = depth.expect("there");
            assert!((depth / depth_of(rows) - 1.0).abs() < 0.1, "{depth}, not {rows} rows");
        };
        let mut added = Added::default();
        assert_eq!(added.depth(None, world.liquid()), None);
        added.add(0, rows(0, 60).map(still));
        near(added.depth(None, world.liquid()), 60.0);
        added.add(3, rows(60, 20).map(still));
        near(added.depth(None, world.liquid()), 80.0);

        // The report counts the first sixty rows.
        let mut report = GpuReport::of_bounds(1, FluidBounds::NONE);
        let radius = world.parameters().interaction_radius();
        report.in_two = (2.0 * 60.0 * radius / spacing) as u32;
        near(added.depth(Some(&report), world.liquid()), 80.0);
        report.tick = 4;
        near(added.depth(Some(&report), world.liquid()), 60.0);
    }

    #[test]
    fn bad_numbers_add_nothing() {
        let world = FluidWorld::default();
        let mut added = Added::default();
        let bad = [Vec2::NAN, Vec2::splat(f32::INFINITY)];
        added.add(0, bad.into_iter().map(|position| (position, Vec2::ZERO)));
        assert_eq!(added.depth(None, world.liquid()), None);
    }
}
