//! What a recorder has recorded: as a value, and as a file.

use std::collections::VecDeque;

use crate::record::tick::Tick;
use crate::snapshot::file::{SnapshotFile, entries};
use crate::stored::arrays::{load_array, store_array};
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::reader::Reader;
use crate::stored::stored;
use crate::stored::writer::{Stored, Writer};

/// Name of the only entry of a recording's own file.
const RECORDING: &str = "recording";

/// A recording: a world, and for each tick what changed it from outside, how long the tick was, and hashes of
/// what came out. A [`FluidRecorder`](crate::FluidRecorder) makes it, and [`replay`](Self::replay) plays it.
///
/// It is an entry of a [`SnapshotFile`], so that a game can put its own state beside it.
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

/// There is a world to begin with.
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

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. The bytes may come from anywhere: no more memory is
    /// taken than 16 times their length.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are not such a recording, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(RECORDING)
    }
}
