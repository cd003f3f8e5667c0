//! What a body gains the liquid loses, and both come to rest.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::Body;
use bevy_blob_fluid::prelude::*;

use super::{Kind, TICK, TestEngine, app, fluid, position_of, run, tank};

/// A drop hits a body: without gravity the engine's body gains what was measured on it.
pub fn balance<E: TestEngine>() {
    let mut app = app::<E>(FluidSettings::new(8.0, Vec2::ZERO));
    let density = 0.5;
    let body = E::spawn(
        app.world_mut(),
        Kind::Dynamic,
        E::rectangle(Vec2::new(30.0, 60.0)),
        density,
        Transform::from_xyz(90.0, 10.0, 0.0),
    );
    app.world_mut().entity_mut(body).insert((FluidCoupled::default(), FluidLoad::default()));
    let drop = FluidBlob::from(Circle::new(50.0)).with_velocity(Vec2::new(200.0, 0.0));
    app.world_mut().spawn((drop, Transform::from_xyz(-20.0, 0.0, 0.0)));
    let (mut taken, mut exchanged) = (Vec2::ZERO, 0.0);
    for _ in 0..128 {
        app.update();
        let load = app.world().get::<FluidLoad>(body).expect("it has one").force * TICK;
        taken += load;
        exchanged += load.length();
    }
    // What was measured in the last tick is given before the engine's next step.
    let last = app.world().get::<FluidLoad>(body).expect("it has one").force * TICK;
    taken -= last;
    let spacing = fluid(&app).parameters().particle_spacing;
    // Liquid masses of the body, by its density and the liquid that it displaces.
    let gap = 2.0 * Body::GAP * spacing;
    let corners = (4.0 - std::f32::consts::PI) * 0.25 * gap * gap;
    let displaced = (30.0 + gap) * (60.0 + gap) - corners;
    let mass = density * displaced / (spacing * spacing);
    let gained = mass * E::velocity(app.world(), body);
    println!("gained {gained}, taken {taken}, exchanged {exchanged}");
    assert!(taken.x > 1000.0, "it was hit: {taken}");
    // The displaced area is known to about 1 %; ratios of both axes do not depend on it.
    assert!((gained.x / taken.x - 1.0).abs() < 0.01, "{gained} of {taken}");
    let skew = gained.perp_dot(taken) / (gained.length() * taken.length());
    assert!(skew.abs() < 1e-5, "{skew}");
}

/// A pond with a boat goes to sleep; a wave wakes both.
pub fn sleep<E: TestEngine>() {
    let mut app = tank::<E>(400.0, FluidClass::MEDIUM);
    let boat = E::spawn(
        app.world_mut(),
        Kind::Dynamic,
        E::rectangle(Vec2::new(80.0, 40.0)),
        0.5,
        Transform::from_xyz(0.0, -10.0, 0.0),
    );
    app.world_mut().entity_mut(boat).insert(FluidCoupled::default());
    let mut slept_after = None;
    for second in 0..60 {
        run(&mut app, 1.0);
        let all = fluid(&app).asleep() == fluid(&app).particles().len();
        if all && E::asleep(app.world_mut(), boat) {
            slept_after = Some(second + 1);
            break;
        }
    }
    println!("asleep after {slept_after:?} s");
    assert!(
        slept_after.is_some(),
        "{} awake",
        fluid(&app).particles().len() - fluid(&app).asleep()
    );
    let resting = position_of(&app, boat);
    run(&mut app, 5.0);
    assert_eq!(position_of(&app, boat), resting);
    assert_eq!(fluid(&app).asleep(), fluid(&app).particles().len(), "nothing wakes by itself");
    let mut simulation = app.world_mut().resource_mut::<FluidSimulation>();
    let left = FluidBounds { low: Vec2::new(-200.0, -150.0), high: Vec2::new(-80.0, 50.0) };
    simulation.change_velocities_in(left, |own| *own.velocity += Vec2::new(300.0, 150.0));
    run(&mut app, 0.7);
    assert!(!E::asleep(app.world_mut(), boat), "the wave wakes it");
    run(&mut app, 0.5);
    assert!(position_of(&app, boat).distance(resting) > 0.5, "the wave moves it");
}

/// A cup of a kinematic body keeps its water while it is shaken by five spacings in a step, and a
/// wall that is thinner than a particle stays tight.
pub fn cup<E: TestEngine>() {
    let mut app = app::<E>(FluidSettings::default());
    let cup = E::spawn(
        app.world_mut(),
        Kind::Kinematic,
        E::rectangle(Vec2::new(140.0, 2.0)),
        1.0,
        Transform::from_xyz(0.0, -60.0, 0.0),
    );
    app.world_mut().entity_mut(cup).insert(FluidCoupled::default());
    for (x, y, size) in [
        (-69.0, 70.0, Vec2::new(2.0, 140.0)),
        (69.0, 70.0, Vec2::new(2.0, 140.0)),
        (0.0, 139.0, Vec2::new(140.0, 2.0)),
    ] {
        E::attach(app.world_mut(), cup, E::rectangle(size), Transform::from_xyz(x, y, 0.0));
    }
    app.world_mut()
        .spawn((FluidBlob::from(Rectangle::new(120.0, 90.0)), Transform::from_xyz(0.0, -5.0, 0.0)));
    run(&mut app, 1.0);
    let before = fluid(&app).particles().len();
    assert!(before > 100, "{before}");
    let speed = 5.0 * fluid(&app).parameters().particle_spacing / TICK;
    for step in 0..192 {
        let way = [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y][step % 8 / 2];
        E::set_velocity(app.world_mut(), cup, way * speed);
        app.update();
    }
    E::set_velocity(app.world_mut(), cup, Vec2::ZERO);
    run(&mut app, 0.5);
    let at = position_of(&app, cup);
    let inside = |own: &&Vec2| {
        let own = **own - at;
        own.x.abs() < 70.0 && own.y > -1.5 && own.y < 140.5
    };
    let kept = fluid(&app).particles().positions().iter().filter(inside).count();
    println!("{kept} of {before} are in the cup at {at}");
    assert_eq!(kept, before);
}
