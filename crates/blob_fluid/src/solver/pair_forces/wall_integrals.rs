//! Integrals of a solver's kernels over what lies beyond a straight wall.

use crate::solver::pair_forces::kernels::Kernels;
use crate::solver::pair_forces::wall_table::{BeyondWall, INTERVALS, WallIntegrals};

/// Integrates the kernels, in double precision and by Simpson's rule. It uses only operations
/// that are exact to the last bit on all platforms.
pub(crate) fn integrate<K: Kernels>() -> WallIntegrals {
    let density = |w| f64::from(K::DENSITY_FACTOR) * K::density(w);
    let near_density = |w| f64::from(K::NEAR_DENSITY_FACTOR) * K::near_density(w);
    let pressure = |w| f64::from(K::PRESSURE_FACTOR) * K::pressure(w);
    let beyond = |distance: f64| BeyondWall {
        density: half_plane(distance, density) as f32,
        near_density: half_plane(distance, near_density) as f32,
        weight: half_plane(distance, pressure) as f32,
        push: line(distance, pressure) as f32,
        near_push: line(distance, near_density) as f32,
    };
    WallIntegrals(std::array::from_fn(|index| beyond(index as f64 / INTERVALS as f64)))
}

/// The integral of a kernel along a line at this distance.
fn line(distance: f64, kernel: impl Fn(f64) -> f64) -> f64 {
    let half = (1.0 - distance * distance).max(0.0).sqrt();
    let along = |y: f64| {
        let radius = (distance * distance + y * y).sqrt();
        kernel((1.0 - radius).max(0.0))
    };
    2.0 * simpson(0.0, half, along)
}

/// The integral of a kernel over the half-plane that begins at this distance.
fn half_plane(distance: f64, kernel: impl Fn(f64) -> f64) -> f64 {
    simpson(distance, 1.0, |x| line(x, &kernel))
}

fn simpson(from: f64, to: f64, value: impl Fn(f64) -> f64) -> f64 {
    const PARTS: usize = 48;
    let step = (to - from) / PARTS as f64;
    let weight = |index: usize| match index {
        0 | PARTS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=PARTS).map(|index| weight(index) * value(from + index as f64 * step)).sum();
    sum * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::shared_pressure::kernels::SharedPressureKernels;
    use crate::solver::sph::kernels::SphKernels;

    /// The same integrals by a sum over small squares of the plane beyond the wall.
    fn by_squares<K: Kernels>(distance: f64) -> [f64; 5] {
        const SIDE: f64 = 1.0 / 400.0;
        let mut sums = [0.0; 5];
        for column in 0..400 {
            for row in -400..400 {
                let x = distance + (f64::from(column) + 0.5) * SIDE;
                let y = (f64::from(row) + 0.5) * SIDE;
                let q = (x * x + y * y).sqrt();
                if q < 1.0 {
                    let w = 1.0 - q;
                    sums[0] += f64::from(K::DENSITY_FACTOR) * K::density(w);
                    sums[1] += f64::from(K::NEAR_DENSITY_FACTOR) * K::near_density(w);
                    sums[2] += f64::from(K::PRESSURE_FACTOR) * K::pressure(w);
                    sums[3] += f64::from(K::SLOPE_FACTOR) * K::slope(w) * x / q;
                    sums[4] += f64::from(K::NEAR_SLOPE_FACTOR) * K::near_slope(w) * x / q;
                }
            }
        }
        sums.map(|sum| sum * SIDE * SIDE)
    }

    fn agrees<K: Kernels>() {
        for step in 0..10 {
            let distance = 0.1013 * f64::from(step);
            let found = K::walls().at(distance as f32);
            let BeyondWall { density, near_density, weight, push, near_push } = found;
            let found = [density, near_density, weight, push, near_push];
            for (found, expected) in found.into_iter().zip(by_squares::<K>(distance)) {
                assert!((f64::from(found) - expected).abs() < 2e-3, "{found} {expected}");
            }
        }
        let at = |distance| K::walls().at(distance);
        assert_eq!(at(-0.3), at(0.0), "beyond the wall it is as at the wall");
        assert!((at(0.0).density - 0.5).abs() < 1e-3, "a half-plane holds half of a kernel");
        assert_eq!(at(1.0), BeyondWall::default());
        assert_eq!(at(f32::NAN), at(0.0));
    }

    #[test]
    fn walls_add_what_liquid_beyond_them_would() {
        agrees::<SphKernels>();
        agrees::<SharedPressureKernels>();
    }
}
