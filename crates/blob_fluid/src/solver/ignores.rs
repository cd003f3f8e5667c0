//! The settings that solvers ignore, the effect of ignoring them, and the report of the ignored settings of a liquid.

use std::fmt;
use std::mem::discriminant;

use crate::boundary::solids::Solids;
use crate::{
    ClassPair, ClassViscosity, DensityClass, FluidParameters, FluidSolver, GhostWalls, Liquid,
    WallProperties,
};

/// A setting that a solver ignores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IgnoredRule {
    /// Path of the setting, such as `class.elasticity`.
    pub setting: &'static str,
    /// The kind of object that has the setting, and a test whether the object asks for unsupported behaviour.
    pub usage_test: UsageTest,
    /// A sentence about the solver's behaviour instead. `{solver}` and `{classes}` stand for names.
    pub explanation: &'static str,
}

/// The kind of object that has a setting, and a test of the object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UsageTest {
    /// The parameters, which are compared with the default ones.
    Parameters(fn(&FluidParameters, &FluidParameters) -> bool),
    Solids(fn(&Solids) -> bool),
    Class(fn(&DensityClass) -> bool),
    Pair(fn(&ClassPair) -> bool),
}

impl IgnoredRule {
    /// The sentence for the solver of that name and these classes.
    fn explanation_for(&self, solver: &str, classes: &[&str]) -> String {
        let quoted: Vec<_> = classes.iter().map(|name| format!("`{name}`")).collect();
        let sentence = self.explanation.replace("{solver}", &format!("`{solver}`"));
        sentence.replace("{classes}", &quoted.join(" and "))
    }

    fn is_used_by_liquid(&self, liquid: &Liquid) -> bool {
        match self.usage_test {
            UsageTest::Parameters(asks) => asks(&liquid.parameters, &FluidParameters::default()),
            UsageTest::Solids(asks) => asks(&liquid.boundary),
            UsageTest::Class(_) | UsageTest::Pair(_) => false,
        }
    }

    fn is_used_by_class(&self, class: &DensityClass) -> bool {
        matches!(self.usage_test, UsageTest::Class(asks) if asks(class))
    }

    fn is_used_by_pair(&self, pair: &ClassPair) -> bool {
        matches!(self.usage_test, UsageTest::Pair(asks) if asks(pair))
    }
}

/// Whether a viscosity differs from the default in more than its linear part.
fn is_more_than_linear(viscosity: Option<ClassViscosity>) -> bool {
    let defaults = ClassViscosity::default();
    viscosity.is_some_and(|viscosity| {
        (viscosity.approach, viscosity.quadratic) != (defaults.approach, defaults.quadratic)
    })
}

/// Declares settings that solvers ignore: the object that has the setting, its path, the test
/// whether it is asked for, and the sentence.
macro_rules! settings_ignored {
    ($($name:ident = $usage:ident $setting:literal, $test:expr, $explanation:literal;)*) => {$(
        pub(crate) const $name: IgnoredRule =
            IgnoredRule {
                setting: $setting,
                usage_test: UsageTest::$usage($test),
                explanation: $explanation,
            };
    )*};
}

