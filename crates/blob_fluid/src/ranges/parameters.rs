//! Settings of the liquid as a whole: [`FluidParameters`].

use crate::settings::parameters::FluidParameters;
use crate::settings::range::{SettingRange, find_in};
use crate::settings::visit::Settings;

const ROWS: &[SettingRange] = FluidParameters::ROWS;

/// `particle_spacing`.
pub const PARTICLE_SPACING: SettingRange = *find_in(ROWS, "particle_spacing");
/// `gravity`.
pub const GRAVITY: SettingRange = *find_in(ROWS, "gravity");
/// `reference_acceleration`.
pub const REFERENCE_ACCELERATION: SettingRange = *find_in(ROWS, "reference_acceleration");
/// `radius_ratio`.
pub const RADIUS_RATIO: SettingRange = *find_in(ROWS, "radius_ratio");
/// `rest_density`.
pub const REST_DENSITY: SettingRange = *find_in(ROWS, "rest_density");
/// `equilibrium_ratio`.
pub const EQUILIBRIUM_RATIO: SettingRange = *find_in(ROWS, "equilibrium_ratio");
/// `stiffness`.
pub const STIFFNESS: SettingRange = *find_in(ROWS, "stiffness");
/// `near_stiffness_ratio`.
pub const NEAR_STIFFNESS_RATIO: SettingRange = *find_in(ROWS, "near_stiffness_ratio");
/// `near_share`.
pub const NEAR_SHARE: SettingRange = *find_in(ROWS, "near_share");
/// `viscosity.approach`.
pub const VISCOSITY_APPROACH: SettingRange = *find_in(ROWS, "viscosity.approach");
/// `viscosity.quadratic`.
pub const VISCOSITY_QUADRATIC: SettingRange = *find_in(ROWS, "viscosity.quadratic");
/// `viscosity.linear`.
pub const VISCOSITY_LINEAR: SettingRange = *find_in(ROWS, "viscosity.linear");
/// `viscosity.limit`.
pub const VISCOSITY_LIMIT: SettingRange = *find_in(ROWS, "viscosity.limit");
/// `viscosity.cross_class`.
pub const VISCOSITY_CROSS_CLASS: SettingRange = *find_in(ROWS, "viscosity.cross_class");
/// `segregation`.
pub const SEGREGATION: SettingRange = *find_in(ROWS, "segregation");
/// `settling.calm_drag`.
pub const SETTLING_CALM_DRAG: SettingRange = *find_in(ROWS, "settling.calm_drag");
/// `settling.calm_speed`.
pub const SETTLING_CALM_SPEED: SettingRange = *find_in(ROWS, "settling.calm_speed");
/// `settling.drag`.
pub const SETTLING_DRAG: SettingRange = *find_in(ROWS, "settling.drag");
/// `settling.wall_friction`.
pub const SETTLING_WALL_FRICTION: SettingRange = *find_in(ROWS, "settling.wall_friction");
/// `sleeping.after`.
pub const SLEEPING_AFTER: SettingRange = *find_in(ROWS, "sleeping.after");
/// `sleeping.drift`.
pub const SLEEPING_DRIFT: SettingRange = *find_in(ROWS, "sleeping.drift");
/// `ghost_walls.density`.
pub const GHOST_WALLS_DENSITY: SettingRange = *find_in(ROWS, "ghost_walls.density");
/// `ghost_walls.unsticking`.
pub const GHOST_WALLS_UNSTICKING: SettingRange = *find_in(ROWS, "ghost_walls.unsticking");
/// `substeps.compression`.
pub const SUBSTEPS_COMPRESSION: SettingRange = *find_in(ROWS, "substeps.compression");
/// `substeps.max`.
pub const SUBSTEPS_MAX: SettingRange = *find_in(ROWS, "substeps.max");
/// `substeps`.
pub const SUBSTEPS: SettingRange = *find_in(ROWS, "substeps");
/// `ambient_temperature`.
pub const AMBIENT_TEMPERATURE: SettingRange = *find_in(ROWS, "ambient_temperature");
/// `max_time_step`.
pub const MAX_TIME_STEP: SettingRange = *find_in(ROWS, "max_time_step");
/// `classic.restitution`.
pub const CLASSIC_RESTITUTION: SettingRange = *find_in(ROWS, "classic.restitution");
/// `classic.dead_zone`.
pub const CLASSIC_DEAD_ZONE: SettingRange = *find_in(ROWS, "classic.dead_zone");
/// `classic.unsticking`.
pub const CLASSIC_UNSTICKING: SettingRange = *find_in(ROWS, "classic.unsticking");
/// `sph.stiffness`.
pub const SPH_STIFFNESS: SettingRange = *find_in(ROWS, "sph.stiffness");
/// `sph.restitution`.
pub const SPH_RESTITUTION: SettingRange = *find_in(ROWS, "sph.restitution");
/// `shared_pressure.stiffness`.
pub const SHARED_PRESSURE_STIFFNESS: SettingRange = *find_in(ROWS, "shared_pressure.stiffness");
/// `shared_pressure.near_stiffness_ratio`.
pub const SHARED_PRESSURE_NEAR_STIFFNESS_RATIO: SettingRange =
    *find_in(ROWS, "shared_pressure.near_stiffness_ratio");
/// `shared_pressure.cohesion`.
pub const SHARED_PRESSURE_COHESION: SettingRange = *find_in(ROWS, "shared_pressure.cohesion");
/// `incompressible.tolerance`.
pub const INCOMPRESSIBLE_TOLERANCE: SettingRange = *find_in(ROWS, "incompressible.tolerance");
/// `incompressible.max_iterations`.
pub const INCOMPRESSIBLE_MAX_ITERATIONS: SettingRange =
    *find_in(ROWS, "incompressible.max_iterations");
