//! Bad input results in a typed error or a counted quarantine, never in a panic or a NaN.
//!
//! | | input | tests |
//! |---|---|---|
//! | 1 | position not finite | `particles_that_are_not_finite_...`, `whatever_goes_bad_...` |
//! | 2 | velocity not finite | the same, `particles_that_go_bad_...` |
//! | 3 | gravity not finite | `settings_that_make_no_sense_...` |
//! | 4 | time step 0 | `a_time_step_of_zero_...` |
//! | 5 | time step negative or NaN | `a_time_step_that_makes_no_sense_...` |
//! | 6 | time step 1 s, hitch of 250 ms | `a_hitch_...` |
//! | 8 | 10,000 particles on one point | `ten_thousand_particles_...` |
//! | 9 | two coincident particles | `two_particles_...` |
//! | 10 | radius 0, negative, subnormal | `settings_that_make_no_sense_...`, `containers_of_no_size_...` |
//! | 11 | radius beyond the container | `a_radius_beyond_...` |
//! | 15 | container teleported | `a_container_that_jumps_...` |
//! | 17 | thin container | `containers_of_no_size_...`, `a_thin_turned_container_...` |
//! | 18 | particles at 1e6, 1e30 | `particles_that_are_not_finite_...`, `particles_flung_...` |
//! | 20 | capacity 0, 1, the largest | `capacity_...` |
//! | 21 | stiffness, viscosity, density out of range; mass ratio 1000 | `settings_...`, `extreme_...` |
//! | 22 | rest density 0 | `settings_that_make_no_sense_...` |
//! | 24 | despawn and spawn mid-step | `particles_may_come_and_go_...` |
//! | 26 | scene file corrupt, truncated, from the future | `scenes_...` |
//! | 30 | a million particles | `a_million_particles_...` |
//!
//! The other numbers of the list concern the host, or are tested elsewhere (29:
//! `reproducibility.rs`).

use blob_fluid::measure::measure;
use blob_fluid::scene::{Scene, SceneError};
use blob_fluid::shape::{Shape, fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, Elasticity, FluidParameters, FluidWorld, Force,
    ParticleSpawn, Particles, Pass, SerialExecutor, SpawnError, StepError,
};
use glam::Vec2;

const TICK: f32 = 1.0 / 60.0;

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

/// The pressures are bounded, so that a substep moves a particle by a few radii at most, with any
/// masses.
fn largest_speed(world: &FluidWorld) -> f32 {
    8.0 * world.parameters().interaction_radius() * 60.0 * world.substeps() as f32
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
        let index = world.particles().index_of(id).expect("alive");
        world.particles_mut().velocities_mut()[index] = bad;
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.quarantined, world.quarantined()), (1, 1));
        assert_eq!(world.particles().index_of(id), None);
        assert_eq!(world.particles().len(), 499);
        assert_finite(&world);
        // The result is the same as without the particle.
        untouched.despawn(id);
        untouched.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(world.state_hash(), untouched.state_hash());
    }
}

#[test]
fn whatever_goes_bad_between_two_passes_stays_with_its_particle() {
    let spoil: [fn(&mut Particles, usize); 4] = [
        |all, particle| all.displace(particle, Vec2::NAN),
        |all, particle| all.displace(particle, Vec2::new(f32::INFINITY, 0.0)),
        |all, particle| all.velocities_mut()[particle] = Vec2::NAN,
        |all, particle| all.velocities_mut()[particle].x = f32::NEG_INFINITY,
    ];
    for spoil in spoil {
        for before in 0..=Pass::ALL.len() {
            let mut world = bowl();
            run(&mut world, 3);
            let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
            let id = world.particles().ids()[250];
            let mut ghost = None;
            for (index, pass) in Pass::ALL.into_iter().enumerate() {
                if index == before {
                    ghost = Some(world.clone());
                    let particle = world.particles().index_of(id).expect("alive");
                    spoil(world.particles_mut(), particle);
                }
                world.run_pass(pass, &SerialExecutor);
                if let Some(ghost) = &mut ghost {
                    if index == before {
                        ghost.despawn(id);
                    }
                    ghost.run_pass(pass, &SerialExecutor);
                }
            }
            if before == Pass::ALL.len() {
                let particle = world.particles().index_of(id).expect("alive");
                spoil(world.particles_mut(), particle);
            }
            let report = world.end_tick(report, &SerialExecutor);
            assert_eq!((report.quarantined, world.quarantined()), (1, 1), "before pass {before}");
            assert_eq!((world.particles().len(), world.particles().index_of(id)), (499, None));
            assert_finite(&world);
            assert_eq!(measure(&world).escaped, 0);
            // If a particle becomes invalid before a pass reads it, the result is the same as
            // without it. If it becomes invalid later, it has already acted on others.
            if before <= 10 {
                let mut ghost = ghost.expect("spoilt before a pass");
                ghost.end_tick(report, &SerialExecutor);
                assert_eq!(world.state_hash(), ghost.state_hash(), "before pass {before}");
            }
            run(&mut world, 3);
            assert_finite(&world);
        }
    }
}

#[test]
fn what_was_spoilt_since_the_last_tick_is_measured_as_if_it_were_gone() {
    for bad in [Vec2::NAN, Vec2::INFINITY, Vec2::new(3e38, f32::NAN)] {
        // The position is far from the origin, where the grid has no cell.
        let mut world = FluidWorld::default();
        for index in 0..500 {
            let point = Vec2::new(5000.0 + 7.0 * (index % 25) as f32, 7.0 * (index / 25) as f32);
            world.spawn(at(point)).expect("valid");
        }
        world.particles_mut().displace(250, bad);
        assert!(measure(&world).mean_neighbours > 10.0);
    }
}

