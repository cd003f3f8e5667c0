//! Numbers that say whether a part of the state is still the one that something was derived from.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The revision of a part of the state. Whoever changes the part renews it, and whoever derives
/// something from the part remembers it.
///
/// No two changes have the same revision, in whatever liquid they are. So a snapshot that replaces a
/// liquid is noticed as well, and no result depends on a revision's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Revision(u64);

impl Revision {
    /// Makes it a new one. Call it after a change.
    pub(crate) fn renew(&mut self) {
        *self = Self::default();
    }

    /// Its number.
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

impl Default for Revision {
    /// A revision that nothing had before.
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}
