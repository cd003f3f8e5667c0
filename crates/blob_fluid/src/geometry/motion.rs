//! How a thing moves.

use glam::Vec2;

use crate::settings::range::{Check, OutOfRange};

/// How a wall or a collider moves: steadily, until told otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Motion {
    /// Velocity of its centre, in world units/s; finite.
    pub velocity: Vec2,
    /// Counter-clockwise, about its centre, in radians/s; finite.
    pub angular_velocity: f32,
}

impl Motion {
    /// Standing still.
    pub const STILL: Self = Self { velocity: Vec2::ZERO, angular_velocity: 0.0 };

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field that is not finite.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let check = Check("motion");
        check.finite("velocity", &self.velocity.to_array())?;
        check.finite("angular_velocity", &[self.angular_velocity])
    }

    /// Velocity of the material point at `offset` from the centre.
    pub(crate) fn at(self, offset: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * offset.perp()
    }
}
