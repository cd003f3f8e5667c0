//! Heat: how classes conduct it, and what it does to them. Not in the paper.

/// How a class takes heat. Temperatures are in degrees of whatever scale you like.
///
/// Everything is off by default, and costs nothing while it is off for all classes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Thermal {
    /// Temperature of new particles, unless they bring their own; within ±1000000. `None`
    /// (default) for that of the surroundings
    /// ([`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature)).
    pub temperature: Option<f32>,
    /// How fast neighbours exchange heat, in 1/T0; 0 to 1000. Between two classes the harmonic mean
    /// of theirs counts, and per substep at most 0.12/dt acts. Default 0.
    pub conductivity: f32,
    /// How fast a particle takes on the temperature of the surroundings, in 1/T0; 0 to 1000.
    /// Default 0.
    pub cooling: f32,
    /// Part of its weight that a particle loses per degree above the surroundings; within ±1.
    /// Default 0. Hot liquid rises. Weight never changes by more than twice itself.
    pub expansion: f32,
    /// What it becomes when heated.
    pub above: Option<Transition>,
    /// What it becomes when cooled.
    pub below: Option<Transition>,
}

/// What a class becomes beyond a temperature.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Transition {
    /// The temperature, within ±1000000.
    pub temperature: f32,
    /// Name of the class that the particle belongs to then.
    pub becomes: String,
}
