//! Settings and transforms that are not finite are refused with a typed error, and change no bit.

use blob_fluid::air::{AirChannel, AirSettings, AirSource};
use blob_fluid::{
    Body, Collider, ColliderOptions, Container, Drain, Emitter, EmitterSettings, FluidBounds,
    FluidLifetime, FluidParameters, FluidPart, FluidRegion, FluidShape, FluidSleeping, FluidSolver,
    FluidWorld, Force, HostBody, Motion, ParticleSpawn, ParticleTag, SerialExecutor,
    WallProperties,
};
use glam::Vec2;

use crate::snapshots::everything;
use crate::ticks::TICK;

/// A call with a bad number. It returns whether it was refused.
type Call = fn(&mut FluidWorld, f32) -> bool;

const CALLS: [(&str, Call); 32] = [
    ("gravity", |world, bad| {
        let gravity = Vec2::new(bad, 0.0);
        world.set_parameters(FluidParameters { gravity, ..*world.parameters() }).is_err()
    }),
    ("spacing", |world, bad| {
        let parameters = FluidParameters { particle_spacing: bad, ..*world.parameters() };
        world.set_parameters(parameters).is_err()
    }),
    ("sleeping", |world, bad| {
        let sleeping = FluidSleeping { after: 1.0, drift: bad };
        world.set_parameters(FluidParameters { sleeping, ..*world.parameters() }).is_err()
    }),
    ("time step", |world, bad| world.step(bad, &SerialExecutor).is_err()),
    ("tick", |world, bad| world.begin_tick(bad, &SerialExecutor).is_err()),
    ("position", |world, bad| {
        world.spawn(ParticleSpawn { position: Vec2::new(0.0, bad), ..Default::default() }).is_err()
    }),
    ("velocity", |world, bad| {
        world.spawn(ParticleSpawn { velocity: Vec2::new(0.0, bad), ..Default::default() }).is_err()
    }),
    ("temperature", |world, bad| {
        world.spawn(ParticleSpawn { temperature: Some(bad), ..Default::default() }).is_err()
    }),
    ("lifetime", |world, bad| {
        // A particle may live for ever.
        let lifetime = Some(FluidLifetime::new(if bad > 0.0 { -bad } else { bad }));
        world.spawn(ParticleSpawn { lifetime, ..Default::default() }).is_err()
    }),
    ("saved position", |world, bad| {
        let mut saved = world.save_particles();
        saved.particles[7].position.x = bad;
        world.restore_particles(&saved).is_err()
    }),
    ("saved pressure", |world, bad| {
        let mut saved = world.save_particles();
        saved.particles[7].pressure = bad;
        world.restore_particles(&saved).is_err()
    }),
    ("tagged", |world, bad| {
        world.add_velocity_tagged(ParticleTag(0), Vec2::new(bad, 0.0)).is_err()
    }),
    ("kill bounds", |world, bad| {
        // Bounds may be infinite.
        let low = if bad.is_infinite() { Vec2::MAX } else { Vec2::splat(bad) };
        world.set_kill_bounds(Some(FluidBounds { low, high: Vec2::splat(900.0) })).is_err()
    }),
    ("forces", |world, bad| {
        world.set_forces(&[Force { swirl: bad, ..Default::default() }]).is_err()
    }),
    ("impulse", |world, bad| {
        world.apply_impulse(&Force { wind: Vec2::splat(bad), ..Default::default() }).is_err()
    }),
    ("region of a force", |_, bad| Force::attract(Vec2::new(bad, 0.0), 9.0, 9.0).is_err()),
    ("container", |world, bad| {
        let (id, _) = world.containers().next().expect("there");
        world.move_container(id, Vec2::new(bad, 0.0), Vec2::X).is_err()
    }),
    ("turned container", |world, bad| {
        let (id, _) = world.containers().next().expect("there");
        world.move_container(id, Vec2::ZERO, Vec2::new(bad, 1.0)).is_err()
    }),
    ("motion of a container", |world, bad| {
        let (id, _) = world.containers().next().expect("there");
        let motion = Motion { angular_velocity: bad, ..Motion::STILL };
        world.set_container_motion(id, motion).is_err()
    }),
    ("size of a container", |_, bad| Container::circle(Vec2::ZERO, bad).is_err()),
    ("collider", |world, bad| {
        let (id, _) = world.colliders().next().expect("there");
        world.move_collider(id, Vec2::new(0.0, bad), Vec2::X).is_err()
    }),
    ("motion of a collider", |world, bad| {
        let (id, _) = world.colliders().next().expect("there");
        let motion = Motion { velocity: Vec2::new(bad, 0.0), ..Motion::STILL };
        world.set_collider_motion(id, motion).is_err()
    }),
    ("wall", |_, bad| {
        let wall = WallProperties { friction: Some(bad), ..Default::default() };
        Collider::circle(Vec2::ZERO, 9.0).and_then(|collider| collider.with_wall(wall)).is_err()
    }),
    ("body", |_, bad| {
        let shape = FluidShape::Circle { radius: 9.0 };
        let valid = Body::of_density(1.0, &shape, 8.0).expect("valid");
        let options =
            ColliderOptions { body: Some(Body { mass: bad, ..valid }), ..Default::default() };
        let collider = Collider::circle(Vec2::ZERO, 9.0).expect("valid");
        collider.with_options(options).is_err()
    }),
    ("host body", |world, bad| {
        world.insert_host_body(HostBody::at(Vec2::new(bad, 0.0), Vec2::X)).is_err()
    }),
    ("motion of a host body", |world, bad| {
        let valid = HostBody::at(Vec2::ZERO, Vec2::X);
        let motion = Motion { velocity: Vec2::new(bad, 0.0), ..Motion::STILL };
        world.insert_host_body(HostBody { motion, ..valid }).is_err()
    }),
    ("nozzle", |world, bad| {
        let mut tap = Emitter::new(EmitterSettings::jet(30.0, 100.0)).expect("valid");
        let (now, before) = ((Vec2::ZERO, Vec2::X), (Vec2::new(bad, 0.0), Vec2::X));
        tap.emit(world.liquid_mut(), before, now, TICK).is_err()
    }),
    ("tap", |_, bad| Emitter::new(EmitterSettings::jet(bad, 100.0)).is_err()),
    ("drain", |world, bad| {
        let region = FluidRegion::circle(Vec2::ZERO, 30.0).expect("valid");
        Drain::new(region).drain(world.liquid_mut(), bad).is_err()
    }),
    ("settings of air", |world, bad| {
        let id = world.air_ids().next().expect("there");
        let air = world.air_mut(id).expect("there");
        air.set_settings(AirSettings { density: bad, ..*air.settings() }).is_err()
    }),
    ("source of air", |world, bad| {
        let id = world.air_ids().next().expect("there");
        let around = FluidRegion::circle(Vec2::ZERO, 30.0).expect("valid");
        let source = AirSource { heat: bad, ..AirSource::new(around) };
        world.air_mut(id).expect("there").insert_source(source).is_err()
    }),
    ("smoke", |world, bad| {
        let id = world.air_ids().next().expect("there");
        let around = FluidRegion::circle(Vec2::ZERO, 30.0).expect("valid");
        let air = world.air_mut(id).expect("there");
        air.fill_channel(AirChannel::Smoke, &around, bad).is_err()
    }),
];

#[test]
fn what_is_not_finite_is_refused_and_changes_no_bit() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let before = world.deep_hash();
    for (name, call) in CALLS {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(call(&mut world, bad), "{name}: {bad} was not refused");
            let now = world.deep_hash();
            let changed: Vec<FluidPart> = now.differences(&before).collect();
            assert_eq!(changed, [], "{name}: {bad}");
        }
    }
    let mut same = everything(FluidSolver::DoubleDensity);
    for world in [&mut world, &mut same] {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    assert_eq!(world.deep_hash(), same.deep_hash());
}
