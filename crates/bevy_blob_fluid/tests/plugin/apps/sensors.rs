//! Sensors, blobs, splashes and questions in a headless app.

use std::time::Duration;

use bevy::app::Plugins;
use bevy::ecs::entity_disabling::Disabled;
use bevy::time::TimeUpdateStrategy;

use crate::app::*;

/// An app in which every update is one tick, and which remembers what was told.
fn headless() -> App {
    app_with(
        TimeUpdateStrategy::FixedTimesteps(1),
        (FluidBlobsPlugin::default(), FluidSplashPlugin::default()),
    )
}

fn app_with<M>(time: TimeUpdateStrategy, more: impl Plugins<M>) -> App {
    let mut app = app_of((BlobFluidPlugins::default(), more));
    app.insert_resource(time).insert_resource(without_gravity()).init_resource::<Told>();
    listen::<FluidEntered>(&mut app, |told| (told.entity, "entered", told.particles.len()));
    listen::<FluidLeft>(&mut app, |told| (told.entity, "left", told.particles.len()));
    listen::<FluidFilled>(&mut app, |told| (told.entity, "filled", 0));
    listen::<FluidDrained>(&mut app, |told| (told.entity, "drained", 0));
    app.start();
    app
}

/// What was told: of which sensor, what, and of how many particles.
type Item = (Entity, &'static str, usize);

#[derive(Resource, Default)]
struct Told {
    read: Vec<Item>,
    observed: Vec<Item>,
}

/// Keeps what readers and observers are told.
fn listen<T: Event + Message>(app: &mut App, item: fn(&T) -> Item) {
    let read = move |mut told: ResMut<Told>, mut messages: MessageReader<T>| {
        told.read.extend(messages.read().map(item));
    };
    // Which of them reads first makes no difference.
    let read = read.after(FluidSenseSystems::Splashes).ambiguous_with_all();
    app.add_systems(FluidSchedule, read)
        .add_observer(move |on: On<T>, mut told: ResMut<Told>| told.observed.push(item(&on)));
}

/// What was told since the last time, which readers and observers must agree on.
fn told(app: &mut App) -> Vec<Item> {
    let Told { mut read, mut observed } = std::mem::take(&mut *app.resource_mut::<Told>());
    let by_age = |item: &Item| (item.0.index(), item.1);
    read.sort_unstable_by_key(by_age);
    observed.sort_unstable_by_key(by_age);
    assert_eq!(read, observed);
    read
}

fn add(app: &mut App, position: Vec2, class: ClassId) -> ParticleId {
    app.add_particle(ParticleSpawn { position, class, ..default() })
}

fn remove(app: &mut App, id: ParticleId) {
    assert!(app.fluid_mut().despawn(id));
}

fn sense(app: &mut App, sensor: FluidSensor, transform: Transform) -> Entity {
    app.spawn((sensor, transform))
}

fn reading(app: &App, sensor: Entity) -> &FluidSensorReading {
    app.component::<FluidSensorReading>(sensor)
}

#[test]
fn a_sensor_counts_by_class_and_tells_who_came_and_left() {
    let mut app = headless();
    let sensor = sense(&mut app, Circle::new(50.0).into(), Transform::default());
    let only_light = FluidSensor::from(Circle::new(50.0)).with_classes(ClassId::LIGHT);
    let only_light = sense(&mut app, only_light, Transform::default());
    app.update();
    assert_eq!(told(&mut app), []);
    let heavy = add(&mut app, Vec2::new(-40.0, 0.0), ClassId::HEAVY);
    add(&mut app, Vec2::new(40.0, 0.0), ClassId::LIGHT);
    add(&mut app, Vec2::new(90.0, 0.0), ClassId::LIGHT);
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 2), (only_light, "entered", 1)]);
    assert_eq!(reading(&app, sensor).classes, [1, 0, 1]);
    assert_eq!(reading(&app, only_light).classes, [0, 0, 1]);
    assert!(reading(&app, sensor).inflow > 0.0);
    app.update();
    assert_eq!(told(&mut app), [], "nothing new");
    remove(&mut app, heavy);
    app.update();
    assert_eq!(told(&mut app), [(sensor, "left", 1)]);
}

#[test]
fn a_sensor_says_whether_it_has_measured() {
    let mut app = headless();
    let sensor = sense(&mut app, Circle::new(50.0).into(), Transform::default());
    assert!(!reading(&app, sensor).measured, "it was spawned just now");
    app.update();
    assert!(reading(&app, sensor).measured && reading(&app, sensor).count == 0);
    FluidSimulation::restart(app.world_mut());
    assert!(!reading(&app, sensor).measured, "it begins anew");
    app.update();
    assert!(reading(&app, sensor).measured);
}

