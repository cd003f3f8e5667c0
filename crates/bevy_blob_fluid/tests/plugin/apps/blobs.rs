//! Blobs become particles.

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings, take_warnings_about};

#[test]
fn a_blob_becomes_particles_of_its_class_and_falls() {
    let mut app = headless(default());
    let blob = spawn_blob(&mut app);
    app.update();
    let count = app.particles();
    assert!(count > 50);
    assert_eq!(
        app.world().get::<FluidBlobFilled>(blob).map(|filled| filled.particles),
        Some(count)
    );
    assert!(app.fluid().particles().classes().iter().all(|class| *class == ClassId::HEAVY));
    app.updates(20);
    assert_eq!(app.particles(), count, "a blob fills once");
    let fall: f32 = app.velocities().iter().map(|velocity| velocity.y).sum();
    let expected = -200.0 * 21.0 / 64.0 * count as f32;
    assert!((fall / expected - 1.0).abs() < 0.05, "nearly free fall: {fall} against {expected}");
}

#[test]
fn a_full_world_cuts_blobs_short() {
    for (capacity, expected) in [(0, 0), (1, 1), (10, 10)] {
        let mut app = headless(default());
        app.settings().capacity = capacity;
        spawn_blob(&mut app);
        app.update();
        assert_eq!(app.particles(), expected);
    }
    let mut app = headless(default());
    app.settings().capacity = usize::MAX;
    spawn_blob(&mut app);
    app.update();
    assert!(app.particles() > 50);
}

#[test]
fn a_blob_is_clipped_to_what_is_free() {
    let mut app = headless(default());
    spawn_container(&mut app, 0.0);
    let larger = FluidBlob::from(Circle::new(200.0));
    let first = app.spawn(larger.clone());
    app.update();
    let filled = |app: &App, blob: Entity| *app.component::<FluidBlobFilled>(blob);
    let first_filled = filled(&app, first);
    assert!(first_filled.particles > 0 && first_filled.left_out_by_walls > first_filled.particles);
    let held = app.positions().iter().all(|at| at.length() < 100.0);
    assert!(held, "none is outside of the container");
    // No place is left.
    let second = app.spawn(FluidBlob::from(Circle::new(60.0)));
    app.update();
    let second_filled = filled(&app, second);
    assert!(second_filled.left_out_by_liquid > 10 * second_filled.particles, "{second_filled:?}");
    let whole = app.spawn(larger.unclipped());
    app.update();
    let whole_filled = filled(&app, whole);
    assert_eq!(whole_filled.particles, first_filled.particles + first_filled.left_out_by_walls);
    assert_eq!((whole_filled.left_out_by_walls, whole_filled.left_out_by_liquid), (0, 0));
}

#[test]
fn a_huge_blob_is_cut_short_without_being_laid_out() {
    let mut app = headless(default());
    app.settings().capacity = 100;
    app.spawn(FluidBlob::from(Rectangle::new(1e6, 1e6)));
    app.update();
    assert_eq!(app.particles(), 100);
}

#[test]
fn forces_heat_and_blobs_come_warm() {
    let mut app = headless(default());
    app.spawn((FluidBlob::from(Circle::new(20.0)).with_temperature(60.0), FluidClass::HEAVY));
    app.spawn(FluidForce::heat(100.0, 640.0));
    app.update();
    let temperatures = app.fluid().particles().temperatures();
    // Ten degrees a tick in the middle, next to nothing less so close to it.
    assert!(temperatures.iter().all(|t| (69.0..=70.0).contains(t)), "{temperatures:?}");
}

#[test]
fn a_carried_cup_is_filled_up_to_a_level_with_a_mix() {
    keep_warnings();
    let mut app = headless(default());
    let points = [(-70.0, 120.0), (-50.0, 0.0), (50.0, 0.0), (70.0, 120.0)].map(Vec2::from);
    let cup = app.spawn((FluidCollider::from(Polyline2d::new(points)), xy(100.0, 50.0)));
    let mix = [(ClassId::HEAVY, 1.0), (ClassId::LIGHT, 1.0)];
    let wine = app.spawn((FluidBlob::up_to(60.0).with_mix(mix), xy(0.0, 20.0), ChildOf(cup)));
    let spilt = (FluidBlob::up_to(110.0), Name::new("a cup that is too full"), xy(100.0, 70.0));
    let spilt = app.spawn(spilt);
    app.update();
    let filled = app.component::<FluidBlobFilled>(wine).particles;
    assert_eq!((filled, app.component::<FluidBlobFilled>(spilt).particles), (app.particles(), 0));
    let warnings = take_warnings("a cup that is too full");
    assert!(warnings.len() == 1 && warnings[0].contains("open below the level"), "{warnings:?}");
    let heavy = app.fluid().particles().classes().iter().filter(|class| **class == ClassId::HEAVY);
    assert!((heavy.count() as f32 / filled as f32 - 0.5).abs() < 0.02);
    // New liquid is less dense than at rest, and stands up to four spacings above the level.
    let highest = 130.0 + 4.0 * app.settings().parameters.particle_spacing;
    let inside = |at: &Vec2| (50.0..highest).contains(&at.y) && (at.x - 100.0).abs() < 70.0;
    assert!(app.positions().iter().all(inside) && filled > 60, "{filled}");
}

#[test]
fn particles_that_wait_in_a_crowd_are_counted_and_warned_about_once() {
    keep_warnings();
    let mut app = headless(default());
    let count = 2000;
    for _ in 0..count {
        app.fluid_mut().spawn(ParticleSpawn::default()).expect("valid");
    }
    app.update();
    let waiting = app.world().resource::<FluidStatistics>().waiting;
    assert!(waiting > 0 && waiting < count, "{waiting} wait");
    app.updates(3);
    let warnings = take_warnings_about("touch no others");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with(&format!("{waiting} fluid particles")), "{warnings:?}");
    assert_eq!(app.particles(), count, "none is lost");
}
