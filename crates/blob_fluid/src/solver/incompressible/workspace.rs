//! The workspace of the incompressible solver: what it derives from the liquid, and its buffers.

use glam::Vec2;

use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::incompressible::near::NearOfChunk;
use crate::solver::incompressible::state::{NearWall, State};
use crate::solver::incompressible::viscosity::ImplicitViscosity;
use crate::solver::pair_forces::coefficients::{PairCoefficients, Stiffness};
use crate::solver::shared_pressure::kernels::SharedPressureKernels;

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
