//! The complete state of a liquid.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use glam::Vec2;

use crate::boundary::solids::{Loads, Solids};
use crate::liquid::clock::Clock;
use crate::liquid::force::Forces;
use crate::particles::arrays::Activity;
use crate::particles::clone_in_place;
use crate::particles::columns::Springs;
use crate::pool::state::Pools;
use crate::revision::{Revision, StateHash};
use crate::stored::stored;
use crate::{
    ClassTable, Effort, FieldParticles, FluidBounds, FluidParameters, Force, ForceField, Grain,
    OutOfRange, ParticleId, Particles, Spring,
};

clone_in_place! {
    /// The complete state of a liquid: particles, springs, sleep, parameters, classes, containers,
    /// colliders, forces, and the clock.
    ///
    /// Data derived from the state belongs to the solver. The derived data can be discarded between
    /// two ticks without changing a bit of any later result. A clone is a snapshot, and
    /// [`FluidWorld::from`](crate::FluidWorld) continues from it.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn::default())?;
    /// let snapshot = world.liquid().clone();
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// let mut again = FluidWorld::from(snapshot);
    /// again.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert_eq!(again.state_hash(), world.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Debug)]
    pub struct Liquid {
        pub(crate) parameters: FluidParameters,
        pub(crate) classes: ClassTable,
        pub(crate) effort: Effort,
        pub(crate) particles: Particles,
        pub(crate) springs: Springs,
        pub(crate) sleep: Sleep,
        pub(crate) population: Population,
        /// Particles that were quarantined since the last tick began.
        pub(crate) quarantined: Vec<Quarantined>,
        pub(crate) boundary: Solids,
        pub(crate) loads: Loads,
        pub(crate) forces: Forces,
        pub(crate) pools: Pools,
        pub(crate) clock: Clock,
        /// Largest speed to which pressure accelerates liquid, in V0, while a change is being
        /// [eased in](Self::ease_in); otherwise `None`.
        pub(crate) easing_limit: Option<f32>,
        /// Revision of the inputs of the coefficients: parameters, classes, effort and easing.
        pub(crate) settings_revision: Revision,
    }
}

impl Default for Liquid {
    /// A liquid without particles, with the default settings and the three default classes.
    fn default() -> Self {
        let mut liquid = Self {
            parameters: FluidParameters::default(),
            classes: ClassTable::default(),
            effort: Effort::FULL,
            particles: Particles::default(),
            springs: Springs::default(),
            sleep: Sleep::default(),
            population: Population::default(),
            quarantined: Vec::new(),
            boundary: Solids::default(),
            loads: Loads::default(),
            forces: Forces::default(),
            pools: Pools::default(),
            clock: Clock::default(),
            easing_limit: None,
            settings_revision: Revision::default(),
        };
        liquid.scale_boundary();
        liquid
    }
}

impl Liquid {
    /// All particles.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// All particles, for changing velocities or displacing particles between passes.
    ///
    /// Liquid at rest sleeps on if nothing is changed. A change between two ticks wakes the liquid
    /// around it. A change within a tick wakes all liquid, from the next pass on.
    pub fn particles_mut(&mut self) -> &mut Particles {
        self.particles.mark_moved();
        self.particles.order.renew();
        self.particles_mut_in_place()
    }

    /// As [`particles_mut`](Self::particles_mut), for a caller that changes no position.
    pub(super) fn particles_mut_in_place(&mut self) -> &mut Particles {
        self.particles.unchecked = true;
        self.sleep.touched |= !self.sleep.in_tick;
        if self.sleep.in_tick && self.parameters.sleeping.is_on() {
            let particles = &self.particles;
            self.sleep.before_access.get_or_insert_with(|| particles.changeable_hash());
        }
        &mut self.particles
    }

    /// Wakes all particles if the host has changed any of them since it was given access within this tick.
    pub(crate) fn wake_if_changed(&mut self) {
        let Some(before) = self.sleep.before_access.take() else { return };
        if self.particles.changeable_hash() != before {
            self.sleep.everywhere = true;
            self.sleep.asleep = 0;
            self.particles.activity.fill(Activity::Awake);
            self.particles.order.renew();
        }
    }

    /// All springs, in the order of creation.
    pub fn springs(&self) -> &[Spring] {
        self.springs.list()
    }

    /// The largest number of springs that the world may contain.
    pub fn spring_capacity(&self) -> usize {
        self.springs.capacity
    }

    /// Changes the largest number of springs in the world. When the world has this number of
    /// springs, particles that meet are not connected, and
    /// [`springs_refused`](Self::springs_refused) counts these cases. Existing springs are kept.
    pub fn set_spring_capacity(&mut self, capacity: usize) {
        self.springs.capacity = capacity.min(u32::MAX as usize / 2);
    }

    /// Number of springs that were not created because the capacity was reached, since the world
    /// was created.
    pub fn springs_refused(&self) -> u64 {
        self.springs.refused
    }

