//! Settings and passes of the solver `incompressible`.

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
use crate::solver::report::StepReport;
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
