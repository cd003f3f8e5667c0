//! Velocity and angular velocity of containers and colliders.

use glam::Vec2;

use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;
use crate::settings::visit::Settings;
use crate::stored::stored;

settings! {
    /// Motion of a container or a collider. It stays constant until the host changes it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct Motion: Default as "motion" {
        /// Velocity of its centre.
        pub velocity: Vec2 [within 1e12] in "world units/s" = 0,
        /// Angular velocity about its centre, counter-clockwise.
        pub angular_velocity: f32 [within 1e12] in "rad/s" = 0,
    }
}

stored!(settings Motion, check Self::validate);

impl Motion {
    /// No motion.
    pub const STILL: Self = Self { velocity: Vec2::ZERO, angular_velocity: 0.0 };

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }

    /// Velocity of the solid's point at `offset` from the centre, in world units/s.
    pub(crate) fn at(self, offset: Vec2) -> Vec2 {
        self.velocity + self.angular_velocity * offset.perp()
    }
}
