//! The interface of solvers.
//!
//! A solver is a file or a folder in `solver/` and an entry in the list in `settings/solver.rs`. Its
//! workspace implements [`Method`]. All solvers share everything else.

use std::fmt::Debug;

use crate::solver::coefficients::Coefficients;
use crate::solver::equation_of_state::Resistance;
use crate::solver::ignores::IgnoredRule;
use crate::solver::neighbours::hash::Neighbours;
use crate::solver::pass::advance::advance_positions;
use crate::solver::pass::bodies::{Reflection, reflect_particles};
use crate::solver::pass::containment::contain;
use crate::solver::substeps::SubstepDemand;
use crate::{Executor, FluidParameters, Liquid, StepReport};

/// A solver: its coefficients and buffers, and its own passes. It keeps no state from tick to tick.
pub(crate) trait Method: Clone + Debug + Default {
    /// The settings that it ignores, in the order of the report. Settings that are specific to
    /// another solver are not listed.
    const IGNORED_SETTINGS: &'static [IgnoredRule];

    /// Fraction of the mass of a particle at the wall of a [`Body`](crate::Body) that accelerates together
    /// with the body. It is larger for solvers whose pressure propagates farther in a substep.
    const ADDED_MASS_FRACTION: f32 = 0.3;

    /// Whether the two differ in any setting that only this solver uses.
    fn own_settings_differ(_one: &FluidParameters, _other: &FluidParameters) -> bool {
        false
    }

    /// The number of substeps that a tick of `time_step` seconds needs.
    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand;

    /// Speed, in V0, at which a particle that touches a wall is moved back inside.
    fn unsticking(_parameters: &FluidParameters) -> f32 {
        0.0
    }

    /// How strongly its equation of state resists compression in substeps of `time_step` seconds.
    fn resistance(liquid: &Liquid, time_step: f32) -> Resistance {
        Resistance::of_paper(&liquid.parameters, time_step)
    }

    /// Derives the coefficients of substeps from valid settings, when a tick begins or settings change in it.
    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients);

    /// Number of viscosity sweeps in a substep, and number of sweeps that were omitted.
    fn viscosity_sweeps(&self) -> (u32, u32) {
        (0, 0)
    }

    /// Writes the results of this tick's iterations into its report.
    fn report(&self, _report: &mut StepReport) {}

    /// [`FluidPass::ApplyViscosity`](crate::FluidPass::ApplyViscosity): does nothing if the forces
    /// between pairs include viscosity.
    fn apply_viscosity(&mut self, _substep: Substep) {}

    /// [`FluidPass::AdvancePositions`](crate::FluidPass::AdvancePositions): predicts positions,
    /// unless the solver computes forces at the present positions.
    fn advance_positions(&mut self, substep: Substep) {
        let Substep { liquid, coefficients, executor, .. } = substep;
        let Liquid { particles, boundary, .. } = liquid;
        advance_positions(particles, boundary, coefficients, executor);
    }

    /// [`FluidPass::ContainPrediction`](crate::FluidPass::ContainPrediction): does nothing, unless
    /// the relaxation needs predictions inside the walls.
    fn contain_prediction(&mut self, _substep: Substep) {}

    /// [`FluidPass::ApplySprings`](crate::FluidPass::ApplySprings): does nothing for solvers without springs.
    fn apply_springs(&mut self, _substep: Substep) {}

    /// [`FluidPass::RelaxDensity`](crate::FluidPass::RelaxDensity): applies the forces of neighbours and walls.
    fn relax_density(&mut self, substep: Substep);

    /// [`FluidPass::Contain`](crate::FluidPass::Contain): stops particles at walls, unless walls reflect them.
    fn contain(&mut self, substep: Substep) {
        substep.contain_particles();
    }
}

/// The data that a solver's passes read and change, besides its own workspace.
pub(crate) struct Substep<'a> {
    pub liquid: &'a mut Liquid,
    pub neighbours: &'a mut Neighbours,
    pub coefficients: &'a Coefficients,
    pub executor: &'a dyn Executor,
}

