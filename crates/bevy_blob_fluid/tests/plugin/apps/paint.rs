//! Paint in a headless app: blobs, emitters and brushes give it, sensors and questions tell it.

use bevy_blob_fluid::blob_fluid::ParticleSpawn;

use crate::app::*;

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
