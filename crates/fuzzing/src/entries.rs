//! Whole files of which entries are changed inside, and made whole again: lengths and checksums are right, so that what
//! is read gets as far as each value's own checks.

use std::sync::OnceLock;

use arbitrary::{Arbitrary, Unstructured};
use blob_fluid::{
    ClassId, Drain, Emitter, EmitterSettings, FluidChunk, FluidRegion, FluidShape, FluidWorld,
    Pose, Pump, PumpSettings, Sensor, Snapshot, SnapshotError, SnapshotFile, SplashDetection,
    SplashDetector, Tank, TileImpact,
};
use glam::Vec2;

use crate::files::{drop_in_a_box, mixture_in_a_box, run, sealed};
use crate::host::TICK;

/// Most changes of a file.
const MOST_EDITS: usize = 4;

/// A change of some bytes.
#[derive(Clone, Copy, Debug, Arbitrary)]
struct Edit {
    /// Which piece of the file, and where in it.
    piece: u8,
    place: u16,
    change: Change,
}

#[derive(Clone, Copy, Debug, Arbitrary)]
enum Change {
    Flip { bit: u8 },
    Byte { value: u8 },
    Number { odd: u8 },
    WideNumber { odd: u8 },
    Count { odd: u8 },
    Any { bits: u32 },
    Cut { length: u8 },
    Repeat { length: u8 },
}

const NUMBERS: [f32; 8] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e30, -1e30, f32::MAX, 1e-40];

const COUNTS: [u64; 8] = [0, 1, 1 << 31, 1 << 32, (1 << 48) - 1, 1 << 48, u64::MAX - 1, u64::MAX];

impl Edit {
    fn apply(self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let place = usize::from(self.place) % bytes.len();
        let mut write = |new: &[u8]| {
            if let Some(old) = bytes.get_mut(place..place + new.len()) {
                old.copy_from_slice(new);
            }
        };
        let odd = |odd: u8| usize::from(odd) % 8;
        match self.change {
            Change::Flip { bit } => bytes[place] ^= 1 << (bit % 8),
            Change::Byte { value } => bytes[place] = value,
            Change::Number { odd: which } => write(&NUMBERS[odd(which)].to_le_bytes()),
            Change::WideNumber { odd: which } => {
                write(&f64::from(NUMBERS[odd(which)]).to_le_bytes());
            }
            Change::Count { odd: which } => write(&COUNTS[odd(which)].to_le_bytes()),
            Change::Any { bits } => write(&bits.to_le_bytes()),
            Change::Cut { length } => {
                let end = bytes.len().min(place + usize::from(length));
                bytes.drain(place..end);
            }
            Change::Repeat { length } => {
                let end = bytes.len().min(place + usize::from(length));
                let again = bytes[place..end].to_vec();
                bytes.splice(place..place, again);
            }
        }
    }
}

/// An entry of a file: its name and kind, and its bytes in pieces.
#[derive(Clone)]
struct Entry {
    head: [Vec<u8>; 2],
    pieces: Vec<Vec<u8>>,
    /// Whether each piece has its length before it.
    parted: bool,
}

/// Two worlds, each with a file that has an entry of each kind.
fn wholes() -> &'static [(FluidWorld, Vec<Entry>); 2] {
    static WHOLES: OnceLock<[(FluidWorld, Vec<Entry>); 2]> = OnceLock::new();
    WHOLES.get_or_init(|| {
        [drop_in_a_box(), mixture_in_a_box()].map(|world| (world.clone(), whole(world)))
    })
}

