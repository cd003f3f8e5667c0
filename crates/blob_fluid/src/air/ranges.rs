//! Ranges, units, defaults and meanings of the settings of air: rows of the table
//! [`ranges`](crate::ranges).

use crate::settings::range::{Limits, SettingRange};
use crate::settings::ranges::rows;

const RATE: Limits = Limits::between(0.0, 1e6);
const AMOUNT: Limits = Limits::between(0.0, 1e6);

rows! { "air":
    CELL_SIZE = "cell_size" in "world units", [Limits::between(1e-6, 1e6)];
        "side of a cell"
    DENSITY = "density" in "mass/area", [Limits::between(1e-6, 1e6)], default 1.0;
        "what pressures are proportional to"
    DRAG = "drag" in "", [Limits::between(0.0, 1000.0)], default 1.0;
        "drag coefficient of particles of liquid in the air"
    VISCOSITY = "viscosity" in "world units²/s", [Limits::between(0.0, 1e12)], default 0.0;
        "kinematic viscosity"
    GRAVITY = "gravity" in "world units/s²", [Limits::within(1e6)], default 0.0;
        "what hot air rises against"
    BUOYANCY = "buoyancy" in "", [Limits::within(1e3)], default 1.0;
        "acceleration of air at heat 1, in gravities, against gravity"
    SMOKE_WEIGHT = "smoke_weight" in "", [Limits::within(1e3)], default 0.0;
        "acceleration of air at smoke 1, in gravities, along gravity"
    COOLING = "cooling" in "1/s", [RATE], default 0.0;
        "rate at which heat is lost"
    SMOKE_DISSIPATION = "smoke_dissipation" in "1/s", [RATE], default 0.0;
        "rate at which smoke disappears"
    VORTICITY_CONFINEMENT = "vorticity_confinement" in "", [Limits::between(0.0, 100.0)], default 0.0;
        "strength of the force that keeps eddies alive"
    BURN_RATE = "fire.burn_rate" in "1/s", [RATE], default 4.0;
        "rate at which hot fuel burns"
    IGNITION_HEAT = "fire.ignition_heat" in "", [Limits::within(1e6)], default 0.25;
        "heat above which fuel burns"
    FIRE_HEAT = "fire.heat" in "", [AMOUNT], default 1.0;
        "heat that a unit of fuel releases"
    SOOT = "fire.soot" in "", [AMOUNT], default 0.5;
        "smoke that a unit of fuel releases"
    EXPANSION = "fire.expansion" in "", [Limits::between(0.0, 100.0)], default 0.0;
        "cells of gas that a burnt cell of fuel 1 adds"
    DEGREES_PER_HEAT = "degrees_per_heat" in "degrees", [Limits::between(1e-3, 1e6)], default 1000.0;
        "how much warmer than the surroundings air of heat 1 is"
    HEAT_CAPACITY = "heat_capacity" in "", [Limits::between(1e-6, 1e6)], default 0.05;
        "of air per area, relative to that of liquid of mass 1"
    CONDENSATION_RATE = "condensation_rate" in "1/s", [RATE], default 1.0;
        "rate at which vapour condenses where it is cold"
    SWEEPS = "projection.iterations" in "", whole [Limits::between(1.0, 10_000.0)];
        "sweeps of Gauss-Seidel in a step"
    OVER_RELAXATION = "projection.over_relaxation" in "", [Limits::between(1.0, 1.99)];
        "factor on every change of a sweep"
    RESIDUAL = "projection.residual" in "", [Limits::between(1e-6, 0.5)], default 1e-4;
        "divergence that is left, relative to that before"
    MAX_CYCLES = "projection.max_cycles" in "", whole [Limits::between(1.0, 1000.0)], default 100.0;
        "most cycles of multigrid in a step"
}

/// Settings of a [`Side`](crate::air::Side).
pub mod side {
    use crate::settings::range::Limits;
    use crate::settings::ranges::rows;

    rows! { "air side":
        VELOCITY = "velocity" in "world units/s", [Limits::VAST];
            "of air that flows in"
        SMOKE = "smoke" in "", [Limits::within(1e6)], default 0.0;
            "in air that flows in"
        HEAT = "heat" in "", [Limits::within(1e6)], default 0.0;
            "in air that flows in"
        SLIP_VELOCITY = "slip.velocity" in "world units/s", [Limits::VAST];
            "of a wall that air sticks to, along itself"
    }
}

/// Settings of an [`AirSource`](crate::air::AirSource).
pub mod source {
    use crate::settings::range::Limits;
    use crate::settings::ranges::rows;

    const RATE: Limits = Limits::within(1e6);

    rows! { "air source":
        SMOKE = "smoke" in "1/s", [RATE], default 0.0;
            "smoke that comes in"
        HEAT = "heat" in "1/s", [RATE], default 0.0;
            "heat that comes in; negative cools"
        FUEL = "fuel" in "1/s", [RATE], default 0.0;
            "fuel that comes in"
        VAPOUR = "vapour" in "1/s", [RATE], default 0.0;
            "vapour that comes in"
        COLOUR = "colour" in "", [Limits::within(1e6)];
            "red, green and blue of the smoke"
        EXPANSION = "expansion" in "1/s", [RATE], default 0.0;
            "volume that comes in, as a share of each cell"
        WIND_VELOCITY = "wind.velocity" in "world units/s", [Limits::VAST];
            "velocity that the air inside is driven towards"
        WIND_STRENGTH = "wind.strength" in "1/s", [Limits::between(0.0, 1e12)];
            "how fast"
    }
}

/// A number of a channel, and a velocity on a face: part of the state, not settings.
pub(crate) const CHANNEL: SettingRange = row("amount", "", Limits::within(1e6));
pub(crate) const SPEED: SettingRange = row("velocity", "world units/s", Limits::VAST);

const fn row(path: &'static str, unit: &'static str, limits: Limits) -> SettingRange {
    SettingRange { subject: "air", path, unit, limits, whole: false, default: None, meaning: "" }
}
