//! The solver `double_density`: its settings, and its passes. It ignores no setting.

use crate::geometry::bounds::FluidBounds;
use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::coefficients::STABLE_SPRING;
use crate::solver::double_density::relaxation::relax_density;
use crate::solver::double_density::springs::apply_springs;
use crate::solver::double_density::viscosity::apply_viscosity;
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::equation_of_state::{GRANULAR_STIFFNESS, Resistance, STIFFNESS, stable_kept};
use crate::solver::ignores::Ignores;
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::enough;
use crate::solver::substeps::SubstepDemand;

/// Number of substeps that keep the stiffest springs stable.
fn substeps_for_springs(liquid: &Liquid, time_step: f32) -> f32 {
    let stiffest = liquid.classes.iter().filter_map(|class| class.elasticity);
    let stiffest = stiffest.map(|elasticity| elasticity.stiffness).fold(0.0, f32::max);
    time_step / liquid.parameters.time_unit() * (stiffest / STABLE_SPRING).sqrt()
}

/// Number of substeps that thick liquid needs to flow as it should: in one long substep honey runs
/// farther than the law of its spreading says.
fn substeps_for_viscosity(liquid: &Liquid, time_step: f32) -> f32 {
    let of_classes = liquid.classes.iter().filter_map(|class| class.viscosity);
    let thickest = of_classes.map(|viscosity| viscosity.linear);
    let thickest = thickest.fold(liquid.parameters.viscosity.linear, f32::max);
    (thickest * time_step / liquid.parameters.time_unit() / MOST_EXCHANGED).min(2.0)
}

/// Linear viscosity times `dt/T0` above which a tick takes two substeps.
const MOST_EXCHANGED: f32 = 0.7;

impl DoubleDensity {
    /// How many substeps a liquid needs whose particles are within the bounds that `around` finds.
    pub(super) fn demand_around(
        liquid: &Liquid,
        time_step: f32,
        around: impl FnOnce() -> FluidBounds,
    ) -> SubstepDemand {
        let Liquid { parameters, classes, boundary, clock, .. } = liquid;
        let reach = parameters.interaction_radius();
        let beside_yielding =
            boundary.any_yields() && boundary.any_yields_within(around().inflated(reach));
        let stable = stable_kept(parameters, classes, beside_yielding);
        // A lasting load meets what is kept as well.
        let kept = clock.eased_kept(stable, time_step, parameters.time_unit());
        // Powder keeps nothing.
        let granular = classes.iter().any(|class| class.powder.is_some());
        let resisting = if granular { GRANULAR_STIFFNESS } else { 1.0 / (1.0 - kept) };
        let stiffness = STIFFNESS * resisting;
        let for_springs = substeps_for_springs(liquid, time_step);
        let least = for_springs.ceil().max(1.0) as u32;
        let besides_depth = for_springs.max(substeps_for_viscosity(liquid, time_step));
        // Sand runs faster, and heaps are flatter, the softer the grains are: at any rate of ticks they are alike.
        // Heaps in a liquid stand only if they are as stiff as the substeps allow.
        let dry = classes.iter().all(|class| class.powder.is_some());
        let enough = if dry { enough(parameters) * (1.0 - kept).sqrt() } else { 0.0 };
        SubstepDemand { stiffness, kept, besides_depth, least, enough }
    }

    /// Derives the coefficients of substeps with at most so many sweeps of viscosity.
    pub(super) fn derive_with_sweeps(
        &mut self,
        liquid: &Liquid,
        shared: &Coefficients,
        most_sweeps: u32,
    ) {
        let Liquid { parameters, classes, .. } = liquid;
        let resistance = Resistance::stiff(liquid, shared.time_step);
        self.pressure.derive(parameters, classes, resistance, shared);
        self.viscosity.derive(parameters, classes, shared, most_sweeps);
    }
}

impl Method for DoubleDensity {
    const IGNORES: &'static [Ignores] = &[];

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        let around = || FluidBounds::of(&liquid.particles.position);
        Self::demand_around(liquid, time_step, around)
    }

    fn unsticking(parameters: &FluidParameters) -> f32 {
        parameters.ghost_walls.unsticking
    }

    fn resistance(liquid: &Liquid, time_step: f32) -> Resistance {
        Resistance::stiff(liquid, time_step)
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        self.derive_with_sweeps(liquid, shared, liquid.effort.viscosity_sweeps);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        let viscosity = &self.viscosity;
        let sweeps = if viscosity.is_viscous() { viscosity.sweeps() } else { 0 };
        (sweeps, viscosity.sweeps_given_up())
    }

    fn apply_viscosity(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_viscosity(liquid, neighbours, self, coefficients, executor);
    }

    fn contain_prediction(&mut self, substep: Substep) {
        substep.stop_at_walls();
    }

    fn apply_springs(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_springs(liquid, neighbours, self, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        relax_density(liquid, neighbours, self, coefficients, executor);
    }
}
