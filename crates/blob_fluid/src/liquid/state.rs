//! The state of a liquid, in one type.

use crate::boundary::load::Loads;
use crate::boundary::solids::Solids;
use crate::liquid::clock::Clock;
use crate::liquid::force::forces::Forces;
use crate::liquid::population::Population;
use crate::liquid::sleep::Sleep;
use crate::particles::activity::Activity;
use crate::particles::arrays::Particles;
use crate::particles::spring::{Spring, Springs};
use crate::settings::class_table::ClassTable;
use crate::settings::effort::Effort;
use crate::settings::parameters::FluidParameters;

/// All that a liquid is: particles and springs, what sleeps, parameters and classes, containers and
/// colliders, forces, and the clock.
///
/// What a solver derives from it lives in the solver, and can be thrown away between two ticks without
/// changing a bit of what follows. A clone is a snapshot: [`FluidWorld::from`](crate::FluidWorld) goes
/// on from it.
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
#[derive(Clone, Debug)]
pub struct Liquid {
    pub(crate) parameters: FluidParameters,
    pub(crate) classes: ClassTable,
    pub(crate) effort: Effort,
    pub(crate) particles: Particles,
    pub(crate) springs: Springs,
    pub(crate) sleep: Sleep,
    pub(crate) population: Population,
    pub(crate) boundary: Solids,
    pub(crate) loads: Loads,
    pub(crate) forces: Forces,
    pub(crate) clock: Clock,
}

impl Default for Liquid {
    /// No particles, the default settings and the three default classes.
    fn default() -> Self {
        let mut liquid = Self {
            parameters: FluidParameters::default(),
            classes: ClassTable::default(),
            effort: Effort::FULL,
            particles: Particles::default(),
            springs: Springs::default(),
            sleep: Sleep::default(),
            population: Population::default(),
            boundary: Solids::default(),
            loads: Loads::default(),
            forces: Forces::default(),
            clock: Clock::default(),
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

    /// All particles, to change velocities or displace them between passes.
    pub fn particles_mut(&mut self) -> &mut Particles {
        self.particles.has_moved();
        if self.sleep.in_tick {
            // What a host does between two passes cannot be told from what the passes do.
            self.sleep.everywhere = true;
            self.sleep.asleep = 0;
            self.particles.activity.fill(Activity::Awake);
        } else {
            self.sleep.touched = true;
        }
        &mut self.particles
    }

    /// All springs, in the order they were made.
    pub fn springs(&self) -> &[Spring] {
        &self.springs.list
    }

    /// Most springs the world may hold.
    pub fn spring_capacity(&self) -> usize {
        self.springs.capacity
    }

    /// Changes how many springs the world may hold. Beyond it particles that meet are not
    /// connected; [`springs_refused`](Self::springs_refused) counts how often. Existing springs
    /// stay.
    pub fn set_spring_capacity(&mut self, capacity: usize) {
        self.springs.capacity = capacity.min(u32::MAX as usize / 2);
    }

    /// How many springs were ever refused because there were too many.
    pub fn springs_refused(&self) -> u64 {
        self.springs.refused
    }

    /// How many particles sleep: they had settled, and nothing around them moves.
    pub fn asleep(&self) -> usize {
        self.sleep.asleep.min(self.particles.len())
    }

    /// A number that two worlds share when all their particles agree to the bit: positions,
    /// velocities, temperatures and classes, in the order of their slots (FNV-1a).
    pub fn state_hash(&self) -> u64 {
        let particles = &self.particles;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for index in particles.indices_by_slot() {
            let (position, velocity) = (particles.position[index], particles.velocity[index]);
            let temperature = particles.temperature[index];
            for value in [position.x, position.y, velocity.x, velocity.y, temperature] {
                // Both zeros are the same place.
                hash = (hash ^ u64::from((value + 0.0).to_bits())).wrapping_mul(0x100_0000_01b3);
            }
            let class = u64::from(particles.class[index].0);
            hash = (hash ^ class).wrapping_mul(0x100_0000_01b3);
        }
        hash
    }

    /// Simulated time, in seconds.
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// Lets the time and the ticks count from 0 again.
    pub fn reset_clock(&mut self) {
        self.clock.time = 0.0;
        self.clock.ticks = 0;
    }

    /// How many ticks were taken.
    pub fn ticks(&self) -> u64 {
        self.clock.ticks
    }

    /// How many substeps the last tick took.
    pub fn substeps(&self) -> u32 {
        self.clock.substeps
    }
}
