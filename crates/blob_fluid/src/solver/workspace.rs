//! The workspace: all data that is derived from a liquid to step it.

use crate::liquid::clock::ChosenSubsteps;
use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::revision::Revision;
use crate::solver::chosen::ChosenMethod;
use crate::solver::coefficients::Coefficients;
use crate::solver::method::Substep;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::bodies::solve_changed_contacts;
use crate::solver::pass::table::{FluidPass, SharedBuffers};
use crate::solver::sleep::tiles::Tiles;
use crate::solver::substeps::choose_substeps;

/// All data that is derived from a liquid to step it. Results stay bit-identical if it is discarded
/// between two ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub coefficients: Coefficients,
    /// Revision of the settings from which the coefficients were derived.
    pub derived_from: Option<Revision>,
    pub neighbours: Neighbours,
    pub tiles: Tiles,
    pub method: ChosenMethod,
    buffers: SharedBuffers,
}

impl Workspace {
    /// Chooses the number of substeps of a tick.
    pub(crate) fn choose_substeps(
        &mut self,
        liquid: &Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) -> ChosenSubsteps {
        let demand = liquid.parameters.solver.demand(liquid, time_step);
        self.buffers.columns.rebuild(liquid, executor);
        choose_substeps(liquid, demand, &self.buffers.columns, time_step)
    }

    /// Derives the coefficients of substeps of `time_step` seconds, for the solver that the
    /// liquid's parameters choose.
    pub(crate) fn derive(&mut self, liquid: &Liquid, time_step: f32) {
        let Liquid { parameters, classes, .. } = liquid;
        let solver = parameters.solver;
        self.derived_from = Some(liquid.settings_revision);
        if self.method.solver() != solver {
            self.method = ChosenMethod::new(solver);
        }
        let unsticking = solver.unsticking(parameters);
        self.coefficients.derive(parameters, classes, unsticking, time_step);
        if let Some(limit) = liquid.easing_limit {
            self.coefficients.limit_speeds(limit);
        }
        self.method.derive(liquid, &self.coefficients);
    }

    /// Solves contacts with solids that have changed since the last substep, before a tick's first substep.
    pub(crate) fn solve_changed_contacts(&mut self, liquid: &mut Liquid) {
        let (spacing, time_step) = (liquid.parameters.particle_spacing, liquid.clock.substep);
        solve_changed_contacts(
            &mut liquid.boundary,
            &mut self.buffers.contacts,
            spacing,
            time_step,
        );
    }

    /// Runs one pass of a substep.
    pub(crate) fn run_pass(
        &mut self,
        pass: FluidPass,
        liquid: &mut Liquid,
        executor: &dyn Executor,
    ) {
        let Self { coefficients, neighbours, method, buffers, .. } = self;
        method.run_pass(pass, buffers, Substep { liquid, neighbours, coefficients, executor });
    }
}
