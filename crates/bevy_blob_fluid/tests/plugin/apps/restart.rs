//! Starting over: the same ticks give the same bits, and nothing outlives the restart.

use bevy_blob_fluid::blob_fluid::FieldParticles;

use crate::app::*;

/// A level with everything that keeps a state of its own.
fn level() -> App {
    let watched = (FluidBlobsPlugin::default(), FluidSplashPlugin::default());
    let mut app = app_with((BlobFluidPlugins::default(), watched), FluidSettings::default());
    let world = app.world_mut();
    world.spawn(FluidContainer::from(Rectangle::new(400.0, 300.0)));
    world.spawn((FluidCollider::from(Circle::new(30.0)), xy(60.0, -40.0)));
    world.spawn((FluidBlob::from(Rectangle::new(200.0, 80.0)), xy(-60.0, -80.0)));
    world.spawn((FluidEmitter::jet(40.0, 200.0), FluidClass::HEAVY));
    world.spawn((FluidDrain::from(Circle::new(20.0)).with_rate(100.0), xy(150.0, -130.0)));
    world.spawn(FluidSensor::from(Rectangle::new(300.0, 100.0)));
    world.spawn(FluidForce::vortex(50.0, 300.0));
    world.spawn(FluidField::new(|particles: &mut FieldParticles<'_>| {
        let blown = particles.velocities.iter_mut();
        blown.for_each(|velocity| velocity.x += 20.0 * particles.time_step);
    }));
    app
}

fn restart(app: &mut App) {
    app.world_mut().commands().queue(FluidSimulation::restart);
    app.world_mut().flush();
}

/// Everything that the app says about the liquid.
fn state(app: &mut App) -> (u64, u64, Vec<FluidEmitterTotals>, Vec<FluidDrainTotals>, Vec<usize>) {
    let (hash, ticks) = (app.fluid().state_hash(), app.fluid().ticks());
    let world = app.world_mut();
    let emitted = world.query::<&FluidEmitterTotals>().iter(world).copied().collect();
    let drained = world.query::<&FluidDrainTotals>().iter(world).cloned().collect();
    let sensed =
        world.query::<&FluidSensorReading>().iter(world).map(|reading| reading.count).collect();
    (hash, ticks, emitted, drained, sensed)
}

#[test]
fn the_same_ticks_give_the_same_bits_again() {
    let mut app = level();
    app.updates(100);
    let first = state(&mut app);
    assert!(first.3[0].total > 0 && first.4[0] > 0, "{first:?}");
    app.updates(37);
    restart(&mut app);
    app.updates(100);
    assert_eq!(state(&mut app), first);
    assert!(app.fluid().force_fields().len() == 1 && app.fluid().forces().len() == 1);
}

/// A level whose bits depend on the order of its entities: what overlaps, touches or adds up.
fn spawn_crowd(world: &mut World) -> Vec<Entity> {
    let container = FluidContainer::from(Rectangle::new(400.0, 300.0));
    let mut level = vec![world.spawn((container, xy(0.0, 0.0))).id()];
    let parent = world.spawn((xy(20.0, -20.0), Visibility::default())).id();
    level.push(parent);
    for index in 0..3 {
        let x = 60.0 * index as f32 - 80.0;
        let blob = FluidBlob::from(Rectangle::new(90.0, 90.0));
        level.push(world.spawn((blob, xy(x, -60.0), ChildOf(parent))).id());
        let collider = FluidCollider::from(Circle::new(25.0));
        level.push(world.spawn((collider, xy(x, -110.0), ChildOf(parent))).id());
        level.push(world.spawn((FluidForce::vortex(80.0, 300.0), xy(x, 0.0))).id());
        let emitter = FluidEmitter::jet(20.0, 200.0);
        level.push(world.spawn((emitter, FluidClass::HEAVY, xy(x, 100.0))).id());
        let drain = FluidDrain::from(Circle::new(30.0)).with_rate(200.0);
        level.push(world.spawn((drain, xy(x, -100.0))).id());
    }
    level
}

