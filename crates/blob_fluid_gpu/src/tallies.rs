//! What the device counts, in the layout of `shaders/tallies.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::records::CLASSES;

/// Number of channels that drained particles are counted in.
pub(crate) const CHANNELS: usize = 64;

/// Particles of a work group of `summarise`.
pub(crate) const PER_GROUP: u32 = 2048;

/// As in `shaders/spread.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct Spread {
    pub mean: [f32; 2],
    pub squares: [f32; 2],
    pub low: [f32; 2],
    pub high: [f32; 2],
    pub product: f32,
    pub count: u32,
}

/// What is before the counts in `shaders/tallies.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct TalliesHead {
    pub quarantined: u32,
    pub out_of_bounds: u32,
    pub expired: u32,
    pub drained: u32,
    pub spread: Spread,
    pub recycled: u32,
    pub found: u32,
    pub compressed: u32,
    pub awake: u32,
    pub heated: u32,
    pub oldest: u32,
    pub in_one: u32,
    pub in_two: u32,
}

/// Bytes of the last numbers before the counts by class, which count anew in each tick.
pub(crate) const ANEW: u64 = 24;

/// Bytes of the tallies with the channels of the first classes.
pub(crate) fn tallies_bytes(classes: usize) -> u64 {
    (size_of::<TalliesHead>() + 4 * (CLASSES + classes * CHANNELS)) as u64
}
