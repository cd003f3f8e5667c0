//! Adding and removing particles, groups of particles with the same tag, and the limits of the world.

use glam::Vec2;

use crate::parallel::executor::LONG_CHUNK;
use crate::particles::arrays::Activity;
use crate::settings::class::check_paint;
use crate::settings::range::{Check, count_more};
use crate::{
    CapacityPolicy, ClassFilter, ClassId, Executor, FluidBounds, FluidLifetime, FluidRegion,
    Liquid, OutOfRange, ParticleId, ParticleSpawn, ParticleTag, Particles, Quarantined, SpawnError,
};

/// Reach of the world, in interaction radii from the origin.
const REACH_IN_RADII: f32 = 1e6;

/// Adding and removing particles, and the limits of the world.
impl Liquid {
    /// Default capacity, in particles.
    pub const DEFAULT_CAPACITY: usize = 1_000_000;

    /// Adds a particle.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError`] for a position, velocity, temperature, lifetime or paint out of range, and for an unknown
    /// class. Also returns [`SpawnError`] for a full world, unless the policy [recycles
    /// particles](Self::set_capacity_policy).
    pub fn spawn(&mut self, spawn: ParticleSpawn) -> Result<ParticleId, SpawnError> {
        let temperature = self.checked_temperature(&spawn)?;
        self.make_room()?;
        self.sleep.disturb(spawn.position);
        let class_paint = self.classes.paint_of_new(spawn.class);
        let paint = self.classes.take_paint().then(|| spawn.paint.unwrap_or(class_paint));
        Ok(self.particles.push(ParticleSpawn { temperature: Some(temperature), paint, ..spawn }))
    }

    /// Checks a particle that is to be added, and returns its temperature.
    pub(super) fn checked_temperature(&self, spawn: &ParticleSpawn) -> Result<f32, SpawnError> {
        let check = |field, vector: Vec2, limit: f32| {
            let within = |value: &f32| value.is_finite() && value.abs() <= limit;
            let bad = vector.to_array().into_iter().find(|value| !within(value));
            bad.map_or(Ok(()), |value| Err(SpawnError::OutOfRange { field, value, limit }))
        };
        check("position", spawn.position, self.reach())?;
        check("velocity", spawn.velocity, f32::MAX)?;
        let ambient = self.parameters.ambient_temperature;
        let usual = self.temperature_of_new(spawn.class)?.unwrap_or(ambient);
        let temperature = spawn.temperature.unwrap_or(usual);
        check("temperature", Vec2::splat(temperature), f32::MAX)?;
        spawn.lifetime.as_ref().map_or(Ok(()), FluidLifetime::validate)?;
        let paint = spawn.paint.map_or(Ok(()), |color| check_paint("particle", color));
        paint.map_err(SpawnError::Paint)?;
        Ok(temperature)
    }

    /// Removes a particle; returns `false` if it was already dead.
    pub fn despawn(&mut self, id: ParticleId) -> bool {
        let index = self.particles.index_of(id);
        if let Some(index) = index {
            self.sleep.disturb(self.particles.position[index]);
            self.particles.swap_remove(index);
        }
        index.is_some()
    }

    /// Removes the particles for which `dead(position, class)` returns `true`, and returns their
    /// number.
    pub fn despawn_where(&mut self, mut dead: impl FnMut(Vec2, ClassId) -> bool) -> usize {
        self.remove_where(|all, index| dead(all.position[index], all.class[index]))
    }

    /// Removes the particles for whose indices `dead` returns `true`, and returns their number.
    pub(crate) fn remove_where(
        &mut self,
        mut dead: impl FnMut(&Particles, usize) -> bool,
    ) -> usize {
        let Self { particles, sleep, .. } = self;
        particles.remove_where(|all, index| {
            let dies = dead(all, index);
            if dies {
                sleep.disturb(all.position[index]);
            }
            dies
        })
    }

    /// Removes all particles and springs. Handles of particles become invalid.
    pub fn clear(&mut self) {
        self.despawn_where(|_, _| true);
        self.springs.list_mut().clear();
        self.clock.forget_liquid();
    }

