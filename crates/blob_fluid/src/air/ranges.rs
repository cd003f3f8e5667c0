//! Ranges, units, defaults and meanings of the settings of air: rows like those of
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
    GRAVITY = "gravity" in "world units/s²", [Limits::within(1e6)];
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
    RESIDUAL = "projection.residual" in "", [Limits::between(1e-6, 0.5)];
        "divergence that is left, relative to that before"
    MAX_CYCLES = "projection.max_cycles" in "", whole [Limits::between(1.0, 1000.0)];
        "most cycles of multigrid in a step"
}

/// Velocities and amounts at sides and of sources.
pub(crate) const SPEED: SettingRange = row("air", "velocity", "world units/s", Limits::VAST);
pub(crate) const CHANNEL: SettingRange = row("air", "amount", "", Limits::within(1e6));
pub(crate) const SOURCE_RATE: SettingRange = row("air source", "rate", "1/s", Limits::within(1e6));
pub(crate) const STRENGTH: SettingRange =
    row("air source", "wind.strength", "1/s", Limits::between(0.0, 1e12));

const fn row(
    subject: &'static str,
    path: &'static str,
    unit: &'static str,
    limits: Limits,
) -> SettingRange {
    SettingRange { subject, path, unit, limits, whole: false, default: None, meaning: "" }
}
