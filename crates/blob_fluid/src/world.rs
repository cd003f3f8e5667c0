//! The whole liquid, and its step.

use std::sync::OnceLock;

use glam::{DVec2, Vec2};
use thiserror::Error;

use crate::bounds::Bounds;
use crate::class::ClassId;
use crate::class_table::{ClassError, ClassTable};
use crate::coefficients::{Coefficients, GHOST_DENSITY_PER_EQUILIBRIUM};
use crate::effort::{Effort, GivenUp};
use crate::executor::Executor;
use crate::force::Forces;
use crate::grid::Grid;
use crate::index::ParticleIndex;
use crate::kernel::ghost_wall;
use crate::life::Lifetime;
use crate::load::Loads;
use crate::parameters::{FluidParameters, Wall};
use crate::particle::{ParticleId, ParticleSpawn, Particles, ReorderScratch, SpawnError};
use crate::pass::{self, Contact, Fate, LONG_CHUNK, Neighbours, Pressures, ViscosityRows};
use crate::population::Population;
use crate::range::OutOfRange;
use crate::sleep::{self, Activity, Sleep};
use crate::solids::Solids;
use crate::spring::{Spring, Springs};

/// How many interaction radii from the origin the world reaches.
const REACH_IN_RADII: f32 = 1e6;

/// A time step that cannot be taken.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum StepError {
    /// The time step is NaN, infinite or negative.
    #[error("the time step is {0} s, and must be finite and at least 0")]
    TimeStep(f32),
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct StepReport {
    /// Simulated time, in seconds: the time step, or less where it exceeded the longest allowed.
    pub time_step: f32,
    /// How many substeps it was divided into; 0 when nothing was done, because no time passed or
    /// everything sleeps.
    pub substeps: u32,
    /// How many sweeps over the pairs viscosity took in each of them; 0 where nothing is viscous.
    pub viscosity_sweeps: u32,
    /// What was left out of what the settings ask for, because of the world's
    /// [effort](FluidWorld::set_effort).
    pub given_up: GivenUp,
    /// How many particles slept; all of them where there was no substep.
    pub asleep: usize,
    /// How many particles were quarantined because they were not finite or out of the world.
    pub quarantined: u64,
    /// How many particles died at the beginning, because their [lifetime](crate::Lifetime) was
    /// over.
    pub expired: usize,
    /// How many particles were removed at the end, because they were outside of the
    /// [kill bounds](FluidWorld::set_kill_bounds).
    pub out_of_bounds: usize,
}

/// Memory that passes need, kept between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub vectors: Vec<Vec2>,
    pub scalars: Vec<f32>,
    /// Of each chunk.
    pub viscosity_rows: Vec<ViscosityRows>,
    /// Sums of offsets and of their squares, by chunk.
    pub moments: Vec<(DVec2, DVec2)>,
    pub fates: Vec<Fate>,
    pub reorder: ReorderScratch,
}

/// A liquid: particles, their classes, settings, containers and forces.
///
/// See the [crate's documentation](crate) for an example.
#[derive(Clone, Debug)]
pub struct FluidWorld {
    pub(crate) particles: Particles,
    pub(crate) solids: Solids,
    pub(crate) forces: Forces,
    pub(crate) coefficients: Coefficients,
    pub(crate) grid: Grid,
    /// Whether no particle has moved since the grid was sorted.
    pub(crate) grid_is_current: bool,
    pub(crate) pressures: Vec<Pressures>,
    /// Of each chunk's blocks, while they are relaxed.
    pub(crate) neighbours: Vec<Neighbours>,
    pub(crate) springs: Springs,
    pub(crate) sleep: Sleep,
    pub(crate) loads: Loads,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) scratch: Scratch,
    pub(crate) quarantined: u64,
    pub(crate) population: Population,
    /// Of the positions there are, once someone has asked.
    index: OnceLock<ParticleIndex>,
    parameters: FluidParameters,
    pub(crate) classes: ClassTable,
    capacity: usize,
    spring_capacity: usize,
    time: f64,
    ticks: u64,
    effort: Effort,
    pub(crate) wanted_substeps: u32,
    substeps: u32,
    in_tick: bool,
    quarantined_before_tick: u64,
}