    /// Capacity: the largest number of particles in the world.
    pub fn capacity(&self) -> usize {
        self.population.capacity
    }

    /// Changes the largest number of particles in the world, up to `u32::MAX - 1`. Living particles beyond this number
    /// are kept. If the policy [recycles the oldest](Self::set_capacity_policy) particles, the next spawn removes the
    /// particles beyond this number.
    pub fn set_capacity(&mut self, capacity: usize) {
        self.population.capacity = capacity.min(u32::MAX as usize - 1);
    }

    /// Number of particles that were quarantined (removed) since the world was created, because a
    /// number was not finite or too large, for example a position beyond the world's
    /// [reach](Self::reach).
    pub fn quarantined(&self) -> u64 {
        self.population.quarantined
    }

    /// The particles that were quarantined since the last tick began, with place and reason. Each
    /// particle is listed once. The list has at most 32 entries; [`quarantined`](Self::quarantined)
    /// counts all particles.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// let id = world.spawn(ParticleSpawn::default())?;
    /// world.particles_mut().velocities_mut()[0].y = f32::NAN;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// let [named] = world.just_quarantined() else { panic!("one") };
    /// assert_eq!((named.id, named.field), (id, "velocity"));
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert!(world.just_quarantined().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn just_quarantined(&self) -> &[Quarantined] {
        &self.quarantined
    }

    /// Largest magnitude of a particle's coordinates, in world units.
    pub fn reach(&self) -> f32 {
        REACH_IN_RADII * self.parameters.interaction_radius()
    }

    /// Whether the next tick accepts a particle at this position, instead of quarantining it.
    pub(crate) fn has_within(&self, position: Vec2) -> bool {
        position.is_finite() && position.abs().max_element() <= self.reach()
    }

    /// Whether the next tick accepts the position and the velocity of the particle at an index.
    pub(crate) fn keeps(&self, index: usize) -> bool {
        let Particles { position, velocity, .. } = &self.particles;
        self.has_within(position[index]) && velocity[index].is_finite()
    }

    /// The policy for spawning in a full world.
    pub fn capacity_policy(&self) -> CapacityPolicy {
        self.population.policy
    }

    /// Changes the policy for spawning in a full world. The default is [`CapacityPolicy::Refuse`].
    ///
    /// ```
    /// use blob_fluid::{CapacityPolicy, FluidWorld, ParticleSpawn};
    /// let mut world = FluidWorld::default();
    /// world.set_capacity(2);
    /// world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    /// let first = world.spawn(ParticleSpawn::default())?;
    /// world.spawn(ParticleSpawn::default())?;
    /// world.spawn(ParticleSpawn::default())?;
    /// assert_eq!((world.particles().len(), world.particles().index_of(first)), (2, None));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn set_capacity_policy(&mut self, policy: CapacityPolicy) {
        self.population.policy = policy;
        self.particles.track_age_order(policy == CapacityPolicy::RecycleOldest);
    }

    /// Number of particles that were recycled to make room for new particles, since the world was
    /// created.
    pub fn recycled(&self) -> u64 {
        self.population.recycled
    }

    /// Makes room for one more particle, or returns an error if the policy refuses.
    pub(crate) fn make_room(&mut self) -> Result<(), SpawnError> {
        let capacity = self.population.capacity;
        while self.particles.len() >= capacity {
            let oldest = if capacity > 0 { self.particles.take_oldest() } else { None };
            let oldest = oldest.ok_or(SpawnError::Full { capacity })?;
            self.despawn(oldest);
            count_more(&mut self.population.recycled, 1);
        }
        self.particles.forget_dead();
        Ok(())
    }

    /// Box outside of which particles are removed; `None` if all particles are kept.
    pub fn kill_bounds(&self) -> Option<FluidBounds> {
        self.population.kill_bounds
    }

