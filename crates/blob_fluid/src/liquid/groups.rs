//! Groups of particles by tag.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::particles::id::ParticleId;
use crate::particles::life::ParticleTag;
use crate::particles::spawn::SpawnError;
use crate::settings::class::ClassId;
use crate::settings::range::{Check, OutOfRange};

/// Groups of particles by tag.
impl Liquid {
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
        let marked = move |index: &usize| particles.tag_at(*index) == tag;
        particles.indices_by_slot().filter(marked).map(|index| particles.id[index])
    }

    /// Tags a particle; `false` if it is dead.
    pub fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        self.particles.set_tag(id, tag)
    }

    /// Removes the particles of a tag, and says how many.
    pub fn despawn_tagged(&mut self, tag: ParticleTag) -> usize {
        self.remove_where(|all, index| all.tag_at(index) == tag)
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
        self.change_classes(class, |all, index| all.tag_at(index) == tag)
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
        for index in 0..self.particles.len() {
            if self.particles.tag_at(index) == tag {
                self.sleep.disturb(self.particles.position[index]);
                self.particles.velocity[index] += change;
                pushed += 1;
            }
        }
        Ok(pushed)
    }
}
