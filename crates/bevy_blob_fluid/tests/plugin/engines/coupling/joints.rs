//! Bodies on joints.

use std::f32::consts::TAU;

use super::engine::{Kind, TICK, TestEngine};
use super::tank::{app, position_of, run, spawn_coupled};
use crate::app::*;

/// Length of a paddle.
const PADDLE: f32 = 90.0;

/// Mean angular velocity of a body in so many seconds, and mean torque of the liquid on it in the
/// engine's masses.
fn turned<E: TestEngine>(app: &mut App, body: Entity, seconds: f32) -> (f32, f32) {
    let (mass, _) = E::mass(app.world_mut(), body);
    let ticks = (seconds / TICK) as u32;
    let (mut spin, mut torque) = (0.0, 0.0);
    for _ in 0..ticks {
        app.update();
        spin += E::motion(app.world(), body).1 / ticks as f32;
        let Some((_, host)) = app.fluid().host_bodies().next() else { continue };
        let liquid_masses = 1.0 / (host.inverse_mass.y * mass);
        let load = app.component::<FluidLoad>(body).torque;
        torque += load / liquid_masses / ticks as f32;
    }
    (spin, torque)
}

/// Torque of the brake, per angular velocity.
const BRAKE: f32 = 2e4;

/// A stream turns a wheel, which a motor brakes, at a steady rate, and the brake takes the torque that
/// the stream gives. Without the stream the wheel stops.
pub fn mill<E: TestEngine>() {
    let mut app = app::<E>(default());
    // avian's motors take moments of inertia above 8e6 for infinite.
    let (density, liquid) = (0.001, FluidCoupled::default().with_liquid_density(0.001));
    let hub = E::circle(15.0);
    let wheel = E::spawn(app.world_mut(), Kind::Dynamic, hub, density, Transform::default());
    for index in 0..8 {
        let way = Vec2::from_angle(TAU * index as f32 / 8.0);
        let at = Transform::from_translation((way * 0.5 * PADDLE).extend(0.0))
            .with_rotation(Quat::from_rotation_z(way.to_angle()));
        let paddle = E::rectangle(Vec2::new(PADDLE, 8.0));
        let paddle = app.spawn((ChildOf(wheel), paddle, at));
        E::set_density(app.world_mut(), paddle, density);
    }
    app.insert(wheel, (liquid, FluidLoad::default()));
    E::brake(app.world_mut(), wheel, BRAKE);
    let down = Quat::from_rotation_z(std::f32::consts::PI);
    let spring = (FluidEmitter::jet(40.0, 150.0), xy(60.0, 150.0).with_rotation(down));
    let spring = app.spawn(spring);
    app.spawn((FluidDrain::from(Rectangle::new(3000.0, 60.0)), xy(0.0, -300.0)));
    run(&mut app, 5.0);
    let windows = [(); 3].map(|()| turned::<E>(&mut app, wheel, 10.0));
    println!("spin and torque: {windows:?}");
    let (rate, _) = windows[0];
    // The stream falls on the right of the axle.
    assert!(rate < -0.2, "{windows:?}");
    for (spin, torque) in windows {
        assert!((spin / rate - 1.0).abs() < 0.03, "{windows:?}");
        assert!((torque / (BRAKE * spin) - 1.0).abs() < 0.05, "{windows:?}");
    }
    app.despawn(spring);
    run(&mut app, 10.0);
    let (idle, _) = turned::<E>(&mut app, wheel, 5.0);
    // avian's motor lets go of wheels that are slower than a few hundredths of a radian per second.
    assert!(idle.abs() < 0.1 * rate.abs(), "{idle} of {rate}");
}

/// A drop hits a paddle that is bolted to a post. The lighter the paddle is, the further it gives way
/// within a tick; nothing goes through it.
pub fn bolted<E: TestEngine>() {
    for (density, most) in [(0.05, f32::INFINITY), (0.2, 1.0), (1.0, 0.2)] {
        let mut app = app::<E>(default());
        let (post, at) = (xy(100.0, 0.0), xy(80.0, 0.0));
        let post = E::spawn(app.world_mut(), Kind::Static, E::circle(10.0), 1.0, post);
        let shape = E::rectangle(Vec2::new(10.0, 100.0));
        let paddle = spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, density, at);
        run(&mut app, 0.05);
        E::bolt(app.world_mut(), paddle, post, Vec2::new(-20.0, 0.0));
        let drop =
            FluidBlob::from(Rectangle::new(100.0, 60.0)).with_velocity(Vec2::new(300.0, 0.0));
        app.spawn(drop);
        let mut gave_way = 0.0_f32;
        for _ in 0..32 {
            app.update();
            for (_, host) in app.fluid().host_bodies() {
                gave_way = gave_way.max((host.centre.x - at.translation.x).abs());
            }
            let behind = |at: &&Vec2| at.x > 86.0 && at.y.abs() < 45.0;
            let through = app.positions().iter().filter(behind).count();
            assert_eq!(through, 0, "{density}");
        }
        println!("{density}: gave way by {gave_way}");
        assert!(gave_way < most, "{density}: {gave_way}");
        assert!((position_of(&app, paddle).x - at.translation.x).abs() < 1.0);
    }
}
