//! Reading and writing bytes: whole numbers, options, lists and names. The reader accepts untrusted bytes.

use std::collections::VecDeque;
use std::fmt::Display;

use bytemuck::Pod;
use glam::{DVec2, Vec2};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::settings::range::{Limits, MOST_COUNTED};

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

/// Why a snapshot could not be read or made. On an error, nothing changes.
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
        /// The only version that this library reads.
        supported: u32,
    },
    /// The number of bytes differs from the header.
    #[error("the snapshot should be {expected} bytes long, and is {found}")]
    Length {
        /// Number of bytes that the header states.
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
    /// The entry does not have the requested kind.
    #[error("the entry `{name}` is a {found}, and not a {expected}")]
    OtherKind {
        /// The entry's name.
        name: String,
        /// Kind of the entry.
        found: String,
        /// The requested kind.
        expected: String,
    },
    /// The file already has an entry with this name.
    #[error("the snapshot has an entry `{0}` already")]
    NameTaken(String),
    /// A tick has begun and not ended. The state is complete only between two ticks.
    #[error("a tick has begun and not ended")]
    WithinTick,
}

/// A value that was read, or the reason for which the bytes are refused.
pub(crate) type Loaded<T> = Result<T, SnapshotError>;

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

// Kinds of values.

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
stored_numbers!(u8, u32, i32, u64, i64);

impl Stored for usize {
    fn store(&self, to: &mut Writer) {
        (*self as u64).store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let number = u64::load(from)?;
        // A larger number from another platform means no limit here.
        Ok(Self::try_from(number).unwrap_or(Self::MAX))
    }
}

impl Stored for bool {
    fn store(&self, to: &mut Writer) {
        u8::from(*self).store(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        zero_or_one(u8::load(from)?.into())
    }
}

fn zero_or_one(number: u32) -> Loaded<bool> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(SnapshotError::invalid(format!("{other} where 0 or 1 should be"))),
    }
}

/// Writes whether a value exists, in four bytes, as long as most numbers. So a long list of absent
/// values does not take many times its bytes of memory.
fn store_presence(is_there: bool, to: &mut Writer) {
    u32::from(is_there).store(to);
}

/// Reads the output of [`store_presence`].
fn load_presence(from: &mut Reader<'_>) -> Result<bool, SnapshotError> {
    zero_or_one(u32::load(from)?)
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

// Fractional numbers. They are read only with limits.
//
// These numbers do not implement [`Stored`](crate::stored::bytes::Stored), so a type with one does
// not compile without limits.

/// A value of numbers with limits.
pub(crate) trait Numbers: Sized {
    /// Writes the value.
    fn store_numbers(&self, to: &mut Writer);

    /// Reads the output of [`store_numbers`](Self::store_numbers). Each number must be within the limits.
    fn load_within(limits: Limits, from: &mut Reader<'_>) -> Result<Self, SnapshotError>;
}

/// Returns an error unless a number is within limits. The message names no field, because the bytes
/// are untrusted.
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

            fn load_within(limits: Limits, from: &mut Reader<'_>) -> Loaded<Self> {
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

            fn load_within(limits: Limits, from: &mut Reader<'_>) -> Loaded<Self> {
                let x = Numbers::load_within(limits, from)?;
                Ok(Self::new(x, Numbers::load_within(limits, from)?))
            }
        }
    )*};
}
vectors!(Vec2, DVec2);

/// Types that occur beside numbers in a pair, and have no limits.
macro_rules! beside_numbers {
    ($($type:ty),*) => {$(
        impl $crate::stored::bytes::Numbers for $type {
            fn store_numbers(&self, to: &mut $crate::stored::bytes::Writer) {
                $crate::stored::bytes::Stored::store(self, to);
            }

            fn load_within(
                _: $crate::settings::range::Limits,
                from: &mut $crate::stored::bytes::Reader<'_>,
            ) -> Result<Self, $crate::stored::bytes::SnapshotError> {
                $crate::stored::bytes::Stored::load(from)
            }
        }
    )*};
}
pub(crate) use beside_numbers;

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

// Long arrays of numbers, copied in one piece.

/// An element of a long array: a number, or several numbers of one size.
pub(crate) trait Element: Pod + PartialEq {
    /// Size in bytes of each number in an element.
    const WORD: usize;
}

/// An integer, for which every value is valid.
pub(crate) trait Whole: Element {}

/// A fractional number, or several, which are read only with limits.
pub(crate) trait Fraction: Element {
    /// Whether all its numbers are within limits.
    fn is_within(&self, limits: Limits) -> bool;
}

macro_rules! elements {
    ($($element:ty: $word:literal),*) => {$(
        impl Element for $element {
            const WORD: usize = $word;
        }
    )*};
}
elements!(u8: 1, u32: 4, u64: 8, f32: 4, f64: 8, [f32; 3]: 4, Vec2: 4);

impl Whole for u8 {}
impl Whole for u32 {}
impl Whole for u64 {}

impl Fraction for f32 {
    fn is_within(&self, limits: Limits) -> bool {
        limits.contains(*self)
    }
}

