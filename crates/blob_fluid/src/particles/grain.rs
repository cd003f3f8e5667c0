//! What a grain of powder remembers from substep to substep.

use glam::Vec2;

/// What a grain of powder remembers. Passes that know no powder leave it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Grain {
    /// Its deviatoric stress `(s_xx, s_xy)`, in medium masses times world units/s²; finite.
    pub stress: Vec2,
    /// The pressure that its pairs with other grains carried, in medium masses times world units/s²;
    /// finite and at least 0.
    pub load: f32,
    /// Where it was when its stress was found, in world units; finite.
    pub place: Vec2,
}

impl Grain {
    /// A grain that has been at this place and bears nothing.
    pub(crate) fn at(place: Vec2) -> Self {
        Self { stress: Vec2::ZERO, load: 0.0, place }
    }

    /// Whether all of its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.stress.is_finite() && self.load.is_finite() && self.place.is_finite()
    }
}
