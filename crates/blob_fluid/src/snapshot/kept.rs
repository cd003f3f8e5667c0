//! States that are kept in memory and restored, many times a second.

use crate::air::airs::Airs;
use crate::liquid::state::Liquid;
use crate::stored::error::SnapshotError;
use crate::world::FluidWorld;

/// Everything that decides the future of a world, kept in memory that is used again: for netcode that
/// rolls back, and for time that runs back.
///
/// ```
/// use blob_fluid::{FluidWorld, KeptState, ParticleSpawn, SerialExecutor};
/// let mut world = FluidWorld::default();
/// world.spawn(ParticleSpawn::default())?;
/// let mut kept = KeptState::default();
/// world.keep_in(&mut kept)?;
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// let once = world.deep_hash();
/// world.restore_from(&kept);
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// assert_eq!(world.deep_hash(), once);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeptState {
    liquid: Liquid,
    airs: Airs,
}

/// Methods for rolling back.
impl FluidWorld {
    /// Keeps the state. What was kept there before is overwritten, and its memory used again: after
    /// the first time a world with as many particles allocates next to nothing.
    /// [Force fields](crate::ForceField) are kept as well, but not what they hold.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn keep_in(&self, kept: &mut KeptState) -> Result<(), SnapshotError> {
        let (liquid, airs) = self.state();
        if liquid.sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        kept.liquid.clone_from(liquid);
        kept.airs.clone_from(airs);
        Ok(())
    }

    /// Returns to a state that was [kept](Self::keep_in), of this world or of another one. Memory is
    /// used again.
    pub fn restore_from(&mut self, kept: &KeptState) {
        let (liquid, airs) = self.state_mut();
        liquid.clone_from(&kept.liquid);
        airs.clone_from(&kept.airs);
    }
}
