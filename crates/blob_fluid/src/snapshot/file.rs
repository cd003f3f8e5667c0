//! The file of a snapshot: a header, and entries with names.
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
use std::sync::Arc;

use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer};
use crate::work::Counted;

const MAGIC: &[u8; 8] = b"blobsnap";

const HEADER: usize = MAGIC.len() + 4 + 8 + 4;

/// A value that a [`SnapshotFile`] can hold: a [`FluidWorld`](crate::FluidWorld), an
/// [`Air`](crate::air::Air) without a world, or an object that a host keeps beside the world. Such
/// objects are an [`Emitter`](crate::Emitter), a [`Drain`](crate::Drain), a [`Tank`](crate::Tank),
/// a [`Pump`](crate::Pump), a [`Sensor`](crate::Sensor), a
/// [`SplashDetector`](crate::SplashDetector), a [`BlobTracker`](crate::BlobTracker) and a
/// [`Governor`](crate::Governor).
///
/// Lists (`Vec`) of emitters, drains, tanks, pumps and sensors are values as well. So are lists of
/// handles of air and of host bodies, and of containers and colliders with their handles. Further
/// values are a [`Recording`](crate::Recording), a [`FluidChunk`](crate::FluidChunk), and with the
/// feature `bake` a `BakedFluid`.
pub trait Snapshot: sealed::Entry {
    /// The value as bytes, as an entry of a [`SnapshotFile`] holds them: without header, kind and checksum.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::WithinTick`] for a world whose tick has begun and not ended.
    fn to_entry_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        self.entry()
    }

    /// Reads the bytes of [`to_entry_bytes`](Self::to_entry_bytes). They may come from an untrusted source.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Invalid`] for invalid bytes.
    fn from_entry_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Self::of_entry(bytes)
    }
}

impl<T: sealed::Entry> Snapshot for T {}

pub(crate) mod sealed {
    use crate::stored::bytes::SnapshotError;

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

/// A snapshot with named entries: a world, objects that a host keeps beside it, and bytes of the host.
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
    /// The index of the entry of each name.
    places: BTreeMap<Counted<Arc<str>>, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: Arc<str>,
    kind: String,
    bytes: Vec<u8>,
}

impl SnapshotFile {
    /// The version of the format that this library writes, and the only one that it reads.
    pub const VERSION: u32 = 4;

    /// Adds a value under a name.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NameTaken`] for a name that the file already has, and
    /// [`SnapshotError::WithinTick`] for a world whose tick has begun and not ended.
    pub fn insert(&mut self, name: &str, value: &impl Snapshot) -> Result<(), SnapshotError> {
        self.add(name, kind_of(value), value.entry()?)
    }

    /// Adds bytes of the host under a name.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NameTaken`] for a name that the file already has.
    pub fn insert_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.add(name, BYTES, bytes.to_vec())
    }

    /// The value under a name.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NoEntry`] and [`SnapshotError::OtherKind`], and [`SnapshotError::Invalid`]
    /// for invalid bytes.
    pub fn get<T: Snapshot>(&self, name: &str) -> Result<T, SnapshotError> {
        T::of_entry(self.find(name, T::KIND)?)
    }

    /// The host's bytes under a name.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::NoEntry`] and [`SnapshotError::OtherKind`].
    pub fn bytes(&self, name: &str) -> Result<&[u8], SnapshotError> {
        self.find(name, BYTES)
    }

    /// The names of all entries, in the order in which they were added.
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
    /// [`SnapshotError::NotASnapshot`], [`SnapshotError::Version`], [`SnapshotError::Length`],
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
    pub(super) fn entry_of<T: Snapshot>(&self, name: &str) -> Result<&[u8], SnapshotError> {
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
        impl $crate::snapshot::file::sealed::Entry for $type {
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
