//! Snapshots of whole apps: they go on with the same bits, also in another app.

use bevy_blob_fluid::blob_fluid::{DeepHash, SnapshotError, SnapshotFile};
use bevy_blob_fluid::{
    FluidColliders, FluidOrder, FluidRestored, FluidSnapshot, FluidSnapshotError,
};

use crate::app::*;

/// The game's own state: how often it has moved its paddle.
#[derive(Resource, Clone, Default)]
struct Beat(u32);

#[derive(Component)]
struct Paddle;

/// To and fro, 3 units a tick.
fn move_paddle(mut beat: ResMut<Beat>, mut paddle: Single<&mut Transform, With<Paddle>>) {
    beat.0 += 1;
    let step = (beat.0 % 80) as f32;
    paddle.translation.x = 3.0 * (if step < 40.0 { step } else { 80.0 - step }) - 60.0;
}

/// A level with everything that keeps a state of its own, after `others` other entities.
fn level(others: usize) -> App {
    let watched = (FluidBlobsPlugin::default(), FluidSplashPlugin::default());
    let mut app = app_of((BlobFluidPlugins::default(), watched));
    app.init_resource::<Beat>().add_systems(FixedUpdate, move_paddle).start();
    let world = app.world_mut();
    world.spawn_batch(vec![Name::new("other"); others]).for_each(drop);
    world.spawn(FluidContainer::from(Rectangle::new(400.0, 300.0)));
    world.spawn((Paddle, FluidCollider::from(Rectangle::new(20.0, 60.0)), xy(-60.0, -100.0)));
    world.spawn((FluidCollider::from(Circle::new(25.0)), FluidLoad::default(), xy(120.0, -100.0)));
    world.spawn((FluidBlob::from(Rectangle::new(200.0, 90.0)), xy(-60.0, -90.0)));
    let jet =
        FluidEmitter::jet(30.0, 150.0).with_mix([(ClassId::HEAVY, 2.0), (ClassId::LIGHT, 1.0)]);
    world.spawn((Name::new("tap"), jet, xy(60.0, 120.0).with_rotation(turned(2.9))));
    let rain = Rectangle::new(300.0, 20.0);
    world.spawn((FluidEmitter::rain(rain, 70.0), FluidClass::LIGHT, xy(0.0, 130.0)));
    world.spawn((FluidDrain::from(Circle::new(40.0)).with_rate(130.0), xy(170.0, -120.0)));
    world.spawn(FluidSensor::from(Rectangle::new(300.0, 100.0)));
    world.spawn((
        Name::new("boat"),
        FluidCollider::from(Rectangle::new(50.0, 20.0)),
        FluidBuoyant::of_density(0.4),
        FluidLoad::default(),
        xy(20.0, 20.0),
    ));
    world.spawn((FluidPool::new(900.0, 80.0), FluidClass::LIGHT, xy(0.0, -400.0)));
    world.spawn((
        FluidCollider::from(Rectangle::new(50.0, 20.0)),
        FluidBuoyant::of_density(0.4),
        xy(100.0, -380.0),
    ));
    world.spawn(FluidAir::new(400.0, 300.0).with_cell_size(20.0).with_open_top());
    world.spawn((FluidAirSource::fire(&Circle::new(15.0)), xy(-150.0, 60.0)));
    app
}

fn turned(angle: f32) -> Quat {
    Quat::from_rotation_z(angle)
}

fn deep_hash(app: &App) -> DeepHash {
    app.fluid().deep_hash()
}

/// Everything that a snapshot holds, as bytes.
fn saved(app: &mut App) -> Vec<u8> {
    FluidSnapshot::save(app.world_mut()).expect("between two ticks")
}

#[track_caller]
fn complete(restored: Result<FluidRestored, FluidSnapshotError>) {
    let restored = restored.expect("a snapshot");
    assert!(restored.is_complete(), "{:?}", restored.missing);
}