    /// Sets a box. At the end of every tick, the particles outside of the box are removed. `None`, the default,
    /// removes no particles.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a box whose corners are NaN, or whose lower corner is above its
    /// upper corner. The old box is kept.
    pub fn set_kill_bounds(&mut self, bounds: Option<FluidBounds>) -> Result<(), OutOfRange> {
        if let Some(FluidBounds { low, high }) = bounds {
            let check = Check("kill bounds");
            for (low, high) in [(low.x, high.x), (low.y, high.y)] {
                check.that(!low.is_nan(), "low", low, "a number")?;
                check.that(low <= high, "high", high, "a number and at least low")?;
            }
        }
        self.population.bounds_changed |= bounds != self.population.kill_bounds;
        self.population.kill_bounds = bounds;
        Ok(())
    }

    /// Number of particles that were removed outside of the [kill bounds](Self::set_kill_bounds),
    /// since the world was created.
    pub fn out_of_bounds(&self) -> u64 {
        self.population.out_of_bounds
    }

    /// Removes the particles whose lifetime is over, and returns their number.
    pub(crate) fn expire(&mut self) -> usize {
        let Self { particles, sleep, .. } = self;
        particles.expire(|all, index| sleep.disturb(all.position[index]))
    }

    /// Removes the particles outside of the kill bounds, and returns their number. `moved` is
    /// whether any particle moved in the tick.
    pub(crate) fn kill_outside(&mut self, moved: bool, executor: &dyn Executor) -> usize {
        let changed = std::mem::take(&mut self.population.bounds_changed);
        let Some(bounds) = self.population.kill_bounds.filter(|_| moved || changed) else {
            return 0;
        };
        let positions = &self.particles.position;
        let any_outside = executor.any_chunk(0..positions.len(), LONG_CHUNK, |_, indices| {
            let around = FluidBounds::of(&positions[indices]);
            !(bounds.contains(around.low) && bounds.contains(around.high))
        });
        if !any_outside {
            return 0;
        }
        let killed = self.despawn_where(|position, _| !bounds.contains(position));
        count_more(&mut self.population.out_of_bounds, killed as u64);
        killed
    }
}

// Relocation.

/// Moving particles to other places.
impl Liquid {
    /// Moves a particle to another place, in world units, with a velocity, in world units/s. Returns `false` if it is
    /// dead. The handle, class, temperature, paint, age, lifetime and tag stay. The springs of the particle break. The
    /// place may be occupied.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let traveller = world.spawn(ParticleSpawn { temperature: Some(80.0), ..Default::default() })?;
    /// assert!(world.relocate(traveller, Vec2::new(500.0, 0.0), Vec2::Y)?);
    /// let index = world.particles().index_of(traveller).expect("alive");
    /// assert_eq!(world.particles().positions()[index], Vec2::new(500.0, 0.0));
    /// assert_eq!(world.particles().temperatures()[index], 80.0);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::OutOfRange`] for a position that is not finite or beyond the world's
    /// [reach](Self::reach), and for a velocity that is not finite. Then the particle does not
    /// change.
    pub fn relocate(
        &mut self,
        id: ParticleId,
        position: Vec2,
        velocity: Vec2,
    ) -> Result<bool, SpawnError> {
        let Some(index) = self.particles.index_of(id) else { return Ok(false) };
        let class = self.particles.class[index];
        self.checked_temperature(&ParticleSpawn {
            position,
            velocity,
            class,
            ..ParticleSpawn::default()
        })?;
        self.sleep.disturb(self.particles.position[index]);
        self.sleep.disturb(position);
        if self.particles.relocate(index, position, velocity) && self.sleep.in_tick {
            self.sleep.asleep = self.sleep.asleep.saturating_sub(1);
        }
        self.springs.list_mut().retain(|spring| !spring.ends.contains(&id));
        Ok(true)
    }
}

// Groups of particles with the same tag.