impl Default for FluidWorld {
    /// An empty world with the default settings and the three default classes.
    fn default() -> Self {
        let mut world = Self {
            particles: Particles::default(),
            solids: Solids::default(),
            forces: Forces::default(),
            coefficients: Coefficients::default(),
            grid: Grid::default(),
            grid_is_current: false,
            pressures: Vec::new(),
            neighbours: Vec::new(),
            springs: Springs::default(),
            sleep: Sleep::default(),
            loads: Loads::default(),
            contacts: Vec::new(),
            scratch: Scratch::default(),
            quarantined: 0,
            population: Population::default(),
            index: OnceLock::new(),
            parameters: FluidParameters::default(),
            classes: ClassTable::default(),
            capacity: Self::DEFAULT_CAPACITY,
            spring_capacity: Self::DEFAULT_SPRING_CAPACITY,
            time: 0.0,
            ticks: 0,
            effort: Effort::FULL,
            wanted_substeps: 1,
            substeps: 1,
            in_tick: false,
            quarantined_before_tick: 0,
        };
        // Passes may run before the first tick begins.
        world.derive_coefficients(1.0 / 60.0);
        world
    }
}

impl FluidWorld {
    /// How many particles a world may hold unless told otherwise.
    pub const DEFAULT_CAPACITY: usize = 1_000_000;

    /// How many springs a world may hold unless told otherwise: enough for 100,000 particles.
    pub const DEFAULT_SPRING_CAPACITY: usize = 3_000_000;

    /// An empty world with these settings.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when a setting is outside its range.
    pub fn new(parameters: FluidParameters) -> Result<Self, OutOfRange> {
        let mut world = Self::default();
        world.set_parameters(parameters)?;
        Ok(world)
    }

    /// Advances the liquid by `time_step` seconds.
    ///
    /// 0, or less than a nanosecond, changes nothing; more than
    /// [`max_time_step`](FluidParameters::max_time_step) is cut to it.
    ///
    /// # Errors
    ///
    /// [`StepError::TimeStep`] for a step that is NaN, infinite or negative; nothing is changed
    /// then.
    pub fn step<E: Executor>(
        &mut self,
        time_step: f32,
        executor: &E,
    ) -> Result<StepReport, StepError> {
        executor.run(|| {
            let report = self.begin_tick(time_step, executor)?;
            for _ in 0..report.substeps {
                pass::apply_gravity(self, executor);
                pass::apply_forces(self, executor);
                pass::apply_damping(self, executor);
                pass::grip_surfaces(self, executor);
                pass::apply_viscosity(self, executor);
                pass::exchange_heat(self, executor);
                pass::react(self, executor);
                pass::advance_positions(self, executor);
                pass::hash_positions(self, executor);
                pass::apply_springs(self, executor);
                pass::relax_density(self, executor);
                pass::contain(self, executor);
                pass::update_velocities(self, executor);
                pass::move_bodies(self, executor);
            }
            Ok(self.end_tick(report, executor))
        })
    }

    /// Prepares a tick of `time_step` seconds: for hosts that run the [passes](crate::pass)
    /// themselves. Run them as many times as the report has substeps, then call
    /// [`end_tick`](Self::end_tick).
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    pub fn begin_tick<E: Executor>(
        &mut self,
        time_step: f32,
        executor: &E,
    ) -> Result<StepReport, StepError> {
        if !time_step.is_finite() || time_step < 0.0 {
            return Err(StepError::TimeStep(time_step));
        }
        let time_step = time_step.min(self.parameters.max_time_step);
        if time_step <= 1e-9 {
            return Ok(StepReport::default());
        }
        self.quarantined_before_tick = self.quarantined;
        let expired = self.expire();
        let Particles { position, tick_start, .. } = &mut self.particles;
        // While all sleep both stay the same.
        let changed = self.sleep.touched || !self.sleep.disturbances.is_empty();
        if self.sleep.asleep < position.len() || changed {
            executor.for_each_chunk(&mut tick_start[..], LONG_CHUNK, |index, chunk| {
                let start = index * LONG_CHUNK;
                chunk.copy_from_slice(&position[start..start + chunk.len()]);
            });
        }
        if !sleep::wake(self, time_step, executor) {
            let asleep = self.asleep();
            return Ok(StepReport { time_step, asleep, expired, ..StepReport::default() });
        }
        self.in_tick = true;
        self.loads.begin_tick(self.solids.colliders.len());
        let (wanted, least) = self.choose_substeps(time_step, executor);
        self.wanted_substeps = wanted;
        self.substeps = wanted.min(self.effort.substeps.max(least));
        let substep = time_step / self.substeps as f32;
        self.derive_coefficients(substep);
        let viscous = self.coefficients.is_viscous();
        Ok(StepReport {
            time_step,
            substeps: self.substeps,
            viscosity_sweeps: if viscous { self.coefficients.viscosity_sweeps() } else { 0 },
            given_up: GivenUp {
                substeps: wanted - self.substeps,
                viscosity_sweeps: self.coefficients.viscosity_sweeps_given_up(),
            },
            expired,
            ..StepReport::default()
        })
    }