#[test]
fn a_displacement_out_of_the_world_is_contained_or_counted() {
    for distance in [1e6, 1e30, 3e38] {
        for before in 0..Pass::ALL.len() {
            let mut world = bowl();
            run(&mut world, 3);
            let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
            for (index, pass) in Pass::ALL.into_iter().enumerate() {
                if index == before {
                    world.particles_mut().displace(250, Vec2::new(0.0, distance));
                }
                world.run_pass(pass, &SerialExecutor);
            }
            let report = world.end_tick(report, &SerialExecutor);
            assert!(report.quarantined <= 1, "{distance:e} before pass {before}");
            assert_eq!(world.particles().len() as u64, 500 - report.quarantined);
            run(&mut world, 30);
            assert_eq!((measure(&world).escaped, world.quarantined()), (0, report.quarantined));
            assert_finite(&world);
        }
    }
}

#[test]
fn a_velocity_beyond_all_reason_costs_no_other_particle() {
    for speed in [1e20, 3e37, f32::MAX] {
        let mut world = bowl();
        run(&mut world, 60);
        world.particles_mut().velocities_mut()[100].x = speed;
        run(&mut world, 10);
        assert!(world.quarantined() <= 1, "{} quarantined at {speed:e}", world.quarantined());
        assert_finite(&world);
    }
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
    assert!(fastest < largest_speed(&world), "{fastest}");
    let radius = world.parameters().interaction_radius();
    let points = world.particles().positions();
    let extent = points.iter().map(|p| p.distance(Vec2::splat(5.0))).fold(0.0, f32::max);
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
    // They do not move farther apart, because so few particles attract each other.
    assert!(a.distance(*b) > 1e-3 * world.parameters().interaction_radius(), "{a} and {b}");
}

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

#[test]
fn a_thin_turned_container_leaks_nothing() {
    for half_size in [Vec2::new(200.0, 2.0), Vec2::new(0.5, 300.0), Vec2::splat(0.01)] {
        for turn in [Vec2::new(0.6, 0.8), Vec2::new(-0.28, 0.96)] {
            let shape = Shape::Rectangle { half_size };
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
    for before in 0..Pass::ALL.len() {
        let count = world.particles().len();
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        let dead = world.particles().ids()[before * 7];
        for (index, pass) in Pass::ALL.into_iter().enumerate() {
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
    for pass in Pass::ALL {
        world.run_pass(pass, &SerialExecutor);
    }
    world.end_tick(report, &SerialExecutor);
    assert_finite(&world);
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

/// Line and column in an error message.
fn place_of(error: &SceneError) -> Option<(usize, usize)> {
    let text = error.to_string();
    let mut numbers = text.strip_prefix("scene: ")?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[test]
fn scenes_that_cannot_be_read_say_line_and_column() {
    for (text, point) in [
        ("(\n  durations: 10,\n)", (2, 3)),
        ("(\n  duration: 10,\n  tick_rate: fast,\n)", (3, 13)),
        ("(\n  containers: [\n    (shape: Triangle(radius: 1)),\n  ],\n)", (3, 13)),
        ("(\n  airs: [\n    (cell: 5),\n  ],\n)", (3, 6)),
        // A file of a later version of the format.
        ("(\n  parameters: (\n    surface_tension: 3,\n  ),\n)", (3, 5)),
    ] {
        let error = Scene::from_ron(text).expect_err("refused");
        assert_eq!(place_of(&error), Some(point), "{error}");
    }
}

#[test]
fn scenes_cut_short_anywhere_are_refused_where_they_end() {
    let text = include_str!("../../../../assets/scenes/legacy.scene.ron").trim_end();
    assert!(Scene::from_ron(text).is_ok());
    for length in (0..text.len()).filter(|length| text.is_char_boundary(*length)) {
        let error = Scene::from_ron(&text[..length]).expect_err("refused");
        let (line, column) = place_of(&error).unwrap_or_else(|| panic!("no place: {error}"));
        let lines = text[..length].split('\n').count();
        assert!((1..=lines).contains(&line) && column > 0, "{length}: {error}");
    }
}

#[test]
fn scenes_with_a_corrupt_byte_never_panic() {
    let text = include_str!("../../../../assets/scenes/dam_break.scene.ron");
    let mut refused = 0;
    for index in 0..text.len() {
        for corrupt in [b'\0', b'9', b'-', b'(', b'"', b'e'] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[index] = corrupt;
            // The scene is only read and not built, because a larger number may make a scene very
            // large.
            let read = String::from_utf8(bytes).ok().map(|text| Scene::from_ron(&text));
            refused += usize::from(matches!(read, Some(Err(_))));
        }
    }
    assert!(refused > text.len(), "{refused}");
}

#[test]
fn scenes_of_more_particles_than_there_can_be_are_refused() {
    for fill in [
        "Lattice(columns: 4294967296, rows: 4294967296)",
        "Lattice(columns: 18446744073709551615, rows: 1)",
        "Spiral(radius: 1, count: 18446744073709551615)",
    ] {
        let text = format!("(blocks: [(fill: {fill})])");
        let scene = Scene::from_ron(&text).expect("readable");
        assert!(scene.build().is_err(), "{fill}");
    }
}

#[test]
fn a_radius_beyond_the_container_costs_no_more_than_all_pairs() {
    let parameters = FluidParameters::new(200.0, Vec2::new(0.0, -200.0));
    let mut world = FluidWorld::new(parameters).expect("valid");
    world.insert_container(Container::circle(Vec2::ZERO, 50.0).expect("valid"));
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