/// Methods for groups of particles with the same tag.
impl Liquid {
    /// The particles with a tag, in the order of their slots.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, ParticleTag};
    /// let mut world = FluidWorld::default();
    /// let tag = ParticleTag(7);
    /// let marked = world.spawn(ParticleSpawn { tag, ..Default::default() })?;
    /// world.spawn(ParticleSpawn::default())?;
    /// assert!(world.tagged(tag).eq([marked]));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn tagged(&self, tag: ParticleTag) -> impl Iterator<Item = ParticleId> + '_ {
        let particles = &self.particles;
        let marked = move |index: &usize| particles.tag_at(*index) == tag;
        particles.indices_by_slot().filter(marked).map(|index| particles.id[index])
    }

    /// Changes the tag of a particle; returns `false` if it is dead.
    pub fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        self.particles.set_tag(id, tag)
    }

    /// Removes the particles with a tag, and returns their number.
    pub fn despawn_tagged(&mut self, tag: ParticleTag) -> usize {
        self.remove_where(|all, index| all.tag_at(index) == tag)
    }

    /// Changes the class of all particles with a tag, and returns the number of particles that
    /// changed.
    ///
    /// # Errors
    ///
    /// Returns [`SpawnError::UnknownClass`] if the table lacks the class.
    pub fn set_class_tagged(
        &mut self,
        tag: ParticleTag,
        class: ClassId,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, index| all.tag_at(index) == tag)
    }

    /// Adds a velocity, in world units/s, to all particles with a tag, and returns their number.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a velocity that is not finite. Then no particle is changed.
    pub fn add_velocity_tagged(
        &mut self,
        tag: ParticleTag,
        change: Vec2,
    ) -> Result<usize, OutOfRange> {
        Check("velocity").finite("change", &change.to_array())?;
        let mut pushed = 0;
        for index in 0..self.particles.len() {
            if self.particles.tag_at(index) == tag {
                self.sleep.disturb(self.particles.position[index]);
                self.particles.velocity[index] += change;
                self.particles.unchecked = true;
                pushed += 1;
            }
        }
        Ok(pushed)
    }
}

// Changing velocities in a box.

/// A particle whose velocity may be changed.
#[derive(Debug)]
pub struct MovingParticle<'a> {
    /// Index in the [arrays](crate::Particles), valid until the particles are sorted again.
    pub index: usize,
    /// Handle of the particle.
    pub id: ParticleId,
    /// Position of the particle, in world units.
    pub position: Vec2,
    /// Class of the particle.
    pub class: ClassId,
    /// Velocity of the particle, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocity: &'a mut Vec2,
}

/// Changing velocities in a box.
impl Liquid {
    /// Calls `change` for every particle in a box, and wakes the surroundings of each particle
    /// whose velocity it changed. Liquid elsewhere sleeps on. Returns the number of changed
    /// velocities. You can call it between two ticks and between two passes.
    ///
    /// ```
    /// use blob_fluid::{FluidBounds, FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// for x in [0.0, 100.0] {
    ///     world.spawn(ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() })?;
    /// }
    /// let gust = FluidBounds { low: Vec2::splat(-10.0), high: Vec2::splat(10.0) };
    /// let blown = world.change_velocities_in(gust, |particle| particle.velocity.x += 50.0);
    /// assert_eq!(blown, 1);
    /// assert_eq!(world.particles().velocities()[1], Vec2::ZERO);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn change_velocities_in(
        &mut self,
        bounds: FluidBounds,
        mut change: impl FnMut(MovingParticle<'_>),
    ) -> usize {
        let Self { particles, sleep, .. } = self;
        let mut runs = Vec::new();
        particles.index().visit(|around| around.intersects(bounds), |run| runs.push(run));
        let (mut changed, mut around) = (0, FluidBounds::NONE);
        for index in runs.into_iter().flatten() {
            let position = particles.position[index];
            if !bounds.contains(position) {
                continue;
            }
            let before = particles.velocity[index];
            change(MovingParticle {
                index,
                id: particles.id[index],
                position,
                class: particles.class[index],
                velocity: &mut particles.velocity[index],
            });
            if particles.velocity[index] == before {
                continue;
            }
            changed += 1;
            particles.unchecked = true;
            around = around.union(FluidBounds::at(position));
            let activity = &mut particles.activity[index];
            if sleep.in_tick && *activity < Activity::Awake {
                // Otherwise a particle that does not take part in the tick would lose its velocity
                // at the end of the tick.
                *activity = Activity::Awake;
                particles.order.renew();
                sleep.asleep = sleep.asleep.saturating_sub(1);
            }
        }
        if changed > 0 {
            // One box for all changed particles.
            sleep.disturb_around(around);
        }
        changed
    }
}

// Methods for paint.

