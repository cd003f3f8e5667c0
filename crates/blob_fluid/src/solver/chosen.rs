//! The workspace of the chosen solver. It follows from the list of solvers.

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::settings::parameters::FluidParameters;
use crate::settings::solver::{Solver, solvers};
use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::Resistance;
use crate::solver::ignores::Ignores;
use crate::solver::method::{Method, Substep};
use crate::solver::pass::run::{SharedBuffers, run_pass};
use crate::solver::pass::table::Pass;
use crate::solver::report::StepReport;
use crate::solver::substeps::SubstepDemand;

macro_rules! methods {
    ($($(#[$attribute:meta])* $Solver:ident = $name:literal, $label:literal, $($path:ident)::+;)*) => {
        /// The workspace of the chosen solver.
        #[derive(Clone, Debug)]
        pub(crate) enum ChosenMethod {
            $($Solver(Box<crate::solver::$($path)::+>),)*
        }

        impl ChosenMethod {
            /// An empty workspace of the given solver.
            pub(crate) fn new(solver: Solver) -> Self {
                match solver {
                    $(Solver::$Solver => Self::$Solver(Box::default()),)*
                }
            }

            pub(crate) fn solver(&self) -> Solver {
                match self {
                    $(Self::$Solver(_) => Solver::$Solver,)*
                }
            }

            /// See [`Method::derive`].
            pub(crate) fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
                match self {
                    $(Self::$Solver(method) => method.derive(liquid, shared),)*
                }
            }

            /// See [`Method::viscosity_sweeps`].
            pub(crate) fn viscosity_sweeps(&self) -> (u32, u32) {
                match self {
                    $(Self::$Solver(method) => method.viscosity_sweeps(),)*
                }
            }

            /// See [`Method::report`].
            pub(crate) fn report(&self, report: &mut StepReport) {
                match self {
                    $(Self::$Solver(method) => method.report(report),)*
                }
            }

            /// See [`run_pass`].
            pub(crate) fn run_pass<E: Executor>(
                &mut self,
                pass: Pass,
                buffers: &mut SharedBuffers,
                substep: Substep<E>,
            ) {
                match self {
                    $(Self::$Solver(method) => run_pass(pass, &mut **method, buffers, substep),)*
                }
            }
        }

        impl Solver {
            /// See [`Method::IGNORES`].
            pub(crate) const fn ignored(self) -> &'static [Ignores] {
                match self {
                    $(Self::$Solver => <crate::solver::$($path)::+ as Method>::IGNORES,)*
                }
            }

            /// See [`Method::has_other_settings`].
            pub(crate) fn has_other_settings(
                self,
                one: &FluidParameters,
                other: &FluidParameters,
            ) -> bool {
                match self {
                    $(Self::$Solver => {
                        <crate::solver::$($path)::+>::has_other_settings(one, other)
                    })*
                }
            }

            /// See [`Method::demand`].
            pub(crate) fn demand(self, liquid: &Liquid, time_step: f32) -> SubstepDemand {
                match self {
                    $(Self::$Solver => <crate::solver::$($path)::+>::demand(liquid, time_step),)*
                }
            }

            /// See [`Method::resistance`].
            pub(crate) fn resistance(
                self,
                parameters: &FluidParameters,
                time_step: f32,
            ) -> Resistance {
                match self {
                    $(Self::$Solver => {
                        <crate::solver::$($path)::+>::resistance(parameters, time_step)
                    })*
                }
            }

            /// See [`Method::unsticking`].
            pub(crate) fn unsticking(self, parameters: &FluidParameters) -> f32 {
                match self {
                    $(Self::$Solver => <crate::solver::$($path)::+>::unsticking(parameters),)*
                }
            }
        }
    };
}
solvers!(methods);

impl Default for ChosenMethod {
    fn default() -> Self {
        Self::new(Solver::default())
    }
}

impl Solver {
    /// Whether the solver ignores a setting, or a part of it. `setting` is a path as in
    /// [`IgnoredSetting`](crate::IgnoredSetting): of the parameters, `class.`, `pair.` or `wall.`.
    ///
    /// ```
    /// use blob_fluid::Solver;
    /// assert!(Solver::Sph.ignores("class.elasticity"));
    /// assert!(!Solver::DoubleDensity.ignores("class.elasticity"));
    /// assert!(Solver::DoubleDensity.ignores("sph"));
    /// ```
    pub fn ignores(self, setting: &str) -> bool {
        let is_of_another =
            Self::ALL.into_iter().any(|other| other != self && other.name() == setting);
        is_of_another || self.ignored().iter().any(|ignored| ignored.setting == setting)
    }
}