    /// Ends a tick begun with [`begin_tick`](Self::begin_tick): quarantines what went wrong in its
    /// last substep, removes what is outside of the kill bounds, and counts the time.
    pub fn end_tick<E: Executor>(&mut self, report: StepReport, executor: &E) -> StepReport {
        if report.time_step == 0.0 {
            return report;
        }
        if report.substeps > 0 {
            pass::quarantine(self, executor);
            sleep::settle(self, report.time_step, executor);
        }
        self.in_tick = false;
        let out_of_bounds = self.kill_outside(report.substeps > 0, executor);
        self.time += f64::from(report.time_step);
        self.particles.lives.advance(report.time_step);
        self.ticks += 1;
        StepReport {
            out_of_bounds,
            asleep: self.asleep(),
            quarantined: self.quarantined - self.quarantined_before_tick,
            ..report
        }
    }

    /// Adds a particle.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] for a position, velocity or lifetime out of range, an unknown class, or a
    /// full world, unless that [recycles](FluidWorld::set_capacity_policy).
    pub fn spawn(&mut self, spawn: ParticleSpawn) -> Result<ParticleId, SpawnError> {
        let check = |field, vector: Vec2, limit: f32| {
            let within = |value: &f32| value.is_finite() && value.abs() <= limit;
            let bad = vector.to_array().into_iter().find(|value| !within(value));
            bad.map_or(Ok(()), |value| Err(SpawnError::OutOfRange { field, value, limit }))
        };
        check("position", spawn.position, self.reach())?;
        check("velocity", spawn.velocity, f32::MAX)?;
        let ambient = self.parameters.ambient_temperature;
        let of_class = self.own_temperature(spawn.class)?.unwrap_or(ambient);
        let temperature = spawn.temperature.unwrap_or(of_class);
        check("temperature", Vec2::splat(temperature), f32::MAX)?;
        spawn.lifetime.as_ref().map_or(Ok(()), Lifetime::validate)?;
        self.make_room()?;
        self.has_moved();
        self.sleep.disturb(spawn.position);
        Ok(self.particles.push(ParticleSpawn { temperature: Some(temperature), ..spawn }))
    }

    /// Removes a particle; `false` if it was dead already.
    pub fn despawn(&mut self, id: ParticleId) -> bool {
        let place = self.particles.place(id);
        if let Some(place) = place {
            self.has_moved();
            self.sleep.disturb(self.particles.position[place]);
            self.particles.swap_remove(place);
        }
        place.is_some()
    }

    /// Removes the particles for which `dead` holds (given position and class), and says how many.
    pub fn despawn_where(&mut self, mut dead: impl FnMut(Vec2, ClassId) -> bool) -> usize {
        self.remove_where(|all, place| dead(all.position[place], all.class[place]))
    }

    /// Removes the particles for which `dead` holds, given their places, and says how many.
    pub(crate) fn remove_where(
        &mut self,
        mut dead: impl FnMut(&Particles, usize) -> bool,
    ) -> usize {
        self.has_moved();
        let Self { particles, sleep, .. } = self;
        particles.remove_where(|all, place| {
            let dies = dead(all, place);
            if dies {
                sleep.disturb(all.position[place]);
            }
            dies
        })
    }

