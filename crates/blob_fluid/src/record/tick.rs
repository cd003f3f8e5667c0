//! A tick of a recording.

use crate::record::change::Change;
use crate::record::sketch::Sketch;
use crate::snapshot::hash::{DeepHash, FluidPart};
use crate::stored::error::{SnapshotError, ensure};
use crate::stored::reader::Reader;
use crate::stored::stored;
use crate::stored::writer::{Stored, Writer};

/// A tick: what changed the world before it, how long it was, and what came out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Parts that were changed from outside since the tick before.
    pub changes: Vec<(FluidPart, Change)>,
    /// The time step that was asked for, in seconds.
    pub time_step: f32,
    /// `None` if the tick never ended.
    pub outcome: Option<Outcome>,
}

stored!(Tick { changes, time_step in Limits::NOT_NEGATIVE, outcome } check check_changes);

/// Each part is changed at most once, in the order of the parts: each change copies all of it.
fn check_changes(tick: &Tick) -> Result<(), SnapshotError> {
    let ascend = tick.changes.is_sorted_by(|(one, _), (other, _)| (*one as u8) < *other as u8);
    ensure(ascend, "a part that changes twice")
}

/// What came out of a tick: only what is other than after the tick before.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// Hashes of parts.
    pub hashes: Vec<(FluidPart, u64)>,
    pub sketch: Option<Sketch>,
}

stored!(Outcome { hashes, sketch });

/// The state after a tick, in few numbers.
#[derive(Clone, Debug)]
pub(super) struct Digest {
    pub hashes: DeepHash,
    pub sketch: Sketch,
}

impl Digest {
    /// How it differs from the digest after the tick before.
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
