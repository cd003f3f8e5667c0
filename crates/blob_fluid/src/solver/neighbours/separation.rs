//! The direction in which particles at the same point move apart.

use glam::Vec2;

use crate::particles::id::ParticleId;

/// Direction from coincident particle `a` to `b`: one of sixteen, chosen by their ids. It is
/// opposite for `b` and `a`.
pub(crate) fn separation_axis(a: ParticleId, b: ParticleId) -> Vec2 {
    // Directions of a quarter circle; the others follow by quarter turns.
    const QUARTER: [Vec2; 4] = [
        Vec2::new(1.0, 0.0),
        Vec2::new(0.923_879_5, 0.382_683_43),
        Vec2::new(0.707_106_77, 0.707_106_77),
        Vec2::new(0.382_683_43, 0.923_879_5),
    ];
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    let mixed = (low.slot() ^ high.slot().rotate_left(16)).wrapping_mul(0x9e37_79b9) >> 28;
    let axis = QUARTER[(mixed & 3) as usize];
    let turned = match mixed >> 2 {
        0 => axis,
        1 => axis.perp(),
        2 => -axis,
        _ => -axis.perp(),
    };
    if a < b { turned } else { -turned }
}
