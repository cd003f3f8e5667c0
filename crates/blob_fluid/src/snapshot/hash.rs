//! Deep hashes: one number for each part of a world.

use std::fmt::{self, Display, Formatter};

use crate::state_hash::StateHash;
use crate::world::FluidWorld;

/// A part of the complete state of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FluidPart {
    /// Parameters, classes, effort and easing.
    Settings,
    /// Time, ticks and substeps.
    Clock,
    /// Particles: all their numbers, their order, lives and handles.
    Particles,
    /// Springs between particles.
    Springs,
    /// Events that wake liquid, and the parts at rest.
    Sleep,
    /// Capacity, kill bounds, and counts of particles that they removed.
    Population,
    /// Containers, colliders, bodies, host bodies and their contacts.
    Solids,
    /// Forces, without force fields, which belong to the host.
    Forces,
    /// All air, with its sources.
    Air,
}

impl FluidPart {
    /// All parts, in the order in which they are stored.
    pub const ALL: [Self; 9] = [
        Self::Settings,
        Self::Clock,
        Self::Particles,
        Self::Springs,
        Self::Sleep,
        Self::Population,
        Self::Solids,
        Self::Forces,
        Self::Air,
    ];

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Clock => "clock",
            Self::Particles => "particles",
            Self::Springs => "springs",
            Self::Sleep => "sleep",
            Self::Population => "population",
            Self::Solids => "solids",
            Self::Forces => "forces",
            Self::Air => "air",
        }
    }
}

impl Display for FluidPart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A hash (FNV-1a) of each part of a world ([`FluidWorld::deep_hash`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeepHash([u64; FluidPart::ALL.len()]);

impl DeepHash {
    /// The hash of a part.
    pub fn part(&self, part: FluidPart) -> u64 {
        self.0[part as usize]
    }

    /// One number for all parts.
    pub fn all(&self) -> u64 {
        let mut hash = StateHash::new();
        self.0.iter().for_each(|part| hash.add(*part));
        hash.0
    }

    /// The hashes of the bytes of all parts.
    pub(crate) fn of_parts(parts: [&[u8]; FluidPart::ALL.len()]) -> Self {
        Self(parts.map(hash_of))
    }

    /// Changes the hash of a part.
    pub(crate) fn set(&mut self, part: FluidPart, hash: u64) {
        self.0[part as usize] = hash;
    }

    /// The parts whose hashes differ.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = FluidPart> + 'a {
        FluidPart::ALL.into_iter().filter(|part| self.part(*part) != other.part(*part))
    }
}

impl FluidWorld {
    /// A hash of each part of the complete state. Two worlds with equal hashes continue with the
    /// same bits. Unlike [`state_hash`](Self::state_hash) it distinguishes positive and negative
    /// zero.
    ///
    /// ```
    /// use blob_fluid::{FluidPart, FluidWorld, ParticleSpawn};
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn::default())?;
    /// let before = world.deep_hash();
    /// world.set_capacity(7);
    /// let after = world.deep_hash();
    /// assert!(after.differences(&before).eq([FluidPart::Population]));
    /// # Ok::<(), blob_fluid::SpawnError>(())
    /// ```
    pub fn deep_hash(&self) -> DeepHash {
        let mut hashes = [0; FluidPart::ALL.len()];
        self.visit_parts(|part, bytes| hashes[part as usize] = hash_of(bytes));
        DeepHash(hashes)
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hash = StateHash::new();
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| hash.add(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash.add(u64::from_le_bytes(last));
    hash.add(bytes.len() as u64);
    hash.0
}
