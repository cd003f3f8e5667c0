//! Splashes: where fast liquid hits liquid or a solid, for sounds and effects.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::lanes::floor;
use crate::particles::id::ParticleId;
use crate::settings::class::{ClassId, DensityClass};
use crate::settings::range::OutOfRange;
use crate::settings::ranges::sensing::splashes as row;

/// What counts as a splash.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct SplashDetection {
    /// Least change of a particle's speed in a tick that counts, in V0
    /// ([`FluidParameters::speed_unit`](crate::FluidParameters::speed_unit)); 0.01 to 1000. Default
    /// 0.4.
    #[cfg_attr(feature = "serde", serde(alias = "least_speed"))]
    pub min_speed: f32,
    /// Least energy of a splash in a tick, in that of a medium particle at the speed V0; 0 to 1e9.
    /// Default 10.
    #[cfg_attr(feature = "serde", serde(alias = "least_energy"))]
    pub min_energy: f32,
    /// Side of the squares that splashes are told apart by, in particle spacings; 1 to 1000. Those in
    /// neighbouring squares are one. Default 8.
    pub tile: f32,
    /// For how many seconds the energy of a splash is summed up before it is reported; 0 to 10.
    /// Default 0.05.
    pub gathering: f32,
    /// For how many seconds from its beginning there is no other in the same place; 0 to 1000.
    /// Default 0.3.
    pub refractory: f32,
}

impl Default for SplashDetection {
    fn default() -> Self {
        Self { min_speed: 0.4, min_energy: 10.0, tile: 8.0, gathering: 0.05, refractory: 0.3 }
    }
}

impl SplashDetection {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        row::MIN_SPEED.check(self.min_speed)?;
        row::MIN_ENERGY.check(self.min_energy)?;
        row::TILE.check(self.tile)?;
        row::GATHERING.check(self.gathering)?;
        row::REFRACTORY.check(self.refractory)
    }
}

/// A splash.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Splash {
    /// Where, in world units: the mean place of its energy.
    pub position: Vec2,
    /// Sum of `m |dv|^2 / 2` over particles and ticks, where `dv` is what a tick changed a velocity
    /// by beside gravity; in masses of the medium class times square world units/s².
    pub energy: f32,
    /// The same relative to a medium particle at the speed V0: the same number in pixels and in
    /// metres.
    pub strength: f32,
    /// Class of the particle that was hit hardest.
    pub class: ClassId,
}

/// Finds splashes: compares the velocities after each tick with those before.
///
/// Nothing is done, and nothing costs anything, where it is not asked. Strong
/// [forces](crate::Force), and hosts that set velocities, look like splashes to it.
///
/// ```
/// use blob_fluid::{
///     Container, FluidWorld, ParticleSpawn, SerialExecutor, SplashDetection, SplashDetector,
///     shape::Shape,
/// };
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// world.insert_container(Container::circle(Vec2::ZERO, 300.0)?);
/// for position in (Shape::Circle { radius: 60.0 }).fill(Vec2::ZERO, 8.2) {
///     world.spawn(ParticleSpawn { position, ..Default::default() })?;
/// }
/// let mut detector = SplashDetector::new(SplashDetection::default())?;
/// let mut lowest: f32 = 0.0;
/// for _ in 0..150 {
///     world.step(1.0 / 60.0, &SerialExecutor)?;
///     for splash in detector.update(&world, 1.0 / 60.0) {
///         lowest = lowest.min(splash.position.y);
///     }
/// }
/// assert!(lowest < -250.0, "it hits the floor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SplashDetector {
    detection: SplashDetection,
    /// For each slot, the particle and its velocity at the end of the last tick.
    velocities: Vec<Option<(ParticleId, Vec2)>>,
    /// Impacts of this tick, ordered by tile.
    impacts: Vec<Impact>,
    /// Splashes of the last moments.
    recent: Vec<Recent>,
    splashes: Vec<Splash>,
}

/// Energy of an impact in a tile.
#[derive(Clone, Copy, Debug)]
struct Impact {
    tile: (i32, i32),
    energy: f32,
    /// Sum of energy times position.
    moment: Vec2,
    /// Energy of the particle that was hit hardest, and its class.
    hardest: (f32, ClassId),
}

#[derive(Clone, Copy, Debug)]
struct Recent {
    impact: Impact,
    /// Seconds since it began.
    age: f32,
    reported: bool,
}

impl Impact {
    /// Whether two are in the same place.
    fn is_beside(&self, other: &Self) -> bool {
        let near = |a: i32, b: i32| a.abs_diff(b) <= 1;
        near(self.tile.0, other.tile.0) && near(self.tile.1, other.tile.1)
    }

    fn add(&mut self, other: &Self) {
        self.energy += other.energy;
        self.moment += other.moment;
        if other.hardest.0 > self.hardest.0 {
            self.hardest = other.hardest;
        }
    }
}

