//! Bodies on joints.

use std::f32::consts::TAU;

use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::{Kind, TICK, TestEngine, app, run};

/// Length of a paddle.
const PADDLE: f32 = 90.0;

/// Mean angular velocity of a body in so many seconds.
fn mean_spin<E: TestEngine>(app: &mut App, body: Entity, seconds: f32) -> f32 {
    let ticks = (seconds / TICK) as u32;
    let mut sum = 0.0;
    for _ in 0..ticks {
        app.update();
        sum += E::motion(app.world(), body).1 / ticks as f32;
    }
    sum
}

/// A stream turns a wheel, which a motor brakes, at a steady rate; without the stream it stops.
pub fn mill<E: TestEngine>() {
    let mut app = app::<E>(FluidSettings::default());
    let hub = E::circle(15.0);
    let wheel = E::spawn(app.world_mut(), Kind::Dynamic, hub, 1.5, Transform::default());
    for index in 0..8 {
        let way = Vec2::from_angle(TAU * index as f32 / 8.0);
        let at = Transform::from_translation((way * 0.5 * PADDLE).extend(0.0))
            .with_rotation(Quat::from_rotation_z(way.to_angle()));
        E::attach(app.world_mut(), wheel, E::rectangle(Vec2::new(PADDLE, 8.0)), at);
    }
    app.world_mut().entity_mut(wheel).insert((FluidCoupled::default(), FluidLoad::default()));
    E::brake(app.world_mut(), wheel, 2e7);
    let spring = app
        .world_mut()
        .spawn((
            FluidEmitter::jet(40.0, 150.0),
            Transform::from_xyz(60.0, 150.0, 0.0)
                .with_rotation(Quat::from_rotation_z(std::f32::consts::PI)),
        ))
        .id();
    app.world_mut().spawn((
        FluidDrain::from(Rectangle::new(3000.0, 60.0)),
        Transform::from_xyz(0.0, -300.0, 0.0),
    ));
    run(&mut app, 5.0);
    let windows = [(); 3].map(|()| mean_spin::<E>(&mut app, wheel, 10.0));
    let (_, host) = super::fluid(&app).host_bodies().next().expect("it turns");
    let ratio = host.inverse_mass.x;
    let (mass, _) = E::mass(app.world_mut(), wheel);
    let ratio = 1.0 / (ratio * mass);
    let mut torque = 0.0;
    for _ in 0..640 {
        app.update();
        torque += app.world().get::<FluidLoad>(wheel).expect("it has one").torque / ratio / 640.0;
    }
    println!(
        "{windows:?} rad/s, mass {:?}, torque {torque:e}, per spin {:e}",
        E::mass(app.world_mut(), wheel),
        torque / windows[2]
    );
    let rate = windows[0];
    // The stream falls on the right of the axle.
    assert!(rate < -0.2, "{windows:?}");
    assert!(windows.iter().all(|own| (own / rate - 1.0).abs() < 0.05), "{windows:?}");
    app.world_mut().entity_mut(spring).despawn();
    run(&mut app, 10.0);
    let idle = mean_spin::<E>(&mut app, wheel, 5.0);
    assert!(idle.abs() < 0.05 * rate.abs(), "{idle} of {rate}");
}

/// How far a paddle of this density, bolted to a heavy post, goes from where it is held when a jet
/// hits it.
pub fn bolted<E: TestEngine>(density: f32) -> (f32, f32) {
    let mut app = app::<E>(FluidSettings::default());
    let post = E::spawn(
        app.world_mut(),
        Kind::Static,
        E::circle(10.0),
        1.0,
        Transform::from_xyz(100.0, 0.0, 0.0),
    );
    let paddle = E::spawn(
        app.world_mut(),
        Kind::Dynamic,
        E::rectangle(Vec2::new(10.0, 100.0)),
        density,
        Transform::from_xyz(80.0, 0.0, 0.0),
    );
    run(&mut app, 0.05);
    E::bolt(app.world_mut(), paddle, post, Vec2::new(-20.0, 0.0));
    app.world_mut().entity_mut(paddle).insert(FluidCoupled::default());
    let drop = FluidBlob::from(Rectangle::new(100.0, 60.0)).with_velocity(Vec2::new(300.0, 0.0));
    app.world_mut().spawn((drop, Transform::from_xyz(0.0, 0.0, 0.0)));
    let (mut in_liquid, mut in_engine) = (0.0_f32, 0.0_f32);
    let through = |app: &App| {
        let own = super::fluid(app).particles().positions();
        own.iter().filter(|own| own.x > 88.0 && own.y.abs() < 45.0).count()
    };
    let mut most = 0;
    for _ in 0..128 {
        app.update();
        let engine = super::position_of(&app, paddle);
        if let Some((_, host)) = super::fluid(&app).host_bodies().next() {
            in_liquid = in_liquid.max((host.centre.x - 80.0).abs());
        }
        in_engine = in_engine.max((engine.x - 80.0).abs());
        most = most.max(through(&app));
    }
    println!("{density}: {in_liquid} in the liquid, {in_engine} in the engine, {most} through");
    (in_liquid, in_engine)
}
