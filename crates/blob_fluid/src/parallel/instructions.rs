//! Vector instructions: lanes, and the choice of the instructions of the passes over pairs.
//!
//! A lane holds one number for each of several consecutive particles, and operations work on all lanes at once. Loops over
//! lanes have no branches, so compilers turn them into vector instructions. A candidate beyond the interaction radius adds
//! exactly zero. So a particle's result depends neither on its block nor on the width of the instructions.
//!
//! Games ship without `-C target-cpu=native`. So on x86 the loops over lanes are compiled three
//! times, for SSE2, AVX2 and AVX-512, and the choice is made at run time. Other targets compile them
//! once: for NEON on ARM, for SIMD128 in WebAssembly, and for plain arrays where the target has no
//! vector instructions. All versions run the same operations in the same order and without fused
//! multiply-add (FMA), so results are bit-identical.

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

/// Reads lanes from memory.
#[inline(always)]
pub(crate) fn load<S: Instructions>(instructions: S, lanes: &Lanes) -> LaneVector<S> {
    LaneVector::<S>::from_slice(instructions, &lanes[..S::WIDTH])
}

/// Writes lanes to memory, and 0 to lanes that the registers do not have.
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

// The choice of the instructions.

/// A computation over the lanes of a block.
///
/// [`run`](Self::run) and all functions it calls must be `#[inline(always)]`. Otherwise only the
/// outer function is compiled for the chosen instructions.
pub(crate) trait LaneKernel {
    type Output;

    /// Runs the computation with a set of instructions that the processor has.
    fn run<S: Instructions>(self, instructions: S) -> Self::Output;
}

/// Runs a computation with the best instructions that the processor has.
// A separate function, so that each computation is easy to find in the compiled program.
#[inline(never)]
pub(crate) fn run<K: LaneKernel>(kernel: K) -> K::Output {
    target::run(kernel)
}

/// The environment variable that names the instructions: `avx512`, `avx2` or `baseline`, which every x86-64 processor
/// has. A name that the processor does not have is ignored.
#[cfg(target_arch = "x86_64")]
const VARIABLE: &str = "BLOB_FLUID_INSTRUCTIONS";

/// Largest number of particles in a block: the number of lanes of the chosen instructions.
#[inline(always)]
pub(crate) fn block_width() -> usize {
    target::block_width()
}

/// The vector instructions of the passes over pairs, for reports: `avx512`, `avx2`, or `baseline` for those that every
/// processor of the target has.
///
/// All sets of instructions give the same bits. On a processor with AVX-512, the first call measures for less than
/// a millisecond whether AVX-512 is faster than AVX2, as on some processors. The environment variable
/// `BLOB_FLUID_INSTRUCTIONS` overrides this choice.
///
/// # Examples
///
/// ```
/// println!("simulated with {}", blob_fluid::vector_instructions());
/// # assert!(["avx512", "avx2", "baseline"].contains(&blob_fluid::vector_instructions()));
/// ```
pub fn vector_instructions() -> &'static str {
    target::name()
}

#[cfg(target_arch = "x86_64")]
mod target {
    use std::hint::black_box;
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    use fearless_simd::Level;
    use fearless_simd::prelude::*;
    use fearless_simd::x86::{Avx2, Avx512, Sse2};

    use super::{Instructions, LaneKernel};
    use crate::parallel::instructions::{
        LaneCounts, LaneVector, Lanes, load, positive_lanes, splat, store,
    };

    // The minimum and maximum of x86 follow the rule of `Instructions` exactly.
    macro_rules! with_exact_extremes {
        ($set:ident, $min:ident, $max:ident) => {
            impl Instructions for $set {
                #[inline(always)]
                fn smaller(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
                    self.$min(a, b)
                }

                #[inline(always)]
                fn larger(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
                    self.$max(a, b)
                }

                // One instruction reads the signs of all lanes.
                #[inline(always)]
                fn positive_and_any(self, x: LaneVector<Self>) -> (LaneVector<Self>, bool) {
                    let bits = x.bitcast::<LaneCounts<Self>>();
                    let negative = bits.simd_lt(LaneCounts::<Self>::splat(self, 0));
                    (positive_lanes::<Self>(x), !negative.all_true())
                }
            }
        };
    }
    with_exact_extremes!(Sse2, min_f32x4, max_f32x4);
    with_exact_extremes!(Avx2, min_f32x8, max_f32x8);
    with_exact_extremes!(Avx512, min_f32x16, max_f32x16);

    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(kernel: K) -> K::Output {
        run_with(chosen(), kernel)
    }

