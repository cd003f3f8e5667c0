//! Optional data of particles: the state of grains of powder, and paint.

use glam::Vec2;

use crate::PaintMixing;
use crate::particles::clone_in_place;

/// State of a grain of powder, kept from substep to substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Grain {
    /// Deviatoric stress, which is the stress without its pressure part: components `(s_xx, s_xy)`, in masses of a medium
    /// particle times world units/s²; finite.
    pub stress: Vec2,
    /// Pressure between the grain and other grains in the last substep. For a grain at rest on a
    /// wall, this pressure is at least the grain's own pressure. Unit: medium masses times world
    /// units/s²; finite and at least 0.
    pub load: f32,
    /// Position of the grain when its stress was computed, in world units; finite.
    pub place: Vec2,
    /// The liquid in the pores between the grain and other grains.
    pub pores: PoreLiquid,
}

/// The liquid in the pores around a grain, which bears a part of the pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PoreLiquid {
    /// Fraction of the pores that the liquid fills; 0 to 1.
    pub share: f32,
    /// Pressure of the liquid in the pores, in medium masses times world units/s²; finite and at
    /// least 0.
    pub pressure: f32,
    /// Weight of a particle of the liquid: its mass times the gravity scale of its class, in medium
    /// masses; finite.
    pub weight: f32,
}

impl PoreLiquid {
    /// The pressure that it bears, in medium masses times world units/s².
    pub(crate) fn borne(&self) -> f32 {
        self.share * self.pressure
    }

    /// Its numbers, in the order of its fields.
    pub(crate) fn numbers(&self) -> [f32; 3] {
        [self.share, self.pressure, self.weight]
    }
}

impl Grain {
    /// A grain at this place, without stress and load.
    pub(crate) fn at(place: Vec2) -> Self {
        Self { stress: Vec2::ZERO, load: 0.0, place, pores: PoreLiquid::default() }
    }

    /// Whether all of its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let Self { stress, load, place, pores: PoreLiquid { share, pressure, weight } } = *self;
        // A finite number times 0 is 0; any other number gives NaN.
        let numbers = [stress.x, stress.y, place.x, place.y, load, share, pressure, weight];
        numbers.iter().map(|number| number * 0.0).sum::<f32>() == 0.0
    }
}

// The paint of particles: the mixed amounts of each colour.

clone_in_place! {
    /// The paint of all particles. The array holds mixed amounts instead of colours, because an
    /// exchange between neighbours keeps the sum of amounts.
    #[derive(Debug, Default)]
    pub(crate) struct Paints {
        pub mixing: PaintMixing,
        /// The mixed amounts of each particle's colour; empty if no class takes paint.
        pub amounts: Vec<[f32; 3]>,
        /// Seconds since neighbours last exchanged paint.
        pub waited: f32,
        /// Whether paint is at rest: the last exchange changed no paint noticeably, and no paint
        /// was changed, added or removed since.
        pub rests: bool,
    }
}

impl Paints {
    /// Whether some paint still mixes.
    pub(crate) fn goes_on(&self) -> bool {
        !self.rests && !self.amounts.is_empty()
    }

    /// Adds the paint of a new particle with the colour `color`.
    pub(super) fn push(&mut self, index: usize, color: [f32; 3]) {
        let amounts = self.mixing.amounts_of(color);
        self.begin();
        self.amounts.resize(index, amounts);
        self.amounts.push(amounts);
        self.rests = false;
    }

    /// Restarts the waiting time if there was no paint.
    pub(super) fn begin(&mut self) {
        if self.amounts.is_empty() {
            self.waited = 0.0;
        }
    }

    /// Removes the paint of a particle. The paint of the last particle takes its index.
    pub(super) fn swap_remove(&mut self, index: usize) {
        if !self.amounts.is_empty() {
            self.amounts.swap_remove(index);
            self.rests = false;
        }
    }

    /// Mixes a fraction `share` of another colour into the colour of a particle.
    pub(crate) fn mix_in(&mut self, index: usize, color: [f32; 3], share: f32) {
        let new = self.mixing.amounts_of(color);
        let Some(amounts) = self.amounts.get_mut(index) else { return };
        for (amount, new) in amounts.iter_mut().zip(new) {
            // With a share of 1 the result is bit-identical to the new amount.
            *amount = *amount * (1.0 - share) + new * share;
        }
        self.rests = false;
    }

    /// Changes the kind of mixing, and keeps all colours.
    pub(crate) fn mix_as(&mut self, mixing: PaintMixing) {
        let before = std::mem::replace(&mut self.mixing, mixing);
        if before != mixing {
            let converted = |amounts: &[f32; 3]| mixing.amounts_of(before.color_of(*amounts));
            self.amounts.iter_mut().for_each(|amounts| *amounts = converted(amounts));
            self.rests = false;
        }
    }
}
