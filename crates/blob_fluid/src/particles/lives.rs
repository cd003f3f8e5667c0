//! Ages, lifetimes, tags and order of birth of particles.

use std::collections::VecDeque;

use crate::particles::arrays::Particles;
use crate::particles::grain::Grain;
use crate::particles::id::ParticleId;
use crate::particles::life::{FluidLifetime, Life, ParticleTag};

impl Particles {
    fn life(&self, id: ParticleId) -> Option<&Life> {
        self.index_of(id).map(|_| &self.lives.by_slot[id.slot() as usize])
    }

    /// Age of a particle, in seconds; `None` if it is dead.
    pub fn age(&self, id: ParticleId) -> Option<f32> {
        self.life(id).map(|life| (self.lives.now - life.born) as f32)
    }

    /// Handles of all particles, the oldest first; of those born in the same tick in the order in which they were spawned.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// let mut world = FluidWorld::default();
    /// let first = world.spawn(ParticleSpawn::default())?;
    /// let second = world.spawn(ParticleSpawn::default())?;
    /// assert_eq!(world.particles().oldest_first(), [first, second]);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn oldest_first(&self) -> Vec<ParticleId> {
        let mut ids = self.id.clone();
        ids.sort_unstable_by_key(|id| (self.lives.by_slot[id.slot() as usize].order, id.slot()));
        ids
    }

    /// Seconds that a particle has left to live; infinite without a [`FluidLifetime`](crate::FluidLifetime), and `None` if it
    /// is dead.
    pub fn remaining_lifetime(&self, id: ParticleId) -> Option<f32> {
        self.life(id).map(|life| (life.dies - self.lives.now).max(0.0) as f32)
    }

    /// What is left of a particle's lifetime; `None` without one, or if it is dead.
    pub(crate) fn lifetime_left(&self, id: ParticleId) -> Option<FluidLifetime> {
        let life = self.life(id).filter(|life| life.dies < f64::INFINITY)?;
        Some(FluidLifetime { seconds: self.remaining_lifetime(id)?, fade: life.fade })
    }

    /// Gives a new particle the age and the exposure that it had before it was saved, its density and
    /// pressure in the last substep, and what it remembers as a grain. Its springs are restored as well, so that the springs pass
    /// must not connect it as a new one, unless it was `new`.
    pub(crate) fn bring_back(
        &mut self,
        id: ParticleId,
        (age, exposure): (f32, f32),
        (relative_density, pressure): (f32, f32),
        grain: Option<Grain>,
        new: bool,
    ) {
        let Some(index) = self.index_of(id) else { return };
        self.exposure[index] = exposure;
        self.relative_density[index] = relative_density;
        if pressure != 0.0 {
            self.pressure.resize(self.len(), 0.0);
            self.pressure[index] = pressure;
        }
        if let Some(grain) = grain {
            self.remember_grains(true);
            self.grains[index] = grain;
        }
        self.lives.by_slot[id.slot() as usize].born = self.lives.now - f64::from(age);
        self.slots[id.slot() as usize].new = new;
    }

    /// Opacity of the particle at an index: 1, and less while it fades ([`FluidLifetime::fade`](crate::FluidLifetime::fade)), down
    /// to 0 when it dies.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`Particles::len`].
    pub fn opacity(&self, index: usize) -> f32 {
        let id = self.ids()[index];
        if self.lives.mortal == 0 {
            return 1.0;
        }
        let life = &self.lives.by_slot[id.slot() as usize];
        let remaining = (life.dies - self.lives.now).max(0.0) as f32;
        if remaining < life.fade { remaining / life.fade } else { 1.0 }
    }

    /// The tag of a particle; `None` if it is dead.
    pub fn tag(&self, id: ParticleId) -> Option<ParticleTag> {
        self.life(id).map(|life| life.tag)
    }

    /// Number of particles with a lifetime.
    pub fn lifetime_count(&self) -> usize {
        self.lives.mortal
    }

    /// The tag of the particle at an index.
    pub(crate) fn tag_at(&self, index: usize) -> ParticleTag {
        self.lives.by_slot[self.id[index].slot() as usize].tag
    }

    /// Changes the tag of a particle; returns `false` if it is dead.
    pub(crate) fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        let alive = self.index_of(id).is_some();
        if alive {
            self.lives.by_slot[id.slot() as usize].tag = tag;
        }
        alive
    }

    /// Calls `dies` with the index of every particle whose lifetime is over, and removes the
    /// particle. Returns the number of removed particles.
    pub(crate) fn expire(&mut self, mut dies: impl FnMut(&Self, usize)) -> usize {
        let due = self.lives.find_due();
        for slot in &due {
            let index = self.index_of_slot(*slot);
            dies(self, index);
            self.swap_remove(index);
        }
        let expired = due.len();
        self.lives.due = due;
        expired
    }

    /// Starts or stops recording the order of birth.
    pub(crate) fn track_age_order(&mut self, keep: bool) {
        if keep == self.lives.by_birth.is_some() {
            return;
        }
        self.lives.by_birth = keep.then(|| self.oldest_first().into());
    }

    /// Removes the oldest living particle from the recorded order of birth and returns it; `None`
    /// if no order is recorded.
    pub(crate) fn take_oldest(&mut self) -> Option<ParticleId> {
        let mut by_birth = self.lives.by_birth.take()?;
        let mut oldest = None;
        while let Some(id) = by_birth.pop_front() {
            if self.index_of(id).is_some() {
                oldest = Some(id);
                break;
            }
        }
        self.lives.by_birth = Some(by_birth);
        oldest
    }

    /// Removes dead particles from the recorded order of birth, if they are the majority.
    pub(crate) fn forget_dead(&mut self) {
        let held = self.lives.by_birth.as_ref().map_or(0, VecDeque::len);
        if held > 2 * self.len() + 64
            && let Some(mut by_birth) = self.lives.by_birth.take()
        {
            by_birth.retain(|id| self.index_of(*id).is_some());
            self.lives.by_birth = Some(by_birth);
        }
    }
}
