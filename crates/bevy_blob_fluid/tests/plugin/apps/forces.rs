//! Forces and impulses in a headless app.

use std::f32::consts::FRAC_PI_2;
use std::time::Duration;

use bevy::ecs::system::RunSystemOnce;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::{FieldParticles, FluidBounds, Force, ForceField, ParticleSpawn};

use crate::app::*;

/// Length of a tick, in seconds.
const TICK: f32 = 1.0 / 64.0;

fn forces(app: &App) -> &[Force] {
    app.fluid().forces()
}

fn drop_at(app: &mut App, position: Vec2) {
    app.add_particle(ParticleSpawn { position, ..default() });
}

fn velocity(app: &App) -> Vec2 {
    app.velocities()[0]
}

#[track_caller]
fn assert_near(a: Vec2, b: Vec2) {
    assert!(a.distance(b) < 1e-3 * (1.0 + b.length()), "{a} against {b}");
}

#[test]
fn transforms_place_turn_and_scale_but_never_speed_up() {
    let mut app = weightless();
    let parent = xy(100.0, 0.0)
        .with_rotation(Quat::from_rotation_z(FRAC_PI_2))
        .with_scale(Vec3::new(2.0, 2.0, 1.0));
    let parent = app.spawn(parent);
    let fan = FluidForce {
        conveyor: Vec2::Y * 3.0,
        grip: 1.0,
        acceleration: Vec2::new(4.0, 0.0),
        ..FluidForce::wind(&Rectangle::new(40.0, 10.0), Vec2::X * 60.0, 2.0)
    };
    let fan = app.spawn((fan, xy(10.0, 0.0), ChildOf(parent)));
    app.update();
    let force = &forces(&app)[0];
    assert_near(force.centre, Vec2::new(100.0, 20.0));
    assert_near(force.wind, Vec2::Y * 60.0);
    assert_near(force.conveyor, Vec2::X * -3.0);
    assert_near(force.acceleration, Vec2::Y * 4.0);
    let region = force.region.clone().expect("a rectangle");
    assert!(region.contains(Vec2::new(109.0, 59.0)) && !region.contains(Vec2::new(111.0, 20.0)));
    assert!(!region.contains(Vec2::new(100.0, 61.0)));

    app.insert(parent, Transform::from_scale(Vec3::ZERO));
    app.update();
    assert!(forces(&app).is_empty());
    app.insert(parent, Transform::IDENTITY);
    app.update();
    assert_near(forces(&app)[0].wind, Vec2::X * 60.0);
    app.insert(fan, FluidForce::drag(&Circle::new(-1.0), 1.0));
    app.update();
    assert!(forces(&app).is_empty(), "no shape");
    app.insert(fan, FluidForce { drag: f32::NAN, ..default() });
    app.update();
    assert!(forces(&app).is_empty(), "no number");
}

#[test]
fn a_force_without_a_shape_is_everywhere_and_a_filter_counts() {
    let mut app = weightless();
    drop_at(&mut app, Vec2::new(5e4, 3.0));
    let push = app.spawn(FluidForce { acceleration: Vec2::X * 64.0, ..default() });
    app.update();
    assert_near(velocity(&app), Vec2::X);
    let others = ClassFilter::ALL.without(ClassId::default());
    app.insert(push, FluidForce { acceleration: Vec2::X * 64.0, ..default() }.acting_on(others));
    app.update();
    assert_near(velocity(&app), Vec2::X);
}

#[test]
fn what_comes_and_goes_in_a_frame_leaves_nothing() {
    let mut app = weightless();
    drop_at(&mut app, Vec2::X);
    let entity = app.spawn(FluidForce::attract(50.0, 100.0));
    app.remove::<FluidForce>(entity);
    app.update();
    assert!(forces(&app).is_empty());
    app.insert(entity, FluidForce::repel(50.0, 100.0));
    app.remove::<Transform>(entity);
    app.update();
    assert!(forces(&app).is_empty(), "it has no place");
    app.insert(entity, Transform::IDENTITY);
    app.update();
    assert_eq!(forces(&app).len(), 1);
    app.despawn(entity);
    app.world_mut().spawn(FluidImpulse::explosion(50.0, 100.0)).despawn();
    let before = velocity(&app);
    app.update();
    assert!(forces(&app).is_empty());
    assert_near(velocity(&app), before);
}