    /// Removes all particles. Their handles become invalid.
    pub fn clear(&mut self) {
        self.despawn_where(|_, _| true);
    }

    /// All particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// All particles, to change velocities or displace them between passes.
    pub fn particles_mut(&mut self) -> &mut Particles {
        self.has_moved();
        if self.in_tick {
            // What a host does between two passes cannot be told from what the passes do.
            self.sleep.everywhere = true;
            self.sleep.asleep = 0;
            self.particles.activity.fill(Activity::Awake);
        } else {
            self.sleep.touched = true;
        }
        &mut self.particles
    }

    /// Settings.
    pub fn parameters(&self) -> &FluidParameters {
        &self.parameters
    }

    /// Changes the settings; they count from the next pass on.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] when one is outside its range; the old ones stay.
    pub fn set_parameters(&mut self, parameters: FluidParameters) -> Result<(), OutOfRange> {
        parameters.validate()?;
        self.sleep.everywhere |= parameters != self.parameters;
        self.parameters = parameters;
        self.has_moved();
        self.derive_coefficients(self.coefficients.time_step);
        Ok(())
    }

    /// How much work a tick takes at most.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Limits how much work a tick takes, from the next one on; [`Effort::FULL`] unless told
    /// otherwise. A [`Governor`](crate::Governor) chooses it by the time ticks take.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// Classes.
    pub fn classes(&self) -> &ClassTable {
        &self.classes
    }

    /// Changes the classes; they count from the next pass on.
    ///
    /// # Errors
    ///
    /// [`ClassError::InUse`] when living particles belong to a class that the new table lacks; the
    /// old one stays.
    pub fn set_classes(&mut self, classes: ClassTable) -> Result<(), ClassError> {
        let missing = |class: &&ClassId| class.index() >= classes.len();
        if let Some(class) = self.particles.class.iter().find(missing) {
            let particles = self.particles.class.iter().filter(missing).count();
            return Err(ClassError::InUse { class: class.0, particles });
        }
        // Particles that become elastic hold on to those around them.
        for (index, (before, after)) in self.classes.iter().zip(classes.iter()).enumerate() {
            if before.elasticity.is_none() && after.elasticity.is_some() {
                self.particles.renew(ClassId(index as u8));
            }
        }
        self.sleep.everywhere |= classes != self.classes;
        self.solids.set_classes(&classes);
        self.classes = classes;
        self.derive_coefficients(self.coefficients.time_step);
        Ok(())
    }

