//! How particles are divided for parallel work.

use std::ops::Range;

/// How many particles one unit of parallel work holds: enough to be worth handing over, few enough
/// to share out evenly.
pub(crate) const CHUNK: usize = 256;

/// The same where a particle takes only a few operations.
pub(crate) const LONG_CHUNK: usize = 1024;

/// How many particles of a chunk are looked at together for whether a surface is near, before smaller
/// groups of them are.
pub(crate) const SECTION: usize = 64;

/// How many particles are looked at together before each is.
pub(crate) const GROUP: usize = 16;

/// Divides a range into parts of `size`; the last may be shorter.
pub(crate) fn parts(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(size).map(move |start| start..end.min(start + size))
}

/// The indices of a chunk's particles, given the number of the chunk and how many particles it has.
pub(crate) fn chunk_of(index: usize, particles: usize) -> Range<usize> {
    index * CHUNK..index * CHUNK + particles
}