/// What entities say of the liquid, whatever their ids are.
fn said(app: &mut App) -> String {
    let world = app.world_mut();
    let mut all = Vec::new();
    let mut query = world.query::<(
        &FluidOrder,
        Option<&FluidEmitterTotals>,
        Option<&FluidDrainTotals>,
        Option<&FluidSensorReading>,
        Option<&FluidMotion>,
        Option<&FluidLoad>,
        Option<&FluidAirReport>,
        Option<&FluidAirSource>,
        Option<&Transform>,
    )>();
    for said in query.iter(world) {
        all.push(format!("{said:?}"));
    }
    all.sort_unstable();
    let blobs = world.resource::<FluidBlobs>().blobs();
    format!("{all:#?} {blobs:?} {:?}", world.resource::<FluidSplashes>().splashes())
}

#[test]
fn an_app_goes_on_with_the_same_bits() {
    let mut app = level(0);
    let mut kept = FluidSnapshot::default();
    for ticks in [1, 60, 200] {
        app.updates(ticks);
        kept.take_again(app.world_mut()).expect("between two ticks");
        let (beat, before) = (app.resource::<Beat>().clone(), deep_hash(&app));
        app.updates(90);
        let once = saved(&mut app);
        app.updates(7);
        complete(kept.restore(app.world_mut()));
        *app.resource_mut::<Beat>() = beat;
        assert_eq!(deep_hash(&app), before);
        assert_eq!(kept.to_bytes(), FluidSnapshot::take(app.world_mut()).expect("so").to_bytes());
        app.updates(90);
        assert!(saved(&mut app) == once, "it went on otherwise after {ticks} ticks");
    }
    let world = app.world_mut();
    let drained = world.query::<&FluidDrainTotals>().single(world).expect("one").total;
    assert!(drained > 50 && app.particles() > 500, "{drained} of {}", app.particles());
}

#[test]
fn another_app_with_the_same_level_goes_on_from_bytes() {
    let mut app = level(0);
    app.updates(130);
    let bytes = saved(&mut app);
    let again = FluidSnapshot::from_bytes(&bytes).expect("a snapshot");
    assert_eq!(again.to_bytes().as_ref(), Ok(&bytes));
    let beat = app.resource::<Beat>().clone();
    app.updates(90);
    let (hash, said_once) = (deep_hash(&app), said(&mut app));
    // Before its first tick, and later.
    for ticks in [0, 25] {
        let mut other = level(5);
        other.updates(ticks);
        complete(FluidSnapshot::load(other.world_mut(), &bytes));
        *other.resource_mut::<Beat>() = beat.clone();
        other.updates(90);
        let differences: Vec<_> = deep_hash(&other).differences(&hash).collect();
        assert!(differences.is_empty(), "after {ticks} ticks these differ: {differences:?}");
        assert!(said(&mut other) == said_once, "entities say otherwise");
    }
}

#[test]
fn what_waits_for_the_next_tick_waits_again() {
    let mut app = level(0);
    app.updates(50);
    app.spawn((FluidBlob::from(Circle::new(30.0)), FluidClass::HEAVY, xy(0.0, 60.0)));
    app.spawn((FluidImpulse::explosion(90.0, 300.0), xy(-50.0, -120.0)));
    app.spawn((FluidAirSource::smoke(&Circle::new(40.0), 2.0).as_burst(), xy(0.0, 0.0)));
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    let kept =
        [kept.clone(), FluidSnapshot::from_bytes(&kept.to_bytes().expect("so")).expect("so")];
    let (beat, before) = (app.resource::<Beat>().clone(), app.particles());
    app.updates(30);
    let (hash, said_once) = (deep_hash(&app), said(&mut app));
    for kept in kept {
        complete(kept.restore(app.world_mut()));
        *app.resource_mut::<Beat>() = beat.clone();
        assert_eq!(app.particles(), before);
        app.updates(30);
        assert_eq!(deep_hash(&app).differences(&hash).collect::<Vec<_>>(), []);
        assert!(said(&mut app) == said_once, "entities say otherwise");
    }
    // Another app has had its own bursts by now, which are not to come again.
    let mut world = app.world_mut().query::<&FluidImpulse>();
    assert_eq!(world.iter(app.world()).count(), 0);
}

