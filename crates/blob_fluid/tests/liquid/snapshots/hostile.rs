//! Bytes that are damaged, cut, or made to do harm.

use blob_fluid::{
    FluidRecorder, FluidSolver, FluidWorld, ParticleSpawn, Recording, SerialExecutor,
    SnapshotError, SnapshotFile,
};

use super::everything;
use crate::random_scenes::Random;
use crate::ticks::TICK;

/// Where the checksum is, and the bytes that it is of.
const CHECKSUM: std::ops::Range<usize> = 20..24;

fn snapshot() -> Vec<u8> {
    everything(FluidSolver::DoubleDensity).to_bytes().expect("between two ticks")
}

/// Gives bytes the header of a file that is whole.
fn seal(bytes: &mut [u8]) {
    let length = (bytes.len() - CHECKSUM.end) as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[CHECKSUM.end..]);
    bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
}

/// The bytes of a whole file with one bit that is flipped, and the byte that it is in.
fn flipped(whole: &[u8], random: &mut Random) -> (usize, Vec<u8>) {
    let mut bytes = whole.to_vec();
    let place = random.below(bytes.len());
    bytes[place] ^= 1 << random.below(8);
    (place, bytes)
}

/// Fails unless files with a flipped bit, and so many that are cut, are refused.
pub fn assert_damage_is_noticed<T>(
    (whole, random, times): (&[u8], &mut Random, usize),
    read: impl Fn(&[u8]) -> Result<T, SnapshotError>,
) {
    for _ in 0..times {
        let (place, bytes) = flipped(whole, random);
        assert!(read(&bytes).is_err(), "byte {place}");
        let length = random.below(whole.len());
        assert!(read(&whole[..length]).is_err(), "{length} bytes");
    }
}

/// The bytes of a whole file, of which some are replaced, left out or repeated, with the right checksum.
pub fn harmed(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let room = bytes.len() - CHECKSUM.end;
    match random.below(4) {
        0 => {
            let place = CHECKSUM.end + random.below(room);
            bytes[place] ^= 1 << random.below(8);
        }
        1 => {
            let place = CHECKSUM.end + random.below(room - 8);
            let number = random.pick(&[0, u64::MAX, 1 << 31, 1 << 40, 7]);
            bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
        }
        2 => bytes.truncate(CHECKSUM.end + random.below(room)),
        _ => {
            let place = CHECKSUM.end + random.below(room - 64);
            bytes.drain(place..place + random.below(64));
        }
    }
    seal(&mut bytes);
    bytes
}

// Row 26 of docs/reliability.md.
#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let whole = snapshot();
    let mut random = Random::new(38, "flips");
    for _ in 0..4000 {
        let (place, bytes) = flipped(&whole, &mut random);
        let error = SnapshotFile::from_bytes(&bytes).expect_err("damaged");
        let named = match place {
            0..8 => matches!(error, SnapshotError::NotASnapshot),
            8..12 => {
                matches!(error, SnapshotError::Version { supported: SnapshotFile::VERSION, .. })
            }
            12..20 => matches!(error, SnapshotError::Length { .. }),
            _ => matches!(error, SnapshotError::Checksum { .. }),
        };
        assert!(named, "byte {place}: {error}");
    }
    for _ in 0..1000 {
        let length = random.below(whole.len());
        let error = SnapshotFile::from_bytes(&whole[..length]).expect_err("cut");
        let named = matches!(error, SnapshotError::Length { .. });
        assert!(named || length == 0 && error == SnapshotError::NotASnapshot, "{length}: {error}");
    }
}

// Row 26 of docs/reliability.md.
#[test]
fn another_version_is_refused_by_name() {
    let mut bytes = snapshot();
    bytes[8..12].copy_from_slice(&7_u32.to_le_bytes());
    let error = FluidWorld::from_bytes(&bytes).expect_err("of another version");
    assert_eq!(error, SnapshotError::Version { found: 7, supported: SnapshotFile::VERSION });
    let reads = SnapshotFile::VERSION;
    let message =
        format!("the snapshot has the format's version 7, and this library reads version {reads}");
    assert_eq!(error.to_string(), message);
    assert_eq!(SnapshotFile::from_bytes(b"PNG"), Err(SnapshotError::NotASnapshot));
}

