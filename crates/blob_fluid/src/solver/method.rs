//! What a solver does and does not do.
//!
//! A solver is a file or a folder in `solver/` and an entry in the list in `settings/solver.rs`. Its workspace implements
//! [`Method`]. Everything else is shared by all solvers.

use std::fmt::Debug;

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::Resistance;
use crate::solver::ignores::Ignores;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::advance::advance_positions;
use crate::solver::pass::bodies::{Bounce, bounce};
use crate::solver::pass::containment::contain;
use crate::solver::report::StepReport;
use crate::solver::substeps::SubstepDemand;

/// A solver: its coefficients and buffers, and how it runs the passes that are its own. Nothing in it
/// outlives a tick.
pub(crate) trait Method: Clone + Debug + Default {
    /// The settings that it ignores, in the order in which they are reported. Those that only another
    /// solver uses are ignored anyway.
    const IGNORES: &'static [Ignores];

    /// The part of the mass of a particle that touches a [`Body`](crate::Body) which accelerates together
    /// with the body. The more of its pressure a substep passes on, the more of the liquid takes part.
    const ATTACHED_MASS: f32 = 0.3;

    /// Whether any setting that only this solver uses differs between the two.
    fn has_other_settings(_one: &FluidParameters, _other: &FluidParameters) -> bool {
        false
    }

    /// How many substeps a tick of `time_step` seconds needs.
    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand;

    /// Speed at which a particle that touches a wall is moved back inside, in V0.
    fn unsticking(_parameters: &FluidParameters) -> f32 {
        0.0
    }

    /// How strongly its equation of state resists compression in substeps of `time_step` seconds.
    fn resistance(liquid: &Liquid, time_step: f32) -> Resistance {
        Resistance::soft(&liquid.parameters, time_step)
    }

    /// Derives the coefficients of substeps from valid settings. It begins a tick.
    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients);

    /// Number of viscosity sweeps in a substep, and number of sweeps that were given up.
    fn viscosity_sweeps(&self) -> (u32, u32) {
        (0, 0)
    }

    /// Writes what iterations of this tick reached into its report.
    fn report(&self, _report: &mut StepReport) {}

    /// [`FluidPass::ApplyViscosity`](crate::FluidPass::ApplyViscosity): nothing, if the forces between pairs
    /// contain viscosity.
    fn apply_viscosity(&mut self, _substep: Substep) {}

    /// [`FluidPass::AdvancePositions`](crate::FluidPass::AdvancePositions): predicts positions, unless forces
    /// act at the present ones.
    fn advance_positions(&mut self, substep: Substep) {
        let Substep { liquid, coefficients, executor, .. } = substep;
        let Liquid { particles, boundary, .. } = liquid;
        advance_positions(particles, boundary, coefficients, executor);
    }

    /// [`FluidPass::ContainPrediction`](crate::FluidPass::ContainPrediction): nothing, unless the relaxation
    /// needs predictions that are inside.
    fn contain_prediction(&mut self, _substep: Substep) {}

    /// [`FluidPass::ApplySprings`](crate::FluidPass::ApplySprings): nothing for solvers without springs.
    fn apply_springs(&mut self, _substep: Substep) {}

    /// [`FluidPass::RelaxDensity`](crate::FluidPass::RelaxDensity): what neighbours and walls do to particles.
    fn relax_density(&mut self, substep: Substep);

    /// [`FluidPass::Contain`](crate::FluidPass::Contain): walls stop particles, unless they reflect them.
    fn contain(&mut self, substep: Substep) {
        substep.stop_at_walls();
    }
}

/// What a solver's passes read and change, beside its own workspace.
pub(crate) struct Substep<'a> {
    pub liquid: &'a mut Liquid,
    pub neighbours: &'a mut Neighbours,
    pub coefficients: &'a Coefficients,
    pub executor: &'a dyn Executor,
}

impl Substep<'_> {
    /// Keeps particles inside containers and out of colliders.
    pub(crate) fn stop_at_walls(self) {
        let Self { liquid, neighbours, coefficients, executor } = self;
        let Liquid { particles, boundary, loads, .. } = liquid;
        contain(particles, boundary, loads, &neighbours.free, coefficients, true, executor);
    }

    /// The same, but the walls of convex containers reflect particles.
    pub(crate) fn bounce_off_walls(self, how: Bounce) {
        let Self { liquid, neighbours, coefficients, executor } = self;
        let Liquid { particles, boundary, loads, .. } = liquid;
        let free = &neighbours.free;
        contain(particles, boundary, loads, free, coefficients, false, executor);
        bounce(particles, boundary, loads, free, how, coefficients, executor);
    }
}