impl SplashDetector {
    /// Finds what counts as a splash.
    ///
    /// # Errors
    ///
    /// As [`SplashDetection::validate`].
    pub fn new(detection: SplashDetection) -> Result<Self, OutOfRange> {
        let mut detector = Self::default();
        detector.set_detection(detection)?;
        Ok(detector)
    }

    /// What counts as a splash.
    pub fn detection(&self) -> SplashDetection {
        self.detection
    }

    /// Changes what counts as a splash, from the next update on.
    ///
    /// # Errors
    ///
    /// As [`SplashDetection::validate`]; the old one stays.
    pub fn set_detection(&mut self, detection: SplashDetection) -> Result<(), OutOfRange> {
        detection.validate()?;
        self.detection = detection;
        Ok(())
    }

    /// The splashes of the last update, in the order they began.
    pub fn splashes(&self) -> &[Splash] {
        &self.splashes
    }

    /// Looks at a world, always the same, after each tick of `time_step` seconds, and returns the
    /// splashes that are complete. The first time there is nothing to compare with. A time step that
    /// is not finite or not above 0 changes nothing.
    pub fn update(&mut self, world: &Liquid, time_step: f32) -> &[Splash] {
        self.splashes.clear();
        if !(time_step > 0.0 && time_step.is_finite()) {
            return &self.splashes;
        }
        let time_step = time_step.min(world.parameters().max_time_step);
        self.find_impacts(world, time_step);
        let unit = 0.5 * world.parameters().speed_unit() * world.parameters().speed_unit();
        let least = self.detection.min_energy * unit;
        let Self { detection, impacts, recent, splashes, .. } = self;

        recent.iter_mut().for_each(|recent| recent.age += time_step);
        recent.retain(|recent| !recent.reported || recent.age < detection.refractory);
        // Impacts next to a recent splash are added to it.
        impacts.retain(|impact| {
            let beside = recent.iter_mut().find(|recent| recent.impact.is_beside(impact));
            let Some(beside) = beside else { return true };
            if !beside.reported {
                beside.impact.add(impact);
            }
            false
        });
        // The rest begins new ones, the strongest first.
        impacts.sort_by(|a, b| b.energy.total_cmp(&a.energy).then(a.tile.cmp(&b.tile)));
        while let Some(strongest) = impacts.first().copied() {
            let mut impact = Impact { energy: 0.0, moment: Vec2::ZERO, ..strongest };
            impacts.retain(|other| {
                let beside = other.is_beside(&strongest);
                if beside {
                    impact.add(other);
                }
                !beside
            });
            if impact.energy >= least {
                recent.push(Recent { impact, age: 0.0, reported: false });
            }
        }
        for recent in &mut *recent {
            if !recent.reported && recent.age >= detection.gathering {
                recent.reported = true;
                let Impact { energy, moment, hardest: (_, class), .. } = recent.impact;
                let strength = energy / unit;
                splashes.push(Splash { position: moment / energy, energy, strength, class });
            }
        }
        splashes
    }

    /// Finds what each tile took, and notes down the velocities.
    fn find_impacts(&mut self, world: &Liquid, time_step: f32) {
        let Self { detection, velocities, impacts, .. } = self;
        let parameters = world.parameters();
        let particles = world.particles();
        let speed = detection.min_speed * parameters.speed_unit();
        let tile = detection.tile * parameters.particle_spacing;
        impacts.clear();
        for index in particles.indices_by_slot() {
            let (id, velocity) = (particles.id[index], particles.velocity[index]);
            let slot = id.slot() as usize;
            if velocities.len() <= slot {
                velocities.resize(slot + 1, None);
            }
            let before = velocities[slot].replace((id, velocity));
            let Some((_, before)) = before.filter(|(before, _)| *before == id) else { continue };
            let class = particles.class[index];
            let DensityClass { mass, gravity_scale, .. } = &world.classes()[class];
            let fallen = parameters.gravity * (time_step * gravity_scale);
            let change = (velocity - before - fallen).length_squared();
            let fell = fallen.length_squared();
            // A particle that is held up against gravity changes velocity too; that is no impact.
            if change > speed * speed && change > fell {
                let energy = 0.5 * mass * change;
                let position = particles.position[index];
                let (x, y) = (floor(position.x / tile), floor(position.y / tile));
                let (moment, hardest) = (energy * position, (energy, class));
                impacts.push(Impact { tile: (x, y), energy, moment, hardest });
            }
        }
        // The sort is stable, so impacts of a tile stay in the order of slots.
        impacts.sort_by_key(|impact| impact.tile);
        impacts.dedup_by(|next, first| {
            let same = next.tile == first.tile;
            if same {
                first.add(next);
            }
            same
        });
    }
}
