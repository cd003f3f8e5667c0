//! The solver `sph`: its settings, and how it integrates.

use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::solver::coefficients::Coefficients;
use crate::solver::ignores::Ignores;
use crate::solver::method::{Method, Substep};
use crate::solver::pair_forces::coefficients::Stiffness;
use crate::solver::pair_forces::forces::apply_forces_of_pairs;
use crate::solver::pair_forces::ignores::IGNORES;
use crate::solver::pair_forces::workspace::PairForces;
use crate::solver::pass::bounce::Bounce;
use crate::solver::sph::kernels::SphKernels;
use crate::solver::sph::motion::{hold_positions, move_on};
use crate::solver::substeps::SubstepDemand;

/// `(c dt/h)^2` with the largest speed of sound `c` at which a substep is stable.
const STIFFEST: f32 = 0.2;

/// Kinematic viscosity within a class, as a part of `c h`. With less the liquid boils.
const DAMPING: f32 = 0.02;

/// The workspace of smoothed particle hydrodynamics.
pub(crate) type Sph = PairForces<SphKernels>;

/// The stiffness that the settings ask for. Pressure never pulls.
fn stiffness(parameters: &FluidParameters) -> Stiffness {
    Stiffness {
        far: STIFFEST * parameters.sph.stiffness,
        near: 0.0,
        tension: 0.0,
        damping: DAMPING,
    }
}

impl Method for Sph {
    const IGNORES: &'static [Ignores] = IGNORES;

    fn has_other_settings(one: &FluidParameters, other: &FluidParameters) -> bool {
        one.sph != other.sph
    }

    fn demand(liquid: &Liquid, time_step: f32) -> SubstepDemand {
        stiffness(&liquid.parameters).demand(&liquid.parameters, time_step)
    }

    fn derive(&mut self, liquid: &Liquid, shared: &Coefficients) {
        let Liquid { parameters, classes, clock, .. } = liquid;
        let stiffness = stiffness(parameters).in_force(clock, parameters);
        self.pairs.derive::<SphKernels>(stiffness, parameters, classes, shared);
    }

    fn viscosity_sweeps(&self) -> (u32, u32) {
        (1, 0)
    }

    fn advance_positions(&mut self, substep: Substep) {
        let Substep { liquid, coefficients, executor, .. } = substep;
        let Liquid { particles, boundary, .. } = liquid;
        hold_positions(particles, boundary, coefficients, executor);
    }

    fn relax_density(&mut self, substep: Substep) {
        let Substep { liquid, neighbours, coefficients, executor } = substep;
        apply_forces_of_pairs(liquid, neighbours, self, coefficients, executor);
        let Liquid { particles, boundary, .. } = liquid;
        move_on(particles, boundary, coefficients, executor);
    }

    fn contain(&mut self, substep: Substep) {
        let restitution = substep.liquid.parameters.sph.restitution;
        substep.bounce_off_walls(Bounce { restitution, dead_zone: 0.0 });
    }
}
