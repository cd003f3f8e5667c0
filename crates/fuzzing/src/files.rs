//! Files that somebody wrote, damaged, or made to do harm.
//!
//! Whole files are also changed inside their entries, and made whole again: lengths and checksums are right, so that
//! what is read gets as far as each value's own checks.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use arbitrary::{Arbitrary, Unstructured};
use blob_fluid::air::{Air, AirChannel, AirSettings, AirSides, AirSource};
use blob_fluid::material::Material;
use blob_fluid::scene::Scene;
use blob_fluid::{
    BakeSettings, BakedFluid, BakedPlayer, Body, ClassId, ClassTable, ClassViscosity, Collider,
    ColliderOptions, Container, Drain, Emitter, EmitterSettings, FluidBaker, FluidBounds,
    FluidChunk, FluidElasticity, FluidRecorder, FluidRegion, FluidShape, FluidWorld, ParticleSpawn,
    Pose, Pump, PumpSettings, Recording, Sensor, SerialExecutor, Snapshot, SnapshotError,
    SnapshotFile, SplashDetection, SplashDetector, Tank, TileImpact,
};
use glam::Vec2;

use crate::host::TICK;

/// Most particles, and most cells of air, of a world that is stepped, so that a fuzzer gets on.
const FEW: usize = 2000;

/// Reads the bytes as a scene file. A file that is accepted must be a world that runs.
///
/// # Panics
///
/// If it does not run.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(scene) = Scene::from_ron(text) else { return };
    let Ok(mut world) = scene.build() else { return };
    run(&mut world, scene.time_step());
}

/// Reads the bytes as a material file. A file that is accepted must be the same after it is written and read again.
///
/// # Panics
///
/// If it is not the same.
pub fn material(bytes: &[u8]) {
    let Ok(material) = Material::from_bytes(bytes) else { return };
    let again = Material::from_ron(&material.to_ron()).expect("it was valid");
    assert_eq!(again, material);
}

/// Reads the bytes as a snapshot, after their header is corrected. A snapshot that is accepted must be written and read
/// again as the same bytes, and its world must run.
///
/// # Panics
///
/// If the bytes differ, or the world does not run.
pub fn snapshot(bytes: &[u8]) {
    let Ok(mut world) = FluidWorld::from_bytes(&sealed(bytes)) else { return };
    let written = world.to_bytes().expect("between two ticks");
    let again = FluidWorld::from_bytes(&written).expect("it was valid");
    assert!(again.to_bytes().expect("between two ticks") == written, "exported again");
    run(&mut world, TICK);
}

/// Reads the bytes as a recording, after their header is corrected. A recording that is accepted is played until it
/// differs.
///
/// # Panics
///
/// If it cannot be played.
pub fn recording(bytes: &[u8]) {
    let Ok(recording) = Recording::from_bytes(&sealed(bytes)) else { return };
    let Ok(mut replay) = recording.replay() else { return };
    for _ in 0..8 {
        if replay.world().particles().len() > FEW || replay.step(&SerialExecutor).is_err() {
            break;
        }
    }
}

/// A baked liquid, whose header is made right: refused, or shown.
///
/// # Panics
///
/// If it is neither.
pub fn film(bytes: &[u8]) {
    let Ok(baked) = BakedFluid::from_bytes(&sealed(bytes)) else { return };
    let last = baked.seconds();
    let mut player = BakedPlayer::new(baked);
    for time in [0.0, 0.5 * last, 0.4 * last, last, f64::NAN, -1.0] {
        if player.show(time).is_err() {
            break;
        }
        let frame = player.shown();
        assert_eq!(frame.positions().len(), frame.classes().len());
    }
}

/// Two ticks of a world that is not too large.
pub fn run(world: &mut FluidWorld, time_step: f32) {
    let cells: usize = world.airs().map(|air| air.channel(AirChannel::Smoke).len()).sum();
    if world.particles().len().max(cells) > FEW {
        return;
    }
    for _ in 0..2 {
        world.step(time_step, &SerialExecutor).expect("a valid time step");
    }
    let particles = world.particles();
    let mut vectors = particles.positions().iter().chain(particles.velocities());
    assert!(vectors.all(|vector| Vec2::is_finite(*vector)), "not finite after a tick");
}

/// The bytes of a file with the version, the length and the checksum that it must have.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some((header, rest)) = bytes.split_at_mut_checked(24) {
        header[8..12].copy_from_slice(&SnapshotFile::VERSION.to_le_bytes());
        header[12..20].copy_from_slice(&(rest.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    }
    bytes
}

