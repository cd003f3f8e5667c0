//! Plays a recording, and compares.

use std::sync::Arc;

use crate::liquid::force::field::ForceField;
use crate::parallel::executor::Executor;
use crate::particles::id::ParticleId;
use crate::record::difference::{ReplayDifference, ReplayError};
use crate::record::recording::Recording;
use crate::record::sketch::Sketch;
use crate::record::tick::{Digest, Tick};
use crate::snapshot::file::sealed::Entry;
use crate::snapshot::hash::FluidPart;
use crate::solver::report::StepReport;
use crate::stored::error::SnapshotError;
use crate::world::FluidWorld;

/// A recording that is being played. After each tick the hash of each part is compared with the recorded one.
///
/// The number of threads and the machine do not matter. See [`FluidRecorder`](crate::FluidRecorder) for an
/// example.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    recording: &'a Recording,
    world: FluidWorld,
    /// What the recorded world was after the last tick.
    digest: Digest,
    played: usize,
}

impl Recording {
    /// Begins to play the recording: a world as it was before the first tick.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`] if the world in it is invalid.
    pub fn replay(&self) -> Result<Replay<'_>, SnapshotError> {
        let world = FluidWorld::of_entry(&self.segments[0].world)?;
        let sketch = Sketch::of(world.particles());
        let digest = Digest { hashes: world.deep_hash(), sketch };
        Ok(Replay { recording: self, world, digest, played: 0 })
    }

    /// A tick by its number in the whole recording.
    fn tick(&self, mut number: usize) -> Option<&Tick> {
        for segment in &self.segments {
            match segment.ticks.get(number) {
                Some(tick) => return Some(tick),
                None => number -= segment.ticks.len(),
            }
        }
        None
    }
}

impl Replay<'_> {
    /// The world as it is now.
    pub fn world(&self) -> &FluidWorld {
        &self.world
    }

    /// Number of ticks that were played.
    pub fn played(&self) -> usize {
        self.played
    }

    /// Gives the world force fields, which are not in a recording.
    pub fn set_force_fields(&mut self, fields: Vec<Arc<dyn ForceField>>) {
        self.world.set_force_fields(fields);
    }

    /// Plays the next tick; `None` at the end. A last tick that had not ended, because something panicked, is
    /// played but not compared.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Differs`] with the first difference, and [`ReplayError::Invalid`] and
    /// [`ReplayError::Step`] for a recording that cannot be played.
    pub fn step(&mut self, executor: &dyn Executor) -> Result<Option<StepReport>, ReplayError> {
        let Some(tick) = self.recording.tick(self.played) else { return Ok(None) };
        self.apply(tick)?;
        let report = self.world.step(tick.time_step, executor)?;
        self.played += 1;
        if let Some(outcome) = &tick.outcome {
            self.digest.follow(outcome);
            self.compare()?;
        }
        Ok(Some(report))
    }

    /// Changes the world as it was changed from outside before a tick.
    fn apply(&mut self, tick: &Tick) -> Result<(), SnapshotError> {
        if tick.changes.is_empty() {
            return Ok(());
        }
        let mut parts: [Vec<u8>; FluidPart::ALL.len()] = Default::default();
        self.world.visit_parts(|part, bytes| parts[part as usize] = bytes.to_vec());
        for (part, change) in &tick.changes {
            let bytes = &mut parts[*part as usize];
            *bytes = change.apply(bytes)?;
        }
        let fields = self.world.force_fields().to_vec();
        let changed = FluidWorld::of_parts(parts.each_ref().map(Vec::as_slice), fields)?;
        self.world.replace_state(changed);
        Ok(())
    }

    fn compare(&self) -> Result<(), ReplayError> {
        let hashes = self.world.deep_hash();
        let parts: Vec<FluidPart> = self.digest.hashes.differences(&hashes).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let particles = self.world.particles();
        let (recorded, slots) = (&self.digest.sketch, particles.slot_count());
        // Particles that are only in the recording have slots above these.
        let slot =
            recorded.differing_slot(&Sketch::of(particles), slots.saturating_mul(2).max(1024));
        let particle = slot.map(|slot| ParticleId {
            slot,
            generation: particles.generation_of(slot).unwrap_or_default(),
        });
        Err(ReplayError::Differs(ReplayDifference { tick: self.played as u64, parts, particle }))
    }
}
