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

/// Part of a particle's velocity, relative to its neighbours, that it loses per T0 within its
/// class. Without it errors below the tolerance keep a pool in motion.
const DAMPING: f32 = 3.6;

/// The largest part that it may lose in a substep.
const MOST_DAMPED: f32 = 0.9;

/// The workspace of the incompressible solver. Nothing in it outlives a tick: the pressures that the
/// next substep begins with are a part of the liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incompressible {
    pub pairs: PairCoefficients,
    /// `[i * classes + j]`: the part of its velocity relative to a particle of class `j` at distance 0
    /// that a particle of class `i` gives up, so that a pool comes to rest.
    pub damping: Vec<f32>,
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
        self.derive_damping(parameters, shared);
        self.viscosity.derive(parameters, classes, shared);
        self.tolerance = parameters.incompressible.tolerance;
        self.max_iterations = parameters.incompressible.max_iterations;
        self.iterations = 0;
        self.error = 0.0;
    }

    /// A particle among others at rest loses the part `DAMPING dt/T0` of its velocity.
    fn derive_damping(&mut self, parameters: &FluidParameters, shared: &Coefficients) {
        // The sum of `1 - r/h` over the neighbours.
        let ratio = parameters.radius_ratio;
        let weights = std::f32::consts::FRAC_PI_3 * ratio * ratio;
        let count = shared.classes.len();
        self.damping.clear();
        for class in 0..count {
            for other in 0..count {
                let (share, _) = shared.shares(class, other);
                let factor = if class == other { 1.0 } else { parameters.viscosity.cross_class };
                let rate = (DAMPING * shared.per_time_unit * factor).min(MOST_DAMPED);
                self.damping.push(2.0 * share * rate / weights);
            }
        }
    }
}
