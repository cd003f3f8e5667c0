//! What is refused is left out with one warning that names its entity, until it is mended.

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

/// Updates for a second, in which there must be exactly one warning that names the entity.
fn warned_once(app: &mut App, name: &str) {
    app.updates(64);
    let warnings = take_warnings(name);
    assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
    assert!(warnings[0].contains("is left out"), "{warnings:?}");
}

// Row 12 of docs/reliability.md.
#[test]
fn solids_without_a_size_are_left_out_with_one_warning_until_they_have_one() {
    keep_warnings();
    let rectangle = |x, y| FluidShape::Rectangle { half_size: Vec2::new(x, y) };
    let shapes = [
        ("no radius", FluidShape::Circle { radius: 0.0 }),
        ("radius below nothing", FluidShape::Circle { radius: -5.0 }),
        ("no width", rectangle(0.0, 20.0)),
        ("inside out", rectangle(-20.0, 20.0)),
        ("upside down", rectangle(20.0, -20.0)),
        ("radius that is none", FluidShape::Circle { radius: f32::NAN }),
    ];
    for (name, shape) in shapes {
        let mut app = headless(default());
        let collider = format!("collider of {name}");
        let entity = app.spawn((FluidCollider::from(shape.clone()), Name::new(collider.clone())));
        warned_once(&mut app, &collider);
        assert_eq!((app.colliders(), app.fluid().colliders().len()), (0, 0), "{name}");
        app.insert(entity, FluidCollider::from(Circle::new(5.0)));
        app.update();
        assert_eq!(app.fluid().colliders().len(), 1, "{name}");
        // Spoilt again, it stays as it was, and is warned about again.
        app.insert(entity, FluidCollider::from(shape.clone()));
        warned_once(&mut app, &collider);
        assert_eq!(*app.first_collider().shape(), FluidShape::Circle { radius: 5.0 });

        let container = format!("container of {name}");
        app.spawn((FluidContainer::from(shape), Name::new(container.clone())));
        warned_once(&mut app, &container);
        assert_eq!(app.fluid().containers().len(), 0, "{name}");
    }
}

/// Spawns an entity of each kind that has a place, and returns their names.
fn spawn_all(app: &mut App, place: &str, transform: Transform) -> Vec<(Entity, String)> {
    let circle = Circle::new(20.0);
    let mut all = Vec::new();
    let mut named = |app: &mut App, kind: &str, spawn: &dyn Fn(&mut App) -> Entity| {
        let (entity, name) = (spawn(app), format!("{kind} with {place}"));
        app.insert(entity, (transform, Name::new(name.clone())));
        all.push((entity, name));
    };
    named(app, "container", &|app| app.spawn(FluidContainer::from(circle)));
    named(app, "collider", &|app| app.spawn(FluidCollider::from(circle)));
    named(app, "force", &|app| app.spawn(FluidForce::attract(20.0, 100.0)));
    named(app, "emitter", &|app| app.spawn(FluidEmitter::jet(20.0, 100.0)));
    named(app, "drain", &|app| app.spawn(FluidDrain::from(circle)));
    named(app, "sensor", &|app| app.spawn(FluidSensor::from(circle)));
    named(app, "blob", &|app| app.spawn(FluidBlob::from(circle)));
    named(app, "pump", &|app| app.spawn(FluidPump::new(circle, circle, Vec2::X)));
    all
}

// Row 14 of docs/reliability.md.
#[test]
fn what_has_no_place_in_the_plane_is_left_out_with_one_warning_until_it_has_one() {
    keep_warnings();
    let tilted = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let places = [
        ("a scale of 0", Transform::from_scale(Vec3::ZERO)),
        ("a width of 0", Transform::from_scale(Vec3::new(0.0, 1.0, 1.0))),
        ("a place that is none", xy(f32::NAN, 0.0)),
        ("an endless scale", Transform::from_scale(Vec3::splat(f32::INFINITY))),
        ("a tilt", Transform::from_rotation(tilted)),
    ];
    for (place, transform) in places {
        let mut app = headless(default());
        let all = spawn_all(&mut app, place, transform);
        app.updates(64);
        for (_, name) in &all {
            let warnings = take_warnings(name);
            assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        }
        let fluid = app.fluid();
        let there = (fluid.containers().len(), fluid.colliders().len(), fluid.forces().len());
        assert_eq!((there, app.particles()), ((0, 0, 0), 0), "{place}");
        // Mirrored is a place like any other.
        let mirrored = Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        all.iter().for_each(|(entity, _)| app.insert(*entity, mirrored));
        app.update();
        let fluid = app.fluid();
        let there = (fluid.containers().len(), fluid.colliders().len(), fluid.forces().len());
        assert_eq!(there, (1, 1, 1), "{place}");
        let solids_and_force = all.iter().take(3);
        solids_and_force.for_each(|(_, name)| assert_eq!(take_warnings(name), [""; 0]));
    }
}
