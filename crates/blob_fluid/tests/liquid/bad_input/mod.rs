//! Bad input results in a typed error or a counted quarantine, never in a panic or a NaN.
//!
//! `docs/reliability.md` lists the rows of bad input that tests here and elsewhere bear the numbers of.

mod particles;
mod quarantine;
mod refused;
mod scenes;
mod solids;
mod sources;

use blob_fluid::measure::measure;
use blob_fluid::shape::{FluidShape, fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidElasticity, FluidParameters, FluidPass,
    FluidWorld, Force, ParticleSpawn, SerialExecutor, SpawnError, StepError,
};
use glam::Vec2;

use crate::pools::assert_finite;
use crate::ticks::{TICK, run};

fn at(position: Vec2) -> ParticleSpawn {
    ParticleSpawn { position, ..Default::default() }
}

/// Five hundred mixed particles in a round container.
fn bowl() -> FluidWorld {
    let mut world = FluidWorld::default();
    world.insert_container(Container::circle(Vec2::ZERO, 150.0).expect("valid"));
    for (index, position) in fermat_spiral(Vec2::ZERO, 120.0, 500).into_iter().enumerate() {
        let class = ClassId((index % 3) as u8);
        world.spawn(ParticleSpawn { class, ..at(position) }).expect("valid");
    }
    world
}

/// The pressures are bounded, so that a substep moves a particle by a few radii at most, with any
/// masses.
fn largest_speed(world: &FluidWorld) -> f32 {
    8.0 * world.parameters().interaction_radius() * 60.0 * world.substeps() as f32
}

// Rows 3, 10, 21 and 22 of docs/reliability.md.
#[test]
fn settings_that_make_no_sense_are_refused_and_the_old_ones_stay() {
    let mut world = bowl();
    let valid = *world.parameters();
    let changes: [(&str, fn(&mut FluidParameters)); 18] = [
        ("gravity", |p| p.gravity = Vec2::NAN),
        ("gravity", |p| p.gravity = Vec2::INFINITY),
        ("particle_spacing", |p| p.particle_spacing = 0.0),
        ("particle_spacing", |p| p.particle_spacing = -1.0),
        ("particle_spacing", |p| p.particle_spacing = f32::MIN_POSITIVE / 2.0),
        ("radius_ratio", |p| p.radius_ratio = 0.0),
        ("rest_density", |p| p.rest_density = Some(0.0)),
        ("rest_density", |p| p.rest_density = Some(-1.0)),
        ("rest_density", |p| p.rest_density = Some(f32::INFINITY)),
        ("stiffness", |p| p.stiffness = f32::INFINITY),
        ("stiffness", |p| p.stiffness = -1.0),
        ("near_stiffness_ratio", |p| p.near_stiffness_ratio = f32::NAN),
        ("near_share", |p| p.near_share = -0.5),
        ("viscosity.approach", |p| p.viscosity.approach = f32::INFINITY),
        ("viscosity.quadratic", |p| p.viscosity.quadratic = -1.0),
        ("viscosity.limit", |p| p.viscosity.limit = f32::NAN),
        ("viscosity.cross_class", |p| p.viscosity.cross_class = f32::INFINITY),
        ("reference_acceleration", |p| p.reference_acceleration = 0.0),
    ];
    for (field, change) in changes {
        let mut parameters = valid;
        change(&mut parameters);
        assert_eq!(FluidWorld::new(parameters).expect_err("refused").field, field);
        assert_eq!(world.set_parameters(parameters).expect_err("refused").field, field);
        assert_eq!(*world.parameters(), valid);
    }
    let force = Force { drag: -1.0, ..Default::default() };
    assert_eq!(world.apply_impulse(&force).expect_err("refused").field, "drag");
    assert_eq!(world.set_forces(&[force]).expect_err("refused").field, "drag");
    assert!(world.forces().is_empty());
    let heavy = |mass| {
        let class = DensityClass { mass, ..ClassTable::default()[ClassId::HEAVY].clone() };
        ClassTable::new(vec![class])
    };
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(heavy(mass).expect_err("refused").to_string().contains("mass"));
    }
}

