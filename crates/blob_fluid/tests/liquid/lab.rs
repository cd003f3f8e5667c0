//! The lab's files: what it saves it goes on with, and what it records it plays.

#[expect(dead_code, reason = "the example's own main function")]
#[path = "../../examples/lab.rs"]
mod command;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blob_fluid::*;
use clap::Parser;
use command::{Arguments, run};
use glam::Vec2;

use crate::snapshots::Push;
use crate::ticks::TICK;

/// A folder of a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lab").join(name);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// Runs the lab; the error is what it would print.
fn lab(arguments: &str) -> Result<(), String> {
    let words = ["lab"].into_iter().chain(arguments.split_whitespace());
    let arguments = Arguments::try_parse_from(words).map_err(|error| error.to_string())?;
    run(&arguments).map_err(|error| error.to_string())
}

/// The world of a file.
fn world(path: &Path) -> FluidWorld {
    let file = SnapshotFile::from_bytes(&fs::read(path).expect("written")).expect("valid");
    file.get("world").expect("there")
}

#[test]
fn what_is_saved_goes_on_where_it_was() {
    let folder = folder("saved");
    let [half, whole, again] = ["half", "whole", "again"].map(|name| folder.join(name));
    let scene = "free_blob --particles 300";
    lab(&format!("{scene} --seconds 1 --save {}", whole.display())).expect("runs");
    lab(&format!("{scene} --seconds 0.5 --save {}", half.display())).expect("runs");
    lab(&format!("--load {} --seconds 0.5 --save {}", half.display(), again.display()))
        .expect("runs");
    assert_eq!(world(&again).deep_hash(), world(&whole).deep_hash());
    // The file of a world may be written again while it goes on.
    lab(&format!("--load {0} --seconds 0.5 --save {0} --threads 2", half.display())).expect("runs");
    assert_eq!(world(&half).deep_hash(), world(&whole).deep_hash());
}

#[test]
fn what_is_recorded_is_played_with_any_number_of_threads() {
    let folder = folder("recorded");
    let (path, last) = (folder.join("recording"), folder.join("last"));
    let scene = "free_blob --particles 300";
    lab(&format!("{scene} --seconds 1 --record {}", path.display())).expect("runs");
    lab(&format!("--replay {}", path.display())).expect("as recorded");
    lab(&format!("--replay {} --threads 3", path.display())).expect("as recorded");
    lab(&format!("{scene} --seconds 4 --record {} --last 1", last.display())).expect("runs");
    lab(&format!("--replay {}", last.display())).expect("as recorded");
    let file = SnapshotFile::from_bytes(&fs::read(&last).expect("written")).expect("valid");
    let seconds = file.get::<Recording>("recording").expect("there").seconds();
    assert!((1.0..2.1).contains(&seconds), "{seconds} s");
}

#[test]
fn what_is_baked_is_shown() {
    let path = folder("baked").join("run");
    lab(&format!("free_blob --particles 300 --seconds 0.5 --bake {}", path.display()))
        .expect("runs");
    let baked = BakedFluid::from_bytes(&fs::read(&path).expect("written")).expect("valid");
    assert_eq!(baked.frames(), 31);
    lab(&format!("--show {}", path.display())).expect("whole");
    fs::write(&path, b"blobsnap").expect("written");
    let error = lab(&format!("--show {}", path.display())).expect_err("cut");
    assert!(error.contains("should be 24 bytes long, and is 8"), "{error}");
}

#[test]
fn a_replay_that_differs_names_tick_part_and_particle() {
    let path = folder("differs").join("recording");
    let mut world = FluidWorld::default();
    let position = Vec2::new(50.0, 0.0);
    world.spawn(ParticleSpawn::default()).expect("room");
    world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
    for tick in 0..3 {
        if tick == 1 {
            // What it does is not recorded.
            let place = world.particles().positions()[1];
            world.set_force_fields(vec![Arc::new(Push(place))]);
        }
        recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
    }
    let mut file = SnapshotFile::default();
    file.insert("recording", &recorder.recording()).expect("new");
    fs::write(&path, file.to_bytes()).expect("a file");
    let error = lab(&format!("--replay {}", path.display())).expect_err("differs");
    let expected = "tick 2: particles differ from the recording, first particle 1.0";
    assert_eq!(error, format!("{}: {expected}", path.display()));
}

#[test]
fn files_that_are_missing_or_something_else_are_named() {
    let path = folder("bad").join("text");
    fs::write(&path, "no snapshot").expect("a file");
    for option in ["--load", "--replay"] {
        let error = lab(&format!("{option} {}", path.display())).expect_err("no snapshot");
        assert_eq!(error, format!("{}: these bytes are no snapshot", path.display()));
        let error = lab(&format!("{option} {}.txt", path.display())).expect_err("missing");
        assert!(error.starts_with(&format!("{}.txt: ", path.display())), "{error}");
    }
    for (arguments, about) in [
        ("", "<SCENE>"),
        ("free_blob --last 3", "--record"),
        ("--replay x --seconds 3", "--seconds"),
        ("--load x --particles 3", "--particles"),
        ("free_blob --seconds 0.1 --record /no/such/folder/file", "/no/such/folder/file"),
    ] {
        let error = lab(arguments).expect_err("refused");
        assert!(error.contains(about), "{arguments}: {error}");
    }
}
