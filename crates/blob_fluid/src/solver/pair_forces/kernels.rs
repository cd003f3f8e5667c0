//! The kernels of a solver with pair forces.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};

/// Number types of kernels: a scalar, or one number for each particle of a block.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
}

impl<N: Copy + Add<Output = N> + Sub<Output = N> + Mul<Output = N>> Number for N {}

/// The kernels of a solver, as functions of `w = 1 - r/h`, which is 0 beyond the interaction radius `h`. Each kernel
/// must be multiplied by its factor. Then densities integrate to 1 over the plane, with lengths in `h`.
pub(crate) trait Kernels: Copy + Debug + Default + Send + Sync + 'static {
    /// Whether the solver has a near density and a near pressure.
    const HAS_NEAR: bool;

    const DENSITY_FACTOR: f32;
    /// The kernel of the density.
    fn density<N: Number>(w: N) -> N;

    const NEAR_DENSITY_FACTOR: f32;
    /// The kernel of the near density.
    fn near_density<N: Number>(w: N) -> N;

    const PRESSURE_FACTOR: f32;
    /// The kernel whose gradient gives the pressure forces.
    fn pressure<N: Number>(w: N) -> N;

    const SLOPE_FACTOR: f32;
    /// The slope `-dW/dr` of the pressure kernel.
    fn slope<N: Number>(w: N) -> N;

    const NEAR_SLOPE_FACTOR: f32;
    /// The slope of the near density kernel.
    fn near_slope<N: Number>(w: N) -> N;

    const VISCOSITY_FACTOR: f32;
    /// The weight of the exchange of velocity.
    fn viscosity<N: Number>(w: N) -> N;
    /// The kinematic viscosity, in square interaction radii per substep, of this weight at a rate of 1.
    const KINEMATIC_VISCOSITY: f32;
    /// The largest rate at which a substep is stable.
    const MAX_VISCOSITY_RATE: f32;

    /// The integrals over the half plane behind a straight wall.
    fn wall_integrals() -> &'static WallIntegrals;
}

/// `1 - (r/h)^2`, from `w = 1 - r/h`.
#[inline(always)]
pub(crate) fn one_minus_squared_distance<N: Number>(w: N) -> N {
    w + w - w * w
}

/// Poly6 (Mueller, Charypar and Gross 2003, equation 20), `(1 - q^2)^3` with `q = r/h`.
#[inline(always)]
pub(crate) fn poly6<N: Number>(w: N) -> N {
    let base = one_minus_squared_distance(w);
    base * base * base
}

/// In two dimensions `4/(pi h^8) (h^2 - r^2)^3` integrates to 1: the integral of
/// `2 pi q (1 - q^2)^3` from 0 to 1 is `pi/4`.
pub(crate) const POLY6_FACTOR: f32 = 4.0 / std::f32::consts::PI;

// A table of integrals over the half plane behind a straight wall.

/// Number of intervals of the table.
pub(super) const INTERVALS: usize = 64;

/// Contributions of liquid of density 1 behind a wall to a particle at a distance from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WallIntegral {
    pub density: f32,
    pub near_density: f32,
    /// Integral of the pressure kernel over the half plane. The integral for the near pressure is `near_density`.
    pub weight: f32,
    /// Integral of the pressure kernel's gradient, which equals the integral of the kernel along the wall.
    pub push: f32,
    pub near_push: f32,
}

/// A table of [`WallIntegral`] over the distance from the wall, from 0 to one interaction radius.
#[derive(Debug)]
pub(crate) struct WallIntegrals(pub(super) [WallIntegral; INTERVALS + 1]);

