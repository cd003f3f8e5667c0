//! The layout of load bearers and loads, as in `shaders/bearers.wgsl`.

use blob_fluid::device::LoadBearer;
use bytemuck::{Pod, Zeroable};

/// Entries of the head of the buffer `Bearers`.
pub(crate) const HEAD: u32 = 2;

/// Impulse (two components) and angular impulse, in steps.
pub(crate) type Steps = [i64; 3];

/// A bearer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct BearerRecord {
    pub applied: Steps,
    pub inverse_mass: [f32; 2],
    pub inverse_inertia: f32,
    pub farthest: f32,
    pub substeps: u32,
    pad: u32,
    pub per_substep: [f32; 3],
    pad_of_row: u32,
}

/// Number of 32-bit words of a bearer in the buffer `Loads`.
pub(crate) const LOAD: usize = 32;

/// The sums of each bearer since it got its row, as in a report.
pub(crate) type Borne = Vec<(LoadBearer, Steps)>;

/// A 64-bit number from two halves, the lower one first.
pub(crate) fn number_of_halves([low, high]: [u32; 2]) -> i64 {
    (u64::from(high) << 32 | u64::from(low)) as i64
}

/// The sums in a copy of the rows of these bearers.
pub(crate) fn borne(bytes: &[u8], bearers: &[Option<LoadBearer>]) -> Borne {
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
    let rows = bearers.iter().zip(words.as_chunks::<LOAD>().0);
    let sums = |words: &[u32; LOAD]| {
        [0, 1, 2].map(|sum: usize| number_of_halves([words[2 * sum], words[2 * sum + 1]]))
    };
    rows.filter_map(|(bearer, words)| Some(((*bearer)?, sums(words)))).collect()
}

/// Bytes of a row of the buffer `Loads`.
pub(crate) const BYTES: u64 = 4 * LOAD as u64;
