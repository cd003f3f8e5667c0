//! The workspace of the incompressible solver, and its substep.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::chunks::CHUNK;
use crate::parallel::executor::Executor;
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::incompressible::densities::find_densities;
use crate::solver::incompressible::iteration::{
    Chebyshev, Known, Pressures, find_pressures, part_coincident, push,
};
use crate::solver::incompressible::near::NearOfChunk;
use crate::solver::incompressible::viscosity::ImplicitViscosity;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::neighbours::refresh::refresh;
use crate::solver::pair_forces::coefficients::{PairCoefficients, Stiffness};
use crate::solver::pair_forces::walls::press_on_colliders;
use crate::solver::pair_forces::workspace::Frozen;
use crate::solver::shared_pressure::kernels::SharedPressureKernels;

/// Part of a pressure that the next substep begins with. With all of it liquid that expands is
/// driven on, and boils; with 0.7 a pool simmers for ever, with this it comes to rest.
const WARM_START: f32 = 0.4;

/// Density, relative to that at rest, below which a particle begins without pressure: at surfaces
/// and in spray.
const LOOSE: f32 = 0.95;

/// Part of a particle's velocity, relative to its neighbours, that it loses in a substep within its
/// class. Without it errors below the tolerance keep a pool in motion.
const DAMPING: f32 = 0.3;

/// The workspace of the incompressible solver. Nothing in it outlives a tick: the pressures that the
/// next substep begins with are a part of the liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incompressible {
    pub pairs: PairCoefficients,
    /// `[i * classes + j]`: the part of its velocity relative to a particle of class `j` at distance 0
    /// that a particle of class `i` gives up, so that a pool comes to rest.
    pub damping: Vec<f32>,
    pub viscosity: ImplicitViscosity,
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

/// What is known of a particle from its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Density over that at rest, less 1.
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

impl Incompressible {
    /// Derives the coefficients of substeps from valid settings.
    pub(crate) fn derive(
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

    /// A particle among others at rest loses the part [`DAMPING`] of its velocity.
    fn derive_damping(&mut self, parameters: &FluidParameters, shared: &Coefficients) {
        // The sum of `1 - r/h` over the neighbours.
        let ratio = parameters.radius_ratio;
        let weights = std::f32::consts::FRAC_PI_3 * ratio * ratio;
        let count = shared.classes.len();
        self.damping.clear();
        for own in 0..count {
            for other in 0..count {
                let (share, _) = shared.shares(own, other);
                let factor = if own == other { 1.0 } else { parameters.viscosity.cross_class };
                let rate = (DAMPING * factor).min(0.5);
                self.damping.push(2.0 * share * rate / weights);
            }
        }
    }
}

/// Moves every particle so that no density exceeds that at rest by more than the tolerance, on
/// average, or until the most iterations are done.
///
/// 1. `delta_i = sum_j W_ij`; the response `a_i = |sum_j g_ij|^2/m_i + sum_j |g_ij|^2/m_j`
/// 2. damping: `x_i += sum_j r_ij (x_j - x_i) w_ij` on the ways `x = dt v`; then
///    [viscosity](ImplicitViscosity::exchange)
/// 3. `lambda_i` is [`WARM_START`] times that of the substep before; then, until the errors are small:
///    `lambda_i += omega (delta_i + sum_j (x_i - x_j) g_ij - delta_0)/a_i`, at least 0, and
///    `x_i -= h/m_i sum_j (change of lambda_i + lambda_j) g_ij`
pub(crate) fn project<E: Executor>(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Incompressible,
    coefficients: &Coefficients,
    executor: &E,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let count = particles.len();
    particles.pressure.resize(count, 0.0);
    let squared_step = coefficients.time_step * coefficients.time_step;
    let grid = &neighbours.grid;
    work.lambdas.clear();
    work.lambdas.extend(particles.pressure.iter().map(|own| own * (squared_step * WARM_START)));
    let (view, relative_density, _) = particles.view_and_computed();
    let frozen = Frozen { particles: view, solids: boundary, coefficients, pairs: &work.pairs };
    let found = (&mut work.states, &mut work.ways, &mut work.near, &mut work.walls);
    find_densities(frozen, grid, &work.damping, relative_density, found, executor);
    work.viscosity.exchange(frozen, &work.near, &mut work.ways, executor);
    for (lambda, state) in work.lambdas.iter_mut().zip(&work.states) {
        if state.excess < LOOSE - 1.0 {
            *lambda = 0.0;
        }
    }
    let known = Known { states: &work.states, near: &work.near, walls: &work.walls };
    push(frozen, known, &work.lambdas, &mut work.ways, executor);
    work.before.clone_from(&work.lambdas);
    work.changes.resize(count, 0.0);
    work.errors.resize(count.div_ceil(CHUNK), 0.0);
    let mut weights = Chebyshev::default();
    let mut iteration = 0;
    loop {
        let parts = Pressures {
            ways: &work.ways,
            lambdas: &work.lambdas,
            before: &mut work.before,
            changes: &mut work.changes,
            errors: &mut work.errors,
        };
        find_pressures(frozen, known, parts, weights.next(), executor);
        work.error = (work.errors.iter().sum::<f64>() / count.max(1) as f64) as f32;
        if iteration == work.max_iterations || iteration > 0 && work.error <= work.tolerance {
            break;
        }
        for (lambda, change) in work.lambdas.iter_mut().zip(&work.changes) {
            *lambda += change;
        }
        push(frozen, known, &work.changes, &mut work.ways, executor);
        iteration += 1;
    }
    work.iterations += iteration;
    part_coincident(frozen, grid, &work.states, &mut work.ways);
    if boundary.any_bears_load() {
        let per_step = coefficients.interaction_radius / coefficients.time_step;
        let given = |wall: &NearWall| {
            let momentum = wall.gradient * (work.lambdas[wall.particle as usize] * per_step);
            (wall.particle, wall.collider, momentum)
        };
        press_on_colliders(frozen, &work.walls, loads, given, executor);
        loads.end_pass(boundary);
    }
    for (pressure, lambda) in particles.pressure.iter_mut().zip(&work.lambdas) {
        *pressure = lambda / squared_step;
    }
    let time_step = coefficients.time_step;
    for (way, velocity) in work.ways.iter_mut().zip(&particles.velocity) {
        *way -= *velocity * time_step;
    }
    particles.displace_all(&work.ways, coefficients.most_displacement, time_step, executor);
    particles.mark_moved();
}