impl Substep<'_> {
    /// Keeps particles inside containers and out of colliders.
    pub(crate) fn contain_particles(self) {
        let Self { liquid, neighbours, coefficients, executor } = self;
        let Liquid { particles, boundary, loads, .. } = liquid;
        contain(particles, boundary, loads, &neighbours.free_discs, coefficients, true, executor);
    }

    /// As [`contain_particles`](Self::contain_particles), but the walls of convex containers
    /// reflect particles.
    pub(crate) fn reflect_at_walls(self, reflection: Reflection) {
        let Self { liquid, neighbours, coefficients, executor } = self;
        let Liquid { particles, boundary, loads, .. } = liquid;
        let free_discs = &neighbours.free_discs;
        contain(particles, boundary, loads, free_discs, coefficients, false, executor);
        reflect_particles(
            particles,
            boundary,
            loads,
            free_discs,
            reflection,
            coefficients,
            executor,
        );
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::solver::ignores::{CLASS_ELASTICITY, CLASS_POWDER};
    use crate::solver::pass::table::{SharedBuffers, run_pass};
    use crate::{Container, FluidPass, ParticleSpawn, SerialExecutor, Settling};

    /// A minimal solver in which particles only fall.
    ///
    /// It runs the same passes as every other solver. A real solver works in `relax_density`, has its own file or
    /// folder, and needs one entry with this type in the list in `settings/solver.rs`. The variant of
    /// [`FluidSolver`](crate::FluidSolver), the dispatch of the passes, the name, the label and the ignored settings
    /// follow from that entry.
    #[derive(Clone, Debug, Default)]
    struct Falling;

    impl Method for Falling {
        const IGNORED_SETTINGS: &'static [IgnoredRule] = &[CLASS_ELASTICITY, CLASS_POWDER];

        fn demand(_liquid: &Liquid, _time_step: f32) -> SubstepDemand {
            SubstepDemand::from_depth(f32::INFINITY)
        }

        fn derive(&mut self, _liquid: &Liquid, _shared: &Coefficients) {}

        fn relax_density(&mut self, _substep: Substep) {}
    }

    #[test]
    fn particles_of_a_toy_solver_fall_and_stay_inside() {
        const TICK: f32 = 1.0 / 60.0;
        let gravity = Vec2::new(0.0, -600.0);
        let settling = Settling { drag: 0.0, calm_drag: 0.0, ..Settling::default() };
        let parameters = FluidParameters { settling, ..FluidParameters::new(10.0, gravity) };
        let mut liquid = Liquid::default();
        liquid.set_parameters(parameters).expect("valid");
        liquid.insert_container(Container::circle(Vec2::ZERO, 100.0).expect("valid"));
        // The particles overlap, and no force separates them.
        for position in [Vec2::ZERO, Vec2::new(1.0, 0.0)] {
            liquid.spawn(ParticleSpawn { position, ..Default::default() }).expect("inside");
        }
        let (mut method, mut buffers) = (Falling, SharedBuffers::default());
        let (mut neighbours, mut coefficients) = (Neighbours::default(), Coefficients::default());
        let unsticking = Falling::unsticking(&liquid.parameters);
        coefficients.derive(&liquid.parameters, &liquid.classes, unsticking, TICK);
        method.derive(&liquid, &coefficients);
        for tick in 1..=120 {
            for pass in FluidPass::ALL {
                let substep = Substep {
                    liquid: &mut liquid,
                    neighbours: &mut neighbours,
                    coefficients: &coefficients,
                    executor: &SerialExecutor,
                };
                run_pass(pass, &mut method, &mut buffers, substep);
            }
            let lowest =
                liquid.particles.position.iter().map(|position| position.y).fold(0.0, f32::min);
            if tick == 10 {
                // Symplectic Euler: the sum of 1 to 10, times g dt^2.
                assert!((lowest + 55.0 * 600.0 * TICK * TICK).abs() < 1e-3, "{lowest}");
            }
            assert!(lowest > -100.1, "{lowest} in tick {tick}");
        }
        let apart = liquid.particles.position[0].distance(liquid.particles.position[1]);
        assert!(apart < 1.1, "{apart}");
    }
}
