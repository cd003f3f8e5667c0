//! The workspace: all data that is derived from a liquid to step it, and the code that steps it.

use glam::DVec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;
use crate::revision::Revision;
use crate::settings::solver::Solver;
use crate::solver::classic::relaxation as classic_relaxation;
use crate::solver::classic::viscosity as classic_viscosity;
use crate::solver::classic::workspace::Classic;
use crate::solver::coefficients::Coefficients;
use crate::solver::double_density::relaxation::relax_density;
use crate::solver::double_density::springs::apply_springs;
use crate::solver::double_density::viscosity::apply_viscosity;
use crate::solver::double_density::workspace::DoubleDensity;
use crate::solver::incompressible::workspace::{Incompressible, project};
use crate::solver::neighbours::hash::{Neighbours, hash_positions};
use crate::solver::pair_forces::workspace::{PairForces, apply_forces_of_pairs};
use crate::solver::pass::advance::advance_positions;
use crate::solver::pass::bodies::move_bodies;
use crate::solver::pass::bounce::bounce;
use crate::solver::pass::contacts::Contact;
use crate::solver::pass::containment::contain;
use crate::solver::pass::damping::apply_damping;
use crate::solver::pass::forces::apply_forces;
use crate::solver::pass::gravity::apply_gravity;
use crate::solver::pass::heat::exchange_heat;
use crate::solver::pass::quarantine::{Patients, quarantine};
use crate::solver::pass::reactions::{ReactionOutcome, react};
use crate::solver::pass::table::Pass;
use crate::solver::pass::velocity::update_velocities;
use crate::solver::pass::wall_friction::apply_wall_friction;
use crate::solver::report::StepReport;
use crate::solver::shared_pressure;
use crate::solver::shared_pressure::kernels::SharedPressureKernels;
use crate::solver::sleep::tiles::Tiles;
use crate::solver::sph;
use crate::solver::sph::kernels::SphKernels;
use crate::solver::sph::motion::{hold_positions, move_particles};

/// All data that is derived from a liquid to step it. It can be thrown away between two ticks
/// without changing any bit of the results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub coefficients: Coefficients,
    /// The settings that the coefficients were derived from.
    pub derived_from: Option<Revision>,
    pub neighbours: Neighbours,
    pub tiles: Tiles,
    /// For each chunk, the sums of offsets and of squared offsets.
    pub moments: Vec<(DVec2, DVec2)>,
    temperatures: Vec<f32>,
    outcomes: Vec<ReactionOutcome>,
    contacts: Vec<Contact>,
    pub method: Method,
}

/// The workspace of the chosen solver.
#[derive(Clone, Debug)]
pub(crate) enum Method {
    DoubleDensity(Box<DoubleDensity>),
    Classic(Box<Classic>),
    Sph(Box<PairForces<SphKernels>>),
    SharedPressure(Box<PairForces<SharedPressureKernels>>),
    Incompressible(Box<Incompressible>),
}

impl Default for Method {
    fn default() -> Self {
        Self::of(Solver::default())
    }
}

impl Method {
    /// An empty workspace of the given solver.
    fn of(solver: Solver) -> Self {
        match solver {
            Solver::DoubleDensity => Self::DoubleDensity(Box::default()),
            Solver::Classic => Self::Classic(Box::default()),
            Solver::Sph => Self::Sph(Box::default()),
            Solver::SharedPressure => Self::SharedPressure(Box::default()),
            Solver::Incompressible => Self::Incompressible(Box::default()),
        }
    }

    /// Number of viscosity sweeps in a substep, and number of sweeps that were given up.
    pub(crate) fn viscosity_sweeps(&self) -> (u32, u32) {
        match self {
            Self::DoubleDensity(work) => {
                let viscosity = &work.viscosity;
                let sweeps = if viscosity.is_viscous() { viscosity.sweeps() } else { 0 };
                (sweeps, viscosity.sweeps_given_up())
            }
            Self::Classic(work) => (u32::from(work.is_viscous()), 0),
            Self::Sph(work) => (u32::from(work.pairs.is_viscous()), 0),
            Self::SharedPressure(work) => (u32::from(work.pairs.is_viscous()), 0),
            Self::Incompressible(_) => (1, 0),
        }
    }

    /// Writes what iterations of this tick reached into its report.
    pub(crate) fn report(&self, report: &mut StepReport) {
        if let Self::Incompressible(work) = self {
            report.pressure_iterations = work.iterations;
            report.density_error = work.error;
            report.viscosity_iterations = work.viscosity.iterations;
        }
    }

    fn solver(&self) -> Solver {
        match self {
            Self::DoubleDensity(_) => Solver::DoubleDensity,
            Self::Classic(_) => Solver::Classic,
            Self::Sph(_) => Solver::Sph,
            Self::SharedPressure(_) => Solver::SharedPressure,
            Self::Incompressible(_) => Solver::Incompressible,
        }
    }
}

