//! Recordings and their replay. A recording holds a world and its changes from outside, tick by
//! tick.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use thiserror::Error;

use crate::settings::range::Limits;
use crate::snapshot::entries;
use crate::snapshot::sealed::Entry;
use crate::stored::bytes::{
    Reader, Stored, Writer, ensure, load_array, load_elements, store_array, store_elements,
};
use crate::stored::stored;
use crate::{
    DeepHash, Executor, FluidPart, FluidWorld, ForceField, ParticleId, Particles, SnapshotError,
    SnapshotFile, StepError, StepReport,
};

// The recorder.

/// Time between two snapshots in a recording of the last seconds.
const SEGMENT_SECONDS: f64 = 1.0;

/// Records a world, so that it can be [played again](Recording::replay) on any machine. The recorder stores a snapshot,
/// and for each tick the changes of the world from outside.
///
/// The recorder does not intercept calls. Before each tick, it compares the bytes of all parts with the bytes after the
/// previous tick, and stores the differences. So it records every change between two ticks: by a method, by a setting,
/// or by a restored snapshot. The recorder does not record changes by your code between two passes of a tick. The
/// recorder also does not record [force fields](crate::ForceField), which are your code. A replay without the force
/// fields reports the tick in which it differs.
///
/// ```
/// use blob_fluid::{FluidRecorder, FluidWorld, ParticleSpawn, Recording, SerialExecutor};
/// use glam::Vec2;
/// let mut world = FluidWorld::default();
/// let mut recorder = FluidRecorder::new(&world)?;
/// for tick in 0..60 {
///     if tick % 10 == 0 {
///         world.spawn(ParticleSpawn::default())?;
///         world.change_velocities_in(blob_fluid::FluidBounds::ALL, |one| *one.velocity += Vec2::X);
///     }
///     recorder.step(&mut world, 1.0 / 60.0, &SerialExecutor)?;
/// }
/// let bytes = recorder.recording().to_bytes();
///
/// let recording = Recording::from_bytes(&bytes)?;
/// let mut replay = recording.replay()?;
/// while replay.step(&SerialExecutor)?.is_some() {}
/// assert_eq!(replay.world().deep_hash(), world.deep_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FluidRecorder {
    recording: Recording,
    /// The bytes of each part after the last tick.
    parts: [Vec<u8>; FluidPart::ALL.len()],
    digest: Digest,
    /// A tick that has begun and not ended.
    begun: Option<Tick>,
    /// How many seconds are kept; `None` for all.
    keep: Option<f64>,
}

