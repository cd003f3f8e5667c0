//! Snapshots: the complete state of a world as bytes, in one format for every platform, and deep hashes.
//!
//! The file of a snapshot is a header, and entries with names:
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `blobsnap` |
//! | 4 | version |
//! | 8 | length of the rest after the checksum |
//! | 4 | checksum of that rest (CRC-32) |
//! | rest | number of entries; each entry is its name, kind and bytes, each after its length |

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use crate::air::step::Airs;
use crate::air::{Air, AirId};
use crate::boundary::solids::Loads;
use crate::revision::{Revision, StateHash};
use crate::settings::range::Limits;
use crate::stored::bytes::{Numbers, Reader, Stored, Writer, ensure};
use crate::work::Counted;
use crate::{
    BlobTracker, Collider, ColliderId, Container, ContainerId, Drain, Emitter, FluidWorld,
    ForceField, Governor, HostBodyId, Liquid, PoolId, Pump, Sensor, SnapshotError, SplashDetector,
    Tank,
};

// The file.

const MAGIC: &[u8; 8] = b"blobsnap";

const HEADER: usize = MAGIC.len() + 4 + 8 + 4;

/// A value that a [`SnapshotFile`] can hold: a [`FluidWorld`](crate::FluidWorld), an [`Air`](crate::air::Air) without a
/// world, or an object that your program keeps beside the world. Such objects are an [`Emitter`](crate::Emitter), a
/// [`Drain`](crate::Drain), a [`Tank`](crate::Tank), a [`Pump`](crate::Pump), a [`Sensor`](crate::Sensor), a
/// [`SplashDetector`](crate::SplashDetector), a [`BlobTracker`](crate::BlobTracker) and a
/// [`Governor`](crate::Governor).
///
/// Lists (`Vec`) of emitters, drains, tanks, pumps and sensors are values as well. So are lists of
/// handles of air or host bodies, and lists of containers or colliders with their handles. Further
/// values are a [`Recording`](crate::Recording), a [`FluidChunk`](crate::FluidChunk), and with the
/// feature `bake` a `BakedFluid`.
pub trait Snapshot: sealed::Entry {
    /// The value as bytes, as an entry of a [`SnapshotFile`] holds them: without header, kind and checksum.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] for a world whose tick has begun and not ended.
    fn to_entry_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        self.entry()
    }

    /// Reads the bytes of [`to_entry_bytes`](Self::to_entry_bytes). The bytes may come from an untrusted source.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::Invalid`] for invalid bytes.
    fn from_entry_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Self::of_entry(bytes)
    }
}

impl<T: sealed::Entry> Snapshot for T {}

pub(crate) mod sealed {
    use crate::SnapshotError;

    /// Conversion of an entry to bytes and back.
    pub trait Entry: Sized {
        /// The kind of the entry, for messages.
        const KIND: &'static str;

        /// The bytes of the entry.
        fn entry(&self) -> Result<Vec<u8>, SnapshotError>;

        /// Reads the output of [`entry`](Self::entry).
        fn of_entry(bytes: &[u8]) -> Result<Self, SnapshotError>;
    }
}

/// The kind of a host's own bytes.
const BYTES: &str = "bytes";

/// A snapshot with named entries: a world, objects that your program keeps beside the world, and bytes of your program.
///
/// ```
/// use blob_fluid::{Emitter, EmitterSettings, FluidWorld, ParticleSpawn, SnapshotFile};
/// let mut world = FluidWorld::default();
/// world.spawn(ParticleSpawn::default())?;
/// let tap = Emitter::new(EmitterSettings::jet(30.0, 100.0))?;
///
/// let mut file = SnapshotFile::default();
/// file.insert("world", &world)?;
/// file.insert("tap", &tap)?;
/// file.insert_bytes("score", &42_u32.to_le_bytes())?;
/// let bytes = file.to_bytes();
///
/// let file = SnapshotFile::from_bytes(&bytes)?;
/// let world: FluidWorld = file.get("world")?;
/// let tap: Emitter = file.get("tap")?;
/// assert_eq!(world.particles().len(), 1);
/// assert_eq!(tap.settings().speed, Some(100.0));
/// assert_eq!(file.bytes("score")?, 42_u32.to_le_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotFile {
    entries: Vec<Entry>,
    /// The index of each name's entry.
    places: BTreeMap<Counted<Arc<str>>, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: Arc<str>,
    kind: String,
    bytes: Vec<u8>,
}

