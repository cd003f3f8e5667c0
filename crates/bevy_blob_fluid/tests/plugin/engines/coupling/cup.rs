//! Moving walls stay tight.

use super::engine::{Kind, TICK, TestEngine};
use super::tank::{app, position_of, run, spawn_coupled};
use crate::app::*;

/// A cup of a kinematic body keeps its water while it is shaken by five spacings in a step, and a
/// wall that is thinner than a particle stays tight.
pub fn shaken<E: TestEngine>() {
    let mut app = app::<E>(default());
    let cup = spawn_coupled::<E>(
        &mut app,
        Kind::Kinematic,
        E::rectangle(Vec2::new(140.0, 2.0)),
        1.0,
        xy(0.0, -60.0),
    );
    for (x, y, size) in [
        (-69.0, 70.0, Vec2::new(2.0, 140.0)),
        (69.0, 70.0, Vec2::new(2.0, 140.0)),
        (0.0, 139.0, Vec2::new(140.0, 2.0)),
    ] {
        app.spawn((ChildOf(cup), E::rectangle(size), xy(x, y)));
    }
    app.spawn((FluidBlob::from(Rectangle::new(120.0, 90.0)), xy(0.0, -5.0)));
    run(&mut app, 1.0);
    let before = app.particles();
    assert!(before > 100, "{before}");
    let speed = 5.0 * app.fluid().parameters().particle_spacing / TICK;
    for step in 0..192 {
        let way = [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y][step % 8 / 2];
        E::set_velocity(app.world_mut(), cup, way * speed);
        app.update();
    }
    E::set_velocity(app.world_mut(), cup, Vec2::ZERO);
    run(&mut app, 0.5);
    let at = position_of(&app, cup);
    let inside = |position: &&Vec2| {
        let within = **position - at;
        within.x.abs() < 70.0 && within.y > -1.5 && within.y < 140.5
    };
    let kept = app.positions().iter().filter(inside).count();
    println!("{kept} of {before} are in the cup at {at}");
    assert_eq!(kept, before);
}
