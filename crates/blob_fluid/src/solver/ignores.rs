//! The settings that solvers ignore, and what they do instead.

use crate::boundary::solids::Solids;
use crate::boundary::wall::WallProperties;
use crate::liquid::state::Liquid;
use crate::settings::class::{ClassViscosity, DensityClass};
use crate::settings::class_pair::ClassPair;
use crate::settings::parameters::{FluidParameters, GhostWalls};

/// A setting that a solver ignores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ignores {
    /// Path of the setting, such as `class.elasticity`.
    pub setting: &'static str,
    /// Whether the setting, where it stands, asks for something that the solver does not do.
    pub asked_by: AskedBy,
    /// What the solver does instead, in a sentence. `{solver}` and `{classes}` stand for
    /// names.
    pub instead: &'static str,
}

/// What states a setting.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AskedBy {
    /// The parameters, which are compared with the default ones.
    Parameters(fn(&FluidParameters, &FluidParameters) -> bool),
    Solids(fn(&Solids) -> bool),
    Class(fn(&DensityClass) -> bool),
    Pair(fn(&ClassPair) -> bool),
}

impl Ignores {
    /// What the solver of that name does instead, to these classes.
    pub(crate) fn sentence(&self, solver: &str, classes: &[&str]) -> String {
        let quoted: Vec<_> = classes.iter().map(|name| format!("`{name}`")).collect();
        let sentence = self.instead.replace("{solver}", &format!("`{solver}`"));
        sentence.replace("{classes}", &quoted.join(" and "))
    }

    pub(crate) fn is_asked_by_liquid(&self, liquid: &Liquid) -> bool {
        match self.asked_by {
            AskedBy::Parameters(asks) => asks(&liquid.parameters, &FluidParameters::default()),
            AskedBy::Solids(asks) => asks(&liquid.boundary),
            AskedBy::Class(_) | AskedBy::Pair(_) => false,
        }
    }

    pub(crate) fn is_asked_by_class(&self, class: &DensityClass) -> bool {
        matches!(self.asked_by, AskedBy::Class(asks) if asks(class))
    }

    pub(crate) fn is_asked_by_pair(&self, pair: &ClassPair) -> bool {
        matches!(self.asked_by, AskedBy::Pair(asks) if asks(pair))
    }
}

/// A setting of the liquid as a whole.
const fn of_liquid(
    setting: &'static str,
    instead: &'static str,
    asked_by: fn(&FluidParameters, &FluidParameters) -> bool,
) -> Ignores {
    Ignores { setting, asked_by: AskedBy::Parameters(asked_by), instead }
}

/// A setting of a class.
const fn of_class(
    setting: &'static str,
    instead: &'static str,
    asked_by: fn(&DensityClass) -> bool,
) -> Ignores {
    Ignores { setting, asked_by: AskedBy::Class(asked_by), instead }
}

/// A setting of a pair of classes.
const fn of_pair(
    setting: &'static str,
    instead: &'static str,
    asked_by: fn(&ClassPair) -> bool,
) -> Ignores {
    Ignores { setting, asked_by: AskedBy::Pair(asked_by), instead }
}

/// Whether a viscosity differs from the default in more than its linear part.
fn is_more_than_linear(viscosity: Option<ClassViscosity>) -> bool {
    let usual = ClassViscosity::default();
    viscosity.is_some_and(|viscosity| {
        (viscosity.approach, viscosity.quadratic) != (usual.approach, usual.quadratic)
    })
}

pub(crate) const REST_DENSITY: Ignores = of_liquid(
    "rest_density",
    "The solver {solver} follows the particle spacing.",
    |parameters, _| parameters.rest_density.is_some(),
);

pub(crate) const EQUILIBRIUM_RATIO: Ignores = of_liquid(
    "equilibrium_ratio",
    "The solver {solver} follows the particle spacing.",
    |parameters, usual| parameters.equilibrium_ratio != usual.equilibrium_ratio,
);

pub(crate) const COHESION_ONSET: Ignores = of_liquid(
    "cohesion_onset",
    "The solver {solver} has no attraction that begins at a density.",
    |parameters, usual| parameters.cohesion_onset != usual.cohesion_onset,
);

pub(crate) const STIFFNESS: Ignores = of_liquid(
    "stiffness",
    "The solver {solver} has settings of its own, {solver}.",
    |parameters, usual| parameters.stiffness != usual.stiffness,
);

pub(crate) const NEAR_STIFFNESS_RATIO: Ignores = of_liquid(
    "near_stiffness_ratio",
    "The solver {solver} has settings of its own, {solver}.",
    |parameters, usual| parameters.near_stiffness_ratio != usual.near_stiffness_ratio,
);