impl SnapshotFile {
    /// The version of the format that this library writes, and the only version that it reads.
    pub const VERSION: u32 = 6;

    /// Adds a value under a name.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::NameTaken`] for a name that the file already has, and [`SnapshotError::WithinTick`] for
    /// a world whose tick has begun and not ended.
    pub fn insert(&mut self, name: &str, value: &impl Snapshot) -> Result<(), SnapshotError> {
        self.add(name, kind_of(value), value.entry()?)
    }

    /// Adds bytes of your program under a name.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::NameTaken`] for a name that the file already has.
    pub fn insert_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.add(name, BYTES, bytes.to_vec())
    }

    /// The value under a name.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::NoEntry`] and [`SnapshotError::OtherKind`], and [`SnapshotError::Invalid`] for invalid
    /// bytes.
    pub fn get<T: Snapshot>(&self, name: &str) -> Result<T, SnapshotError> {
        T::of_entry(self.find(name, T::KIND)?)
    }

    /// Your program's bytes under a name.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::NoEntry`] and [`SnapshotError::OtherKind`].
    pub fn bytes(&self, name: &str) -> Result<&[u8], SnapshotError> {
        self.find(name, BYTES)
    }

    /// The names of all entries, in the order of insertion.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.name)
    }

    /// The file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes.resize(HEADER, 0);
        writer.count(self.entries.len());
        for Entry { name, kind, bytes } in &self.entries {
            writer.part(name.as_bytes());
            kind.store(&mut writer);
            writer.part(bytes);
        }
        let mut bytes = writer.bytes;
        let checksum = crc32fast::hash(&bytes[HEADER..]);
        let length = (bytes.len() - HEADER) as u64;
        let mut header = Writer { bytes: MAGIC.to_vec() };
        Self::VERSION.store(&mut header);
        length.store(&mut header);
        checksum.store(&mut header);
        bytes[..HEADER].copy_from_slice(&header.bytes);
        bytes
    }

    /// Reads a file: its header, its checksum, and the places of its entries. The bytes may be
    /// untrusted: allocations are at most a few times their length.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::NotASnapshot`], [`SnapshotError::Version`], [`SnapshotError::Length`],
    /// [`SnapshotError::Checksum`] and [`SnapshotError::Invalid`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
            let is_begun =
                !bytes.is_empty() && (bytes.starts_with(MAGIC) || MAGIC.starts_with(bytes));
            let (expected, found) = (HEADER as u64, bytes.len() as u64);
            return Err(if is_begun {
                SnapshotError::Length { expected, found }
            } else {
                SnapshotError::NotASnapshot
            });
        };
        let mut header = Reader::new(header);
        if header.take(MAGIC.len())? != MAGIC {
            return Err(SnapshotError::NotASnapshot);
        }
        let found = u32::load(&mut header)?;
        if found != Self::VERSION {
            return Err(SnapshotError::Version { found, supported: Self::VERSION });
        }
        let length = u64::load(&mut header)?;
        if length != rest.len() as u64 {
            let expected = length.saturating_add(HEADER as u64);
            return Err(SnapshotError::Length { expected, found: bytes.len() as u64 });
        }
        let (expected, found) = (u32::load(&mut header)?, crc32fast::hash(rest));
        if expected != found {
            return Err(SnapshotError::Checksum { expected, found });
        }
        let mut from = Reader::new(rest);
        // An entry contains at least three lengths.
        let count = from.count(3 * size_of::<u64>())?;
        let mut file = Self { entries: Vec::with_capacity(count), ..Self::default() };
        for _ in 0..count {
            let (name, kind) = <(String, String)>::load(&mut from)?;
            let length = from.count(1)?;
            file.add(&name, &kind, from.take(length)?.to_vec())?;
        }
        from.finish()?;
        Ok(file)
    }

    /// The bytes of the entry with this name and type.
    fn entry_of<T: Snapshot>(&self, name: &str) -> Result<&[u8], SnapshotError> {
        self.find(name, T::KIND)
    }

    fn add(&mut self, name: &str, kind: &str, bytes: Vec<u8>) -> Result<(), SnapshotError> {
        let shared: Arc<str> = Arc::from(name);
        let MapEntry::Vacant(place) = self.places.entry(Counted(Arc::clone(&shared))) else {
            return Err(SnapshotError::NameTaken(name.to_owned()));
        };
        place.insert(self.entries.len());
        let (name, kind) = (shared, kind.to_owned());
        self.entries.push(Entry { name, kind, bytes });
        Ok(())
    }

    fn find(&self, name: &str, kind: &str) -> Result<&[u8], SnapshotError> {
        let Some(place) = self.places.get(name) else {
            let known: Vec<&str> = self.names().collect();
            return Err(SnapshotError::NoEntry { name: name.to_owned(), known: known.join(", ") });
        };
        let entry = &self.entries[*place];
        if entry.kind != kind {
            let (found, expected) = (entry.kind.clone(), kind.to_owned());
            return Err(SnapshotError::OtherKind { name: name.to_owned(), found, expected });
        }
        Ok(&entry.bytes)
    }
}

