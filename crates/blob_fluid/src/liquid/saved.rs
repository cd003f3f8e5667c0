//! The particles as data, for saved games.

use glam::Vec2;
use thiserror::Error;

use crate::liquid::clock::{Clock, RESISTING_LENGTHS, TICK_LENGTHS};
use crate::particles::columns::first_twice;
use crate::settings::range::Check;
use crate::{
    ClassId, FluidLifetime, Grain, Liquid, OutOfRange, PaintMixing, ParticleId, ParticleSpawn,
    ParticleTag, PoreLiquid, SpawnError, Spring,
};

/// All particles of a liquid with their springs, as plain data ([`Liquid::save_particles`]).
///
/// Settings, classes, walls and forces are not included: the game creates them again, as at its
/// start. With the feature `serde`, you can use any format.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedParticles {
    /// Names of the classes, by the index that particles refer to.
    pub classes: Vec<String>,
    /// The kind of mixing of their paint.
    #[cfg_attr(feature = "serde", serde(default))]
    pub paint_mixing: PaintMixing,
    /// All particles, in the order of their [slots](crate::ParticleId::slot).
    pub particles: Vec<SavedParticle>,
    /// All springs, in the order of creation.
    pub springs: Vec<SavedSpring>,
    /// The state of the clock, which affects the following ticks.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ticks: SavedTicks,
}

/// The state of a liquid's clock, as data. The default is the state before the first tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedTicks {
    /// Number of substeps that the last tick needed, before the limit by [`Effort`](crate::Effort);
    /// at least 1. A hysteresis keeps this number steady.
    pub wanted_substeps: u32,
    /// Substep length, in seconds, from which the present resistance of the liquid to compression
    /// follows; 0 to 1e12.
    pub resisting_substep: f32,
    /// Fraction of their resistance to compression that particles keep from substep to substep; at
    /// least 0 and below 1.
    pub kept: f32,
    /// Length of the last tick, in seconds; 0 to 1.
    pub tick: f32,
    /// Evenness of tick lengths: 1 if no tick was longer than the previous one. If many ticks were
    /// longer, the evenness is near the ratio of the shorter to the longer length.
    pub evenness: f32,
}

impl SavedTicks {
    fn of(clock: &Clock) -> Self {
        let Clock { wanted_substeps, resisting_substep, memory_fraction, tick, evenness, .. } =
            *clock;
        Self { wanted_substeps, resisting_substep, kept: memory_fraction, tick, evenness }
    }

    fn clock(self, before: &Clock) -> Clock {
        let Self { wanted_substeps, resisting_substep, kept: memory_fraction, tick, evenness } =
            self;
        Clock { wanted_substeps, resisting_substep, memory_fraction, tick, evenness, ..*before }
    }

    fn check(self) -> Result<(), OutOfRange> {
        let check = Check("saved ticks");
        let substeps = self.wanted_substeps;
        check.that(substeps >= 1, "wanted_substeps", substeps as f32, "at least 1")?;
        let resisting = self.resisting_substep;
        let valid = RESISTING_LENGTHS.contains(resisting);
        check.that(valid, "resisting_substep", resisting, "0 to 1e12")?;
        check.that(TICK_LENGTHS.contains(self.tick), "tick", self.tick, "0 to 1")?;
        check.that((0.0..1.0).contains(&self.kept), "kept", self.kept, "0 to 1, without 1")?;
        check.that((0.0..=1.0).contains(&self.evenness), "evenness", self.evenness, "0 to 1")
    }
}

impl Default for SavedTicks {
    fn default() -> Self {
        Self::of(&Clock::default())
    }
}

/// A particle as data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedParticle {
    /// Position, in world units; finite.
    pub position: Vec2,
    /// Velocity, in world units/s; finite.
    pub velocity: Vec2,
    /// Class of the particle, an index into [`SavedParticles::classes`].
    pub class: u8,
    /// Temperature, in degrees; finite.
    pub temperature: f32,
    /// Progress of the particle's reaction with other classes, 0 to 1; at 1 its class changes.
    pub exposure: f32,
    /// Density relative to the rest density; finite and at least 0.
    pub relative_density: f32,
    /// Pressure that the solver keeps for the particle's next substep, in medium masses times world
    /// units/s²; finite and at least 0.
    pub pressure: f32,
    /// State of the particle as a grain of powder; `None` if it is not a grain.
    #[cfg_attr(feature = "serde", serde(default))]
    pub grain: Option<Grain>,
    /// Paint amounts of the particle
    /// ([`Particles::paint_amounts`](crate::Particles::paint_amounts)); finite and at least 0.
    /// `None` if no class takes paint.
    #[cfg_attr(feature = "serde", serde(default))]
    pub paint: Option<[f32; 3]>,
    /// Age, in seconds; finite and at least 0.
    pub age: f32,
    /// Remaining lifetime of the particle; `None` for an unlimited lifetime.
    pub lifetime: Option<FluidLifetime>,
    /// Tag of the group of the particle.
    pub tag: ParticleTag,
    /// Whether the pass [`ApplySprings`](crate::FluidPass::ApplySprings) has not visited the
    /// particle yet. The pass connects new particles of elastic classes to their neighbours.
    #[cfg_attr(feature = "serde", serde(default))]
    pub new: bool,
}

