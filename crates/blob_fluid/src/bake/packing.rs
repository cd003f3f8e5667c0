//! Numbers as few bytes: small ones take one byte, and equal or frequent bytes take few bits (DEFLATE).

use std::fmt::{self, Debug, Formatter};

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

use crate::stored::error::{SnapshotError, ensure};

/// Effort of the compression, 1 to 10.
const LEVEL: i32 = 6;

/// Most bytes of a number.
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

/// Writes a number of which small ones of both signs are frequent.
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
    /// What is to be compressed.
    pub bytes: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        let flags = create_comp_flags_from_zip_params(LEVEL, 0, 0);
        Self { compressor: Box::new(CompressorOxide::new(flags)), bytes: Vec::new() }
    }
}

impl Packer {
    /// Writes the number of bytes, and what they become.
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
    /// A new one: nothing is left in it from frame to frame.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Debug for Packer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Packer")
    }
}

/// Restores what a [`Packer`] compressed.
#[derive(Clone, Default)]
pub(super) struct Unpacker {
    decompressor: Box<DecompressorOxide>,
    bytes: Vec<u8>,
}

impl Unpacker {
    /// The bytes of which `packed` was made. They may be no more than `most`.
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
}