/// How often the only particle was pushed by an impulse of 1 world unit/s.
fn pushes(app: &App) -> f32 {
    velocity(app).x
}

fn impulse() -> FluidImpulse {
    FluidImpulse(FluidForce { acceleration: Vec2::X, ..default() })
}

#[test]
fn an_impulse_acts_once_however_many_ticks_a_frame_has() {
    let mut app = weightless();
    drop_at(&mut app, Vec2::ZERO);
    let entity = app.spawn(impulse());
    let wait = |app: &mut App, ticks: u32| {
        let wait = TimeUpdateStrategy::ManualDuration(Duration::from_secs_f32(TICK) * ticks);
        app.insert_resource(wait);
        app.update();
    };
    wait(&mut app, 0);
    assert_eq!(pushes(&app), 0.0, "no tick, no impulse");
    assert!(app.world().entity(entity).contains::<FluidImpulse>());
    app.clock().pause();
    wait(&mut app, 3);
    assert_eq!(pushes(&app), 0.0, "paused");
    app.clock().unpause();
    let ticks = app.fluid().ticks();
    wait(&mut app, 3);
    assert!(app.fluid().ticks() >= ticks + 2, "several ticks");
    assert_near(velocity(&app), Vec2::X);
    assert!(!app.world().entity(entity).contains::<FluidImpulse>());
    wait(&mut app, 1);
    assert_near(velocity(&app), Vec2::X);
    app.insert(entity, impulse());
    wait(&mut app, 2);
    assert_near(velocity(&app), Vec2::X * 2.0);
}

#[test]
fn an_impulse_takes_its_place_from_its_entity_and_waits_while_that_has_none() {
    let mut app = weightless();
    drop_at(&mut app, Vec2::new(10.0, 5.0));
    let turned =
        xy(10.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2)).with_scale(Vec3::ZERO);
    let entity = app.spawn((FluidImpulse::push(&Rectangle::new(20.0, 4.0), Vec2::X * 7.0), turned));
    app.update();
    assert_eq!(velocity(&app), Vec2::ZERO);
    assert!(app.world().entity(entity).contains::<FluidImpulse>());
    app.insert(entity, turned.with_scale(Vec3::ONE));
    app.update();
    assert_near(velocity(&app), Vec2::Y * 7.0);
}

#[test]
fn an_impulse_reaches_what_is_spawned_in_the_same_tick() {
    let mut app = weightless();
    let spawn = |mut fluid: ResMut<FluidSimulation>| {
        if fluid.particles().is_empty() {
            fluid.spawn(ParticleSpawn::default()).expect("room");
        }
    };
    app.add_systems(FluidSchedule, spawn.in_set(FluidTickSystems::Spawn));
    app.spawn(impulse());
    app.update();
    assert_near(velocity(&app), Vec2::X);
}

/// Blows to the right in a box.
struct Draught(FluidBounds);

impl ForceField for Draught {
    fn bounds(&self) -> FluidBounds {
        self.0
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        for (position, velocity) in particles.positions.iter().zip(&mut *particles.velocities) {
            if self.0.contains(*position) {
                velocity.x += 64.0 * particles.time_step;
            }
        }
    }
}

#[test]
fn fields_of_the_game_act_until_they_are_taken_away() {
    let mut app = weightless();
    drop_at(&mut app, Vec2::ZERO);
    let add = |low: f32| {
        move |mut fields: ResMut<FluidForceFields>| {
            fields.clear();
            fields.add(Draught(FluidBounds { low: Vec2::splat(low), high: Vec2::splat(90.0) }));
        }
    };
    let run = |app: &mut App, low: f32| {
        app.world_mut().run_system_once(add(low)).expect("runs");
        app.update();
    };
    run(&mut app, 50.0);
    assert_eq!(velocity(&app), Vec2::ZERO);
    run(&mut app, -90.0);
    assert_near(velocity(&app), Vec2::X);
    app.update();
    assert_near(velocity(&app), Vec2::X * 2.0);
    app.resource_mut::<FluidForceFields>().clear();
    app.update();
    assert_near(velocity(&app), Vec2::X * 2.0);
}

