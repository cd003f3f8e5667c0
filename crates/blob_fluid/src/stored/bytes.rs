//! Reads what may be anything.

use std::fmt::Display;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::settings::range::MOST_COUNTED;

/// Bytes that are left to read.
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

    /// Settings, which serde knows.
    pub(crate) fn settings<T: DeserializeOwned>(&mut self) -> Result<T, SnapshotError> {
        let (value, rest) =
            postcard::take_from_bytes(self.bytes).map_err(SnapshotError::invalid)?;
        self.bytes = rest;
        Ok(value)
    }

    /// The number of items of a list, of which each takes at least so many bytes. A number of which
    /// there are not enough bytes is refused before anything is allocated for it.
    pub(crate) fn count(&mut self, least_bytes: usize) -> Result<usize, SnapshotError> {
        let count = u64::from_le_bytes(self.array()?);
        let most = self.bytes.len() / least_bytes.max(1);
        usize::try_from(count).ok().filter(|count| *count <= most).ok_or_else(|| {
            SnapshotError::invalid(format!(
                "a list of {count} items, for which there are not enough bytes"
            ))
        })
    }

    /// A list of items, whose number comes first.
    pub(crate) fn list<T>(
        &mut self,
        mut load: impl FnMut(&mut Self) -> Result<T, SnapshotError>,
    ) -> Result<Vec<T>, SnapshotError> {
        let count = self.count(1)?;
        // Memory is allocated as items arrive: never for many more than there are bytes for.
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

    /// Whether nothing is left.
    pub(crate) fn is_finished(&self) -> bool {
        self.bytes.is_empty()
    }

    /// An error if anything is left.
    pub(crate) fn finish(self) -> Result<(), SnapshotError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        Err(SnapshotError::invalid(format!("{} bytes too many", self.bytes.len())))
    }
}

// What can be stored, and what it is written to.

/// A part of the state that becomes bytes and comes back from them to the bit.
pub(crate) trait Stored: Sized {
    /// Writes it.
    fn store(&self, to: &mut Writer);

    /// Reads what [`store`](Self::store) wrote. The bytes may be anything.
    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError>;
}

/// Bytes that grow.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    /// Writes settings, which serde knows.
    pub(crate) fn settings(&mut self, settings: &impl Serialize) {
        let bytes = std::mem::take(&mut self.bytes);
        // An error would be one of serde's data model, such as a list of unknown length.
        self.bytes = postcard::to_extend(settings, bytes).expect("settings have known lengths");
    }

    /// The bytes of a value.
    pub(crate) fn bytes_of(value: &impl Stored) -> Vec<u8> {
        let mut writer = Self::default();
        value.store(&mut writer);
        writer.bytes
    }

    /// Writes bytes that stand for themselves, and their number before them.
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the number of items of a list.
    pub(crate) fn count(&mut self, count: usize) {
        (count as u64).store(self);
    }
}

// Why a snapshot was not read or not made.

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
