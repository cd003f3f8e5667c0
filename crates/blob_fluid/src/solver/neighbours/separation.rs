//! Particles at the same point, and the directions in which they move apart.

use glam::Vec2;

use crate::particles::id::ParticleId;
use crate::particles::view::ParticleView;
use crate::solver::coefficients::Coefficients;

/// Those of the candidates that are at the same point as the particle `index`, itself left out, and
/// the axis towards each.
pub(crate) fn coincident_particles(
    particles: ParticleView,
    coefficients: &Coefficients,
    index: usize,
    candidates: impl Iterator<Item = usize>,
) -> impl Iterator<Item = (usize, Vec2)> {
    let squared_coincidence = coefficients.coincidence * coefficients.coincidence;
    let ParticleView { position: positions, id: ids, .. } = particles;
    let coincides = move |other: usize| {
        (positions[other] - positions[index]).length_squared() < squared_coincidence
    };
    candidates
        .filter(move |other| *other != index && coincides(*other))
        .map(move |other| (other, separation_axis(ids[index], ids[other])))
}

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