// Row 4 of docs/reliability.md.
#[test]
fn a_time_step_of_zero_changes_nothing() {
    let mut world = bowl();
    run(&mut world, 5);
    let before = format!("{world:?}");
    for step in [0.0, -0.0] {
        let report = world.step(step, &SerialExecutor).expect("allowed");
        assert_eq!((report.substeps, report.time_step), (0, 0.0));
        // All arrays are compared, in the order of the memory.
        assert!(format!("{world:?}") == before, "a step of {step} s changed something");
    }
}

// Row 5 of docs/reliability.md.
#[test]
fn a_time_step_that_makes_no_sense_is_refused_and_changes_nothing() {
    let mut world = bowl();
    run(&mut world, 5);
    let before = format!("{world:?}");
    for bad in [-0.01, -f32::MIN_POSITIVE, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = world.step(bad, &SerialExecutor).expect_err("refused");
        assert!(matches!(error, StepError::TimeStep(_)));
        assert!(error.to_string().contains("time step"), "{error}");
        assert!(format!("{world:?}") == before, "a refused step of {bad} s changed something");
    }
}

// Row 6 of docs/reliability.md.
#[test]
fn a_hitch_is_cut_short_and_leaks_nothing() {
    for hitch in [1.0, 0.25] {
        let mut world = bowl();
        for _ in 0..20 {
            let report = world.step(hitch, &SerialExecutor).expect("valid");
            assert_eq!(report.time_step, world.parameters().max_time_step);
        }
        assert_eq!((measure(&world).escaped, world.particles().len()), (0, 500));
        assert_finite(&world);
    }
}

// Row 8 of docs/reliability.md.
#[test]
fn ten_thousand_particles_on_one_point_come_apart() {
    let burst = || {
        let mut world = FluidWorld::default();
        for index in 0..10_000_u32 {
            let class = ClassId((index % 3) as u8);
            world.spawn(ParticleSpawn { class, ..at(Vec2::splat(5.0)) }).expect("valid");
        }
        let mut fastest = 0.0_f32;
        for _ in 0..3 {
            world.step(TICK, &SerialExecutor).expect("valid");
            let speeds = world.particles().velocities().iter().map(|velocity| velocity.length());
            fastest = speeds.fold(fastest, f32::max);
        }
        assert_finite(&world);
        (world, fastest)
    };
    let (world, fastest) = burst();
    assert!(fastest < largest_speed(&world), "{fastest}");
    let radius = world.parameters().interaction_radius();
    let points = world.particles().positions();
    let extent = points.iter().map(|p| p.distance(Vec2::splat(5.0))).fold(0.0, f32::max);
    assert!(extent > radius, "they came apart");
    assert_eq!(world.particles().len(), 10_000);
    assert_eq!(world.state_hash(), burst().0.state_hash());
}

// Row 9 of docs/reliability.md.
#[test]
fn two_particles_at_one_place_come_apart() {
    let mut world = FluidWorld::new(FluidParameters::new(8.0, Vec2::ZERO)).expect("valid");
    for _ in 0..2 {
        world.spawn(at(Vec2::splat(1e3))).expect("valid");
    }
    run(&mut world, 60);
    let [a, b] = world.particles().positions() else { panic!("two") };
    // They do not move farther apart, because so few particles attract each other.
    assert!(a.distance(*b) > 1e-3 * world.parameters().interaction_radius(), "{a} and {b}");
}

// Row 10 of docs/reliability.md.
#[test]
fn containers_of_no_size_are_refused_and_tiny_ones_hold() {
    assert!(Container::circle(Vec2::ZERO, 0.0).is_err());
    assert!(Container::rectangle(Vec2::ZERO, Vec2::ZERO).is_err());
    // The container is much smaller than the interaction radius, and too small for its liquid.
    let tiny = [
        Container::circle(Vec2::ZERO, 3.0),
        Container::circle(Vec2::ZERO, 0.001),
        Container::rectangle(Vec2::ZERO, Vec2::new(200.0, 2.0)),
        Container::rectangle(Vec2::ZERO, Vec2::new(0.5, 300.0)),
    ];
    for container in tiny {
        let mut world = FluidWorld::default();
        world.insert_container(container.expect("valid"));
        for position in (FluidShape::Circle { radius: 60.0 }).fill(Vec2::ZERO, 8.0) {
            world.spawn(at(position)).expect("valid");
        }
        let count = world.particles().len();
        run(&mut world, 120);
        assert_eq!((measure(&world).escaped, world.particles().len()), (0, count));
        assert_finite(&world);
    }
}

