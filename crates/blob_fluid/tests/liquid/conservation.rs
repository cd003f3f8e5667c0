//! Conservation: momentum is kept, energy does not grow, and free flight is exact.

use blob_fluid::measure::measure;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{ClassId, FluidParameters, FluidWorld, ParticleSpawn, SerialExecutor, Settling};
use glam::{DVec2, Vec2};

use crate::pools::add_tank;
use crate::ticks::{TICK, run};

/// A thousand mixed particles around a point, which rotate and move at random, without gravity.
fn turning_blob(centre: Vec2) -> FluidWorld {
    let mut world = FluidWorld::new(FluidParameters::new(7.9, Vec2::ZERO)).expect("valid");
    for (index, point) in fermat_spiral(centre, 150.0, 1000).into_iter().enumerate() {
        let turning = (point - centre).perp() * 0.5;
        let velocity = turning + scatter(index as u32) * 20.0 + Vec2::new(30.0, -10.0);
        let class = ClassId((index % 3) as u8);
        world
            .spawn(ParticleSpawn { position: point, velocity, class, ..Default::default() })
            .expect("valid");
    }
    world
}

#[test]
fn momentum_stays_what_it_was_wherever_it_is() {
    for centre in [Vec2::splat(300.0), Vec2::splat(1e4)] {
        let mut world = turning_blob(centre);
        let before = measure(&world);
        run(&mut world, 600);
        let after = measure(&world);
        let change =
            (after.momentum[0] - before.momentum[0]).hypot(after.momentum[1] - before.momentum[1]);
        let error = change / before.momentum_scale;
        assert!(error <= 1e-6, "relative error {error:e} around {centre}");
        assert!(after.kinetic_energy <= before.kinetic_energy, "energy came from nowhere");
    }
}

/// Angular momentum and kinetic energy of the motion relative to the centre of mass.
fn about_its_centre(world: &FluidWorld) -> (f64, f64) {
    let report = measure(world);
    let particles = world.particles();
    let mass = |index: usize| f64::from(world.classes()[particles.classes()[index]].mass);
    let total: f64 = (0..particles.len()).map(mass).sum();
    let drift = DVec2::from(report.momentum) / total;
    let centre = DVec2::from(report.centre_of_mass);
    let (mut spin, mut energy) = (0.0, 0.0);
    for index in 0..particles.len() {
        let offset = particles.positions()[index].as_dvec2() - centre;
        let velocity = particles.velocities()[index].as_dvec2() - drift;
        spin += mass(index) * offset.perp_dot(velocity);
        energy += 0.5 * mass(index) * velocity.length_squared();
    }
    (spin, energy)
}

#[test]
fn a_turning_blob_keeps_turning_and_does_not_heat_up() {
    let mut world = turning_blob(Vec2::splat(300.0));
    let (spin, energy) = about_its_centre(&world);
    let mut least = energy;
    for second in 1..=10 {
        run(&mut world, 60);
        let (now, energy) = about_its_centre(&world);
        // Pairs move along the line between them, which exerts no torque. But they move at the end
        // of a substep, where the displacement has an angle to the velocity. This costs a little
        // angular momentum, in proportion to the time step.
        let kept = now / spin;
        assert!((0.98..=1.0005).contains(&kept), "{kept} of the spin after {second} s");
        // Some energy is stored in the surface for a while, but much less than viscosity takes.
        assert!(energy <= least, "{} times the energy after {second} s", energy / least);
        least = least.min(energy);
    }
}

#[test]
fn a_blob_at_rest_does_not_heat_up() {
    let mut world = FluidWorld::new(FluidParameters::new(7.9, Vec2::ZERO)).expect("valid");
    for (index, position) in fermat_spiral(Vec2::ZERO, 150.0, 1000).into_iter().enumerate() {
        let class = ClassId((index % 3) as u8);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    let mut speed_after = |seconds: u32| {
        run(&mut world, 60 * seconds);
        measure(&world).rms_speed
    };
    // The blob shrinks to its rest density at first. After that it only loses energy.
    let speeds = [5, 5, 10].map(&mut speed_after);
    assert!(speeds[0] < 5.0, "{speeds:?}");
    assert!(speeds[1] < 0.75 * speeds[0] && speeds[2] < 0.75 * speeds[1], "heats up: {speeds:?}");
}

#[test]
fn heavy_and_light_fall_alike() {
    let mut world = FluidWorld::default();
    for class in [ClassId::HEAVY, ClassId::MEDIUM, ClassId::LIGHT] {
        let position = Vec2::new(1000.0 * f32::from(class.0), 0.0);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    run(&mut world, 60);
    let particles = world.particles();
    let heights = particles.positions().iter().map(|position| position.y);
    let lowest = heights.clone().fold(f32::MAX, f32::min);
    assert!(lowest < -90.0, "{lowest}");
    assert!(heights.into_iter().all(|height| height == lowest), "{:?}", particles.positions());
}

#[test]
fn one_particle_flies_a_parabola() {
    let settling = Settling::OFF;
    let parameters = FluidParameters { settling, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let velocity = Vec2::new(60.0, 90.0);
    world.spawn(ParticleSpawn { velocity, ..Default::default() }).expect("valid");
    run(&mut world, 120);
    // Semi-implicit Euler is ahead of the parabola by g dt t/2. With one substep per tick this is
    // exact up to rounding.
    assert_eq!(world.substeps(), 1);
    let (time, gravity) = (120.0 * TICK, parameters.gravity);
    let expected = velocity * time + gravity * (0.5 * time * (time + TICK));
    let error = (world.particles().positions()[0] - expected).length();
    assert!(error < 1e-3, "off by {error}");
    assert!((world.particles().velocities()[0] - velocity - gravity * time).length() < 1e-3);
}

/// The largest kinetic energy of a square block that hits the floor, relative to its energy before
/// the impact.
fn impact(speed: f32, parameters: FluidParameters) -> f64 {
    let mut world = FluidWorld::new(parameters).expect("valid");
    add_tank(&mut world, Vec2::new(0.0, 5e4), Vec2::new(1000.0, 5e4));
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
    largest / before
}

#[test]
fn a_block_that_hits_the_floor_gains_no_energy() {
    for speed in [1000.0, 2000.0, 4000.0] {
        let gain = impact(speed, FluidParameters::default());
        assert!(gain <= 1.05, "at {speed}: {gain} times the energy");
    }
}

#[test]
fn a_thick_block_that_hits_the_floor_gains_no_energy() {
    // This is 0.5 per pixel, converted to spacings. Without the limit it would multiply the energy
    // by a million.
    let mut parameters = FluidParameters::default();
    parameters.viscosity.quadratic = 0.5 * parameters.particle_spacing;
    for speed in [1000.0, 4000.0] {
        let gain = impact(speed, parameters);
        assert!(gain <= 1.05, "at {speed}: {gain} times the energy");
    }
}
