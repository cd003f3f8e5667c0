//! An incompressible liquid: in each substep an iteration computes pressures that keep the densities within a tolerance
//! of the rest density. See [`FluidSolver::Incompressible`](crate::FluidSolver::Incompressible).
//!
//! It is the constant-density solver of divergence-free SPH (Bender and Koschier 2015, "Divergence-free smoothed
//! particle hydrodynamics", section 3.3), with a relaxed Jacobi iteration that starts from the pressures of the
//! previous substep and is accelerated by Chebyshev weights (Wang 2015, "A Chebyshev semi-iterative approach for
//! accelerating projective and position-based dynamics"). The viscosity is implicit, so honey needs no more substeps
//! than water (`viscosity.rs`).
//!
//! Lengths are in interaction radii `h`: a density is the number of particles per `h^2`, and a pressure `lambda` moves
//! a particle by `h/m` times the sum of the kernel gradients.

pub(crate) mod densities;
pub(crate) mod iteration;
pub(crate) mod projection;
pub(crate) mod viscosity;

use crate::liquid::clock::StepReport;
use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::{
    CLASS_VISCOSITY_BUT_LINEAR, IgnoredRule, PAIR_VISCOSITY_BUT_LINEAR, ignored_with_own_pressure,
};
use crate::solver::incompressible::projection::{Incompressible, project};
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::sufficient_substep;
use crate::solver::pair_forces::forces::{begin_substep, integrate_positions};
use crate::solver::substeps::SubstepDemand;

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

    fn advance_positions(&mut self, substep: Substep) {
        let Substep { liquid, coefficients, executor, .. } = substep;
        let Liquid { particles, boundary, .. } = liquid;
        begin_substep(particles, boundary, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        project(liquid, neighbours, self, coefficients, executor);
        let Liquid { particles, boundary, .. } = liquid;
        integrate_positions(particles, boundary, coefficients, executor);
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
                let velocities: Vec<DVec2> = world
                    .particles()
                    .velocities()
                    .iter()
                    .map(|velocity| velocity.as_dvec2())
                    .collect();
                let positions: Vec<DVec2> = world
                    .particles()
                    .positions()
                    .iter()
                    .map(|position| position.as_dvec2())
                    .collect();
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