// Row 15 of docs/reliability.md.
#[test]
fn a_container_that_jumps_takes_its_liquid_along() {
    for jump in [20.0, 150.0, 5000.0] {
        let mut world = bowl();
        run(&mut world, 120);
        let (id, _) = world.containers().next().expect("one");
        assert_eq!(world.move_container(id, Vec2::new(jump, 0.0), Vec2::X), Ok(true));
        // The liquid outside of the container is put onto its wall, where it is packed. It must not
        // be faster than any other heap.
        let mut fastest = 0.0_f64;
        for _ in 0..30 {
            run(&mut world, 1);
            assert_eq!(measure(&world).escaped, 0);
            fastest = fastest.max(measure(&world).max_speed);
        }
        assert!(fastest < f64::from(largest_speed(&world)), "{fastest} after {jump}");
        // Half a second later the liquid is slow again.
        let report = measure(&world);
        assert!(report.max_speed < 2500.0, "{}", report.max_speed);
        run(&mut world, 600);
        assert!(measure(&world).rms_speed < 60.0, "{}", measure(&world).rms_speed);
        assert_eq!(measure(&world).particles, 500);
    }
}

#[test]
fn the_wall_of_a_container_that_jumps_gives_no_more_than_the_speed_unit() {
    for jump in [1.0, 40.0, 5000.0] {
        let mut world = FluidWorld::default();
        let id = world.insert_container(Container::circle(Vec2::ZERO, 150.0).expect("valid"));
        // A single particle, so that only the wall moves it.
        world.spawn(at(Vec2::new(-149.0, 0.0))).expect("valid");
        assert_eq!(world.move_container(id, Vec2::new(jump, 0.0), Vec2::X), Ok(true));
        run(&mut world, 1);
        assert_eq!(measure(&world).escaped, 0);
        let speed = world.particles().velocities()[0].x;
        let unit = world.parameters().speed_unit();
        assert!(speed <= 1.001 * unit, "{speed} after {jump}");
    }
}

// Row 17 of docs/reliability.md.
#[test]
fn a_thin_turned_container_leaks_nothing() {
    for half_size in [Vec2::new(200.0, 2.0), Vec2::new(0.5, 300.0), Vec2::splat(0.01)] {
        for turn in [Vec2::new(0.6, 0.8), Vec2::new(-0.28, 0.96)] {
            let shape = FluidShape::Rectangle { half_size };
            let container = Container::new(shape, Vec2::new(30.0, -7.0), turn).expect("valid");
            let mut world = FluidWorld::default();
            world.insert_container(container);
            for (index, position) in fermat_spiral(Vec2::ZERO, 60.0, 200).into_iter().enumerate() {
                let velocity = scatter(index as u32) * 3000.0;
                world.spawn(ParticleSpawn { velocity, ..at(position) }).expect("valid");
            }
            for _ in 0..60 {
                run(&mut world, 1);
                assert_eq!((measure(&world).escaped, world.particles().len()), (0, 200));
            }
            assert_finite(&world);
        }
    }
}

// Row 20 of docs/reliability.md.
#[test]
fn capacity_is_kept_and_may_be_anything() {
    for capacity in [0, 1, u32::MAX as usize, usize::MAX] {
        let mut world = FluidWorld::default();
        world.set_capacity(capacity);
        let spawned = (0..10).filter(|_| world.spawn(at(Vec2::ZERO)).is_ok()).count();
        assert_eq!(spawned, capacity.min(10));
        if capacity < 10 {
            let error = world.spawn(at(Vec2::ZERO)).expect_err("full");
            assert_eq!(error, SpawnError::Full { capacity });
        }
        run(&mut world, 3);
    }
}

