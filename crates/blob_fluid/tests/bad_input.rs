//! Bad input ends as a typed error or a counted quarantine, never as a panic or a NaN.

use blob_fluid::measure::measure;
use blob_fluid::scene::{Scene, SceneError};
use blob_fluid::shape::{Shape, fermat_spiral};
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, Elasticity, FluidParameters, FluidWorld, Force,
    ParticleSpawn, SerialExecutor, SpawnError, StepError, pass,
};
use glam::Vec2;

const TICK: f32 = 1.0 / 60.0;

fn at(position: Vec2) -> ParticleSpawn {
    ParticleSpawn { position, ..Default::default() }
}

/// Five hundred mixed particles in a round container.
fn bowl() -> FluidWorld {
    let mut world = FluidWorld::default();
    world.set_containers(vec![Container::circle(Vec2::ZERO, 150.0).expect("valid")]);
    for (index, position) in fermat_spiral(Vec2::ZERO, 120.0, 500).into_iter().enumerate() {
        let class = ClassId((index % 3) as u8);
        world.spawn(ParticleSpawn { class, ..at(position) }).expect("valid");
    }
    world
}

fn run(world: &mut FluidWorld, ticks: u32) {
    for _ in 0..ticks {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
}

fn assert_finite(world: &FluidWorld) {
    let particles = world.particles();
    let vectors = particles.positions().iter().chain(particles.velocities());
    assert!(vectors.clone().all(|vector| vector.is_finite()));
}

#[test]
fn particles_that_are_not_finite_are_refused() {
    let mut world = bowl();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, f32::MAX] {
        let error = world.spawn(at(Vec2::new(bad, 0.0))).expect_err("refused");
        assert!(matches!(error, SpawnError::OutOfRange { field: "position", .. }), "{error}");
    }
    for bad in [f32::NAN, f32::INFINITY] {
        let spawn = ParticleSpawn { velocity: Vec2::new(0.0, bad), ..at(Vec2::ZERO) };
        let error = world.spawn(spawn).expect_err("refused");
        assert!(matches!(error, SpawnError::OutOfRange { field: "velocity", .. }), "{error}");
    }
    let unknown = ParticleSpawn { class: ClassId(3), ..at(Vec2::ZERO) };
    let error = world.spawn(unknown).expect_err("refused");
    assert_eq!(error, SpawnError::UnknownClass { class: 3, classes: 3 });
    assert_eq!(world.particles().len(), 500);
}

#[test]
fn particles_that_go_bad_are_quarantined_and_their_neighbours_are_not() {
    for bad in [Vec2::NAN, Vec2::INFINITY, Vec2::new(0.0, f32::NEG_INFINITY)] {
        let mut world = bowl();
        let mut untouched = world.clone();
        let id = world.particles().ids()[100];
        let place = world.particles().place(id).expect("alive");
        world.particles_mut().velocities_mut()[place] = bad;
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.quarantined, world.quarantined()), (1, 1));
        assert_eq!(world.particles().place(id), None);
        assert_eq!(world.particles().len(), 499);
        assert_finite(&world);
        // As if it had never been there.
        untouched.despawn(id);
        untouched.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(world.state_hash(), untouched.state_hash());
    }
}

#[test]
fn a_displacement_that_is_not_finite_stays_with_its_particle() {
    let mut world = bowl();
    let report = world.begin_tick(TICK).expect("valid");
    pass::advance_positions(&mut world);
    world.particles_mut().displace(7, Vec2::NAN);
    pass::hash_positions(&mut world);
    pass::relax_density(&mut world, &SerialExecutor);
    pass::contain(&mut world);
    pass::update_velocities(&mut world);
    world.end_tick(report);
    assert_eq!(world.quarantined(), 1);
    assert_finite(&world);
}

#[test]
fn particles_flung_out_of_the_world_are_counted() {
    let mut world = FluidWorld::default();
    world.spawn(at(Vec2::splat(1e6))).expect("far, but within reach");
    let velocity = Vec2::new(1e30, 0.0);
    world.spawn(ParticleSpawn { velocity, ..at(Vec2::ZERO) }).expect("finite");
    world.spawn(at(Vec2::ZERO)).expect("valid");
    run(&mut world, 10);
    assert_eq!((world.particles().len(), world.quarantined()), (2, 1));
    assert_finite(&world);
}

