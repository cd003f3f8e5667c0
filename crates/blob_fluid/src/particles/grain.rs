//! What a grain of powder remembers from substep to substep.

use glam::Vec2;

/// What a grain of powder remembers. Passes that know no powder leave it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Grain {
    /// Its deviatoric stress `(s_xx, s_xy)`, in medium masses times world units/s²; finite.
    pub stress: Vec2,
    /// The pressure that its pairs with other grains carried, or if it lies still on a wall at least its own,
    /// in medium masses times world units/s²; finite and at least 0.
    pub load: f32,
    /// Where it was when its stress was found, in world units; finite.
    pub place: Vec2,
    /// The liquid between it and other grains.
    pub pores: PoreLiquid,
}

/// The liquid in the pores around a grain, which bears a part of what presses there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PoreLiquid {
    /// How much of the pores it fills; 0 to 1.
    pub share: f32,
    /// Its pressure, in medium masses times world units/s²; finite and at least 0.
    pub pressure: f32,
    /// What weighs of it: mass of a particle times gravity scale, in medium masses; finite.
    pub weight: f32,
}

impl PoreLiquid {
    /// What it bears, in medium masses times world units/s².
    pub(crate) fn borne(&self) -> f32 {
        self.share * self.pressure
    }

    /// Its numbers, in the order of its fields.
    pub(crate) fn numbers(&self) -> [f32; 3] {
        [self.share, self.pressure, self.weight]
    }
}

impl Grain {
    /// A grain that has been at this place and bears nothing.
    pub(crate) fn at(place: Vec2) -> Self {
        Self { stress: Vec2::ZERO, load: 0.0, place, pores: PoreLiquid::default() }
    }

    /// Whether all of its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let Self { stress, load, place, pores: PoreLiquid { share, pressure, weight } } = *self;
        // A finite number times 0 is 0, and every other one NaN.
        let numbers = [stress.x, stress.y, place.x, place.y, load, share, pressure, weight];
        numbers.iter().map(|number| number * 0.0).sum::<f32>() == 0.0
    }
}
