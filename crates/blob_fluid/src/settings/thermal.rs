//! Heat: how classes conduct it, and how they change with temperature. The paper does not have it.

/// How a class conducts heat and changes with temperature. Temperatures are in degrees of any scale
/// that the host chooses.
///
/// Everything is off by default. It costs nothing while it is off for all classes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Thermal {
    /// Temperature of new particles without a temperature of their own, in degrees; within
    /// ±1000000. `None` (default) for the temperature of the surroundings
    /// ([`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature)).
    pub temperature: Option<f32>,
    /// Rate at which neighbours exchange heat, in 1/T0; 0 to 1000. Between two classes it is the
    /// harmonic mean of their conductivities. In a substep at most 0.12/dt of it acts. Default 0.
    pub conductivity: f32,
    /// Rate at which a particle approaches the temperature of the surroundings, in 1/T0; 0 to 1000.
    /// Default 0.
    pub cooling: f32,
    /// Fraction of its weight that a particle loses per degree above the temperature of the
    /// surroundings; within ±1. Default 0. With a positive value hot liquid rises. The change is
    /// limited to twice the weight.
    pub expansion: f32,
    /// Change to another class above a temperature; `None` (default) for none.
    pub above: Option<Transition>,
    /// Change to another class below a temperature; `None` (default) for none.
    pub below: Option<Transition>,
}

/// A change to another class at a temperature.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Transition {
    /// The temperature at which particles change, in degrees, within ±1000000.
    pub temperature: f32,
    /// Name of the particles' new class.
    pub becomes: String,
}
