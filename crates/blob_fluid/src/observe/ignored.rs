//! Settings that the chosen solver ignores.

use std::fmt;

use crate::boundary::wall::WallProperties;
use crate::liquid::state::Liquid;
use crate::settings::class::ClassViscosity;
use crate::settings::parameters::{FluidParameters, GhostWalls};
use crate::settings::solver::Solver;

/// A setting that differs from its default, and that the chosen solver ignores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredSetting {
    /// Path of the setting, such as `class.elasticity`.
    pub setting: &'static str,
    /// What the setting would do, in a sentence.
    pub meaning: String,
}

impl fmt::Display for IgnoredSetting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.meaning, self.setting)
    }
}

/// Whether a solver other than double density relaxation ignores a part of the viscosity of a class
/// or a pair, and what it does instead.
fn ignored_viscosity(solver: Solver, viscosity: Option<ClassViscosity>) -> (bool, &'static str) {
    if solver == Solver::Incompressible {
        let usual = ClassViscosity::default();
        let others = |own: ClassViscosity| (own.approach, own.quadratic);
        let differs = viscosity.is_some_and(|own| others(own) != others(usual));
        (differs, "its linear viscosity only")
    } else {
        (viscosity.is_some(), "the viscosity of the whole liquid")
    }
}

impl Liquid {
    /// Settings that differ from their defaults, and that the chosen [solver](Solver) ignores.
    /// Classes count whether they have particles or not.
    ///
    /// ```
    /// use blob_fluid::{ClassTable, DensityClass, Elasticity, FluidParameters, FluidWorld, Solver};
    /// let parameters = FluidParameters { solver: Solver::Classic, ..FluidParameters::default() };
    /// let mut world = FluidWorld::new(parameters)?;
    /// assert_eq!(world.ignored_settings(), []);
    /// let jelly = DensityClass {
    ///     name: "jelly".into(),
    ///     elasticity: Some(Elasticity::default()),
    ///     ..DensityClass::default()
    /// };
    /// world.set_classes(ClassTable::new(vec![jelly])?)?;
    /// assert_eq!(world.ignored_settings()[0].setting, "class.elasticity");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ignored_settings(&self) -> Vec<IgnoredSetting> {
        let mut ignored = Vec::new();
        let mut add = |applies: bool, setting, meaning: String| {
            if applies {
                ignored.push(IgnoredSetting { setting, meaning });
            }
        };
        let solver = self.parameters.solver;
        let name = solver.name();
        let (own, usual) = (&self.parameters, FluidParameters::default());
        let others = [
            (Solver::Classic, own.classic != usual.classic, "classic"),
            (Solver::Sph, own.sph != usual.sph, "sph"),
            (
                Solver::SharedPressure,
                own.shared_pressure != usual.shared_pressure,
                "shared_pressure",
            ),
            (Solver::Incompressible, own.incompressible != usual.incompressible, "incompressible"),
        ];
        for (other, differs, setting) in others {
            let meaning = format!("The solver `{name}` is not `{setting}`.");
            add(other != solver && differs, setting, meaning);
        }
        if solver == Solver::DoubleDensity {
            return ignored;
        }
        let has_own_stiffness = solver != Solver::Classic;
        if has_own_stiffness {
            let meaning = format!("The solver `{name}` follows the particle spacing.");
            add(own.rest_density.is_some(), "rest_density", meaning.clone());
            add(own.equilibrium_ratio != usual.equilibrium_ratio, "equilibrium_ratio", meaning);
            let meaning = format!("The solver `{name}` has settings of its own, `{name}`.");
            add(own.stiffness != usual.stiffness, "stiffness", meaning.clone());
            let differs = own.near_stiffness_ratio != usual.near_stiffness_ratio;
            add(differs, "near_stiffness_ratio", meaning);
            let meaning = format!("The solver `{name}` has linear viscosity only.");
            let (own, usual) = (&own.viscosity, &usual.viscosity);
            add(own.approach != usual.approach, "viscosity.approach", meaning.clone());
            add(own.quadratic != usual.quadratic, "viscosity.quadratic", meaning.clone());
            add(own.limit != usual.limit, "viscosity.limit", meaning);
        }
        for class in self.classes.iter() {
            let own = &class.name;
            let meaning = format!("The solver `{name}` has no springs: `{own}` is a plain liquid.");
            add(class.elasticity.is_some(), "class.elasticity", meaning);
            let (ignores, instead) = ignored_viscosity(solver, class.viscosity);
            let meaning = format!("The solver `{name}` gives `{own}` {instead}.");
            add(ignores, "class.viscosity", meaning);
            let meaning = format!(
                "The solver `{name}` gives `{own}` no surface tension but that of its pressure."
            );
            add(class.surface_tension != 0.0, "class.surface_tension", meaning);
            let meaning = format!("The solver `{name}` resists compression of `{own}` as of all.");
            let differs = class.stiffness != 1.0 || class.near_stiffness != 1.0;
            add(has_own_stiffness && differs, "class.stiffness", meaning);
        }
        for pair in self.classes.pairs() {
            let [one, other] = &pair.classes;
            let (ignores, instead) = ignored_viscosity(solver, pair.viscosity);
            let meaning = format!("The solver `{name}` gives `{one}` and `{other}` {instead}.");
            add(ignores, "pair.viscosity", meaning);
            let meaning =
                format!("The solver `{name}` has no cohesion between `{one}` and `{other}`.");
            add(pair.cohesion != 0.0, "pair.cohesion", meaning);
            let meaning =
                format!("The solver `{name}` sorts `{one}` and `{other}` by gravity alone.");
            add(pair.segregation.is_some_and(|own| own > 0.0), "pair.segregation", meaning);
        }
        let own = self.parameters.segregation;
        let meaning = format!("The solver `{name}` sorts classes by gravity alone.");
        add(own != usual.segregation && own != 0.0, "segregation", meaning);
        let differs = self.parameters.near_share != usual.near_share;
        let meaning = format!("The solver `{name}` resists compression only softly.");
        add(differs, "near_share", meaning);
        let walls = &self.parameters.ghost_walls;
        if has_own_stiffness {
            let meaning = format!("The solver `{name}` does not send particles back inside.");
            add(walls.unsticking != 0.0, "ghost_walls.unsticking", meaning);
        } else {
            let meaning = format!("The solver `{name}` counts no liquid behind walls.");
            add(*walls != GhostWalls::default(), "ghost_walls", meaning);
        }
        let wetting = WallProperties::default().wetting;
        let differs = self.boundary.walls().any(|wall| wall.wetting != wetting);
        let meaning = format!("Liquid of the solver `{name}` clings to no wall.");
        add(differs, "wall.wetting", meaning);
        ignored
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::boundary::container::Container;
    use crate::settings::class::{ClassViscosity, DensityClass, Elasticity};
    use crate::settings::class_pair::ClassPair;
    use crate::settings::class_table::ClassTable;
    use crate::settings::parameters::{
        ClassicSettings, IncompressibleSettings, SharedPressureSettings, SphSettings,
    };
    use crate::world::FluidWorld;

