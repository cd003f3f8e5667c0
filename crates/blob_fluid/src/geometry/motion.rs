//! How a thing moves.

use glam::Vec2;

use crate::settings::range::OutOfRange;
use crate::settings::ranges::solids::motion;

/// How a wall or a collider moves: steadily, until told otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Motion {
    /// Velocity of its centre, in world units/s; finite. Default 0.
    pub velocity: Vec2,
    /// Counter-clockwise, about its centre, in radians/s; finite. Default 0.
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
        motion::VELOCITY.check_all(self.velocity.to_array())?;
        motion::ANGULAR_VELOCITY.check(self.angular_velocity)
    }

    /// Velocity of the material point at `offset` from the centre.
    pub(crate) fn at(self, offset: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * offset.perp()
    }
}
