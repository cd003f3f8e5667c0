//! Conservation: momentum is kept, energy does not grow, and free flight is exact.

use blob_fluid::measure::measure;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::pools::{
    add_collider, add_tank, cells, change_parameters, fastest, moving, pour, pour_class,
    pour_mixed, spawn, world_with,
};
use crate::ticks::{TICK, run, step};

/// A thousand mixed particles around a point, which rotate and move at random, without gravity.
fn turning_blob(centre: Vec2) -> FluidWorld {
    let mut world = world_with(FluidParameters::new(7.9, Vec2::ZERO));
    for (index, point) in fermat_spiral(centre, 150.0, 1000).into_iter().enumerate() {
        let turning = (point - centre).perp() * 0.5;
        let velocity = turning + scatter(index as u32) * 20.0 + Vec2::new(30.0, -10.0);
        let class = ClassId((index % 3) as u8);
        spawn(&mut world, ParticleSpawn { class, ..moving(point, velocity) });
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
    let mut world = world_with(FluidParameters::new(7.9, Vec2::ZERO));
    pour_mixed(&mut world, fermat_spiral(Vec2::ZERO, 150.0, 1000));
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
        pour_class(&mut world, class, [Vec2::new(1000.0 * f32::from(class.0), 0.0)]);
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
    let mut world = world_with(FluidParameters { settling, ..FluidParameters::default() });
    let velocity = Vec2::new(60.0, 90.0);
    spawn(&mut world, moving(Vec2::ZERO, velocity));
    run(&mut world, 120);
    // Semi-implicit Euler is ahead of the parabola by g dt t/2. With one substep per tick this is
    // exact up to rounding.
    assert_eq!(world.substeps(), 1);
    let (time, gravity) = (120.0 * TICK, world.parameters().gravity);
    let expected = velocity * time + gravity * (0.5 * time * (time + TICK));
    let error = (world.particles().positions()[0] - expected).length();
    assert!(error < 1e-3, "off by {error}");
    assert!((world.particles().velocities()[0] - velocity - gravity * time).length() < 1e-3);
}

/// The largest kinetic energy of a square block that hits the floor, relative to its energy before
/// the impact.
fn impact(speed: f32, parameters: FluidParameters) -> f64 {
    let mut world = world_with(parameters);
    add_tank(&mut world, Vec2::new(0.0, 5e4), Vec2::new(1000.0, 5e4));
    let spacing = 1.05 * world.parameters().particle_spacing;
    for (number, cell) in (0..).zip(cells(30, 30)) {
        let cell = cell - Vec2::new(15.0, 0.5) + 0.01 * scatter(number);
        let position = Vec2::new(0.0, 20.0) + cell * spacing;
        spawn(&mut world, moving(position, Vec2::new(0.0, -speed)));
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

// Changes of settings, classes, solvers and containers while liquid is there do not make it burst.

const GRAVITY: f32 = 200.0;

/// Half of the width and of the height of the tank.
const TANK: f32 = 150.0;

fn square(half_size: f32) -> Container {
    Container::rectangle(Vec2::ZERO, Vec2::splat(half_size)).expect("valid")
}

/// A pool of two classes at rest. The tank is three times as high.
fn pool() -> FluidWorld {
    let mut world = world_with(FluidParameters::new(8.0, Vec2::new(0.0, -GRAVITY)));
    world.insert_container(square(TANK));
    for (class, height) in [(ClassId::HEAVY, -125.0), (ClassId::LIGHT, -75.0)] {
        let region = FluidRegion::rectangle(Vec2::new(0.0, height), Vec2::new(TANK, 25.0));
        Blob::new(region.expect("valid"), class).fill(world.liquid_mut()).expect("valid");
    }
    for _ in 0..600 {
        step(&mut world);
    }
    world
}

fn change_classes(world: &mut FluidWorld, how: impl Fn(&mut DensityClass)) {
    let mut classes: Vec<DensityClass> = world.classes().iter().cloned().collect();
    how(&mut classes[ClassId::LIGHT.index()]);
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("in use");
}

fn resize(world: &mut FluidWorld, half_size: f32) {
    let id = world.containers().next().expect("a tank").0;
    assert!(world.set_container(id, square(half_size)));
}

/// The greatest speed in some seconds, in speed units.
fn speed_in(world: &mut FluidWorld, seconds: f32) -> f32 {
    let mut speed = 0.0_f32;
    for _ in 0..(seconds / TICK) as u32 {
        step(world);
        speed = speed.max(fastest(world, |_| true));
    }
    speed / world.parameters().speed_unit()
}

type Change = (&'static str, fn(&mut FluidWorld));

// Row 27 of docs/reliability.md.
#[test]
fn liquid_that_expands_does_not_burst() {
    let cases: [Change; 12] = [
        ("spacing x1.25", |world| {
            change_parameters(world, |parameters| parameters.particle_spacing *= 1.25)
        }),
        ("spacing x2", |world| {
            change_parameters(world, |parameters| parameters.particle_spacing *= 2.0)
        }),
        // There is not that much room.
        ("spacing x4", |world| {
            change_parameters(world, |parameters| parameters.particle_spacing *= 4.0)
        }),
        ("radius ratio", |world| {
            change_parameters(world, |parameters| parameters.radius_ratio = 3.0)
        }),
        ("rest density", |world| {
            change_parameters(world, |parameters| {
                parameters.rest_density = Some(0.5 * parameters.effective_rest_density())
            });
        }),
        ("equilibrium ratio", |world| {
            change_parameters(world, |parameters| parameters.equilibrium_ratio = 0.3)
        }),
        ("ghost walls", |world| {
            change_parameters(world, |parameters| parameters.ghost_walls.density = 4.0)
        }),
        ("class", |world| change_classes(world, |class| class.relative_rest_density *= 0.5)),
        ("back from classic", |world| {
            change_parameters(world, |parameters| parameters.solver = FluidSolver::Classic);
            run(world, 300);
            change_parameters(world, |parameters| parameters.solver = FluidSolver::DoubleDensity);
        }),
        ("narrower container", |world| {
            let id = world.containers().next().expect("a tank").0;
            let narrow = Container::rectangle(Vec2::ZERO, Vec2::new(0.5 * TANK, TANK));
            assert!(world.set_container(id, narrow.expect("valid")));
        }),
        ("too small container", |world| resize(world, 50.0)),
        ("other container", |world| {
            world.clear_containers();
            world.insert_container(square(100.0));
        }),
    ];
    let pool = pool();
    for (name, change) in cases {
        let mut world = pool.clone();
        change(&mut world);
        assert!(world.is_easing(), "{name}");
        let count = world.particles().len();
        let speed = speed_in(&mut world, 5.0);
        // As fast as liquid that slumps by the depth of the pool, or by the height of the tank if a
        // container lifts it.
        let height = if name.ends_with("container") { 2.0 * TANK } else { 100.0 };
        let slump = (2.0 * GRAVITY * height).sqrt() / world.parameters().speed_unit();
        assert!(speed < slump, "{name} bursts: speed {speed}, a slump explains {slump}");
        assert_eq!(world.particles().len(), count, "{name} loses liquid");
        let density = measure(&world).density_ratio.mean;
        assert_eq!(world.is_easing(), density > 1.1, "{name}: density {density}");
    }
}

// Row 27 of docs/reliability.md.
#[test]
fn liquid_that_shrinks_or_weighs_something_else_only_falls() {
    let fall = (2.0 * GRAVITY * 2.0 * TANK).sqrt();
    let cases: [Change; 6] = [
        ("spacing x0.5", |world| {
            change_parameters(world, |parameters| parameters.particle_spacing *= 0.5)
        }),
        ("class", |world| change_classes(world, |class| class.relative_rest_density *= 2.0)),
        ("mass", |world| change_classes(world, |class| class.mass *= 3.0)),
        ("class stiffness", |world| change_classes(world, |class| class.stiffness *= 10.0)),
        ("stiffness", |world| change_parameters(world, |parameters| parameters.stiffness *= 10.0)),
        ("to classic", |world| {
            change_parameters(world, |parameters| parameters.solver = FluidSolver::Classic)
        }),
    ];
    let pool = pool();
    for (name, change) in cases {
        let mut world = pool.clone();
        change(&mut world);
        let speed = speed_in(&mut world, 5.0) * world.parameters().speed_unit();
        assert!(speed < fall, "{name} bursts: {speed} and a fall explains {fall}");
    }
}

#[test]
fn gravity_acts_at_once_and_does_no_more_than_fall_explains() {
    let pool = pool();
    let fall = |factor: f32| (2.0 * GRAVITY * factor * 2.0 * TANK).sqrt();
    for (factor, explained) in [(-1.0, 1.5 * fall(1.0)), (0.0, 0.1 * fall(1.0))] {
        let mut world = pool.clone();
        change_parameters(&mut world, |parameters| parameters.gravity *= factor);
        assert!(!world.is_easing());
        // Only liquid that falls through the tank, and splashes, can be fast. Without gravity the
        // surface tension rounds the pool.
        let speed = speed_in(&mut world, 4.0) * world.parameters().speed_unit();
        assert!(speed < explained, "{factor}: {speed} of {explained}");
    }
}

#[test]
fn more_gravity_swings_a_pool_by_the_work_of_its_compression() {
    let mut world = pool();
    let Substeps::Automatic { compression, .. } = world.parameters().substeps else {
        unreachable!("it is the default")
    };
    change_parameters(&mut world, |parameters| parameters.gravity *= 10.0);
    assert!(!world.is_easing());
    // The centre of the liquid, 100 deep, falls by at most half of what the substeps let its surface sink.
    let work = 10.0 * GRAVITY * 0.5 * 100.0 * compression;
    let mut most = 0.0_f32;
    for _ in 0..240 {
        step(&mut world);
        let velocities = world.particles().velocities();
        let squares: f32 = velocities.iter().map(|velocity| velocity.length_squared()).sum();
        most = most.max(0.5 * squares / velocities.len() as f32);
    }
    assert!(most < work, "{most} of {work}");
}

#[test]
fn what_changes_no_pressure_is_not_eased_in() {
    let mut world = pool();
    change_parameters(&mut world, |_| {});
    change_parameters(&mut world, |parameters| parameters.settling.drag = 1.0);
    change_parameters(&mut world, |parameters| parameters.viscosity.linear = 2.0);
    change_classes(&mut world, |class| class.gravity_scale = 0.5);
    resize(&mut world, 2.0 * TANK);
    let id = world.containers().next().expect("a tank").0;
    let motion = Motion { velocity: Vec2::X, ..Motion::STILL };
    assert!(world.set_container_motion(id, motion).expect("valid"));
    assert!(!world.is_easing());
    let mut empty = FluidWorld::default();
    change_parameters(&mut empty, |parameters| parameters.particle_spacing *= 2.0);
    assert!(!empty.is_easing(), "there is no liquid that could burst");
}

/// Particles that a host has packed closely.
fn packed() -> FluidWorld {
    let mut world = world_with(FluidParameters::new(8.0, Vec2::ZERO));
    pour(&mut world, cells(20, 20).map(|cell| (cell - 0.5) * 3.0));
    world
}

#[test]
fn a_host_can_ease_in_what_it_packed() {
    let mut eased = packed();
    eased.ease_in();
    let mut ended = eased.clone();
    ended.end_easing();
    let (eased, burst) = (speed_in(&mut eased, 3.0), speed_in(&mut packed(), 3.0));
    assert_eq!(speed_in(&mut ended, 3.0), burst);
    assert!(eased < 2.0 && burst > 10.0, "{eased}, and {burst} without");
}

#[test]
fn a_snapshot_continues_easing_with_the_same_bits() {
    let mut world = packed();
    world.ease_in();
    run(&mut world, 20);
    assert!(world.is_easing());
    let mut again = FluidWorld::from(world.liquid().clone());
    for _ in 0..200 {
        step(&mut world);
        step(&mut again);
        assert_eq!(world.state_hash(), again.state_hash());
        assert_eq!(world.is_easing(), again.is_easing());
    }
    assert!(!world.is_easing());
}

// Row 27 of docs/reliability.md.
#[test]
fn liquid_that_expands_flings_no_body() {
    let mut start = pool();
    let shape = FluidShape::Rectangle { half_size: Vec2::new(30.0, 15.0) };
    let spacing = start.parameters().particle_spacing;
    let body = Body::of_density(0.5, &shape, spacing).expect("valid");
    let options = ColliderOptions { body: Some(body), ..Default::default() };
    let raft = Collider::new(shape, Vec2::new(0.0, -30.0), Vec2::X);
    add_collider(&mut start, raft.and_then(|raft| raft.with_options(options)));
    run(&mut start, 600);
    let fastest_body = |eased: bool| {
        let mut world = start.clone();
        change_parameters(&mut world, |parameters| parameters.particle_spacing *= 2.0);
        assert!(world.is_easing());
        if !eased {
            world.end_easing();
        }
        let mut speed = 0.0_f32;
        for _ in 0..300 {
            step(&mut world);
            let (_, raft) = world.colliders().next().expect("there");
            speed = speed.max(raft.motion().velocity.length());
        }
        speed
    };
    let slump = (2.0 * GRAVITY * 100.0).sqrt();
    let (eased, sudden) = (fastest_body(true), fastest_body(false));
    assert!(eased < slump, "{eased}");
    assert!(sudden > slump, "the control is flung: {sudden}");
}

// Row 27 of docs/reliability.md.
#[test]
fn liquid_that_expands_spins_no_wheel_of_a_host() {
    let mut start = pool();
    let (centre, inverse_inertia) = (Vec2::new(0.0, -100.0), 1e-3);
    let wheel =
        start.insert_host_body(HostBody::at(Pose::from_translation(centre))).expect("valid");
    // One paddle, on one side.
    let (at, half_size) = (Vec2::new(20.0, 0.0), Vec2::new(20.0, 4.0));
    let attachment = Attachment { body: wheel, pose: Pose::from_translation(at) };
    let options = ColliderOptions { attachment: Some(attachment), ..Default::default() };
    let paddle = Collider::new(FluidShape::Rectangle { half_size }, centre + at, Vec2::X);
    add_collider(&mut start, paddle.and_then(|paddle| paddle.with_options(options)));
    run(&mut start, 600);
    let turns = HostBody { inverse_inertia, ..HostBody::at(Pose::from_translation(centre)) };
    assert_eq!(start.set_host_body(wheel, turns), Ok(true));
    // Speed of the paddle's end by what the liquid does in a tick, in V0.
    let spun = |eased: bool| {
        let mut world = start.clone();
        change_parameters(&mut world, |parameters| parameters.particle_spacing *= 2.0);
        if !eased {
            world.end_easing();
        }
        step(&mut world);
        let load = world.host_body_load(wheel).expect("there");
        let reach = at.x + half_size.length();
        load.angular_impulse.abs() * inverse_inertia * reach / world.parameters().speed_unit()
    };
    let (eased, sudden) = (spun(true), spun(false));
    assert!(eased <= 1.001, "{eased}");
    assert!(sudden > 1.5, "the control is spun: {sudden}");
}