    /// A world in which everything is set that some solver ignores.
    fn rich(solver: Solver) -> FluidWorld {
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
            elasticity: Some(Elasticity::default()),
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
        let container = Container::circle(Vec2::ZERO, 100.0).and_then(|own| own.with_wall(dry));
        world.insert_container(container.expect("valid"));
        world
    }

    #[test]
    fn each_solver_says_what_it_ignores() {
        let ignored = |world: &FluidWorld| {
            world.ignored_settings().into_iter().map(|own| own.setting).collect::<Vec<_>>()
        };
        let others = ["classic", "sph", "shared_pressure", "incompressible"];
        assert_eq!(ignored(&rich(Solver::DoubleDensity)), others);
        assert_eq!(
            ignored(&rich(Solver::Classic)),
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
            ignored(&rich(Solver::Sph)),
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
        let own = ignored(&rich(Solver::Incompressible));
        assert!(!own.contains(&"class.viscosity") && !own.contains(&"pair.viscosity"), "{own:?}");
        for solver in Solver::ALL {
            let plain = FluidParameters { solver, ..FluidParameters::default() };
            let world = FluidWorld::new(plain).expect("valid");
            assert_eq!(world.ignored_settings(), [], "nothing was asked of {solver:?}");
            for own in rich(solver).ignored_settings() {
                assert!(own.to_string().contains(solver.name()), "{own}");
            }
        }
    }
}
