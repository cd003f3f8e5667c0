//! Recordings of a game's liquid, and their replay without the game.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use bevy_blob_fluid::blob_fluid::{Recording, SerialExecutor, SnapshotFile};
use bevy_blob_fluid::{FluidRecorderPlugin, FluidRecording};

use crate::app::*;

#[derive(Component)]
struct Paddle;

/// A pool with a jet, a drain, a paddle that goes to and fro, a boat, and air with a fire.
fn pool(recorder: FluidRecorderPlugin) -> App {
    let mut app = app_of((BlobFluidPlugins::default(), recorder));
    app.add_systems(
        FixedUpdate,
        |mut paddle: Single<&mut Transform, With<Paddle>>, time: Res<Time>| {
            paddle.translation.x = 80.0 * time.elapsed_secs().sin();
        },
    );
    app.start();
    let world = app.world_mut();
    world.spawn(FluidContainer::from(Rectangle::new(400.0, 300.0)));
    world.spawn((Paddle, FluidCollider::from(Rectangle::new(20.0, 60.0)), xy(0.0, -100.0)));
    world.spawn((FluidBlob::from(Rectangle::new(200.0, 60.0)), xy(-60.0, -110.0)));
    world.spawn((FluidEmitter::jet(30.0, 150.0), xy(60.0, 20.0)));
    world.spawn((FluidDrain::from(Circle::new(30.0)).with_rate(60.0), xy(170.0, -120.0)));
    world.spawn((
        FluidCollider::from(Rectangle::new(50.0, 20.0)),
        FluidBuoyant::of_density(0.4),
        xy(-100.0, -40.0),
    ));
    world.spawn(FluidAir::new(400.0, 300.0).with_cell_size(20.0).with_open_top());
    world.spawn((FluidAirSource::fire(&Circle::new(15.0)), xy(-150.0, 60.0)));
    app
}

fn recording(app: &App) -> Recording {
    app.resource::<FluidRecording>().recording().expect("ticks were recorded")
}

/// A file that no other test writes.
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{name}_{}.recording", std::process::id()))
}

fn read(file: &PathBuf) -> Recording {
    let bytes = std::fs::read(file).expect("a file");
    std::fs::remove_file(file).expect("a file");
    SnapshotFile::from_bytes(&bytes).expect("a file").get("recording").expect("a recording")
}

#[test]
fn what_an_app_recorded_is_played_without_it_to_the_same_bits() {
    let mut app = pool(FluidRecorderPlugin::of_last(f64::INFINITY));
    app.updates(150);
    let recording = recording(&app);
    let mut replay = recording.replay().expect("a world");
    while replay.step(&SerialExecutor).expect("as recorded").is_some() {}
    assert!((148..=150).contains(&replay.played()), "{} ticks", replay.played());
    assert_eq!(replay.world().particles().positions(), app.fluid().particles().positions());
    assert_eq!(replay.world().state_hash(), app.fluid().state_hash());
}

#[test]
fn only_the_last_seconds_are_kept_and_a_stopped_recording_stays() {
    let mut app = pool(FluidRecorderPlugin::of_last(2.0));
    app.updates(300);
    let kept = recording(&app).seconds();
    assert!((2.0..3.1).contains(&kept), "{kept} s");
    app.world_mut().resource_mut::<FluidRecording>().stop();
    app.updates(100);
    assert_eq!(recording(&app).seconds(), kept);
    app.world_mut().resource_mut::<FluidRecording>().start_anew();
    assert!(app.resource::<FluidRecording>().recording().is_none());
    app.updates(10);
    let mut replay_ticks = 0;
    let recording = recording(&app);
    let mut replay = recording.replay().expect("a world");
    while replay.step(&SerialExecutor).expect("as recorded").is_some() {
        replay_ticks += 1;
    }
    assert_eq!(replay_ticks, 10);
}

#[test]
fn a_quarantined_particle_leaves_a_file_in_which_it_is_named() {
    let path = file("quarantined");
    let mut app = pool(FluidRecorderPlugin::of_last(10.0).saving_faults_to(&path));
    app.updates(40);
    assert!(!path.exists());
    let mut fluid = app.world_mut().resource_mut::<FluidSimulation>();
    fluid.particles_mut().velocities_mut()[7] = Vec2::NAN;
    app.updates(3);
    let recording = read(&path);
    let mut replay = recording.replay().expect("a world");
    let mut named = 0;
    while replay.step(&SerialExecutor).expect("as recorded").is_some() {
        named += replay.world().just_quarantined().len();
    }
    assert_eq!(named, 1);
    assert!((40..=42).contains(&replay.played()), "{} ticks", replay.played());
}

#[test]
fn a_panic_leaves_a_file_that_ends_with_the_tick_before_it() {
    let path = file("panicked");
    let mut app = pool(FluidRecorderPlugin::of_last(10.0).saving_faults_to(&path));
    app.updates(30);
    app.add_systems(Update, || panic!("as a test wants it"));
    let outcome = catch_unwind(AssertUnwindSafe(move || {
        let mut app = app;
        app.update();
    }));
    assert!(outcome.is_err());
    let recording = read(&path);
    let mut replay = recording.replay().expect("a world");
    while replay.step(&SerialExecutor).expect("as recorded").is_some() {}
    assert!((29..=31).contains(&replay.played()), "{} ticks", replay.played());
}
