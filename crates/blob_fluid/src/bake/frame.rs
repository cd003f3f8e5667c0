//! A frame as bytes, and back.
//!
//! | bytes | contents |
//! |---|---|
//! | 1 | [`KEY`] or [`NEXT`] |
//! | number | number of new particles |
//! | 1 each | their classes |
//! | number | length of the rest before its compression |
//! | rest | numbers, compressed |
//!
//! In a key frame, all particles are new. The rest are the next id, their ids, and then each column and the
//! displacements, as differences from particle to particle. In any other frame, the rest are the removed
//! particles, the particles whose class changed, and the differences of each column from its prediction. The
//! prediction is a constant velocity for positions, and a constant value for all other columns. New particles
//! follow as in a key frame.
//!
//! Classes are not compressed, so that no frame has more particles than the file has bytes.

use std::fmt::{self, Debug, Formatter};

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crate::stored::bytes::ensure;
use crate::{ClassId, SnapshotError};

/// Marks a key frame, which needs no other frame.
pub(super) const KEY: u8 = 0;
/// Marks a frame that needs the frame before it.
pub(super) const NEXT: u8 = 1;

/// Writes a key frame.
pub(super) fn write_key(moment: &Moment, packer: &mut Packer, to: &mut Vec<u8>) {
    to.push(KEY);
    write_classes(&moment.classes, to);
    put(moment.next_id, &mut packer.bytes);
    write_ascending(&moment.ids, &mut packer.bytes);
    write_columns(moment, 0, &mut packer.bytes);
    packer.pack(to);
}

/// Writes a frame that follows `before`, from which the particles at the indices `gone` are already
/// removed.
pub(super) fn write_next(
    before: &Moment,
    gone: &[u32],
    now: &Moment,
    packer: &mut Packer,
    to: &mut Vec<u8>,
) {
    let stayed = before.len();
    to.push(NEXT);
    write_classes(&now.classes[stayed..], to);
    let bytes = &mut packer.bytes;
    put(gone.len() as u32, bytes);
    write_ascending(gone, bytes);
    let pairs = before.classes.iter().zip(&now.classes).zip(0..);
    let changed: Vec<u32> =
        pairs.filter(|((old, new), _)| old != new).map(|(_, index)| index).collect();
    put(changed.len() as u32, bytes);
    write_ascending(&changed, bytes);
    changed.iter().for_each(|index| put(now.classes[*index as usize].0.into(), bytes));
    let ways = before.ways.iter().zip(&now.ways);
    let others = before.columns.iter().zip(&now.columns).skip(column::POSITIONS);
    for (old, new) in ways.chain(others) {
        let both = old.iter().zip(new);
        both.for_each(|(old, new)| put_signed(new.wrapping_sub(*old), bytes));
    }
    write_columns(now, stayed, bytes);
    packer.pack(to);
}

fn write_classes(classes: &[ClassId], to: &mut Vec<u8>) {
    put(classes.len() as u32, to);
    to.extend(classes.iter().map(|class| class.0));
}

/// Writes ascending numbers: for each of them, the count of numbers that are left out before it.
fn write_ascending(numbers: &[u32], to: &mut Vec<u8>) {
    let mut next = 0;
    for number in numbers {
        put(number - next, to);
        next = number + 1;
    }
}

/// Writes the numbers of the particles from an index on.
fn write_columns(moment: &Moment, start: usize, to: &mut Vec<u8>) {
    for numbers in moment.columns.iter().chain(&moment.ways) {
        let mut last = 0_i32;
        for number in &numbers[start..] {
            put_signed(number.wrapping_sub(last), to);
            last = *number;
        }
    }
}

/// Whether a frame is a key frame.
pub(super) fn is_key(frame: &[u8]) -> bool {
    frame.first() == Some(&KEY)
}

/// Reads frames.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameReader {
    unpacker: Unpacker,
    /// Buffer for particles that are removed or that change.
    chosen: Vec<u32>,
}

