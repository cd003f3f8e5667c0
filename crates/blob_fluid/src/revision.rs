//! Revision numbers, which detect that a part of the state has changed since values were derived from it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The revision of a part of the state. Code that changes the part renews the revision. Code that
/// derives values from the part remembers the revision.
///
/// Each change in the process gets a unique revision, across all liquids. So a liquid that a
/// snapshot has replaced also counts as changed. Results do not depend on the number.
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
