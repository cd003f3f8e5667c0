//! Shared pressure: each pair shares the pressures of a density and of a near density, at predicted positions. See
//! [`FluidSolver::SharedPressure`](crate::FluidSolver::SharedPressure).

use std::f32::consts::PI;
use std::sync::OnceLock;

use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::IgnoredRule;
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::{
    IGNORED_SETTINGS, Kernels, Number, POLY6_FACTOR, Stiffness, WallIntegrals, poly6,
};
use crate::solver::pair_forces::forces::{PairForces, apply_forces_of_pairs};
use crate::solver::pair_forces::walls::integrate;
use crate::solver::substeps::SubstepDemand;
use crate::{FluidParameters, Liquid};

// Settings and passes of the solver `shared_pressure`.

/// `(c dt/h)^2` for the largest speed of sound `c` at which a substep is stable.
const MAX_STIFFNESS: f32 = 0.2;

/// Kinematic viscosity within a class, as a fraction of `c h`. With a smaller value, the liquid does not come to
/// rest.
const DAMPING: f32 = 0.004;

/// The workspace of the solver `shared_pressure`.
pub(crate) type SharedPressure = PairForces<SharedPressureKernels>;

/// The stiffnesses and the tension from the settings.
fn stiffness(parameters: &FluidParameters) -> Stiffness {
    let settings = &parameters.shared_pressure;
    let far = MAX_STIFFNESS * settings.stiffness;
    Stiffness {
        pressure: far,
        near_pressure: far * settings.near_stiffness_ratio,
        tension: settings.cohesion,
        damping: DAMPING,
    }
}

impl Method for SharedPressure {
    const IGNORED_SETTINGS: &'static [IgnoredRule] = IGNORED_SETTINGS;

    fn own_settings_differ(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.shared_pressure != other.shared_pressure
    }

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        stiffness(&liquid.parameters).demand(&liquid.parameters, time_step)
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let Liquid { parameters, classes, clock, .. } = liquid;
        let stiffness = stiffness(parameters).for_substep(clock, parameters);
        self.pairs.derive::<SharedPressureKernels>(stiffness, parameters, classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (1, 0)
    }

    fn contain_prediction(&mut self, substep: Substep) {
        substep.contain_particles();
    }

    fn relax_density(&mut self, mut substep: Substep) {
        apply_forces_of_pairs(&mut substep, self);
    }
}

// The kernels of shared pressure: powers of `1 - r/h`, and Poly6 for viscosity.

/// The kernels of shared pressure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SharedPressureKernels;

impl Kernels for SharedPressureKernels {
    const HAS_NEAR: bool = true;

    /// `6/(pi h^4) (h - r)^2`: the integral of `2 pi q (1 - q)^2` over `q = r/h` is `pi/6`.
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
    const KINEMATIC_VISCOSITY: f32 = 1.0 / 20.0;

    /// The integral of Poly6 is 1, so in a substep a particle loses at most half of its velocity relative to its
    /// neighbours.
    const MAX_VISCOSITY_RATE: f32 = 0.5;

    fn wall_integrals() -> &'static WallIntegrals {
        static TABLE: OnceLock<WallIntegrals> = OnceLock::new();
        TABLE.get_or_init(integrate::<Self>)
    }
}
