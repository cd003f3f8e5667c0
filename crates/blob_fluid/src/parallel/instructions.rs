//! Chooses the vector instructions of the passes over pairs while the program runs.
//!
//! Games ship without `-C target-cpu=native`, so the loops over lanes are compiled twice: for the
//! instructions that every processor of the target has, and for AVX2. The operations and their
//! order are the same, and fused multiplication is never used, so the results are the same to the
//! bit.

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// A computation over the lanes of a block.
///
/// [`run`](Self::run) and all it calls must be `#[inline(always)]`. Otherwise only the outer
/// function is compiled for AVX2.
pub(crate) trait LaneKernel {
    type Output;

    fn run(self) -> Self::Output;
}

/// Runs a computation with the best instructions that the processor has.
#[inline]
pub(crate) fn run<K: LaneKernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has AVX2.
        #[allow(unsafe_code, reason = "the only way to call a function for other instructions")]
        return unsafe { with_avx2(kernel) };
    }
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: LaneKernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Whether the processor has AVX2 and it is not switched off. The environment variable
/// `BLOB_FLUID_INSTRUCTIONS=baseline` switches it off for comparisons.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let baseline = std::env::var_os("BLOB_FLUID_INSTRUCTIONS").is_some_and(|x| x == "baseline");
        !baseline && std::arch::is_x86_feature_detected!("avx2")
    })
}
