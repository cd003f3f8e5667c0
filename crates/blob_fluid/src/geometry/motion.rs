//! Velocity and angular velocity of containers and colliders.

use glam::Vec2;

use crate::settings::range::OutOfRange;
use crate::settings::ranges::solids::motion;

/// Motion of a container or a collider. It stays constant until the host changes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Motion {
    /// Velocity of its centre, in world units/s; within ±1e12. Default 0.
    pub velocity: Vec2,
    /// Angular velocity about its centre, counter-clockwise, in radians/s; within ±1e12. Default 0.
    pub angular_velocity: f32,
}

impl Motion {
    /// No motion.
    pub const STILL: Self = Self { velocity: Vec2::ZERO, angular_velocity: 0.0 };

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        motion::VELOCITY.check_all(self.velocity.to_array())?;
        motion::ANGULAR_VELOCITY.check(self.angular_velocity)
    }

    /// Velocity of the solid's point at `offset` from the centre, in world units/s.
    pub(crate) fn at(self, offset: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * offset.perp()
    }
}