impl Fraction for f64 {
    fn is_within(&self, limits: Limits) -> bool {
        limits.contains_f64(*self)
    }
}

impl Fraction for [f32; 3] {
    fn is_within(&self, limits: Limits) -> bool {
        self.iter().all(|number| limits.contains(*number))
    }
}

impl Fraction for Vec2 {
    fn is_within(&self, limits: Limits) -> bool {
        limits.contains(self.x) && limits.contains(self.y)
    }
}

/// Converts numbers between little-endian and the byte order of the platform.
fn turn<T: Element>(bytes: &mut [u8]) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(T::WORD).for_each(<[u8]>::reverse);
    }
}

/// Writes the elements without their number.
pub(crate) fn store_elements<T: Element>(elements: &[T], to: &mut Writer) {
    let start = to.bytes.len();
    to.bytes.extend_from_slice(bytemuck::cast_slice(elements));
    turn::<T>(&mut to.bytes[start..]);
}

/// Reads `count` elements.
pub(crate) fn load_elements<T: Whole>(count: usize, from: &mut Reader<'_>) -> Loaded<Vec<T>> {
    load_any(count, from)
}

fn load_any<T: Element>(count: usize, from: &mut Reader<'_>) -> Result<Vec<T>, SnapshotError> {
    let length = count.checked_mul(size_of::<T>());
    let bytes = from.take(length.unwrap_or(usize::MAX))?;
    let mut elements = vec![T::zeroed(); count];
    let into = bytemuck::cast_slice_mut(&mut elements);
    into.copy_from_slice(bytes);
    turn::<T>(into);
    Ok(elements)
}

/// Writes the number of elements, and the elements.
pub(crate) fn store_array<T: Element>(elements: &[T], to: &mut Writer) {
    to.count(elements.len());
    store_elements(elements, to);
}

/// Reads the output of [`store_array`].
pub(crate) fn load_array<T: Whole>(from: &mut Reader<'_>) -> Result<Vec<T>, SnapshotError> {
    let count = from.count(size_of::<T>())?;
    load_elements(count, from)
}

/// Reads the output of [`store_array`]. Each number must be within the limits. Without limits every
/// number is accepted, and the caller checks them.
pub(crate) fn load_fractions<T: Fraction>(
    limits: Option<Limits>,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
    let count = from.count(size_of::<T>())?;
    all_within(limits, load_any(count, from)?)
}

fn all_within<T: Fraction>(limits: Option<Limits>, elements: Vec<T>) -> Loaded<Vec<T>> {
    let Some(limits) = limits else { return Ok(elements) };
    if elements.iter().all(|element| element.is_within(limits)) {
        return Ok(elements);
    }
    Err(SnapshotError::invalid(format!("a number that is not {limits}")))
}

/// The forms of a column.
mod form {
    /// All elements.
    pub const EACH: u8 = 0;
    /// One element: the value of all elements.
    pub const ONE: u8 = 1;
    /// No elements: the column equals the one with which it was compared.
    pub const SAME: u8 = 2;
}

/// Writes a column: one element for each item, whose number the reader knows. If all are equal, it writes one.
pub(crate) fn store_column<T: Element>(elements: &[T], to: &mut Writer) {
    let same = |pair: &[T]| bytemuck::bytes_of(&pair[0]) == bytemuck::bytes_of(&pair[1]);
    let all_equal = elements.len() > 1 && elements.windows(2).all(same);
    if all_equal { form::ONE } else { form::EACH }.store(to);
    store_elements(if all_equal { &elements[..1] } else { elements }, to);
}

/// Reads the output of [`store_column`] for `count` items. The caller has checked that the bytes
/// are in proportion to `count`.
pub(crate) fn load_column<T: Whole>(count: usize, from: &mut Reader<'_>) -> Loaded<Vec<T>> {
    load_any_column(count, &[], from)
}

/// As [`load_column`], with the limits of [`load_fractions`].
pub(crate) fn load_fraction_column<T: Fraction>(
    count: usize,
    limits: Option<Limits>,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
    load_column_beside(count, &[], limits, from)
}

/// Writes a column that is often equal to another one.
pub(crate) fn store_column_beside<T: Element>(elements: &[T], other: &[T], to: &mut Writer) {
    let bytes = bytemuck::cast_slice::<T, u8>;
    if bytes(elements) == bytes(other) {
        form::SAME.store(to);
    } else {
        store_column(elements, to);
    }
}

/// Reads the output of [`store_column_beside`], with the limits of [`load_fractions`].
pub(crate) fn load_column_beside<T: Fraction>(
    count: usize,
    other: &[T],
    limits: Option<Limits>,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
    all_within(limits, load_any_column(count, other, from)?)
}

fn load_any_column<T: Element>(count: usize, other: &[T], from: &mut Reader<'_>) -> Loaded<Vec<T>> {
    match u8::load(from)? {
        form::EACH => load_any(count, from),
        form::ONE => {
            let element = load_any(1, from)?;
            Ok(vec![element[0]; count])
        }
        form::SAME if other.len() == count => Ok(other.to_vec()),
        _ => Err(SnapshotError::invalid("a column in an unknown form")),
    }
}