// Where a fuzzer begins: whole files of each kind, and sequences of calls.

/// A name and bytes.
pub type Seed = (String, Vec<u8>);

/// Those of a target. Scenes and materials are the project's own.
///
/// # Panics
///
/// If the project's files are not there.
pub fn seeds(target: &str) -> Vec<Seed> {
    let one = |bytes| vec![(target.to_owned(), bytes)];
    match target {
        "scene" => files("scenes"),
        "material" => files("materials"),
        "snapshot" => [("drop", drop_in_a_box()), ("mixture", mixture_in_a_box())]
            .map(|(name, world)| (name.to_owned(), world.to_bytes().expect("between two ticks")))
            .into(),
        "recording" => {
            let mut world = drop_in_a_box();
            let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
            for _ in 0..8 {
                world.spawn(ParticleSpawn::default()).expect("room");
                recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
            }
            one(recorder.recording().to_bytes())
        }
        "film" => {
            let mut world = drop_in_a_box();
            let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
            for _ in 0..8 {
                world.step(TICK, &SerialExecutor).expect("valid");
                baker.after_tick(&world);
            }
            one(baker.finish().to_bytes())
        }
        // The inputs are not longer than the bytes that are read.
        "entries" => random_seeds("edits", 48),
        // Some that pour, turn and step; a fuzzer finds the rest.
        _ => random_seeds("calls", 400),
    }
}

fn random_seeds(name: &str, count: usize) -> Vec<Seed> {
    (1..=16).map(|number| (format!("{name} {number}"), random_bytes(number, count))).collect()
}

/// So many bytes that look random.
pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        // Marsaglia 2003, "Xorshift RNGs".
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}

pub fn drop_in_a_box() -> FluidWorld {
    in_a_box(&|_| {}, 1)
}

/// A drop of powder, jelly and paint, of which only the powder has any linear viscosity, with a body in it.
pub fn mixture_in_a_box() -> FluidWorld {
    let fill = |world: &mut FluidWorld| {
        let mut parameters = *world.parameters();
        parameters.viscosity.linear = 0.0;
        world.set_parameters(parameters).expect("valid");
        let mut classes: Vec<_> = world.classes().iter().cloned().collect();
        let viscosity = |linear| Some(ClassViscosity { linear, ..Default::default() });
        (classes[0].powder, classes[0].viscosity) = (Some(Default::default()), viscosity(3.0));
        classes[1].elasticity = Some(FluidElasticity { plasticity: 1.0, ..Default::default() });
        (classes[2].paint, classes[2].viscosity) = (Some(Default::default()), viscosity(0.0));
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
        let body = Some(Body::new(20.0, 2000.0));
        let collider = Collider::circle(Vec2::new(0.0, -35.0), 8.0)
            .and_then(|circle| circle.with_options(ColliderOptions { body, ..Default::default() }));
        world.insert_collider(collider.expect("valid"));
    };
    in_a_box(&fill, 3)
}

/// A drop of so many classes in a box, after `fill`.
fn in_a_box(fill: &dyn Fn(&mut FluidWorld), classes: u8) -> FluidWorld {
    let mut world = FluidWorld::default();
    fill(&mut world);
    let half_size = Vec2::new(60.0, 50.0);
    world.insert_container(Container::rectangle(Vec2::ZERO, half_size).expect("valid"));
    let room = FluidBounds { low: -half_size, high: half_size };
    let settings = AirSettings { density: 0.001, ..AirSettings::new(world.parameters().gravity) };
    let mut air = Air::new(room, 20.0, settings, AirSides::default()).expect("valid");
    let fire = FluidRegion::circle(Vec2::new(30.0, 30.0), 10.0).expect("valid");
    air.insert_source(AirSource { smoke: 1.0, heat: 1.0, ..AirSource::new(fire) }).expect("valid");
    world.insert_air(air);
    let places = (FluidShape::Circle { radius: 30.0 }).fill(Vec2::ZERO, 8.0);
    for (position, number) in places.into_iter().zip(0..) {
        let class = if classes == 1 { ClassId::default() } else { ClassId(number % classes) };
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
    }
    for _ in 0..5 {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    world
}

fn files(folder: &str) -> Vec<Seed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(folder);
    let entries = fs::read_dir(&folder).expect("the project's assets");
    let mut seeds: Vec<Seed> = entries
        .map(|entry| {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("readable"))
        })
        .collect();
    seeds.sort();
    seeds
}

// Files of which entries are changed.

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
