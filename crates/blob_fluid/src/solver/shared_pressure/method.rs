//! The solver `shared_pressure`: its settings, and its passes.

use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::Ignores;
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::Stiffness;
use crate::solver::pair_forces::forces::apply_forces_of_pairs;
use crate::solver::pair_forces::ignores::IGNORES;
use crate::solver::pair_forces::workspace::PairForces;
use crate::solver::shared_pressure::kernels::SharedPressureKernels;
use crate::solver::substeps::SubstepDemand;

/// `(c dt/h)^2` with the largest speed of sound `c` at which a substep is stable.
const STIFFEST: f32 = 0.2;

/// Kinematic viscosity within a class, as a part of `c h`. With less the liquid keeps moving.
const DAMPING: f32 = 0.004;

/// The workspace of shared pressure.
pub(crate) type SharedPressure = PairForces<SharedPressureKernels>;

/// The stiffnesses and the tension that the settings ask for.
fn stiffness(parameters: &FluidParameters) -> Stiffness {
    let settings = &parameters.shared_pressure;
    let far = STIFFEST * settings.stiffness;
    Stiffness {
        far,
        near: far * settings.near_stiffness_ratio,
        tension: settings.cohesion,
        damping: DAMPING,
    }
}

impl Method for SharedPressure {
    const IGNORES: &'static [Ignores] = IGNORES;

    fn has_other_settings(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.shared_pressure != other.shared_pressure
    }

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        stiffness(&liquid.parameters).demand(&liquid.parameters, time_step)
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let Liquid { parameters, classes, clock, .. } = liquid;
        let stiffness = stiffness(parameters).in_force(clock, parameters);
        self.pairs.derive::<SharedPressureKernels>(stiffness, parameters, classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (1, 0)
    }

    fn contain_prediction(&mut self, substep: Substep) {
        substep.stop_at_walls();
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_forces_of_pairs(liquid, neighbours, self, coefficients, executor);
    }
}
