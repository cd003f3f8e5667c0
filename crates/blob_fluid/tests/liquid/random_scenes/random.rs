//! Random numbers within the table of ranges.

use blob_fluid::ranges::SettingRange;
use glam::Vec2;

/// The generator "splitmix64" of Steele, Lea and Flood (2014).
pub struct Random(u64);

impl Random {
    /// A generator for one part of a scene. The other parts have no effect on its numbers.
    pub fn new(seed: u64, part: &str) -> Self {
        let seed = part.bytes().fold(seed, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        });
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number below another.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// One of several items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Whether an event of this probability happens.
    pub fn chance(&mut self, probability: f32) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// A number between two others.
    pub fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * ((self.next() >> 40) as f32 / (1 << 24) as f32)
    }

    /// A number between two others above 0; each order of magnitude is as likely as another.
    #[expect(clippy::disallowed_methods, reason = "the scenes may differ between platforms")]
    pub fn magnitude(&mut self, least: f32, most: f32) -> f32 {
        self.between(least.ln(), most.ln()).exp().clamp(least, most)
    }

    /// A point in a square around the origin.
    pub fn point(&mut self, half: f32) -> Vec2 {
        Vec2::new(self.between(-half, half), self.between(-half, half))
    }

    /// A unit vector.
    pub fn direction(&mut self) -> Vec2 {
        self.point(1.0).try_normalize().unwrap_or(Vec2::X)
    }

    /// A value of a setting: an end of its range, near its default, or anything between.
    pub fn value(&mut self, row: &SettingRange) -> f32 {
        let usual = row.default.unwrap_or(1.0);
        self.value_about(row, usual)
    }

    /// A value of a setting without a default that says what is usual.
    pub fn value_about(&mut self, row: &SettingRange, usual: f32) -> f32 {
        let limits = row.limits;
        let least = limits.smallest();
        let most = limits.most;
        let value = match self.below(10) {
            0 => least,
            1 => most,
            2..=4 => usual * self.magnitude(0.25, 4.0),
            _ => {
                // Limits without an end are tried up to a million times what is usual.
                let top = most.min(1e6 * usual.abs().max(1e-3 * most.min(1.0)));
                let low = if least > 0.0 { least.max(1e-6 * top) } else { 1e-6 * top };
                let sign = if least < 0.0 && self.chance(0.5) { -1.0 } else { 1.0 };
                sign * self.magnitude(low, top)
            }
        };
        let value = if row.whole { value.round() } else { value };
        value.clamp(least, most)
    }

    /// A value of an optional setting.
    pub fn maybe(&mut self, row: &SettingRange) -> Option<f32> {
        self.chance(0.5).then(|| self.value(row))
    }
}
