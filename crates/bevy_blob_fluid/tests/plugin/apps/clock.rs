//! Pauses, slow motion, long frames, and the rate of frames.

use std::time::Duration;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::FieldParticles;
use bevy_blob_fluid::blob_fluid::shape::Polyline;

use crate::app::*;

#[test]
fn pause_single_step_and_restart() {
    let mut app = headless(default());
    spawn_blob(&mut app);
    app.updates(5);
    app.clock().pause();
    let (hash, ticks) = (app.fluid().state_hash(), app.fluid().ticks());
    app.updates(5);
    assert_eq!(app.fluid().state_hash(), hash);
    app.clock().step_once();
    app.updates(5);
    assert_eq!(app.fluid().ticks(), ticks + 1);
    assert_ne!(app.fluid().state_hash(), hash);

    app.fluid_mut().clear();
    let again = spawn_blob(&mut app);
    app.clock().unpause();
    app.update();
    assert!(app.world().get::<FluidBlobFilled>(again).is_some_and(|filled| filled.particles > 0));
}

#[test]
fn slow_motion_takes_fewer_of_the_same_ticks() {
    let mut app = headless(default());
    spawn_blob(&mut app);
    app.clock().set_relative_speed(0.25);
    let before = app.fluid().ticks();
    app.updates(40);
    assert_eq!(app.fluid().ticks() - before, 10);
}

#[test]
fn a_long_frame_slows_the_fluid_down_instead_of_piling_up() {
    let mut app = app_at(BlobFluidPlugins::default(), Duration::from_millis(240));
    app.clock().set_max_ticks_per_frame(3);
    let before = app.fluid().ticks();
    app.updates(2);
    assert_eq!(app.fluid().ticks() - before, 6);
    assert!(app.resource::<FluidStatistics>().ticks_dropped > 0);
}

// Row 7 of docs/reliability.md.
#[test]
fn a_tab_that_slept_for_ten_minutes_goes_on_with_a_frame_like_any_other() {
    let frame = Duration::from_secs_f64(1.0 / 64.0);
    // Bevy's own clock cuts it to a quarter of a second, unless a game says otherwise.
    let cut = (BlobFluidPlugins::default(), None, 16 - 8);
    let uncut = (BlobFluidPlugins::new(Update), Some(Duration::MAX), 600 * 64 - 8);
    for (plugins, longest, expected) in [cut, uncut] {
        let mut app = app_at(plugins, frame);
        spawn_container(&mut app, 0.0);
        spawn_blob(&mut app);
        app.updates(30);
        let (ticks, count) = (app.fluid().ticks(), app.particles());
        if let Some(longest) = longest {
            app.resource_mut::<Time<Virtual>>().set_max_delta(longest);
        }
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(600)));
        app.update();
        assert_eq!(app.fluid().ticks() - ticks, 8);
        assert_eq!(app.resource::<FluidStatistics>().ticks_dropped, expected);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        app.updates(10);
        assert_eq!((app.fluid().ticks() - ticks, app.particles()), (18, count));
        assert_eq!(app.resource::<FluidStatistics>().ticks_dropped, expected, "no debt is left");
    }
}

/// The state after 600 ticks at that many frames per second.
fn hash_at(frames_per_second: f64, schedule: impl ScheduleLabel, tick: FluidTick) -> u64 {
    let frame = Duration::from_secs_f64(1.0 / frames_per_second);
    let time = frame;
    let mut app = app_at(BlobFluidPlugins::new(schedule), time);
    app.clock().pause();
    spawn_container(&mut app, 0.0);
    for (class, x) in [(FluidClass::LIGHT, -30.0), (FluidClass::HEAVY, 30.0)] {
        app.spawn((FluidBlob::from(Circle::new(25.0)), class, xy(x, 0.0)));
    }
    app.updates(2);
    app.clock().set_tick(tick);
    app.clock().unpause();
    while app.fluid().ticks() < 600 {
        // The last frame may hold more ticks than are left.
        let left = (600 - app.fluid().ticks()) as u32;
        app.clock().set_max_ticks_per_frame(left.min(8));
        app.update();
    }
    app.fluid().state_hash()
}

#[test]
fn frame_rate_does_not_change_the_result() {
    let reference = hash_at(60.0, FixedPostUpdate, FluidTick::Fixed);
    for rate in [30.0, 144.0] {
        assert_eq!(hash_at(rate, FixedPostUpdate, FluidTick::Fixed), reference, "{rate} fps");
    }
    let tick = FluidTick::Every(Duration::from_secs_f64(1.0 / 64.0));
    assert_eq!(hash_at(50.0, Update, tick), reference, "in Update");
}

