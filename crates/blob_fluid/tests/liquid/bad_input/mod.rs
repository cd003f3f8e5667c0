//! Bad input results in a typed error or a counted quarantine, never in a panic or a NaN.
//!
//! `docs/reliability.md` lists the rows of bad input that tests here and elsewhere bear the numbers of.

mod particles;

use blob_fluid::air::{AirChannel, AirSettings, AirSource};
use blob_fluid::measure::measure;
use blob_fluid::scene::{Scene, SceneError};
use blob_fluid::shape::{Polygon, Polyline, fermat_spiral, scatter};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, assert_finite, at, cells, change_parameters, in_tank, moving,
    pour, pour_mixed, spawn, spawn_all, step_with, top_speed, world_with,
};
use crate::snapshots::everything;
use crate::ticks::{TICK, run};

/// Five hundred mixed particles in a round container.
fn bowl() -> FluidWorld {
    let mut world = FluidWorld::default();
    add_container(&mut world, Container::circle(Vec2::ZERO, 150.0));
    pour_mixed(&mut world, fermat_spiral(Vec2::ZERO, 120.0, 500));
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
        pour_mixed(&mut world, [Vec2::splat(5.0); 10_000]);
        let mut fastest = 0.0_f32;
        let mut waiting = world.particles().len();
        for _ in 0..3 {
            let report = world.step(TICK, &SerialExecutor).expect("valid");
            assert!(report.waiting < waiting, "{} and {waiting} wait", report.waiting);
            waiting = report.waiting;
            fastest = fastest.max(top_speed(&world));
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

// Row 8 of docs/reliability.md.
#[test]
fn a_crowd_comes_apart_with_each_solver() {
    for solver in FluidSolver::ALL {
        let parameters = FluidParameters { solver, ..FluidParameters::new(8.0, Vec2::ZERO) };
        let mut world = world_with(parameters);
        pour(&mut world, [Vec2::splat(5.0); 1000]);
        let mut waiting = Vec::new();
        for _ in 0..30 {
            waiting.push(world.step(TICK, &SerialExecutor).expect("valid").waiting);
        }
        assert!(waiting[0] > 0 && waiting[29] < waiting[0] / 2, "{solver:?}: {waiting:?} wait");
        assert_finite(&world);
        assert_eq!(world.particles().len(), 1000, "{solver:?}");
    }
}

// Row 9 of docs/reliability.md.
#[test]
fn two_particles_at_one_place_come_apart() {
    let mut world = weightless();
    pour(&mut world, [Vec2::splat(1e3); 2]);
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
        add_container(&mut world, container);
        pour(&mut world, FluidShape::Circle { radius: 60.0 }.fill(Vec2::ZERO, 8.0));
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
        spawn(&mut world, at(Vec2::new(-149.0, 0.0)));
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
            let mut world = FluidWorld::default();
            add_container(&mut world, Container::new(shape, Vec2::new(30.0, -7.0), turn));
            let places = (0..).zip(fermat_spiral(Vec2::ZERO, 60.0, 200));
            spawn_all(&mut world, places.map(|(index, at)| moving(at, scatter(index) * 3000.0)));
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
    change_parameters(&mut world, |parameters| parameters.stiffness = 1000.0);
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
        let dead = world.particles().ids()[before * 7];
        step_with(&mut world, |world, pass| {
            if pass == before {
                assert!(world.despawn(dead));
                pour(world, (0..20).map(|x| Vec2::new(8.0 * x as f32 - 80.0, 0.0)));
            }
        });
        assert_eq!(world.particles().len(), count + 19);
        assert_eq!(world.particles().index_of(dead), None);
        assert_finite(&world);
    }
    assert_eq!(measure(&world).escaped, 0);
}

#[test]
fn classes_added_in_the_middle_of_a_tick_may_be_spawned_at_once() {
    let mut world = bowl();
    let mut classes: Vec<_> = ClassTable::default().iter().cloned().collect();
    classes.push(classes[0].clone());
    let classes = ClassTable::new(classes).expect("valid");
    step_with(&mut world, |world, pass| {
        if pass == 0 {
            world.set_classes(classes.clone()).expect("more");
            spawn(world, ParticleSpawn { class: ClassId(3), ..at(Vec2::new(0.0, 130.0)) });
        }
    });
    assert_finite(&world);
}

// Row 11 of docs/reliability.md.
#[test]
fn a_radius_beyond_the_container_costs_no_more_than_all_pairs() {
    // The container, and so all of the liquid, is within one interaction radius.
    let mut world = world_with(FluidParameters::new(200.0, Vec2::new(0.0, -200.0)));
    add_container(&mut world, Container::circle(Vec2::ZERO, 50.0));
    pour(&mut world, fermat_spiral(Vec2::ZERO, 40.0, 200));
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
fn bytes_per_particle(side: usize) -> f64 {
    let taken = allocation_counter::measure(|| {
        let mut world = FluidWorld::default();
        world.set_capacity(2_000_000);
        pour(&mut world, cells(side, side).map(|cell| cell * 8.2));
        world.step(0.001, &SerialExecutor).expect("valid");
        assert_eq!(world.particles().len(), side * side);
        assert_finite(&world);
    });
    taken.bytes_max as f64 / (side * side) as f64
}

// Row 30 of docs/reliability.md.
#[test]
fn a_million_particles_complete_a_step_in_memory_that_is_linear() {
    // Both numbers are just below a power of two, to which lists grow.
    let (few, many) = (bytes_per_particle(250), bytes_per_particle(1000));
    println!("{few:.0} bytes a particle with 62,500, {many:.0} with a million");
    assert!(many < 1.1 * few, "{many} bytes a particle, {few} with fewer");
}

// Settings and transforms that are not finite are refused with a typed error, and change no bit.

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
    ("position", |world, bad| world.spawn(at(Vec2::new(0.0, bad))).is_err()),
    ("velocity", |world, bad| world.spawn(moving(Vec2::ZERO, Vec2::new(0.0, bad))).is_err()),
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
        world.insert_host_body(HostBody::at(Pose::from_translation(Vec2::new(bad, 0.0)))).is_err()
    }),
    ("motion of a host body", |world, bad| {
        let valid = HostBody::at(Pose::IDENTITY);
        let motion = Motion { velocity: Vec2::new(bad, 0.0), ..Motion::STILL };
        world.insert_host_body(HostBody { motion, ..valid }).is_err()
    }),
    ("nozzle", |world, bad| {
        let mut tap = Emitter::new(EmitterSettings::jet(30.0, 100.0)).expect("valid");
        let before = Pose::from_translation(Vec2::new(bad, 0.0));
        tap.emit(world.liquid_mut(), before, STILL, TICK).is_err()
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
    run(&mut world, 1);
    run(&mut same, 1);
    assert_eq!(world.deep_hash(), same.deep_hash());
}

// Emitters that let out too much, or into an obstacle.

const STILL: Pose = Pose::IDENTITY;

fn weightless() -> FluidWorld {
    world_with(FluidParameters::new(8.0, Vec2::ZERO))
}

// Row 19 of docs/reliability.md.
#[test]
fn an_emitter_of_a_billion_a_second_is_refused_and_one_of_a_million_keeps_to_the_capacity() {
    let field = FluidShape::Rectangle { half_size: Vec2::splat(2000.0) };
    let flood = |rate| EmitterSettings::rain(field.clone(), rate);
    let mut emitter = Emitter::new(flood(1e6)).expect("the largest rate");
    for rate in [1e9, 1.1e6, f32::INFINITY, f32::NAN] {
        assert_eq!(Emitter::new(flood(rate)).expect_err("refused").field, "rate");
        assert_eq!(emitter.set_settings(flood(rate)).expect_err("refused").field, "rate");
        assert_eq!(emitter.settings().rate, Some(1e6), "the last valid one stays");
    }
    let mut refused = 0;
    let mut world = weightless();
    world.set_capacity(1000);
    for policy in [CapacityPolicy::Refuse, CapacityPolicy::RecycleOldest] {
        world.set_capacity_policy(policy);
        let (emitted, recycled) = (emitter.emitted(), world.recycled());
        for _ in 0..3 {
            let report = emitter.emit(world.liquid_mut(), STILL, STILL, TICK).expect("valid");
            assert!(world.particles().len() <= 1000);
            refused += report.refused as u64;
            if policy == CapacityPolicy::Refuse {
                assert_eq!(report.error, Some(SpawnError::Full { capacity: 1000 }));
            }
            run(&mut world, 1);
        }
        assert_eq!((world.particles().len(), emitter.refused()), (1000, refused));
        let (more, again) = (emitter.emitted() - emitted, world.recycled() - recycled);
        match policy {
            CapacityPolicy::Refuse => assert_eq!((more, again), (1000, 0)),
            CapacityPolicy::RecycleOldest => assert!(more == again && more > 1000, "{more}"),
        }
        assert_finite(&world);
    }
}

// Row 23 of docs/reliability.md.
#[test]
fn an_emitter_in_an_obstacle_lets_nothing_out_until_the_obstacle_is_gone() {
    let jet = EmitterSettings::jet(40.0, 300.0);
    let rain = EmitterSettings::rain(FluidShape::Circle { radius: 20.0 }, 200.0);
    let burst = EmitterSettings { burst: Some(20), ..jet.clone() };
    for settings in [jet, rain, burst] {
        let is_burst = settings.burst.is_some();
        let mut emitter = Emitter::new(settings).expect("valid");
        let mut world = weightless();
        let stone = add_collider(&mut world, Collider::circle(Vec2::ZERO, 100.0));
        let emit_for_a_second = |world: &mut FluidWorld, emitter: &mut Emitter| {
            for _ in 0..60 {
                emitter.emit(world.liquid_mut(), STILL, STILL, TICK).expect("valid");
                run(world, 1);
            }
        };
        emit_for_a_second(&mut world, &mut emitter);
        assert_eq!((world.particles().len(), emitter.emitted(), emitter.refused()), (0, 0, 0));
        assert!(emitter.held_back() > 0, "it is counted");
        world.remove_collider(stone);
        if is_burst {
            emitter.restart();
        }
        emit_for_a_second(&mut world, &mut emitter);
        assert_eq!(world.particles().len() as u64, emitter.emitted());
        // At its rate: what was held back is not made up for.
        assert!((20..=250).contains(&emitter.emitted()), "{}", emitter.emitted());
    }
}

// Scenes that make no sense, or cannot be read.

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

// Row 26 of docs/reliability.md.
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

// Row 26 of docs/reliability.md.
#[test]
fn scenes_cut_short_anywhere_are_refused_where_they_end() {
    let text = include_str!("../../../../../assets/scenes/legacy.scene.ron").trim_end();
    assert!(Scene::from_ron(text).is_ok());
    for length in (0..text.len()).filter(|length| text.is_char_boundary(*length)) {
        let error = Scene::from_ron(&text[..length]).expect_err("refused");
        let (line, column) = place_of(&error).unwrap_or_else(|| panic!("no place: {error}"));
        let lines = text[..length].split('\n').count();
        assert!((1..=lines).contains(&line) && column > 0, "{length}: {error}");
    }
}

// Row 26 of docs/reliability.md.
#[test]
fn scenes_with_a_corrupt_byte_never_panic() {
    let text = include_str!("../../../../../assets/scenes/dam_break.scene.ron");
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

// Containers and colliders without a size, of no shape, or where they were not before.

/// A pool at rest in a tank with half of these sizes.
fn pool() -> FluidWorld {
    let mut world = in_tank(Vec2::ZERO, Vec2::new(200.0, 150.0));
    let block = FluidShape::Rectangle { half_size: Vec2::new(190.0, 80.0) };
    pour(&mut world, block.fill(Vec2::new(0.0, -60.0), 8.2));
    run(&mut world, 300);
    world
}

// Rows 10 and 12 of docs/reliability.md.
#[test]
fn solids_without_a_size_are_refused_and_change_nothing() {
    for size in [0.0, -0.0, -5.0, f32::MIN_POSITIVE / 2.0, f32::NAN, f32::INFINITY] {
        let shapes = [
            (FluidShape::Circle { radius: size }, "radius"),
            (FluidShape::Rectangle { half_size: Vec2::new(size, 5.0) }, "half_size"),
            (FluidShape::Rectangle { half_size: Vec2::new(5.0, size) }, "half_size"),
            (FluidShape::Capsule { half_length: 5.0, radius: size }, "radius"),
        ];
        for (shape, field) in shapes {
            let collider = Collider::new(shape.clone(), Vec2::ZERO, Vec2::X);
            assert_eq!(collider.expect_err("refused").field, field, "{shape:?}");
            let container = Container::new(shape.clone(), Vec2::ZERO, Vec2::X);
            assert_eq!(container.expect_err("refused").field, field, "{shape:?}");
        }
    }
    // A pose that is none: the collider stays where it was.
    let mut world = pool();
    let id = add_collider(&mut world, Collider::circle(Vec2::new(0.0, 120.0), 9.0));
    let before = world.collider(id).cloned();
    for (centre, rotation) in
        [(Vec2::NAN, Vec2::X), (Vec2::ZERO, Vec2::ZERO), (Vec2::ZERO, Vec2::NAN)]
    {
        assert!(world.move_collider(id, centre, rotation).is_err());
        assert_eq!(world.collider(id), before.as_ref());
    }
}

// Row 13 of docs/reliability.md.
#[test]
fn what_is_no_polygon_is_refused() {
    let corners = [Vec2::ZERO, Vec2::new(9.0, 0.0), Vec2::new(0.0, 9.0)];
    assert!(Polygon::new(corners).is_ok());
    for few in 0..3 {
        let error = Polygon::new(corners[..few].iter().copied()).expect_err("refused");
        assert_eq!((error.field, error.value), ("corners", few as f32));
        assert!(Polygon::with_holes([corners.to_vec(), corners[..few].to_vec()]).is_err());
        assert!(Polygon::from_contours([corners[..few].to_vec()]).is_err());
    }
    for few in 0..2 {
        assert!(Polyline::new(corners[..few].iter().copied(), 1.0).is_err());
    }
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e10] {
        for spoilt in 0..3 {
            let mut corners = corners;
            corners[spoilt].y = bad;
            assert_eq!(Polygon::new(corners).expect_err("refused").field, "corners");
            assert!(Polygon::from_contours([corners.to_vec()]).is_err());
            assert!(Polyline::new(corners, 1.0).is_err());
        }
        assert!(Polygon::heightfield(&[0.0, bad, 0.0], 1.0, 1.0).is_err() || bad == 1e10);
    }
}

/// Five corners of a star, each joined to the next but one.
fn pentagram(radius: f32) -> FluidShape {
    let corners = [(0.0, 1.0), (0.588, -0.809), (-0.951, 0.309), (0.951, 0.309), (-0.588, -0.809)];
    let corners = corners.map(|corner| Vec2::from(corner) * radius);
    FluidShape::Polygon(Polygon::new(corners).expect("a ring"))
}

// Row 13 of docs/reliability.md.
#[test]
fn a_ring_that_crosses_itself_is_hollow_where_it_lies_twice_and_loses_nothing() {
    let star = pentagram(60.0);
    assert!(star.contains(Vec2::new(0.0, 45.0)) && !star.contains(Vec2::ZERO));
    let mut world = pool();
    let count = world.particles().len();
    let star = Collider::new(star, Vec2::new(0.0, -40.0), Vec2::X).expect("valid");
    world.insert_collider(star.clone());
    run(&mut world, 600);
    let report = measure(&world);
    assert_eq!((report.particles, report.escaped, report.quarantined), (count, 0, 0));
    let positions = world.particles().positions();
    assert!(positions.iter().all(|position| star.distance(*position) > -0.05));
    // As a container it holds what is in its tips.
    let mut world = FluidWorld::default();
    add_container(&mut world, Container::new(pentagram(300.0), Vec2::ZERO, Vec2::X));
    let tip = FluidShape::Circle { radius: 40.0 };
    pour(&mut world, tip.fill(Vec2::new(0.0, 180.0), 8.2));
    let count = world.particles().len();
    run(&mut world, 600);
    let report = measure(&world);
    assert_eq!((report.particles, report.escaped, report.quarantined), (count, 0, 0));
}

// Row 15 of docs/reliability.md.
#[test]
fn liquid_comes_out_gently_of_an_obstacle_that_jumps_onto_it() {
    let mut world = pool();
    let count = world.particles().len();
    let id = add_collider(&mut world, Collider::circle(Vec2::new(0.0, 110.0), 35.0));
    run(&mut world, 30);
    for to in [Vec2::new(-90.0, -80.0), Vec2::new(100.0, -100.0), Vec2::new(0.0, -60.0)] {
        assert_eq!(world.move_collider(id, to, Vec2::X), Ok(true));
        let mut most = 0.0_f32;
        for _ in 0..90 {
            run(&mut world, 1);
            most = most.max(top_speed(&world));
        }
        // Slower than a drop that falls from the ceiling of the tank to its floor.
        let fall = (2.0 * world.parameters().gravity.length() * 300.0).sqrt();
        assert!(most < fall, "{most} against {fall} at {to}");
        assert_eq!((measure(&world).particles, measure(&world).escaped), (count, 0));
        let stone = world.collider(id).expect("there");
        let positions = world.particles().positions();
        assert!(positions.iter().all(|position| stone.distance(*position) > -0.05), "all out");
    }
}
