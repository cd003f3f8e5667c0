//! The solvers `sph`, `shared_pressure` and `incompressible`: what a user relies on.

use blob_fluid::measure::measure;
use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::pools::{
    add_collider, add_container, add_tank_from_origin, assert_finite, body, cells,
    change_parameters, moving, pour, pour_class, pour_mixed, spawn, spawn_all, top_speed,
    world_with,
};
use crate::ticks::{TICK, run, run_by, run_for, same_on_threads};

const SOLVERS: [FluidSolver; 3] =
    [FluidSolver::Sph, FluidSolver::SharedPressure, FluidSolver::Incompressible];

fn parameters(solver: FluidSolver) -> FluidParameters {
    FluidParameters { solver, sleeping: FluidSleeping::OFF, ..FluidParameters::default() }
}

/// A tank filled to `rows` particles with columns of particles at rest.
fn tank(solver: FluidSolver, columns: usize, rows: usize) -> FluidWorld {
    let mut world = world_with(parameters(solver));
    let spacing = world.parameters().particle_spacing;
    let half_size = Vec2::new(columns as f32, 2.0 * rows as f32) * (0.5 * spacing);
    add_tank_from_origin(&mut world, half_size);
    pour(&mut world, cells(columns, rows).map(|cell| cell * spacing));
    world
}

/// A thick jet buckles where it meets the floor, and lays itself down in folds.
#[test]
fn honey_folds() {
    const HEIGHT: f32 = 200.0;
    const SPEED: f32 = 60.0;
    let viscosity = Viscosity { linear: 200.0, ..Viscosity::default() };
    let settings = FluidParameters {
        viscosity,
        particle_spacing: 3.0,
        ..parameters(FluidSolver::Incompressible)
    };
    let mut world = world_with(settings);
    let floor = Container::rectangle(Vec2::new(0.0, 150.0), Vec2::new(200.0, 150.0));
    let sticky = WallProperties { friction: Some(1.0), ..Default::default() };
    add_container(&mut world, floor.and_then(|floor| floor.with_wall(sticky)));
    let (mut poured, mut side, mut folds) = (0.0, 0.0, 0);
    for _ in 0..600 {
        poured += SPEED * TICK;
        while poured >= 3.02 {
            poured -= 3.02;
            for column in -1..=2 {
                let position = Vec2::new((column as f32 - 0.5) * 3.02, HEIGHT - poured);
                spawn(&mut world, moving(position, Vec2::new(0.0, -SPEED)));
            }
        }
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert!(report.substeps <= 2, "thick liquid needs no more substeps: {report:?}");
        // The middle of the jet above the heap.
        let positions = world.particles().positions();
        let jet = positions.iter().filter(|position| (position.y - 0.4 * HEIGHT).abs() < 6.0);
        let (sum, count) =
            jet.fold((0.0, 0.0), |(sum, count), position| (sum + position.x, count + 1.0));
        let middle: f32 = if count > 0.0 { sum / count } else { 0.0 };
        if middle.abs() > 0.5 {
            folds += u32::from(middle * side < 0.0);
            side = middle;
        }
    }
    assert!(folds >= 6, "{folds}");
}

/// A round lump without gravity, which turns by so many radians per second.
fn turning_lump(settings: FluidParameters, spacing: f32, turning: f32) -> FluidWorld {
    let mut world = world_with(FluidParameters { gravity: Vec2::ZERO, ..settings });
    let places = FluidShape::Circle { radius: 60.0 }.fill(Vec2::ZERO, spacing);
    spawn_all(&mut world, places.map(|place| moving(place, place.perp() * turning)));
    world
}

/// Sum of the angular momenta of all particles.
fn spin(world: &FluidWorld) -> f64 {
    let particles = world.particles();
    let pairs = particles.positions().iter().zip(particles.velocities());
    pairs.map(|(at, velocity)| at.as_dvec2().perp_dot(velocity.as_dvec2())).sum()
}