#[test]
fn settings_and_the_clock_are_those_of_then() {
    let mut app = level(0);
    app.updates(20);
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    let settings = *app.resource::<FluidSettings>();
    let elapsed = app.clock().elapsed();
    app.settings().parameters.gravity = Vec2::ZERO;
    app.settings().budget = Some(FluidBudget::default());
    app.resource_mut::<FluidClasses>()[ClassId::HEAVY].mass = 2.5;
    app.updates(20);
    app.clock().pause();
    complete(kept.restore(app.world_mut()));
    assert_eq!((*app.resource::<FluidSettings>(), app.clock().elapsed()), (settings, elapsed));
    assert_eq!(*app.resource::<FluidClasses>(), FluidClasses::default());
    assert!(!app.clock().is_paused());
    app.update();
    assert_eq!(*app.fluid().parameters(), settings.parameters);

    // A change that no tick has seen yet.
    app.settings().parameters.gravity = Vec2::X;
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    app.updates(3);
    complete(kept.restore(app.world_mut()));
    assert_eq!(app.fluid().parameters().gravity, settings.parameters.gravity);
    app.update();
    assert_eq!(app.fluid().parameters().gravity, Vec2::X);
}

#[test]
fn entities_that_are_gone_are_named_and_their_solids_go() {
    let mut app = level(0);
    app.updates(40);
    let bytes = saved(&mut app);
    let (colliders, airs) = (app.colliders(), app.fluid().airs().count());
    let world = app.world_mut();
    let named = |world: &mut World, name: &str| {
        let mut names = world.query::<(Entity, &Name)>();
        names.iter(world).find(|(_, is)| is.as_str() == name).expect("it is there").0
    };
    let (boat, tap) = (named(world, "boat"), named(world, "tap"));
    let air = world.query_filtered::<Entity, With<FluidAir>>().single(world).expect("one");
    world.despawn(boat);
    world.despawn(air);
    world.entity_mut(tap).remove::<FluidEmitter>();
    app.updates(5);
    let kept = FluidSnapshot::from_bytes(&bytes).expect("a snapshot");
    let restored = kept.restore(app.world_mut()).expect("there is a liquid");
    let mut missing: Vec<String> =
        restored.missing.iter().map(|missing| missing.to_string()).collect();
    missing.sort_unstable();
    let expected = [
        format!("{air}, of key 0, is gone"),
        format!("`boat` ({boat}) is gone"),
        format!("`tap` ({tap}) has no FluidEmitter"),
    ];
    let mut expected = Vec::from(expected);
    expected.sort_unstable();
    assert_eq!(missing, expected);
    assert_eq!(app.fluid().colliders().len(), colliders);
    app.update();
    assert_eq!((app.fluid().colliders().len(), app.colliders()), (colliders - 1, colliders - 1));
    assert_eq!((app.fluid().airs().count(), airs), (0, 1));
    app.updates(20);

    // In an app without any of them there is nothing left but the liquid.
    let mut empty = app_of(BlobFluidPlugins::default());
    empty.start();
    let restored = FluidSnapshot::load(empty.world_mut(), &bytes).expect("a snapshot");
    assert_eq!(restored.missing.len(), 13);
    assert!(empty.particles() > 100);
    assert_eq!(empty.fluid().pools().count(), 0);
    empty.updates(3);
    assert_eq!((empty.fluid().colliders().len(), empty.fluid().containers().len()), (0, 0));
}

