//! What a grain of powder remembers from substep to substep.

use glam::Vec2;

use crate::clone_in_place::clone_in_place;
use crate::counting::count_more;
use crate::particles::arrays::Particles;
use crate::particles::life::ParticleId;
use crate::settings::class::PaintMixing;
use crate::settings::class_table::ClassTable;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{SnapshotError, ensure};
use crate::stored::stored;

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

// Springs between particles, which make a liquid elastic.

/// A spring between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Spring {
    /// The particles it connects.
    pub ends: [ParticleId; 2],
    /// `L`: the length at which the spring exerts no force, in world units.
    pub rest_length: f32,
}

stored!(Spring { ends, rest_length in Limits::NOT_NEGATIVE });

/// Fails where two springs connect the same particles.
#[cfg(feature = "snapshot")]
pub(crate) fn check_once(springs: &[Spring]) -> Result<(), SnapshotError> {
    let twice = first_twice(springs.iter().map(|spring| spring.ends));
    ensure(twice.is_none(), "a spring twice")
}

clone_in_place! {
    /// All springs, in the order in which they were created.
    #[derive(Debug)]
    pub(crate) struct Springs {
        pub list: Vec<Spring>,
        /// Largest number of springs.
        pub capacity: usize,
        /// Number of springs that were not created because the capacity was reached.
        pub refused: u64,
    }
}

stored!(Springs { list, capacity, refused } check |all: &Self| {
    crate::stored::bytes::countable([all.refused])?;
    check_once(&all.list)
});

impl Springs {
    /// Default capacity, enough for 100,000 particles.
    pub(crate) const DEFAULT_CAPACITY: usize = 3_000_000;

    /// Makes room for so many more springs by forgetting those of dead particles, and counts those for which there is none.
    /// Returns for how many there is room.
    pub(crate) fn make_room(&mut self, wanted: usize, particles: &Particles) -> usize {
        if self.list.len() + wanted > self.capacity {
            let lives = |end: &ParticleId| particles.index_of(*end).is_some();
            self.list.retain(|spring| spring.ends.iter().all(lives));
        }
        let room = self.capacity.saturating_sub(self.list.len()).min(wanted);
        count_more(&mut self.refused, (wanted - room) as u64);
        room
    }
}

/// Two ends that more than one spring connects, in any order.
pub(crate) fn first_twice<T: Copy + Ord>(ends: impl Iterator<Item = [T; 2]>) -> Option<[T; 2]> {
    let mut all: Vec<[T; 2]> = ends.map(|[one, other]| [one.min(other), one.max(other)]).collect();
    all.sort_unstable();
    all.windows(2).find(|next| next[0] == next[1]).map(|next| next[0])
}

impl Default for Springs {
    fn default() -> Self {
        Self { list: Vec::new(), capacity: Self::DEFAULT_CAPACITY, refused: 0 }
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

// Reading and changing the paint of particles.

impl Particles {
    /// The paint of the particle at an index: red, green and blue, linear, 0 to 1. `None` if no class
    /// takes [paint](crate::FluidPaint), and beyond the last particle.
    pub fn paint(&self, index: usize) -> Option<[f32; 3]> {
        self.paints.amounts.get(index).map(|amounts| self.paints.mixing.color_of(*amounts))
    }

    /// What is mixed of each particle's paint; empty if no class takes [paint](crate::FluidPaint). When
    /// neighbours exchange paint, the sum stays the same. It is the colour itself, or as
    /// [pigments](crate::PaintMixing::Pigments) the ratio of absorption to scattering in each of three
    /// bands of light.
    pub fn paint_amounts(&self) -> &[[f32; 3]] {
        &self.paints.amounts
    }

    /// Paints the particle at an index: red, green and blue, linear. Numbers beyond 0 and 1 are cut, and
    /// a particle with one that is NaN is quarantined. It has no effect if no class takes
    /// [paint](crate::FluidPaint), and beyond the last particle.
    pub fn set_paint(&mut self, index: usize, color: [f32; 3]) {
        self.paints.mix_in(index, color, 1.0);
    }

    /// Gives a new particle the paint that it had before it was saved, to the bit.
    pub(crate) fn bring_back_paint(&mut self, id: ParticleId, saved: Option<[f32; 3]>) {
        let Some(index) = self.index_of(id) else { return };
        if let (Some(amounts), Some(saved)) = (self.paints.amounts.get_mut(index), saved) {
            *amounts = saved;
        }
    }

    /// Gives every particle the paint of its class, or takes it from all, as the classes want.
    pub(crate) fn follow_paint_of(&mut self, classes: &ClassTable) {
        if !classes.take_paint() {
            self.paints.amounts.clear();
            return;
        }
        self.paints.rests = false;
        self.paints.begin();
        for class in &self.class[self.paints.amounts.len()..] {
            let amounts = self.paints.mixing.amounts_of(classes.paint_of_new(*class));
            self.paints.amounts.push(amounts);
        }
    }

    /// Whether each particle has paint, if these classes take any, and otherwise none has.
    #[cfg(feature = "snapshot")]
    pub(crate) fn has_paint_for(&self, classes: &ClassTable) -> bool {
        self.paints.amounts.len() == if classes.take_paint() { self.len() } else { 0 }
    }
}