/// A spring as data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SavedSpring {
    /// The particles it connects: two different indices into [`SavedParticles::particles`]. No other spring connects
    /// these two.
    pub ends: [u32; 2],
    /// Length at which it exerts no force, in world units; finite and at least 0.
    pub rest_length: f32,
}

/// The reason for which saved particles were not restored.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RestoreError {
    /// The class table has no class with this name.
    #[error("there is no class `{class}`, only {known}")]
    UnknownClass {
        /// The missing class.
        class: String,
        /// The names of all classes in the table.
        known: String,
    },
    /// A particle cannot be spawned.
    #[error("saved particle {particle}: {reason}")]
    Particle {
        /// Index of the particle.
        particle: usize,
        /// The reason.
        reason: SpawnError,
    },
    /// A number of a particle or a spring is outside its range, or an index is invalid.
    #[error(transparent)]
    Number(#[from] OutOfRange),
    /// A tick has begun and not ended. Sleeping liquid cannot be put back within a tick.
    #[error("a tick has begun and not ended")]
    WithinTick,
}

/// Saving and restoring all particles.
impl Liquid {
    /// The particles and springs as data.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, ParticleTag, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// let id = world.spawn(ParticleSpawn { tag: ParticleTag(3), ..Default::default() })?;
    /// world.step(0.1, &SerialExecutor)?;
    /// let saved = world.save_particles();
    ///
    /// let mut later = FluidWorld::default();
    /// let ids = later.restore_particles(&saved)?;
    /// assert_eq!(later.state_hash(), world.state_hash());
    /// assert_eq!(later.particles().tag(ids[0]), Some(ParticleTag(3)));
    /// assert_eq!(later.particles().age(ids[0]), world.particles().age(id));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_particles(&self) -> SavedParticles {
        let all = &self.particles;
        let mut place = vec![u32::MAX; all.len()];
        let mut particles = Vec::with_capacity(all.len());
        for index in all.indices_by_slot() {
            place[index] = particles.len() as u32;
            let id = all.id[index];
            particles.push(SavedParticle {
                position: all.position[index],
                velocity: all.velocity[index],
                class: all.class[index].0,
                temperature: all.temperature[index],
                exposure: all.exposure[index],
                relative_density: all.relative_density[index],
                pressure: all.kept_pressure(index),
                grain: all.grains.get(index).copied(),
                paint: all.paints.amounts.get(index).copied(),
                age: all.age(id).unwrap_or_default(),
                lifetime: all.lifetime_left(id),
                tag: all.tag_at(index),
                new: all.is_new(id),
            });
        }
        let springs = self.springs.list().iter().filter_map(|spring| {
            let [a, b] = spring.ends.map(|end| all.index_of(end).map(|index| place[index]));
            Some(SavedSpring { ends: [a?, b?], rest_length: spring.rest_length })
        });
        let springs = springs.collect();
        let classes = self.classes.iter().map(|class| class.name.clone()).collect();
        let paint_mixing = self.parameters.paint_mixing;
        let ticks = SavedTicks::of(&self.clock);
        SavedParticles { classes, paint_mixing, particles, springs, ticks }
    }

    /// Adds saved particles with their springs to the present ones, and returns their handles, in
    /// the order of the data. Classes are found by name. To replace the liquid,
    /// [`clear`](Self::clear) it first. Only an empty liquid takes over the saved state of the
    /// clock.
    ///
    /// # Errors
    ///
    /// Returns [`RestoreError`] if the class table lacks a class, a number is out of range, or
    /// the capacity is too small for the particles. Then nothing is added.
    pub fn restore_particles(
        &mut self,
        saved: &SavedParticles,
    ) -> Result<Vec<ParticleId>, RestoreError> {
        let classes = self.classes_of(&saved.classes)?;
        saved.check()?;
        let capacity = self.population.capacity;
        let room = capacity.saturating_sub(self.particles.len());
        if saved.particles.len() > room {
            let reason = SpawnError::Full { capacity };
            return Err(RestoreError::Particle { particle: room, reason });
        }
        let spawn = |particle: &SavedParticle| ParticleSpawn {
            position: particle.position,
            velocity: particle.velocity,
            class: classes[usize::from(particle.class)],
            temperature: Some(particle.temperature),
            paint: particle.paint.map(|amounts| saved.paint_mixing.color_of(amounts)),
            lifetime: particle.lifetime,
            tag: particle.tag,
        };
        // All particles are checked before any is added, because removed handles would change the
        // handles of later particles.
        for (number, particle) in saved.particles.iter().enumerate() {
            self.checked_temperature(&spawn(particle))
                .map_err(|reason| RestoreError::Particle { particle: number, reason })?;
        }
        if self.particles.is_empty() {
            self.clock = saved.ticks.clock(&self.clock);
        }
        let mut ids = Vec::with_capacity(saved.particles.len());
        for (number, particle) in saved.particles.iter().enumerate() {
            let id = self
                .spawn(spawn(particle))
                .map_err(|reason| RestoreError::Particle { particle: number, reason })?;
            ids.push(id);
        }
        for (particle, id) in saved.particles.iter().zip(&ids) {
            self.particles.bring_back(
                *id,
                particle.age,
                particle.exposure,
                particle.relative_density,
                particle.pressure,
                particle.grain,
                particle.new,
            );
            if saved.paint_mixing == self.parameters.paint_mixing {
                self.particles.bring_back_paint(*id, particle.paint);
            }
        }
        let room = self.springs.make_room(saved.springs.len(), &self.particles);
        let springs = saved.springs.iter().take(room);
        self.springs.list_mut().extend(springs.map(|spring| Spring {
            ends: spring.ends.map(|end| ids[end as usize]),
            rest_length: spring.rest_length,
        }));
        Ok(ids)
    }

    /// The classes with these names. If several classes have the name, the class at the same index
    /// is preferred, otherwise the first one.
    pub(crate) fn classes_of(&self, names: &[String]) -> Result<Vec<ClassId>, RestoreError> {
        let class = |(index, name): (usize, &String)| {
            let same = u8::try_from(index).ok().map(ClassId);
            let same = same.filter(|id| self.classes.get(*id).is_some_and(|it| it.name == *name));
            same.or_else(|| self.classes.find(name)).ok_or_else(|| {
                let known: Vec<_> = self.classes.iter().map(|class| class.name.as_str()).collect();
                RestoreError::UnknownClass { class: name.clone(), known: known.join(", ") }
            })
        };
        names.iter().enumerate().map(class).collect()
    }
}

