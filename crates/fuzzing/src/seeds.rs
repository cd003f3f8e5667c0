//! Where a fuzzer begins: whole files of each kind, and sequences of calls.

use std::fs;
use std::path::Path;

use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::{
    BakeSettings, Container, FluidBaker, FluidBounds, FluidRecorder, FluidRegion, FluidShape,
    FluidWorld, ParticleSpawn, SerialExecutor,
};
use glam::Vec2;

use crate::host::TICK;

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
        "snapshot" => one(drop_in_a_box().to_bytes().expect("between two ticks")),
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
        // Some that pour, turn and step; a fuzzer finds the rest.
        _ => (1..=16_u64)
            .map(|number| (format!("calls {number}"), random_bytes(number, 400)))
            .collect(),
    }
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
    let mut world = FluidWorld::default();
    let half_size = Vec2::new(60.0, 50.0);
    world.insert_container(Container::rectangle(Vec2::ZERO, half_size).expect("valid"));
    let room = FluidBounds { low: -half_size, high: half_size };
    let settings = AirSettings { density: 0.001, ..AirSettings::new(world.parameters().gravity) };
    let mut air = Air::new(room, 20.0, settings, AirSides::default()).expect("valid");
    let fire = FluidRegion::circle(Vec2::new(30.0, 30.0), 10.0).expect("valid");
    air.insert_source(AirSource { smoke: 1.0, heat: 1.0, ..AirSource::new(fire) }).expect("valid");
    world.insert_air(air);
    for position in (FluidShape::Circle { radius: 30.0 }).fill(Vec2::ZERO, 8.0) {
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
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
