//! Reading and writing bytes. The reader accepts untrusted bytes.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::settings::range::MOST_COUNTED;

/// The bytes that are not read yet.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(SnapshotError::invalid("it ends too early"));
        };
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads settings with serde.
    pub(crate) fn settings<T: DeserializeOwned>(&mut self) -> Result<T, SnapshotError> {
        let (value, rest) =
            postcard::take_from_bytes(self.bytes).map_err(SnapshotError::invalid)?;
        self.bytes = rest;
        Ok(value)
    }

    /// Reads the number of items of a list. Each item takes at least `least_bytes` bytes. A number
    /// that the remaining bytes cannot hold is refused before any allocation.
    pub(crate) fn count(&mut self, least_bytes: usize) -> Result<usize, SnapshotError> {
        let count = u64::from_le_bytes(self.array()?);
        let most = self.bytes.len() / least_bytes.max(1);
        usize::try_from(count).ok().filter(|count| *count <= most).ok_or_else(|| {
            SnapshotError::invalid(format!(
                "a list of {count} items, for which there are not enough bytes"
            ))
        })
    }

    /// Reads a list of items after their number.
    pub(crate) fn list<T>(
        &mut self,
        mut load: impl FnMut(&mut Self) -> Result<T, SnapshotError>,
    ) -> Result<Vec<T>, SnapshotError> {
        let count = self.count(1)?;
        // Capacity grows with the items that are read, so a false number cannot cause a large allocation.
        let mut items = Vec::new();
        for _ in 0..count {
            if items.len() == items.capacity() {
                items.reserve_exact((items.len() / 2).max(4).min(count - items.len()));
            }
            items.push(load(self)?);
        }
        Ok(items)
    }

    /// The next bytes, as an array.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// Whether all bytes are read.
    pub(crate) fn is_finished(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns an error if bytes remain.
    pub(crate) fn finish(self) -> Result<(), SnapshotError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        Err(SnapshotError::invalid(format!("{} bytes too many", self.bytes.len())))
    }
}

// The trait of storable types, and their output.

/// A part of the state with a lossless form as bytes.
pub(crate) trait Stored: Sized {
    /// Writes the value.
    fn store(&self, to: &mut Writer);

    /// Reads the output of [`store`](Self::store). The bytes are untrusted.
    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError>;
}

/// A growing buffer of bytes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    /// Writes settings with serde.
    pub(crate) fn settings(&mut self, settings: &impl Serialize) {
        let bytes = std::mem::take(&mut self.bytes);
        // An error would come from serde's data model, for example from a list of unknown length.
        self.bytes = postcard::to_extend(settings, bytes).expect("settings have known lengths");
    }

    /// The bytes of a value.
    pub(crate) fn bytes_of(value: &impl Stored) -> Vec<u8> {
        let mut writer = Self::default();
        value.store(&mut writer);
        writer.bytes
    }

    /// Writes bytes as they are, after their number.
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the number of items of a list.
    pub(crate) fn count(&mut self, count: usize) {
        (count as u64).store(self);
    }
}

// The errors of snapshots.

/// The reason for which a snapshot was not read or not made. Nothing is changed then.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SnapshotError {
    /// The bytes do not begin with the mark of a snapshot.
    #[error("these bytes are no snapshot")]
    NotASnapshot,
    /// The format has another version.
    #[error(
        "the snapshot has the format's version {found}, and this library reads version {supported}"
    )]
    Version {
        /// The snapshot's version.
        found: u32,
        /// The only version that is read.
        supported: u32,
    },
    /// The number of bytes differs from the header.
    #[error("the snapshot should be {expected} bytes long, and is {found}")]
    Length {
        /// Number of bytes by the header.
        expected: u64,
        /// Actual number of bytes.
        found: u64,
    },
    /// A byte was changed after the snapshot was made.
    #[error("the snapshot is damaged: its checksum is {found:08x}, and should be {expected:08x}")]
    Checksum {
        /// The checksum in the header.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// The checksum is correct, but the content is invalid.
    #[error("the snapshot is invalid: {0}")]
    Invalid(String),
    /// The file has no entry with this name.
    #[error("the snapshot has no entry `{name}`; it has {known}")]
    NoEntry {
        /// The missing name.
        name: String,
        /// The names of all entries.
        known: String,
    },
    /// The entry has another kind.
    #[error("the entry `{name}` is a {found}, and not a {expected}")]
    OtherKind {
        /// The entry's name.
        name: String,
        /// Its kind.
        found: String,
        /// The expected kind.
        expected: String,
    },
    /// The file already has an entry with this name.
    #[error("the snapshot has an entry `{0}` already")]
    NameTaken(String),
    /// A tick has begun and not ended. The state is complete only between two ticks.
    #[error("a tick has begun and not ended")]
    WithinTick,
}

impl SnapshotError {
    /// The content is invalid, for the given reason.
    pub(crate) fn invalid(what: impl Display) -> Self {
        Self::Invalid(what.to_string())
    }
}

/// Converts the error of a check to that of a snapshot.
pub(crate) fn sound<E: Display>(checked: Result<(), E>) -> Result<(), SnapshotError> {
    checked.map_err(SnapshotError::invalid)
}

/// Returns an error for a count beyond [`MOST_COUNTED`].
pub(crate) fn countable(counts: impl IntoIterator<Item = u64>) -> Result<(), SnapshotError> {
    ensure(counts.into_iter().all(|count| count <= MOST_COUNTED), "a count beyond 2^48")
}

/// Returns an error unless `holds` is true.
pub(crate) fn ensure(holds: bool, otherwise: &str) -> Result<(), SnapshotError> {
    if holds { Ok(()) } else { Err(SnapshotError::invalid(otherwise)) }
}