/// Forces along the lines between particles leave the turning of a whole lump alone.
#[test]
fn viscosity_does_not_slow_down_what_turns_as_a_whole() {
    let turning_after_a_tick = |linear| {
        let viscosity = Viscosity { linear, ..Viscosity::default() };
        let settings = FluidParameters { viscosity, ..parameters(FluidSolver::Incompressible) };
        // Slow enough that the pressure need not hold it together.
        let mut world = turning_lump(settings, settings.particle_spacing, 0.02);
        run(&mut world, 1);
        spin(&world)
    };
    let (thick, thin) = (turning_after_a_tick(500.0), turning_after_a_tick(0.0));
    assert!((thick / thin - 1.0).abs() < 1e-5, "{thick} {thin}");
}

#[test]
fn what_turns_as_a_whole_goes_on_turning() {
    // Pressure at predicted positions acts a little beside the line between a pair.
    let least = [0.999, 0.9, 0.999];
    for (solver, least) in SOLVERS.into_iter().zip(least) {
        for rate in [20, 60, 240] {
            let settings = parameters(solver);
            let mut world = turning_lump(settings, 1.03 * settings.particle_spacing, 0.5);
            let before = spin(&world);
            run_at(&mut world, rate, 5.0);
            let kept = spin(&world) / before;
            assert!((least..1.001).contains(&kept), "{solver:?}, {rate} ticks/s: {kept}");
        }
    }
}

/// Runs so many ticks per second.
fn run_at(world: &mut FluidWorld, rate: u32, seconds: f32) {
    for _ in 0..(rate as f32 * seconds) as u32 {
        world.step(1.0 / rate as f32, &SerialExecutor).expect("valid");
    }
}

/// Settings without any viscosity and drag.
fn inviscid(solver: FluidSolver) -> FluidParameters {
    let viscosity =
        Viscosity { approach: 0.0, quadratic: 0.0, linear: 0.0, ..Viscosity::default() };
    FluidParameters { viscosity, settling: Settling::OFF, ..parameters(solver) }
}

/// The largest of some numbers over the smallest.
fn spread(numbers: [f32; 3]) -> f32 {
    numbers.into_iter().fold(0.0, f32::max) / numbers.into_iter().fold(f32::MAX, f32::min)
}

#[test]
fn layers_that_slide_lose_as_much_at_every_rate() {
    for solver in SOLVERS {
        let kept = [20, 60, 240].map(|rate| {
            let settings = FluidParameters { gravity: Vec2::ZERO, ..inviscid(solver) };
            let mut world = world_with(settings);
            let layer = FluidShape::Rectangle { half_size: Vec2::new(60.0, 30.0) };
            for side in [-1.0, 1.0] {
                let centre = Vec2::new(0.0, 31.0 * side);
                let places = layer.fill(centre, 1.03 * settings.particle_spacing);
                spawn_all(&mut world, places.map(|at| moving(at, Vec2::new(50.0 * side, 0.0))));
            }
            let energy = |world: &FluidWorld| {
                world.particles().velocities().iter().map(|v| v.length_squared()).sum::<f32>()
            };
            let before = energy(&world);
            run_at(&mut world, rate, 1.0);
            energy(&world) / before
        });
        assert!(spread(kept) < 1.15, "{solver:?}: {kept:?}");
        assert!(kept.iter().all(|kept| (0.5..1.0).contains(kept)), "{solver:?}: {kept:?}");
    }
}

#[test]
fn a_dam_breaks_as_fast_at_every_rate() {
    for solver in SOLVERS {
        let fronts = [20, 60, 240].map(|rate| {
            let mut world = world_with(inviscid(solver));
            let floor = Container::rectangle(Vec2::new(300.0, 150.0), Vec2::new(300.0, 150.0));
            let slippery = WallProperties { friction: Some(0.0), ..Default::default() };
            add_container(&mut world, floor.and_then(|floor| floor.with_wall(slippery)));
            let spacing = world.parameters().particle_spacing;
            pour(&mut world, cells(14, 14).map(|cell| cell * spacing));
            run_at(&mut world, rate, 1.0);
            let mut places: Vec<f32> =
                world.particles().positions().iter().map(|at| at.x).collect();
            places.sort_by(f32::total_cmp);
            places[places.len() * 98 / 100]
        });
        assert!(spread(fronts) < 1.05, "{solver:?}: {fronts:?}");
    }
}

