//! The solver `incompressible`: its settings, and its passes.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::{
    CLASS_VISCOSITY_BUT_LINEAR, Ignores, PAIR_VISCOSITY_BUT_LINEAR, with_own_pressure,
};
use crate::solver::incompressible::densities::NearOfChunk;
use crate::solver::incompressible::projection::project;
use crate::solver::incompressible::viscosity::ImplicitViscosity;
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::{PairCoefficients, Stiffness, enough};
use crate::solver::pair_forces::forces::{hold_positions, move_on};
use crate::solver::shared_pressure::SharedPressureKernels;
use crate::solver::substeps::SubstepDemand;
use crate::solver::workspace::StepReport;

/// How far a particle moves in a substep, in interaction radii.
const MOST_WAY: f32 = 0.5;

/// Number of substeps in which the fastest particle moves by at most [`MOST_WAY`] each.
fn substeps_for_speed(liquid: &Liquid, time_step: f32) -> f32 {
    let speeds = liquid.particles.velocity.iter().map(|velocity| velocity.length_squared());
    let fastest = speeds.fold(0.0, f32::max).sqrt();
    time_step * fastest / (MOST_WAY * liquid.parameters.interaction_radius())
}

impl Method for Incompressible {
    // Pressure is solved in the whole liquid.
    const ATTACHED_MASS: f32 = 1.0;

    const IGNORES: &'static [Ignores] =
        &with_own_pressure(CLASS_VISCOSITY_BUT_LINEAR, PAIR_VISCOSITY_BUT_LINEAR);

    fn has_other_settings(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.incompressible != other.incompressible
    }

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        SubstepDemand {
            besides_depth: substeps_for_speed(liquid, time_step),
            enough: enough(&liquid.parameters),
            ..SubstepDemand::of_depth(f32::INFINITY)
        }
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let Liquid { parameters, classes, clock, .. } = liquid;
        self.corrected = clock.substep / clock.resisting_substep;
        self.derive_coefficients(parameters, classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (1, 0)
    }

    fn report(&self, report: &mut StepReport) {
        report.pressure_iterations = self.iterations;
        report.density_error = self.error;
        report.viscosity_iterations = self.viscosity.iterations;
    }

    fn advance_positions(&mut self, substep: Substep) {
        let Substep { liquid, coefficients, executor, .. } = substep;
        let Liquid { particles, boundary, .. } = liquid;
        hold_positions(particles, boundary, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        project(liquid, neighbours, self, coefficients, executor);
        let Liquid { particles, boundary, .. } = liquid;
        move_on(particles, boundary, coefficients, executor);
    }
}

// The workspace of the incompressible solver: what it derives from the liquid, and its buffers.

/// The workspace of the incompressible solver. Nothing in it outlives a tick: the pressures that the
/// next substep begins with are a part of the liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incompressible {
    pub pairs: PairCoefficients,
    pub viscosity: ImplicitViscosity,
    /// The part of an excess density that a substep corrects. What it corrects becomes velocity, so that
    /// substeps that are shorter than those before correct less.
    pub corrected: f32,
    pub tolerance: f32,
    pub max_iterations: u32,
    /// One item for each particle.
    pub states: Vec<State>,
    /// One item for each particle: `dt v`, with which it moves in this substep.
    pub ways: Vec<Vec2>,
    /// One item for each particle: its pressure `lambda`, that of the iteration before, and the
    /// change that is to be applied.
    pub lambdas: Vec<f32>,
    pub before: Vec<f32>,
    pub changes: Vec<f32>,
    /// One item for each chunk.
    pub near: Vec<NearOfChunk>,
    /// One item for each chunk: the walls near its particles, in their order.
    pub walls: Vec<Vec<NearWall>>,
    /// One item for each chunk: the sum of the relative errors of the densities.
    pub errors: Vec<f64>,
    /// Iterations in the tick, and the error of the last one.
    pub iterations: u32,
    pub error: f32,
}

impl Incompressible {
    /// Derives the coefficients of substeps from valid settings.
    pub(crate) fn derive_coefficients(
        &mut self,
        parameters: &FluidParameters,
        classes: &ClassTable,
        shared: &Coefficients,
    ) {
        self.pairs.derive_densities::<SharedPressureKernels>(
            Stiffness::default(),
            parameters,
            classes,
        );
        self.viscosity.derive(parameters, classes, shared);
        self.tolerance = parameters.incompressible.tolerance;
        self.max_iterations = parameters.incompressible.max_iterations;
        self.iterations = 0;
        self.error = 0.0;
    }
}

// What the iterations know of particles and of walls.

/// What is known of a particle from its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Density over that at rest, less 1; above 0 the part of it that the substep corrects.
    pub excess: f32,
    /// What a pressure of 1 takes from the density, as a fraction of the rest density, inverted; 0
    /// if it takes nothing.
    pub inverse_response: f32,
    /// `1/m`.
    pub inverse_mass: f32,
    /// `1/rest density`.
    pub inverse_rest: f32,
    pub coincides: bool,
}

/// A wall near a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearWall {
    pub particle: u32,
    pub collider: Option<u32>,
    /// The sum of the gradients beyond it, into the liquid.
    pub gradient: Vec2,
    /// `dt` times its velocity.
    pub way: Vec2,
}
