//! The weight of a particle in the field, for texels of any width.
//!
//! The field is a sum of weights (1 - q^2)^3 that is sampled at texels and read through a cubic B-spline,
//! which blurs it further: a wide texel blurs more. So that the surface is the same at any resolution,
//! the weights are as much narrower as the spline is wider.

/// Variance of the weight along an axis, as a part of its squared radius.
const WEIGHT_VARIANCE: f32 = 1.0 / 10.0;

/// Variance of the spline along an axis, as a part of a texel's squared width.
const SPLINE_VARIANCE: f32 = 1.0 / 3.0;

/// Width of the texel for which radii are meant, in particle spacings.
const FINE_TEXEL: f32 = 1.0 / 3.54;

/// Least radius of a weight, in texels: a narrower one might fall between texels.
const LEAST_RADIUS: f32 = 1.25;

/// Radius of the drop of a single particle, in particle spacings.
const DROP_RADIUS: f32 = 0.58;

/// Radius of the weight, in particle spacings, that is as wide among texels of the given width (in
/// particle spacings) as one of radius `smoothing` among fine ones.
pub(super) fn radius(smoothing: f32, texel: f32) -> f32 {
    let blur = (texel * texel - FINE_TEXEL * FINE_TEXEL) * (SPLINE_VARIANCE / WEIGHT_VARIANCE);
    let least = LEAST_RADIUS * texel;
    (smoothing * smoothing - blur).max(least * least).sqrt()
}

/// Weight of a particle at its own position, so that the sum is 1 among others at rest.
pub(super) fn weight(radius: f32) -> f32 {
    // The kernel (1 - q^2)^3 has the volume pi/4 r^2; particles at rest lie in a hexagonal lattice,
    // in which each has an area of sqrt(3)/2 spacings^2.
    0.866_025_4 / (std::f32::consts::FRAC_PI_4 * radius * radius)
}

/// Weight of a particle alone, whose field then passes the threshold at the edge of a drop.
pub(super) fn loose_weight(smoothing: f32, texel: f32, threshold: f32) -> f32 {
    let edge = 1.0 - (DROP_RADIUS / smoothing) * (DROP_RADIUS / smoothing);
    let fine = (threshold / (edge * edge * edge)).max(weight(smoothing));
    let at_edge = |radius, texel| blurred(radius, texel, DROP_RADIUS);
    fine * at_edge(smoothing, FINE_TEXEL) / at_edge(radius(smoothing, texel), texel)
}

/// The weight of the given radius, 1 at its middle, at a distance from there, blurred by the spline.
fn blurred(radius: f32, texel: f32, distance: f32) -> f32 {
    const STEPS: i32 = 12;
    // The cubic B-spline.
    let spline = |t: f32| {
        let t = t.abs();
        if t < 1.0 { 2.0 / 3.0 - t * t * (1.0 - 0.5 * t) } else { (2.0 - t).powi(3) / 6.0 }
    };
    let nodes = || (0..STEPS).map(|step| (step as f32 + 0.5) * 4.0 / STEPS as f32 - 2.0);
    let mut sum = 0.0;
    let mut parts = 0.0;
    for y in nodes() {
        for x in nodes() {
            let part = spline(x) * spline(y);
            let (x, y) = (distance + x * texel, y * texel);
            let inside = (1.0 - (x * x + y * y) / (radius * radius)).max(0.0);
            sum += part * inside * inside * inside;
            parts += part;
        }
    }
    sum / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variance along an axis of the weight that the field shows of a particle.
    fn seen_variance(smoothing: f32, texel: f32) -> f32 {
        let radius = radius(smoothing, texel);
        let (mut sum, mut whole) = (0.0, 0.0);
        for step in 0..250 {
            let distance = 0.02 * (step as f32 + 0.5);
            let around = blurred(radius, texel, distance) * distance;
            sum += around * distance * distance;
            whole += around;
        }
        0.5 * sum / whole
    }

    #[test]
    fn a_particle_is_as_wide_at_any_resolution() {
        let fine = seen_variance(2.2, FINE_TEXEL);
        for texel in [0.2, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.8] {
            let wide = seen_variance(2.2, texel);
            assert!((wide - fine).abs() < 0.01 * fine, "{wide} at {texel}, and {fine}");
        }
    }

    #[test]
    fn weights_are_never_narrower_than_texels() {
        assert!((radius(2.2, FINE_TEXEL) - 2.2).abs() < 1e-6);
        for texel in [0.5, 1.0, 3.0, 100.0] {
            assert!(radius(1.2, texel) >= 1.25 * texel);
            assert!(loose_weight(1.2, texel, 0.5).is_finite());
        }
    }
}