impl FluidRecorder {
    /// Begins to record, without a limit. The recording grows with every tick.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn new(world: &FluidWorld) -> Result<Self, SnapshotError> {
        Self::keeping(world, None)
    }

    /// Begins to record, and keeps the last `seconds` and up to one second more. Such a recording suits a game that
    /// runs for hours and needs its last seconds after an error. The recorder holds a snapshot for each second. With
    /// `seconds` at 0 or below, it keeps up to one second.
    ///
    /// ```
    /// use blob_fluid::{FluidRecorder, FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// let mut recorder = FluidRecorder::of_last(&world, 10.0)?;
    /// for _ in 0..60 * 20 {
    ///     recorder.step(&mut world, 1.0 / 60.0, &SerialExecutor)?;
    /// }
    /// assert!((10.0..11.1).contains(&recorder.recording().seconds()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn of_last(world: &FluidWorld, seconds: f64) -> Result<Self, SnapshotError> {
        Self::keeping(world, Some(seconds.max(0.0)))
    }

    fn keeping(world: &FluidWorld, keep: Option<f64>) -> Result<Self, SnapshotError> {
        if world.liquid().sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let mut parts: [Vec<u8>; FluidPart::ALL.len()] = Default::default();
        world.visit_parts(|part, bytes| parts[part as usize] = bytes.to_vec());
        let digest = digest(world, &parts);
        let first = Segment { world: joined(&parts), ticks: Vec::new() };
        let recording = Recording { segments: VecDeque::from([first]), force_fields: 0 };
        Ok(Self { recording, parts, digest, begun: None, keep })
    }

    /// Steps the world as [`FluidWorld::step`] does, and records the tick.
    ///
    /// # Errors
    ///
    /// Returns [`StepError`] as [`FluidWorld::step`]. Then nothing is recorded.
    ///
    /// # Panics
    ///
    /// Panics if a tick has begun and not ended.
    pub fn step(
        &mut self,
        world: &mut FluidWorld,
        time_step: f32,
        executor: &dyn Executor,
    ) -> Result<StepReport, StepError> {
        self.before_tick(world, time_step).expect("between two ticks");
        let stepped = world.step(time_step, executor);
        match stepped {
            Ok(_) => self.after_tick(world).expect("between two ticks"),
            Err(_) => self.begun = None,
        }
        stepped
    }

    /// Records the changes of the world since the last tick. If you run the passes yourself, call it right before you
    /// begin a tick of `time_step` seconds. A tick that never ends, because of a panic, is part of the
    /// [recording](Self::recording) as well.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn before_tick(&mut self, world: &FluidWorld, time_step: f32) -> Result<(), SnapshotError> {
        if world.liquid().sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let mut changes = Vec::new();
        let parts = &self.parts;
        world.visit_parts(|part, bytes| {
            let before = &parts[part as usize];
            if before != bytes {
                changes.push((part, Change::between(before, bytes)));
            }
        });
        let force_fields = &mut self.recording.force_fields;
        *force_fields = world.force_fields().len().max(*force_fields);
        // The world refuses any other time step, and the tick is not recorded.
        let is_valid = Limits::NOT_NEGATIVE.contains(time_step);
        self.begun = is_valid.then_some(Tick { changes, time_step, outcome: None });
        Ok(())
    }

    /// Records the result of a tick. Call it after [`FluidWorld::end_tick`] and
    /// [`FluidWorld::step_air`]. Without [`before_tick`](Self::before_tick) it records nothing.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if the tick has not ended.
    pub fn after_tick(&mut self, world: &FluidWorld) -> Result<(), SnapshotError> {
        if world.liquid().sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let Some(mut tick) = self.begun.take() else { return Ok(()) };
        let parts = &mut self.parts;
        world.visit_parts(|part, bytes| {
            parts[part as usize].clear();
            parts[part as usize].extend_from_slice(bytes);
        });
        let digest = digest(world, parts);
        tick.outcome = Some(digest.since(&self.digest));
        self.digest = digest;
        let segments = &mut self.recording.segments;
        segments.back_mut().expect("there is always one").ticks.push(tick);
        if let Some(keep) = self.keep {
            if segments.back().is_some_and(|last| last.seconds() >= SEGMENT_SECONDS) {
                segments.push_back(Segment { world: joined(&self.parts), ticks: Vec::new() });
            }
            let without_first =
                |all: &VecDeque<Segment>| -> f64 { all.iter().skip(1).map(Segment::seconds).sum() };
            while segments.len() > 1 && without_first(segments) >= keep {
                segments.pop_front();
            }
        }
        Ok(())
    }

    /// A copy of the recording. A tick that has begun and not ended is its last tick.
    pub fn recording(&self) -> Recording {
        let mut recording = self.recording.clone();
        recording
            .segments
            .back_mut()
            .expect("there is always one")
            .ticks
            .extend(self.begun.clone());
        recording
    }
}

/// Joins the parts of a world to its snapshot entry.
fn joined(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer::default();
    for part in parts {
        writer.part(part);
    }
    writer.bytes
}

fn digest(world: &FluidWorld, parts: &[Vec<u8>; FluidPart::ALL.len()]) -> Digest {
    let hashes = DeepHash::of_parts(parts.each_ref().map(Vec::as_slice));
    Digest { hashes, sketch: Sketch::of(world.particles()) }
}

// Recordings as values and as files, and their replay.

/// Name of the only entry of a recording's own file.
const RECORDING: &str = "recording";

