//! An incompressible liquid: in each substep an iteration computes pressures that keep the densities within a tolerance
//! of the rest density. See [`FluidSolver::Incompressible`](crate::FluidSolver::Incompressible).
//!
//! This is the constant-density solver of divergence-free SPH (Bender and Koschier 2015, "Divergence-free smoothed
//! particle hydrodynamics", section 3.3). Its relaxed Jacobi iteration starts from the pressures of the previous
//! substep. Chebyshev weights accelerate it (Wang 2015, "A Chebyshev semi-iterative approach for accelerating
//! projective and position-based dynamics"). The viscosity is implicit, so honey needs no more substeps than water
//! (`viscosity.rs`).
//!
//! Lengths are in interaction radii `h`. A density is the number of particles per `h^2`. A pressure `lambda` moves a
//! particle by `h/m` times the sum of the kernel gradients.

pub(crate) mod densities;
pub(crate) mod iteration;
pub(crate) mod viscosity;

use glam::Vec2;

use crate::parallel::executor::CHUNK;
use crate::particles::arrays::{Activity, Computed};
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::{
    CLASS_VISCOSITY_BUT_LINEAR, IgnoredRule, PAIR_VISCOSITY_BUT_LINEAR, ignored_with_own_pressure,
};
use crate::solver::incompressible::densities::{
    ChunkNeighbourList, State, WallGradient, compute_densities,
};
use crate::solver::incompressible::iteration::{
    Chebyshev, FrozenStates, PressureBuffers, apply_pressure_changes, compute_pressure_changes,
    separate_coincident,
};
use crate::solver::incompressible::viscosity::ImplicitViscosity;
use crate::solver::method::{Method, Substep};
use crate::solver::neighbours::hash::refresh;
use crate::solver::pair_forces::coefficients::{
    Frozen, PairCoefficients, Stiffness, sufficient_substep,
};
use crate::solver::pair_forces::forces::{begin_substep, integrate_positions};
use crate::solver::pair_forces::walls::apply_collider_loads;
use crate::solver::shared_pressure::SharedPressureKernels;
use crate::solver::substeps::SubstepDemand;
use crate::{ClassTable, FluidParameters, Liquid, StepReport};

/// Largest displacement of a particle in a substep, in interaction radii.
const MAX_DISPLACEMENT_IN_RADII: f32 = 0.5;

/// Number of substeps in each of which the fastest particle moves by at most
/// [`MAX_DISPLACEMENT_IN_RADII`].
fn substeps_for_speed(liquid: &Liquid, time_step: f32) -> f32 {
    let speeds = liquid.particles.velocity.iter().map(|velocity| velocity.length_squared());
    let max_speed = speeds.fold(0.0, f32::max).sqrt();
    time_step * max_speed / (MAX_DISPLACEMENT_IN_RADII * liquid.parameters.interaction_radius())
}

impl Method for Incompressible {
    // The pressure is solved for the whole liquid.
    const ADDED_MASS_FRACTION: f32 = 1.0;

    const IGNORED_SETTINGS: &'static [IgnoredRule] =
        &ignored_with_own_pressure(CLASS_VISCOSITY_BUT_LINEAR, PAIR_VISCOSITY_BUT_LINEAR);

    fn own_settings_differ(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.incompressible != other.incompressible
    }

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        SubstepDemand {
            other_substeps: substeps_for_speed(liquid, time_step),
            sufficient_length: sufficient_substep(&liquid.parameters),
            ..SubstepDemand::from_depth(f32::INFINITY)
        }
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let Liquid { parameters, classes, clock, .. } = liquid;
        self.correction_fraction = clock.substep / clock.resisting_substep;
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

    fn advance_positions(&mut self, mut substep: Substep) {
        begin_substep(&mut substep);
    }

