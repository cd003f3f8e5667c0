//! What must not change: momentum, energy that comes from nowhere, free flight.

use blob_fluid::measure::measure;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, Container, FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor, Settling,
};
use glam::Vec2;

const TICK: f32 = 1.0 / 60.0;

/// A thousand mixed particles around a place, turning and jostling, without gravity.
fn turning_blob(centre: Vec2) -> FluidWorld {
    let mut world = FluidWorld::new(FluidParameters::new(7.9, Vec2::ZERO)).expect("valid");
    for (index, place) in fermat_spiral(centre, 150.0, 1000).into_iter().enumerate() {
        let turning = (place - centre).perp() * 0.5;
        let velocity = turning + scatter(index as u32) * 20.0 + Vec2::new(30.0, -10.0);
        let class = ClassId((index % 3) as u8);
        world.spawn(ParticleSpawn { position: place, velocity, class }).expect("valid");
    }
    world
}

#[test]
fn momentum_stays_what_it_was_wherever_it_is() {
    for centre in [Vec2::splat(300.0), Vec2::splat(1e4)] {
        let mut world = turning_blob(centre);
        let before = measure(&world);
        for _ in 0..600 {
            world.step(TICK, &SerialExecutor).expect("valid");
        }
        let after = measure(&world);
        let change =
            (after.momentum[0] - before.momentum[0]).hypot(after.momentum[1] - before.momentum[1]);
        let error = change / before.momentum_scale;
        assert!(error <= 1e-6, "relative error {error:e} around {centre}");
        assert!(after.kinetic_energy <= before.kinetic_energy, "energy came from nowhere");
    }
}

#[test]
fn one_particle_flies_a_parabola() {
    let settling = Settling::OFF;
    let parameters = FluidParameters { settling, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let velocity = Vec2::new(60.0, 90.0);
    world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
    for _ in 0..120 {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    // Semi-implicit Euler is ahead of the parabola by g dt t/2, and with one substep per tick that
    // is exact up to rounding.
    assert_eq!(world.substeps(), 1);
    let (time, gravity) = (120.0 * TICK, parameters.gravity);
    let expected = velocity * time + gravity * (0.5 * time * (time + TICK));
    let error = (world.particles().positions()[0] - expected).length();
    assert!(error < 1e-3, "off by {error}");
    assert!((world.particles().velocities()[0] - velocity - gravity * time).length() < 1e-3);
}

#[test]
fn a_block_that_hits_the_floor_gains_no_energy() {
    for speed in [1000.0, 4000.0] {
        let mut world = FluidWorld::default();
        let floor = Container::rectangle(Vec2::new(0.0, 5e4), Vec2::new(1000.0, 5e4));
        world.set_containers(vec![floor.expect("valid")]);
        let spacing = 1.05 * world.parameters().particle_spacing;
        for number in 0..900 {
            let cell = Vec2::new((number % 30) as f32 - 14.5, (number / 30) as f32);
            let position = Vec2::new(0.0, 20.0) + (cell + 0.01 * scatter(number)) * spacing;
            let velocity = Vec2::new(0.0, -speed);
            world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
        }
        let energy = |world: &FluidWorld| -> f64 {
            let speeds = world.particles().velocities().iter();
            speeds.map(|velocity| f64::from(velocity.length_squared())).sum()
        };
        let before = energy(&world);
        let mut largest = 0.0_f64;
        for _ in 0..180 {
            world.step(TICK, &SerialExecutor).expect("valid");
            largest = largest.max(energy(&world));
        }
        assert!(largest <= 1.05 * before, "at {speed}: {} times the energy", largest / before);
    }
}
