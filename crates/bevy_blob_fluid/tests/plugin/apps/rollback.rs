//! Rollback with bevy_ggrs: its SyncTest rolls every frame back by seven and simulates it again.

use std::time::Duration;

use bevy::platform::collections::HashMap;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::FluidRollbackPlugin;
use bevy_ggrs::prelude::*;
use bevy_ggrs::{LocalInputs, LocalPlayers, PlayerInputs, RollbackFrameCount};

use crate::app::*;

type Netcode = GgrsConfig<u8>;

const CHECK_DISTANCE: usize = 7;

#[derive(Component, Clone)]
struct Paddle;

#[derive(Component, Clone)]
struct Tap;

#[derive(Resource, Default)]
struct Mismatches(Vec<i32>);

/// What a player does changes from time to time.
fn read_inputs(frame: Res<RollbackFrameCount>, players: Res<LocalPlayers>, mut commands: Commands) {
    let keys = (frame.0 / 11 * 7919 % 256) as u8;
    let inputs = players.0.iter().map(|player| (*player, keys)).collect::<HashMap<_, _>>();
    commands.insert_resource(LocalInputs::<Netcode>(inputs));
}

fn move_paddle(
    inputs: Res<PlayerInputs<Netcode>>,
    mut paddle: Single<&mut Transform, With<Paddle>>,
) {
    let (keys, _) = inputs[0];
    let step = if keys & 1 == 0 { -2.0 } else { 2.0 };
    paddle.translation.x = (paddle.translation.x + step).clamp(-120.0, 120.0);
}

/// A tap comes and goes, and stones and blobs fall: entities are spawned and despawned.
fn open_and_close(
    inputs: Res<PlayerInputs<Netcode>>,
    frame: Res<RollbackFrameCount>,
    taps: Query<Entity, With<Tap>>,
    mut commands: Commands,
) {
    let (keys, _) = inputs[0];
    match taps.iter().next() {
        Some(tap) if frame.0 % 90 == 60 => commands.entity(tap).despawn(),
        None if frame.0 % 90 == 10 => {
            let jet = FluidEmitter::jet(20.0, 120.0);
            commands.spawn((Tap, Rollback, jet, FluidClass::HEAVY, xy(40.0, 90.0)));
        }
        _ => {}
    }
    if frame.0 % 50 == 25 && keys & 2 != 0 {
        let impulse = FluidImpulse::explosion(60.0, 150.0);
        commands.spawn((Rollback, impulse, xy(-30.0, -80.0)));
        commands.spawn((Rollback, FluidBlast::new(2e5, 60.0), xy(50.0, -80.0)));
    }
    if frame.0 % 70 == 35 {
        let blob = FluidBlob::from(Circle::new(15.0));
        commands.spawn((Rollback, blob, FluidClass::LIGHT, xy(-60.0, 60.0)));
    }
}

/// Two players' pool, with or without the plugin that rolls the liquid back.
fn synctest(rolls_back: bool) -> App {
    let mut app = app_of(GgrsPlugin::<Netcode>::default());
    let watched = (FluidBlobsPlugin::default(), FluidSplashPlugin::default());
    app.add_plugins((BlobFluidPlugins::new(GgrsSchedule), watched));
    if rolls_back {
        app.add_plugins(FluidRollbackPlugin);
    } else {
        app.checksum_resource::<FluidSimulation>(|fluid| fluid.deep_hash().all());
    }
    app.rollback_component_with_clone::<Transform>()
        .rollback_component_with_clone::<FluidEmitter>()
        .rollback_component_with_clone::<FluidClass>()
        .rollback_component_with_clone::<FluidBlob>()
        .rollback_component_with_clone::<Tap>();
    let second = Duration::from_secs(1);
    app.init_resource::<Mismatches>()
        .insert_resource(TimeUpdateStrategy::ManualDuration(second / 60 + Duration::from_nanos(1)))
        .add_systems(ReadInputs, read_inputs)
        .add_systems(
            GgrsSchedule,
            (move_paddle, open_and_close).chain().before(FluidSystems::SyncSettings),
        )
        .add_observer(|mismatch: On<SyncTestMismatch>, mut all: ResMut<Mismatches>| {
            all.0.extend(&mismatch.mismatched_frames);
        });
    let session = SessionBuilder::<Netcode>::new()
        .with_num_players(2)
        .expect("players")
        .with_check_distance(CHECK_DISTANCE)
        .with_input_delay(2);
    let session = session.add_player(PlayerType::Local, 0).expect("a player");
    let session = session.add_player(PlayerType::Local, 1).expect("a player");
    let session = session.start_synctest_session().expect("a session");
    app.insert_resource(Session::SyncTest(session));
    app.finish_plugins();
    app.clock().set_tick(FluidTick::Every(second / 60));
    let world = app.world_mut();
    world.spawn(FluidContainer::from(Rectangle::new(300.0, 240.0)));
    let paddle = FluidCollider::from(Rectangle::new(20.0, 50.0));
    world.spawn((Paddle, Rollback, paddle, xy(0.0, -90.0)));
    world.spawn((FluidBlob::from(Rectangle::new(220.0, 50.0)), xy(0.0, -85.0)));
    world.spawn((FluidDrain::from(Circle::new(20.0)).with_rate(25.0), xy(130.0, -100.0)));
    world.spawn(FluidSensor::from(Rectangle::new(100.0, 60.0)));
    let boat = world
        .spawn((
            FluidCollider::from(Rectangle::new(40.0, 16.0)),
            FluidBuoyant::of_density(0.4),
            FluidLoad::default(),
            xy(-60.0, -20.0),
        ))
        .id();
    // What hangs on a body goes where the body is.
    let leak = FluidEmitter::jet(8.0, 60.0).with_lifetime(FluidLifetime::new(1.5));
    world.spawn((leak, FluidClass::LIGHT, ChildOf(boat), xy(0.0, 14.0)));
    app
}