fn kind_of<T: Snapshot>(_: &T) -> &'static str {
    T::KIND
}

/// Implements the trait of entries for stored types.
macro_rules! entries {
    ($($kind:literal: $type:ty),* $(,)?) => {$(
        impl $crate::snapshot::sealed::Entry for $type {
            const KIND: &'static str = $kind;

            fn entry(&self) -> Result<Vec<u8>, $crate::stored::bytes::SnapshotError> {
                Ok($crate::stored::bytes::Writer::bytes_of(self))
            }

            fn of_entry(bytes: &[u8]) -> Result<Self, $crate::stored::bytes::SnapshotError> {
                let mut from = $crate::stored::bytes::Reader::new(bytes);
                let value = $crate::stored::bytes::Stored::load(&mut from)?;
                from.finish()?;
                Ok(value)
            }
        }
    )*};
}
pub(crate) use entries;

// A world as an entry of a snapshot.

/// Name of the only entry in the file of a world.
const WORLD: &str = "world";

/// Methods for snapshots.
impl FluidWorld {
    /// The complete state of the world, as bytes that are the same on every platform. A world [made from
    /// them](Self::from_bytes) continues with the same bits, and gives the same bytes. A [`SnapshotFile`] also holds
    /// objects that your program keeps beside the world, such as emitters.
    ///
    /// [Force fields](crate::ForceField) are your code, and not included.
    ///
    /// ```
    /// use blob_fluid::{FluidWorld, ParticleSpawn, SerialExecutor};
    /// let mut world = FluidWorld::default();
    /// world.spawn(ParticleSpawn::default())?;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// let bytes = world.to_bytes()?;
    /// let mut again = FluidWorld::from_bytes(&bytes)?;
    /// assert_eq!(again.to_bytes()?, bytes);
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// again.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert_eq!(again.deep_hash(), world.deep_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let mut file = SnapshotFile::default();
        file.insert(WORLD, self)?;
        Ok(file.to_bytes())
    }

    /// The world at the time of [`to_bytes`](Self::to_bytes), without force fields. Handles of
    /// particles, solids and air stay valid.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError`] for bytes that are not a world, or have another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        SnapshotFile::from_bytes(bytes)?.get(WORLD)
    }

    /// Replaces the state by a snapshot's state, and keeps the [force fields](crate::ForceField).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_bytes`](Self::from_bytes). Then nothing is changed.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let file = SnapshotFile::from_bytes(bytes)?;
        let fields = self.force_fields().to_vec();
        let restored = of_bytes(file.entry_of::<Self>(WORLD)?, fields)?;
        self.replace_state(restored);
        Ok(())
    }
}

impl sealed::Entry for FluidWorld {
    const KIND: &'static str = "world";

    fn entry(&self) -> Result<Vec<u8>, SnapshotError> {
        if self.liquid().sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        let mut writer = Writer::default();
        self.visit_parts(|_, bytes| writer.part(bytes));
        Ok(writer.bytes)
    }

