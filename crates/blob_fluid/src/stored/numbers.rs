//! Numbers that are fractions, which are read only with the range that they have to be in.
//!
//! No such number is [`Stored`](crate::stored::writer::Stored) by itself, so that a type with one does not compile
//! before its range is stated.

use glam::{DVec2, Vec2};

use crate::settings::range::Limits;
use crate::stored::error::SnapshotError;
use crate::stored::kinds::{load_presence, store_presence};
use crate::stored::reader::Reader;
use crate::stored::writer::Writer;

/// A value of numbers that have a range.
pub(crate) trait Numbers: Sized {
    /// Writes it.
    fn store_numbers(&self, to: &mut Writer);

    /// Reads what [`store_numbers`](Self::store_numbers) wrote. Each number has to be within the limits.
    fn load_within(limits: Limits, from: &mut Reader<'_>) -> Result<Self, SnapshotError>;
}

/// An error unless a number is within limits, in words that name neither: the bytes may be anything.
pub(crate) fn within(limits: Limits, number: f64) -> Result<(), SnapshotError> {
    if limits.contains_f64(number) {
        return Ok(());
    }
    Err(SnapshotError::invalid(format!("a number is {number}, and must be {limits}")))
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Numbers for $number {
            fn store_numbers(&self, to: &mut Writer) {
                to.bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn load_within(
                limits: Limits,
                from: &mut Reader<'_>,
            ) -> Result<Self, SnapshotError> {
                let number = from.array().map(Self::from_le_bytes)?;
                within(limits, number.into())?;
                Ok(number)
            }
        }
    )*};
}
numbers!(f32, f64);

macro_rules! vectors {
    ($($vector:ty),*) => {$(
        impl Numbers for $vector {
            fn store_numbers(&self, to: &mut Writer) {
                self.x.store_numbers(to);
                self.y.store_numbers(to);
            }

            fn load_within(
                limits: Limits,
                from: &mut Reader<'_>,
            ) -> Result<Self, SnapshotError> {
                let x = Numbers::load_within(limits, from)?;
                Ok(Self::new(x, Numbers::load_within(limits, from)?))
            }
        }
    )*};
}
vectors!(Vec2, DVec2);

/// What stands beside numbers in a pair, and has no range itself.
macro_rules! beside_numbers {
    ($($type:ty),*) => {$(
        impl $crate::stored::numbers::Numbers for $type {
            fn store_numbers(&self, to: &mut $crate::stored::writer::Writer) {
                $crate::stored::writer::Stored::store(self, to);
            }

            fn load_within(
                _: $crate::settings::range::Limits,
                from: &mut $crate::stored::reader::Reader<'_>,
            ) -> Result<Self, $crate::stored::error::SnapshotError> {
                $crate::stored::writer::Stored::load(from)
            }
        }
    )*};
}
beside_numbers!(crate::settings::class::ClassId, crate::particles::id::ParticleId);

impl<T: Numbers> Numbers for Option<T> {
    fn store_numbers(&self, to: &mut Writer) {
        store_presence(self.is_some(), to);
        if let Some(value) = self {
            value.store_numbers(to);
        }
    }

    fn load_within(limits: Limits, from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        load_presence(from)?.then(|| T::load_within(limits, from)).transpose()
    }
}

impl<A: Numbers, B: Numbers> Numbers for (A, B) {
    fn store_numbers(&self, to: &mut Writer) {
        self.0.store_numbers(to);
        self.1.store_numbers(to);
    }

    fn load_within(limits: Limits, from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        Ok((A::load_within(limits, from)?, B::load_within(limits, from)?))
    }
}

impl<T: Numbers + Copy + Default, const N: usize> Numbers for [T; N] {
    fn store_numbers(&self, to: &mut Writer) {
        self.iter().for_each(|item| item.store_numbers(to));
    }

    fn load_within(limits: Limits, from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = T::load_within(limits, from)?;
        }
        Ok(items)
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn store_numbers(&self, to: &mut Writer) {
        to.count(self.len());
        self.iter().for_each(|item| item.store_numbers(to));
    }

    fn load_within(limits: Limits, from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        from.list(|from| T::load_within(limits, from))
    }
}
