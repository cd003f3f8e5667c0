//! Handles of particles.

use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};

use glam::Vec2;
use thiserror::Error;

use crate::particles::clone_in_place;
use crate::settings::declare::settings;
use crate::settings::range::count_more;
use crate::stored::stored;
use crate::{ClassId, OutOfRange};

/// A handle of a particle. A handle is valid until the particle dies, and never refers to another
/// particle. A handle's text is `particle SLOT.GENERATION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

#[cfg(feature = "snapshot")]
crate::stored::bytes::beside_numbers!(ParticleId);
stored!(ParticleId { slot, generation });

impl ParticleId {
    /// The slot: a small number, unique among living particles. A slot is reused after the particle's death.
    pub fn slot(self) -> u32 {
        self.slot
    }

    /// Number of times that the slot was reused before this particle.
    pub fn generation(self) -> u32 {
        self.generation
    }
}

impl Display for ParticleId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "particle {}.{}", self.slot, self.generation)
    }
}

// Birth, lifetime and tag of each particle. These arrays are indexed by slot. Sorting does not move
// slots, so the arrays cost no time in a substep.

settings! {
    /// The lifetime of a particle.
    ///
    /// ```
    /// use blob_fluid::FluidLifetime;
    /// let spray = FluidLifetime::new(2.0).fading(0.5);
    /// assert_eq!((spray.seconds, spray.fade), (2.0, 0.5));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidLifetime as "lifetime" with validate in files {
        /// How long a particle lives.
        ///
        /// The particle dies at the beginning of the first tick at which this time has passed.
        pub seconds: f32 [at least 0] in "s",
        /// Time at the end of the lifetime over which the particle fades.
        ///
        /// If this time is longer than the lifetime, the particle is already faded when it appears.
        #[serde(default)]
        pub fade: f32 [at least 0] in "s" = 0,
    }
}

stored!(settings FluidLifetime, check Self::validate);

impl FluidLifetime {
    /// Creates a lifetime of `seconds` seconds, without fading.
    pub const fn new(seconds: f32) -> Self {
        Self { seconds, fade: 0.0 }
    }

    /// The same lifetime, with fading during its last `fade` seconds.
    #[must_use]
    pub const fn fading(self, fade: f32) -> Self {
        Self { fade, ..self }
    }
}

/// A tag, which marks particles as a group. Any number is valid; 0 is [`ParticleTag::NONE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleTag(pub u32);

stored!(settings ParticleTag, without numbers);

impl ParticleTag {
    /// The tag of particles without a tag.
    pub const NONE: Self = Self(0);
}

/// The life of a slot's particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// Number of particles born before it.
    pub(super) order: u64,
    pub(super) born: f64,
    /// Time of death, in seconds; infinite without a lifetime and in vacant slots.
    pub(super) dies: f64,
    pub(super) fade: f32,
    pub(super) tag: ParticleTag,
}

clone_in_place! {
    /// The lives of all particles.
    #[derive(Debug, Default)]
    pub(crate) struct Lives {
        pub(super) by_slot: Vec<Life>,
        pub(super) births: u64,
        /// Time since the world was created, in seconds.
        pub(super) now: f64,
        /// Number of particles with a lifetime.
        pub(super) mortal: usize,
        /// No particle dies before this time, in seconds.
        pub(super) next_death: f64,
        /// Handles of all living and some dead particles, the oldest first. It is `None` unless the
        /// policy recycles the oldest particles.
        pub(super) by_birth: Option<VecDeque<ParticleId>>,
        /// Buffer for the slots of particles that are about to die.
        pub(super) due: Vec<u32>,
    }
}

impl Lives {
    /// Advances the time, in seconds.
    pub(crate) fn advance(&mut self, time: f32) {
        self.now += f64::from(time);
    }

    /// Records the birth of a particle whose values have been checked.
    pub(crate) fn begin(
        &mut self,
        id: ParticleId,
        lifetime: Option<FluidLifetime>,
        tag: ParticleTag,
    ) {
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
        count_more(&mut self.births, 1);
        if let Some(by_birth) = &mut self.by_birth {
            by_birth.push_back(id);
        }
    }

    /// Records the death of a particle.
    pub(crate) fn end(&mut self, id: ParticleId) {
        let life = &mut self.by_slot[id.slot() as usize];
        if life.dies < f64::INFINITY {
            life.dies = f64::INFINITY;
            self.mortal -= 1;
        }
    }

    /// Finds the slots of particles whose lifetime is over, in ascending order.
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

// The values of a new particle, and the errors of spawning it.

/// The values of a new particle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct ParticleSpawn {
    /// Position, in world units; finite.
    pub position: Vec2,
    /// Velocity, in world units/s; finite.
    pub velocity: Vec2,
    /// Class of the particle, an index into the world's class table. The default is medium of the
    /// three default classes. Set it if you use your own classes.
    pub class: ClassId,
    /// Temperature, in degrees; finite. `None` (default) for the temperature of its class.
    pub temperature: Option<f32>,
    /// Red, green and blue of its paint, linear, 0 to 1. `None` (default) for the colour of its class. The colour has
    /// no effect in a class without [paint](crate::FluidPaint).
    pub paint: Option<[f32; 3]>,
    /// Lifetime of the particle; `None` (default) for an unlimited lifetime.
    pub lifetime: Option<FluidLifetime>,
    /// Tag of the group of the particle. Default: no tag.
    pub tag: ParticleTag,
}

/// The reason for which a particle was not spawned.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum SpawnError {
    /// A number is NaN, infinite or beyond the world's [reach](crate::Liquid::reach).
    #[error("particle {field} is {value}, and must be finite and within ±{limit} world units")]
    OutOfRange {
        /// Name of the field with the invalid number.
        field: &'static str,
        /// Value of the field.
        value: f32,
        /// Largest valid magnitude, in world units.
        limit: f32,
    },
    /// The class table has no such class.
    #[error("class {class} does not exist: the table holds {classes}")]
    UnknownClass {
        /// Index of the requested class.
        class: u8,
        /// Number of classes in the table.
        classes: usize,
    },
    /// The lifetime is invalid.
    #[error(transparent)]
    Lifetime(#[from] OutOfRange),
    /// A number of its paint is not within 0 to 1.
    #[error(transparent)]
    Paint(OutOfRange),
    /// The world is full: its number of particles has reached the capacity.
    #[error("the world is full: its capacity is {capacity} particles")]
    Full {
        /// The world's capacity.
        capacity: usize,
    },
}
