//! The type that holds the whole state of a liquid.

use glam::Vec2;

use crate::boundary::load::Loads;
use crate::boundary::solids::Solids;
use crate::clone_in_place::clone_in_place;
use crate::geometry::bounds::FluidBounds;
use crate::liquid::clock::Clock;
use crate::liquid::force::Forces;
use crate::liquid::spawn::{Population, Quarantined};
use crate::particles::arrays::{Activity, Particles};
use crate::particles::optional::{Grain, Spring, Springs};
use crate::revision::Revision;
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::{Effort, FluidParameters};
use crate::state_hash::StateHash;
use crate::stored::stored;

clone_in_place! {
    /// The whole state of a liquid: particles, springs, sleep, parameters, classes, containers,
    /// colliders, forces, and the clock.
    ///
    /// Data that a solver derives from it belongs to the solver. It can be discarded between two ticks
    /// without changing a bit of any later result. A clone is a snapshot, and
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
        pub(crate) clock: Clock,
        /// Largest speed to which pressure accelerates liquid, in V0, while a change is being
        /// [eased in](Self::ease_in); otherwise `None`.
        pub(crate) easing_limit: Option<f32>,
        /// Of everything that coefficients are derived from: parameters, classes, effort and easing.
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
    /// around it; a change within a tick wakes all liquid, from the next pass on.
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

    /// Wakes all particles if the host has changed any of them since it was given access within
    /// this tick.
    pub(crate) fn wake_if_changed(&mut self) {
        let Some(before) = self.sleep.before_access.take() else { return };
        if self.particles.changeable_hash() != before {
            self.sleep.everywhere = true;
            self.sleep.asleep = 0;
            self.particles.activity.fill(Activity::Awake);
            self.particles.order.renew();
        }
    }

    /// All springs, in the order in which they were created.
    pub fn springs(&self) -> &[Spring] {
        &self.springs.list
    }

    /// Capacity: the largest number of springs in the world.
    pub fn spring_capacity(&self) -> usize {
        self.springs.capacity
    }

    /// Changes the largest number of springs in the world. While it is reached, particles that meet
    /// are not connected, and [`springs_refused`](Self::springs_refused) counts these cases.
    /// Existing springs are kept.
    pub fn set_spring_capacity(&mut self, capacity: usize) {
        self.springs.capacity = capacity.min(u32::MAX as usize / 2);
    }

    /// Number of springs that were not created because the capacity was reached, since the world
    /// was created.
    pub fn springs_refused(&self) -> u64 {
        self.springs.refused
    }

    /// Number of sleeping particles. They have settled, and nothing around them moves.
    pub fn asleep(&self) -> usize {
        self.sleep.asleep.min(self.particles.len())
    }

    /// A hash (FNV-1a) of all particles' positions, velocities, temperatures,
    /// [kept pressures](Particles::kept_pressures), classes, [grains](Particles::grains) and
    /// [paint](Particles::paint_amounts), in the order of their slots. Two worlds have the same hash if
    /// these values are equal to the bit.
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
    /// State of a liquid that may sleep.
    #[derive(Debug, Default)]
    pub(crate) struct Sleep {
        /// Boxes in which something happened that wakes the particles there.
        pub disturbances: Vec<FluidBounds>,
        /// Boxes in which all particles wake, and outside of which none wake. They may be as large as
        /// containers. Marks on tiles, which repeat at such distances, could also wake the liquid in
        /// another container.
        pub regions: Vec<FluidBounds>,
        /// Whether something happened that wakes all particles.
        pub everywhere: bool,
        /// Whether the host may have changed particles since the last tick.
        pub touched: bool,
        /// Whether all particles had settled when the last tick ended.
        pub all_settled: bool,
        /// Whether heat changed no temperature worth mentioning since the last tick began.
        pub heat_rests: bool,
        /// Number of particles that did not move in the last tick.
        pub asleep: usize,
        /// Whether a tick has begun and not ended yet.
        pub in_tick: bool,
        /// Hash of what a host may change, from before it was given access within a tick.
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
        self.disturb_around(FluidBounds { low: point, high: point });
    }

    /// Takes back that the particles around a point are woken.
    #[cfg(feature = "snapshot")]
    pub(crate) fn forget(&mut self, point: Vec2) {
        let here = FluidBounds { low: point, high: point };
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

    /// Whether anything happened since the last tick that wakes particles.
    pub(crate) fn is_disturbed(&self) -> bool {
        let local = !self.disturbances.is_empty() || !self.regions.is_empty();
        local || self.everywhere || self.touched
    }
}

/// Adds a box; returns `false` if there are too many.
fn push(boxes: &mut Vec<FluidBounds>, bounds: FluidBounds) -> bool {
    let has_room = boxes.len() < MAX_DISTURBANCES;
    if has_room {
        boxes.push(bounds);
    }
    has_room
}

/// Largest number of disturbances in a tick. If there are more, all particles wake. This happens
/// only when a scene begins or ends.
const MAX_DISTURBANCES: usize = 4096;

/// Change of a temperature in a substep, in degrees or as a fraction of it, that sleeping liquid may
/// leave out.
pub(crate) const STILL: f32 = 1e-6;

/// Whether heat changed a temperature worth mentioning.
pub(crate) fn heat_moved(before: f32, after: f32) -> bool {
    (after - before).abs() > STILL * after.abs().max(1.0)
}
