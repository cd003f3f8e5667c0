//! The solver `classic`: no input causes a panic or spreads a NaN, the same ticks give the same
//! bits, and a liquid may change to this solver and back.

use blob_fluid::measure::measure;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    ClassId, ClassTable, ClassicSettings, Collider, Container, DensityClass, FluidParameters,
    FluidSleeping, FluidSolver, FluidWorld, ParticleId, ParticleSpawn, RayonExecutor,
    SerialExecutor, Substeps, Viscosity,
};
use glam::Vec2;

use crate::pools::assert_finite;
use crate::ticks::{TICK, run};

fn classic() -> FluidParameters {
    FluidParameters { solver: FluidSolver::Classic, ..FluidParameters::default() }
}

/// Mixed particles in a round container with a post in it. All lengths are in particle spacings.
fn bowl(parameters: FluidParameters, count: usize) -> FluidWorld {
    let mut world = FluidWorld::new(parameters).expect("valid");
    let spacing = parameters.particle_spacing;
    let radius = 0.6 * (count as f32).sqrt() * spacing;
    world.insert_container(Container::circle(Vec2::ZERO, 1.3 * radius).expect("valid"));
    let post = Collider::circle(Vec2::new(0.0, -0.8 * radius), 2.0 * spacing);
    world.insert_collider(post.expect("valid"));
    for (index, position) in fermat_spiral(Vec2::ZERO, radius, count).into_iter().enumerate() {
        let class = ClassId((index % 3) as u8);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    world
}

#[test]
fn what_goes_bad_is_quarantined_and_leaves_no_mark() {
    let huge = 1e30;
    for bad in [Vec2::NAN, Vec2::INFINITY, Vec2::new(0.0, f32::NEG_INFINITY), Vec2::splat(huge)] {
        let mut world = bowl(classic(), 300);
        run(&mut world, 20);
        let mut untouched = world.clone();
        let id = world.particles().ids()[100];
        let index = world.particles().index_of(id).expect("alive");
        world.particles_mut().velocities_mut()[index] = bad;
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.quarantined, world.quarantined()), (1, 1), "{bad}");
        assert_eq!(world.particles().index_of(id), None);
        assert_finite(&world);
        // The result is the same as without the particle.
        untouched.despawn(id);
        untouched.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(world.state_hash(), untouched.state_hash(), "{bad}");
    }
}

#[test]
fn particles_on_one_point_separate_the_same_way_every_time() {
    for count in [2, 2000] {
        let heap = || {
            let mut world = FluidWorld::new(classic()).expect("valid");
            world.insert_container(Container::circle(Vec2::ZERO, 500.0).expect("valid"));
            for index in 0..count {
                let class = ClassId((index % 3) as u8);
                world.spawn(ParticleSpawn { class, ..Default::default() }).expect("valid");
            }
            run(&mut world, 60);
            world
        };
        let world = heap();
        assert_finite(&world);
        assert_eq!(world.particles().len(), count);
        let mut points: Vec<_> = world.particles().positions().to_vec();
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        assert_eq!(points.len(), count, "all have places of their own");
        assert_eq!(world.state_hash(), heap().state_hash());
    }
}