settings_ignored! {
    REST_DENSITY = Parameters "rest_density", |parameters, _| parameters.rest_density.is_some(),
        "The solver {solver} follows the particle spacing.";
    EQUILIBRIUM_RATIO = Parameters "equilibrium_ratio",
        |parameters, defaults| parameters.equilibrium_ratio != defaults.equilibrium_ratio,
        "The solver {solver} follows the particle spacing.";
    COHESION_ONSET = Parameters "cohesion_onset",
        |parameters, defaults| parameters.cohesion_onset != defaults.cohesion_onset,
        "The solver {solver} has no attraction that begins at a density.";
    STIFFNESS = Parameters "stiffness",
        |parameters, defaults| parameters.stiffness != defaults.stiffness,
        "The solver {solver} has settings of its own, {solver}.";
    NEAR_STIFFNESS_RATIO = Parameters "near_stiffness_ratio",
        |parameters, defaults| parameters.near_stiffness_ratio != defaults.near_stiffness_ratio,
        "The solver {solver} has settings of its own, {solver}.";
    VISCOSITY_APPROACH = Parameters "viscosity.approach",
        |parameters, defaults| parameters.viscosity.approach != defaults.viscosity.approach,
        "The solver {solver} has linear viscosity only.";
    VISCOSITY_QUADRATIC = Parameters "viscosity.quadratic",
        |parameters, defaults| parameters.viscosity.quadratic != defaults.viscosity.quadratic,
        "The solver {solver} has linear viscosity only.";
    VISCOSITY_LIMIT = Parameters "viscosity.limit",
        |parameters, defaults| parameters.viscosity.limit != defaults.viscosity.limit,
        "The solver {solver} has linear viscosity only.";
    SEGREGATION = Parameters "segregation",
        |parameters, defaults| ![defaults.segregation, 0.0].contains(&parameters.segregation),
        "The solver {solver} sorts classes by gravity alone.";
    NEAR_SHARE = Parameters "near_share",
        |parameters, defaults| parameters.near_share != defaults.near_share,
        "The solver {solver} resists compression only softly.";
    PRESSURE_MEMORY = Parameters "pressure_memory",
        |parameters, defaults| {
            ![defaults.pressure_memory, 0.0].contains(&parameters.pressure_memory)
        },
        "The solver {solver} finds the whole resistance to compression in every substep.";
    GHOST_WALLS = Parameters "ghost_walls",
        |parameters, _| parameters.ghost_walls != GhostWalls::default(),
        "The solver {solver} counts no liquid behind walls.";
    UNSTICKING = Parameters "ghost_walls.unsticking",
        |parameters, _| parameters.ghost_walls.unsticking != 0.0,
        "The solver {solver} does not send particles back inside.";
    WETTING = Solids "wall.wetting",
        |solids| {
            solids
                .wall_properties()
                .any(|wall| wall.wetting != WallProperties::default().wetting)
        },
        "Liquid of the solver {solver} clings to no wall.";

    CLASS_ELASTICITY = Class "class.elasticity", |class| class.elasticity.is_some(),
        "The solver {solver} has no springs: {classes} is a plain liquid.";
    CLASS_POWDER = Class "class.powder", |class| class.powder.is_some(),
        "The solver {solver} has no friction between grains: {classes} is a plain liquid.";
    CLASS_VISCOSITY = Class "class.viscosity", |class| class.viscosity.is_some(),
        "The solver {solver} gives {classes} the viscosity of the whole liquid.";
    CLASS_VISCOSITY_BUT_LINEAR = Class "class.viscosity",
        |class| is_more_than_linear(class.viscosity),
        "The solver {solver} gives {classes} its linear viscosity only.";
    CLASS_SURFACE_TENSION = Class "class.surface_tension", |class| class.surface_tension != 0.0,
        "The solver {solver} gives {classes} no surface tension but that of its pressure.";
    CLASS_STIFFNESS = Class "class.stiffness",
        |class| class.stiffness != 1.0 || class.near_stiffness != 1.0,
        "The solver {solver} resists compression of {classes} as of all.";

    PAIR_VISCOSITY = Pair "pair.viscosity", |pair| pair.viscosity.is_some(),
        "The solver {solver} gives {classes} the viscosity of the whole liquid.";
    PAIR_VISCOSITY_BUT_LINEAR = Pair "pair.viscosity", |pair| is_more_than_linear(pair.viscosity),
        "The solver {solver} gives {classes} its linear viscosity only.";
    PAIR_COHESION = Pair "pair.cohesion", |pair| pair.cohesion != 0.0,
        "The solver {solver} has no cohesion between {classes}.";
    PAIR_SEGREGATION = Pair "pair.segregation",
        |pair| pair.segregation.is_some_and(|segregation| segregation > 0.0),
        "The solver {solver} sorts {classes} by gravity alone.";
}

/// The settings that a solver with its own pressure ignores, in the order of the report. `of_class`
/// and `of_pair` are the ignored parts of the viscosity of a class and of a pair.
pub(crate) const fn ignored_with_own_pressure(
    of_class: IgnoredRule,
    of_pair: IgnoredRule,
) -> [IgnoredRule; 21] {
    [
        REST_DENSITY,
        EQUILIBRIUM_RATIO,
        COHESION_ONSET,
        STIFFNESS,
        NEAR_STIFFNESS_RATIO,
        VISCOSITY_APPROACH,
        VISCOSITY_QUADRATIC,
        VISCOSITY_LIMIT,
        CLASS_ELASTICITY,
        CLASS_POWDER,
        of_class,
        CLASS_SURFACE_TENSION,
        CLASS_STIFFNESS,
        of_pair,
        PAIR_COHESION,
        PAIR_SEGREGATION,
        SEGREGATION,
        NEAR_SHARE,
        PRESSURE_MEMORY,
        UNSTICKING,
        WETTING,
    ]
}

// The settings that the solver of a liquid ignores.

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
    use crate::{
        ClassTable, ClassicSettings, Container, FluidElasticity, FluidWorld,
        IncompressibleSettings, SharedPressureSettings, SphSettings,
    };

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
