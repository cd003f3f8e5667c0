//! What can be stored, and what it is written to.

use serde::Serialize;

use crate::stored::error::SnapshotError;
use crate::stored::reader::Reader;

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
