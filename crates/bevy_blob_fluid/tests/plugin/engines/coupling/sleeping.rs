//! Bodies and liquid fall asleep together, and wake together.

use super::engine::{Kind, TestEngine};
use super::tank::{position_of, run, spawn_coupled, tank};
use crate::app::*;

/// Longest time until a pond and its boat sleep, in seconds.
const LONGEST: u32 = 60;

fn boat<E: TestEngine>(app: &mut App) -> Entity {
    let at = xy(0.0, -10.0);
    let shape = E::rectangle(Vec2::new(80.0, 40.0));
    spawn_coupled::<E>(app, Kind::Dynamic, shape, 0.5, at)
}

/// How many particles are awake, and whether the boat is.
fn awake<E: TestEngine>(app: &mut App, boat: Entity) -> (usize, bool) {
    let particles = app.particles() - app.fluid().asleep();
    (particles, !E::asleep(app.world_mut(), boat))
}

/// Runs until both sleep, and says after how many seconds.
fn fall_asleep<E: TestEngine>(app: &mut App, boat: Entity) -> u32 {
    for second in 1..=LONGEST {
        run(app, 1.0);
        if awake::<E>(app, boat) == (0, false) {
            return second;
        }
    }
    panic!("after {LONGEST} s, {:?} are awake", awake::<E>(app, boat));
}

/// A pond with a boat goes to sleep, and nothing wakes either for a minute; a wave wakes both.
pub fn wave<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let boat = boat::<E>(&mut app);
    println!("asleep after {} s", fall_asleep::<E>(&mut app, boat));
    let resting = position_of(&app, boat);
    for tick in 0..60 * 64 {
        app.update();
        assert_eq!(awake::<E>(&mut app, boat), (0, false), "something woke after {tick} ticks");
    }
    assert_eq!(position_of(&app, boat), resting);
    let mut simulation = app.fluid_mut();
    let left = FluidBounds { low: Vec2::new(-200.0, -150.0), high: Vec2::new(-80.0, 50.0) };
    simulation.change_velocities_in(left, |particle| *particle.velocity += Vec2::new(300.0, 150.0));
    run(&mut app, 0.7);
    assert!(!E::asleep(app.world_mut(), boat), "the wave wakes it");
    run(&mut app, 0.5);
    assert!(position_of(&app, boat).distance(resting) > 0.5, "the wave moves it");
}

/// Liquid that is poured beside a sleeping boat wakes both, and both sleep again.
pub fn poured<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let boat = boat::<E>(&mut app);
    fall_asleep::<E>(&mut app, boat);
    let resting = position_of(&app, boat);
    app.spawn((FluidBlob::from(Circle::new(40.0)), xy(-120.0, 60.0)));
    let poured = app.particles();
    let mut woke = (0, false);
    for _ in 0..128 {
        app.update();
        let (particles, boat) = awake::<E>(&mut app, boat);
        woke = (particles.max(woke.0), boat || woke.1);
    }
    let poured = app.particles() - poured;
    println!("{poured} poured, {woke:?} woke");
    assert!(woke.0 > 3 * poured && woke.1, "{woke:?} woke");
    let again = fall_asleep::<E>(&mut app, boat);
    let risen = position_of(&app, boat).y - resting.y;
    println!("asleep again after {again} s, {risen} higher");
    let higher = poured as f32 * app.fluid().parameters().particle_spacing.powi(2) / 400.0;
    assert!((risen - higher).abs() < 2.0, "{risen} of {higher}");
}
