//! Parameters as files contain them: every field is optional, and old names still work.

use glam::Vec2;
use serde::Deserialize;

use crate::settings::parameters::{
    ClassicSettings, FluidParameters, GhostWalls, IncompressibleSettings, Settling,
    SharedPressureSettings, Sleeping, SphSettings, Substeps, Viscosity,
};
use crate::settings::solver::Solver;

/// [`FluidParameters`] as files contain them.
#[derive(Deserialize)]
#[serde(rename = "FluidParameters", default, deny_unknown_fields)]
pub(crate) struct WrittenParameters {
    solver: Option<Solver>,
    particle_spacing: f32,
    gravity: Vec2,
    reference_acceleration: f32,
    radius_ratio: f32,
    rest_density: Option<f32>,
    equilibrium_ratio: f32,
    stiffness: f32,
    near_stiffness_ratio: f32,
    near_share: f32,
    viscosity: Viscosity,
    segregation: f32,
    settling: Settling,
    sleeping: Sleeping,
    ghost_walls: GhostWalls,
    classic: ClassicSettings,
    sph: SphSettings,
    shared_pressure: SharedPressureSettings,
    incompressible: IncompressibleSettings,
    ambient_temperature: f32,
    substeps: Substeps,
    max_time_step: f32,
    relaxation: Option<OldRelaxation>,
    mass_split: Option<OldMassSplit>,
    wall: Option<OldWall>,
}

/// Form of the relaxation, in files of version 0.1 and older. `Classic` is a solver now.
#[derive(Deserialize, PartialEq)]
enum OldRelaxation {
    Capped,
    Classic,
}

/// How a pair's displacement is shared, in files of version 0.1 and older. The solver `classic`
/// uses `InverseMass`.
#[derive(Deserialize, PartialEq)]
enum OldMassSplit {
    PressurePerMass,
    InverseMass,
}

/// How walls act, in files of version 0.1 and older. The walls of the solver `classic` are
/// `Reflect`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
enum OldWall {
    Ghost { density: f32, unsticking: f32 },
    Reflect { restitution: f32, dead_zone: f32, unsticking: f32 },
}

impl Default for WrittenParameters {
    fn default() -> Self {
        let FluidParameters {
            solver: _,
            particle_spacing,
            gravity,
            reference_acceleration,
            radius_ratio,
            rest_density,
            equilibrium_ratio,
            stiffness,
            near_stiffness_ratio,
            near_share,
            viscosity,
            segregation,
            settling,
            sleeping,
            ghost_walls,
            classic,
            sph,
            shared_pressure,
            incompressible,
            ambient_temperature,
            substeps,
            max_time_step,
        } = FluidParameters::default();
        Self {
            solver: None,
            particle_spacing,
            gravity,
            reference_acceleration,
            radius_ratio,
            rest_density,
            equilibrium_ratio,
            stiffness,
            near_stiffness_ratio,
            near_share,
            viscosity,
            segregation,
            settling,
            sleeping,
            ghost_walls,
            classic,
            sph,
            shared_pressure,
            incompressible,
            ambient_temperature,
            substeps,
            max_time_step,
            relaxation: None,
            mass_split: None,
            wall: None,
        }
    }
}

impl From<WrittenParameters> for FluidParameters {
    /// Old settings that only the ancestors used choose the solver `classic`, unless a solver is
    /// named.
    fn from(written: WrittenParameters) -> Self {
        let is_classic = written.relaxation == Some(OldRelaxation::Classic)
            || written.mass_split == Some(OldMassSplit::InverseMass)
            || matches!(written.wall, Some(OldWall::Reflect { .. }));
        let implied = if is_classic { Solver::Classic } else { Solver::default() };
        let (mut ghost_walls, mut classic) = (written.ghost_walls, written.classic);
        match written.wall {
            Some(OldWall::Ghost { density, unsticking }) => {
                ghost_walls = GhostWalls { density, unsticking };
            }
            Some(OldWall::Reflect { restitution, dead_zone, unsticking }) => {
                classic = ClassicSettings { restitution, dead_zone, unsticking };
            }
            None => {}
        }
        Self {
            solver: written.solver.unwrap_or(implied),
            particle_spacing: written.particle_spacing,
            gravity: written.gravity,
            reference_acceleration: written.reference_acceleration,
            radius_ratio: written.radius_ratio,
            rest_density: written.rest_density,
            equilibrium_ratio: written.equilibrium_ratio,
            stiffness: written.stiffness,
            near_stiffness_ratio: written.near_stiffness_ratio,
            near_share: written.near_share,
            viscosity: written.viscosity,
            segregation: written.segregation,
            settling: written.settling,
            sleeping: written.sleeping,
            sph: written.sph,
            shared_pressure: written.shared_pressure,
            incompressible: written.incompressible,
            ghost_walls,
            classic,
            ambient_temperature: written.ambient_temperature,
            substeps: written.substeps,
            max_time_step: written.max_time_step,
        }
    }
}

#[cfg(all(test, feature = "scene"))]
mod tests {
    use super::*;

    fn read(text: &str) -> FluidParameters {
        let options = ron::Options::default()
            .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        options.from_str(text).expect(text)
    }

    #[test]
    fn a_solver_is_chosen_by_name() {
        for solver in Solver::ALL {
            assert_eq!(read(&format!("(solver: {})", solver.name())).solver, solver);
        }
        assert_eq!(read("()"), FluidParameters::default());
    }

    #[test]
    fn old_names_choose_the_solver_that_does_what_they_said() {
        assert_eq!(
            read("(relaxation: Capped, mass_split: PressurePerMass)"),
            FluidParameters::default()
        );
        for old in ["relaxation: Classic", "mass_split: InverseMass"] {
            assert_eq!(read(&format!("({old})")).solver, Solver::Classic, "{old}");
        }
        let old = read("(wall: Reflect(restitution: 0.5, dead_zone: 0.1, unsticking: 1))");
        let classic = ClassicSettings { restitution: 0.5, dead_zone: 0.1, unsticking: 1.0 };
        assert_eq!((old.solver, old.classic), (Solver::Classic, classic));
        let old = read("(wall: Ghost(density: 0.5, unsticking: 0.25))");
        let ghost_walls = GhostWalls { density: 0.5, unsticking: 0.25 };
        assert_eq!((old.solver, old.ghost_walls), (Solver::DoubleDensity, ghost_walls));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let parameters = FluidParameters {
            solver: Solver::Classic,
            rest_density: Some(9.0),
            ..FluidParameters::new(0.1, Vec2::new(0.0, -9.81))
        };
        let text = ron::to_string(&parameters).expect("written");
        assert_eq!(read(&text), parameters);
    }
}
