//! Settings that the chosen solver ignores.

use std::fmt;
use std::mem::discriminant;

use crate::liquid::state::Liquid;
use crate::settings::parameters::FluidParameters;
use crate::settings::solver::FluidSolver;
use crate::solver::ignores::IgnoredRule;

/// A setting that differs from its default, and that the chosen solver ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredSetting {
    /// Path of the setting, such as `class.elasticity`.
    pub setting: &'static str,
    /// The effect that is missing, in one sentence.
    pub meaning: String,
}

impl fmt::Display for IgnoredSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.meaning, self.setting)
    }
}

impl Liquid {
    /// Settings that differ from their defaults, and that the chosen [solver](FluidSolver) ignores.
    /// Classes without particles count too.
    ///
    /// ```
    /// use blob_fluid::{ClassTable, DensityClass, FluidElasticity, FluidParameters, FluidWorld, FluidSolver};
    /// let parameters = FluidParameters { solver: FluidSolver::Classic, ..FluidParameters::default() };
    /// let mut world = FluidWorld::new(parameters)?;
    /// assert_eq!(world.ignored_settings(), []);
    /// let jelly = DensityClass {
    ///     name: "jelly".into(),
    ///     elasticity: Some(FluidElasticity::default()),
    ///     ..DensityClass::default()
    /// };
    /// world.set_classes(ClassTable::new(vec![jelly])?)?;
    /// assert_eq!(world.ignored_settings()[0].setting, "class.elasticity");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ignored_settings(&self) -> Vec<IgnoredSetting> {
        let (parameters, usual) = (&self.parameters, FluidParameters::default());
        let solver = parameters.solver;
        let mut ignored = Vec::new();
        for other in FluidSolver::ALL.into_iter().filter(|other| *other != solver) {
            if other.own_settings_differ(parameters, &usual) {
                let meaning = format!("The solver `{}` is not `{}`.", solver.name(), other.name());
                ignored.push(IgnoredSetting { setting: other.name(), meaning });
            }
        }
        let mut add = |row: &IgnoredRule, classes: &[&str]| {
            let meaning = row.explanation_for(solver.name(), classes);
            ignored.push(IgnoredSetting { setting: row.setting, meaning });
        };
        // Entries of one class, or of one pair, stay together.
        let alike = |a: &IgnoredRule, b: &IgnoredRule| {
            discriminant(&a.usage_test) == discriminant(&b.usage_test)
        };
        for rows in solver.ignored().chunk_by(alike) {
            let asked = rows.iter().filter(|row| row.is_used_by_liquid(self));
            asked.for_each(|row| add(row, &[]));
            for class in self.classes.iter() {
                let asked = rows.iter().filter(|row| row.is_used_by_class(class));
                asked.for_each(|row| add(row, &[&class.name]));
            }
            for pair in self.classes.pairs() {
                let [one, other] = &pair.classes;
                let asked = rows.iter().filter(|row| row.is_used_by_pair(pair));
                asked.for_each(|row| add(row, &[one, other]));
            }
        }
        ignored
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::boundary::container::Container;
    use crate::boundary::solid::WallProperties;
    use crate::settings::class::ClassPair;
    use crate::settings::class::{ClassViscosity, DensityClass, FluidElasticity};
    use crate::settings::class_table::ClassTable;
    use crate::settings::parameters::{
        ClassicSettings, GhostWalls, IncompressibleSettings, SharedPressureSettings, SphSettings,
    };
    use crate::world::FluidWorld;

    /// A world in which everything is set that some solver ignores.
    fn rich(solver: FluidSolver) -> FluidWorld {
        let ghost_walls = GhostWalls { density: 0.5, unsticking: 0.0 };
        let classic = ClassicSettings { restitution: 0.5, ..ClassicSettings::default() };
        let sph = SphSettings { restitution: 0.5, ..SphSettings::default() };
        let shared_pressure = SharedPressureSettings { cohesion: 0.1, ..Default::default() };
        let incompressible =
            IncompressibleSettings { tolerance: 0.01, ..IncompressibleSettings::default() };
        let parameters = FluidParameters {
            solver,
            ghost_walls,
            classic,
            sph,
            shared_pressure,
            incompressible,
            rest_density: Some(10.0),
            segregation: 1.0,
            ..FluidParameters::default()
        };
        let jelly = DensityClass {
            name: "jelly".into(),
            elasticity: Some(FluidElasticity::default()),
            viscosity: Some(ClassViscosity::default()),
            surface_tension: 1.0,
            stiffness: 2.0,
            ..DensityClass::default()
        };
        let water = DensityClass { name: "water".into(), ..DensityClass::default() };
        let pair = ClassPair {
            viscosity: Some(ClassViscosity::default()),
            cohesion: 0.5,
            segregation: Some(1.0),
            ..ClassPair::new("jelly", "water")
        };
        let mut world = FluidWorld::new(parameters).expect("valid");
        let classes = ClassTable::with_pairs(vec![jelly, water], vec![pair]).expect("valid");
        world.set_classes(classes).expect("none in use");
        let dry = WallProperties { wetting: 0.0, ..WallProperties::default() };
        let container =
            Container::circle(Vec2::ZERO, 100.0).and_then(|container| container.with_wall(dry));
        world.insert_container(container.expect("valid"));
        world
    }

    #[test]
    fn each_solver_says_what_it_ignores() {
        let ignored = |world: &FluidWorld| {
            world.ignored_settings().into_iter().map(|ignored| ignored.setting).collect::<Vec<_>>()
        };
        let others = ["classic", "sph", "shared_pressure", "incompressible"];
        assert_eq!(ignored(&rich(FluidSolver::DoubleDensity)), others);
        assert_eq!(
            ignored(&rich(FluidSolver::Classic)),
            [
                "sph",
                "shared_pressure",
                "incompressible",
                "class.elasticity",
                "class.viscosity",
                "class.surface_tension",
                "pair.viscosity",
                "pair.cohesion",
                "pair.segregation",
                "segregation",
                "ghost_walls",
                "wall.wetting"
            ]
        );
        assert_eq!(
            ignored(&rich(FluidSolver::Sph)),
            [
                "classic",
                "shared_pressure",
                "incompressible",
                "rest_density",
                "class.elasticity",
                "class.viscosity",
                "class.surface_tension",
                "class.stiffness",
                "pair.viscosity",
                "pair.cohesion",
                "pair.segregation",
                "segregation",
                "wall.wetting"
            ]
        );
        let names = ignored(&rich(FluidSolver::Incompressible));
        assert!(
            !names.contains(&"class.viscosity") && !names.contains(&"pair.viscosity"),
            "{names:?}"
        );
        for solver in FluidSolver::ALL {
            let plain = FluidParameters { solver, ..FluidParameters::default() };
            let world = FluidWorld::new(plain).expect("valid");
            assert_eq!(world.ignored_settings(), [], "nothing was asked of {solver:?}");
            for setting in rich(solver).ignored_settings() {
                assert!(setting.to_string().contains(solver.name()), "{setting}");
            }
        }
    }
}
