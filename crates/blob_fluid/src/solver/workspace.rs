//! The workspace: all data that is derived from a liquid to step it.

use crate::liquid::clock::ChosenSubsteps;
use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::revision::Revision;
use crate::solver::chosen::ChosenMethod;
use crate::solver::coefficients::Coefficients;
use crate::solver::method::Substep;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::bodies::meet_changes;
use crate::solver::pass::table::{FluidPass, SharedBuffers};
use crate::solver::sleep::tiles::Tiles;
use crate::solver::substeps::choose_substeps;

/// All data that is derived from a liquid to step it. It can be thrown away between two ticks
/// without changing any bit of the results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub coefficients: Coefficients,
    /// The settings that the coefficients were derived from.
    pub derived_from: Option<Revision>,
    pub neighbours: Neighbours,
    pub tiles: Tiles,
    pub method: ChosenMethod,
    buffers: SharedBuffers,
}

impl Workspace {
    /// How many substeps a tick takes.
    pub(crate) fn choose_substeps(
        &mut self,
        liquid: &Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) -> ChosenSubsteps {
        let demand = liquid.parameters.solver.demand(liquid, time_step);
        self.buffers.columns.find(liquid, executor);
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
            self.coefficients.ease_in(limit);
        }
        self.method.derive(liquid, &self.coefficients);
    }

    /// Lets bodies meet what has changed since the last substep, before the first one of a tick.
    pub(crate) fn meet_changes(&mut self, liquid: &mut Liquid) {
        let (spacing, time_step) = (liquid.parameters.particle_spacing, liquid.clock.substep);
        meet_changes(&mut liquid.boundary, &mut self.buffers.contacts, spacing, time_step);
    }

    /// Runs one pass of a substep.
    pub(crate) fn run(&mut self, pass: FluidPass, liquid: &mut Liquid, executor: &dyn Executor) {
        let Self { coefficients, neighbours, method, buffers, .. } = self;
        method.run_pass(pass, buffers, Substep { liquid, neighbours, coefficients, executor });
    }
}