impl FrameReader {
    /// Reads a frame of a liquid with `classes` classes. `moment` must hold the previous frame, unless this is
    /// a key frame. After an error, its contents are invalid.
    pub(super) fn read(
        &mut self,
        frame: &[u8],
        classes: usize,
        moment: &mut Moment,
    ) -> Result<(), SnapshotError> {
        let mut from = Numbers(frame);
        let is_key = from.take(1)? == [KEY];
        ensure(is_key || frame[0] == NEXT, "a frame of an unknown kind")?;
        let count = from.next()? as usize;
        let coming = from.take(count)?;
        let known = |class: &u8| usize::from(*class) < classes;
        ensure(coming.iter().all(known), "a particle of an unknown class")?;
        if is_key {
            moment.clear();
        }
        let most = moment.len() + count;
        // For each particle: its removal, its index and new class, its columns, and its
        // displacements.
        let numbers = 3 + moment.columns.len() + column::POSITIONS;
        let most_bytes = (3 + most * numbers).saturating_mul(MOST_BYTES);
        let Self { unpacker, chosen } = self;
        let mut from = Numbers(unpacker.unpack(from.0, most_bytes)?);
        if is_key {
            moment.next_id = from.next()?;
            read_ascending(count, moment.next_id, &mut from, &mut moment.ids)?;
        } else {
            read_changes(moment, known, &mut from, chosen)?;
            let first = moment.next_id;
            let next_id = first.checked_add(count as u32);
            moment.next_id = next_id.ok_or_else(|| SnapshotError::invalid("too many particles"))?;
            moment.ids.extend(first..moment.next_id);
        }
        moment.classes.extend(coming.iter().map(|class| ClassId(*class)));
        for numbers in moment.columns.iter_mut().chain(&mut moment.ways) {
            let mut last = 0_i32;
            for _ in 0..count {
                last = last.wrapping_add(from.next_signed()?);
                numbers.push(last);
            }
        }
        ensure(from.0.is_empty(), "a frame of more numbers than particles have")
    }
}

/// Reads the changes of the particles of the previous frame.
fn read_changes(
    moment: &mut Moment,
    known: impl Fn(&u8) -> bool,
    from: &mut Numbers<'_>,
    chosen: &mut Vec<u32>,
) -> Result<(), SnapshotError> {
    read_ascending(from.next()? as usize, moment.len() as u32, from, chosen)?;
    moment.remove(chosen);
    read_ascending(from.next()? as usize, moment.len() as u32, from, chosen)?;
    for index in &*chosen {
        let class = u8::try_from(from.next()?).ok().filter(&known);
        let class =
            class.ok_or_else(|| SnapshotError::invalid("a particle of an unknown class"))?;
        moment.classes[*index as usize] = ClassId(class);
    }
    for (number, values) in moment.columns.iter_mut().enumerate() {
        match moment.ways.get_mut(number) {
            Some(ways) => {
                for (value, way) in values.iter_mut().zip(ways) {
                    *way = way.wrapping_add(from.next_signed()?);
                    *value = value.wrapping_add(*way);
                }
            }
            None => {
                for value in values {
                    *value = value.wrapping_add(from.next_signed()?);
                }
            }
        }
    }
    Ok(())
}

/// Reads `count` ascending numbers that are below a limit.
fn read_ascending(
    count: usize,
    limit: u32,
    from: &mut Numbers<'_>,
    into: &mut Vec<u32>,
) -> Result<(), SnapshotError> {
    into.clear();
    let mut next = 0_u32;
    for _ in 0..count {
        let number = next.checked_add(from.next()?).filter(|number| *number < limit);
        let number = number.ok_or_else(|| SnapshotError::invalid("particles out of order"))?;
        into.push(number);
        next = number + 1;
    }
    Ok(())
}

// Numbers as few bytes: small ones take one byte, and equal or frequent bytes take few bits (DEFLATE).

/// Effort of the compression, 1 to 10.
const LEVEL: i32 = 6;