    fn of_entry(bytes: &[u8]) -> Result<Self, SnapshotError> {
        of_bytes(bytes, Vec::new())
    }
}

fn of_bytes(bytes: &[u8], fields: Vec<Arc<dyn ForceField>>) -> Result<FluidWorld, SnapshotError> {
    let mut from = Reader::new(bytes);
    let mut parts: [&[u8]; FluidPart::ALL.len()] = Default::default();
    for part in &mut parts {
        let length = from.count(1)?;
        *part = from.take(length)?;
    }
    from.finish()?;
    FluidWorld::of_parts(parts, fields)
}

// A world as a list of parts in bytes. Files and deep hashes use it.

impl FluidWorld {
    /// Calls `visit` with the bytes of each part, in the order of [`FluidPart::ALL`].
    pub(crate) fn visit_parts(&self, mut visit: impl FnMut(FluidPart, &[u8])) {
        let (liquid, airs) = self.state();
        let Liquid {
            parameters,
            classes,
            effort,
            particles,
            springs,
            sleep,
            population,
            // It only reports the last tick.
            quarantined: _,
            boundary,
            // Its buffers are used only within a pass.
            loads: _,
            forces,
            pools,
            clock,
            easing_limit,
            // Results do not depend on its number.
            settings_revision: _,
        } = liquid;
        let mut writer = Writer::default();
        let mut part = |part: FluidPart, store: &dyn Fn(&mut Writer)| {
            writer.bytes.clear();
            store(&mut writer);
            visit(part, &writer.bytes);
        };
        part(FluidPart::Settings, &|to| {
            parameters.store(to);
            classes.store(to);
            effort.store(to);
            easing_limit.store_numbers(to);
        });
        part(FluidPart::Clock, &|to| clock.store(to));
        part(FluidPart::Particles, &|to| particles.store(to));
        part(FluidPart::Springs, &|to| springs.store(to));
        part(FluidPart::Sleep, &|to| sleep.store(to));
        part(FluidPart::Population, &|to| population.store(to));
        part(FluidPart::Solids, &|to| boundary.store(to));
        part(FluidPart::Forces, &|to| forces.store(to));
        part(FluidPart::Air, &|to| airs.store(to));
        part(FluidPart::Pools, &|to| pools.store(to));
    }

    /// Creates a world from the bytes of its parts, in the order of [`FluidPart::ALL`], with these force fields.
    pub(crate) fn of_parts(
        parts: [&[u8]; FluidPart::ALL.len()],
        fields: Vec<Arc<dyn ForceField>>,
    ) -> Result<Self, SnapshotError> {
        let [settings, clock, particles, springs, sleep, population, boundary, forces, airs, pools] =
            parts;
        let mut from = Reader::new(settings);
        let (parameters, classes) = Stored::load(&mut from)?;
        let effort = Stored::load(&mut from)?;
        let easing_limit = Numbers::load_within(Limits::NOT_NEGATIVE, &mut from)?;
        from.finish()?;
        let mut liquid = Liquid {
            parameters,
            classes,
            effort,
            particles: whole(particles)?,
            springs: whole(springs)?,
            sleep: whole(sleep)?,
            population: whole(population)?,
            quarantined: Vec::new(),
            boundary: whole(boundary)?,
            loads: Loads::default(),
            forces: whole(forces)?,
            pools: whole(pools)?,
            clock: whole(clock)?,
            easing_limit,
            settings_revision: Revision::default(),
        };
        liquid.forces.fields = fields;
        let classes = liquid.classes.iter().len();
        let known = liquid.particles.class.iter().all(|class| class.index() < classes);
        ensure(known, "a particle of an unknown class")?;
        let known = liquid.pools().all(|(_, pool)| pool.settings().class.index() < classes);
        ensure(known, "a pool of an unknown class")?;
        let painted = liquid.particles.has_paint_for(&liquid.classes);
        ensure(painted, "the paint of other particles")?;
        liquid.particles.paints.mixing = liquid.parameters.paint_mixing;
        liquid.scale_boundary();
        let Liquid { boundary, classes, .. } = &mut liquid;
        boundary.set_classes(classes);
        // Only a host can set such numbers. The next tick checks them if the host had access.
        let looked_for = liquid.particles.unchecked || !liquid.particles.any_unsound();
        ensure(looked_for, "a particle with a number that is not finite")?;
        Ok(Self::of_state(liquid, whole(airs)?))
    }
}