    /// Number of sleeping particles, which have settled and whose surrounding liquid does not move.
    pub fn asleep(&self) -> usize {
        self.sleep.asleep.min(self.particles.len())
    }

    /// A hash (FNV-1a) of all particles' positions, velocities, temperatures, [kept
    /// pressures](Particles::kept_pressures), classes, [grains](Particles::grains) and
    /// [paint](Particles::paint_amounts), in the order of their slots. Two worlds with
    /// bit-identical values have the same hash.
    pub fn state_hash(&self) -> u64 {
        let particles = &self.particles;
        let mut hash = StateHash::new();
        for index in particles.indices_by_slot() {
            let (position, velocity) = (particles.position[index], particles.velocity[index]);
            let (temperature, pressure) =
                (particles.temperature[index], particles.kept_pressure(index));
            for value in [position.x, position.y, velocity.x, velocity.y, temperature, pressure] {
                hash.add_number(value);
            }
            hash.add(particles.class[index].0.into());
            if let Some(Grain { stress, load, place, pores }) = particles.grains.get(index) {
                let own = [stress.x, stress.y, *load, place.x, place.y];
                for value in own.into_iter().chain(pores.numbers()) {
                    hash.add_number(value);
                }
            }
            for amount in particles.paints.amounts.get(index).into_iter().flatten() {
                hash.add_number(*amount);
            }
        }
        hash.0
    }

    /// Simulated time, in seconds.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// Sets the time and the number of ticks to 0.
    pub fn reset_clock(&mut self) {
        self.clock.time = 0.0;
        self.clock.ticks = 0;
    }

    /// Number of ticks.
    pub fn ticks(&self) -> u64 {
        self.clock.ticks
    }

    /// Number of substeps in the last tick.
    pub fn substeps(&self) -> u32 {
        self.clock.substeps
    }
}

// State of a liquid's sleep between ticks. The solver decides which particles sleep.

clone_in_place! {
    /// The sleep state of a liquid.
    #[derive(Debug, Default)]
    pub(crate) struct Sleep {
        /// Boxes whose surroundings wake.
        pub disturbances: Vec<FluidBounds>,
        /// Boxes in which all particles wake; no particle outside of them wakes. A box may be as
        /// large as a container. Marks on tiles repeat at such distances, so they could also wake
        /// liquid in another container.
        pub regions: Vec<FluidBounds>,
        /// Whether all particles wake.
        pub everywhere: bool,
        /// Whether the host may have changed particles since the last tick.
        pub touched: bool,
        /// Whether all particles had settled when the last tick ended.
        pub all_settled: bool,
        /// Whether heat has changed no temperature noticeably since the last tick began.
        pub heat_rests: bool,
        /// Number of particles that did not move in the last tick.
        pub asleep: usize,
        /// Whether a tick has begun and not ended yet.
        pub in_tick: bool,
        /// Hash of the values that a host can change, from the time before it got access within a tick.
        pub before_access: Option<u64>,
    }
}

stored!(Sleep {
    disturbances,
    regions,
    everywhere,
    touched,
    all_settled,
    heat_rests,
    asleep,
} derived { in_tick = false, before_access = None });

impl Sleep {
    /// Wakes the particles around a point.
    pub(crate) fn disturb(&mut self, point: Vec2) {
        self.disturb_around(FluidBounds::at(point));
    }

    /// Cancels the wake of the particles around a point.
    #[cfg(feature = "snapshot")]
    pub(crate) fn forget(&mut self, point: Vec2) {
        let here = FluidBounds::at(point);
        if let Some(place) = self.disturbances.iter().rposition(|bounds| *bounds == here) {
            self.disturbances.remove(place);
        }
    }

    /// Wakes the particles around a box.
    pub(crate) fn disturb_around(&mut self, bounds: FluidBounds) {
        self.everywhere |= !push(&mut self.disturbances, bounds);
    }

    /// Wakes the particles in a box of any size.
    pub(crate) fn disturb_all_in(&mut self, bounds: FluidBounds) {
        self.everywhere |= !push(&mut self.regions, bounds);
    }

    /// Whether any event since the last tick wakes particles.
    pub(crate) fn is_disturbed(&self) -> bool {
        let local = !self.disturbances.is_empty() || !self.regions.is_empty();
        local || self.everywhere || self.touched
    }
}

/// Adds a box; returns `false` if the limit is reached.
fn push(boxes: &mut Vec<FluidBounds>, bounds: FluidBounds) -> bool {
    let has_room = boxes.len() < MAX_DISTURBANCES;
    if has_room {
        boxes.push(bounds);
    }
    has_room
}

/// Largest number of disturbances in a tick. Beyond it, all particles wake. This happens only when
/// a scene begins or ends.
const MAX_DISTURBANCES: usize = 4096;

