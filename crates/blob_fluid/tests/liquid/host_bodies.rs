//! Host bodies carry their colliders, and gain what the liquid loses.

use blob_fluid::{
    Attachment, Collider, ColliderId, ColliderOptions, FluidParameters, FluidShape, FluidWorld,
    HostBody, HostBodyId, Load, Motion, ParticleSpawn, SerialExecutor,
};
use glam::{DVec2, Vec2};

use crate::pools::{in_tank, pour};
use crate::ticks::TICK;

/// A body of two squares, which are 40 apart.
fn dumbbell(world: &mut FluidWorld, centre: Vec2, inverse_mass: f32) -> HostBodyId {
    let body = HostBody {
        inverse_mass: Vec2::splat(inverse_mass),
        inverse_inertia: inverse_mass / 500.0,
        ..HostBody::at(centre, Vec2::X)
    };
    let body = world.insert_host_body(body).expect("valid");
    for x in [-20.0, 20.0] {
        let at = Vec2::new(x, 0.0);
        let attachment = Attachment { body, centre: at, rotation: Vec2::X };
        let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
        let square = FluidShape::Rectangle { half_size: Vec2::splat(10.0) };
        let square = Collider::new(square, centre + at, Vec2::X).expect("valid");
        world.insert_collider(square.with_options(options).expect("valid"));
    }
    body
}

#[test]
fn colliders_of_a_body_move_and_turn_together() {
    let mut world = FluidWorld::default();
    let body = dumbbell(&mut world, Vec2::new(5.0, 0.0), 0.0);
    let motion = Motion { velocity: Vec2::new(30.0, -10.0), angular_velocity: 4.0 };
    world.set_host_body_motion(body, motion).expect("valid");
    for tick in 1..=600 {
        world.step(TICK, &SerialExecutor).expect("valid");
        let at = *world.host_body(body).expect("there");
        let expected = Vec2::new(5.0, 0.0) + motion.velocity * (tick as f32 * TICK);
        assert!(at.centre.distance(expected) < 0.01, "{}", at.centre);
        for ((_, collider), x) in world.colliders().zip([-20.0, 20.0]) {
            assert!(collider.centre().distance(at.centre + at.rotation * x) < 1e-3);
            assert!(collider.rotation().distance(at.rotation) < 1e-5);
        }
    }
}