#[test]
fn a_sensor_counts_classes_by_names_that_come_later() {
    let mut app = headless();
    let sensor = FluidSensor::from(Circle::new(50.0)).with_classes(["tar", "light"]);
    let sensor = sense(&mut app, sensor, Transform::default());
    add(&mut app, Vec2::new(-40.0, 0.0), ClassId::HEAVY);
    add(&mut app, Vec2::new(40.0, 0.0), ClassId::LIGHT);
    app.update();
    assert_eq!((told(&mut app), reading(&app, sensor).count), (vec![(sensor, "entered", 1)], 1));
    // The name is given to a class of what is there.
    app.resource_mut::<FluidClasses>()[ClassId::HEAVY].name = "tar".into();
    app.update();
    assert_eq!((told(&mut app), reading(&app, sensor).count), (vec![(sensor, "entered", 1)], 2));
    app.resource_mut::<FluidClasses>()[ClassId::LIGHT].name = "oil".into();
    app.update();
    assert_eq!((told(&mut app), reading(&app, sensor).count), (vec![(sensor, "left", 1)], 1));
}

#[test]
fn a_level_is_told_once_per_crossing_and_does_not_flicker() {
    let mut app = headless();
    let spacing = app.resource::<FluidSettings>().parameters.particle_spacing;
    // Room for 16, full at 8 and empty below 4.
    let sensor = FluidSensor::from(Rectangle::from_size(Vec2::splat(4.0 * spacing)));
    let sensor = sense(&mut app, sensor.with_levels(0.5, 0.25), Transform::default());
    let mut inside: Vec<ParticleId> = Vec::new();
    let mut levels = Vec::new();
    for wanted in [7, 8, 7, 8, 4, 8, 4, 3, 4, 3, 7, 8, 3] {
        inside.drain(..).for_each(|id| remove(&mut app, id));
        for number in 0..wanted {
            let cell = Vec2::new((number % 4) as f32, (number / 4) as f32) - 1.5;
            inside.push(add(&mut app, 0.9 * spacing * cell, ClassId::HEAVY));
        }
        app.update();
        assert_eq!(reading(&app, sensor).count, wanted);
        let told = told(&mut app);
        levels.extend(told.iter().filter(|item| item.2 == 0).map(|item| (wanted, item.1)));
    }
    assert_eq!(levels, [(8, "filled"), (3, "drained"), (8, "filled"), (3, "drained")]);
}

#[test]
fn sensors_follow_their_entities() {
    let mut app = headless();
    let there = Vec2::new(100.0, 230.0);
    add(&mut app, there, ClassId::HEAVY);
    // 100 to the right of a parent that is turned upwards, and twice as large.
    let turned = Transform::from_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2));
    let parent = turned.with_translation(Vec3::new(100.0, 0.0, 5.0)).with_scale(Vec3::splat(2.0));
    let sensor = app.spawn((FluidSensor::from(Rectangle::new(40.0, 4.0)), xy(100.0, 0.0)));
    let parent = app.world_mut().spawn(parent).add_child(sensor).id();
    app.update();
    // Half as long is 20 world units to either side of y = 200; 40 with the scale.
    assert_eq!(reading(&app, sensor).count, 1);
    assert!((reading(&app, sensor).fill - 30.0_f32.powi(2) / 3.8_f32.powi(2) / 640.0).abs() < 1e-4);
    app.transform(parent).scale = Vec3::ONE;
    app.update();
    assert_eq!(reading(&app, sensor).count, 0);
    assert_eq!(told(&mut app), [(sensor, "entered", 1), (sensor, "left", 1)]);
}

#[test]
fn what_is_refused_leaves_the_last_valid_state() {
    let mut app = headless();
    add(&mut app, Vec2::ZERO, ClassId::HEAVY);
    let flat = Transform::from_scale(Vec3::ZERO);
    let sensor = sense(&mut app, Circle::new(50.0).into(), flat);
    let narrow = Transform::from_scale(Vec3::new(0.0, 1.0, 1.0));
    let never = sense(&mut app, Circle::new(50.0).into(), narrow);
    let shapeless = sense(&mut app, Circle::new(f32::NAN).into(), Transform::default());
    app.update();
    assert_eq!((reading(&app, sensor).count, told(&mut app)), (0, vec![]));
    app.insert(sensor, Transform::default());
    app.update();
    assert_eq!((reading(&app, sensor).count, told(&mut app)), (1, vec![(sensor, "entered", 1)]));
    for point in [flat, narrow, xy(f32::NAN, 0.0)] {
        app.insert(sensor, point);
        app.update();
        assert_eq!((reading(&app, sensor).count, told(&mut app)), (1, vec![]));
    }
    let levels = FillLevels { full_at: 1e-6, empty_below: 0.5 };
    for bad in [
        FluidSensor { levels, ..Circle::new(50.0).into() },
        FluidSensor { smoothing: f32::NAN, ..Circle::new(50.0).into() },
        FluidSensor { smoothing: -1.0, ..Circle::new(1.0).into() },
    ] {
        app.insert(sensor, (bad, Transform::default()));
        app.update();
        assert_eq!((reading(&app, sensor).count, told(&mut app)), (1, vec![]));
    }
    assert_eq!(reading(&app, never).count + reading(&app, shapeless).count, 0);
}