/// Methods that paint particles. They paint only particles of classes that take
/// [paint](crate::FluidPaint). Colours are red, green and blue, linear, 0 to 1. Sleeping liquid
/// sleeps on, and exchanges its new paint.
impl Liquid {
    /// Whether paint stays constant until something moves or is painted. It is `true` if no class takes paint.
    pub fn paint_rests(&self) -> bool {
        !self.particles.paints.goes_on()
    }

    /// Paints a particle; returns `false` if it is dead, or if its class takes no paint.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn set_paint(&mut self, id: ParticleId, color: [f32; 3]) -> Result<bool, OutOfRange> {
        check_paint("particle", color)?;
        let Some(index) = self.particles.index_of(id) else { return Ok(false) };
        Ok(self.mix_in_at([index].into_iter(), color, 1.0) > 0)
    }

    /// Paints all particles for which `chosen(position, class)` returns `true`, and returns the
    /// number of painted particles.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn paint_where(
        &mut self,
        color: [f32; 3],
        mut chosen: impl FnMut(Vec2, ClassId) -> bool,
    ) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        let particles = &self.particles;
        let indices: Vec<usize> = (0..particles.len())
            .filter(|index| chosen(particles.position[*index], particles.class[*index]))
            .collect();
        Ok(self.mix_in_at(indices.into_iter(), color, 1.0))
    }

    /// Paints all particles with a tag, and returns the number of painted particles.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number that is not within 0 to 1.
    pub fn paint_tagged(&mut self, tag: ParticleTag, color: [f32; 3]) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        let particles = &self.particles;
        let indices: Vec<usize> =
            (0..particles.len()).filter(|index| particles.tag_at(*index) == tag).collect();
        Ok(self.mix_in_at(indices.into_iter(), color, 1.0))
    }

    /// Paints the particles of some classes in a region, and returns their number. A share of 1 replaces their paint. A
    /// smaller share mixes that fraction of the colour into their paint, as a brush does.
    ///
    /// ```
    /// use blob_fluid::{
    ///     ClassFilter, ClassTable, DensityClass, FluidPaint, FluidRegion, FluidWorld, ParticleSpawn, ClassId,
    /// };
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// let paint = Some(FluidPaint::default());
    /// let class = DensityClass { name: "paint".into(), paint, ..Default::default() };
    /// world.set_classes(ClassTable::new(vec![class])?)?;
    /// for x in [0.0, 100.0] {
    ///     let position = Vec2::new(x, 0.0);
    ///     world.spawn(ParticleSpawn { position, class: ClassId(0), ..Default::default() })?;
    /// }
    /// let here = FluidRegion::circle(Vec2::ZERO, 20.0)?;
    /// assert_eq!(world.paint_in(&here, ClassFilter::ALL, [0.0, 0.0, 1.0], 1.0)?, 1);
    /// assert_eq!(world.mean_paint(&here, ClassFilter::ALL), Some([0.0, 0.0, 1.0]));
    /// assert_eq!(world.particles().paint(1), Some([1.0; 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a number, or a share, that is not within 0 to 1.
    pub fn paint_in(
        &mut self,
        region: &FluidRegion,
        classes: ClassFilter,
        color: [f32; 3],
        share: f32,
    ) -> Result<usize, OutOfRange> {
        check_paint("particle", color)?;
        Check("particle").that((0.0..=1.0).contains(&share), "share", share, "0 to 1")?;
        let mut indices = Vec::new();
        self.for_each_in(region, classes, |index| indices.push(index));
        Ok(self.mix_in_at(indices.into_iter(), color, share))
    }

    /// Mixes a share of a colour into the particles whose class takes paint, and returns their number.
    fn mix_in_at(
        &mut self,
        indices: impl Iterator<Item = usize>,
        color: [f32; 3],
        share: f32,
    ) -> usize {
        let Self { particles, classes, .. } = self;
        let mut painted = 0;
        for index in indices {
            let class = classes.get(particles.class[index]);
            if class.is_some_and(|class| class.paint.is_some()) {
                particles.paints.mix_in(index, color, share);
                painted += 1;
            }
        }
        painted
    }
}