#[test]
fn values_within_their_ranges_end_in_numbers() {
    let extremes: [fn(&mut FluidParameters); 12] = [
        |p| p.stiffness = 1000.0,
        |p| (p.stiffness, p.near_stiffness_ratio) = (1000.0, 100.0),
        |p| p.stiffness = 0.0,
        |p| (p.rest_density, p.stiffness) = (Some(1000.0), 1000.0),
        |p| p.rest_density = Some(0.1),
        |p| {
            p.viscosity = Viscosity {
                approach: 1000.0,
                quadratic: 1000.0,
                linear: 1000.0,
                limit: 1.0,
                cross_class: 10.0,
            };
        },
        |p| p.gravity = Vec2::new(1e6, -1e6),
        |p| p.gravity = Vec2::ZERO,
        |p| (p.particle_spacing, p.reference_acceleration) = (1e-6, 1e6),
        |p| (p.particle_spacing, p.reference_acceleration) = (1e6, 1e-6),
        |p| (p.radius_ratio, p.substeps) = (6.0, Substeps::Fixed(1)),
        |p| {
            p.classic = ClassicSettings { restitution: 1.0, dead_zone: 1.0, unsticking: 100.0 };
        },
    ];
    let violent = [(1000.0, 100.0), (0.001, 0.0), (1.0, 1.0)].map(|(mass, factor)| DensityClass {
        mass,
        stiffness: factor,
        near_stiffness: factor,
        relative_rest_density: if mass > 1.0 { 100.0 } else { 0.01 },
        gravity_scale: mass.min(1000.0),
        ..DensityClass::default()
    });
    let violent = ClassTable::new(violent.into()).expect("valid");
    for (number, change) in extremes.into_iter().enumerate() {
        for classes in [ClassTable::default(), violent.clone()] {
            let mut parameters = classic();
            change(&mut parameters);
            let mut world = bowl(parameters, 200);
            world.set_classes(classes).expect("as many");
            for _ in 0..40 {
                world.step(TICK, &SerialExecutor).expect("valid");
                assert_finite(&world);
                let lost = world.quarantined() as usize;
                assert_eq!(world.particles().len() + lost, 200, "case {number}");
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    // More particles than are sorted in one chunk.
    let start = bowl(classic(), 20_000);
    let mut serial = start.clone();
    run(&mut serial, 4);
    for threads in [2, 3] {
        let executor = RayonExecutor::new(threads).expect("threads");
        let mut world = start.clone();
        for _ in 0..4 {
            world.step(TICK, &executor).expect("valid");
        }
        assert_eq!(world.state_hash(), serial.state_hash(), "{threads} threads");
    }
}

#[test]
fn a_workspace_thrown_away_every_tick_changes_no_bit() {
    let mut kept = bowl(classic(), 400);
    let mut thrown = kept.clone();
    for _ in 0..60 {
        kept.step(TICK, &SerialExecutor).expect("valid");
        thrown = FluidWorld::from(thrown.liquid().clone());
        thrown.step(TICK, &SerialExecutor).expect("valid");
    }
    assert_eq!(kept.state_hash(), thrown.state_hash());
}

#[test]
fn while_it_boils_sleeping_changes_no_bit() {
    let [mut may, mut never] = [FluidSleeping::default(), FluidSleeping::OFF]
        .map(|sleeping| bowl(FluidParameters { sleeping, ..classic() }, 400));
    for tick in 0..300 {
        run(&mut may, 1);
        run(&mut never, 1);
        if may.asleep() > 0 {
            // Long after the first might have.
            assert!(tick > 90, "{tick}");
            break;
        }
        assert_eq!(may.state_hash(), never.state_hash(), "{tick}");
    }
    assert_eq!(never.asleep(), 0);
}

#[test]
fn what_sleeps_stays_where_it_is_while_others_move() {
    // Without pressure no particle moves by itself.
    let parameters = FluidParameters { stiffness: 0.0, gravity: Vec2::ZERO, ..classic() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let spacing = parameters.particle_spacing;
    for index in 0..1600 {
        let position = Vec2::new((index % 80) as f32, (index / 80) as f32) * spacing;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    run(&mut world, 120);
    assert_eq!(world.asleep(), 1600);
    let asleep = world.state_hash();
    run(&mut world, 10);
    assert_eq!(world.state_hash(), asleep);
    // One particle flies in from the left, and its viscosity pushes the others.
    let position = Vec2::new(-6.0 * spacing, 10.2 * spacing);
    let velocity = Vec2::new(400.0, 0.0);
    world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("room");
    let before: Vec<_> = world.particles().positions().to_vec();
    let ids: Vec<_> = world.particles().ids().to_vec();
    run(&mut world, 20);
    assert!(world.asleep() > 500 && world.asleep() < 1600, "{} sleep", world.asleep());
    let particles = world.particles();
    let place = |id: &ParticleId| particles.positions()[particles.index_of(*id).expect("alive")];
    let moved = ids.iter().zip(&before).filter(|(id, before)| place(id) != **before).count();
    assert!(moved > 10 && moved <= 1601 - world.asleep(), "{moved}");
}

#[test]
fn a_liquid_that_changes_its_solver_keeps_its_particles() {
    let mut world = bowl(FluidParameters::default(), 400);
    let mut solvers = [FluidSolver::Classic, FluidSolver::DoubleDensity].into_iter().cycle();
    for _ in 0..6 {
        run(&mut world, 30);
        let before = world.liquid().clone();
        let solver = solvers.next().expect("endless");
        let parameters = FluidParameters { solver, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        let (old, new) = (before.particles(), world.particles());
        assert_eq!(new.ids(), old.ids());
        assert_eq!(new.positions(), old.positions());
        assert_eq!(new.velocities(), old.velocities());
        assert_eq!(new.classes(), old.classes());
        assert_eq!(new.temperatures(), old.temperatures());
        assert!(new.kept_pressures().is_empty(), "they belong to the other solver");
        // The liquid continues like one that has never had another solver.
        let mut afresh = FluidWorld::from(world.liquid().clone());
        run(&mut world, 1);
        run(&mut afresh, 1);
        assert_eq!(world.state_hash(), afresh.state_hash());
        assert_ne!(world.state_hash(), before.state_hash());
        assert_eq!((world.particles().len(), world.quarantined()), (400, 0));
        assert_finite(&world);
    }
    // Liquid that `classic` has compressed bursts apart, and comes to rest in the end.
    run(&mut world, 1800);
    let report = measure(&world);
    assert_eq!((report.particles, report.escaped, report.quarantined), (400, 0, 0));
    let calm = 0.1 * f64::from(world.parameters().speed_unit());
    assert!(report.rms_speed < calm, "{}", report.rms_speed);
}

#[test]
fn walls_bounce_beyond_the_dead_zone_only() {
    let settings = ClassicSettings { restitution: 0.5, dead_zone: 0.2, unsticking: 0.0 };
    let parameters = FluidParameters {
        gravity: Vec2::ZERO,
        classic: settings,
        substeps: Substeps::Fixed(1),
        ..classic()
    };
    let (spacing, radius) = (parameters.particle_spacing, 100.0);
    let dead_zone = settings.dead_zone * spacing;
    for (beyond, bounces) in [(0.9 * dead_zone, false), (1.1 * dead_zone, true)] {
        let mut world = FluidWorld::new(parameters).expect("valid");
        world.insert_container(Container::circle(Vec2::ZERO, radius).expect("valid"));
        let speed = 60.0;
        let position = Vec2::new(radius + beyond - speed * TICK, 0.0);
        let velocity = Vec2::new(speed, 0.0);
        world.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
        run(&mut world, 1);
        let particles = world.particles();
        let (at, velocity) = (particles.positions()[0].x, particles.velocities()[0].x);
        let expected = if bounces {
            (radius - 0.4 * dead_zone, -settings.restitution * speed)
        } else {
            (radius + beyond, speed)
        };
        assert!((at - expected.0).abs() < 1e-3, "{at} instead of {}", expected.0);
        assert!((velocity - expected.1).abs() < 1e-2, "{velocity} instead of {}", expected.1);
    }
}

#[test]
fn heavier_particles_are_moved_less() {
    let mut world =
        FluidWorld::new(FluidParameters { gravity: Vec2::ZERO, ..classic() }).expect("valid");
    let mass = |class: ClassId| world.classes()[class].mass;
    let (heavy, light) = (mass(ClassId::HEAVY), mass(ClassId::LIGHT));
    for (class, x) in [(ClassId::HEAVY, -2.0), (ClassId::LIGHT, 2.0)] {
        let position = Vec2::new(x, 0.0) + scatter(u32::from(class.0)) * 0.1;
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("valid");
    }
    run(&mut world, 5);
    let particles = world.particles();
    let of = |class: ClassId| {
        let index = particles.classes().iter().position(|id| *id == class).expect("one");
        particles.velocities()[index]
    };
    let momentum = of(ClassId::HEAVY) * heavy + of(ClassId::LIGHT) * light;
    assert!(of(ClassId::LIGHT).length() > 1.0, "they move");
    assert!(momentum.length() < 1e-4 * light * of(ClassId::LIGHT).length(), "{momentum}");
}
