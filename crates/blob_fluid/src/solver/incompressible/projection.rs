//! The substep of the incompressible solver.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor};
use crate::particles::arrays::{Activity, Computed};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::incompressible::densities::{NearOfChunk, NearWall, State, find_densities};
use crate::solver::incompressible::iteration::{
    Chebyshev, Known, Pressures, find_pressures, part_coincident, push,
};
use crate::solver::incompressible::viscosity::ImplicitViscosity;
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::solver::pair_forces::coefficients::{Frozen, PairCoefficients, Stiffness};
use crate::solver::pair_forces::walls::press_on_colliders;
use crate::solver::shared_pressure::SharedPressureKernels;

/// Fraction of its pressure with which a particle begins the next substep. With 1, expanding liquid is accelerated
/// further, and boils. With 0.7 a pool does not come to rest; with this value it does.
const WARM_START: f32 = 0.4;

/// Density, relative to the rest density, below which a particle begins without pressure: at surfaces and in spray.
const LOOSE: f32 = 0.95;

/// Moves every particle, until the mean excess of the densities over the rest density is within the tolerance, or the
/// largest number of iterations is reached.
///
/// 1. `delta_i = sum_j W_ij`; the response `a_i = |sum_j g_ij|^2/m_i + sum_j |g_ij|^2/m_j`
/// 2. damping and [viscosity](crate::solver::incompressible::viscosity::ImplicitViscosity::exchange) of the
///    displacements `x = dt v`
/// 3. `lambda_i` is [`WARM_START`] times the value of the previous substep. Then, until the errors are small: `lambda_i
///    += omega (s (delta_i - delta_0) + sum_j (x_i - x_j) g_ij)/a_i`, at least 0, where `s` is 1 below the rest density
///    and [`corrected`](Incompressible::corrected) above it, and
///    `x_i -= h/m_i sum_j (change of lambda_i + lambda_j) g_ij`
///
/// Sleeping particles have no error and keep their pressures.
pub(crate) fn project(
    liquid: &mut Liquid,
    neighbours: &mut Neighbours,
    work: &mut Incompressible,
    coefficients: &Coefficients,
    executor: &dyn Executor,
) {
    refresh(liquid, neighbours, coefficients, executor);
    let Liquid { particles, boundary, loads, .. } = liquid;
    let count = particles.len();
    particles.pressure.resize(count, 0.0);
    let squared_step = coefficients.time_step * coefficients.time_step;
    let grid = &neighbours.grid;
    work.lambdas.clear();
    work.lambdas
        .extend(particles.pressure.iter().map(|pressure| pressure * (squared_step * WARM_START)));
    let (view, Computed { relative_density, .. }) = particles.view_and_computed();
    let pressing = view.activity.iter().filter(|activity| **activity >= Activity::Pressing).count();
    let frozen = Frozen { particles: view, solids: boundary, coefficients, pairs: &work.pairs };
    find_densities(
        frozen,
        grid,
        work.corrected,
        relative_density,
        &mut work.states,
        &mut work.ways,
        &mut work.near,
        &mut work.walls,
        executor,
    );
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
        work.error = (work.errors.iter().sum::<f64>() / pressing.max(1) as f64) as f32;
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
    part_coincident(frozen, grid, &work.states, work.corrected, &mut work.ways);
    if boundary.any_bears_load() {
        let per_step = coefficients.interaction_radius / coefficients.time_step;
        let given = |wall: &NearWall| {
            let momentum = wall.gradient * (work.lambdas[wall.particle as usize] * per_step);
            (wall.particle, wall.collider, momentum)
        };
        press_on_colliders(frozen, &work.walls, loads, given, executor);
        loads.end_pass(boundary);
    }
    // The impulse that corrects a density does not grow with the length of the substep.
    let lasting = work.corrected / squared_step;
    let found = work.lambdas.iter().zip(&particles.activity);
    for (pressure, (lambda, activity)) in particles.pressure.iter_mut().zip(found) {
        if *activity >= Activity::Pressing {
            *pressure = lambda * lasting;
        }
    }
    let time_step = coefficients.time_step;
    for (way, velocity) in work.ways.iter_mut().zip(&particles.velocity) {
        *way -= *velocity * time_step;
    }
    particles.displace_all(&work.ways, coefficients.most_displacement, time_step, executor);
    particles.mark_moved();
}

// The workspace of the incompressible solver.

/// Coefficients and buffers of the incompressible solver. No content outlives a tick: the pressures with which the next
/// substep begins are stored in the liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incompressible {
    pub pairs: PairCoefficients,
    pub viscosity: ImplicitViscosity,
    /// The fraction of an excess density that a substep corrects. The correction becomes velocity, so substeps that are
    /// shorter than the previous ones correct less.
    pub corrected: f32,
    pub tolerance: f32,
    pub max_iterations: u32,
    /// One item per particle.
    pub states: Vec<State>,
    /// One item per particle: its displacement in this substep, initially `dt v`.
    pub ways: Vec<Vec2>,
    /// One item per particle: its pressure `lambda`; `before`: the pressure of the previous iteration; `changes`: the
    /// change to apply.
    pub lambdas: Vec<f32>,
    pub before: Vec<f32>,
    pub changes: Vec<f32>,
    /// One item per chunk.
    pub near: Vec<NearOfChunk>,
    /// One list per chunk: the walls near its particles, in the order of the particles.
    pub walls: Vec<Vec<NearWall>>,
    /// One item per chunk: the sum of the relative errors of the densities.
    pub errors: Vec<f64>,
    /// Number of iterations in the tick; `error`: the mean error of the last iteration.
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
