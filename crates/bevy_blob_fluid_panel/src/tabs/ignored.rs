//! Settings that the selected solver ignores, which are not shown.

use std::sync::LazyLock;

use bevy_blob_fluid::blob_fluid::ranges::{SettingRange, Settings};
use bevy_blob_fluid::blob_fluid::{FluidParameters, FluidSolver, FluidWorld};

use crate::controls::form::is_in;

/// The settings that each solver ignores.
static IGNORED: LazyLock<Vec<(FluidSolver, Vec<&'static str>)>> = LazyLock::new(|| {
    FluidSolver::ALL.into_iter().map(|solver| (solver, find_ignored(solver))).collect()
});

/// Whether a solver ignores the setting of the liquid with this path.
pub(crate) fn is_ignored(path: &str, solver: FluidSolver) -> bool {
    let ignored = IGNORED.iter().filter(|(other, _)| *other == solver).flat_map(|(_, paths)| paths);
    ignored.into_iter().any(|group| is_in(path, group))
}

/// The ignored settings of a liquid without defaults: a setting with its default value is not reported.
fn find_ignored(solver: FluidSolver) -> Vec<&'static str> {
    let mut parameters =
        FluidParameters { solver, rest_density: Some(10.0), ..FluidParameters::default() };
    parameters.visit_mut(&mut |row, value| *value = other_than(*value, row));
    let world = FluidWorld::new(parameters).map(|world| world.ignored_settings());
    world.unwrap_or_default().into_iter().map(|ignored| ignored.setting).collect()
}

/// A valid value near this one.
fn other_than(value: f32, row: &SettingRange) -> f32 {
    let step = if row.whole { 1.0 } else { 0.1 * value.abs().max(0.1) };
    let more = value + step;
    if row.limits.contains(more) { more } else { value - step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solver_has_its_own_settings_and_none_of_the_others() {
        for solver in [
            FluidSolver::Classic,
            FluidSolver::Sph,
            FluidSolver::SharedPressure,
            FluidSolver::Incompressible,
        ] {
            for other in FluidSolver::ALL {
                let path = format!("{}.stiffness", solver.name());
                assert_eq!(is_ignored(&path, other), other != solver, "{path}, {other:?}");
            }
        }
    }

    #[test]
    fn a_solver_with_its_own_pressure_ignores_that_of_double_density() {
        for path in ["stiffness", "rest_density", "viscosity.quadratic", "ghost_walls.unsticking"] {
            assert!(
                is_ignored(path, FluidSolver::Sph) && !is_ignored(path, FluidSolver::DoubleDensity)
            );
        }
        assert!(!is_ignored("ghost_walls.density", FluidSolver::Sph));
        assert!(is_ignored("ghost_walls.density", FluidSolver::Classic));
        assert!(!is_ignored("viscosity.linear", FluidSolver::Incompressible));
        assert!(!is_ignored("sleeping.after", FluidSolver::Classic));
    }
}
