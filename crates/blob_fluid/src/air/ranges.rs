//! Settings of air: rows of the table [`ranges`](crate::ranges).

use crate::air::grid::Grid;
use crate::air::settings::AirSettings;
use crate::settings::range::{SettingRange, find_in};
use crate::settings::visit::Settings;

const ROWS: &[SettingRange] = AirSettings::ROWS;

/// `cell_size`.
pub const CELL_SIZE: SettingRange = Grid::CELL_SIZE;
/// `density`.
pub const DENSITY: SettingRange = *find_in(ROWS, "density");
/// `drag`.
pub const DRAG: SettingRange = *find_in(ROWS, "drag");
/// `viscosity`.
pub const VISCOSITY: SettingRange = *find_in(ROWS, "viscosity");
/// `gravity`.
pub const GRAVITY: SettingRange = *find_in(ROWS, "gravity");
/// `buoyancy`.
pub const BUOYANCY: SettingRange = *find_in(ROWS, "buoyancy");
/// `smoke_weight`.
pub const SMOKE_WEIGHT: SettingRange = *find_in(ROWS, "smoke_weight");
/// `cooling`.
pub const COOLING: SettingRange = *find_in(ROWS, "cooling");
/// `smoke_dissipation`.
pub const SMOKE_DISSIPATION: SettingRange = *find_in(ROWS, "smoke_dissipation");
/// `vorticity_confinement`.
pub const VORTICITY_CONFINEMENT: SettingRange = *find_in(ROWS, "vorticity_confinement");
/// `fire.burn_rate`.
pub const BURN_RATE: SettingRange = *find_in(ROWS, "fire.burn_rate");
/// `fire.ignition_heat`.
pub const IGNITION_HEAT: SettingRange = *find_in(ROWS, "fire.ignition_heat");
/// `fire.heat`.
pub const FIRE_HEAT: SettingRange = *find_in(ROWS, "fire.heat");
/// `fire.soot`.
pub const SOOT: SettingRange = *find_in(ROWS, "fire.soot");
/// `fire.expansion`.
pub const EXPANSION: SettingRange = *find_in(ROWS, "fire.expansion");
/// `degrees_per_heat`.
pub const DEGREES_PER_HEAT: SettingRange = *find_in(ROWS, "degrees_per_heat");
/// `heat_capacity`.
pub const HEAT_CAPACITY: SettingRange = *find_in(ROWS, "heat_capacity");
/// `condensation_rate`.
pub const CONDENSATION_RATE: SettingRange = *find_in(ROWS, "condensation_rate");
/// `projection.iterations`.
pub const SWEEPS: SettingRange = *find_in(ROWS, "projection.iterations");
/// `projection.over_relaxation`.
pub const OVER_RELAXATION: SettingRange = *find_in(ROWS, "projection.over_relaxation");
/// `projection.residual`.
pub const RESIDUAL: SettingRange = *find_in(ROWS, "projection.residual");
/// `projection.max_cycles`.
pub const MAX_CYCLES: SettingRange = *find_in(ROWS, "projection.max_cycles");
