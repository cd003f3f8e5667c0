//! An incompressible liquid: pressures that keep every density within a tolerance of its rest value
//! are found by iteration, in one substep: see [`Solver::Incompressible`](crate::Solver::Incompressible).
//!
//! It is the constant-density solver of divergence-free SPH (Bender and Koschier 2015,
//! "Divergence-free smoothed particle hydrodynamics", section 3.3), with a relaxed Jacobi iteration
//! that starts from the pressures of the substep before and is accelerated by Chebyshev weights (Wang
//! 2015, "A Chebyshev semi-iterative approach for accelerating projective and position-based
//! dynamics").
//!
//! Lengths are in interaction radii `h` here: a density is the number of particles per `h^2`, and a
//! pressure `lambda` moves a particle by `h/m` times the gradients of its kernels.

pub(crate) mod densities;
pub(crate) mod iteration;
pub(crate) mod near;
pub(crate) mod workspace;

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use glam::{DVec2, Vec2};

    use crate::shape::scatter;
    use crate::{
        ClassId, FluidParameters, FluidWorld, ParticleSpawn, Pass, SerialExecutor, Solver,
        Viscosity,
    };

    /// A lump of three classes that is compressed and stirred.
    fn lump() -> FluidWorld {
        let parameters = FluidParameters {
            solver: Solver::Incompressible,
            viscosity: Viscosity { cross_class: 0.5, ..Viscosity::default() },
            ..FluidParameters::default()
        };
        let mut world = FluidWorld::new(parameters).expect("valid");
        for number in 0..400_u32 {
            let cell = Vec2::new((number % 20) as f32, (number / 20) as f32) - 9.5;
            let position = cell * 7.6 + scatter(number);
            let velocity = scatter(!number) * 20.0 - cell * 6.0;
            let class = ClassId((number % 3) as u8);
            world
                .spawn(ParticleSpawn { position, velocity, class, ..Default::default() })
                .expect("valid");
        }
        world.end_easing();
        world
    }

    /// What the paper's formulas, in world units and in 64 bits, say of the pressures that the
    /// solver has found.
    #[test]
    fn pressures_move_particles_as_stated_and_leave_the_stated_error() {
        let mut world = lump();
        for _ in 0..5 {
            let report = world.begin_tick(1.0 / 60.0, &SerialExecutor).expect("valid");
            let dt = f64::from(report.time_step) / f64::from(report.substeps);
            let mut mean = 0.0;
            for pass in (0..report.substeps).flat_map(|_| Pass::ALL) {
                if pass != Pass::RelaxDensity {
                    world.run_pass(pass, &SerialExecutor);
                    continue;
                }
                let velocities: Vec<DVec2> =
                    world.particles().velocities().iter().map(|own| own.as_dvec2()).collect();
                let positions: Vec<DVec2> =
                    world.particles().positions().iter().map(|own| own.as_dvec2()).collect();
                world.run_pass(pass, &SerialExecutor);
                mean = check(&world, dt, &positions, &velocities);
            }
            let report = world.end_tick(report, &SerialExecutor);
            assert!((f64::from(report.density_error) - mean).abs() < 1e-5, "{report:?} {mean}");
            assert!(report.density_error <= 0.001, "{report:?}");
            assert!((1..60).contains(&report.pressure_iterations), "{report:?}");
        }
    }

    /// Compares the displacements with those that the pressures cause; returns the mean error of
    /// the densities that follow.
    fn check(world: &FluidWorld, dt: f64, positions: &[DVec2], velocities: &[DVec2]) -> f64 {
        let (particles, parameters) = (world.particles(), world.parameters());
        let h = f64::from(parameters.interaction_radius());
        let d = f64::from(parameters.particle_spacing);
        let classes: Vec<_> = world.classes().iter().collect();
        let class = |i: usize| particles.classes()[i].index();
        let mass = |i: usize| f64::from(classes[class(i)].mass);
        let pressure = |i: usize| f64::from(particles.pressure[i]) * dt * dt;
        let rest = |i: usize| {
            // A triangular lattice with a particle per square of the spacing.
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
        let weights = PI / 3.0 * f64::from(parameters.radius_ratio).powi(2);
        let way = |i: usize| {
            let (mut velocity, mut pushed) = (velocities[i], DVec2::ZERO);
            for (j, r, direction) in pairs(i) {
                let viscosity = &parameters.viscosity;
                let factor = if class(i) == class(j) { 1.0 } else { viscosity.cross_class };
                let linear = f64::from(viscosity.linear) * per_tick * weights;
                let rate = ((linear + 0.18) * f64::from(factor)).min(0.5) / weights;
                let share = 2.0 * mass(j) / (mass(i) + mass(j));
                velocity += (velocities[j] - velocities[i]) * (rate * share * (1.0 - r / h));
                pushed += direction * ((pressure(i) + pressure(j)) * slope(r, h));
            }
            (velocity * dt, pushed * (h * h * h * h / mass(i)))
        };
        let ways: Vec<DVec2> = (0..count)
            .map(|i| {
                let (exchanged, pushed) = way(i);
                let expected = exchanged - pushed - velocities[i] * dt;
                let found = particles.displacements()[i].as_dvec2();
                let size = exchanged.length() + pushed.length() + 1.0;
                assert!(found.distance(expected) < 1e-4 * size, "{found} instead of {expected}");
                exchanged - pushed
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
