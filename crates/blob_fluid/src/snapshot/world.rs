//! A world as an entry of a snapshot.

use std::sync::Arc;

use crate::liquid::force::field::ForceField;
use crate::snapshot::file::SnapshotFile;
use crate::snapshot::file::sealed::Entry;
use crate::snapshot::hash::FluidPart;
use crate::stored::error::SnapshotError;
use crate::stored::reader::Reader;
use crate::stored::writer::Writer;
use crate::world::FluidWorld;

/// Name of the only entry of a world's own file.
const WORLD: &str = "world";

/// Methods for snapshots.
impl FluidWorld {
    /// Everything that decides the future of the world, as bytes that are the same on every platform. A
    /// world that is [made of them](Self::from_bytes) goes on with the same bits, and gives the same
    /// bytes. For what a host keeps beside the world, such as emitters, see [`SnapshotFile`].
    ///
    /// [Force fields](crate::ForceField) are code of the host, and not part of it.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn::default())?;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// let bytes = world.to_bytes()?;
    /// let mut again = FluidWorld::from_bytes(&bytes)?;
    /// assert_eq!(again.to_bytes()?, bytes);
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// again.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert_eq!(again.deep_hash(), world.deep_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut file = SnapshotFile::default();
        file.insert(WORLD, self)?;
        Ok(file.to_bytes())
    }

    /// A world as it was when [`to_bytes`](Self::to_bytes) was called, without force fields. Handles of
    /// particles, solids and air are those of then.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are not such a world, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(WORLD)
    }

    /// Replaces the state by that of a snapshot, and keeps the [force fields](crate::ForceField).
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes). Then nothing is changed.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let file = SnapshotFile::from_bytes(bytes)?;
        let fields = self.force_fields().to_vec();
        let restored = of_bytes(file.entry_of::<Self>(WORLD)?, fields)?;
        self.replace_state(restored);
        Ok(())
    }
}

impl Entry for FluidWorld {
    const KIND: &'static str = "world";

    fn entry(&self) -> Result<Vec<u8>, SnapshotError> {
        if self.liquid().sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let mut writer = Writer::default();
        self.visit_parts(|_, bytes| writer.part(bytes));
        Ok(writer.bytes)
    }

    fn of_entry(bytes: &[u8]) -> Result<Self, SnapshotError> {
        of_bytes(bytes, Vec::new())
    }
}

fn of_bytes(bytes: &[u8], fields: Vec<Arc<dyn ForceField>>) -> Result<FluidWorld, SnapshotError> {
    let mut from = Reader::new(bytes);
    let mut parts: [&[u8]; FluidPart::ALL.len()] = Default::default();
    for part in &mut parts {
        let length = from.count(1)?;
        *part = from.take(length)?;
    }
    from.finish()?;
    FluidWorld::of_parts(parts, fields)
}