/// Largest number of bytes that a number takes.
pub(super) const MOST_BYTES: usize = 5;

/// Writes a number, seven bits in each byte, the lowest first.
pub(super) fn put(number: u32, to: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// Writes a signed number. Small numbers of both signs take few bytes.
pub(super) fn put_signed(number: i32, to: &mut Vec<u8>) {
    put((number << 1 ^ number >> 31) as u32, to);
}

/// Reads numbers.
#[derive(Debug)]
pub(super) struct Numbers<'a>(pub &'a [u8]);

impl<'a> Numbers<'a> {
    /// The next number that [`put`] wrote.
    pub(super) fn next(&mut self) -> Result<u32, SnapshotError> {
        let mut number = 0;
        for place in 0..MOST_BYTES {
            let Some((byte, rest)) = self.0.split_first() else { break };
            self.0 = rest;
            number |= u32::from(byte & 0x7f) << (7 * place);
            if *byte < 0x80 {
                return Ok(number);
            }
        }
        Err(SnapshotError::invalid("a number has no end"))
    }

    /// The next number that [`put_signed`] wrote.
    pub(super) fn next_signed(&mut self) -> Result<i32, SnapshotError> {
        self.next().map(|number| (number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        let split = self.0.split_at_checked(count);
        let (taken, rest) = split.ok_or_else(|| SnapshotError::invalid("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }
}

/// Compresses bytes.
pub(super) struct Packer {
    compressor: Box<CompressorOxide>,
    /// The bytes to compress.
    pub bytes: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        let flags = create_comp_flags_from_zip_params(LEVEL, 0, 0);
        Self { compressor: Box::new(CompressorOxide::new(flags)), bytes: Vec::new() }
    }
}

impl Packer {
    /// Writes the number of bytes, and then the compressed bytes.
    pub(super) fn pack(&mut self, to: &mut Vec<u8>) {
        put(self.bytes.len() as u32, to);
        self.compressor.reset();
        let take = |packed: &[u8]| {
            to.extend_from_slice(packed);
            true
        };
        let (status, _) =
            compress_to_output(&mut self.compressor, &self.bytes, TDEFLFlush::Finish, take);
        debug_assert_eq!(status, TDEFLStatus::Done, "all is taken");
        self.bytes.clear();
    }
}

impl Clone for Packer {
    /// Creates a new packer, because a packer keeps no state from frame to frame.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Debug for Packer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Packer")
    }
}

/// Decompresses the bytes of a [`Packer`].
#[derive(Clone, Default)]
pub(super) struct Unpacker {
    decompressor: Box<DecompressorOxide>,
    bytes: Vec<u8>,
}

impl Unpacker {
    /// Returns the decompressed bytes. More than `most` bytes are an error.
    pub(super) fn unpack(&mut self, packed: &[u8], most: usize) -> Result<&[u8], SnapshotError> {
        let mut packed = Numbers(packed);
        let length = packed.next()? as usize;
        ensure(length <= most, "a frame of more numbers than particles have")?;
        self.bytes.resize(length, 0);
        self.decompressor.init();
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, read, written) =
            decompress(&mut self.decompressor, packed.0, &mut self.bytes, 0, flags);
        let whole = status == TINFLStatus::Done && read == packed.0.len() && written == length;
        ensure(whole, "a frame cannot be unpacked")?;
        Ok(&self.bytes)
    }
}

impl Debug for Unpacker {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Unpacker")
    }
}

// The particles at a frame, in whole steps.

/// The numbers of a particle that are baked. Paint is baked only if a class takes it.
pub(super) mod column {
    pub const X: usize = 0;
    pub const Y: usize = 1;
    pub const DENSITY: usize = 2;
    pub const OPACITY: usize = 3;
    pub const TEMPERATURE: usize = 4;
    /// Red, and after it green and blue.
    pub const PAINT: usize = 5;
    /// Number of columns without and with paint.
    pub const COUNT: usize = 5;
    pub const COUNT_WITH_PAINT: usize = 8;
    /// Number of columns of positions. They come first, and their prediction is a constant
    /// velocity.
    pub const POSITIONS: usize = 2;
}

/// The particles at a frame, the oldest first. All numbers are whole steps. So they are the same on every
/// platform, and do not depend on the key frame from which they are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Moment {
    /// Id of each particle: the number of particles that appeared before it.
    pub ids: Vec<u32>,
    pub classes: Vec<ClassId>,
    pub columns: Vec<Vec<i32>>,
    /// Displacement of each particle since the previous frame, along each axis.
    pub ways: [Vec<i32>; column::POSITIONS],
    /// The id of the next new particle.
    pub next_id: u32,
}

