//! Data that can be divided into chunks.

use std::ops::Range;

/// Data that can be divided into chunks: a mutable slice, a range of indices, or a tuple of these
/// with equal lengths.
pub(crate) trait Slices: Send + Sized {
    /// Number of elements. All parts of a tuple have the same length.
    fn len(&self) -> usize;

    /// Whether the length is 0.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Divides the data at `index`: the first part has `index` elements. A tuple is divided part by
    /// part.
    ///
    /// # Panics
    ///
    /// Panics if `index` is greater than the length of a part.
    fn split_at(self, index: usize) -> (Self, Self);
}

impl<T: Send> Slices for &mut [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        self.split_at_mut(index)
    }
}

impl Slices for Range<usize> {
    fn len(&self) -> usize {
        ExactSizeIterator::len(self)
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let middle = self.start + index;
        assert!(middle <= self.end, "{index} is beyond the end of {self:?}");
        (self.start..middle, middle..self.end)
    }
}

/// A list with one item for every chunk of `chunk_size` elements. It is used in a tuple with the
/// data that has these elements.
pub(crate) struct PerChunk<'a, T> {
    items: &'a mut [T],
    elements: usize,
    chunk_size: usize,
}

impl<'a, T> PerChunk<'a, T> {
    /// Creates a list with one item for each chunk of `elements` elements.
    pub(crate) fn new(items: &'a mut [T], elements: usize, chunk_size: usize) -> Self {
        debug_assert_eq!(items.len(), elements.div_ceil(chunk_size));
        Self { items, elements, chunk_size }
    }

    /// The item of the only chunk.
    pub(crate) fn item(self) -> &'a mut T {
        &mut self.items[0]
    }
}

impl<T: Send> Slices for PerChunk<'_, T> {
    fn len(&self) -> usize {
        self.elements
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let chunk_size = self.chunk_size;
        let (first, rest) = self.items.split_at_mut(index.div_ceil(chunk_size));
        let part = |items, elements| Self { items, elements, chunk_size };
        (part(first, index), part(rest, self.elements - index))
    }
}

macro_rules! impl_slices_for_tuple {
    ($first:ident $(, $other:ident)+) => {
        impl<$first: Slices $(, $other: Slices)+> Slices for ($first $(, $other)+) {
            fn len(&self) -> usize {
                self.0.len()
            }

            #[allow(non_snake_case, reason = "one name for the type and its value")]
            fn split_at(self, index: usize) -> (Self, Self) {
                let ($first $(, $other)+) = self;
                let $first = $first.split_at(index);
                $(let $other = $other.split_at(index);)+
                (($first.0 $(, $other.0)+), ($first.1 $(, $other.1)+))
            }
        }
    };
}

impl_slices_for_tuple!(A, B);
impl_slices_for_tuple!(A, B, C);
impl_slices_for_tuple!(A, B, C, D);
impl_slices_for_tuple!(A, B, C, D, E);
