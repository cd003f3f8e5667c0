//! Forces at a place: what a pointer does to the liquid.

use glam::Vec2;

use crate::bounds::Bounds;
use crate::range::{Check, OutOfRange};

/// A point that attracts or repels the liquid around it.
///
/// At the distance `r` from the centre a particle is accelerated towards it by
/// `acceleration (1 - (r/radius)^2)`, and its velocity decays at the rate `drag` times the same
/// factor, which lets an attracted blob settle instead of orbiting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Force {
    /// Centre, in world units.
    pub position: Vec2,
    /// Reach, in world units; > 0.
    pub radius: f32,
    /// Acceleration at full strength, in world units/s²: positive attracts, negative repels.
    pub acceleration: f32,
    /// Rate at which velocity decays at full strength, in 1/s; >= 0.
    pub drag: f32,
    /// Rate at which the temperature rises at full strength, in degrees/s; negative cools.
    #[cfg_attr(feature = "serde", serde(default))]
    pub heat: f32,
}

impl Force {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        let check = Check("force");
        check.finite("position", &self.position.to_array())?;
        let valid = self.radius.is_normal() && self.radius > 0.0;
        check.that(valid, "radius", self.radius, "finite and > 0")?;
        check.finite("acceleration", &[self.acceleration])?;
        let valid = self.drag.is_finite() && self.drag >= 0.0;
        check.that(valid, "drag", self.drag, "finite and >= 0")?;
        check.finite("heat", &[self.heat])
    }

    /// Whether it does anything to liquid at rest.
    pub(crate) fn acts(&self) -> bool {
        self.acceleration != 0.0 || self.heat != 0.0
    }

    /// A box around where it acts.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { low: self.position - self.radius, high: self.position + self.radius }
    }

    /// Strength (0 to 1) at a place, and the offset from there to the centre.
    pub(crate) fn strength(&self, position: Vec2) -> Option<(f32, Vec2)> {
        let offset = self.position - position;
        let ratio = offset.length_squared() / (self.radius * self.radius);
        (ratio < 1.0).then_some((1.0 - ratio, offset))
    }
}