/// An order of actions that `proptest` made up: the state of each wall was given to the next one.
#[test]
fn of_entities_that_are_alike_the_one_that_is_gone_is_named() {
    let mut app = headless(default());
    let wall = |x| (FluidCollider::from(Rectangle::new(60.0, 8.0)), xy(x, 0.0));
    let walls = [-100.0, 0.0, 100.0].map(|x| app.spawn(wall(x)));
    app.updates(2);
    let bytes = saved(&mut app);
    app.despawn(walls[0]);
    let other = app.spawn(wall(200.0));
    app.updates(2);
    let restored = FluidSnapshot::load(app.world_mut(), &bytes).expect("a snapshot");
    // The new one is as the first was.
    assert_eq!(restored.missing, []);
    app.despawn(other);
    let restored = FluidSnapshot::load(app.world_mut(), &bytes).expect("a snapshot");
    let missing: Vec<Entity> = restored.missing.iter().map(|missing| missing.entity).collect();
    assert_eq!(missing, [walls[0]]);
    app.updates(2);
    let colliders = app.resource::<FluidColliders>().iter();
    let mut there: Vec<(Entity, f32)> =
        colliders.map(|(entity, collider)| (entity, collider.centre().x)).collect();
    there.sort_unstable_by(|(_, one), (_, other)| one.total_cmp(other));
    assert_eq!(there, [(walls[1], 0.0), (walls[2], 100.0)]);
}

#[test]
fn entities_that_are_spawned_again_are_mapped() {
    let mut app = level(0);
    app.updates(40);
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    let beat = app.resource::<Beat>().clone();
    app.updates(30);
    let (hash, said_once) = (deep_hash(&app), said(&mut app));
    let world = app.world_mut();
    let mut taps = world.query::<(Entity, &Name, &FluidEmitter, &Transform)>();
    let (tap, name, emitter, transform) = taps.single(world).expect("one has a name");
    let parts = (name.clone(), emitter.clone(), *transform);
    world.despawn(tap);
    let again = world.spawn(parts).id();
    let map = |entity: Entity| Some(if entity == tap { again } else { entity });
    complete(kept.restore_mapped(app.world_mut(), map));
    *app.resource_mut::<Beat>() = beat;
    app.updates(30);
    assert_eq!(deep_hash(&app).differences(&hash).collect::<Vec<_>>(), []);
    assert!(said(&mut app) == said_once, "entities say otherwise");
}

#[test]
fn bad_bytes_are_named_and_change_nothing() {
    let mut world = World::new();
    assert_eq!(FluidSnapshot::save(&mut world), Err(FluidSnapshotError::NoLiquid));
    let kept = FluidSnapshot::default();
    assert_eq!(kept.restore(&mut world), Err(FluidSnapshotError::NoLiquid));
    let mut app = level(0);
    app.updates(30);
    let bytes = saved(&mut app);
    app.updates(3);
    let before = saved(&mut app);
    for length in (0..bytes.len()).step_by(bytes.len() / 60) {
        FluidSnapshot::load(app.world_mut(), &bytes[..length]).expect_err("it is cut");
    }
    // Entries that are well, but not together.
    let file = SnapshotFile::from_bytes(&bytes).expect("a file");
    for cut in 0..40 {
        let mut other = SnapshotFile::default();
        let plugin = file.bytes("bevy_blob_fluid").expect("an entry");
        other.insert("world", &**app.fluid()).expect("a world");
        other.insert_bytes("bevy_blob_fluid", &plugin[..plugin.len() * cut / 40]).expect("a name");
        let refused = FluidSnapshot::load(app.world_mut(), &other.to_bytes());
        let is_typed = matches!(
            refused,
            Err(FluidSnapshotError::Snapshot(
                SnapshotError::Invalid(_) | SnapshotError::NoEntry { .. }
            ))
        );
        assert!(is_typed, "{refused:?}");
    }
    assert!(saved(&mut app) == before, "bytes that are refused have changed something");
}