#[test]
fn sensors_come_and_go_without_a_trace() {
    let mut app = headless();
    add(&mut app, Vec2::ZERO, ClassId::HEAVY);
    let sensor = sense(&mut app, Circle::new(50.0).into(), Transform::default());
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 1)]);
    // Removed and inserted in one frame it is a new one.
    let circle = || FluidSensor::from(Circle::new(50.0));
    app.world_mut().commands().entity(sensor).remove::<FluidSensor>().insert(circle());
    app.world_mut().flush();
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 1)]);
    // Changed, it is the same.
    app.insert(sensor, circle().with_levels(0.9, 0.1));
    app.update();
    assert_eq!(told(&mut app), []);

    app.remove::<FluidSensor>(sensor);
    assert!(app.world().get::<FluidSensorReading>(sensor).is_none());
    let only_transforms = app.world().entity(sensor).archetype().components().len();
    let plain = app.spawn((Transform::default(), FluidOrder::default()));
    assert_eq!(only_transforms, app.world().entity(plain).archetype().components().len());
    app.update();
    assert_eq!(told(&mut app), []);

    let brief = sense(&mut app, circle(), Transform::default());
    app.despawn(brief);
    let sensor = sense(&mut app, circle(), Transform::default());
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 1)]);
    app.despawn(sensor);
    app.update();
    assert_eq!(told(&mut app), []);
}

#[test]
fn a_disabled_sensor_says_nothing_and_then_what_it_missed() {
    let mut app = headless();
    let first = add(&mut app, Vec2::ZERO, ClassId::HEAVY);
    let sensor = sense(&mut app, Circle::new(50.0).into(), Transform::default());
    app.update();
    told(&mut app);
    app.insert(sensor, Disabled);
    remove(&mut app, first);
    add(&mut app, Vec2::ZERO, ClassId::LIGHT);
    for _ in 0..64 {
        app.update();
        assert_eq!(told(&mut app), []);
    }
    app.remove::<Disabled>(sensor);
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 1), (sensor, "left", 1)]);
    assert!(reading(&app, sensor).inflow < 1.01, "over a second: {:?}", reading(&app, sensor));
}

#[test]
fn observers_of_one_sensor_hear_of_no_other() {
    #[derive(Resource, Default)]
    struct Heard(u32);
    let mut app = headless();
    app.init_resource::<Heard>();
    let sensor = sense(&mut app, Circle::new(50.0).into(), Transform::default());
    sense(&mut app, Circle::new(50.0).into(), xy(500.0, 0.0));
    app.world_mut()
        .entity_mut(sensor)
        .observe(|_: On<FluidEntered>, mut heard: ResMut<Heard>| heard.0 += 1);
    add(&mut app, Vec2::new(500.0, 0.0), ClassId::HEAVY);
    app.update();
    assert_eq!(app.resource::<Heard>().0, 0);
    add(&mut app, Vec2::ZERO, ClassId::HEAVY);
    app.update();
    assert_eq!(app.resource::<Heard>().0, 1);
}

#[test]
fn every_tick_of_a_frame_is_measured_and_none_while_paused() {
    let frame = TimeUpdateStrategy::ManualDuration(Duration::from_micros(15_625 * 4));
    let mut app = app_with(frame, ());
    let sensor = sense(&mut app, Circle::new(50.0).into(), Transform::default());
    app.update();
    // One per tick.
    app.add_systems(
        FluidSchedule,
        (|mut fluid: ResMut<FluidSimulation>| {
            fluid.spawn(ParticleSpawn::default()).map(|_| ()).expect("valid");
        })
        .in_set(FluidTickSystems::Spawn),
    );
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 1); 4]);
    app.clock().pause();
    let before = reading(&app, sensor).clone();
    add(&mut app, Vec2::ZERO, ClassId::HEAVY);
    app.updates(3);
    assert_eq!(told(&mut app), []);
    assert_eq!(reading(&app, sensor), &before);
    app.clock().step_once();
    app.update();
    assert_eq!(told(&mut app), [(sensor, "entered", 2)], "the one that waited, and the tick's");
}

