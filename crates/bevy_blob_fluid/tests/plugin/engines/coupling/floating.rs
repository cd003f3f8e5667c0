//! Bodies float as deep as they should.

use super::engine::{Kind, TICK, TestEngine};
use super::tank::{position_of, run, spawn_coupled, tank};
use crate::app::*;

const HULL: Vec2 = Vec2::new(120.0, 60.0);
/// The tank is ten times as wide as a hull.
const WIDTH: f32 = 1200.0;

/// The height that particles far from the hull would fill at rest density.
fn level(app: &App, x: std::ops::Range<f32>) -> f32 {
    let spacing = app.fluid().parameters().particle_spacing;
    let far = |at: &&Vec2| x.contains(&at.x.abs());
    let count = app.positions().iter().filter(far).count();
    -150.0 + count as f32 * spacing * spacing / (2.0 * (x.end - x.start))
}

/// How much deeper than by Archimedes' principle a hull floats, over its height; the gap of half a
/// particle spacing counts as part of it, as in the validation.
fn draught<E: TestEngine>(density: f32) -> f32 {
    let mut app = tank::<E>(WIDTH, FluidClass::MEDIUM);
    run(&mut app, 2.0);
    let deep = density * (HULL.y + app.fluid().parameters().particle_spacing);
    let at = xy(0.0, -20.0 - deep + 0.5 * HULL.y);
    let hull = spawn_coupled::<E>(&mut app, Kind::Dynamic, E::rectangle(HULL), density, at);
    // Liquid that is thrown onto the hull would weigh.
    clear(&mut app, at.translation.truncate(), HULL);
    run(&mut app, 15.0);
    let (mut sunk, mut lowest, mut highest) = (0.0, f32::MAX, f32::MIN);
    for _ in 0..128 {
        app.update();
        let height = position_of(&app, hull).y;
        sunk += (level(&app, 240.0..540.0) - height) / 128.0;
        (lowest, highest) = (height.min(lowest), height.max(highest));
    }
    let spacing = app.fluid().parameters().particle_spacing;
    let height = HULL.y + spacing;
    let error = (sunk + 0.5 * height - density * height) / HULL.y;
    println!("{density}: {error:+.4} of its height, swings by {:.3}", highest - lowest);
    assert!(highest - lowest < 0.02 * HULL.y, "{density} swings by {}", highest - lowest);
    error
}

/// Removes the liquid in a rectangle.
fn clear(app: &mut App, centre: Vec2, size: Vec2) {
    let mut fluid = app.fluid_mut();
    let reach = 0.5 * size + 0.4 * fluid.parameters().particle_spacing;
    fluid.despawn_where(|at, _| (at - centre).abs().cmplt(reach).all());
}

/// Bodies of five densities.
pub fn draughts<E: TestEngine>() {
    let errors = [0.1, 0.3, 0.5, 0.7, 0.9].map(draught::<E>);
    assert!(errors.iter().all(|error| error.abs() < 0.02), "{errors:?}");
}

/// A stone sinks to the floor, and a body between two classes lies at their interface.
pub fn sinks_and_layers<E: TestEngine>() {
    let mut app = tank::<E>(500.0, FluidClass::HEAVY);
    app.spawn((FluidBlob::from(Rectangle::new(490.0, 100.0)), FluidClass::MEDIUM, xy(0.0, 35.0)));
    run(&mut app, 2.0);
    let heavy = app.fluid().classes()[ClassId::HEAVY].mass;
    let medium = app.fluid().classes()[ClassId::MEDIUM].mass;
    let [stone, between] =
        [(2.0 * heavy, -150.0), (0.5 * (heavy + medium), 60.0)].map(|(density, x)| {
            let at = xy(x, -10.0);
            let size = Vec2::new(60.0, 40.0);
            spawn_coupled::<E>(&mut app, Kind::Dynamic, E::rectangle(size), density, at)
        });
    run(&mut app, 15.0);
    let particles = app.fluid().particles();
    let heavy = particles.classes().iter().filter(|class| **class == ClassId::HEAVY).count();
    let spacing = app.fluid().parameters().particle_spacing;
    let interface = -150.0 + heavy as f32 * spacing * spacing / 500.0;
    let (low, middle) = (position_of(&app, stone).y, position_of(&app, between).y);
    println!("stone at {low}, the other at {middle}, interface at {interface}");
    assert!((low + 130.0).abs() < spacing, "{low}");
    assert!((middle - interface).abs() < 20.0, "{middle} of {interface}");
}

/// A pile of crates under water comes to rest.
pub fn pile<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    run(&mut app, 1.0);
    clear(&mut app, Vec2::new(0.0, -105.0), Vec2::new(30.0, 90.0));
    let crates = [-135.0, -105.0, -75.0].map(|y| {
        let at = xy(0.0, y);
        spawn_coupled::<E>(&mut app, Kind::Dynamic, E::rectangle(Vec2::splat(30.0)), 2.0, at)
    });
    run(&mut app, 10.0);
    let before = crates.map(|body| position_of(&app, body));
    run(&mut app, 5.0);
    for (body, before) in crates.iter().zip(before) {
        let after = position_of(&app, *body);
        assert!(after.distance(before) < 0.5, "{before} {after} in {} ticks", 5.0 / TICK);
        assert!(after.x.abs() < 20.0, "it fell: {after}");
    }
}
