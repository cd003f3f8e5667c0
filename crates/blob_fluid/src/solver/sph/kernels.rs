//! Poly6 for densities, the gradient of Spiky for pressure, and the Laplacian of the viscosity
//! kernel (Mueller, Charypar and Gross 2003, section 3.5), in two dimensions.

use std::f32::consts::PI;
use std::sync::OnceLock;

use crate::solver::pair_forces::kernels::{Kernels, Number, POLY6_FACTOR, poly6};
use crate::solver::pair_forces::wall_integrals::integrate;
use crate::solver::pair_forces::wall_table::WallIntegrals;

/// The kernels of smoothed particle hydrodynamics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SphKernels;

impl Kernels for SphKernels {
    const HAS_NEAR: bool = false;

    const DENSITY_FACTOR: f32 = POLY6_FACTOR;

    #[inline(always)]
    fn density<N: Number>(w: N) -> N {
        poly6(w)
    }

    const NEAR_DENSITY_FACTOR: f32 = 0.0;

    #[inline(always)]
    fn near_density<N: Number>(w: N) -> N {
        w
    }

    /// Spiky is `10/(pi h^5) (h - r)^3`: the integral of `2 pi q (1 - q)^3` is `pi/10`.
    const PRESSURE_FACTOR: f32 = 10.0 / PI;

    #[inline(always)]
    fn pressure<N: Number>(w: N) -> N {
        w * w * w
    }

    const SLOPE_FACTOR: f32 = 30.0 / PI;

    #[inline(always)]
    fn slope<N: Number>(w: N) -> N {
        w * w
    }

    const NEAR_SLOPE_FACTOR: f32 = 0.0;

    #[inline(always)]
    fn near_slope<N: Number>(w: N) -> N {
        w
    }

    /// The kernel whose Laplacian is proportional to `h - r`, which vanishes at `h` with its slope,
    /// integrates to 1 for `40/(pi h^5)`.
    const VISCOSITY_FACTOR: f32 = 40.0 / PI;

    #[inline(always)]
    fn viscosity<N: Number>(w: N) -> N {
        w
    }

    const VISCOSITY_AT_RATE: f32 = 1.0;

    /// The integral of the Laplacian over a plane is `40/3`: a substep may take half of a
    /// particle's velocity relative to its neighbours.
    const MOST_VISCOSITY: f32 = 0.5 * 3.0 / 40.0;

    fn walls() -> &'static WallIntegrals {
        static TABLE: OnceLock<WallIntegrals> = OnceLock::new();
        TABLE.get_or_init(integrate::<Self>)
    }
}
