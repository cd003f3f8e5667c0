//! Recordings as values and as files, and their replay.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::liquid::force::ForceField;
use crate::parallel::executor::Executor;
use crate::particles::life::ParticleId;
use crate::record::difference::{Change, ReplayDifference, ReplayError, Sketch};
use crate::snapshot::file::sealed::Entry;
use crate::snapshot::file::{SnapshotFile, entries};
use crate::snapshot::hash::{DeepHash, FluidPart};
use crate::solver::report::StepReport;
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer, ensure};
use crate::stored::kinds::{load_array, store_array};
use crate::stored::stored;
use crate::world::FluidWorld;

/// Name of the only entry of a recording's own file.
const RECORDING: &str = "recording";

/// A recording: a world, and for each tick its changes from outside, the time step, and hashes of the result.
/// A [`FluidRecorder`](crate::FluidRecorder) creates it, and [`replay`](Self::replay) plays it.
///
/// It is an entry of a [`SnapshotFile`], so that a game can store its own state beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    pub(super) segments: VecDeque<Segment>,
    /// Largest number of force fields that acted in a tick.
    pub(super) force_fields: usize,
}

stored!(Recording { segments, force_fields } check check_segments);

entries! { "recording": Recording }

/// Some ticks, and the world before them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segment {
    /// The world, as the entry of a snapshot.
    pub world: Vec<u8>,
    pub ticks: Vec<Tick>,
}

impl Stored for Segment {
    fn store(&self, to: &mut Writer) {
        let Self { world, ticks } = self;
        store_array(world, to);
        ticks.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        Ok(Self { world: load_array(from)?, ticks: Stored::load(from)? })
    }
}

/// Checks that the recording has a world.
fn check_segments(recording: &Recording) -> Result<(), SnapshotError> {
    ensure(!recording.segments.is_empty(), "a recording without a world")
}

impl Segment {
    /// The time steps of all ticks together, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.ticks.iter().map(|tick| f64::from(tick.time_step)).sum()
    }
}

impl Recording {
    /// Number of recorded ticks.
    pub fn ticks(&self) -> usize {
        self.segments.iter().map(|segment| segment.ticks.len()).sum()
    }

    /// The time steps of all ticks together, in seconds.
    pub fn seconds(&self) -> f64 {
        self.segments.iter().map(Segment::seconds).sum()
    }

    /// Largest number of [force fields](crate::ForceField) that the world had in a recorded tick. They are
    /// the host's code and not in the recording: if this is not 0, the replay needs them
    /// ([`Replay::set_force_fields`](crate::Replay::set_force_fields)).
    pub fn force_fields(&self) -> usize {
        self.force_fields
    }

    /// The recording as bytes: a [`SnapshotFile`] with one entry.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = SnapshotFile::default();
        file.insert(RECORDING, self).expect("the only entry, between two ticks");
        file.to_bytes()
    }

    /// Reads bytes that [`to_bytes`](Self::to_bytes) wrote. The bytes may be untrusted: reading
    /// allocates at most 16 times their length.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are not a recording, or that are of another
    /// version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(RECORDING)
    }
}

// Plays a recording, and compares the results.

/// A recording that is being played. After each tick the hash of each part is compared with the recorded one.
///
/// The number of threads and the machine do not matter. See [`FluidRecorder`](crate::FluidRecorder) for an
/// example.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    recording: &'a Recording,
    world: FluidWorld,
    /// Digest of the recorded world after the last tick.
    digest: Digest,
    played: usize,
}

impl Recording {
    /// Begins to play the recording, with the world before the first tick.
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
    /// The world in its present state.
    pub fn world(&self) -> &FluidWorld {
        &self.world
    }

    /// Number of ticks that were played.
    pub fn played(&self) -> usize {
        self.played
    }

    /// Sets the force fields of the world, which a recording does not contain.
    pub fn set_force_fields(&mut self, fields: Vec<Arc<dyn ForceField>>) {
        self.world.set_force_fields(fields);
    }

    /// Plays the next tick; `None` at the end. A last tick that did not end, because of a panic, is played
    /// but not compared.
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

    /// Applies the changes from outside that happened before a tick.
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
        // Particles that are only in the recording may have slots above these.
        let slot =
            recorded.differing_slot(&Sketch::of(particles), slots.saturating_mul(2).max(1024));
        let particle = slot.map(|slot| ParticleId {
            slot,
            generation: particles.generation_of(slot).unwrap_or_default(),
        });
        Err(ReplayError::Differs(ReplayDifference { tick: self.played as u64, parts, particle }))
    }
}

// A tick of a recording.

/// A tick: the changes of the world before it, its time step, and its result.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Parts that were changed from outside since the tick before.
    pub changes: Vec<(FluidPart, Change)>,
    /// The requested time step, in seconds.
    pub time_step: f32,
    /// `None` if the tick never ended.
    pub outcome: Option<Outcome>,
}

stored!(Tick { changes, time_step in Limits::NOT_NEGATIVE, outcome } check check_changes);

/// Checks that each part changes at most once, in the order of the parts, because each change
/// copies the whole part.
fn check_changes(tick: &Tick) -> Result<(), SnapshotError> {
    let ascend = tick.changes.is_sorted_by(|(one, _), (other, _)| (*one as u8) < *other as u8);
    ensure(ascend, "a part that changes twice")
}

/// The result of a tick: only the differences from the result of the previous tick.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// Hashes of parts.
    pub hashes: Vec<(FluidPart, u64)>,
    pub sketch: Option<Sketch>,
}

stored!(Outcome { hashes, sketch });

/// The state after a tick, as a few numbers.
#[derive(Clone, Debug)]
pub(super) struct Digest {
    pub hashes: DeepHash,
    pub sketch: Sketch,
}

impl Digest {
    /// The differences from the digest after the previous tick.
    pub(super) fn since(&self, before: &Self) -> Outcome {
        let hashes = self.hashes.differences(&before.hashes);
        Outcome {
            hashes: hashes.map(|part| (part, self.hashes.part(part))).collect(),
            sketch: (self.sketch != before.sketch).then(|| self.sketch.clone()),
        }
    }

    /// Becomes the digest after a tick with this outcome.
    pub(super) fn follow(&mut self, outcome: &Outcome) {
        outcome.hashes.iter().for_each(|(part, hash)| self.hashes.set(*part, *hash));
        if let Some(sketch) = &outcome.sketch {
            self.sketch.clone_from(sketch);
        }
    }
}

impl Stored for FluidPart {
    fn store(&self, to: &mut Writer) {
        (*self as u8).store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let number = u8::load(from)?;
        let part = Self::ALL.get(usize::from(number)).copied();
        part.ok_or_else(|| SnapshotError::invalid(format!("no part is {number}")))
    }
}
