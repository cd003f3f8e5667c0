//! The interface of solvers.
//!
//! A solver is a file or a folder in `solver/` and an entry in the list in `settings/solver.rs`. Its
//! workspace implements [`Method`]. All solvers share everything else.

use std::fmt::Debug;

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::Resistance;
use crate::solver::ignores::IgnoredRule;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::advance::advance_positions;
use crate::solver::pass::bodies::{Reflection, reflect_particles};
use crate::solver::pass::containment::contain;
use crate::solver::report::StepReport;
use crate::solver::substeps::SubstepDemand;

/// A solver: its coefficients and buffers, and its own passes. It keeps no state from tick to tick.
pub(crate) trait Method: Clone + Debug + Default {
    /// The settings that it ignores, in the order of the report. Settings that are specific to
    /// another solver are not listed.
    const IGNORED_SETTINGS: &'static [IgnoredRule];

    /// Fraction of the mass of a particle at the wall of a [`Body`](crate::Body) that accelerates together
    /// with the body. It is larger for solvers whose pressure propagates farther in a substep.
    const ADDED_MASS_FRACTION: f32 = 0.3;

    /// Whether the two differ in any setting that only this solver uses.
    fn own_settings_differ(_one: &FluidParameters, _other: &FluidParameters) -> bool {
        false
    }

    /// The number of substeps that a tick of `time_step` seconds needs.
    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand;

    /// Speed, in V0, at which a particle that touches a wall is moved back inside.
    fn unsticking(_parameters: &FluidParameters) -> f32 {
        0.0
    }

    /// How strongly its equation of state resists compression in substeps of `time_step` seconds.
    fn resistance(liquid: &Liquid, time_step: f32) -> Resistance {
        Resistance::of_paper(&liquid.parameters, time_step)
    }

    /// Derives the coefficients of substeps from valid settings, when a tick begins or settings change in it.
    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients);

    /// Number of viscosity sweeps in a substep, and number of sweeps that were omitted.
    fn viscosity_sweeps(&self) -> (u32, u32) {
        (0, 0)
    }

    /// Writes the results of this tick's iterations into its report.
    fn report(&self, _report: &mut StepReport) {}

    /// [`FluidPass::ApplyViscosity`](crate::FluidPass::ApplyViscosity): does nothing if the forces
    /// between pairs include viscosity.
    fn apply_viscosity(&mut self, _substep: Substep) {}

    /// [`FluidPass::AdvancePositions`](crate::FluidPass::AdvancePositions): predicts positions,
    /// unless the solver computes forces at the present positions.
    fn advance_positions(&mut self, substep: Substep) {
        let Substep { liquid, coefficients, executor, .. } = substep;
        let Liquid { particles, boundary, .. } = liquid;
        advance_positions(particles, boundary, coefficients, executor);
    }

    /// [`FluidPass::ContainPrediction`](crate::FluidPass::ContainPrediction): does nothing, unless
    /// the relaxation needs predictions inside the walls.
    fn contain_prediction(&mut self, _substep: Substep) {}

    /// [`FluidPass::ApplySprings`](crate::FluidPass::ApplySprings): does nothing for solvers without springs.
    fn apply_springs(&mut self, _substep: Substep) {}

    /// [`FluidPass::RelaxDensity`](crate::FluidPass::RelaxDensity): applies the forces of neighbours and walls.
    fn relax_density(&mut self, substep: Substep);

    /// [`FluidPass::Contain`](crate::FluidPass::Contain): stops particles at walls, unless walls reflect them.
    fn contain(&mut self, substep: Substep) {
        substep.contain_particles();
    }
}

/// The data that a solver's passes read and change, besides its own workspace.
pub(crate) struct Substep<'a> {
    pub liquid: &'a mut Liquid,
    pub neighbours: &'a mut Neighbours,
    pub coefficients: &'a Coefficients,
    pub executor: &'a dyn Executor,
}

impl Substep<'_> {
    /// Keeps particles inside containers and out of colliders.
    pub(crate) fn contain_particles(self) {
        let Self { liquid, neighbours, coefficients, executor } = self;
        let Liquid { particles, boundary, loads, .. } = liquid;
        contain(particles, boundary, loads, &neighbours.free_discs, coefficients, true, executor);
    }

    /// As [`contain_particles`](Self::contain_particles), but the walls of convex containers
    /// reflect particles.
    pub(crate) fn reflect_at_walls(self, reflection: Reflection) {
        let Self { liquid, neighbours, coefficients, executor } = self;
        let Liquid { particles, boundary, loads, .. } = liquid;
        let free_discs = &neighbours.free_discs;
        contain(particles, boundary, loads, free_discs, coefficients, false, executor);
        reflect_particles(
            particles,
            boundary,
            loads,
            free_discs,
            reflection,
            coefficients,
            executor,
        );
    }
}
