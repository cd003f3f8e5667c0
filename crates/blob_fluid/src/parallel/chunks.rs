//! Sizes of the parts into which particles are divided for parallel work.

use std::ops::Range;

/// Number of particles in a chunk, the unit of parallel work: enough to be worth handing to another
/// thread, and few enough to spread the work evenly.
pub(crate) const CHUNK: usize = 256;

/// Number of particles in a chunk of a pass that takes only a few operations per particle.
pub(crate) const LONG_CHUNK: usize = 1024;

/// Number of particles in a section of a chunk. Walls are first searched near each section, and
/// then near the smaller groups in it.
pub(crate) const SECTION: usize = 64;

/// Number of particles in a group of a section. Walls are searched near a group before they are
/// searched near each particle.
pub(crate) const GROUP: usize = 16;

/// Divides a range into parts of length `size`; the last part may be shorter.
pub(crate) fn parts(
    range: Range<usize>,
    size: usize,
) -> impl Iterator<Item = Range<usize>> + Clone {
    let end = range.end;
    range.step_by(size).map(move |start| start..end.min(start + size))
}

/// The indices of a chunk's particles, given the index of the chunk and its number of particles.
pub(crate) fn chunk_of(index: usize, particles: usize) -> Range<usize> {
    index * CHUNK..index * CHUNK + particles
}