/// Reads a value that uses all of the bytes.
fn whole<T: Stored>(bytes: &[u8]) -> Result<T, SnapshotError> {
    let mut from = Reader::new(bytes);
    let value = T::load(&mut from)?;
    from.finish()?;
    Ok(value)
}

// Objects that a host keeps beside the world, as entries of a snapshot.

entries! {
    "air": Air,
    "blob tracker": BlobTracker,
    "drain": Drain,
    "emitter": Emitter,
    "governor": Governor,
    "pump": Pump,
    "sensor": Sensor,
    "splash detector": SplashDetector,
    "tank": Tank,
    "list of airs": Vec<AirId>,
    "list of containers": Vec<(ContainerId, Container)>,
    "list of colliders": Vec<(ColliderId, Collider)>,
    "list of drains": Vec<Drain>,
    "list of emitters": Vec<Emitter>,
    "list of host bodies": Vec<HostBodyId>,
    "list of pools": Vec<PoolId>,
    "list of pumps": Vec<Pump>,
    "list of sensors": Vec<Sensor>,
    "list of tanks": Vec<Tank>,
}

// States that are kept in memory and restored many times a second.

/// The complete state of a world, in memory that is reused. Use it for netcode with rollback and
/// for rewinding time.
///
/// ```
/// use blob_fluid::{FluidWorld, KeptState, ParticleSpawn, SerialExecutor};
/// let mut world = FluidWorld::default();
/// world.spawn(ParticleSpawn::default())?;
/// let mut kept = KeptState::default();
/// world.keep_in(&mut kept)?;
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// let once = world.deep_hash();
/// world.restore_from(&kept);
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// assert_eq!(world.deep_hash(), once);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeptState {
    liquid: Liquid,
    airs: Airs,
}

/// Methods for rolling back.
impl FluidWorld {
    /// Keeps the state of the world. The new state overwrites the previous state in `kept`, and reuses its memory. For
    /// a world with the same number of particles, the second and later calls allocate almost nothing. [Force
    /// fields](crate::ForceField) are kept by reference, without their content.
    ///
    /// # Errors
    ///
    /// Returns [`SnapshotError::WithinTick`] if a tick has begun and not ended.
    pub fn keep_in(&self, kept: &mut KeptState) -> Result<(), SnapshotError> {
        let (liquid, airs) = self.state();
        if liquid.sleep.in_tick {
            return Err(SnapshotError::WithinTick);
        }
        kept.liquid.clone_from(liquid);
        kept.airs.clone_from(airs);
        Ok(())
    }

    /// Returns to a state that was [kept](Self::keep_in), of this world or of another world. Memory is reused.
    pub fn restore_from(&mut self, kept: &KeptState) {
        let (liquid, airs) = self.state_mut();
        liquid.clone_from(&kept.liquid);
        airs.clone_from(&kept.airs);
    }
}

// Deep hashes: one number for each part of a world.

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
    /// Events that wake liquid, and flags for liquid and heat at rest.
    Sleep,
    /// Capacity, kill bounds, and counts of particles that they removed.
    Population,
    /// Containers, colliders, bodies, host bodies and their contacts.
    Solids,
    /// Forces, without force fields, which are your code.
    Forces,
    /// All air, with its sources.
    Air,
    /// All pools.
    Pools,
}

impl FluidPart {
    /// All parts, in the order in which they are stored.
    pub const ALL: [Self; 10] = [
        Self::Settings,
        Self::Clock,
        Self::Particles,
        Self::Springs,
        Self::Sleep,
        Self::Population,
        Self::Solids,
        Self::Forces,
        Self::Air,
        Self::Pools,
    ];

    /// Name of the part, in lower case.
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
            Self::Pools => "pools",
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