// Row 25 of docs/reliability.md.
#[test]
fn an_app_without_bevys_plugins_stands_still() {
    let mut app = App::new();
    app.add_plugins(BlobFluidPlugins::new(Update)).finish_plugins();
    spawn_blob(&mut app);
    app.updates(2);
    assert!(!app.positions().is_empty());
    assert_eq!(app.fluid().ticks(), 0);
}

// Starting over: the same ticks give the same bits, and nothing outlives the restart.

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

// What a mirrored, turned, scaled or inherited transform does to everything that has a shape.

/// The same to the left as to the right, turned on top of that, as an entity and as a child of one.
fn mirrored() -> [(Transform, Transform); 3] {
    let mirror = Vec3::new(-2.0, 1.5, 1.0);
    let turn = Quat::from_rotation_z(0.4);
    [
        (Transform::IDENTITY, Transform::from_scale(mirror)),
        (Transform::from_rotation(turn), Transform::from_scale(mirror)),
        (Transform::from_scale(mirror), Transform::from_rotation(turn)),
    ]
}

/// A point of the entity in the world.
fn in_world((outer, inner): (Transform, Transform), point: Vec2) -> Vec2 {
    outer.transform_point(inner.transform_point(point.extend(0.0))).truncate()
}

fn spawn(app: &mut App, (outer, inner): (Transform, Transform), parts: impl Bundle) -> Entity {
    let parent = app.spawn(outer);
    app.spawn((parts, inner, ChildOf(parent)))
}

/// A triangle without any symmetry.
fn corner() -> Triangle2d {
    Triangle2d::new(Vec2::ZERO, Vec2::new(60.0, 0.0), Vec2::new(0.0, 20.0))
}

// Row 14 of docs/reliability.md.
#[test]
fn shapes_are_mirrored_with_their_entities() {
    for position in mirrored() {
        let mut app = headless(default());
        spawn(&mut app, position, FluidCollider::from(corner()));
        spawn(&mut app, position, FluidSensor::from(corner()));
        app.update();
        let collider = app.first_collider();
        for (point, inside) in [
            (Vec2::new(4.0, 4.0), true),
            (Vec2::new(50.0, 2.0), true),
            (Vec2::new(-4.0, 4.0), false),
            (Vec2::new(4.0, -4.0), false),
            (Vec2::new(40.0, 15.0), false),
        ] {
            // Sheared shapes there are none: what a turned child of a stretched parent is like is
            // only nearly right.
            let sheared = position.0.scale != Vec3::ONE;
            if !sheared {
                let distance = collider.distance(in_world(position, point));
                assert_eq!(distance < 0.0, inside, "{position:?} {point}");
            }
        }
    }
}

#[test]
fn a_blob_fills_its_mirror_image() {
    let mut app = headless(default());
    let point = mirrored()[0];
    spawn(&mut app, point, FluidBlob::from(corner()));
    app.update();
    let particles = app.fluid().particles();
    assert!(particles.len() > 15);
    for position in particles.positions() {
        assert!(position.x < 5.0 && position.y > -5.0, "{position}");
    }
}

#[test]
fn a_membrane_holds_the_same_of_its_sides_mirrored() {
    for (scale, passes) in [(1.0, true), (-1.0, true)] {
        for (from, to, held) in [(60.0, -60.0, true), (-60.0, 60.0, false)] {
            let mut app = headless(default());
            app.settings().parameters.gravity = Vec2::ZERO;
            // Drawn upwards: its left is where x is negative, and positive once mirrored.
            let line = Polyline::new([Vec2::new(0.0, -90.0), Vec2::new(0.0, 90.0)], 0.0);
            let line = FluidCollider::from(FluidShape::Polyline(line.expect("a line"))).one_way();
            app.spawn((line, Transform::from_scale(Vec3::new(scale, 1.0, 1.0))));
            let position = Vec2::new(-from * scale, 0.0);
            let velocity = Vec2::new((from - to) * scale, 0.0);
            app.add_particle(ParticleSpawn { position, velocity, ..default() });
            app.updates(64);
            let x = app.positions()[0].x * scale;
            let stopped = x * position.x * scale > 0.0;
            assert_eq!(stopped, held && passes, "{scale} from {from}: {x}");
        }
    }
}