#[test]
fn what_a_host_body_gains_the_liquid_loses() {
    let parameters = FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    for position in (FluidShape::Circle { radius: 60.0 }).fill(Vec2::ZERO, 8.2) {
        let velocity = Vec2::new(150.0, 20.0);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    let inverse_mass = 1.0 / 30.0;
    let body = dumbbell(&mut world, Vec2::new(105.0, 15.0), inverse_mass);
    let momentum = |world: &FluidWorld| -> DVec2 {
        world.particles().velocities().iter().map(|velocity| velocity.as_dvec2()).sum()
    };
    let before = momentum(&world);
    let (mut given, mut turning) = (DVec2::ZERO, 0.0_f32);
    for _ in 0..90 {
        world.step(TICK, &SerialExecutor).expect("valid");
        let turns = world.host_body(body).expect("there").motion.angular_velocity;
        turning = turning.max(turns.abs());
        given += world.host_body_load(body).expect("there").impulse.as_dvec2();
    }
    let motion = world.host_body(body).expect("there").motion;
    let gained = (motion.velocity / inverse_mass).as_dvec2();
    let lost = before - momentum(&world);
    assert!(gained.x > 1000.0, "it was hit: {gained}");
    assert!((gained - given).length() < 1e-5 * given.length(), "{gained} of {given}");
    assert!((lost - given).length() < 1e-3 * before.length(), "{lost} and {given}");
    assert!(turning > 0.1, "it was hit off its centre");
}

#[test]
fn a_body_that_is_removed_leaves_its_colliders() {
    let mut world = FluidWorld::default();
    let body = dumbbell(&mut world, Vec2::ZERO, 1.0);
    assert_eq!(world.host_bodies().len(), 1);
    assert_eq!(world.host_body_load(body), Some(Load::default()));
    let motion = Motion { velocity: Vec2::X, ..Motion::STILL };
    assert_eq!(world.set_host_body_motion(body, motion), Ok(true));
    assert!(world.remove_host_body(body).is_some());
    world.step(TICK, &SerialExecutor).expect("valid");
    assert!(world.colliders().all(|(_, collider)| collider.centre().abs() == Vec2::new(20.0, 0.0)));
    assert_eq!(world.set_host_body_motion(body, motion), Ok(false));
    assert_eq!((world.host_body(body), world.host_body_load(body)), (None, None));
}

/// Runs a world until a tick takes no substep, for at most half a minute; returns whether there was
/// such a tick.
fn falls_asleep(world: &mut FluidWorld) -> bool {
    (0..1800).any(|_| world.step(TICK, &SerialExecutor).expect("valid").substeps == 0)
}

#[test]
fn liquid_sleeps_around_a_host_body_that_the_host_lets_sleep() {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(150.0, 100.0));
    let pool = FluidShape::Rectangle { half_size: Vec2::new(148.0, 40.0) };
    pour(&mut world, pool.fill(Vec2::new(0.0, -59.0), 8.0));
    let body = dumbbell(&mut world, Vec2::new(0.0, -25.0), 0.0);
    // A body that is awake wants its load in every tick.
    assert!(!falls_asleep(&mut world));
    let bears = world.host_body_load(body).expect("there").impulse;
    assert!(bears.y > 0.0 && world.asleep() < world.particles().len());
    // The host lets it sleep: the colliders stay where they are, and no body carries them any more.
    let mut asleep = world.clone();
    let colliders: Vec<ColliderId> = asleep.colliders().map(|(id, _)| id).collect();
    for id in &colliders {
        let held = asleep.collider(*id).expect("there");
        let options = ColliderOptions { attachment: None, ..held.options() };
        let standing = held.clone().with_options(options).expect("valid");
        let (centre, rotation) = (standing.centre(), standing.rotation());
        let standing = standing.with_pose(centre, rotation).expect("valid");
        assert!(asleep.set_collider(*id, standing));
    }
    assert!(falls_asleep(&mut asleep));
    let report = asleep.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!((report.substeps, report.asleep), (0, asleep.particles().len()));
    // The host wakes it: the colliders belong to it again, and feel the liquid at once.
    let waking = asleep.insert_host_body(HostBody::at(Vec2::new(0.0, -25.0), Vec2::X));
    let waking = waking.expect("valid");
    for (id, x) in colliders.iter().zip([-20.0, 20.0]) {
        let attachment = Attachment { body: waking, centre: Vec2::new(x, 0.0), rotation: Vec2::X };
        let held = asleep.collider(*id).expect("there");
        let options = ColliderOptions { attachment: Some(attachment), ..held.options() };
        let carried = held.clone().with_options(options).expect("valid");
        assert!(asleep.set_collider(*id, carried));
    }
    for _ in 0..2 {
        assert!(asleep.step(TICK, &SerialExecutor).expect("valid").substeps > 0);
    }
    let woken = asleep.host_body_load(waking).expect("there").impulse;
    assert!((woken.y / bears.y - 1.0).abs() < 0.3, "{woken} of {bears}");
    // So does the liquid if the body is removed, and its colliders still name it.
    assert!(world.remove_host_body(body).is_some());
    assert!(falls_asleep(&mut world));
    assert_eq!(world.asleep(), world.particles().len());
}

#[test]
fn impossible_host_bodies_are_refused_by_field() {
    let mut world = FluidWorld::default();
    let bad: [(&str, fn(&mut HostBody)); 5] = [
        ("centre", |body| body.centre.x = f32::NAN),
        ("rotation", |body| body.rotation = Vec2::ZERO),
        ("acceleration", |body| body.acceleration.y = f32::INFINITY),
        ("inverse_mass", |body| body.inverse_mass.x = -1.0),
        ("inverse_inertia", |body| body.inverse_inertia = f32::NAN),
    ];
    for (field, change) in bad {
        let mut body = HostBody::at(Vec2::ZERO, Vec2::X);
        change(&mut body);
        assert_eq!(world.insert_host_body(body).expect_err(field).field, field);
    }
}
