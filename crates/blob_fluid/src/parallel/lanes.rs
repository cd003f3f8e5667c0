//! Lanes: one number for each of several consecutive particles. Operations work on all lanes at once.
//!
//! Loops over lanes have no branches, so compilers turn them into vector instructions. A candidate
//! beyond the interaction radius adds exactly zero. So a particle's result depends neither on its
//! block nor on the width of the instructions.

use std::ops::Range;

use fearless_simd::Simd;
use fearless_simd::prelude::*;
use glam::Vec2;

/// Largest number of consecutive particles (a block) that the pair passes compute together. A set of instructions
/// uses as many lanes as its registers have, which may be fewer ([`block_width`]). Results do not depend on it.
///
/// [`block_width`]: crate::parallel::instructions::block_width
pub(crate) const LANES: usize = if cfg!(target_arch = "x86_64") { 16 } else { 4 };

/// One number for each particle of a block, in memory.
pub(crate) type Lanes = [f32; LANES];

/// One number for each particle of a block, in the registers of a set of instructions.
pub(crate) type LaneVector<S> = <S as Simd>::f32s;

/// The coordinates of a point or vector for each particle of a block.
pub(crate) type PointLanes<S> = (LaneVector<S>, LaneVector<S>);

/// One count for each particle of a block, in registers.
pub(crate) type LaneCounts<S> = <S as Simd>::i32s;

/// A flag for each particle of a block, in registers.
pub(crate) type LaneMask<S> = <S as Simd>::mask32s;

/// A set of vector instructions. Its operations are exact: all sets give the same bits.
///
/// The `min` and `max` of the library are not exact: their results for NaN and for zeros of
/// different signs depend on the processor.
pub(crate) trait Instructions: Simd {
    /// Number of lanes of the registers.
    const WIDTH: usize = LaneVector::<Self>::LEN;

    /// In each lane `a` if it is less than `b`, otherwise `b`: so `b` if one of them is NaN.
    #[inline(always)]
    fn smaller(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
        a.simd_lt(b).select(a, b)
    }

    /// In each lane `a` if it is greater than `b`, otherwise `b`: so `b` if one of them is NaN.
    #[inline(always)]
    fn larger(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
        a.simd_gt(b).select(a, b)
    }

    /// Whether any lane is above 0. No lane may be below 0 or -0.
    #[inline(always)]
    fn any_positive(self, x: LaneVector<Self>) -> bool {
        x.simd_gt(LaneVector::<Self>::splat(self, 0.0)).any_true()
    }

    /// The positive part of each lane ([`positive_lanes`]), and whether any lane is positive. The
    /// flag may have either value if the largest number is 0 or a lane is NaN.
    #[inline(always)]
    fn positive_and_any(self, x: LaneVector<Self>) -> (LaneVector<Self>, bool) {
        let positive = positive_lanes::<Self>(x);
        (positive, self.any_positive(positive))
    }
}

/// The same number in every lane.
#[inline(always)]
pub(crate) fn splat<S: Instructions>(instructions: S, number: f32) -> LaneVector<S> {
    LaneVector::<S>::splat(instructions, number)
}

/// Lanes from memory.
#[inline(always)]
pub(crate) fn load<S: Instructions>(instructions: S, lanes: &Lanes) -> LaneVector<S> {
    LaneVector::<S>::from_slice(instructions, &lanes[..S::WIDTH])
}

/// Lanes to memory, and 0 in those that the registers do not have.
#[inline(always)]
pub(crate) fn store<S: Simd, V: SimdBase<S, Element: Default>>(vector: V) -> [V::Element; LANES] {
    let mut lanes = [V::Element::default(); LANES];
    vector.store_slice(&mut lanes[..V::LEN]);
    lanes
}

/// The positive part of each lane: see [`positive`].
#[inline(always)]
pub(crate) fn positive_lanes<S: Instructions>(x: LaneVector<S>) -> LaneVector<S> {
    let instructions = x.token();
    instructions.larger(x, splat(instructions, 0.0))
}

/// Reads one number for each particle in a block. Lanes after the block's end hold the numbers of
/// the following particles, or of the last particle.
#[inline(always)]
pub(crate) fn gather<T>(particles: &Range<usize>, array: &[T], value: impl Fn(&T) -> f32) -> Lanes {
    let from_block = &array[particles.start..];
    let mut lanes = [0.0; LANES];
    if let Some(block) = from_block.first_chunk::<LANES>() {
        for (lane, item) in lanes.iter_mut().zip(block) {
            *lane = value(item);
        }
    } else {
        for (index, lane) in lanes.iter_mut().enumerate() {
            *lane = value(&from_block[index.min(from_block.len() - 1)]);
        }
    }
    lanes
}

/// Reads one point or vector for each particle in a block, as [`gather`] does.
#[inline(always)]
pub(crate) fn gather_points<S: Instructions>(
    instructions: S,
    particles: &Range<usize>,
    array: &[Vec2],
) -> PointLanes<S> {
    let x = gather(particles, array, |point| point.x);
    let y = gather(particles, array, |point| point.y);
    (load(instructions, &x), load(instructions, &y))
}

/// Returns `x` if it is positive, otherwise 0. It compiles to an instruction without a branch,
/// unlike `f32::max`.
#[inline(always)]
pub(crate) fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

/// Returns the smaller of two numbers; `b` if one of them is NaN. It is a single instruction,
/// unlike `f32::min`, which has another rule for NaN.
#[inline(always)]
pub(crate) fn fast_min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Returns the larger of two numbers; `b` if one of them is NaN. It is a single instruction.
#[inline(always)]
pub(crate) fn fast_max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the largest whole number that is not above `x`, saturated to the range of `i32`.
#[inline(always)]
pub(crate) fn floor(x: f32) -> i32 {
    let truncated = x as i32;
    truncated.saturating_sub(i32::from(x < truncated as f32))
}
