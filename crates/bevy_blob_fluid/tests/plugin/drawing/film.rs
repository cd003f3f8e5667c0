//! Baked liquid on the screen.

use bevy_blob_fluid::FluidFilm;
use bevy_blob_fluid::blob_fluid::{BakeSettings, FluidBaker};
use bevy_blob_fluid::render::raw::FluidInstances;

use crate::app::*;

/// A dam that breaks, without a window.
fn dam() -> App {
    let mut app = app_of(BlobFluidPlugins::default());
    app.start();
    let world = app.world_mut();
    world.spawn(FluidContainer::from(Rectangle::new(400.0, 300.0)));
    world.spawn((
        FluidBlob::from(Rectangle::new(120.0, 200.0)),
        FluidClass::HEAVY,
        xy(-130.0, -40.0),
    ));
    world.spawn((FluidBlob::from(Rectangle::new(60.0, 60.0)), FluidClass::LIGHT, xy(100.0, 60.0)));
    app
}

/// Positions that are drawn, in the order of their places.
fn drawn(app: &App) -> Vec<(Vec2, u8)> {
    let instances = app.resource::<FluidInstances>();
    let mut drawn: Vec<_> = instances
        .as_slice()
        .iter()
        .map(|instance| (instance.position(), instance.class()))
        .collect();
    drawn.sort_by(|(one, _), (other, _)| {
        (one.x, one.y).partial_cmp(&(other.x, other.y)).expect("numbers")
    });
    drawn
}

#[test]
fn a_film_draws_what_was_simulated_and_the_simulation_comes_back() {
    let mut app = dam();
    app.update();
    let mut baker = FluidBaker::new(app.fluid(), BakeSettings { frame_rate: 64.0, ..default() })
        .expect("valid");
    for _ in 0..64 {
        app.update();
        baker.after_tick(app.fluid());
    }
    let simulated = drawn(&app);
    let bytes = baker.baked().to_bytes();

    // In another app, whose classes stand in another order, and which has no liquid.
    let mut app = app_of(BlobFluidPlugins::default());
    let classes = FluidClasses::default();
    let turned: Vec<_> = classes.iter().rev().cloned().collect();
    app.insert_resource(FluidClasses::from(turned));
    app.start();
    app.update();
    let mut film = FluidFilm::from_bytes(&bytes).expect("baked");
    film.set_time(1.0);
    film.speed = 0.0;
    let half_a_step = 0.5 * film.baked().settings().position_step * film.baked().particle_spacing();
    app.insert_resource(film);
    app.update();
    let shown = drawn(&app);
    assert_eq!(shown.len(), simulated.len());
    let classes = [0, 1, 2].map(|class| {
        let count = |drawn: &[(Vec2, u8)], class: u8| {
            drawn.iter().filter(|(_, other)| *other == class).count()
        };
        (count(&simulated, class), count(&shown, 2 - class))
    });
    assert!(classes.iter().all(|(simulated, shown)| simulated == shown), "{classes:?}");
    // The nearest one is as near as it was baked.
    for (at, _) in &simulated {
        let nearest = shown.iter().map(|(other, _)| other.distance(*at)).fold(f32::MAX, f32::min);
        assert!(nearest <= 2.0 * half_a_step, "{nearest} of {half_a_step}");
    }

    // In a game that has none of these classes.
    let own = ["lava", "stone"].map(|name| DensityClass { name: name.into(), ..default() });
    app.insert_resource(FluidClasses::from(own.to_vec()));
    app.update();
    assert!(drawn(&app).iter().all(|(_, class)| *class == 0));

    app.world_mut().remove_resource::<FluidFilm>();
    app.update();
    assert!(drawn(&app).is_empty(), "this app's own liquid");
}

#[test]
fn a_film_pauses_ends_repeats_and_runs_back() {
    let mut app = dam();
    app.update();
    let mut baker = FluidBaker::new(app.fluid(), BakeSettings::default()).expect("valid");
    for _ in 0..16 {
        app.update();
        baker.after_tick(app.fluid());
    }
    let length = baker.baked().seconds();
    app.insert_resource(FluidFilm::new(baker.baked().clone()));
    let time = |app: &App| app.resource::<FluidFilm>().time();
    app.update();
    assert_eq!(time(&app), 0.0, "the first moment is shown");
    app.update();
    let tick = time(&app);
    assert!((tick - 1.0 / 64.0).abs() < 1e-9, "{tick}");
    app.resource_mut::<Time<Virtual>>().pause();
    app.update();
    assert_eq!(time(&app), tick);
    app.resource_mut::<Time<Virtual>>().unpause();
    app.updates(20);
    assert_eq!(time(&app), length);
    assert!(app.resource::<FluidFilm>().is_over());
    app.resource_mut::<FluidFilm>().speed = -1.0;
    app.updates(20);
    assert_eq!(time(&app), 0.0);
    app.resource_mut::<FluidFilm>().repeats = true;
    app.update();
    assert!((time(&app) - (length - tick)).abs() < 1e-9, "{}", time(&app));
    assert!(!app.resource::<FluidFilm>().is_over());
    app.resource_mut::<FluidFilm>().speed = f64::NAN;
    app.update();
    assert!((time(&app) - (length - tick)).abs() < 1e-9);
}