/// A recording: a world, and for each tick its changes from outside, the time step, and hashes of the result.
/// A [`FluidRecorder`](crate::FluidRecorder) creates it, and [`replay`](Self::replay) plays it.
///
/// A recording is an entry of a [`SnapshotFile`], so that a game can store its own state beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    segments: VecDeque<Segment>,
    /// Largest number of force fields that acted in a tick.
    force_fields: usize,
}

stored!(Recording { segments, force_fields } check check_segments);

entries! { "recording": Recording }

/// Some ticks, and the world before them.
#[derive(Clone, Debug, PartialEq)]
struct Segment {
    /// The world, as the entry of a snapshot.
    world: Vec<u8>,
    ticks: Vec<Tick>,
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
    fn seconds(&self) -> f64 {
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

    /// Largest number of [force fields](crate::ForceField) that the world had in a recorded tick. Force fields are your
    /// code and not in the recording: if the number is above 0, set them for the replay
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

/// A recording that is being played. After each tick, the hash of each part is compared with the recorded
/// hash.
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
    /// Returns [`SnapshotError`] if the recorded world is invalid.
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

    /// Plays the next tick; `None` after the last tick. A last tick that did not end, because of a panic, is played but
    /// not compared.
    ///
    /// # Errors
    ///
    /// Returns [`ReplayError::Differs`] with the first difference, and [`ReplayError::Invalid`] and
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
struct Tick {
    /// Parts that were changed from outside since the tick before.
    changes: Vec<(FluidPart, Change)>,
    /// The requested time step, in seconds.
    time_step: f32,
    /// `None` if the tick never ended.
    outcome: Option<Outcome>,
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
struct Outcome {
    /// Hashes of parts.
    hashes: Vec<(FluidPart, u64)>,
    sketch: Option<Sketch>,
}

stored!(Outcome { hashes, sketch });

/// The state after a tick, as a few numbers.
#[derive(Clone, Debug)]
struct Digest {
    hashes: DeepHash,
    sketch: Sketch,
}

impl Digest {
    /// The differences from the digest after the previous tick.
    fn since(&self, before: &Self) -> Outcome {
        let hashes = self.hashes.differences(&before.hashes);
        Outcome {
            hashes: hashes.map(|part| (part, self.hashes.part(part))).collect(),
            sketch: (self.sketch != before.sketch).then(|| self.sketch.clone()),
        }
    }

    /// Becomes the digest after a tick with this outcome.
    fn follow(&mut self, outcome: &Outcome) {
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

// Differences between a replay and its recording.

/// The first difference between a replay and its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayDifference {
    /// The tick after which they differ: 1 is the first of the recording.
    pub tick: u64,
    /// The parts that differ, in the order of [`FluidPart::ALL`].
    pub parts: Vec<FluidPart>,
    /// A particle that differs, or exists only in the replay or only in the recording. If several are known to
    /// differ, it is the one with the lowest slot. `None` if no particle differs. If several particles differ, it is
    /// `None` in at most one of 70 cases. The generation of a particle that exists only in the recording is not
    /// known; the handle then has the replay's generation of the slot.
    pub particle: Option<ParticleId>,
}

impl Display for ReplayDifference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = self.parts.iter().map(|part| part.name()).collect();
        write!(f, "tick {}: {} differ from the recording", self.tick, parts.join(", "))?;
        match self.particle {
            Some(particle) => write!(f, ", first {particle}"),
            None if self.parts.contains(&FluidPart::Particles) => {
                write!(f, ", in their order or in particles that cannot be told apart")
            }
            None => Ok(()),
        }
    }
}

/// The reason for which a replay stops.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// The state after a tick differs from the recorded state.
    #[error("{0}")]
    Differs(ReplayDifference),
    /// The recording is invalid in a part that is checked only during the replay.
    #[error(transparent)]
    Invalid(#[from] SnapshotError),
    /// A recorded time step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
}

// The difference between old and new bytes: the old bytes that are kept, in their order, and the
// bytes that are new.

/// The difference between old and new bytes. Its steps visit the old bytes once, so that the result is
/// never longer than the old bytes and the change together. This also holds for a damaged file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Change {
    steps: Vec<u8>,
}

/// A step: the number of old bytes that are kept, of old bytes that are left out, and of new bytes
/// that follow.
type Step = (u64, u64, u64);

/// Number of bytes that must be equal for a match of old and new bytes.
const WINDOW: usize = 16;

/// Largest number of skipped bytes, old and new ones together, up to which all pairs of places are
/// tried.
const NEAR: usize = 64;

impl Change {
    /// The change from old bytes to new bytes.
    fn between(old: &[u8], new: &[u8]) -> Self {
        let mut to = Writer::default();
        let mut blocks = None;
        let (mut at, mut place) = (0, 0);
        while at < old.len() || place < new.len() {
            let kept = common(&old[at..], &new[place..]);
            at += kept;
            place += kept;
            let (left_out, added) =
                meeting_nearby(&old[at..], &new[place..]).unwrap_or_else(|| {
                    blocks.get_or_insert_with(|| Blocks::of(old)).meeting(old, at, &new[place..])
                });
            let step: Step = (kept as u64, left_out as u64, added as u64);
            to.settings(&step);
            to.bytes.extend_from_slice(&new[place..place + added]);
            at += left_out;
            place += added;
        }
        Self { steps: to.bytes }
    }