#[test]
fn jets_and_winds_point_the_other_way() {
    for point in mirrored() {
        let mut app = headless(without_gravity());
        let aside = Quat::from_rotation_z(-0.9);
        let parent = spawn(&mut app, point, ());
        let nozzle = (FluidEmitter::jet(30.0, 200.0), Transform::from_rotation(aside));
        let nozzle = app.spawn((nozzle, ChildOf(parent)));
        app.updates(10);
        let up = app.component::<GlobalTransform>(nozzle).up().truncate();
        let particles = app.fluid().particles();
        assert!(!particles.is_empty());
        for velocity in particles.velocities() {
            let along = velocity.dot(up.normalize());
            assert!(along > 0.8 * velocity.length(), "{velocity} of {up}");
        }
    }
    let mut app = headless(default());
    let everywhere = Rectangle::new(1e3, 1e3);
    let wind = FluidForce::uniform(&everywhere, Vec2::new(500.0, 0.0));
    let mirror = Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    app.spawn((FluidForce { swirl: 0.0, ..wind }, mirror));
    app.add_particle(default());
    app.update();
    assert!(app.velocities()[0].x < 0.0);
}

#[test]
fn bodies_are_drawn_as_they_are_simulated_whatever_their_scale() {
    let mirrors = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (2.0, 2.0)];
    for (outer, inner) in mirrors.into_iter().flat_map(|a| mirrors.map(|b| (a, b))) {
        // Flat, as many an entity of a 2D game is.
        let scale = |(x, y): (f32, f32)| Transform::from_scale(Vec3::new(x, y, 0.0));
        let mut app = headless(default());
        let point = (scale(outer), scale(inner).with_rotation(Quat::from_rotation_z(0.5)));
        let body = (FluidCollider::from(corner()), FluidBuoyant::of_density(1.0));
        let entity = spawn(&mut app, point, body);
        app.component_mut::<FluidMotion>(entity).angular_velocity = 2.0;
        app.updates(20);
        // At rest what is drawn is what was simulated last.
        app.clock().pause();
        app.update();
        let collider = app.first_collider();
        let drawn = app.component::<GlobalTransform>(entity);
        for corner in corner().vertices {
            let seen = drawn.transform_point(corner.extend(0.0)).truncate();
            let distance = collider.distance(seen);
            assert!(distance.abs() < 0.05, "{outer:?} {inner:?}: {seen} {distance}");
        }
    }
}

#[test]
fn transforms_place_containers_blobs_and_forces() {
    let mut app = headless(default());
    let quarter_turn = Transform::from_xyz(10.0, 20.0, 3.0)
        .with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2))
        .with_scale(Vec3::new(2.0, 1.0, 1.0));
    app.spawn((FluidContainer::from(Rectangle::new(100.0, 50.0)), quarter_turn));
    app.update();
    let container = app.first_container().clone();
    assert!((container.depth(Vec2::new(10.0, 20.0)) - 25.0).abs() < 1e-3);
    assert!(container.depth(Vec2::new(10.0, 110.0)) > 0.0, "200 high after the turn");
    assert!(container.depth(Vec2::new(50.0, 20.0)) < 0.0, "50 wide after the turn");

    let parent = app.spawn(xy(0.0, 100.0));
    app.spawn((FluidForce::attract(30.0, 500.0), xy(5.0, 0.0), ChildOf(parent)));
    app.update();
    assert_eq!(app.fluid().forces()[0].centre, Vec2::new(5.0, 100.0));
}

// Row 14 of docs/reliability.md.
#[test]
fn degenerate_transforms_are_left_out() {
    let mut app = headless(default());
    let container = spawn_container(&mut app, 0.0);
    app.update();
    let valid = app.first_container().clone();
    let bad = [
        Transform::from_scale(Vec3::ZERO),
        Transform::from_scale(Vec3::new(0.0, 1.0, 1.0)),
        xy(f32::NAN, 0.0),
        Transform::from_scale(Vec3::splat(f32::INFINITY)),
    ];
    for transform in bad {
        app.insert(container, transform);
        app.spawn((FluidBlob::from(Circle::new(50.0)), transform));
        app.spawn((FluidForce::repel(50.0, 100.0), transform.with_scale(Vec3::ZERO)));
        app.update();
        assert_eq!(*app.first_container(), valid, "the last valid place stays");
        assert!(app.positions().is_empty());
        assert!(app.fluid().forces().is_empty());
    }
}