#[test]
fn settings_that_make_no_sense_are_refused_and_the_old_ones_stay() {
    let mut world = bowl();
    let valid = *world.parameters();
    let changes: [fn(&mut FluidParameters); 8] = [
        |p| p.gravity = Vec2::NAN,
        |p| p.gravity = Vec2::INFINITY,
        |p| p.particle_spacing = 0.0,
        |p| p.particle_spacing = -1.0,
        |p| p.particle_spacing = f32::MIN_POSITIVE / 2.0,
        |p| p.rest_density = Some(0.0),
        |p| p.rest_density = Some(-1.0),
        |p| p.stiffness = f32::INFINITY,
    ];
    for change in changes {
        let mut parameters = valid;
        change(&mut parameters);
        world.set_parameters(parameters).expect_err("refused");
        assert_eq!(*world.parameters(), valid);
    }
    let force = Force { position: Vec2::ZERO, radius: 0.0, acceleration: 1.0, drag: 0.0 };
    assert_eq!(world.set_forces(&[force]).expect_err("refused").field, "radius");
}

#[test]
fn a_time_step_of_zero_changes_nothing() {
    let mut world = bowl();
    run(&mut world, 5);
    let (hash, time) = (world.state_hash(), world.time());
    let report = world.step(0.0, &SerialExecutor).expect("allowed");
    assert_eq!(report.substeps, 0);
    assert_eq!((world.state_hash(), world.time()), (hash, time));
}

#[test]
fn a_time_step_that_makes_no_sense_is_refused_and_changes_nothing() {
    let mut world = bowl();
    run(&mut world, 5);
    let hash = world.state_hash();
    for bad in [-0.01, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = world.step(bad, &SerialExecutor).expect_err("refused");
        assert!(matches!(error, StepError::TimeStep(_)));
        assert_eq!(world.state_hash(), hash);
    }
}

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
    // The pressures' bound lets a substep move a particle by a few radii at most, masses included.
    let radius = world.parameters().interaction_radius();
    assert!(fastest < 8.0 * radius * 60.0 * world.substeps() as f32, "{fastest}");
    let places = world.particles().positions();
    let extent = places.iter().map(|p| p.distance(Vec2::splat(5.0))).fold(0.0, f32::max);
    assert!(extent > radius, "they came apart");
    assert_eq!(world.particles().len(), 10_000);
    assert_eq!(world.state_hash(), burst().0.state_hash());
}

#[test]
fn two_particles_at_one_place_come_apart() {
    let mut world = FluidWorld::new(FluidParameters::new(8.0, Vec2::ZERO)).expect("valid");
    for _ in 0..2 {
        world.spawn(at(Vec2::splat(1e3))).expect("valid");
    }
    run(&mut world, 60);
    let [a, b] = world.particles().positions() else { panic!("two") };
    // No farther: so few particles attract each other.
    assert!(a.distance(*b) > 1e-3 * world.parameters().interaction_radius(), "{a} and {b}");
}

#[test]
fn containers_of_no_size_are_refused_and_tiny_ones_hold() {
    assert!(Container::circle(Vec2::ZERO, 0.0).is_err());
    assert!(Container::rectangle(Vec2::ZERO, Vec2::ZERO).is_err());
    // Far smaller than the interaction radius, and far too small for what is in it.
    let tiny = [
        Container::circle(Vec2::ZERO, 3.0),
        Container::circle(Vec2::ZERO, 0.001),
        Container::rectangle(Vec2::ZERO, Vec2::new(200.0, 2.0)),
        Container::rectangle(Vec2::ZERO, Vec2::new(0.5, 300.0)),
    ];
    for container in tiny {
        let mut world = FluidWorld::default();
        world.set_containers(vec![container.expect("valid")]);
        for position in (Shape::Circle { radius: 60.0 }).fill(Vec2::ZERO, 8.0) {
            world.spawn(at(position)).expect("valid");
        }
        let count = world.particles().len();
        run(&mut world, 120);
        assert_eq!((measure(&world).escaped, world.particles().len()), (0, count));
        assert_finite(&world);
    }
}