fn is_share(number: f32) -> bool {
    (0.0..=1.0).contains(&number)
}

fn check_amount(check: Check, field: &'static str, number: f32) -> Result<(), OutOfRange> {
    check.that(number.is_finite() && number >= 0.0, field, number, "finite and >= 0")
}

impl SavedParticles {
    /// Checks the numbers that spawning does not check.
    fn check(&self) -> Result<(), OutOfRange> {
        self.ticks.check()?;
        let check = Check("saved particle");
        for particle in &self.particles {
            let known = usize::from(particle.class) < self.classes.len();
            check.that(known, "class", f32::from(particle.class), "below the number of classes")?;
            check.that(is_share(particle.exposure), "exposure", particle.exposure, "0 to 1")?;
            check_amount(check, "age", particle.age)?;
            check_amount(check, "relative_density", particle.relative_density)?;
            check_amount(check, "pressure", particle.pressure)?;
            for amount in particle.paint.into_iter().flatten() {
                check_amount(check, "paint", amount)?;
            }
            if let Some(Grain { stress, load, place, pores }) = particle.grain {
                check_amount(check, "load", load)?;
                check.that(stress.is_finite(), "stress", stress.length(), "finite")?;
                check.that(place.is_finite(), "place", place.length(), "finite")?;
                let PoreLiquid { share, pressure, weight } = pores;
                check.that(is_share(share), "share", share, "0 to 1")?;
                check_amount(check, "pressure", pressure)?;
                check.that(weight.is_finite(), "weight", weight, "finite")?;
            }
        }
        let check = Check("saved spring");
        for spring in &self.springs {
            let [a, b] = spring.ends;
            for end in spring.ends {
                let known = (end as usize) < self.particles.len();
                check.that(known, "ends", end as f32, "below the number of particles")?;
            }
            check.that(a != b, "ends", a as f32, "two different particles")?;
            check_amount(check, "rest_length", spring.rest_length)?;
        }
        let twice = first_twice(self.springs.iter().map(|spring| spring.ends));
        let end = twice.map_or(0.0, |[end, _]| end as f32);
        check.that(twice.is_none(), "ends", end, "two particles that no other spring connects")
    }
}
