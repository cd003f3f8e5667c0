//! Who may live: what a full world does, particles that left it, and groups of them by tag.

use glam::Vec2;

use crate::bounds::Bounds;
use crate::class::ClassId;
use crate::executor::Executor;
use crate::life::ParticleTag;
use crate::particle::{ParticleId, SpawnError};
use crate::pass::LONG_CHUNK;
use crate::range::{Check, OutOfRange};
use crate::world::FluidWorld;

/// What happens when a particle is to be added to a full world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum CapacityPolicy {
    /// It is refused with [`SpawnError::Full`].
    #[default]
    Refuse,
    /// The oldest particle dies for it.
    RecycleOldest,
}

/// What a world remembers of who may live.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Population {
    policy: CapacityPolicy,
    recycled: u64,
    kill_bounds: Option<Bounds>,
    /// Whether what lies asleep was never held against the kill bounds.
    bounds_changed: bool,
    out_of_bounds: u64,
}

impl FluidWorld {
    /// What happens when a particle is to be added to a full world.
    pub fn capacity_policy(&self) -> CapacityPolicy {
        self.population.policy
    }

    /// Changes what happens when a particle is to be added to a full world;
    /// [`CapacityPolicy::Refuse`] unless told otherwise.
    ///
    /// ```
    /// use blob_fluid::{CapacityPolicy, FluidWorld, ParticleSpawn};
    /// let mut world = FluidWorld::default();
    /// world.set_capacity(2);
    /// world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    /// let first = world.spawn(ParticleSpawn::default())?;
    /// world.spawn(ParticleSpawn::default())?;
    /// world.spawn(ParticleSpawn::default())?;
    /// assert_eq!((world.particles().len(), world.particles().place(first)), (2, None));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn set_capacity_policy(&mut self, policy: CapacityPolicy) {
        self.population.policy = policy;
        self.particles.keep_order_of_birth(policy == CapacityPolicy::RecycleOldest);
    }

    /// How many particles ever died to make room for others.
    pub fn recycled(&self) -> u64 {
        self.population.recycled
    }

    /// Makes room for one more particle.
    pub(crate) fn make_room(&mut self) -> Result<(), SpawnError> {
        let capacity = self.capacity();
        while self.particles.len() >= capacity {
            let oldest = if capacity > 0 { self.particles.take_oldest() } else { None };
            let oldest = oldest.ok_or(SpawnError::Full { capacity })?;
            self.despawn(oldest);
            self.population.recycled += 1;
        }
        self.particles.forget_dead();
        Ok(())
    }

    /// Where particles may be at all.
    pub fn kill_bounds(&self) -> Option<Bounds> {
        self.population.kill_bounds
    }

    /// Removes the particles that are outside of a box whenever a tick ends; `None`, the default,
    /// lets them go where they want.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for a box whose corners are not numbers or the wrong way round; the old one
    /// stays.
    pub fn set_kill_bounds(&mut self, bounds: Option<Bounds>) -> Result<(), OutOfRange> {
        if let Some(Bounds { low, high }) = bounds {
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

    /// How many particles were ever removed because they were outside of the
    /// [kill bounds](Self::set_kill_bounds).
    pub fn out_of_bounds(&self) -> u64 {
        self.population.out_of_bounds
    }

    /// Removes those whose time has come, and says how many.
    pub(crate) fn expire(&mut self) -> usize {
        let Self { particles, sleep, .. } = self;
        let expired = particles.expire(|all, place| sleep.disturb(all.position[place]));
        if expired > 0 {
            self.has_moved();
        }
        expired
    }

    /// Removes what is outside of the kill bounds, and says how many, after a tick in which
    /// something `moved` or not.
    pub(crate) fn kill_outside<E: Executor>(&mut self, moved: bool, executor: &E) -> usize {
        let changed = std::mem::take(&mut self.population.bounds_changed);
        let Some(bounds) = self.population.kill_bounds.filter(|_| moved || changed) else {
            return 0;
        };
        let positions = &self.particles.position;
        let any_outside = std::sync::atomic::AtomicBool::new(false);
        executor.for_each_chunk(0..positions.len(), LONG_CHUNK, |_, places| {
            let around = Bounds::of(&positions[places]);
            if !(bounds.contains(around.low) && bounds.contains(around.high)) {
                any_outside.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
        if !any_outside.into_inner() {
            return 0;
        }
        let killed = self.despawn_where(|position, _| !bounds.contains(position));
        self.population.out_of_bounds += killed as u64;
        killed
    }

    /// The particles of a tag, in the order of their slots.
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
        let marked = move |place: &usize| particles.tag_at(*place) == tag;
        particles.places_by_slot().filter(marked).map(|place| particles.id[place])
    }

    /// Tags a particle; `false` if it is dead.
    pub fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        self.particles.set_tag(id, tag)
    }

    /// Removes the particles of a tag, and says how many.
    pub fn despawn_tagged(&mut self, tag: ParticleTag) -> usize {
        self.remove_where(|all, place| all.tag_at(place) == tag)
    }

    /// Makes the particles of a tag another class's, and says how many were not yet.
    ///
    /// # Errors
    ///
    /// [`SpawnError::UnknownClass`] when there is no such class.
    pub fn set_class_tagged(
        &mut self,
        tag: ParticleTag,
        class: ClassId,
    ) -> Result<usize, SpawnError> {
        self.change_classes(class, |all, place| all.tag_at(place) == tag)
    }

    /// Pushes the particles of a tag by a change of velocity, in world units/s, and says how many.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for a change that is not finite; nothing is pushed then.
    pub fn add_velocity_tagged(
        &mut self,
        tag: ParticleTag,
        change: Vec2,
    ) -> Result<usize, OutOfRange> {
        Check("velocity").finite("change", &change.to_array())?;
        let mut pushed = 0;
        for place in 0..self.particles.len() {
            if self.particles.tag_at(place) == tag {
                self.sleep.disturb(self.particles.position[place]);
                self.particles.velocity[place] += change;
                pushed += 1;
            }
        }
        Ok(pushed)
    }
}
