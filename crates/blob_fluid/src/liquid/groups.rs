//! Methods for groups of particles with the same tag.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::particles::id::ParticleId;
use crate::particles::life::ParticleTag;
use crate::particles::spawn::SpawnError;
use crate::settings::class::ClassId;
use crate::settings::range::{Check, OutOfRange};

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
