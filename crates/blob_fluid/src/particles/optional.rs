//! What a grain of powder remembers from substep to substep.

use glam::Vec2;

use crate::clone_in_place::clone_in_place;
use crate::settings::class::PaintMixing;

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

// The paint of particles: what is mixed of each one's colour.

clone_in_place! {
    /// The paint of all particles. The array holds what is mixed and not colours, so that its sum is what
    /// stays the same when neighbours exchange paint.
    #[derive(Debug, Default)]
    pub(crate) struct Paints {
        pub mixing: PaintMixing,
        /// What is mixed of each particle's colour; empty if no class takes paint.
        pub amounts: Vec<[f32; 3]>,
        /// Seconds since neighbours last exchanged paint.
        pub waited: f32,
        /// Whether the last exchange changed no paint worth mentioning, and no paint was changed, added or removed since.
        pub rests: bool,
    }
}

impl Paints {
    /// Whether anything is left to be mixed.
    pub(crate) fn goes_on(&self) -> bool {
        !self.rests && !self.amounts.is_empty()
    }

    /// Adds the paint of a new particle, of this colour.
    pub(super) fn push(&mut self, index: usize, color: [f32; 3]) {
        let amounts = self.mixing.amounts_of(color);
        self.begin();
        self.amounts.resize(index, amounts);
        self.amounts.push(amounts);
        self.rests = false;
    }

    /// Waits anew where there was no paint, whatever paint waited for before.
    pub(super) fn begin(&mut self) {
        if self.amounts.is_empty() {
            self.waited = 0.0;
        }
    }

    /// Removes the paint of a particle; that of the last one takes its place.
    pub(super) fn swap_remove(&mut self, index: usize) {
        if !self.amounts.is_empty() {
            self.amounts.swap_remove(index);
            self.rests = false;
        }
    }

    /// Moves the colour of a particle by a share of the way to another one, as if that much of it had
    /// been mixed in.
    pub(crate) fn mix_in(&mut self, index: usize, color: [f32; 3], share: f32) {
        let new = self.mixing.amounts_of(color);
        let Some(amounts) = self.amounts.get_mut(index) else { return };
        for (amount, new) in amounts.iter_mut().zip(new) {
            // With a share of 1 it is the new one to the bit.
            *amount = *amount * (1.0 - share) + new * share;
        }
        self.rests = false;
    }

    /// Keeps all colours, and mixes them in another way from now on.
    pub(crate) fn mix_as(&mut self, mixing: PaintMixing) {
        let before = std::mem::replace(&mut self.mixing, mixing);
        if before != mixing {
            let converted = |amounts: &[f32; 3]| mixing.amounts_of(before.color_of(*amounts));
            self.amounts.iter_mut().for_each(|amounts| *amounts = converted(amounts));
            self.rests = false;
        }
    }
}
