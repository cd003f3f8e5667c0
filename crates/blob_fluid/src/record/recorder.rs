//! Records the changes of a world from outside.

use std::collections::VecDeque;

use crate::parallel::executor::Executor;
use crate::record::difference::{Change, Sketch};
use crate::record::replay::{Digest, Recording, Segment, Tick};
use crate::settings::range::Limits;
use crate::snapshot::hash::{DeepHash, FluidPart};
use crate::solver::report::{StepError, StepReport};
use crate::stored::bytes::{SnapshotError, Writer};
use crate::world::FluidWorld;

/// Time between two snapshots in a recording of the last seconds.
const SEGMENT_SECONDS: f64 = 1.0;

/// Records a world, so that it can be [played again](Recording::replay) on any machine. It stores a
/// snapshot, and for each tick the changes of the world from outside.
///
/// It does not intercept calls. Before each tick, it compares the bytes of all parts with the bytes after
/// the previous tick, and stores the differences. So it records every change between two ticks: by a method,
/// by a setting, or by a restored snapshot. It does not record changes by the host between two passes of a
/// tick. It also does not record [force fields](crate::ForceField), which are the host's code. A replay
/// without them reports the tick in which it differs.
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
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn new(world: &FluidWorld) -> Result<Self, SnapshotError> {
        Self::keeping(world, None)
    }

    /// Begins to record, and keeps the last `seconds` and up to one second more. This suits a game that
    /// runs for hours and needs them after an error. It holds a snapshot for each second. A number that is
    /// not above 0 keeps up to one second.
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
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
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
    /// [`StepError`] as [`FluidWorld::step`]. Then nothing is recorded.
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

    /// Records the changes of the world since the last tick. A host that runs the passes itself calls it
    /// right before it begins a tick of `time_step` seconds. A tick that never ends, because of a panic, is
    /// part of the [recording](Self::recording) as well.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] if a tick has begun and not ended.
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
    /// [`SnapshotError::WithinTick`] if the tick has not ended.
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
