//! What tells a particle from its neighbours where each is drawn by itself.

/// One of eight shades: a fixed hash of a particle's number, so that neighbours differ.
pub(super) fn shade(number: u32) -> u8 {
    (number.wrapping_mul(0x9e37_79b9) >> 29) as u8
}