impl Workspace {
    /// Derives the coefficients of substeps of `time_step` seconds, for the solver that the
    /// liquid's parameters choose.
    pub(crate) fn derive(&mut self, liquid: &Liquid, time_step: f32) {
        let Liquid { parameters, classes, effort, .. } = liquid;
        self.derived_from = Some(liquid.settings_revision);
        if self.method.solver() != parameters.solver {
            self.method = Method::of(parameters.solver);
        }
        self.coefficients.derive(parameters, classes, time_step);
        if let Some(limit) = liquid.easing_limit {
            self.coefficients.ease_in(limit);
        }
        match &mut self.method {
            Method::DoubleDensity(work) => {
                work.derive(parameters, classes, &self.coefficients, *effort);
            }
            Method::Classic(work) => work.derive(parameters, classes, &self.coefficients),
            Method::Sph(work) => {
                let stiffness = sph::stiffness(parameters);
                work.pairs.derive::<SphKernels>(stiffness, parameters, classes, &self.coefficients);
            }
            Method::Incompressible(work) => work.derive(parameters, classes, &self.coefficients),
            Method::SharedPressure(work) => {
                let stiffness = shared_pressure::stiffness(parameters);
                let shared = &self.coefficients;
                work.pairs.derive::<SharedPressureKernels>(stiffness, parameters, classes, shared);
            }
        }
    }

    /// Runs one pass of a substep. An arm of the `match` that names a `Method` is for that solver
    /// only; the other arms are shared by all solvers.
    pub(crate) fn run<E: Executor>(&mut self, pass: Pass, liquid: &mut Liquid, executor: &E) {
        let Self { coefficients: c, neighbours, method, .. } = self;
        let Liquid { particles, boundary, loads, forces, sleep, parameters, .. } = &mut *liquid;
        match (pass, method) {
            (Pass::ApplyGravity, _) => apply_gravity(particles, c, executor),
            (Pass::ApplyForces, _) => apply_forces(particles, forces, c, executor),
            (Pass::ApplyDamping, _) => apply_damping(particles, c, executor),
            (Pass::ApplyWallFriction, _) => {
                apply_wall_friction(particles, boundary, loads, &neighbours.free, c, executor);
            }
            (Pass::ApplyViscosity, Method::DoubleDensity(work)) => {
                apply_viscosity(liquid, neighbours, work, c, executor);
            }
            (Pass::ApplyViscosity, Method::Classic(work)) => {
                classic_viscosity::apply_viscosity(liquid, neighbours, work, c, executor);
            }
            // Forces between pairs contain viscosity.
            (Pass::ApplyViscosity, _) => {}
            (Pass::ExchangeHeat, _) => {
                exchange_heat(liquid, neighbours, &mut self.temperatures, c, executor);
            }
            (Pass::React, _) => {
                if react(liquid, neighbours, &mut self.outcomes, c, executor) {
                    neighbours.free.forget();
                }
            }
            (Pass::AdvancePositions, Method::Sph(_) | Method::Incompressible(_)) => {
                hold_positions(particles, boundary, c, executor);
            }
            (Pass::AdvancePositions, _) => advance_positions(particles, boundary, c, executor),
            (Pass::ContainPrediction, Method::DoubleDensity(_) | Method::SharedPressure(_)) => {
                contain(particles, boundary, loads, &neighbours.free, c, true, executor);
            }
            (Pass::ContainPrediction, _) => {}
            (Pass::Quarantine, _) => {
                quarantine(liquid, Patients::Awake, c.time_step, executor);
            }
            (Pass::HashPositions, _) => {
                let asleep = parameters.sleeping.is_on().then_some(sleep.asleep);
                hash_positions(particles, neighbours, c.interaction_radius, asleep, executor);
            }
            (Pass::ApplySprings, Method::DoubleDensity(work)) => {
                apply_springs(liquid, neighbours, work, c, executor);
            }
            (Pass::ApplySprings, _) => {}
            (Pass::RelaxDensity, Method::DoubleDensity(work)) => {
                relax_density(liquid, neighbours, work, c, executor);
            }
            (Pass::RelaxDensity, Method::Classic(work)) => {
                classic_relaxation::relax_density(liquid, neighbours, work, c, executor);
            }
            (Pass::RelaxDensity, Method::Sph(work)) => {
                apply_forces_of_pairs(liquid, neighbours, work, c, executor);
                move_particles(&mut liquid.particles, c, executor);
            }
            (Pass::RelaxDensity, Method::Incompressible(work)) => {
                project(liquid, neighbours, work, c, executor);
                move_particles(&mut liquid.particles, c, executor);
            }
            (Pass::RelaxDensity, Method::SharedPressure(work)) => {
                apply_forces_of_pairs(liquid, neighbours, work, c, executor);
            }
            (
                Pass::Contain,
                Method::DoubleDensity(_) | Method::SharedPressure(_) | Method::Incompressible(_),
            ) => {
                contain(particles, boundary, loads, &neighbours.free, c, true, executor);
            }
            (Pass::Contain, Method::Classic(work)) => {
                contain(particles, boundary, loads, &neighbours.free, c, false, executor);
                bounce(particles, boundary, loads, &neighbours.free, work.bounce, c, executor);
            }
            (Pass::Contain, Method::Sph(_)) => {
                let how = sph::bounce(parameters);
                contain(particles, boundary, loads, &neighbours.free, c, false, executor);
                bounce(particles, boundary, loads, &neighbours.free, how, c, executor);
            }
            (Pass::UpdateVelocities, _) => {
                update_velocities(particles, sleep, c.time_step, executor);
            }
            (Pass::MoveBodies, _) => move_bodies(boundary, &mut self.contacts, c),
        }
    }
}
