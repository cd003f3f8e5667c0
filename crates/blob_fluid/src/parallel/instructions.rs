//! Chooses the vector instructions of the passes over pairs.
//!
//! Games ship without `-C target-cpu=native`. So on x86 the loops over lanes are compiled twice,
//! for SSE2 and for AVX2, and the choice is made at run time. Other targets compile them once: for
//! NEON on ARM, for SIMD128 in WebAssembly, and for plain arrays where the target has no vector
//! instructions. All versions run the same operations in the same order and without fused
//! multiply-add (FMA), so results are bit-identical.

pub(crate) use crate::parallel::lanes::Instructions;

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

#[cfg(target_arch = "x86_64")]
mod target {
    use std::sync::OnceLock;

    use fearless_simd::Level;
    use fearless_simd::prelude::*;
    use fearless_simd::x86::{Avx2, Sse2};

    use super::{Instructions, LaneKernel};
    use crate::parallel::lanes::{LaneCounts, LaneVector, positive_lanes};

    // The minimum and maximum of x86 follow the rule of `Instructions` exactly.
    macro_rules! with_exact_extremes {
        ($set:ident) => {
            impl Instructions for $set {
                #[inline(always)]
                fn smaller(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
                    self.min_f32x8(a, b)
                }

                #[inline(always)]
                fn larger(self, a: LaneVector<Self>, b: LaneVector<Self>) -> LaneVector<Self> {
                    self.max_f32x8(a, b)
                }

                // One instruction reads the signs of all lanes.
                #[inline(always)]
                fn positive_and_any(self, x: LaneVector<Self>) -> (LaneVector<Self>, bool) {
                    let bits = x.bitcast::<LaneCounts<Self>>();
                    let negative = bits.simd_lt(LaneCounts::splat(self, 0));
                    (positive_lanes(x), !negative.all_true())
                }
            }
        };
    }
    with_exact_extremes!(Sse2);
    with_exact_extremes!(Avx2);

    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(kernel: K) -> K::Output {
        match found() {
            Found::Avx2(avx2) => avx2.vectorize(
                #[inline(always)]
                || kernel.run(avx2),
            ),
            Found::Sse2(sse2) => sse2.vectorize(
                #[inline(always)]
                || kernel.run(sse2),
            ),
        }
    }

    #[derive(Clone, Copy)]
    pub(super) enum Found {
        Avx2(Avx2),
        Sse2(Sse2),
    }

    /// The instructions that the processor has. The environment variable
    /// `BLOB_FLUID_INSTRUCTIONS=baseline` selects the ones of every x86-64 processor, for
    /// comparison.
    pub(super) fn found() -> Found {
        static FOUND: OnceLock<Found> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let set = std::env::var_os("BLOB_FLUID_INSTRUCTIONS");
            let baseline = set.is_some_and(|set| set == "baseline");
            let sse2 = Level::new().as_sse2().expect("every x86-64 processor has SSE2");
            match Level::new().as_avx2() {
                Some(avx2) if !baseline => Found::Avx2(avx2),
                _ => Found::Sse2(sse2),
            }
        })
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
    use crate::parallel::lanes::LaneVector;

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
mod tests {
    use fearless_simd::Simd;

    use super::*;
    use crate::parallel::lanes::{LANES, Lanes, fast_max, fast_min, load, positive};

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
            let lanes = [smaller, larger, positive].map(Lanes::from);
            (lanes, [any, instructions.any_positive(positive)])
        }
    }

    /// Runs a kernel with every set of instructions that the processor has.
    fn with_each<K: LaneKernel>(kernel: impl Fn() -> K) -> Vec<K::Output> {
        let mut outputs = vec![run(kernel())];
        #[cfg(target_arch = "x86_64")]
        {
            let level = fearless_simd::Level::new();
            outputs.extend(level.as_sse2().map(|sse2| sse2.vectorize(|| kernel().run(sse2))));
            outputs.extend(level.as_avx2().map(|avx2| avx2.vectorize(|| kernel().run(avx2))));
        }
        outputs
    }

    #[test]
    fn every_set_of_instructions_follows_the_stated_rules() {
        let numbers = [-0.0, 0.0, 1.0, -1.0, 1e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let bits = |lanes: [Lanes; 3]| lanes.map(|lanes| lanes.map(f32::to_bits));
        for a in numbers {
            for b in numbers {
                let larger = fast_max(a, b);
                let numbers = [fast_min(a, b), larger, positive(larger)].map(|x| [x; LANES]);
                let may_say_either = larger == 0.0 || larger.is_nan();
                for (found, [any, any_positive]) in with_each(|| Extremes([a, b])) {
                    assert_eq!(bits(found), bits(numbers), "{a} and {b}");
                    assert_eq!(any_positive, larger > 0.0, "{a} and {b}");
                    assert!(any == any_positive || may_say_either, "{a} and {b}");
                }
            }
        }
    }
}