/// A file with a world and an entry of each other kind.
fn whole(mut world: FluidWorld) -> Vec<Entry> {
    let around = |x: f32| FluidRegion::circle(Vec2::new(x, 0.0), 15.0).expect("valid");
    let cloud = FluidShape::Circle { radius: 20.0 };
    let mut file = SnapshotFile::default();
    let add = |name: &str, result: Result<(), SnapshotError>| {
        result.unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    add("world", file.insert("world", &world));
    let emitter = |settings| Emitter::new(settings).expect("valid");
    add("tap", file.insert("tap", &emitter(EmitterSettings::jet(20.0, 90.0))));
    add("rain", file.insert("rain", &emitter(EmitterSettings::rain(cloud, 90.0))));
    let drain = Drain::new(around(20.0)).with_rate(60.0).expect("valid");
    add("drain", file.insert("drain", &drain));
    let pump = Pump::new(PumpSettings::new(60.0), around(-20.0), around(30.0));
    add("pump", file.insert("pump", &pump.expect("valid")));
    add("tank", file.insert("tank", &Tank::with_capacity(9)));
    let mut sensor = Sensor::new(around(0.0), Default::default());
    sensor.measure(&world, TICK);
    add("sensor", file.insert("sensor", &sensor));
    let mut splashes = SplashDetector::new(SplashDetection::default()).expect("valid");
    splashes.update(&world, TICK);
    let impact =
        TileImpact { tile: (0, 0), energy: 1e9, position: Vec2::ONE, hardest: (1e9, ClassId(1)) };
    splashes.update_with(world.parameters(), [impact], TICK);
    add("splashes", file.insert("splashes", &splashes));
    let chunk = world.take_chunk(&around(0.0)).expect("between two ticks");
    add("chunk", file.insert("chunk", &chunk));
    divided(&file.to_bytes())
}

/// The entries of a file that is whole.
fn divided(bytes: &[u8]) -> Vec<Entry> {
    let mut rest = &bytes[24..];
    let count = length_of(&mut rest);
    (0..count)
        .map(|_| {
            let head = [piece_of(&mut rest), piece_of(&mut rest)];
            let entry = piece_of(&mut rest);
            let parted = head[1] == b"world";
            let mut pieces = vec![entry.clone()];
            if parted {
                let mut rest = &entry[..];
                pieces.clear();
                while !rest.is_empty() {
                    pieces.push(piece_of(&mut rest));
                }
            }
            Entry { head, pieces, parted }
        })
        .collect()
}

fn length_of(rest: &mut &[u8]) -> usize {
    let (length, after) = rest.split_first_chunk().expect("it is whole");
    *rest = after;
    u64::from_le_bytes(*length) as usize
}

fn piece_of(rest: &mut &[u8]) -> Vec<u8> {
    let length = length_of(rest);
    let (piece, after) = rest.split_at(length);
    *rest = after;
    piece.to_vec()
}

/// The file of some entries, with the lengths that they have.
fn joined(entries: &[Entry]) -> Vec<u8> {
    fn put(piece: &[u8], to: &mut Vec<u8>) {
        to.extend_from_slice(&(piece.len() as u64).to_le_bytes());
        to.extend_from_slice(piece);
    }
    let mut bytes = SnapshotFile::default().to_bytes();
    bytes.truncate(24);
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    for Entry { head: [name, kind], pieces, parted } in entries {
        put(name, &mut bytes);
        put(kind, &mut bytes);
        let mut all = Vec::new();
        for piece in pieces {
            if *parted { put(piece, &mut all) } else { all.extend_from_slice(piece) }
        }
        put(&all, &mut bytes);
    }
    sealed(&bytes)
}

/// A file of which some entries are changed: each is refused, or goes on and gives bytes that are read again.
///
/// # Panics
///
/// If one does neither.
pub fn entries(bytes: &[u8]) {
    let mut from = Unstructured::new(bytes);
    let (fresh, entries) = &wholes()[usize::from(from.arbitrary().unwrap_or(false))];
    let mut entries = entries.clone();
    for _ in 0..MOST_EDITS {
        let Ok(edit) = Edit::arbitrary(&mut from) else { break };
        let mut pieces: Vec<_> = entries.iter_mut().flat_map(|entry| &mut entry.pieces).collect();
        let piece = usize::from(edit.piece) % pieces.len();
        edit.apply(pieces[piece]);
    }
    let file = SnapshotFile::from_bytes(&joined(&entries)).expect("lengths and checksum are right");
    let pose = Pose::new(Vec2::new(0.0, 30.0), Vec2::NEG_X);
    for name in ["tap", "rain"] {
        check(&file, name, |emitter: &mut Emitter| {
            let _ = emitter.emit(fresh.clone().liquid_mut(), pose, pose, TICK);
        });
    }
    check(&file, "drain", |drain: &mut Drain| {
        let _ = drain.drain(fresh.clone().liquid_mut(), TICK);
    });
    check(&file, "pump", |pump: &mut Pump| {
        let _ = pump.pump(fresh.clone().liquid_mut(), TICK);
    });
    check(&file, "tank", |tank: &mut Tank| {
        let _ = tank.add(Default::default(), 3, 20.0);
    });
    check(&file, "sensor", |sensor: &mut Sensor| {
        sensor.measure(fresh, TICK);
    });
    check(&file, "splashes", |splashes: &mut SplashDetector| {
        splashes.update(fresh, TICK);
    });
    check(&file, "world", |world: &mut FluidWorld| run(world, TICK));
    check(&file, "chunk", |chunk: &mut FluidChunk| {
        let mut world = fresh.clone();
        if world.put_chunk(chunk).is_ok() {
            let bytes = world.to_bytes().expect("between two ticks");
            FluidWorld::from_bytes(&bytes).expect("it took the chunk");
            run(&mut world, TICK);
        }
    });
}

/// Reads an entry, and what it is later.
fn check<T: Snapshot>(file: &SnapshotFile, name: &str, go_on: impl FnOnce(&mut T)) {
    let Ok(mut value) = file.get::<T>(name) else { return };
    let read_again = |value: &T, when: &str| {
        let mut file = SnapshotFile::default();
        file.insert(name, value).expect("between two ticks");
        if let Err(error) = file.get::<T>(name) {
            panic!("{name} {when}: {error}");
        }
    };
    read_again(&value, "as it was read");
    go_on(&mut value);
    read_again(&value, "later");
}
