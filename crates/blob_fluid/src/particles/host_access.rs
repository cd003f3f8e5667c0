//! What a host reads and changes between passes.

use glam::Vec2;

use crate::particles::arrays::Particles;
use crate::particles::id::ParticleId;
use crate::settings::class::ClassId;

/// The particles' arrays, borrowed apart: velocities and temperatures can be changed while the rest
/// is read. All have equal lengths.
#[derive(Debug)]
pub struct SplitParticles<'a> {
    /// Positions, in world units.
    pub positions: &'a [Vec2],
    /// The class of each particle.
    pub classes: &'a [ClassId],
    /// The handle of each particle.
    pub ids: &'a [ParticleId],
    /// Densities relative to rest ([`Particles::relative_densities`]).
    pub relative_densities: &'a [f32],
    /// Velocities, in world units/s. A particle whose velocity is not finite is quarantined.
    pub velocities: &'a mut [Vec2],
    /// Temperatures, in degrees. A particle whose temperature is not finite is quarantined.
    pub temperatures: &'a mut [f32],
}

impl Particles {
    /// Borrows the arrays apart, to change velocities by position without a copy.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn};
    /// use glam::Vec2;
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn { position: Vec2::new(0.0, 40.0), ..Default::default() })?;
    /// let particles = world.particles_mut().split();
    /// for (position, velocity) in particles.positions.iter().zip(particles.velocities) {
    ///     velocity.x += 0.5 * position.y;
    /// }
    /// assert_eq!(world.particles().velocities(), [Vec2::new(20.0, 0.0)]);
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn split(&mut self) -> SplitParticles<'_> {
        SplitParticles {
            positions: &self.position,
            classes: &self.class,
            ids: &self.id,
            relative_densities: &self.relative_density,
            velocities: &mut self.velocity,
            temperatures: &mut self.temperature,
        }
    }

    /// A hash (FNV-1a) of everything that a host can change: velocities, displacements,
    /// temperatures and paint, in the order of the arrays.
    pub(crate) fn changeable_hash(&self) -> u64 {
        // Positive and negative zero count as equal.
        let bits = |value: f32| u64::from((value + 0.0).to_bits());
        let pair = |vector: &Vec2| bits(vector.x) << 32 | bits(vector.y);
        let vectors = self.velocity.iter().chain(&self.displacement).map(pair);
        let numbers = self.temperature.iter().chain(self.paints.amounts.as_flattened());
        let words = vectors.chain(numbers.map(|number| bits(*number)));
        words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
            (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29)
        })
    }
}
