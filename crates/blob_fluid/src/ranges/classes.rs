//! Settings of classes and of pairs of classes.

/// Settings of [`DensityClass`].
pub mod class {
    use crate::settings::class::DensityClass;
    use crate::settings::range::{SettingRange, find_in};
    use crate::settings::visit::Settings;

    const ROWS: &[SettingRange] = DensityClass::ROWS;

    /// `relative_rest_density`.
    pub const RELATIVE_REST_DENSITY: SettingRange = *find_in(ROWS, "relative_rest_density");
    /// `mass`.
    pub const MASS: SettingRange = *find_in(ROWS, "mass");
    /// `gravity_scale`.
    pub const GRAVITY_SCALE: SettingRange = *find_in(ROWS, "gravity_scale");
    /// `stiffness`.
    pub const STIFFNESS: SettingRange = *find_in(ROWS, "stiffness");
    /// `near_stiffness`.
    pub const NEAR_STIFFNESS: SettingRange = *find_in(ROWS, "near_stiffness");
    /// `viscosity.approach`.
    pub const VISCOSITY_APPROACH: SettingRange = *find_in(ROWS, "viscosity.approach");
    /// `viscosity.quadratic`.
    pub const VISCOSITY_QUADRATIC: SettingRange = *find_in(ROWS, "viscosity.quadratic");
    /// `viscosity.linear`.
    pub const VISCOSITY_LINEAR: SettingRange = *find_in(ROWS, "viscosity.linear");
    /// `surface_tension`.
    pub const SURFACE_TENSION: SettingRange = *find_in(ROWS, "surface_tension");
    /// `elasticity.stiffness`.
    pub const ELASTICITY_STIFFNESS: SettingRange = *find_in(ROWS, "elasticity.stiffness");
    /// `elasticity.yield_ratio`.
    pub const ELASTICITY_YIELD_RATIO: SettingRange = *find_in(ROWS, "elasticity.yield_ratio");
    /// `elasticity.plasticity`.
    pub const ELASTICITY_PLASTICITY: SettingRange = *find_in(ROWS, "elasticity.plasticity");
    /// `elasticity.min_rest_length`.
    pub const ELASTICITY_LEAST_REST_LENGTH: SettingRange =
        *find_in(ROWS, "elasticity.min_rest_length");
    /// `thermal.temperature`.
    pub const THERMAL_TEMPERATURE: SettingRange = *find_in(ROWS, "thermal.temperature");
    /// `thermal.conductivity`.
    pub const THERMAL_CONDUCTIVITY: SettingRange = *find_in(ROWS, "thermal.conductivity");
    /// `thermal.air_conductivity`.
    pub const THERMAL_AIR_CONDUCTIVITY: SettingRange = *find_in(ROWS, "thermal.air_conductivity");
    /// `thermal.cooling`.
    pub const THERMAL_COOLING: SettingRange = *find_in(ROWS, "thermal.cooling");
    /// `thermal.expansion`.
    pub const THERMAL_EXPANSION: SettingRange = *find_in(ROWS, "thermal.expansion");
    /// `thermal.above.temperature`.
    pub const THERMAL_ABOVE_TEMPERATURE: SettingRange = *find_in(ROWS, "thermal.above.temperature");
    /// `thermal.below.temperature`.
    pub const THERMAL_BELOW_TEMPERATURE: SettingRange = *find_in(ROWS, "thermal.below.temperature");
    /// `thermal.into_air.above`.
    pub const THERMAL_INTO_AIR_ABOVE: SettingRange = *find_in(ROWS, "thermal.into_air.above");
    /// `thermal.into_air.latent_heat`.
    pub const THERMAL_INTO_AIR_LATENT_HEAT: SettingRange =
        *find_in(ROWS, "thermal.into_air.latent_heat");
    /// `thermal.into_air.vapour`.
    pub const THERMAL_INTO_AIR_VAPOUR: SettingRange = *find_in(ROWS, "thermal.into_air.vapour");
    /// `thermal.into_air.smoke`.
    pub const THERMAL_INTO_AIR_SMOKE: SettingRange = *find_in(ROWS, "thermal.into_air.smoke");
    /// `thermal.into_air.fuel`.
    pub const THERMAL_INTO_AIR_FUEL: SettingRange = *find_in(ROWS, "thermal.into_air.fuel");
    /// `thermal.into_air.colour`.
    pub const THERMAL_INTO_AIR_COLOUR: SettingRange = *find_in(ROWS, "thermal.into_air.colour");
    /// `thermal.into_air.expansion`.
    pub const THERMAL_INTO_AIR_EXPANSION: SettingRange =
        *find_in(ROWS, "thermal.into_air.expansion");
    /// `thermal.into_air.rains.temperature`.
    pub const THERMAL_INTO_AIR_RAINS_TEMPERATURE: SettingRange =
        *find_in(ROWS, "thermal.into_air.rains.temperature");
    /// `color`.
    pub const COLOR: SettingRange = *find_in(ROWS, "color");
}

/// Settings of [`ClassPair`].
pub mod pair {
    use crate::settings::class_pair::ClassPair;
    use crate::settings::range::{SettingRange, find_in};
    use crate::settings::visit::Settings;

    const ROWS: &[SettingRange] = ClassPair::ROWS;

    /// `viscosity.approach`.
    pub const VISCOSITY_APPROACH: SettingRange = *find_in(ROWS, "viscosity.approach");
    /// `viscosity.quadratic`.
    pub const VISCOSITY_QUADRATIC: SettingRange = *find_in(ROWS, "viscosity.quadratic");
    /// `viscosity.linear`.
    pub const VISCOSITY_LINEAR: SettingRange = *find_in(ROWS, "viscosity.linear");
    /// `cohesion`.
    pub const COHESION: SettingRange = *find_in(ROWS, "cohesion");
    /// `segregation`.
    pub const SEGREGATION: SettingRange = *find_in(ROWS, "segregation");
    /// `reaction.rate`.
    pub const REACTION_RATE: SettingRange = *find_in(ROWS, "reaction.rate");
    /// `reaction.temperature`.
    pub const REACTION_TEMPERATURE: SettingRange = *find_in(ROWS, "reaction.temperature");
}
