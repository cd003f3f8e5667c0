//! When particles were born, when they die, and what marks groups of them. All this lies by slot,
//! which no sort moves, so that a substep pays nothing for it.

use std::collections::VecDeque;

use crate::particles::id::ParticleId;
use crate::settings::range::OutOfRange;
use crate::settings::ranges::sources::lifetime as row;

/// How long a particle lives.
///
/// ```
/// use blob_fluid::Lifetime;
/// let spray = Lifetime::new(2.0).fading(0.5);
/// assert_eq!((spray.seconds, spray.fade), (2.0, 0.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Lifetime {
    /// For how many seconds; finite and at least 0. It dies at the beginning of the first tick at
    /// which that much time has passed.
    pub seconds: f32,
    /// For how many of its last seconds it fades; finite and at least 0. Default 0. More than it
    /// lives for means that it appears faded.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fade: f32,
}

impl Lifetime {
    /// That many seconds, without fading.
    pub const fn new(seconds: f32) -> Self {
        Self { seconds, fade: 0.0 }
    }

    /// The same lifetime, fading for its last `fade` seconds.
    #[must_use]
    pub const fn fading(self, fade: f32) -> Self {
        Self { fade, ..self }
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        row::SECONDS.check(self.seconds)?;
        row::FADE.check(self.fade)
    }
}

/// A mark that particles carry, to act on a group of them; any number but 0, which is
/// [`ParticleTag::NONE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleTag(pub u32);

impl ParticleTag {
    /// What particles have that were given no tag.
    pub const NONE: Self = Self(0);
}

/// The life of a slot's particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// How many were born before it.
    pub(super) order: u64,
    pub(super) born: f64,
    /// Infinite without a lifetime and in vacant slots.
    pub(super) dies: f64,
    pub(super) fade: f32,
    pub(super) tag: ParticleTag,
}

/// The lives of all particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lives {
    pub(super) by_slot: Vec<Life>,
    births: u64,
    /// Time that has passed since the world was made, in seconds.
    pub(super) now: f64,
    /// How many have a lifetime.
    pub(super) mortal: usize,
    /// Nobody dies before.
    next_death: f64,
    /// All that live and some that do not any more, oldest first; while the oldest are recycled.
    pub(super) by_birth: Option<VecDeque<ParticleId>>,
    /// Slots of those about to die.
    pub(super) due: Vec<u32>,
}

impl Lives {
    /// Lets time pass.
    pub(crate) fn advance(&mut self, time: f32) {
        self.now += f64::from(time);
    }

    /// A particle was born that was checked before.
    pub(crate) fn begin(&mut self, id: ParticleId, lifetime: Option<Lifetime>, tag: ParticleTag) {
        let dies = lifetime.map_or(f64::INFINITY, |life| self.now + f64::from(life.seconds));
        if lifetime.is_some() {
            self.next_death = if self.mortal == 0 { dies } else { self.next_death.min(dies) };
            self.mortal += 1;
        }
        let fade = lifetime.map_or(0.0, |life| life.fade);
        let life = Life { order: self.births, born: self.now, dies, fade, tag };
        let slot = id.slot() as usize;
        if slot == self.by_slot.len() {
            self.by_slot.push(life);
        } else {
            self.by_slot[slot] = life;
        }
        self.births += 1;
        if let Some(by_birth) = &mut self.by_birth {
            by_birth.push_back(id);
        }
    }

    /// A particle died.
    pub(crate) fn end(&mut self, id: ParticleId) {
        let life = &mut self.by_slot[id.slot() as usize];
        if life.dies < f64::INFINITY {
            life.dies = f64::INFINITY;
            self.mortal -= 1;
        }
    }

    /// Slots of those whose time has come, in ascending order.
    pub(super) fn find_due(&mut self) -> Vec<u32> {
        let mut due = std::mem::take(&mut self.due);
        due.clear();
        if self.mortal == 0 || self.now < self.next_death {
            return due;
        }
        self.next_death = f64::INFINITY;
        for (slot, life) in self.by_slot.iter().enumerate() {
            if life.dies <= self.now {
                due.push(slot as u32);
            } else {
                self.next_death = self.next_death.min(life.dies);
            }
        }
        due
    }
}