    /// Makes a particle another class's, with the velocity and temperature it has; `false` if it
    /// is dead.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class(&mut self, id: ParticleId, class: ClassId) -> Result<bool, SpawnError> {
        self.own_temperature(class)?;
        let place = self.particles.place(id);
        if let Some(place) = place {
            self.sleep.disturb(self.particles.position[place]);
            self.particles.change_class(place, class);
        }
        Ok(place.is_some())
    }

    /// Makes the particles for which `chosen` holds (given position and class) another class's, and
    /// says how many.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class_where(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, place| chosen(all.position[place], all.class[place]))
    }

    /// The same, given their places.
    pub(crate) fn change_classes(
        &mut self,
        class: ClassId,
        mut chosen: impl FnMut(&Particles, usize) -> bool,
    ) -> Result<usize, SpawnError> {
        self.own_temperature(class)?;
        let mut changed = 0;
        for place in 0..self.particles.len() {
            if chosen(&self.particles, place) && self.particles.class[place] != class {
                self.sleep.disturb(self.particles.position[place]);
                self.particles.change_class(place, class);
                changed += 1;
            }
        }
        Ok(changed)
    }

    /// Temperature of a class's new particles, if it has one of its own.
    fn own_temperature(&self, class: ClassId) -> Result<Option<f32>, SpawnError> {
        let classes = self.classes.len();
        let known = self.classes.get(class);
        let known = known.ok_or(SpawnError::UnknownClass { class: class.0, classes })?;
        Ok(known.thermal.temperature)
    }

    /// Forgets what was known of where particles are.
    pub(crate) fn has_moved(&mut self) {
        self.grid_is_current = false;
        self.index.take();
    }

    pub(crate) fn index(&self) -> &ParticleIndex {
        self.index.get_or_init(|| ParticleIndex::of(self.particles.positions()))
    }

    fn derive_coefficients(&mut self, time_step: f32) {
        let FluidParameters { particle_spacing, .. } = self.parameters;
        self.solids.set_scale(self.parameters.interaction_radius(), particle_spacing);
        self.coefficients.derive(&self.parameters, &self.classes, self.effort, time_step);
    }

    /// Most particles the world may hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Changes how many particles the world may hold, up to `u32::MAX - 1`. Living ones stay, until
    /// one more is spawned where the [oldest are recycled](Self::set_capacity_policy).
    pub fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity.min(u32::MAX as usize - 1);
    }

    /// All springs, in the order they were made.
    pub fn springs(&self) -> &[Spring] {
        &self.springs.list
    }

    /// Most springs the world may hold.
    pub fn spring_capacity(&self) -> usize {
        self.spring_capacity
    }

    /// Changes how many springs the world may hold. Beyond it particles that meet are not
    /// connected; [`springs_refused`](Self::springs_refused) counts how often. Existing springs
    /// stay.
    pub fn set_spring_capacity(&mut self, capacity: usize) {
        self.spring_capacity = capacity.min(u32::MAX as usize / 2);
    }

    /// How many springs were ever refused because there were too many.
    pub fn springs_refused(&self) -> u64 {
        self.springs.refused
    }

    /// How many particles sleep: they had settled, and nothing around them moves.
    pub fn asleep(&self) -> usize {
        self.sleep.asleep.min(self.particles.len())
    }

    /// Simulated time, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Lets the time and the ticks count from 0 again.
    pub fn restart_clock(&mut self) {
        self.time = 0.0;
        self.ticks = 0;
    }

    /// How many ticks were taken.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// How many substeps the last tick took.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// How many particles were ever quarantined: removed because they were not finite or out of the
    /// world.
    pub fn quarantined(&self) -> u64 {
        self.quarantined
    }

    /// How far from the origin particles may be, in world units.
    pub fn reach(&self) -> f32 {
        REACH_IN_RADII * self.parameters.interaction_radius()
    }

    /// Whether a position is one that the next tick will not quarantine.
    pub(crate) fn has_within(&self, position: Vec2) -> bool {
        position.is_finite() && position.abs().max_element() <= self.reach()
    }

    /// A number that two worlds share when all their particles agree to the bit: positions,
    /// velocities, temperatures and classes, in the order of their slots (FNV-1a).
    pub fn state_hash(&self) -> u64 {
        let particles = &self.particles;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for place in particles.places_by_slot() {
            let (position, velocity) = (particles.position[place], particles.velocity[place]);
            let temperature = particles.temperature[place];
            for value in [position.x, position.y, velocity.x, velocity.y, temperature] {
                // Both zeros are the same place.
                hash = (hash ^ u64::from((value + 0.0).to_bits())).wrapping_mul(0x100_0000_01b3);
            }
            let class = u64::from(particles.class[place].0);
            hash = (hash ^ class).wrapping_mul(0x100_0000_01b3);
        }
        hash
    }
}

/// What measures need of the walls and classes between ticks.
impl FluidWorld {
    /// Density at which particles of a class rest (`rho_eq`).
    pub(crate) fn equilibrium_density(&self, class: ClassId) -> f32 {
        self.parameters.effective_rest_density()
            * self.parameters.equilibrium_ratio
            * self.classes[class].relative_rest_density
    }

    /// Density that the walls near a particle add to its own.
    pub(crate) fn wall_density(&self, place: usize) -> f32 {
        let Wall::Ghost { density, .. } = self.parameters.wall else {
            return 0.0;
        };
        let behind = density
            * GHOST_DENSITY_PER_EQUILIBRIUM
            * self.equilibrium_density(self.particles.class[place]);
        let position = self.particles.position[place];
        let radius = self.parameters.interaction_radius();
        let mut total = 0.0;
        if let Some(near) = self.solids.around(Bounds { low: position, high: position }, radius) {
            let particle = (position, position, self.particles.class[place]);
            self.solids.visit(&near, particle, radius, |near| {
                total += behind * ghost_wall(near.distance / radius).density;
            });
        }
        total
    }
}