/// The greatest speed of a pool in some ticks of these lengths in turn.
fn fastest_in(world: &mut FluidWorld, ticks: u32, lengths: &[f32]) -> f32 {
    let mut fastest = 0.0_f32;
    for tick in 0..ticks as usize {
        world.step(lengths[tick % lengths.len()], &SerialExecutor).expect("valid");
        fastest = fastest.max(top_speed(world));
    }
    fastest
}

#[test]
fn short_ticks_let_no_pool_burst() {
    for solver in FluidSolver::ALL {
        let mut world = tank(solver, 20, 15);
        run_for(&mut world, 6.0);
        let even = fastest_in(&mut world.clone(), 240, &[TICK]);
        let most = (1.5 * even).max(world.parameters().speed_unit());
        for short in [0.0001, 0.0005, 0.002] {
            let mut once = world.clone();
            let fastest =
                fastest_in(&mut once, 1, &[short]).max(fastest_in(&mut once, 60, &[TICK]));
            assert!(fastest < most, "{solver:?}, once {short} s: {fastest} for {even}");
            let fastest = fastest_in(&mut world.clone(), 240, &[short, TICK, TICK]);
            assert!(fastest < most, "{solver:?}, each third {short} s: {fastest} for {even}");
        }
    }
}

/// In the tutorial that `sph` follows, a wrong sign makes pressure pull.
#[test]
fn particles_that_are_too_close_part() {
    for solver in SOLVERS {
        for apart in [3.0, 0.2, 0.0] {
            let settings =
                FluidParameters { gravity: Vec2::ZERO, radius_ratio: 2.2, ..parameters(solver) };
            let mut world = world_with(settings);
            // Crowded enough for a density above that of liquid at rest.
            let around = |number: f32| Vec2::from_angle(2.4 * number) * number.sqrt() * 2.0;
            pour(&mut world, (0..40).map(|number| around(number as f32)));
            pour(&mut world, [Vec2::new(apart, 0.0)]);
            let extent = |world: &FluidWorld| {
                world.particles().positions().iter().map(|at| at.length()).sum::<f32>()
            };
            let before = extent(&world);
            run_for(&mut world, 0.5);
            let after = extent(&world);
            assert!(after > 1.5 * before, "{solver:?}: {before} {after}");
            let positions = world.particles().positions();
            for (index, one) in positions.iter().enumerate() {
                for other in &positions[..index] {
                    let distance = one.distance(*other);
                    assert!(distance > 1.0, "{solver:?}, {apart} apart at first: {distance}");
                }
            }
        }
    }
}

#[test]
fn a_pool_is_hardly_denser_at_its_bottom_and_stays_full() {
    for solver in SOLVERS {
        let mut world = tank(solver, 40, 50);
        run_for(&mut world, 8.0);
        let report = measure(&world);
        assert_eq!((report.particles, report.escaped, report.quarantined), (2000, 0, 0));
        let ratio = report.density_ratio;
        assert!((0.97..1.12).contains(&ratio.mean), "{solver:?}: {ratio:?}");
        let heights = world.particles().positions().iter().map(|position| f64::from(position.y));
        let middle = heights.sum::<f64>() / 2000.0;
        let expected = 25.0 * f64::from(world.parameters().particle_spacing);
        assert!((middle / expected - 1.0).abs() < 0.06, "{solver:?}: {middle} {expected}");
    }
}

#[test]
fn three_classes_sort_themselves() {
    for solver in SOLVERS {
        let mut world = world_with(parameters(solver));
        add_container(&mut world, Container::circle(Vec2::ZERO, 200.0));
        for (number, cell) in (0_u32..).zip(cells(30, 30)) {
            let class = ClassId((number.wrapping_mul(2_654_435_761) >> 16) as u8 % 3);
            pour_class(&mut world, class, [(cell - 15.0) * 7.9]);
        }
        run_for(&mut world, 30.0);
        let report = measure(&world);
        assert_eq!((report.escaped, report.quarantined), (0, 0));
        assert!(report.layer_order > 0.95, "{solver:?}: {}", report.layer_order);
    }
}