#[test]
fn a_container_that_jumps_takes_its_liquid_along_without_a_burst() {
    let mut world = bowl();
    run(&mut world, 120);
    world.set_containers(vec![Container::circle(Vec2::new(5000.0, 0.0), 150.0).expect("valid")]);
    run(&mut world, 30);
    let report = measure(&world);
    assert_eq!((report.escaped, report.particles), (0, 500));
    assert!(report.max_speed < 2500.0, "{}", report.max_speed);
    run(&mut world, 600);
    assert!(measure(&world).rms_speed < 60.0, "{}", measure(&world).rms_speed);
}

#[test]
fn capacity_is_kept_and_may_be_anything() {
    for capacity in [0, 1, usize::MAX] {
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

#[test]
fn particles_may_come_and_go_between_any_two_passes() {
    let mut world = bowl();
    let elastic = |class: &DensityClass| DensityClass {
        elasticity: Some(Elasticity { plasticity: 1.0, ..Elasticity::default() }),
        ..class.clone()
    };
    let classes = ClassTable::new(ClassTable::default().iter().map(elastic).collect());
    world.set_classes(classes.expect("valid")).expect("as many");
    let passes: [fn(&mut FluidWorld); 10] = [
        pass::apply_gravity,
        pass::apply_forces,
        pass::apply_damping,
        |world| pass::apply_viscosity(world, &SerialExecutor),
        pass::advance_positions,
        pass::hash_positions,
        |world| pass::apply_springs(world, &SerialExecutor),
        |world| pass::relax_density(world, &SerialExecutor),
        pass::contain,
        pass::update_velocities,
    ];
    for before in 0..passes.len() {
        let count = world.particles().len();
        let report = world.begin_tick(TICK).expect("valid");
        let dead = world.particles().ids()[before * 7];
        for (index, pass) in passes.iter().enumerate() {
            if index == before {
                assert!(world.despawn(dead));
                for x in 0..20 {
                    world.spawn(at(Vec2::new(8.0 * x as f32 - 80.0, 0.0))).expect("room");
                }
            }
            pass(&mut world);
        }
        world.end_tick(report);
        assert_eq!(world.particles().len(), count + 19);
        assert_eq!(world.particles().place(dead), None);
        assert_finite(&world);
    }
    assert_eq!(measure(&world).escaped, 0);
}

#[test]
fn scenes_that_make_no_sense_say_where() {
    for (text, expected) in [
        ("(duration: 10", "1:"),
        ("(\n  durations: 10,\n)", "2:"),
        ("(blocks: [(fill: Spiral(radius: 1, count: 2), class: \"honey\")])", "honey"),
        ("(duration: -1)", "duration"),
        ("(tick_rate: 0)", "tick_rate"),
        ("(parameters: (particle_spacing: -1))", "particle_spacing"),
        ("(containers: [(shape: Circle(radius: 0))])", "radius"),
        ("(containers: [(shape: Triangle(radius: 0))])", "Triangle"),
        ("", "1:"),
    ] {
        let error: SceneError =
            Scene::from_ron(text).and_then(|scene| scene.build()).expect_err("refused");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn a_radius_beyond_the_container_costs_no_more_than_all_pairs() {
    let parameters = FluidParameters::new(200.0, Vec2::new(0.0, -200.0));
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.set_containers(vec![Container::circle(Vec2::ZERO, 50.0).expect("valid")]);
    for position in fermat_spiral(Vec2::ZERO, 40.0, 200) {
        world.spawn(at(position)).expect("valid");
    }
    run(&mut world, 30);
    assert_finite(&world);
    assert_eq!(measure(&world).escaped, 0);
}

#[test]
fn a_million_particles_complete_a_step() {
    let mut world = FluidWorld::default();
    world.set_capacity(2_000_000);
    let side = 1000;
    for number in 0..side * side {
        let cell = Vec2::new((number % side) as f32, (number / side) as f32);
        world.spawn(at(cell * 8.2)).expect("valid");
    }
    world.step(0.001, &SerialExecutor).expect("valid");
    assert_eq!(world.particles().len(), 1_000_000);
}