// Row 21 of docs/reliability.md.
#[test]
fn extreme_mass_ratios_and_stiffness_stay_finite() {
    let mut world = bowl();
    let mut classes: Vec<_> = ClassTable::default().iter().cloned().collect();
    classes[0].mass = 100.0;
    classes[2].mass = 0.1;
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    let parameters = FluidParameters { stiffness: 1000.0, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    run(&mut world, 300);
    assert_finite(&world);
    assert_eq!((measure(&world).escaped, world.particles().len()), (0, 500));
}

#[test]
fn classes_in_use_cannot_be_taken_away() {
    let mut world = bowl();
    let one = ClassTable::new(vec![ClassTable::default()[ClassId::HEAVY].clone()]);
    let error = world.set_classes(one.expect("valid")).expect_err("in use");
    assert!(error.to_string().contains("class"), "{error}");
    run(&mut world, 5);
}

// Row 24 of docs/reliability.md.
#[test]
fn particles_may_come_and_go_between_any_two_passes() {
    let mut world = bowl();
    let elastic = |class: &DensityClass| DensityClass {
        elasticity: Some(FluidElasticity { plasticity: 1.0, ..FluidElasticity::default() }),
        ..class.clone()
    };
    let classes = ClassTable::new(ClassTable::default().iter().map(elastic).collect());
    world.set_classes(classes.expect("valid")).expect("as many");
    for before in 0..FluidPass::ALL.len() {
        let count = world.particles().len();
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        let dead = world.particles().ids()[before * 7];
        for (index, pass) in FluidPass::ALL.into_iter().enumerate() {
            if index == before {
                assert!(world.despawn(dead));
                for x in 0..20 {
                    world.spawn(at(Vec2::new(8.0 * x as f32 - 80.0, 0.0))).expect("room");
                }
            }
            world.run_pass(pass, &SerialExecutor);
        }
        world.end_tick(report, &SerialExecutor);
        assert_eq!(world.particles().len(), count + 19);
        assert_eq!(world.particles().index_of(dead), None);
        assert_finite(&world);
    }
    assert_eq!(measure(&world).escaped, 0);
}

#[test]
fn classes_added_in_the_middle_of_a_tick_may_be_spawned_at_once() {
    let mut world = bowl();
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    let mut classes: Vec<_> = ClassTable::default().iter().cloned().collect();
    classes.push(classes[0].clone());
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("more");
    let _ = world.spawn(ParticleSpawn { class: ClassId(3), ..at(Vec2::new(0.0, 130.0)) });
    for pass in FluidPass::ALL {
        world.run_pass(pass, &SerialExecutor);
    }
    world.end_tick(report, &SerialExecutor);
    assert_finite(&world);
}

// Row 11 of docs/reliability.md.
#[test]
fn a_radius_beyond_the_container_costs_no_more_than_all_pairs() {
    // The container, and so all of the liquid, is within one interaction radius.
    let parameters = FluidParameters::new(200.0, Vec2::new(0.0, -200.0));
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.insert_container(Container::circle(Vec2::ZERO, 50.0).expect("valid"));
    for position in fermat_spiral(Vec2::ZERO, 40.0, 200) {
        world.spawn(at(position)).expect("valid");
    }
    let taken = allocation_counter::measure(|| run(&mut world, 30));
    assert_finite(&world);
    assert_eq!(measure(&world).escaped, 0);
    let mut pairs = 0;
    world.pairs(&SerialExecutor).for_each(|_| pairs += 1);
    assert_eq!(pairs, 200 * 199 / 2, "each pair once");
    // Neither substeps nor memory grow with the radius.
    assert_eq!(world.substeps(), 1);
    assert!(taken.bytes_max < 1_000_000, "{} bytes", taken.bytes_max);
}

/// Largest number of bytes per particle while a square of `side` by `side` particles is made and takes a step.
fn bytes_per_particle(side: u32) -> f64 {
    let taken = allocation_counter::measure(|| {
        let mut world = FluidWorld::default();
        world.set_capacity(2_000_000);
        for number in 0..side * side {
            let cell = Vec2::new((number % side) as f32, (number / side) as f32);
            world.spawn(at(cell * 8.2)).expect("valid");
        }
        world.step(0.001, &SerialExecutor).expect("valid");
        assert_eq!(world.particles().len() as u32, side * side);
        assert_finite(&world);
    });
    taken.bytes_max as f64 / f64::from(side * side)
}

// Row 30 of docs/reliability.md.
#[test]
fn a_million_particles_complete_a_step_in_memory_that_is_linear() {
    // Both numbers are just below a power of two, to which lists grow.
    let (few, many) = (bytes_per_particle(250), bytes_per_particle(1000));
    println!("{few:.0} bytes a particle with 62,500, {many:.0} with a million");
    assert!(many < 1.1 * few, "{many} bytes a particle, {few} with fewer");
}
