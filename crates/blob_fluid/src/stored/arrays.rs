//! Long arrays of numbers, copied as a whole.

use bytemuck::Pod;
use glam::Vec2;

use crate::settings::range::Limits;
use crate::stored::error::SnapshotError;
use crate::stored::reader::Reader;
use crate::stored::writer::{Stored, Writer};

/// A number, or some numbers of one size, in a long array.
pub(crate) trait Element: Pod + PartialEq {
    /// Bytes of each number.
    const WORD: usize;
}

/// A whole number, every value of which may be read.
pub(crate) trait Whole: Element {}

/// A fractional number, or some, which are read only with the limits that they have to be within.
pub(crate) trait Fraction: Element {
    /// Whether it is within limits.
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

/// Makes words little-endian, or as this platform has them.
fn turn<T: Element>(bytes: &mut [u8]) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(T::WORD).for_each(<[u8]>::reverse);
    }
}

/// Writes the elements, but not their number.
pub(crate) fn store_elements<T: Element>(elements: &[T], to: &mut Writer) {
    let start = to.bytes.len();
    to.bytes.extend_from_slice(bytemuck::cast_slice(elements));
    turn::<T>(&mut to.bytes[start..]);
}

/// Reads so many elements.
pub(crate) fn load_elements<T: Whole>(
    count: usize,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
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

/// Reads what [`store_array`] wrote.
pub(crate) fn load_array<T: Whole>(from: &mut Reader<'_>) -> Result<Vec<T>, SnapshotError> {
    let count = from.count(size_of::<T>())?;
    load_elements(count, from)
}

/// Reads what [`store_array`] wrote. Each number has to be within the limits; without limits it may be anything,
/// and the caller looks for bad ones.
pub(crate) fn load_fractions<T: Fraction>(
    limits: Option<Limits>,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
    let count = from.count(size_of::<T>())?;
    all_within(limits, load_any(count, from)?)
}

fn all_within<T: Fraction>(
    limits: Option<Limits>,
    elements: Vec<T>,
) -> Result<Vec<T>, SnapshotError> {
    let Some(limits) = limits else { return Ok(elements) };
    let all = elements.iter().all(|element| element.is_within(limits));
    if all {
        Ok(elements)
    } else {
        Err(SnapshotError::invalid(format!("a number that is not {limits}")))
    }
}

/// How a column is written.
mod form {
    /// All elements.
    pub const EACH: u8 = 0;
    /// One element, to which all are equal.
    pub const ONE: u8 = 1;
    /// Nothing: it is equal to the column that it was compared with.
    pub const SAME: u8 = 2;
}

/// Writes a column: a number for each of a known number of items. If all are equal, it writes one.
pub(crate) fn store_column<T: Element>(elements: &[T], to: &mut Writer) {
    let same = |pair: &[T]| bytemuck::bytes_of(&pair[0]) == bytemuck::bytes_of(&pair[1]);
    let all_equal = elements.len() > 1 && elements.windows(2).all(same);
    if all_equal { form::ONE } else { form::EACH }.store(to);
    store_elements(if all_equal { &elements[..1] } else { elements }, to);
}

/// Reads what [`store_column`] wrote for so many items. The caller has made sure that there are not
/// many more items than bytes.
pub(crate) fn load_column<T: Whole>(
    count: usize,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
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

/// Reads what [`store_column_beside`] wrote, with the limits of [`load_fractions`].
pub(crate) fn load_column_beside<T: Fraction>(
    count: usize,
    other: &[T],
    limits: Option<Limits>,
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
    all_within(limits, load_any_column(count, other, from)?)
}

fn load_any_column<T: Element>(
    count: usize,
    other: &[T],
    from: &mut Reader<'_>,
) -> Result<Vec<T>, SnapshotError> {
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
