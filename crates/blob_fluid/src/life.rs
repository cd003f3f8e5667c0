//! When particles were born, when they die, and what marks groups of them. All this lies by slot,
//! which no sort moves, so that a substep pays nothing for it.

use std::collections::VecDeque;

use crate::particle::{ParticleId, Particles};
use crate::range::OutOfRange;
use crate::ranges::sources::lifetime as row;

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
struct Life {
    /// How many were born before it.
    order: u64,
    born: f64,
    /// Infinite without a lifetime and in vacant slots.
    dies: f64,
    fade: f32,
    tag: ParticleTag,
}

/// The lives of all particles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lives {
    by_slot: Vec<Life>,
    births: u64,
    /// Time that has passed since the world was made, in seconds.
    now: f64,
    /// How many have a lifetime.
    mortal: usize,
    /// Nobody dies before.
    next_death: f64,
    /// All that live and some that do not any more, oldest first; while the oldest are recycled.
    by_birth: Option<VecDeque<ParticleId>>,
    /// Slots of those about to die.
    due: Vec<u32>,
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
        let slot = id.index() as usize;
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
        let life = &mut self.by_slot[id.index() as usize];
        if life.dies < f64::INFINITY {
            life.dies = f64::INFINITY;
            self.mortal -= 1;
        }
    }

    /// Slots of those whose time has come, in ascending order.
    fn find_due(&mut self) -> Vec<u32> {
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

impl Particles {
    fn life(&self, id: ParticleId) -> Option<&Life> {
        self.place(id).map(|_| &self.lives.by_slot[id.index() as usize])
    }

    /// For how many seconds a particle has lived; `None` if it is dead.
    pub fn age(&self, id: ParticleId) -> Option<f32> {
        self.life(id).map(|life| (self.lives.now - life.born) as f32)
    }

    /// For how many seconds a particle will live on; infinite without a [`Lifetime`], `None` if it
    /// is dead.
    pub fn remaining_lifetime(&self, id: ParticleId) -> Option<f32> {
        self.life(id).map(|life| (life.dies - self.lives.now).max(0.0) as f32)
    }

    /// How much is to be seen of the particle at a place: 1, and less while it fades
    /// ([`Lifetime::fade`]), down to 0 when it dies.
    ///
    /// # Panics
    ///
    /// If `place` is not below [`Particles::len`].
    pub fn opacity(&self, place: usize) -> f32 {
        let id = self.ids()[place];
        if self.lives.mortal == 0 {
            return 1.0;
        }
        let life = &self.lives.by_slot[id.index() as usize];
        let remaining = (life.dies - self.lives.now).max(0.0) as f32;
        if remaining < life.fade { remaining / life.fade } else { 1.0 }
    }

    /// The tag of a particle; `None` if it is dead.
    pub fn tag(&self, id: ParticleId) -> Option<ParticleTag> {
        self.life(id).map(|life| life.tag)
    }

    /// How many particles have a lifetime.
    pub fn mortal(&self) -> usize {
        self.lives.mortal
    }

    /// The tag of the particle at a place.
    pub(crate) fn tag_at(&self, place: usize) -> ParticleTag {
        self.lives.by_slot[self.id[place].index() as usize].tag
    }

    /// Tags a particle; `false` if it is dead.
    pub(crate) fn set_tag(&mut self, id: ParticleId, tag: ParticleTag) -> bool {
        let alive = self.place(id).is_some();
        if alive {
            self.lives.by_slot[id.index() as usize].tag = tag;
        }
        alive
    }

    /// Calls `dies` with the place of every particle whose time has come, and removes it; says how
    /// many.
    pub(crate) fn expire(&mut self, mut dies: impl FnMut(&Self, usize)) -> usize {
        let due = self.lives.find_due();
        for slot in &due {
            let place = self.place_of_slot(*slot);
            dies(self, place);
            self.swap_remove(place);
        }
        let expired = due.len();
        self.lives.due = due;
        expired
    }

    /// From now on keeps, or no longer keeps, who is the oldest.
    pub(crate) fn keep_order_of_birth(&mut self, keep: bool) {
        if keep == self.lives.by_birth.is_some() {
            return;
        }
        self.lives.by_birth = keep.then(|| {
            let mut ids = self.id.clone();
            ids.sort_unstable_by_key(|id| self.lives.by_slot[id.index() as usize].order);
            ids.into()
        });
    }

    /// The oldest particle, where their order is kept; each is told only once.
    pub(crate) fn take_oldest(&mut self) -> Option<ParticleId> {
        let mut by_birth = self.lives.by_birth.take()?;
        let mut oldest = None;
        while let Some(id) = by_birth.pop_front() {
            if self.place(id).is_some() {
                oldest = Some(id);
                break;
            }
        }
        self.lives.by_birth = Some(by_birth);
        oldest
    }

    /// Forgets the dead among those whose order of birth is kept, once they are the most.
    pub(crate) fn forget_dead(&mut self) {
        let held = self.lives.by_birth.as_ref().map_or(0, VecDeque::len);
        if held > 2 * self.len() + 64
            && let Some(mut by_birth) = self.lives.by_birth.take()
        {
            by_birth.retain(|id| self.place(*id).is_some());
            self.lives.by_birth = Some(by_birth);
        }
    }
}