    fn relax_density(&mut self, mut substep: Substep) {
        project(&mut substep, self);
        integrate_positions(&mut substep);
        // Even bodies advance only now: the projection adds the displacements of walls in this substep
        // to their positions at its beginning.
        let Coefficients { time_step, per_time_unit, .. } = *substep.coefficients;
        substep.liquid.boundary.advance(time_step, per_time_unit);
    }
}

// The projection: the pressures of a substep, and the motion that they cause.

/// Fraction of its pressure with which a particle begins the next substep. With 1, expanding liquid is accelerated
/// further, and boils. With 0.7, a pool does not come to rest; with this value it does.
const WARM_START: f32 = 0.4;

/// Density, relative to the rest density, below which a particle begins without pressure: at surfaces and in spray.
const MIN_WARM_START_DENSITY: f32 = 0.95;

/// Moves every particle until the mean excess of the densities over the rest density is within the tolerance. It
/// stops at the largest number of iterations.
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
fn project(substep: &mut Substep, work: &mut Incompressible) {
    let &mut Substep { ref mut liquid, ref mut neighbours, coefficients, executor } = substep;
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

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::{DMat2, DVec2, Vec2};

    use crate::particles::arrays::Activity;
    use crate::shape::scatter;
    use crate::{
        ClassId, FluidParameters, FluidPass, FluidSolver, FluidWorld, IncompressibleSettings,
        ParticleSpawn, SerialExecutor, StepReport, Viscosity,
    };

    /// A compressed and stirred lump of three classes.
    fn lump(linear: f32) -> FluidWorld {
        let parameters = FluidParameters {
            solver: FluidSolver::Incompressible,
            viscosity: Viscosity { linear, cross_class: 0.5, ..Viscosity::default() },
            ..FluidParameters::default()
        };
        let mut world = FluidWorld::new(parameters).expect("valid");
        add_lump(&mut world, Vec2::ZERO);
        world
    }

    fn add_lump(world: &mut FluidWorld, centre: Vec2) {
        for number in 0..400_u32 {
            let cell = Vec2::new((number % 20) as f32, (number / 20) as f32) - 9.5;
            let position = centre + cell * 7.6 + scatter(number);
            let velocity = scatter(!number) * 20.0 - cell * 6.0;
            let class = ClassId((number % 3) as u8);
            world
                .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
                .expect("valid");
        }
        world.end_easing();
    }

    /// The position of a sleeping lump.
    const FAR: Vec2 = Vec2::new(3000.0, 0.0);

    /// Runs a tick in which all distant particles sleep.
    fn tick_with_sleepers(world: &mut FluidWorld) -> StepReport {
        let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
        for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
            let particles = &mut world.liquid_mut().particles;
            for (activity, position) in particles.activity.iter_mut().zip(&particles.position) {
                if position.x > 0.5 * FAR.x {
                    *activity = Activity::Asleep;
                }
            }
            world.run_pass(pass, &SerialExecutor);
        }
        world.end_tick(report, &SerialExecutor)
    }

    #[test]
    fn sleepers_have_no_error_and_keep_their_pressures() {
        let mut alone = lump(0.1);
        // Few enough iterations to leave an error.
        let incompressible = IncompressibleSettings { tolerance: 0.0001, max_iterations: 4 };
        let parameters = FluidParameters { incompressible, ..*alone.parameters() };
        alone.set_parameters(parameters).expect("valid");
        let mut beside = alone.clone();
        add_lump(&mut beside, FAR);
        alone.end_easing();
        for world in [&mut alone, &mut beside] {
            world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
            // The lump is compressed.
            let particles = world.particles_mut();
            let inwards =
                |place: &Vec2| if place.x > 0.5 * FAR.x { Vec2::ZERO } else { -2.0 * *place };
            let inwards: Vec<Vec2> = particles.positions().iter().map(inwards).collect();
            particles.velocities_mut().copy_from_slice(&inwards);
        }
        let particles = beside.particles();
        let all = particles.ids().iter().zip(particles.positions()).zip(particles.kept_pressures());
        let before: Vec<_> = all
            .filter(|((_, position), _)| position.x > 0.5 * FAR.x)
            .map(|((id, _), pressure)| (*id, *pressure))
            .collect();
        assert_eq!(before.len(), 400);
        assert!(before.iter().any(|(_, pressure)| *pressure > 0.0));
        let [one, other] = [&mut alone, &mut beside].map(tick_with_sleepers);
        assert_eq!(one.pressure_iterations, other.pressure_iterations);
        assert!(one.density_error > 1e-4, "{one:?}");
        // The particles are in a different order, so the sums are rounded differently.
        assert!((other.density_error / one.density_error - 1.0).abs() < 0.01, "{other:?}, {one:?}");
        for (id, pressure) in before {
            let index = beside.particles().index_of(id).expect("alive");
            assert_eq!(beside.particles().kept_pressures()[index], pressure);
        }
    }

    /// Compares the solver's pressures with the formulas of the paper, in world units and double precision.
    #[test]
    fn pressures_move_particles_as_stated_and_leave_the_stated_error() {
        for (linear, implicit) in [(0.1, false), (20.0, true), (1000.0, true)] {
            check_five_ticks(linear, implicit);
        }
    }

    fn check_five_ticks(linear: f32, implicit: bool) {
        let mut world = lump(linear);
        for _ in 0..5 {
            let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
            let dt = f64::from(report.time_step) / f64::from(report.substeps);
            let mut mean = 0.0;
            for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
                if pass != FluidPass::RelaxDensity {
                    world.run_pass(pass, &SerialExecutor);
                    continue;
                }
                let precise = |vectors: &[Vec2]| -> Vec<DVec2> {
                    vectors.iter().map(|vector| vector.as_dvec2()).collect()
                };
                let velocities = precise(world.particles().velocities());
                let positions = precise(world.particles().positions());
                world.run_pass(pass, &SerialExecutor);
                mean = check(&world, dt, &positions, &velocities);
            }
            let report = world.end_tick(report, &SerialExecutor);
            assert!((f64::from(report.density_error) - mean).abs() < 1e-5, "{report:?} {mean}");
            assert!(report.density_error <= 0.001, "{report:?}");
            assert!((1..60).contains(&report.pressure_iterations), "{report:?}");
            assert_eq!(report.viscosity_iterations > 0, implicit, "{report:?}");
        }
    }

    /// Compares the displacements with those that the pressures cause. Returns the mean error of the resulting
    /// densities.
    fn check(world: &FluidWorld, dt: f64, positions: &[DVec2], velocities: &[DVec2]) -> f64 {
        let (particles, parameters) = (world.particles(), world.parameters());
        let h = f64::from(parameters.interaction_radius());
        let d = f64::from(parameters.particle_spacing);
        let classes: Vec<_> = world.classes().iter().collect();
        let class = |i: usize| particles.classes()[i].index();
        let mass = |i: usize| f64::from(classes[class(i)].mass);
        let pressure = |i: usize| f64::from(particles.pressure[i]) * dt * dt;
        let rest = |i: usize| {
            // A triangular lattice with one particle per square of the spacing.
            let apart = d * (2.0 / 3.0_f64.sqrt()).sqrt();
            let mut sum = 0.0;
            for row in -9..=9 {
                for column in -18..=18 {
                    let x = apart * (f64::from(column) + 0.5 * f64::from(row));
                    let y = apart * 0.75_f64.sqrt() * f64::from(row);
                    sum += kernel(x.hypot(y), h);
                }
            }
            sum * f64::from(classes[class(i)].relative_rest_density)
        };
        let count = positions.len();
        let pairs = |i: usize| {
            let near = (0..count).filter(move |j| *j != i);
            near.filter_map(move |j| {
                let offset = positions[j] - positions[i];
                (offset.length() < h).then(|| (j, offset.length(), offset.normalize()))
            })
        };
        let per_tick = dt / f64::from(parameters.time_unit());
        let ratio = f64::from(parameters.radius_ratio);
        let factor = |i, j| {
            if class(i) == class(j) { 1.0 } else { f64::from(parameters.viscosity.cross_class) }
        };
        let share = |i: usize, j: usize| mass(j) / (mass(i) + mass(j));
        let lost = PI / 16.0 * ratio * ratio;
        let linear = (f64::from(parameters.viscosity.linear) + 3.6 / lost) * per_tick;
        let rate = |i: usize, j: usize, r: f64| {
            linear * factor(i, j) * share(i, j) * 1.5 * (1.0 - r / h) * r / h
        };
        let mut exchanged = velocities.to_vec();
        // The initial residual: the change by one explicit exchange.
        let mut largest = 0.0_f64;
        for (i, velocity) in exchanged.iter_mut().enumerate() {
            let lost = |(j, r, direction): (usize, f64, DVec2)| {
                direction * (rate(i, j, r) * (velocities[i] - velocities[j]).dot(direction))
            };
            let change = pairs(i).map(lost).sum::<DVec2>();
            largest = largest.max(change.length());
            *velocity -= change;
        }
        let is_implicit = linear * lost > 0.5;
        if is_implicit {
            exchanged.copy_from_slice(velocities);
            // Gauss-Seidel iteration for `x_i + sum_j s_ij (x_i - x_j).r r = v_i`.
            for _ in 0..3000 {
                let mut moved = 0.0_f64;
                for i in 0..count {
                    let (mut matrix, mut right) = (DMat2::IDENTITY, velocities[i]);
                    for (j, r, direction) in pairs(i) {
                        let rate = rate(i, j, r);
                        let (x, y) = (direction * direction.x, direction * direction.y);
                        matrix += DMat2::from_cols(x, y) * rate;
                        right += direction * (rate * exchanged[j].dot(direction));
                    }
                    let next = matrix.inverse() * right;
                    moved = moved.max(next.distance(exchanged[i]));
                    exchanged[i] = next;
                }
                if moved < 1e-9 {
                    break;
                }
            }
        }
        // The solver stops at a thousandth of the initial residual, in the root of the sum of squares over all
        // particles. The residual bounds the error.
        let left = if is_implicit { 1e-3 * largest * (count as f64).sqrt() * dt } else { 0.0 };
        let ways: Vec<DVec2> = (0..count)
            .map(|i| {
                let pushed = pairs(i)
                    .map(|(j, r, direction)| {
                        direction * ((pressure(i) + pressure(j)) * slope(r, h))
                    })
                    .sum::<DVec2>()
                    * (h * h * h * h / mass(i));
                let expected = (exchanged[i] - velocities[i]) * dt - pushed;
                let found = particles.displacements()[i].as_dvec2();
                let size = (exchanged[i] * dt).length() + pushed.length() + 1.0;
                let error = found.distance(expected);
                assert!(error < 1e-4 * size + left, "{i}: {found} instead of {expected}");
                found + velocities[i] * dt
            })
            .collect();
        let excess = |i: usize| {
            let density = kernel(0.0, h) + pairs(i).map(|(_, r, _)| kernel(r, h)).sum::<f64>();
            let grown =
                pairs(i).map(|(j, r, direction)| (ways[i] - ways[j]).dot(direction) * slope(r, h));
            ((density + grown.sum::<f64>()) / rest(i) - 1.0).max(0.0)
        };
        (0..count).map(excess).sum::<f64>() / count as f64
    }

    fn kernel(r: f64, h: f64) -> f64 {
        6.0 / (PI * h.powi(4)) * (h - r).max(0.0).powi(2)
    }

    /// `-dW/dr`.
    fn slope(r: f64, h: f64) -> f64 {
        12.0 / (PI * h.powi(4)) * (h - r)
    }
}