#[test]
fn forces_of_pairs_cancel() {
    for solver in SOLVERS {
        let settings = FluidParameters { gravity: Vec2::ZERO, ..parameters(solver) };
        let mut world = world_with(settings);
        for number in 0..400_u32 {
            let place = Vec2::new((number % 20) as f32, (number / 20) as f32) * 6.0;
            let velocity = Vec2::new(place.y - 60.0, 0.3 * place.x);
            let class = ClassId((number % 3) as u8);
            spawn(&mut world, ParticleSpawn { class, ..moving(place, velocity) });
        }
        let momentum = |world: &FluidWorld| {
            let particles = world.particles();
            let mass = |class: &ClassId| f64::from(world.classes()[*class].mass);
            let particles = particles.velocities().iter().zip(particles.classes());
            particles.map(|(velocity, class)| velocity.as_dvec2() * mass(class)).sum::<DVec2>()
        };
        let (before, scale) = (momentum(&world), 400.0 * 60.0);
        run_for(&mut world, 2.0);
        let drift = (momentum(&world) - before).length() / scale;
        assert!(drift < 1e-5, "{solver:?}: {drift}");
    }
}

#[test]
fn threads_change_no_bit() {
    let tanks = SOLVERS.map(|solver| (tank(solver, 40, 30), 60));
    // More particles than are sorted in one chunk.
    for (start, ticks) in tanks.into_iter().chain([(bowl(classic(), 20_000), 4)]) {
        same_on_threads([2, 3], |executor| {
            let mut world = start.clone();
            run_by(executor, &mut world, ticks);
            (world.parameters().solver, world.state_hash())
        });
    }
}

#[test]
fn bodies_float_at_the_height_of_the_water_that_they_displace() {
    for solver in SOLVERS {
        let mut world = tank(solver, 60, 24);
        let spacing = world.parameters().particle_spacing;
        let (centre, half_size) = (Vec2::new(30.0, 27.0) * spacing, Vec2::new(9.0, 3.0) * spacing);
        let boat = body(FluidShape::Rectangle { half_size }, centre, 0.5);
        let boat = world.insert_collider(boat);
        run_for(&mut world, 12.0);
        let at = world.collider(boat).expect("there").centre();
        let beside = |position: &&Vec2| (position.x - at.x).abs() > 15.0 * spacing;
        let surface = world.particles().positions().iter().filter(beside);
        let surface = surface.map(|position| position.y).fold(0.0, f32::max) + 0.5 * spacing;
        let draught = surface - (at.y - half_size.y);
        let expected = half_size.y;
        let off = (draught - expected).abs();
        assert!(off < 0.5 * half_size.y, "{solver:?}: {draught} instead of {expected}");
    }
}

/// What the solver is for, and what its two settings do.
#[test]
fn an_incompressible_pool_keeps_the_stated_tolerance() {
    let mut world = tank(FluidSolver::Incompressible, 24, 100);
    // As long as a column that was put down takes to come to rest.
    run_for(&mut world, 20.0);
    let mean = |iterations: &mut u32, world: &mut FluidWorld| {
        let mut error = 0.0;
        for _ in 0..60 {
            let report = world.step(TICK, &SerialExecutor).expect("valid");
            *iterations += report.pressure_iterations;
            error += f64::from(report.density_error) / 60.0;
        }
        error
    };
    let (mut iterations, mut fewer) = (0, 0);
    let error = mean(&mut iterations, &mut world);
    assert!(error <= 0.0011, "{error}");
    let ratio = measure(&world).bottom_top_density;
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    let mut lax = *world.parameters();
    lax.incompressible.tolerance = 0.02;
    world.set_parameters(lax).expect("valid");
    mean(&mut fewer, &mut world);
    assert!(fewer < iterations, "{fewer} instead of {iterations}");
    let mut capped = *world.parameters();
    capped.incompressible = IncompressibleSettings { tolerance: 0.0001, max_iterations: 2 };
    world.set_parameters(capped).expect("valid");
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!(report.pressure_iterations, 2 * report.substeps);
}