fn frames(app: &App) -> i32 {
    app.resource::<RollbackFrameCount>().0
}

#[test]
#[ignore = "long: .ci/run"]
fn rolling_back_changes_no_bit_in_thousands_of_frames() {
    let mut app = synctest(true);
    app.updates(3000);
    let mismatches = &app.resource::<Mismatches>().0;
    assert!(mismatches.is_empty(), "frames {mismatches:?} were otherwise the second time");
    assert!(frames(&app) > 2900 && app.particles() > 100, "{} frames", frames(&app));
    let ticks = app.fluid().ticks();
    assert!(ticks.abs_diff(frames(&app) as u64) <= 2, "{ticks} ticks in {} frames", frames(&app));
}

#[test]
fn without_rollback_the_test_finds_differences() {
    let mut app = synctest(false);
    app.updates(60);
    assert!(!app.resource::<Mismatches>().0.is_empty());
}

#[test]
fn tiles_that_wear_are_rolled_back_with_their_colliders() {
    let mut app = synctest(true);
    let wear = FluidWear::new(1.0, [FluidWearRate::by_contact(ClassFilter::ALL, 0.25)]);
    let tiles = FluidTiles::from_fn(UVec2::new(8, 2), Vec2::splat(16.0), |_| true);
    let level = app.spawn((tiles, wear.loosening("light"), xy(60.0, -104.0)));
    app.updates(240);
    let mismatches = &app.resource::<Mismatches>().0;
    assert!(mismatches.is_empty(), "frames {mismatches:?} were otherwise the second time");
    let FluidStrength { worn_out, loosened, .. } = *app.component(level);
    assert!(worn_out > 2 && loosened > 0 && frames(&app) > 200, "{worn_out}, {loosened}");
}

/// Moves the centre of streaming by the inputs of the first player.
fn move_centre(
    inputs: Res<PlayerInputs<Netcode>>,
    mut centre: Single<&mut Transform, With<FluidStreaming>>,
) {
    let (keys, _) = inputs[0];
    centre.translation.x += if keys & 4 == 0 { -7.0 } else { 7.0 };
}

#[test]
fn stored_liquid_is_rolled_back() {
    let mut app = synctest(true);
    app.add_systems(
        GgrsSchedule,
        move_centre.after(open_and_close).before(FluidSystems::SyncSettings),
    );
    let mut regions = app.resource_mut::<FluidRegions>();
    regions.set_size(Vec2::new(60.0, 400.0)).expect("not in use");
    regions.set_patience(0.1).expect("valid");
    let streaming = FluidStreaming { reach: Vec2::new(40.0, 0.0), margin: 10.0 };
    app.spawn((Rollback, streaming, Transform::default()));
    let mut most = 0;
    for _ in 0..200 {
        app.updates(1);
        most = most.max(app.resource::<FluidRegions>().stored_particles());
    }
    let mismatches = &app.resource::<Mismatches>().0;
    assert!(mismatches.is_empty(), "frames {mismatches:?} were otherwise the second time");
    assert!(most > 50, "{most} particles were stored");
}

#[test]
fn the_water_of_pools_is_rolled_back() {
    let mut app = synctest(true);
    // In a corner of the container, where particles become water and splashes particles.
    let lake = app.spawn((FluidPool::new(100.0, 40.0), xy(98.0, -80.0)));
    app.updates(10);
    let level = |app: &App| {
        let id = app.component::<FluidPoolState>(lake).id().expect("in the simulation");
        app.fluid().pool(id).expect("there").parts()
    };
    let before = level(&app);
    app.updates(240);
    let mismatches = &app.resource::<Mismatches>().0;
    assert!(mismatches.is_empty(), "frames {mismatches:?} were otherwise the second time");
    assert!(level(&app) != before && frames(&app) > 200, "{} of {before}", level(&app));
}
