//! Smoothed particle hydrodynamics after Mueller, Charypar and Gross 2003 ("Particle-based fluid simulation
//! for interactive applications"), in two dimensions. See [`FluidSolver::Sph`](crate::FluidSolver::Sph).

use std::f32::consts::PI;
use std::sync::OnceLock;

use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::IgnoredRule;
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::{
    IGNORED_SETTINGS, Kernels, Number, POLY6_FACTOR, Stiffness, WallIntegrals, poly6,
};
use crate::solver::pair_forces::forces::{
    PairForces, apply_forces_of_pairs, begin_substep, integrate_positions,
};
use crate::solver::pair_forces::walls::integrate;
use crate::solver::pass::bodies::Reflection;
use crate::solver::substeps::SubstepDemand;
use crate::{FluidParameters, Liquid};

// Settings and passes of the solver `sph`.

/// `(c dt/h)^2` for the largest speed of sound `c` at which a substep is stable.
const MAX_STIFFNESS: f32 = 0.2;

/// Kinematic viscosity within a class, as a fraction of `c h`. With a smaller value, the liquid
/// boils.
const DAMPING: f32 = 0.02;

/// The workspace of the solver `sph`.
pub(crate) type Sph = PairForces<SphKernels>;

/// The stiffness from the settings. There is no tension.
fn stiffness(parameters: &FluidParameters) -> Stiffness {
    Stiffness {
        pressure: MAX_STIFFNESS * parameters.sph.stiffness,
        near_pressure: 0.0,
        tension: 0.0,
        damping: DAMPING,
    }
}

impl Method for Sph {
    const IGNORED_SETTINGS: &'static [IgnoredRule] = IGNORED_SETTINGS;

    fn own_settings_differ(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.sph != other.sph
    }

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        stiffness(&liquid.parameters).demand(&liquid.parameters, time_step)
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let Liquid { parameters, classes, clock, .. } = liquid;
        let stiffness = stiffness(parameters).for_substep(clock, parameters);
        self.pairs.derive::<SphKernels>(stiffness, parameters, classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (1, 0)
    }

    fn advance_positions(&mut self, mut substep: Substep) {
        begin_substep(&mut substep);
        // The velocities of bodies already contain the forces of the previous substep.
        substep.liquid.boundary.advance_bodies(substep.coefficients.time_step);
    }

    fn relax_density(&mut self, mut substep: Substep) {
        apply_forces_of_pairs(&mut substep, self);
        integrate_positions(&mut substep);
        let Coefficients { time_step, per_time_unit, .. } = *substep.coefficients;
        substep.liquid.boundary.advance_others(time_step, per_time_unit);
    }

    fn contain(&mut self, substep: Substep) {
        let restitution = substep.liquid.parameters.sph.restitution;
        substep.reflect_at_walls(Reflection { restitution, dead_zone: 0.0 });
    }
}

// Poly6 for densities, the gradient of Spiky for pressure, and the Laplacian of the viscosity
// kernel (Mueller, Charypar and Gross 2003, section 3.5), in two dimensions.

/// The kernels of smoothed particle hydrodynamics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SphKernels;

impl Kernels for SphKernels {
    const DENSITY_FACTOR: f32 = POLY6_FACTOR;

    #[inline(always)]
    fn density<N: Number>(w: N) -> N {
        poly6(w)
    }

    /// Spiky is `10/(pi h^5) (h - r)^3`: the integral of `2 pi q (1 - q)^3` over `q = r/h` is `pi/10`.
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

    /// Normalizes the viscosity kernel to an integral of 1. Its Laplacian is `40/(pi h^5) (h - r)`, and at
    /// `h` its value and its slope are 0.
    const VISCOSITY_FACTOR: f32 = 40.0 / PI;

    #[inline(always)]
    fn viscosity<N: Number>(w: N) -> N {
        w
    }

    const KINEMATIC_VISCOSITY: f32 = 1.0;

    /// The integral of the Laplacian over the plane is `40/3`. So in a substep, a particle loses at most
    /// half of its velocity relative to its neighbours.
    const MAX_VISCOSITY_RATE: f32 = 0.5 * 3.0 / 40.0;

    fn wall_integrals() -> &'static WallIntegrals {
        static TABLE: OnceLock<WallIntegrals> = OnceLock::new();
        TABLE.get_or_init(integrate::<Self>)
    }
}