// The solver `classic`: no input causes a panic or spreads a NaN, the same ticks give the same
// bits, and a liquid may change to this solver and back.

fn classic() -> FluidParameters {
    FluidParameters { solver: FluidSolver::Classic, ..FluidParameters::default() }
}

/// Mixed particles in a round container with a post in it. All lengths are in particle spacings.
fn bowl(parameters: FluidParameters, count: usize) -> FluidWorld {
    let mut world = world_with(parameters);
    let spacing = parameters.particle_spacing;
    let radius = 0.6 * (count as f32).sqrt() * spacing;
    add_container(&mut world, Container::circle(Vec2::ZERO, 1.3 * radius));
    add_collider(&mut world, Collider::circle(Vec2::new(0.0, -0.8 * radius), 2.0 * spacing));
    pour_mixed(&mut world, fermat_spiral(Vec2::ZERO, radius, count));
    world
}

#[test]
fn particles_on_one_point_separate_the_same_way_every_time() {
    for count in [2, 2000] {
        let heap = || {
            let mut world = world_with(classic());
            add_container(&mut world, Container::circle(Vec2::ZERO, 500.0));
            pour_mixed(&mut world, vec![Vec2::ZERO; count]);
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
            let (approach, quadratic, linear) = (1000.0, 1000.0, 1000.0);
            p.viscosity = Viscosity { approach, quadratic, linear, limit: 1.0, cross_class: 10.0 };
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
    let mut world = world_with(parameters);
    let spacing = parameters.particle_spacing;
    pour(&mut world, cells(80, 20).map(|cell| (cell - 0.5) * spacing));
    run(&mut world, 120);
    assert_eq!(world.asleep(), 1600);
    let asleep = world.state_hash();
    run(&mut world, 10);
    assert_eq!(world.state_hash(), asleep);
    // One particle flies in from the left, and its viscosity pushes the others.
    spawn(&mut world, moving(Vec2::new(-6.0, 10.2) * spacing, Vec2::new(400.0, 0.0)));
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
        change_parameters(&mut world, |parameters| parameters.solver = solver);
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
        let mut world = world_with(parameters);
        add_container(&mut world, Container::circle(Vec2::ZERO, radius));
        let speed = 60.0;
        let position = Vec2::new(radius + beyond - speed * TICK, 0.0);
        spawn(&mut world, moving(position, Vec2::new(speed, 0.0)));
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
    let mut world = world_with(FluidParameters { gravity: Vec2::ZERO, ..classic() });
    let mass = |class: ClassId| world.classes()[class].mass;
    let (heavy, light) = (mass(ClassId::HEAVY), mass(ClassId::LIGHT));
    for (class, x) in [(ClassId::HEAVY, -2.0), (ClassId::LIGHT, 2.0)] {
        let position = Vec2::new(x, 0.0) + scatter(u32::from(class.0)) * 0.1;
        pour_class(&mut world, class, [position]);
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

/// A few drops far from all else. What they exchange is bounded for liquid at rest, which they are not.
#[test]
fn lone_drops_gain_no_energy_from_viscosity() {
    for solver in [FluidSolver::Sph, FluidSolver::Incompressible] {
        for rate in [20.0, 30.0, 60.0, 240.0] {
            for count in 2..9 {
                let settings = FluidParameters { gravity: Vec2::ZERO, ..parameters(solver) };
                let mut world = world_with(settings);
                for drop in 0..count {
                    let turned = Vec2::from_angle(2.4 * drop as f32);
                    let place = turned * ((drop as f32).sqrt() * 0.8 * settings.particle_spacing);
                    let velocity = Vec2::from_angle(1.7 * (drop * drop) as f32);
                    spawn(&mut world, moving(place, velocity));
                }
                let fastest = fastest_in(&mut world, (5.0 * rate) as u32, &[1.0 / rate]);
                let most = (count as f32).sqrt();
                assert!(fastest <= most, "{count} of {solver:?} at {rate} Hz: {fastest}");
            }
        }
    }
}
