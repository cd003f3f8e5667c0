//! Snapshots of liquid with bodies of an engine.

use bevy_blob_fluid::FluidSnapshot;

use crate::app::*;
use crate::engines::coupling::floating::{
    Kind, TestEngine, app, floating_box, position_of, run, spawn_coupled, tank,
};

/// A pond with a body that moves, two that lie on each other on its floor, and one that sleeps on a shelf above it.
fn pond<E: TestEngine>() -> (App, [Entity; 4]) {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let shelf = E::rectangle(Vec2::new(60.0, 10.0));
    spawn_coupled::<E>(&mut app, Kind::Static, shelf, 1.0, xy(140.0, 200.0));
    let moving = floating_box::<E>(&mut app, -100.0);
    let stone = E::rectangle(Vec2::new(60.0, 30.0));
    let [lower, upper, asleep] = [xy(50.0, -134.0), xy(56.0, -103.0), xy(140.0, 220.0)]
        .map(|at| spawn_coupled::<E>(&mut app, Kind::Dynamic, stone.clone(), 3.0, at));
    run(&mut app, 2.0);
    E::set_velocity(app.world_mut(), moving, Vec2::new(60.0, -200.0));
    run(&mut app, 0.2);
    (app, [moving, lower, upper, asleep])
}

/// All that the engine says of bodies, and the liquid.
fn state<E: TestEngine>(app: &mut App, bodies: &[Entity]) -> String {
    let hash = app.fluid().deep_hash();
    let mut state = format!("{hash:?}");
    for body in bodies {
        let (at, motion) = (*app.component::<Transform>(*body), E::motion(app.world(), *body));
        let asleep = E::asleep(app.world_mut(), *body);
        state += &format!("\n{at:?} {motion:?} {asleep}");
    }
    state
}

/// The liquid and the bodies go on with the same bits from bytes, in the same app and in another one.
pub fn from_bytes<E: TestEngine>() {
    let (mut once, bodies) = pond::<E>();
    let [moving, lower, upper, asleep] = bodies;
    assert!(E::motion(once.world(), moving).0.length() > 20.0, "it moves");
    let [lower, upper] = [lower, upper].map(|body| position_of(&once, body));
    assert!((upper.y - lower.y - 30.0).abs() < 1.0, "they lie on each other: {lower} {upper}");
    assert!(E::asleep(once.world_mut(), asleep), "it sleeps");
    let bytes = FluidSnapshot::save(once.world_mut()).expect("between two ticks");

    let (mut same, bodies_of_same) = pond::<E>();
    let restored = FluidSnapshot::load(same.world_mut(), &bytes).expect("a snapshot");
    assert!(restored.is_complete(), "{:?}", restored.missing);
    let saved_again = FluidSnapshot::save(same.world_mut()).expect("between two ticks");
    assert!(saved_again == bytes, "the bytes differ");

    for ticks in [1, 1, 90] {
        once.updates(ticks);
        same.updates(ticks);
        let expected = state::<E>(&mut once, &bodies);
        assert_eq!(state::<E>(&mut same, &bodies_of_same), expected, "after {ticks} more ticks");
    }
}

/// A body that was despawned before a snapshot was restored does not stay in a world that is made of that world's bytes.
pub fn gone<E: TestEngine>() {
    let mut app = app::<E>(FluidSettings::new(8.0, Vec2::ZERO));
    app.spawn((FluidBlob::from(Circle::new(40.0)), xy(0.0, 0.0)));
    let body = floating_box::<E>(&mut app, 0.0);
    run(&mut app, 0.1);
    assert_eq!(app.fluid().host_bodies().len(), 1);
    let kept = FluidSnapshot::take(app.world_mut()).expect("between two ticks");
    app.despawn(body);
    let restored = kept.restore(app.world_mut()).expect("there is a liquid");
    assert_eq!(restored.missing.len(), 1);
    let bytes = FluidSnapshot::save(app.world_mut()).expect("between two ticks");
    let mut other = tank::<E>(400.0, FluidClass::MEDIUM);
    FluidSnapshot::load(other.world_mut(), &bytes).expect("a snapshot").missing.clear();
    assert_eq!(other.fluid().host_bodies().len(), 1);
    run(&mut other, 0.1);
    assert_eq!(other.fluid().host_bodies().len(), 0);
}
