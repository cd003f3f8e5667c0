//! The kernels of shared pressure: powers of `1 - r/h`, and Poly6 for viscosity.

use std::f32::consts::PI;
use std::sync::OnceLock;

use crate::solver::pair_forces::kernels::{Kernels, Number, POLY6_FACTOR, poly6};
use crate::solver::pair_forces::wall_integrals::integrate;
use crate::solver::pair_forces::wall_table::WallIntegrals;

/// The kernels of shared pressure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SharedPressureKernels;

impl Kernels for SharedPressureKernels {
    const HAS_NEAR: bool = true;

    /// `6/(pi h^4) (h - r)^2`: the integral of `2 pi q (1 - q)^2` is `pi/6`.
    const DENSITY_FACTOR: f32 = 6.0 / PI;

    #[inline(always)]
    fn density<N: Number>(w: N) -> N {
        w * w
    }

    /// `10/(pi h^5) (h - r)^3`.
    const NEAR_DENSITY_FACTOR: f32 = 10.0 / PI;

    #[inline(always)]
    fn near_density<N: Number>(w: N) -> N {
        w * w * w
    }

    const PRESSURE_FACTOR: f32 = Self::DENSITY_FACTOR;

    #[inline(always)]
    fn pressure<N: Number>(w: N) -> N {
        Self::density(w)
    }

    const SLOPE_FACTOR: f32 = 2.0 * Self::DENSITY_FACTOR;

    #[inline(always)]
    fn slope<N: Number>(w: N) -> N {
        w
    }

    const NEAR_SLOPE_FACTOR: f32 = 3.0 * Self::NEAR_DENSITY_FACTOR;

    #[inline(always)]
    fn near_slope<N: Number>(w: N) -> N {
        w * w
    }

    const VISCOSITY_FACTOR: f32 = POLY6_FACTOR;

    #[inline(always)]
    fn viscosity<N: Number>(w: N) -> N {
        poly6(w)
    }

    /// Half the second moment of Poly6 along one axis.
    const VISCOSITY_AT_RATE: f32 = 1.0 / 20.0;

    /// Poly6 integrates to 1: a substep may take half of a particle's velocity relative to its
    /// neighbours.
    const MOST_VISCOSITY: f32 = 0.5;

    fn walls() -> &'static WallIntegrals {
        static TABLE: OnceLock<WallIntegrals> = OnceLock::new();
        TABLE.get_or_init(integrate::<Self>)
    }
}
