//! The paint of particles: what is mixed of each one's colour.

use crate::clone_in_place::clone_in_place;
use crate::settings::paint::PaintMixing;

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
