//! Several particles side by side, and the operations on them.
//!
//! Loops over lanes have no branches, so that compilers turn them into vector instructions. A
//! candidate beyond the interaction radius adds exactly zero, so a particle's result depends
//! neither on its block nor on the width of those instructions.

use std::ops::Range;

/// How many consecutive particles the pair passes treat side by side.
pub(crate) const LANES: usize = 8;

/// One number for each particle of a block.
pub(crate) type Lanes = [f32; LANES];

/// One number of each particle in a block; lanes past its end hold those of the particles that
/// follow, or of the last one.
#[inline(always)]
pub(crate) fn gather<T>(particles: &Range<usize>, array: &[T], value: impl Fn(&T) -> f32) -> Lanes {
    let from_block = &array[particles.start..];
    let mut lanes = [0.0; LANES];
    if let Some(eight) = from_block.first_chunk::<LANES>() {
        for (lane, item) in lanes.iter_mut().zip(eight) {
            *lane = value(item);
        }
    } else {
        for (index, lane) in lanes.iter_mut().enumerate() {
            *lane = value(&from_block[index.min(from_block.len() - 1)]);
        }
    }
    lanes
}

/// `x` where it is positive, else 0: a branch-free instruction, unlike `f32::max`.
#[inline(always)]
pub(crate) fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// The smaller of two: a single instruction, unlike `f32::min`, which has a rule for NaN. Where one is
/// NaN it is the second.
#[inline(always)]
pub(crate) fn fast_min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two, likewise.
#[inline(always)]
pub(crate) fn fast_max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The whole number at or below `x`, saturating.
#[inline(always)]
pub(crate) fn floor(x: f32) -> i32 {
    let truncated = x as i32;
    truncated.saturating_sub(i32::from(x < truncated as f32))
}
