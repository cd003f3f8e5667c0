//! What tells a particle from its neighbours.

/// One of eight shades: a hash of a particle's number without any order in it, because the mean shade of many is a
/// pattern too.
pub(super) fn shade(number: u32) -> u8 {
    // The finaliser `lowbias32` of Wellons' "Prospecting for Hash Functions".
    let mut hash = number;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x7feb_352d);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x846c_a68b);
    ((hash ^ (hash >> 16)) >> 29) as u8
}