    #[inline(always)]
    pub(super) fn run_with<K: LaneKernel>(set: Set, kernel: K) -> K::Output {
        match set {
            Set::Avx512(avx512) => avx512.vectorize(
                #[inline(always)]
                || kernel.run(avx512),
            ),
            Set::Avx2(avx2) => avx2.vectorize(
                #[inline(always)]
                || kernel.run(avx2),
            ),
            Set::Sse2(sse2) => sse2.vectorize(
                #[inline(always)]
                || kernel.run(sse2),
            ),
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Set {
        Avx512(Avx512),
        Avx2(Avx2),
        Sse2(Sse2),
    }

    impl Set {
        pub(super) fn name(self) -> &'static str {
            match self {
                Self::Avx512(_) => "avx512",
                Self::Avx2(_) => "avx2",
                Self::Sse2(_) => "baseline",
            }
        }

        pub(super) fn width(self) -> usize {
            match self {
                Self::Avx512(_) => 16,
                Self::Avx2(_) => 8,
                Self::Sse2(_) => 4,
            }
        }
    }

    /// The sets that the processor has, the widest first.
    pub(super) fn available() -> impl Iterator<Item = Set> {
        let level = Level::new();
        let wide = [level.as_avx512().map(Set::Avx512), level.as_avx2().map(Set::Avx2)];
        wide.into_iter().flatten().chain(level.as_sse2().map(Set::Sse2))
    }

    /// The set of this process.
    #[inline(always)]
    pub(super) fn chosen() -> Set {
        #[cfg(test)]
        if let Some(set) = super::tests::forced() {
            return set;
        }
        static CHOSEN: OnceLock<Set> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let wanted = std::env::var(super::VARIABLE);
            let named = |set: &Set| wanted.as_ref().is_ok_and(|name| name == set.name());
            available().find(named).unwrap_or_else(fastest)
        })
    }

    pub(super) fn block_width() -> usize {
        chosen().width()
    }

    pub(super) fn name() -> &'static str {
        chosen().name()
    }

    /// Number of candidates for the neighbours of a block of eight particles, in a pool.
    const CANDIDATES: usize = 100;

    /// The factor by which a block of 16 has more candidates.
    const MORE_CANDIDATES: f32 = 1.25;

    /// The set with which the pairs of a particle take the least time. AVX-512 has to save a twentieth.
    fn fastest() -> Set {
        let mut sets = available();
        let widest = sets.next().expect("every x86-64 processor has SSE2");
        let (Set::Avx512(_), Some(narrower)) = (widest, sets.next()) else { return widest };
        let wide = (CANDIDATES as f32 * MORE_CANDIDATES) as usize;
        let mut times = [Duration::MAX; 2];
        // The shortest of several rounds in turns: others may use the processor meanwhile.
        for _ in 0..8 {
            for (time, (set, candidates)) in
                times.iter_mut().zip([(widest, wide), (narrower, CANDIDATES)])
            {
                *time = (*time).min(time_of_pairs(set, candidates));
            }
        }
        let [wide, narrow] = [(times[0], widest), (times[1], narrower)]
            .map(|(time, set)| time.as_secs_f32() / set.width() as f32);
        if wide < 0.95 * narrow { widest } else { narrower }
    }

    /// The time of computing a block's pairs many times.
    fn time_of_pairs(set: Set, candidates: usize) -> Duration {
        let begin = Instant::now();
        for _ in 0..30 {
            black_box(run_with(set, Pairs { candidates: black_box(candidates) }));
        }
        begin.elapsed()
    }

    /// The arithmetic of the pairs of a block, as in the passes, to compare sets of instructions.
    struct Pairs {
        candidates: usize,
    }

    impl LaneKernel for Pairs {
        type Output = (Lanes, usize);

        #[inline(always)]
        fn run<S: Instructions>(self, instructions: S) -> (Lanes, usize) {
            let splat = |number: f32| splat(instructions, number);
            let x = load(instructions, &std::array::from_fn(|lane| 0.1 * lane as f32));
            let (mut sum_x, mut sum_y, mut near) = (splat(0.0), splat(0.0), 0);
            for index in 0..self.candidates {
                let (dx, dy) = (splat(0.05 * index as f32) - x, splat(0.3));
                let squared = dx * dx + dy * dy;
                let distance = squared.sqrt();
                let inverse_distance = distance * (splat(1.0) / squared);
                let (closeness, any) =
                    instructions.positive_and_any(splat(1.0) - distance * splat(0.2));
                let strength = (closeness + closeness * closeness) * inverse_distance;
                sum_x += strength * dx;
                sum_y += strength * dy;
                near += usize::from(any);
            }
            (store(sum_x + sum_y), near)
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod target {
    use fearless_simd::{Level, Simd};

    use super::LaneKernel;

    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(kernel: K) -> K::Output {
        match Level::baseline() {
            #[cfg(target_arch = "aarch64")]
            Level::Neon(neon) => neon.vectorize(
                #[inline(always)]
                || kernel.run(neon),
            ),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(simd128) => simd128.vectorize(
                #[inline(always)]
                || kernel.run(simd128),
            ),
            #[cfg(not(any(
                target_arch = "aarch64",
                all(target_arch = "wasm32", target_feature = "simd128")
            )))]
            Level::Fallback(arrays) => arrays.vectorize(
                #[inline(always)]
                || kernel.run(arrays),
            ),
            #[allow(unreachable_patterns, reason = "most targets have one set of instructions")]
            _ => unreachable!("the baseline of the target is above"),
        }
    }

    pub(super) fn block_width() -> usize {
        crate::parallel::instructions::LANES
    }

    pub(super) fn name() -> &'static str {
        "baseline"
    }

    #[cfg(target_arch = "aarch64")]
    impl super::Instructions for fearless_simd::aarch64::Neon {}

    #[cfg(not(any(
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    impl super::Instructions for fearless_simd::Fallback {}
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128 {
    use std::arch::wasm32::{f32x4_pmax, f32x4_pmin, v128_any_true};

    use fearless_simd::prelude::*;
    use fearless_simd::wasm32::WasmSimd128;

    use super::Instructions;
    use crate::parallel::instructions::LaneVector;

    // `pmin(b, a)` is `a < b ? a : b`, and `pmax(b, a)` is `b < a ? a : b`.
    impl Instructions for WasmSimd128 {
        #[inline(always)]
        fn smaller(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
            f32x4_pmin(b.into(), a.into()).simd_into(self)
        }

        #[inline(always)]
        fn larger(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
            f32x4_pmax(b.into(), a.into()).simd_into(self)
        }

        #[inline(always)]
        fn any_positive(self, x: LaneVector<Self>) -> bool {
            v128_any_true(x.into())
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    #[cfg(target_arch = "x86_64")]
    thread_local! {
        static FORCED: Cell<Option<target::Set>> = const { Cell::new(None) };
    }

    /// The set of instructions that this thread uses for a test.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn forced() -> Option<target::Set> {
        FORCED.get()
    }

    /// Calls a function with every set of instructions that the processor has.
    pub(crate) fn with_each_set<T>(mut call: impl FnMut() -> T) -> Vec<T> {
        let mut results = vec![call()];
        #[cfg(target_arch = "x86_64")]
        for set in target::available() {
            FORCED.set(Some(set));
            results.push(call());
            FORCED.set(None);
        }
        results
    }

    /// Computes the smaller and the larger of two numbers and the larger one's positive part. Two
    /// methods report whether the larger one is positive.
    struct Extremes([f32; 2]);

    impl LaneKernel for Extremes {
        type Output = ([Lanes; 3], [bool; 2]);

        #[inline(always)]
        fn run<S: Instructions>(self, instructions: S) -> ([Lanes; 3], [bool; 2]) {
            let [a, b] = self.0.map(|number| load(instructions, &[number; LANES]));
            let (smaller, larger) = (instructions.smaller(a, b), instructions.larger(a, b));
            let (positive, any) = instructions.positive_and_any(larger);
            let lanes = [smaller, larger, positive].map(store);
            (lanes, [any, instructions.any_positive(positive)])
        }
    }

    #[test]
    fn every_set_of_instructions_follows_the_stated_rules() {
        let numbers = [-0.0, 0.0, 1.0, -1.0, 1e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let bits = |lanes: [Lanes; 3]| lanes.map(|lanes| lanes[0].to_bits());
        for a in numbers {
            for b in numbers {
                let larger = fast_max(a, b);
                let numbers = [fast_min(a, b), larger, positive(larger)];
                let may_say_either = larger == 0.0 || larger.is_nan();
                for (found, [any, any_positive]) in with_each_set(|| run(Extremes([a, b]))) {
                    assert_eq!(bits(found), numbers.map(f32::to_bits), "{a} and {b}");
                    assert_eq!(any_positive, larger > 0.0, "{a} and {b}");
                    assert!(any == any_positive || may_say_either, "{a} and {b}");
                }
            }
        }
    }
}