/// Some bytes of a whole file are replaced, left out or repeated, and the checksum is made right again.
/// What is read all the same can be stepped.
#[test]
fn bytes_that_were_made_to_do_harm_give_an_error_or_a_world_that_runs() {
    let whole = snapshot();
    let mut random = Random::new(38, "harm");
    let (mut refused, mut read) = (0, 0);
    for _ in 0..4000 {
        let bytes = harmed(&whole, &mut random);
        match FluidWorld::from_bytes(&bytes) {
            Err(_) => refused += 1,
            Ok(mut world) => {
                read += 1;
                if read % 10 == 0 {
                    for _ in 0..2 {
                        world.step(TICK, &SerialExecutor).expect("valid");
                    }
                }
            }
        }
    }
    assert!(refused > 1000 && read > 100, "{refused} refused, {read} read");
}

/// A file that announces much more than it holds makes nobody allocate it.
#[test]
fn no_more_memory_is_taken_than_a_few_times_the_length() {
    let whole = snapshot();
    let mut random = Random::new(38, "memory");
    for round in 0..500 {
        let mut bytes = whole.clone();
        if round > 0 {
            let place = CHECKSUM.end + random.below(bytes.len() - CHECKSUM.end - 8);
            let number = random.pick(&[u64::MAX, 1 << 31, 1 << 24, 1 << 16]);
            bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
            seal(&mut bytes);
        }
        let taken = allocation_counter::measure(|| drop(FluidWorld::from_bytes(&bytes)));
        let most = 16 * bytes.len() as u64;
        assert!(taken.bytes_max < most, "{} bytes for {}", taken.bytes_max, bytes.len());
    }
}

/// A second of a world that is changed from outside.
fn recording() -> Vec<u8> {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut recorder = FluidRecorder::of_last(&world, 1.0).expect("between two ticks");
    for tick in 0..20 {
        if tick % 2 == 0 {
            world.spawn(ParticleSpawn::default()).expect("room");
        }
        recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
    }
    recorder.recording().to_bytes()
}

#[test]
fn recordings_that_are_cut_damaged_or_made_to_do_harm_are_refused_or_played() {
    let whole = recording();
    let mut random = Random::new(38, "recording");
    assert_damage_is_noticed((&whole, &mut random, 500), Recording::from_bytes);
    let (mut refused, mut differ, mut same) = (0, 0, 0);
    for _ in 0..600 {
        let bytes = harmed(&whole, &mut random);
        let mut most = 0;
        let mut measure = |run: &mut dyn FnMut()| {
            most = allocation_counter::measure(run).bytes_max.max(most);
        };
        let mut recording = None;
        measure(&mut || recording = Recording::from_bytes(&bytes).ok());
        let mut replay = None;
        measure(&mut || replay = recording.as_ref().and_then(|recording| recording.replay().ok()));
        assert!(most < 16 * bytes.len() as u64, "{most} bytes for {}", bytes.len());
        let Some(replay) = &mut replay else {
            refused += 1;
            continue;
        };
        // Long enough to meet some changes.
        let played: Result<Vec<_>, _> = (0..3).map(|_| replay.step(&SerialExecutor)).collect();
        *if played.is_err() { &mut differ } else { &mut same } += 1;
    }
    assert!(refused > 100 && differ > 20 && same > 20, "{refused}, {differ}, {same}");
}

#[test]
fn a_recording_of_another_version_is_refused_by_name() {
    let mut bytes = recording();
    bytes[8] = 9;
    let error = Recording::from_bytes(&bytes).expect_err("of another version");
    assert_eq!(error, SnapshotError::Version { found: 9, supported: SnapshotFile::VERSION });
    let world = snapshot();
    let error = Recording::from_bytes(&world).expect_err("a world").to_string();
    assert_eq!(error, "the snapshot has no entry `recording`; it has world");
}