    /// Applies the change to the old bytes, and returns the new bytes.
    fn apply(&self, mut old: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let mut from = Reader::new(&self.steps);
        let mut new = Vec::new();
        while !from.is_finished() {
            let (kept, left_out, added): Step = from.settings()?;
            let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
            let (kept, rest) = old.split_at_checked(size(kept)).ok_or_else(other_bytes)?;
            new.extend_from_slice(kept);
            old = rest.get(size(left_out)..).ok_or_else(other_bytes)?;
            new.extend_from_slice(from.take(size(added))?);
        }
        ensure(old.is_empty(), "a change of other bytes")?;
        Ok(new)
    }
}

impl Stored for Change {
    fn store(&self, to: &mut Writer) {
        store_array(&self.steps, to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        load_array(from).map(|steps| Self { steps })
    }
}

fn other_bytes() -> SnapshotError {
    SnapshotError::invalid("a change of other bytes")
}

/// Length of the common prefix.
fn common(one: &[u8], other: &[u8]) -> usize {
    let (ones, others) = (one.as_chunks::<WINDOW>().0, other.as_chunks::<WINDOW>().0);
    let whole = WINDOW * ones.iter().zip(others).take_while(|(one, other)| one == other).count();
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// The nearest match: the numbers of old and of new bytes before it. `None` without a match nearby.
fn meeting_nearby(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    let pairs =
        (0..=NEAR).flat_map(|both| (0..=both).map(move |left_out| (left_out, both - left_out)));
    pairs.filter(|(left_out, added)| *left_out <= old.len() && *added <= new.len()).find(
        |(left_out, added)| {
            let (old, new) = (&old[*left_out..], &new[*added..]);
            match (old.first_chunk::<WINDOW>(), new.first_chunk::<WINDOW>()) {
                (Some(old), Some(new)) => old == new,
                _ => old == new,
            }
        },
    )
}

/// The windows of some bytes: their keys and places, in ascending order.
struct Blocks(Vec<(u64, usize)>);

impl Blocks {
    fn of(bytes: &[u8]) -> Self {
        let windows = bytes.as_chunks::<WINDOW>().0.iter().enumerate();
        let keys = windows.filter_map(|(index, window)| Some((key(window)?, index * WINDOW)));
        let mut blocks: Vec<(u64, usize)> = keys.collect();
        blocks.sort_unstable();
        Self(blocks)
    }

    /// As [`meeting_nearby`], at any distance after a place in the old bytes. Without a match, it returns
    /// the numbers of all remaining bytes.
    fn meeting(&self, old: &[u8], at: usize, new: &[u8]) -> (usize, usize) {
        for (added, window) in new.windows(WINDOW).enumerate() {
            let Some(key) = window.first_chunk().and_then(key) else { continue };
            let next = self.0.partition_point(|block| block.cmp(&(key, at)) == Ordering::Less);
            let Some((_, place)) = self.0.get(next).filter(|(other, _)| *other == key) else {
                continue;
            };
            if old[*place..].starts_with(window) {
                let (before, added_before) = (&old[at..*place], &new[..added]);
                let earlier = before.iter().rev().zip(added_before.iter().rev());
                let earlier = earlier.take_while(|(one, other)| one == other).count();
                return (before.len() - earlier, added - earlier);
            }
        }
        (old.len() - at, new.len())
    }
}

/// A hash of a window; `None` if the window repeats one 32-bit number, because such windows are
/// found in many places.
fn key(window: &[u8; WINDOW]) -> Option<u64> {
    let [low, high] =
        [0, 8].map(|start| u64::from_le_bytes(std::array::from_fn(|byte| window[start + byte])));
    let differs = low != high || low >> 32 != low & u64::from(u32::MAX);
    // Any odd factor works.
    differs.then(|| low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

// A sketch of the particles: a few numbers that identify a particle in which two worlds differ.

/// Number of levels: half of all particles belong to the first, a quarter to the second, and so on.
const LEVELS: usize = 16;

/// Number of cells of a level, among which its particles are distributed. The first levels have more cells,
/// so that two particles that differ seldom share a cell.
const fn cells(level: usize) -> usize {
    if level < 3 { 32 >> level } else { 4 }
}

/// Index of the first cell of each level, and the number of all cells.
const STARTS: [usize; LEVELS + 1] = {
    let mut starts = [0; LEVELS + 1];
    let mut level = 0;
    while level < LEVELS {
        starts[level + 1] = starts[level] + cells(level);
        level += 1;
    }
    starts
};

/// Number of all cells.
const ALL_CELLS: usize = STARTS[LEVELS];

/// For each cell, the sum of its particles' hashes, and the sum of the same hashes times their slots
/// plus 1.
///
/// If exactly one particle of a cell differs, the quotient of the differences of both sums is its slot plus 1. For any
/// number of particles that differ, some level has about one of them in a cell: the strata of Eppstein, Goodrich, Uyeda
/// and Varghese 2011, "What's the Difference? Efficient Set Reconciliation without Prior Context". Two particles that
/// differ share a cell in one of 70 cases. If more particles differ, in one of some hundred cases no cell has exactly
/// one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sketch {
    sums: Box<[[u32; 2]; ALL_CELLS]>,
}

impl Sketch {
    fn of(particles: &Particles) -> Self {
        let mut sums = Box::new([[0_u32; 2]; ALL_CELLS]);
        for (index, id) in particles.ids().iter().enumerate() {
            let hash = particles.deep_hash_of(index);
            let hash = (hash ^ hash >> 32) as u32;
            let [sum, by_slot] = &mut sums[cell_of(id.slot())];
            *sum = sum.wrapping_add(hash);
            *by_slot = by_slot.wrapping_add(hash.wrapping_mul(weight(id.slot())));
        }
        Self { sums }
    }

    /// The lowest slot below `slots` whose particles certainly differ; `None` without such a slot.
    fn differing_slot(&self, other: &Self, slots: u32) -> Option<u32> {
        let differences: Vec<[u32; 2]> = self
            .sums
            .iter()
            .zip(&*other.sums)
            .map(|(one, other)| [0, 1].map(|sum| one[sum].wrapping_sub(other[sum])))
            .collect();
        let mut found = [None; ALL_CELLS];
        for slot in 0..slots {
            let cell = cell_of(slot);
            let [sum, by_slot] = differences[cell];
            if sum != 0 && sum.wrapping_mul(weight(slot)) == by_slot {
                // If two slots explain the differences of a cell, neither is certain.
                found[cell] = Some(if found[cell].is_none() { Some(slot) } else { None });
            }
        }
        found.into_iter().flatten().flatten().min()
    }
}

fn weight(slot: u32) -> u32 {
    slot.wrapping_add(1)
}

/// The cell of a slot. Neighbouring slots, which often differ together, are spread (splitmix64).
fn cell_of(slot: u32) -> usize {
    let mut bits = u64::from(slot).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let level = (bits.trailing_zeros() as usize).min(LEVELS - 1);
    STARTS[level] + (bits >> 32) as usize % cells(level)
}

impl Stored for Sketch {
    fn store(&self, to: &mut Writer) {
        store_elements(self.sums.as_flattened(), to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let sums: Vec<u32> = load_elements(2 * ALL_CELLS, from)?;
        let mut sketch = Box::new([[0; 2]; ALL_CELLS]);
        sketch.as_flattened_mut().copy_from_slice(&sums);
        Ok(Self { sums: sketch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParticleSpawn;
    use crate::shape::scatter;

    /// Numbers that look random.
    fn numbers(count: usize, seed: u32) -> Vec<u8> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        (0..count).map(next).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn a_change_gives_the_new_bytes_and_takes_little_more_room_than_what_is_new() {
        let old = numbers(20_000, 1);
        let with = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut new = old.clone();
            change(&mut new);
            new
        };
        let changed = [
            (with(&|_| ()), 0),
            (with(&|all| all[4000] ^= 1), 1),
            (with(&|all| all[4000..4040].fill(7)), 40),
            (with(&|all| drop(all.splice(4000..4000, numbers(3, 2)))), 12),
            (with(&|all| drop(all.splice(4000..4000, numbers(3000, 2)))), 12_000),
            (with(&|all| drop(all.drain(4000..4008))), 0),
            (with(&|all| drop(all.drain(4000..30_000))), 0),
            (with(&|all| drop(all.splice(4001..9002, numbers(77, 2)))), 308),
            (with(&|all| all.extend(numbers(2, 3))), 8),
            (with(&|all| all.truncate(100)), 0),
            (numbers(10_000, 4), 40_000),
            (Vec::new(), 0),
        ];
        for (number, (new, added)) in changed.iter().enumerate() {
            let change = Change::between(&old, new);
            assert!(change.apply(&old).as_ref() == Ok(new), "case {number}");
            let room = change.steps.len();
            assert!(room <= added + 40, "case {number} takes {room} bytes for {added}");
        }
        let change = Change::between(&[], &old);
        assert!(change.apply(&[]).as_ref() == Ok(&old));
    }

    #[test]
    fn a_change_of_other_bytes_is_refused() {
        let (old, new) = (numbers(100, 1), numbers(60, 1));
        let change = Change::between(&old, &new);
        assert!(change.apply(&new).is_err() && change.apply(&[]).is_err());
        let longer = [&old[..], &[1]].concat();
        assert!(change.apply(&longer).is_err());
    }

    fn particles(count: u32) -> Particles {
        let mut particles = Particles::default();
        for number in 0..count {
            let position = 100.0 * scatter(number);
            particles.push(ParticleSpawn { position, ..Default::default() });
        }
        particles
    }

    #[test]
    fn a_particle_that_differs_is_found_however_many_do() {
        let whole = particles(5000);
        let sketch = Sketch::of(&whole);
        assert_eq!(sketch.differing_slot(&sketch, 5000), None);
        let (mut found, mut tries) = (0, 0);
        for differing in [1, 2, 7, 50, 400, 5000] {
            for seed in 0..60 {
                let mut other = particles(5000);
                let mut changed = Vec::new();
                for number in 0..differing {
                    let slot = (number * 5000 / differing + 83 * seed) % 5000;
                    let velocity = scatter(number + seed * 7919);
                    other.velocity[slot as usize] += velocity;
                    changed.push(slot);
                }
                let slot = sketch.differing_slot(&Sketch::of(&other), 5000);
                assert!(
                    slot.is_none_or(|slot| changed.contains(&slot)),
                    "{slot:?} does not differ"
                );
                assert!(slot.is_some() || differing > 2, "{differing} differ");
                found += usize::from(slot.is_some());
                tries += 1;
            }
        }
        assert!(found * 100 >= tries * 98, "{found} of {tries}");
    }

    #[test]
    fn a_particle_that_is_missing_is_found() {
        let whole = particles(100);
        let mut other = particles(100);
        other.swap_remove(40);
        assert_eq!(Sketch::of(&whole).differing_slot(&Sketch::of(&other), 100), Some(40));
    }
}