impl WallIntegrals {
    /// The contributions at a distance of `u` interaction radii. A `u` below 0 or NaN counts as 0.
    pub(crate) fn at(&self, u: f32) -> WallIntegral {
        let scaled = (u * INTERVALS as f32).max(0.0);
        let index = scaled as usize;
        let Some([low, high]) = self.0.get(index..index + 2).and_then(|pair| pair.first_chunk())
        else {
            return WallIntegral::default();
        };
        let fraction = scaled - index as f32;
        let interpolate =
            |value: fn(&WallIntegral) -> f32| value(low) + fraction * (value(high) - value(low));
        WallIntegral {
            density: interpolate(|beyond| beyond.density),
            near_density: interpolate(|beyond| beyond.near_density),
            weight: interpolate(|beyond| beyond.weight),
            push: interpolate(|beyond| beyond.push),
            near_push: interpolate(|beyond| beyond.near_push),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::shared_pressure::SharedPressureKernels;
    use crate::solver::sph::SphKernels;

    /// The integral of a radial function over the unit disc.
    fn over_plane(value: impl Fn(f64) -> f64) -> f64 {
        const RINGS: u32 = 20_000;
        let ring = |index: u32| {
            let q = (f64::from(index) + 0.5) / f64::from(RINGS);
            std::f64::consts::TAU * q * value(1.0 - q) / f64::from(RINGS)
        };
        (0..RINGS).map(ring).sum()
    }

    fn integrates_to_one(factor: f32, kernel: fn(f64) -> f64, name: &str) {
        let integral = f64::from(factor) * over_plane(kernel);
        assert!((integral - 1.0).abs() < 1e-3, "{name}: {integral}");
    }

    /// The slope of a kernel must equal its finite differences, and be positive: `-dW/dr > 0` pushes particles apart.
    fn has_slope(kernel: (f32, fn(f64) -> f64), slope: (f32, fn(f64) -> f64), name: &str) {
        for step in 1..100 {
            let (w, half) = (f64::from(step) / 100.0, 1e-5);
            let difference = kernel.1(w + half) - kernel.1(w - half);
            let expected = f64::from(kernel.0) * difference / (2.0 * half);
            let found = f64::from(slope.0) * slope.1(w);
            assert!((found - expected).abs() < 1e-3 && found > 0.0, "{name} at {w}: {found}");
        }
    }

    #[test]
    fn kernels_integrate_to_one() {
        type Shared = SharedPressureKernels;
        integrates_to_one(SphKernels::DENSITY_FACTOR, SphKernels::density, "Poly6");
        integrates_to_one(SphKernels::PRESSURE_FACTOR, SphKernels::pressure, "Spiky");
        integrates_to_one(Shared::DENSITY_FACTOR, Shared::density, "density");
        integrates_to_one(Shared::NEAR_DENSITY_FACTOR, Shared::near_density, "near density");
        integrates_to_one(Shared::VISCOSITY_FACTOR, Shared::viscosity, "viscosity");
    }

    #[test]
    fn gradients_are_the_slopes_of_kernels() {
        type Sph = SphKernels;
        type Shared = SharedPressureKernels;
        let sph = (Sph::PRESSURE_FACTOR, Sph::pressure as fn(f64) -> f64);
        has_slope(sph, (Sph::SLOPE_FACTOR, Sph::slope), "Spiky");
        let far = (Shared::DENSITY_FACTOR, Shared::density as fn(f64) -> f64);
        has_slope(far, (Shared::SLOPE_FACTOR, Shared::slope), "density");
        let near = (Shared::NEAR_DENSITY_FACTOR, Shared::near_density as fn(f64) -> f64);
        has_slope(near, (Shared::NEAR_SLOPE_FACTOR, Shared::near_slope), "near density");
    }

    /// The viscosity kernel with the Laplacian `factor (1 - q)` vanishes at 1, and so does its slope
    /// `factor (q/2 - q^2/3 - 1/(6 q))`. Integrated by parts, `-pi` times the integral of `q^2` times that slope must
    /// be 1.
    #[test]
    fn the_laplacian_belongs_to_a_kernel_that_integrates_to_one() {
        const STEPS: u32 = 20_000;
        let factor = f64::from(SphKernels::VISCOSITY_FACTOR);
        let slope = |q: f64| factor * (q / 2.0 - q * q / 3.0 - 1.0 / (6.0 * q));
        for step in 1..100 {
            let (q, half) = (f64::from(step) / 100.0, 1e-6);
            // (q W')'/q
            let flow = |q: f64| q * slope(q);
            let laplacian = (flow(q + half) - flow(q - half)) / (2.0 * half) / q;
            let expected = factor * SphKernels::viscosity(1.0 - q);
            assert!((laplacian - expected).abs() < 1e-3, "at {q}: {laplacian} {expected}");
        }
        let part = |index: u32| {
            let q = (f64::from(index) + 0.5) / f64::from(STEPS);
            -std::f64::consts::PI * q * q * slope(q) / f64::from(STEPS)
        };
        let integral: f64 = (0..STEPS).map(part).sum();
        assert!((integral - 1.0).abs() < 1e-3, "{integral}");
    }

    /// Both weights must slow down a shear flow `v_x = y^2` by the stated viscosity.
    #[test]
    fn a_rate_of_viscosity_is_the_stated_kinematic_viscosity() {
        fn second_moment<K: Kernels>() -> f64 {
            let weight = |w: f64| f64::from(K::VISCOSITY_FACTOR) * K::viscosity(w);
            // The mean of `y^2` over a circle is half of the square of its radius.
            0.5 * over_plane(|w| weight(w) * 0.5 * (1.0 - w) * (1.0 - w))
        }
        for (found, stated) in [
            (second_moment::<SphKernels>(), SphKernels::KINEMATIC_VISCOSITY),
            (second_moment::<SharedPressureKernels>(), SharedPressureKernels::KINEMATIC_VISCOSITY),
        ] {
            assert!((found - f64::from(stated)).abs() < 1e-3, "{found} instead of {stated}");
        }
    }
}