#[test]
fn a_level_that_is_spawned_again_gives_the_same_bits_whatever_its_ids_are() {
    let mut app = app_with(BlobFluidPlugins::default(), FluidSettings::default());
    let mut states = Vec::new();
    let mut ids = std::collections::HashSet::new();
    for round in 0..100 {
        // Ids that others give back are used again, in another order each time.
        let others: Vec<Entity> =
            app.world_mut().spawn_batch(vec![Name::new("other"); 60]).collect();
        for step in 0..61 {
            // All of them, because 61 is a prime.
            if let Some(other) = others.get(step * (round % 60 + 1) % 61) {
                app.world_mut().despawn(*other);
            }
        }
        let level = spawn_crowd(app.world_mut());
        ids.insert(level.iter().map(|entity| entity.index()).collect::<Vec<_>>());
        app.updates(8);
        states.push(app.fluid().state_hash());
        for entity in level {
            if let Ok(entity) = app.world_mut().get_entity_mut(entity) {
                entity.despawn();
            }
        }
        restart(&mut app);
    }
    assert!(ids.len() > 50, "only {} orders of ids were tried", ids.len());
    assert_eq!(states, vec![states[0]; states.len()]);
}

#[test]
fn a_key_comes_before_the_order_of_spawning() {
    let state = |keys: [i64; 2], swapped: bool| {
        let mut app = app_with(BlobFluidPlugins::default(), FluidSettings::default());
        let world = app.world_mut();
        world.spawn(FluidContainer::from(Rectangle::new(400.0, 300.0)));
        let blobs = [(-30.0, keys[0]), (30.0, keys[1])];
        for index in if swapped { [1, 0] } else { [0, 1] } {
            let (x, key) = blobs[index];
            let blob = FluidBlob::from(Rectangle::new(120.0, 90.0));
            world.spawn((blob, xy(x, 0.0), FluidOrder::new(key)));
        }
        app.updates(8);
        app.fluid().state_hash()
    };
    assert_eq!(state([1, 2], false), state([1, 2], true));
    assert_ne!(state([0, 0], false), state([0, 0], true), "the order does not matter here");
}

#[test]
fn what_outlives_entities_is_as_it_was_after_startup() {
    let mut app = app_of(BlobFluidPlugins::default());
    app.add_systems(Startup, |mut settings: ResMut<FluidSettings>| settings.capacity = 777).start();
    let settings = *app.resource::<FluidSettings>();
    let classes = app.resource::<FluidClasses>().clone();
    assert_eq!(settings.capacity, 777);
    let world = app.world_mut();
    world.resource_mut::<FluidSettings>().parameters.gravity = Vec2::ZERO;
    world.resource_mut::<FluidClasses>().classes.truncate(1);
    world.resource_mut::<FluidForceFields>().add(|_: &mut FieldParticles<'_>| ());
    world.resource_mut::<FluidColoring>().by = FluidColorBy::Speed;
    let mut time = world.resource_mut::<Time<Fluid>>();
    time.pause();
    time.set_relative_speed(0.1);
    time.set_max_ticks_per_frame(3);
    app.update();
    assert_eq!(app.fluid().parameters().gravity, Vec2::ZERO);
    restart(&mut app);
    assert_eq!(*app.resource::<FluidSettings>(), settings);
    assert_eq!(*app.resource::<FluidClasses>(), classes);
    assert!(app.resource::<FluidForceFields>().is_empty());
    assert_eq!(*app.resource::<FluidColoring>(), FluidColoring::default());
    let time = app.resource::<Time<Fluid>>();
    assert!(!time.is_paused() && time.relative_speed() == 1.0);
    assert_eq!(time.max_ticks_per_frame(), Time::<Fluid>::default().max_ticks_per_frame());
    app.update();
    assert_eq!(*app.fluid().parameters(), settings.parameters);
    assert_eq!((app.fluid().capacity(), app.fluid().classes().len()), (777, classes.len()));
}

#[test]
fn an_app_that_has_not_begun_or_has_no_liquid_can_start_over() {
    let mut app = headless(default());
    restart(&mut app);
    restart(&mut app);
    app.update();
    let mut empty = World::new();
    FluidSimulation::restart(&mut empty);
}
