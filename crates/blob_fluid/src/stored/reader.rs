//! Reads what may be anything.

use serde::de::DeserializeOwned;

use crate::stored::error::SnapshotError;

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
