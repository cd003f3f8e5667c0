//! The four sides of the rectangle of air.

use glam::Vec2;

use crate::air::error::AirError;
use crate::settings::declare::settings;
use crate::settings::visit::Settings;

settings! {
    /// How air moves along a closed side.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub enum AirSlip: Default {
        /// It slips along the side freely. The default.
        Free,
        /// It sticks to the side. It is felt through [viscosity](crate::air::AirSettings::viscosity).
        NoSlip {
            /// Velocity of a wall that air sticks to, along itself.
            ///
            /// To the right for the bottom and the top, up for the left and the right side. With another
            /// value than 0 it is a moving lid.
            velocity: f32 [within 1e12] in "world units/s",
        },
    }
}

settings! {
    /// A side of the rectangle. The default is a wall that air slips along freely.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub enum AirSide: Default as "air side" {
        /// A wall.
        Closed {
            /// How air moves along it. Default: freely.
            #[serde(default)]
            slip: AirSlip [group] = { AirSlip::Free },
        },
        /// An opening: the pressure is 0 there. What flows in was at rest outside, and carries no smoke,
        /// heat or fuel.
        Open,
        /// Air comes in with a given velocity.
        Inflow {
            /// Velocity of air that flows in.
            ///
            /// The part across the side may also point outwards; then air is drawn out.
            velocity: Vec2 [within 1e12] in "world units/s",
            /// Smoke in air that flows in.
            #[serde(default)]
            smoke: f32 [within 1000000] = 0,
            /// Heat in air that flows in.
            #[serde(default)]
            heat: f32 [within 1000000] = 0,
        },
        /// What leaves here comes in at the opposite side, which must be periodic too.
        Periodic,
    }
}

impl AirSide {
    /// A wall that air slips along freely.
    pub const CLOSED: Self = Self::Closed { slip: AirSlip::Free };
    /// A wall that air sticks to.
    pub const STICKY: Self = Self::Closed { slip: AirSlip::NoSlip { velocity: 0.0 } };
}

/// The four sides of the rectangle.
///
/// ```
/// use blob_fluid::air::{AirSide, AirSides};
/// let chimney = AirSides { top: AirSide::Open, ..AirSides::default() };
/// assert!(chimney.validate().is_ok());
/// assert!(AirSides { left: AirSide::Periodic, ..chimney }.validate().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct AirSides {
    /// The left side.
    pub left: AirSide,
    /// The right side.
    pub right: AirSide,
    /// The lower side.
    pub bottom: AirSide,
    /// The upper side.
    pub top: AirSide,
}

impl AirSides {
    /// The same on all four sides.
    pub const fn all(side: AirSide) -> Self {
        Self { left: side, right: side, bottom: side, top: side }
    }

    /// Checks every side.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::OutOfRange`] for a number outside its range, and [`AirError::Periodic`]
    /// if only one of two opposite sides is periodic.
    pub fn validate(&self) -> Result<(), AirError> {
        for side in [self.left, self.right, self.bottom, self.top] {
            side.check()?;
        }
        for (one, other, names) in
            [(self.left, self.right, "left and right"), (self.bottom, self.top, "bottom and top")]
        {
            if (one == AirSide::Periodic) != (other == AirSide::Periodic) {
                return Err(AirError::Periodic(names));
            }
        }
        Ok(())
    }

    /// Whether the left and the right side are one.
    pub(crate) fn periodic_x(&self) -> bool {
        self.left == AirSide::Periodic
    }

    /// Whether the lower and the upper side are one.
    pub(crate) fn periodic_y(&self) -> bool {
        self.bottom == AirSide::Periodic
    }
}