pub(crate) const VISCOSITY_APPROACH: Ignores = of_liquid(
    "viscosity.approach",
    "The solver {solver} has linear viscosity only.",
    |parameters, usual| parameters.viscosity.approach != usual.viscosity.approach,
);

pub(crate) const VISCOSITY_QUADRATIC: Ignores = of_liquid(
    "viscosity.quadratic",
    "The solver {solver} has linear viscosity only.",
    |parameters, usual| parameters.viscosity.quadratic != usual.viscosity.quadratic,
);

pub(crate) const VISCOSITY_LIMIT: Ignores = of_liquid(
    "viscosity.limit",
    "The solver {solver} has linear viscosity only.",
    |parameters, usual| parameters.viscosity.limit != usual.viscosity.limit,
);

pub(crate) const SEGREGATION: Ignores = of_liquid(
    "segregation",
    "The solver {solver} sorts classes by gravity alone.",
    |parameters, usual| {
        parameters.segregation != usual.segregation && parameters.segregation != 0.0
    },
);

pub(crate) const NEAR_SHARE: Ignores = of_liquid(
    "near_share",
    "The solver {solver} resists compression only softly.",
    |parameters, usual| parameters.near_share != usual.near_share,
);

pub(crate) const PRESSURE_MEMORY: Ignores = of_liquid(
    "pressure_memory",
    "The solver {solver} finds the whole resistance to compression in every substep.",
    |parameters, usual| {
        parameters.pressure_memory != usual.pressure_memory && parameters.pressure_memory != 0.0
    },
);

pub(crate) const GHOST_WALLS: Ignores = of_liquid(
    "ghost_walls",
    "The solver {solver} counts no liquid behind walls.",
    |parameters, _| parameters.ghost_walls != GhostWalls::default(),
);

pub(crate) const UNSTICKING: Ignores = of_liquid(
    "ghost_walls.unsticking",
    "The solver {solver} does not send particles back inside.",
    |parameters, _| parameters.ghost_walls.unsticking != 0.0,
);

pub(crate) const WETTING: Ignores = Ignores {
    setting: "wall.wetting",
    asked_by: AskedBy::Solids(|solids| {
        let usual = WallProperties::default().wetting;
        solids.walls().any(|wall| wall.wetting != usual)
    }),
    instead: "Liquid of the solver {solver} clings to no wall.",
};

pub(crate) const CLASS_ELASTICITY: Ignores = of_class(
    "class.elasticity",
    "The solver {solver} has no springs: {classes} is a plain liquid.",
    |class| class.elasticity.is_some(),
);

pub(crate) const CLASS_POWDER: Ignores = of_class(
    "class.powder",
    "The solver {solver} has no friction between grains: {classes} is a plain liquid.",
    |class| class.powder.is_some(),
);

pub(crate) const CLASS_VISCOSITY: Ignores = of_class(
    "class.viscosity",
    "The solver {solver} gives {classes} the viscosity of the whole liquid.",
    |class| class.viscosity.is_some(),
);

pub(crate) const CLASS_VISCOSITY_BUT_LINEAR: Ignores = of_class(
    "class.viscosity",
    "The solver {solver} gives {classes} its linear viscosity only.",
    |class| is_more_than_linear(class.viscosity),
);

pub(crate) const CLASS_SURFACE_TENSION: Ignores = of_class(
    "class.surface_tension",
    "The solver {solver} gives {classes} no surface tension but that of its pressure.",
    |class| class.surface_tension != 0.0,
);

pub(crate) const CLASS_STIFFNESS: Ignores = of_class(
    "class.stiffness",
    "The solver {solver} resists compression of {classes} as of all.",
    |class| class.stiffness != 1.0 || class.near_stiffness != 1.0,
);

pub(crate) const PAIR_VISCOSITY: Ignores = of_pair(
    "pair.viscosity",
    "The solver {solver} gives {classes} the viscosity of the whole liquid.",
    |pair| pair.viscosity.is_some(),
);

pub(crate) const PAIR_VISCOSITY_BUT_LINEAR: Ignores = of_pair(
    "pair.viscosity",
    "The solver {solver} gives {classes} its linear viscosity only.",
    |pair| is_more_than_linear(pair.viscosity),
);

pub(crate) const PAIR_COHESION: Ignores =
    of_pair("pair.cohesion", "The solver {solver} has no cohesion between {classes}.", |pair| {
        pair.cohesion != 0.0
    });

pub(crate) const PAIR_SEGREGATION: Ignores =
    of_pair("pair.segregation", "The solver {solver} sorts {classes} by gravity alone.", |pair| {
        pair.segregation.is_some_and(|segregation| segregation > 0.0)
    });
