//! Settings of classes and of pairs of classes.

use crate::settings::range::Limits;

const RATE: Limits = Limits::between(0.0, 1e3);
const DEGREES: Limits = Limits::within(1e6);
const AMOUNT: Limits = Limits::between(0.0, 1e3);
const FACTOR: Limits = Limits::between(0.0, 100.0);
/// Limits of the segregation of a liquid and of a pair of its classes.
const SEGREGATION: Limits = Limits::between(0.0, 20.0);
const COHESION: Limits = Limits::within(10.0);

/// Settings of a class: [`DensityClass`](crate::DensityClass).
pub mod class {
    use super::{AMOUNT, COHESION, DEGREES, FACTOR, Limits, RATE};

    rows! { "class":
        RELATIVE_REST_DENSITY = "relative_rest_density" in "", [Limits::between(0.01, 100.0)], default 1.0;
            "rest density relative to `parameters.rest_density`"
        MASS = "mass" in "", [Limits::between(1e-3, 1e3)], default 1.0;
            "of a particle, relative to a medium one"
        GRAVITY_SCALE = "gravity_scale" in "", [Limits::within(1e3)], default 1.0;
            "factor on gravity"
        STIFFNESS = "stiffness" in "", [FACTOR], default 1.0;
            "factor on `parameters.stiffness`"
        NEAR_STIFFNESS = "near_stiffness" in "", [FACTOR], default 1.0;
            "factor on the near stiffness"
        VISCOSITY_APPROACH = "viscosity.approach" in "1/T0", [RATE], default 0.004;
            "sigma, of approaching pairs"
        VISCOSITY_QUADRATIC = "viscosity.quadratic" in "1/d", [RATE], default 0.08;
            "beta, of approaching pairs"
        VISCOSITY_LINEAR = "viscosity.linear" in "1/T0", [RATE], default 0.1;
            "of all pairs; 2 is oil, 10 honey"
        SURFACE_TENSION = "surface_tension" in "a0", [COHESION], default 0.0;
            "attraction among its own particles beyond the soft pressure's; 1 makes beads, more than 2 sets like a gel"
        ELASTICITY_STIFFNESS = "elasticity.stiffness" in "1/T0²", [Limits::between(0.0, 1e5)], default 40.0;
            "of the springs; per substep at most 0.25/dt² acts"
        ELASTICITY_YIELD_RATIO = "elasticity.yield_ratio" in "rest lengths", [Limits::between(0.0, 10.0)], default 0.1;
            "strain beyond which a spring flows"
        ELASTICITY_PLASTICITY = "elasticity.plasticity" in "1/T0", [RATE], default 0.0;
            "how fast it flows; 0 is a jelly, more a dough"
        ELASTICITY_LEAST_REST_LENGTH = "elasticity.min_rest_length" in "h", [Limits::between(0.0, 1.0)], default 0.1;
            "shortest rest length"
        THERMAL_TEMPERATURE = "thermal.temperature" in "degrees", [DEGREES];
            "of new particles"
        THERMAL_CONDUCTIVITY = "thermal.conductivity" in "1/T0", [RATE], default 0.0;
            "how fast neighbours exchange heat; between two classes the harmonic mean; per substep at most 0.12/dt acts"
        THERMAL_AIR_CONDUCTIVITY = "thermal.air_conductivity" in "1/T0", [RATE], default 0.0;
            "how fast it takes on the temperature of the air around it; other particles shelter it"
        THERMAL_COOLING = "thermal.cooling" in "1/T0", [RATE], default 0.0;
            "how fast it takes on the temperature of the surroundings"
        THERMAL_EXPANSION = "thermal.expansion" in "1/degree", [Limits::within(1.0)], default 0.0;
            "part of its weight lost per degree above the surroundings"
        THERMAL_ABOVE_TEMPERATURE = "thermal.above.temperature" in "degrees", [DEGREES];
            "beyond which it becomes another class"
        THERMAL_BELOW_TEMPERATURE = "thermal.below.temperature" in "degrees", [DEGREES];
            "below which it becomes another class"
        THERMAL_INTO_AIR_ABOVE = "thermal.into_air.above" in "degrees", [DEGREES];
            "from which on it turns into air"
        THERMAL_INTO_AIR_LATENT_HEAT = "thermal.into_air.latent_heat" in "degrees", [Limits::between(0.0, 1e6)], default 0.0;
            "heat that the change takes"
        THERMAL_INTO_AIR_VAPOUR = "thermal.into_air.vapour" in "particle areas", [AMOUNT], default 0.0;
            "vapour that a particle becomes"
        THERMAL_INTO_AIR_SMOKE = "thermal.into_air.smoke" in "particle areas", [AMOUNT], default 0.0;
            "smoke that a particle becomes"
        THERMAL_INTO_AIR_FUEL = "thermal.into_air.fuel" in "particle areas", [AMOUNT], default 0.0;
            "fuel that a particle becomes"
        THERMAL_INTO_AIR_COLOUR = "thermal.into_air.colour" in "", [Limits::within(1e6)];
            "red, green and blue of the smoke"
        THERMAL_INTO_AIR_EXPANSION = "thermal.into_air.expansion" in "particle areas", [AMOUNT], default 0.0;
            "gas that comes into being and drives the air away"
        THERMAL_INTO_AIR_RAINS_TEMPERATURE = "thermal.into_air.rains.temperature" in "degrees", [DEGREES];
            "below which vapour rains"
        COLOR = "color" in "", [Limits::between(0.0, 1.0)];
            "red, green, blue and alpha in sRGB"
    }
}

/// Settings of a pair of classes: [`ClassPair`](crate::ClassPair).
pub mod pair {
    use super::{COHESION as ATTRACTION, DEGREES, Limits, RATE, SEGREGATION as SORTING};

    rows! { "pair":
        VISCOSITY_APPROACH = "viscosity.approach" in "1/T0", [RATE], default 0.004;
            "sigma, of approaching pairs"
        VISCOSITY_QUADRATIC = "viscosity.quadratic" in "1/d", [RATE], default 0.08;
            "beta, of approaching pairs"
        VISCOSITY_LINEAR = "viscosity.linear" in "1/T0", [RATE], default 0.1;
            "of all pairs"
        COHESION = "cohesion" in "a0", [ATTRACTION], default 0.0;
            "attraction: above 0 they mix, below they bead"
        SEGREGATION = "segregation" in "", [SORTING];
            "sorting force by weight"
        REACTION_RATE = "reaction.rate" in "1/T0", [Limits::above(0.0, 1e6)];
            "how fast they turn on contact"
        REACTION_TEMPERATURE = "reaction.temperature" in "degrees", [DEGREES];
            "of what came about"
    }
}
