//! One call sets the clocks of the liquid and of an engine.

use bevy::ecs::system::RunSystemOnce;

use super::engine::{Kind, TestEngine};
use super::tank::{app, position_of, run, spawn_coupled};
use crate::app::*;

/// An app in which a body and a drop of liquid fall.
fn falling<E: TestEngine>() -> (App, Entity) {
    // Without drag both gain what gravity gives.
    let mut settings = FluidSettings::default();
    (settings.parameters.settling.drag, settings.parameters.settling.calm_drag) = (0.0, 0.0);
    let mut app = app::<E>(settings);
    let body = E::circle(10.0);
    let body = spawn_coupled::<E>(&mut app, Kind::Dynamic, body, 1.0, xy(500.0, 0.0));
    // The engine knows its bodies after an update.
    run(&mut app, 0.1);
    app.add_particle(default());
    (app, body)
}

fn set(app: &mut App, change: impl Fn(&mut FluidClocks) + Send + Sync + 'static) {
    let change = move |mut clocks: FluidClocks| change(&mut clocks);
    app.world_mut().run_system_once(change).expect("all clocks are there");
}

/// Velocities downwards of the body and of the drop.
fn speeds<E: TestEngine>(app: &App, body: Entity) -> [f32; 2] {
    [-E::motion(app.world(), body).0.y, -app.velocities()[0].y]
}

/// Paused, neither moves; both go on from where they were.
pub fn paused<E: TestEngine>() {
    let (mut app, body) = falling::<E>();
    run(&mut app, 0.2);
    set(&mut app, |clocks| clocks.pause());
    // What the engine did last is seen in the next update.
    app.update();
    let state = |app: &App| (position_of(app, body), app.positions()[0], speeds::<E>(app, body));
    let before = state(&app);
    run(&mut app, 0.5);
    assert_eq!(state(&app), before);
    set(&mut app, |clocks| {
        assert!(clocks.is_paused());
        clocks.unpause();
    });
    run(&mut app, 0.5);
    let [of_body, of_drop] = speeds::<E>(&app, body);
    let [body_then, drop_then] = before.2;
    for gained in [of_body - body_then, of_drop - drop_then] {
        // Gravity is 200 per second squared.
        assert!((gained - 100.0).abs() < 8.0, "{gained}");
    }
}

/// At a quarter of the speed both gain a quarter of the velocity, and at full speed again all of it.
pub fn slowed<E: TestEngine>() {
    let (mut app, body) = falling::<E>();
    for speed in [1.0, 0.25, 0.5, 1.0, 0.0, 1.0] {
        set(&mut app, move |clocks| clocks.set_relative_speed(speed));
        let before = speeds::<E>(&app, body);
        run(&mut app, 0.5);
        let after = speeds::<E>(&app, body);
        for (after, before) in after.into_iter().zip(before) {
            let (gained, expected) = (after - before, 100.0 * speed as f32);
            assert!((gained - expected).abs() < 8.0, "{speed}: {gained} of {expected}");
        }
    }
}
