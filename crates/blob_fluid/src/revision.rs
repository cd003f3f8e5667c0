//! Revisions and hashes of states: revisions detect that a part of the state has changed since values were derived from it,
//! and hashes compare states bit by bit.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The revision of a part of the state. Code that changes the part renews the revision. Code that
/// derives values from the part remembers the revision.
///
/// Each change in the process gets a unique revision, across all liquids. So a liquid that a
/// snapshot has replaced also counts as changed. Results do not depend on revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Revision(u64);

impl Revision {
    /// Renews the revision. Call it after a change.
    pub(crate) fn renew(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

impl Default for Revision {
    /// A revision that was not used before.
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}

// Hashes.

/// A hash (FNV-1a, one `u64` at a time).
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateHash(pub u64);

impl StateHash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bits: u64) {
        self.0 = (self.0 ^ bits).wrapping_mul(0x100_0000_01b3);
    }

    /// Adds a number; positive and negative zero count as equal.
    pub(crate) fn add_number(&mut self, value: f32) {
        self.add((value + 0.0).to_bits().into());
    }
}