impl Moment {
    pub(super) fn with_columns(count: usize) -> Self {
        Self { columns: vec![Vec::new(); count], ..Self::default() }
    }

    /// Number of particles.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Removes all particles, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.classes.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.ways.iter_mut().for_each(Vec::clear);
    }

    /// Copies another moment, and reuses the memory.
    pub(super) fn copy_from(&mut self, other: &Self) {
        let Self { ids, classes, columns, ways, next_id } = other;
        self.ids.clone_from(ids);
        self.classes.clone_from(classes);
        self.columns.clone_from(columns);
        self.ways.clone_from(ways);
        self.next_id = *next_id;
    }

    /// Removes the particles at these indices, which ascend.
    pub(super) fn remove(&mut self, gone: &[u32]) {
        remove(&mut self.ids, gone);
        remove(&mut self.classes, gone);
        self.columns.iter_mut().for_each(|column| remove(column, gone));
        self.ways.iter_mut().for_each(|ways| remove(ways, gone));
    }
}

/// Removes the items at these indices, which ascend, and keeps the order of the others.
pub(super) fn remove<T: Copy>(items: &mut Vec<T>, gone: &[u32]) {
    let Some(first) = gone.first() else { return };
    let mut to = *first as usize;
    let ends = gone[1..].iter().map(|next| *next as usize).chain([items.len()]);
    for (hole, end) in gone.iter().zip(ends) {
        let kept = *hole as usize + 1..end;
        items.copy_within(kept.clone(), to);
        to += kept.len();
    }
    items.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        let numbers = [0, 1, -1, 63, -64, 64, 8191, -8192, 1 << 20, i32::MAX, i32::MIN];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put_signed(*number, &mut bytes));
        let mut read = Numbers(&bytes);
        assert_eq!(numbers.map(|_| read.next_signed().expect("there")), numbers);
        assert!(read.0.is_empty() && read.next().is_err());
        assert!(Numbers(&[0xff; 9]).next().is_err());
    }

    #[test]
    fn bytes_come_back_and_others_are_refused() {
        let (mut packer, mut unpacker) = (Packer::default(), Unpacker::default());
        for count in [0_usize, 1, 100, 70_000] {
            let bytes: Vec<u8> = (0..count).map(|number| ((number * number) >> 3) as u8).collect();
            let mut packed = Vec::new();
            packer.bytes.extend_from_slice(&bytes);
            packer.pack(&mut packed);
            assert_eq!(unpacker.unpack(&packed, count).expect("whole"), bytes);
            assert!(count == 0 || unpacker.unpack(&packed, count - 1).is_err());
            assert!(unpacker.unpack(&packed[..packed.len() - 1], count).is_err());
            packed.push(0);
            assert!(unpacker.unpack(&packed, count).is_err());
        }
    }

    #[test]
    fn removal_keeps_the_order_of_the_others() {
        for gone in
            [&[][..], &[0], &[9], &[0, 1, 2], &[3, 5, 8, 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]
        {
            let mut items: Vec<u32> = (0..10).collect();
            remove(&mut items, gone);
            let kept: Vec<u32> = (0..10).filter(|item| !gone.contains(item)).collect();
            assert_eq!(items, kept);
        }
    }
}