/// A field that pushes to the right, by 64 world units/s in every tick.
fn push() -> FluidField {
    FluidField::new(|particles: &mut FieldParticles<'_>| {
        let pushed = particles.velocities.iter_mut();
        pushed.for_each(|velocity| velocity.x += 4096.0 * particles.time_step);
    })
}

#[test]
fn a_field_acts_in_its_region_and_goes_with_its_entity() {
    let mut app = weightless();
    for x in [0.0, 100.0] {
        drop_at(&mut app, Vec2::new(x, 0.0));
    }
    let near = |app: &App, x: f32| {
        let particles = app.fluid().particles();
        let of = particles.indices_by_slot().nth(usize::from(x > 50.0)).expect("alive");
        particles.velocities()[of].x
    };
    let turned =
        xy(100.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2)).with_scale(Vec3::splat(2.0));
    let field = push().within(&Rectangle::new(100.0, 4.0));
    let field = app.spawn((field, turned));
    app.update();
    assert_eq!((near(&app, 0.0), near(&app, 100.0)), (0.0, 64.0));
    app.transform(field).translation.x = 0.0;
    app.update();
    assert_eq!((near(&app, 0.0), near(&app, 100.0)), (64.0, 64.0));
    // Its scale is impossible: it waits.
    app.transform(field).scale.x = 0.0;
    app.update();
    assert_eq!((near(&app, 0.0), near(&app, 100.0)), (64.0, 64.0));
    app.insert(field, push());
    app.transform(field).scale.x = 1.0;
    app.update();
    assert_eq!((near(&app, 0.0), near(&app, 100.0)), (128.0, 128.0), "it acts everywhere");
    app.despawn(field);
    app.update();
    assert_eq!((near(&app, 0.0), near(&app, 100.0)), (128.0, 128.0));
    assert!(app.fluid().force_fields().is_empty());
}

#[test]
fn fields_of_entities_and_of_the_resource_act_together() {
    let mut app = weightless();
    drop_at(&mut app, Vec2::ZERO);
    app.spawn(push());
    app.resource_mut::<FluidForceFields>().add(|particles: &mut FieldParticles<'_>| {
        particles.velocities.iter_mut().for_each(|velocity| velocity.y += 1.0);
    });
    app.update();
    assert_eq!(velocity(&app), Vec2::new(64.0, 1.0));
    app.resource_mut::<FluidForceFields>().clear();
    app.update();
    assert_eq!(velocity(&app), Vec2::new(128.0, 1.0));
}

// Paint in a headless app: blobs, emitters and brushes give it, sensors and questions tell it.

const RED: Color = Color::linear_rgb(0.9, 0.1, 0.05);
const BLUE: Color = Color::linear_rgb(0.05, 0.1, 0.9);

/// An app of one class that takes paint, in a box.
fn painted() -> App {
    let mut app = headless(without_gravity());
    let paint = Some(FluidPaint { diffusion: 0.0, ..default() });
    app.insert_resource(FluidClasses::from(vec![DensityClass {
        name: "paint".into(),
        paint,
        ..default()
    }]));
    app.update();
    app
}

fn mean(app: &App, at: Vec2, radius: f32) -> Option<Vec3> {
    let region = FluidRegion::circle(at, radius).expect("valid");
    app.fluid().mean_paint(&region, ClassFilter::ALL).map(Vec3::from)
}

fn numbers(color: Color) -> Vec3 {
    color.to_linear().to_vec3()
}

