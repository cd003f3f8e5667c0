//! Whole numbers, options, lists and names.

use std::collections::VecDeque;

use crate::stored::error::SnapshotError;
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};

macro_rules! stored_numbers {
    ($($number:ty),*) => {$(
        impl Stored for $number {
            fn store(&self, to: &mut Writer) {
                to.bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
                from.array().map(Self::from_le_bytes)
            }
        }
    )*};
}
stored_numbers!(u8, u32, i32, u64);

impl Stored for usize {
    fn store(&self, to: &mut Writer) {
        (*self as u64).store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let number = u64::load(from)?;
        // What is larger on another platform is as good as unlimited here.
        Ok(Self::try_from(number).unwrap_or(Self::MAX))
    }
}

impl Stored for bool {
    fn store(&self, to: &mut Writer) {
        u8::from(*self).store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        match u8::load(from)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(SnapshotError::invalid(format!("{other} where 0 or 1 should be"))),
        }
    }
}

/// Writes whether a value is there, in as many bytes as most numbers have: a long list of nothing would otherwise
/// take many times its bytes of memory.
pub(super) fn store_presence(is_there: bool, to: &mut Writer) {
    u32::from(is_there).store(to);
}

/// Reads what [`store_presence`] wrote.
pub(super) fn load_presence(from: &mut Reader<'_>) -> Result<bool, SnapshotError> {
    match u32::load(from)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(SnapshotError::invalid(format!("{other} where 0 or 1 should be"))),
    }
}

impl<T: Stored> Stored for Option<T> {
    fn store(&self, to: &mut Writer) {
        store_presence(self.is_some(), to);
        if let Some(value) = self {
            value.store(to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        load_presence(from)?.then(|| T::load(from)).transpose()
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn store(&self, to: &mut Writer) {
        self.0.store(to);
        self.1.store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        Ok((A::load(from)?, B::load(from)?))
    }
}

impl<T: Stored, const N: usize> Stored for [T; N] {
    fn store(&self, to: &mut Writer) {
        self.iter().for_each(|item| item.store(to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let items = (0..N).map(|_| T::load(from)).collect::<Result<Vec<T>, _>>()?;
        items.try_into().map_err(|_| SnapshotError::invalid("a list of the wrong length"))
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn store(&self, to: &mut Writer) {
        to.count(self.len());
        self.iter().for_each(|item| item.store(to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        from.list(T::load)
    }
}

impl<T: Stored> Stored for VecDeque<T> {
    fn store(&self, to: &mut Writer) {
        to.count(self.len());
        self.iter().for_each(|item| item.store(to));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        Vec::load(from).map(Self::from)
    }
}

impl Stored for String {
    fn store(&self, to: &mut Writer) {
        to.count(self.len());
        to.bytes.extend_from_slice(self.as_bytes());
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let count = from.count(1)?;
        let name = std::str::from_utf8(from.take(count)?).map_err(SnapshotError::invalid)?;
        Ok(name.to_owned())
    }
}
