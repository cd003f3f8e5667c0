//! Why a snapshot was not read or not made.

use std::fmt::Display;

use thiserror::Error;

use crate::counting::MOST_COUNTED;

/// Why a snapshot was not read, or not made. Nothing has been changed then.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SnapshotError {
    /// The bytes do not begin like a snapshot.
    #[error("these bytes are no snapshot")]
    NotASnapshot,
    /// Another version of the format.
    #[error(
        "the snapshot has the format's version {found}, and this library reads version {supported}"
    )]
    Version {
        /// The snapshot's version.
        found: u32,
        /// The only version that is read.
        supported: u32,
    },
    /// The bytes end too early, or go on too long.
    #[error("the snapshot should be {expected} bytes long, and is {found}")]
    Length {
        /// Number of bytes that the header announces.
        expected: u64,
        /// Number of bytes that there are.
        found: u64,
    },
    /// Some byte was changed after the snapshot was made.
    #[error("the snapshot is damaged: its checksum is {found:08x}, and should be {expected:08x}")]
    Checksum {
        /// The checksum that the header announces.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// The checksum is right, but what the bytes say is not.
    #[error("the snapshot is invalid: {0}")]
    Invalid(String),
    /// There is no entry of a name.
    #[error("the snapshot has no entry `{name}`; it has {known}")]
    NoEntry {
        /// The missing name.
        name: String,
        /// The names of all entries.
        known: String,
    },
    /// An entry is of another kind.
    #[error("the entry `{name}` is a {found}, and not a {expected}")]
    OtherKind {
        /// The entry's name.
        name: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A name is there twice.
    #[error("the snapshot has an entry `{0}` already")]
    NameTaken(String),
    /// A tick has begun and not ended. Only between two ticks is everything that decides the future in
    /// the state.
    #[error("a tick has begun and not ended")]
    WithinTick,
}

impl SnapshotError {
    /// What the bytes say is wrong.
    pub(crate) fn invalid(what: impl Display) -> Self {
        Self::Invalid(what.to_string())
    }
}

/// The error of a check, as that of a snapshot.
pub(crate) fn sound<E: Display>(checked: Result<(), E>) -> Result<(), SnapshotError> {
    checked.map_err(SnapshotError::invalid)
}

/// An error for a count beyond [`MOST_COUNTED`].
pub(crate) fn countable(counts: impl IntoIterator<Item = u64>) -> Result<(), SnapshotError> {
    ensure(counts.into_iter().all(|count| count <= MOST_COUNTED), "a count beyond 2^48")
}

/// An error unless something holds.
pub(crate) fn ensure(holds: bool, otherwise: &str) -> Result<(), SnapshotError> {
    if holds { Ok(()) } else { Err(SnapshotError::invalid(otherwise)) }
}
