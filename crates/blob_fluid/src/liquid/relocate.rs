//! Moving particles to other places.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::particles::id::ParticleId;
use crate::particles::spawn::{ParticleSpawn, SpawnError};

/// Moving particles to other places.
impl Liquid {
    /// Moves a particle to another place, in world units, at a velocity, in world units/s, and returns
    /// `false` if it is dead. It stays the same particle: its handle, class, temperature, paint, age, lifetime
    /// and tag stay. Its springs break. Nothing keeps it from an occupied place.
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
    /// [reach](Self::reach), and for a velocity that is not finite. The particle stays where it is then.
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
        self.springs.list.retain(|spring| !spring.ends.contains(&id));
        Ok(true)
    }
}
