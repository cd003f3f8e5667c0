//! Hashes of states, for bit-exact comparison.

/// A hash (FNV-1a, one `u64` at a time).
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateHash(pub u64);

impl StateHash {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bits: u64) {
        self.0 = (self.0 ^ bits).wrapping_mul(0x100_0000_01b3);
    }

    /// Adds a number; positive and negative zero count as equal.
    pub(crate) fn add_number(&mut self, value: f32) {
        self.add((value + 0.0).to_bits().into());
    }
}