#[test]
fn blobs_and_emitters_have_their_paint_and_others_that_of_their_class() {
    let mut app = painted();
    let disc = || FluidBlob::from(Circle::new(30.0));
    app.spawn((disc().with_paint(RED), xy(-100.0, 0.0)));
    app.spawn((disc(), xy(100.0, 0.0)));
    app.spawn((FluidEmitter::jet(20.0, 60.0).with_paint(BLUE), xy(0.0, 100.0)));
    app.updates(20);
    let near = |found: Option<Vec3>, wanted: Vec3| {
        let found = found.expect("paint there");
        assert!(found.abs_diff_eq(wanted, 1e-4), "{found} where {wanted} should be");
    };
    near(mean(&app, Vec2::new(-100.0, 0.0), 60.0), numbers(RED));
    near(mean(&app, Vec2::new(100.0, 0.0), 60.0), Vec3::ONE);
    near(mean(&app, Vec2::new(0.0, 110.0), 40.0), numbers(BLUE));
    assert_eq!(mean(&app, Vec2::new(0.0, -300.0), 40.0), None);
}

#[test]
fn a_sensor_tells_what_becomes_of_what_is_in_it() {
    let mut app = painted();
    let half = |x: f32| (FluidBlob::from(Rectangle::new(60.0, 60.0)), xy(x, 0.0));
    let ((left, at_left), (right, at_right)) = (half(-30.0), half(30.0));
    app.spawn((left.with_paint(Color::linear_rgb(0.0, 0.05, 1.0)), at_left));
    app.spawn((right.with_paint(Color::linear_rgb(1.0, 0.85, 0.0)), at_right));
    let sensor = app.spawn((FluidSensor::from(Circle::new(200.0)), xy(0.0, 0.0)));
    app.updates(4);
    let reading = app.world().get::<FluidSensorReading>(sensor).expect("a reading");
    let [red, green, blue] = reading.paint.expect("paint");
    assert!(green > 2.0 * red && green > 2.0 * blue, "{:?} is no green", reading.paint);
    let empty = app.spawn((FluidSensor::from(Circle::new(20.0)), xy(0.0, 500.0)));
    app.updates(2);
    assert_eq!(app.world().get::<FluidSensorReading>(empty).expect("a reading").paint, None);
}

#[test]
fn a_brush_paints_where_its_entity_is_at_its_rate() {
    let mut app = painted();
    app.spawn((FluidBlob::from(Circle::new(80.0)), xy(0.0, 0.0)));
    app.updates(2);
    let brush = FluidBrush::new(&Circle::new(20.0), RED);
    let entity = app.spawn((brush.clone(), xy(-40.0, 0.0)));
    app.updates(2);
    let found = mean(&app, Vec2::new(-40.0, 0.0), 15.0).expect("paint");
    assert!(found.abs_diff_eq(numbers(RED), 1e-3), "{found}");
    let other = mean(&app, Vec2::new(40.0, 0.0), 20.0).expect("paint");
    assert!(other.abs_diff_eq(Vec3::ONE, 1e-4), "{other}");
    // A slow brush mixes its colour in.
    let slow = FluidBrush { color: BLUE, ..brush.clone().with_rate(2.0) };
    app.world_mut().entity_mut(entity).insert((slow, xy(40.0, 0.0)));
    app.updates(2);
    let faint = mean(&app, Vec2::new(40.0, 0.0), 15.0).expect("paint");
    assert!(faint.x < 0.97 && faint.x > 0.3, "{faint}");
    // One that does not paint leaves all as it is.
    app.insert(entity, (FluidBrush { painting: false, ..brush }, xy(0.0, 60.0)));
    app.updates(2);
    let left = mean(&app, Vec2::new(0.0, 60.0), 15.0).expect("paint");
    assert!(left.abs_diff_eq(Vec3::ONE, 1e-4), "{left}");
}

#[test]
fn a_particle_that_is_given_paint_in_a_class_without_any_has_none() {
    let mut app = headless(without_gravity());
    app.add_particle(ParticleSpawn { paint: Some([1.0, 0.0, 0.0]), ..default() });
    app.update();
    assert_eq!(app.fluid().particles().paint(0), None);
}
