//! The solver `classic`: its settings, and its passes.

use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::classic::relaxation::relax_density;
use crate::solver::classic::viscosity::apply_viscosity;
use crate::solver::classic::workspace::Classic;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::STIFFNESS;
use crate::solver::ignores as setting;
use crate::solver::ignores::Ignores;
use crate::solver::method::{Method, Substep};
use crate::solver::substeps::SubstepDemand;

impl Method for Classic {
    const IGNORES: &'static [Ignores] = &[
        setting::CLASS_ELASTICITY,
        setting::CLASS_POWDER,
        setting::CLASS_VISCOSITY,
        setting::CLASS_SURFACE_TENSION,
        setting::PAIR_VISCOSITY,
        setting::PAIR_COHESION,
        setting::PAIR_SEGREGATION,
        setting::SEGREGATION,
        setting::NEAR_SHARE,
        setting::PRESSURE_MEMORY,
        setting::GHOST_WALLS,
        setting::WETTING,
    ];

    fn has_other_settings(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.classic != other.classic
    }

    /// It is unstable with fewer substeps than it wants.
    fn demand(_liquid: &Liquid, _time_step: f32) -> SubstepDemand {
        SubstepDemand { least: u32::MAX, ..SubstepDemand::of_depth(STIFFNESS) }
    }

    fn unsticking(parameters: &FluidParameters) -> f32 {
        parameters.classic.unsticking
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        self.derive_coefficients(&liquid.parameters, &liquid.classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (u32::from(self.is_viscous()), 0)
    }

    fn apply_viscosity(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_viscosity(liquid, neighbours, self, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        relax_density(liquid, neighbours, self, coefficients, executor);
    }

    fn contain(&mut self, substep: Substep) {
        substep.bounce_off_walls(self.bounce);
    }
}
