//! The workspace of the chosen solver, generated from the list of solvers.

use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::settings::solver::{FluidSolver, solvers};
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::Resistance;
use crate::solver::ignores::IgnoredRule;
use crate::solver::method::{Method, Substep};
use crate::solver::pass::table::{FluidPass, SharedBuffers, run_pass};
use crate::solver::report::StepReport;
use crate::solver::substeps::SubstepDemand;

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
