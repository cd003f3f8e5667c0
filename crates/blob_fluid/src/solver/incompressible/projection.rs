//! The substep of the incompressible solver.

use glam::Vec2;

use crate::liquid::state::Liquid;
use crate::parallel::executor::{CHUNK, Executor};
use crate::particles::arrays::{Activity, Computed};
use crate::settings::class_table::ClassTable;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::incompressible::densities::{
    ChunkNeighbourList, State, WallGradient, compute_densities,
};
use crate::solver::incompressible::iteration::{
    Chebyshev, FrozenStates, PressureBuffers, apply_pressure_changes, compute_pressure_changes,
    separate_coincident,
};
use crate::solver::incompressible::viscosity::ImplicitViscosity;
use crate::solver::neighbours::hash::{Neighbours, refresh};
use crate::solver::pair_forces::coefficients::{Frozen, PairCoefficients, Stiffness};
use crate::solver::pair_forces::walls::apply_collider_loads;
use crate::solver::shared_pressure::SharedPressureKernels;

/// Fraction of its pressure with which a particle begins the next substep. With 1, expanding liquid is accelerated
/// further, and boils. With 0.7 a pool does not come to rest; with this value it does.
const WARM_START: f32 = 0.4;

/// Density, relative to the rest density, below which a particle begins without pressure: at surfaces and in spray.
const MIN_WARM_START_DENSITY: f32 = 0.95;

/// Moves every particle, until the mean excess of the densities over the rest density is within the tolerance, or the
/// largest number of iterations is reached.
///
/// 1. `delta_i = sum_j W_ij`; the response `a_i = |sum_j g_ij|^2/m_i + sum_j |g_ij|^2/m_j`
/// 2. damping and [viscosity](crate::solver::incompressible::viscosity::ImplicitViscosity::exchange) of the
///    displacements `x = dt v`
/// 3. `lambda_i` is [`WARM_START`] times the value of the previous substep. Then, until the errors are small: `lambda_i
///    += omega (s (delta_i - delta_0) + sum_j (x_i - x_j) g_ij)/a_i`, at least 0, where `s` is 1 below the rest density
///    and [`correction_fraction`](Incompressible::correction_fraction) above it, and
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
    compute_densities(
        frozen,
        grid,
        work.correction_fraction,
        relative_density,
        &mut work.states,
        &mut work.displacements,
        &mut work.neighbours,
        &mut work.walls,
        executor,
    );
    work.viscosity.exchange(frozen, &work.neighbours, &mut work.displacements, executor);
    for (lambda, state) in work.lambdas.iter_mut().zip(&work.states) {
        if state.excess < MIN_WARM_START_DENSITY - 1.0 {
            *lambda = 0.0;
        }
    }
    let frozen_states =
        FrozenStates { states: &work.states, neighbours: &work.neighbours, walls: &work.walls };
    apply_pressure_changes(frozen, frozen_states, &work.lambdas, &mut work.displacements, executor);
    work.previous_lambdas.clone_from(&work.lambdas);
    work.changes.resize(count, 0.0);
    work.errors.resize(count.div_ceil(CHUNK), 0.0);
    let mut weights = Chebyshev::default();
    let mut iteration = 0;
    loop {
        let buffers = PressureBuffers {
            displacements: &work.displacements,
            lambdas: &work.lambdas,
            previous: &mut work.previous_lambdas,
            changes: &mut work.changes,
            errors: &mut work.errors,
        };
        compute_pressure_changes(frozen, frozen_states, buffers, weights.next(), executor);
        work.error = (work.errors.iter().sum::<f64>() / pressing.max(1) as f64) as f32;
        if iteration == work.max_iterations || iteration > 0 && work.error <= work.tolerance {
            break;
        }
        for (lambda, change) in work.lambdas.iter_mut().zip(&work.changes) {
            *lambda += change;
        }
        apply_pressure_changes(
            frozen,
            frozen_states,
            &work.changes,
            &mut work.displacements,
            executor,
        );
        iteration += 1;
    }
    work.iterations += iteration;
    separate_coincident(
        frozen,
        grid,
        &work.states,
        work.correction_fraction,
        &mut work.displacements,
    );
    if boundary.any_bears_load() {
        let per_step = coefficients.interaction_radius / coefficients.time_step;
        let momentum_of = |wall: &WallGradient| {
            let momentum = wall.gradient * (work.lambdas[wall.particle as usize] * per_step);
            (wall.particle, wall.collider, momentum)
        };
        apply_collider_loads(frozen, &work.walls, loads, momentum_of, executor);
        loads.end_pass(boundary);
    }
    // The impulse that corrects a density does not grow with the length of the substep.
    let per_squared_step = work.correction_fraction / squared_step;
    let items = work.lambdas.iter().zip(&particles.activity);
    for (pressure, (lambda, activity)) in particles.pressure.iter_mut().zip(items) {
        if *activity >= Activity::Pressing {
            *pressure = lambda * per_squared_step;
        }
    }
    let time_step = coefficients.time_step;
    for (displacement, velocity) in work.displacements.iter_mut().zip(&particles.velocity) {
        *displacement -= *velocity * time_step;
    }
    particles.displace_all(&work.displacements, coefficients.max_displacement, time_step, executor);
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
    pub correction_fraction: f32,
    pub tolerance: f32,
    pub max_iterations: u32,
    /// One item per particle.
    pub states: Vec<State>,
    /// One item per particle: its displacement in this substep, initially `dt v`.
    pub displacements: Vec<Vec2>,
    /// One item per particle: its pressure `lambda`; `previous_lambdas`: the pressure of the
    /// previous iteration; `changes`: the change to apply.
    pub lambdas: Vec<f32>,
    pub previous_lambdas: Vec<f32>,
    pub changes: Vec<f32>,
    /// One item per chunk.
    pub neighbours: Vec<ChunkNeighbourList>,
    /// One list per chunk: the walls near its particles, in the order of the particles.
    pub walls: Vec<Vec<WallGradient>>,
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
