//! The workspace: all data that is derived from a liquid to step it. The data of the chosen solver is generated from
//! the list of solvers.

use crate::liquid::clock::ChosenSubsteps;
use crate::revision::Revision;
use crate::settings::solver::solvers;
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::Resistance;
use crate::solver::ignores::IgnoredRule;
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::bodies::solve_changed_contacts;
use crate::solver::pass::table::{SharedBuffers, run_pass};
use crate::solver::sleep::Tiles;
use crate::solver::substeps::{SubstepDemand, choose_substeps};
use crate::{Executor, FluidParameters, FluidPass, FluidSolver, Liquid, StepReport};

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

// The workspace of the chosen solver.

macro_rules! methods {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal, $label:literal, $($path:ident)::+;)*) => {
        /// The workspace of the chosen solver.
        #[derive(Clone, Debug)]
        pub(crate) enum ChosenMethod {
            $($variant(Box<crate::solver::$($path)::+>),)*
        }

        impl ChosenMethod {
            /// An empty workspace of the given solver.
            pub(crate) fn new(solver: FluidSolver) -> Self {
                match solver {
                    $(FluidSolver::$variant => Self::$variant(Box::default()),)*
                }
            }

            pub(crate) fn solver(&self) -> FluidSolver {
                match self {
                    $(Self::$variant(_) => FluidSolver::$variant,)*
                }
            }

            /// See [`Method::derive`].
            pub(crate) fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
                match self {
                    $(Self::$variant(method) => method.derive(liquid, shared),)*
                }
            }

            /// See [`Method::viscosity_sweeps`].
            pub(crate) fn viscosity_sweeps(&self) -> (u32, u32) {
                match self {
                    $(Self::$variant(method) => method.viscosity_sweeps(),)*
                }
            }

            /// See [`Method::report`].
            pub(crate) fn report(&self, report: &mut StepReport) {
                match self {
                    $(Self::$variant(method) => method.report(report),)*
                }
            }

            /// See [`run_pass`].
            pub(crate) fn run_pass(
                &mut self,
                pass: FluidPass,
                buffers: &mut SharedBuffers,
                substep: Substep,
            ) {
                match self {
                    $(Self::$variant(method) => run_pass(pass, &mut **method, buffers, substep),)*
                }
            }
        }

        impl FluidSolver {
            /// See [`Method::IGNORED_SETTINGS`].
            pub(crate) const fn ignored(self) -> &'static [IgnoredRule] {
                match self {
                    $(Self::$variant => <crate::solver::$($path)::+ as Method>::IGNORED_SETTINGS,)*
                }
            }

            /// See [`Method::own_settings_differ`].
            pub(crate) fn own_settings_differ(
                self,
                one: &FluidParameters,
                other: &FluidParameters,
            ) -> bool {
                match self {
                    $(Self::$variant => {
                        <crate::solver::$($path)::+>::own_settings_differ(one, other)
                    })*
                }
            }

            /// See [`Method::demand`].
            pub(crate) fn demand(self, liquid: &Liquid, time_step: f32) -> SubstepDemand {
                match self {
                    $(Self::$variant => <crate::solver::$($path)::+>::demand(liquid, time_step),)*
                }
            }

            /// See [`Method::resistance`].
            pub(crate) fn resistance(self, liquid: &Liquid, time_step: f32) -> Resistance {
                match self {
                    $(Self::$variant => {
                        <crate::solver::$($path)::+>::resistance(liquid, time_step)
                    })*
                }
            }

            /// See [`Method::unsticking`].
            pub(crate) fn unsticking(self, parameters: &FluidParameters) -> f32 {
                match self {
                    $(Self::$variant => <crate::solver::$($path)::+>::unsticking(parameters),)*
                }
            }
        }
    };
}
solvers!(methods);

impl Default for ChosenMethod {
    fn default() -> Self {
        Self::new(FluidSolver::default())
    }
}

impl FluidSolver {
    /// Whether the solver ignores a setting or a part of it. `setting` is a path as in
    /// [`IgnoredSetting`](crate::IgnoredSetting): in the parameters, or with `class.`, `pair.` or `wall.`.
    ///
    /// ```
    /// use blob_fluid::FluidSolver;
    /// assert!(FluidSolver::Sph.ignores("class.elasticity"));
    /// assert!(!FluidSolver::DoubleDensity.ignores("class.elasticity"));
    /// assert!(FluidSolver::DoubleDensity.ignores("sph"));
    /// ```
    pub fn ignores(self, setting: &str) -> bool {
        let is_of_another =
            Self::ALL.into_iter().any(|other| other != self && other.name() == setting);
        is_of_another || self.ignored().iter().any(|ignored| ignored.setting == setting)
    }
}
