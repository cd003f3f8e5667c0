//! The channels that air carries along.

/// Something that air carries along, with one number in every cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum AirChannel {
    /// Concentration of smoke: 1 is thick, as the host draws it.
    Smoke,
    /// Temperature above that of the surroundings: 1 is as hot as a flame.
    Heat,
    /// Concentration of fuel.
    Fuel,
    /// Vapour, as area of liquid per area of air: at 1 it would fill its cell as liquid at rest.
    Vapour,
    /// Red of the smoke, times its concentration.
    Red,
    /// Green of the smoke, times its concentration.
    Green,
    /// Blue of the smoke, times its concentration.
    Blue,
}

impl AirChannel {
    /// All channels.
    pub const ALL: [Self; 7] =
        [Self::Smoke, Self::Heat, Self::Fuel, Self::Vapour, Self::Red, Self::Green, Self::Blue];

    /// The three colours.
    pub const COLOUR: [Self; 3] = [Self::Red, Self::Green, Self::Blue];

    /// Its name in errors.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Heat => "heat",
            Self::Fuel => "fuel",
            Self::Vapour => "vapour",
            Self::Red => "red",
            Self::Green => "green",
            Self::Blue => "blue",
        }
    }
}