/// Negligible change of a temperature in a substep, in degrees or as a fraction of it. Sleeping
/// liquid may leave it out.
pub(crate) const STILL: f32 = 1e-6;

/// Whether heat changed a temperature noticeably.
pub(crate) fn heat_moved(before: f32, after: f32) -> bool {
    (after - before).abs() > STILL * after.abs().max(1.0)
}

// Methods for forces, force fields and impulses.

/// Methods for forces, force fields and impulses.
impl Liquid {
    /// The forces.
    pub fn forces(&self) -> &[Force] {
        &self.forces.list
    }

    /// Changes the forces. The new forces have an effect from the next pass on. Liquid at rest
    /// stays awake while a force acts on it.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if a force is invalid. The old forces are kept.
    pub fn set_forces(&mut self, forces: &[Force]) -> Result<(), OutOfRange> {
        forces.iter().try_for_each(Force::validate)?;
        let Forces { list, reaches, .. } = &mut self.forces;
        list.clear();
        list.extend_from_slice(forces);
        reaches.clear();
        reaches.extend(forces.iter().map(Force::reach));
        Ok(())
    }

    /// The force fields: forces that your code computes.
    pub fn force_fields(&self) -> &[Arc<dyn ForceField>] {
        &self.forces.fields
    }

    /// Changes the [force fields](ForceField). The new fields have an effect from the next pass on.
    pub fn set_force_fields(&mut self, fields: Vec<Arc<dyn ForceField>>) {
        self.forces.fields = fields;
    }

    /// Applies a force once, with the effect of one second: its accelerations become changes of
    /// velocity. Call this method between ticks.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, Force, ParticleSpawn, SerialExecutor};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn { position: Vec2::new(5.0, 0.0), ..Default::default() })?;
    /// let explosion = Force::explosion(Vec2::ZERO, 10.0, 400.0)?;
    /// world.apply_impulse(&explosion)?;
    /// assert_eq!(world.particles().velocities(), [Vec2::new(300.0, 0.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] if the force is invalid. Then nothing is changed.
    pub fn apply_impulse(&mut self, force: &Force) -> Result<(), OutOfRange> {
        force.validate()?;
        let reach = force.reach();
        if force.acts() {
            self.sleep.disturbances.push(reach.bounds);
        }
        let particles = self.particles_mut_in_place();
        force.apply(
            reach,
            &mut FieldParticles {
                positions: &particles.position,
                classes: &particles.class,
                velocities: &mut particles.velocity,
                temperatures: &mut particles.temperature,
                time_step: 1.0,
            },
        );
        Ok(())
    }
}

// Limits of the particles, and counts of removed particles.

/// Policy for spawning a particle in a full world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum CapacityPolicy {
    /// Spawning returns [`SpawnError::Full`](crate::SpawnError::Full).
    #[default]
    Refuse,
    /// The oldest particle is removed.
    RecycleOldest,
}

stored!(settings CapacityPolicy, without numbers);

/// Limits of the particles of a liquid, and counts of particles removed by them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Population {
    /// Largest number of particles.
    pub capacity: usize,
    pub policy: CapacityPolicy,
    pub recycled: u64,
    pub kill_bounds: Option<FluidBounds>,
    /// Whether sleeping particles are not yet tested against the present kill bounds.
    pub bounds_changed: bool,
    pub out_of_bounds: u64,
    pub quarantined: u64,
}

stored!(Population {
    capacity,
    policy,
    recycled,
    kill_bounds,
    bounds_changed,
    out_of_bounds,
    quarantined,
} check |all: &Self| {
    crate::stored::bytes::countable([all.recycled, all.out_of_bounds, all.quarantined])
});

impl Default for Population {
    fn default() -> Self {
        Self {
            capacity: 1_000_000,
            policy: CapacityPolicy::default(),
            recycled: 0,
            kill_bounds: None,
            bounds_changed: false,
            out_of_bounds: 0,
            quarantined: 0,
        }
    }
}

// The list of quarantined particles.

/// Largest number of listed particles per tick.
pub(crate) const MOST_NAMED: usize = 32;

/// A quarantined particle, removed because one of its numbers was not finite or too large.
#[derive(Clone, Copy, Debug)]
pub struct Quarantined {
    /// Former handle of the particle.
    pub id: ParticleId,
    /// Position of the particle, in world units. If the position is invalid, this is the last place
    /// at which the particle was at rest.
    pub position: Vec2,
    /// The kind of the invalid number: `position`, `velocity`, `displacement`, `temperature`,
    /// `grain` or `paint`.
    pub field: &'static str,
    /// The invalid number.
    pub value: f32,
    /// The largest valid magnitude.
    pub limit: f32,
}

impl Display for Quarantined {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { id, position, field, value, limit } = self;
        let Vec2 { x, y } = position;
        write!(
            f,
            "{id} at ({x}, {y}) was removed: its {field} was {value}, and must be within {limit:e}"
        )
    }
}