/// What blobs and splashes told.
#[derive(Resource, Default)]
struct Heard {
    merged: Vec<FluidBlobsMerged>,
    split: Vec<FluidBlobSplit>,
    splashes: Vec<FluidSplash>,
}

fn hear(app: &mut App) {
    app.init_resource::<Heard>()
        .add_observer(|on: On<FluidBlobsMerged>, mut heard: ResMut<Heard>| heard.merged.push(*on))
        .add_observer(|on: On<FluidBlobSplit>, mut heard: ResMut<Heard>| heard.split.push(*on))
        .add_observer(|on: On<FluidSplash>, mut heard: ResMut<Heard>| heard.splashes.push(*on));
}

#[test]
fn blobs_that_meet_and_part_are_told_of() {
    let mut app = headless();
    hear(&mut app);
    for (x, radius) in [(-40.0, 30.0), (40.0, 20.0)] {
        app.spawn((FluidBlob::from(Circle::new(radius)), xy(x, 0.0)));
    }
    app.update();
    let mut blobs = app.resource::<FluidBlobs>().blobs().to_vec();
    blobs.sort_unstable_by(|a, b| a.centre.x.total_cmp(&b.centre.x));
    let [left, right] = [0, 1].map(|number| blobs[number].id);
    let bridge: Vec<_> =
        (-2..6).map(|n| add(&mut app, Vec2::new(n as f32 * 5.0, 0.0), ClassId::MEDIUM)).collect();
    app.update();
    let messages = app.resource::<Messages<FluidBlobsMerged>>();
    let told = FluidBlobsMerged { into: left, from: right };
    assert_eq!(messages.iter_current_update_messages().collect::<Vec<_>>(), [&told]);
    assert_eq!(app.resource::<Heard>().merged, [told]);
    bridge.into_iter().for_each(|id| remove(&mut app, id));
    app.update();
    let heard = app.resource::<Heard>();
    assert!(heard.split.len() == 1 && heard.split[0].from == left, "{:?}", heard.split);
    assert_eq!(app.resource::<Messages<FluidBlobSplit>>().len(), 1);
}

#[test]
fn a_drop_on_the_floor_splashes_and_questions_find_it() {
    #[derive(Resource, Default)]
    struct Answers(Option<(f32, SurfaceHit, usize)>);
    let mut app = headless();
    hear(&mut app);
    app.init_resource::<Answers>();
    app.settings().parameters.gravity = Vec2::new(0.0, -200.0);
    app.spawn(FluidContainer::from(Rectangle::new(200.0, 300.0)));
    app.spawn(FluidBlob::from(Circle::new(40.0)));
    app.updates(64 * 5);
    let splashes = &app.resource::<Heard>().splashes;
    assert!(!splashes.is_empty() && splashes[0].position.y < -100.0, "{splashes:?}");
    app.add_systems(Update, |fluid: FluidQuery, mut answers: ResMut<Answers>| {
        let ray = Ray2d::new(Vec2::new(0.0, 100.0), -Dir2::Y);
        let hit = fluid.cast_ray(ray, 300.0, ClassFilter::ALL).expect("a puddle");
        let disc = fluid.cast_circle(Circle::new(5.0), ray, 300.0, ClassFilter::ALL);
        assert!(disc.is_some_and(|disc| disc.distance < hit.distance));
        let region = FluidRegion::rectangle(Vec2::ZERO, Vec2::new(100.0, 150.0)).expect("valid");
        let inside = fluid.particles_in(&region, ClassFilter::ALL).len();
        answers.0 = fluid.surface_height(0.0).map(|height| (height, hit, inside));
    });
    app.update();
    let (height, hit, inside) = app.resource::<Answers>().0.expect("asked");
    assert!((height - hit.point.y).abs() < 0.1 && height > -150.0 && height < -110.0, "{height}");
    assert_eq!(inside, app.particles());
}

#[test]
fn nonsense_settings_of_splashes_are_refused() {
    let detection = SplashDetection { tile: f32::NAN, ..default() };
    let app = app_with(TimeUpdateStrategy::FixedTimesteps(1), FluidSplashPlugin { detection });
    let splashes = app.resource::<FluidSplashes>();
    assert_eq!(splashes.detection(), SplashDetection::default());
}
