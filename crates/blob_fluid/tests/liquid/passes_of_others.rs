//! What passes of a host's own find: pairs of neighbours, and velocities that wake only a region.

use std::collections::BTreeSet;

use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::{
    FluidBounds, FluidParameters, FluidPass, FluidSleeping, FluidWorld, Pair, ParticleSpawn,
    SerialExecutor, Settling,
};
use glam::Vec2;

use crate::pools::{add_tank_from_origin, cells, pour};
use crate::ticks::{TICK, run};

fn cloud() -> FluidWorld {
    let mut world = FluidWorld::default();
    for (index, centre) in fermat_spiral(Vec2::ZERO, 90.0, 500).into_iter().enumerate() {
        let position = centre + scatter(index as u32) * 4.0;
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    world
}

/// Every pair, found by trying all.
fn by_brute_force(world: &FluidWorld) -> BTreeSet<(usize, usize)> {
    let positions = world.particles().positions();
    let radius = world.parameters().interaction_radius();
    let near = |a: usize, b: usize| positions[a].distance_squared(positions[b]) < radius * radius;
    let pairs = (0..positions.len()).flat_map(|a| (a + 1..positions.len()).map(move |b| (a, b)));
    pairs.filter(|(a, b)| near(*a, *b)).collect()
}

#[test]
fn every_pair_is_visited_once() {
    let mut world = cloud();
    let radius = world.parameters().interaction_radius();
    let mut found = Vec::new();
    world.pairs(&SerialExecutor).for_each(|pair| found.push(pair));
    let set: BTreeSet<_> = found.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(set.len(), found.len());
    assert_eq!(set, by_brute_force(&world));
    let positions = world.particles().positions();
    for Pair { a, b, offset, distance, weight } in found {
        assert_eq!(offset, positions[b] - positions[a]);
        assert!((distance - offset.length()).abs() <= f32::EPSILON * distance);
        assert!((weight - (1.0 - distance / radius)).abs() < 1e-6);
    }
}

#[test]
fn sorting_between_ticks_takes_densities_along() {
    for sleeping in [FluidSleeping::OFF, FluidSleeping::default()] {
        let mut world = cloud();
        let parameters = FluidParameters { sleeping, pressure_memory: 0.0, ..Default::default() };
        world.set_parameters(parameters).expect("valid");
        run(&mut world, 3);
        // The last ones take the places of those that go, far from their cells.
        world.despawn_where(|position, _| position.x < 0.0);
        let densities = |world: &FluidWorld| -> Vec<f32> {
            let all = world.particles();
            all.indices_by_slot().map(|index| all.relative_densities()[index]).collect()
        };
        let before = densities(&world);
        world.pairs(&SerialExecutor);
        assert_eq!(densities(&world), before);
    }
}

#[test]
fn the_pairs_of_one_particle_are_those_that_it_is_in() {
    let mut world = cloud();
    let pairs = world.pairs(&SerialExecutor);
    for index in [0, 17, 250, 499] {
        let mut others = BTreeSet::new();
        pairs.for_each_of(index, |pair| {
            assert_eq!(pair.a, index);
            assert!(others.insert(pair.b));
        });
        let mut expected = BTreeSet::new();
        pairs.for_each(|pair| {
            if pair.a == index || pair.b == index {
                expected.insert(pair.a + pair.b - index);
            }
        });
        assert_eq!(others, expected);
    }
}

#[test]
fn pairs_are_those_of_the_present_positions_between_any_two_passes() {
    let mut world = cloud();
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    for pass in FluidPass::ALL {
        world.run_pass(pass, &SerialExecutor);
        let mut found = BTreeSet::new();
        world.pairs(&SerialExecutor).for_each(|pair| {
            found.insert((pair.a, pair.b));
        });
        assert_eq!(found, by_brute_force(&world), "after {}", pass.name());
    }
    world.end_tick(report, &SerialExecutor);
}

/// A wide shallow pool, asleep.
fn asleep() -> FluidWorld {
    let settling = Settling { drag: 2.0, ..Settling::default() };
    let still = FluidParameters { settling, ..FluidParameters::default() };
    let mut world = FluidWorld::new(still).expect("valid");
    let spacing = still.particle_spacing;
    add_tank_from_origin(&mut world, Vec2::new(80.0, 20.0) * spacing);
    pour(&mut world, cells(160, 8).map(|cell| cell * spacing));
    for _ in 0..3000 {
        if world.step(TICK, &SerialExecutor).expect("valid").substeps == 0 {
            return world;
        }
    }
    panic!("{} of {} sleep", world.asleep(), world.particles().len());
}

/// The left end of the pool.
fn left(world: &FluidWorld) -> FluidBounds {
    let spacing = world.parameters().particle_spacing;
    FluidBounds { low: Vec2::ZERO, high: Vec2::new(10.0, 20.0) * spacing }
}

#[test]
fn velocities_that_stay_the_same_wake_nothing() {
    let mut world = asleep();
    let bounds = left(&world);
    let mut seen = 0;
    let changed = world.change_velocities_in(bounds, |particle| {
        seen += 1;
        *particle.velocity *= 2.0;
    });
    assert!(seen > 50, "{seen}");
    assert_eq!(changed, 0, "what sleeps has no velocity");
    assert_eq!(world.step(TICK, &SerialExecutor).expect("valid").substeps, 0);
}

#[test]
fn a_push_between_ticks_wakes_only_its_region() {
    let mut world = asleep();
    let bounds = left(&world);
    let pushed = world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
    assert!(pushed > 50);
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert!(report.substeps > 0);
    assert!(2 * report.asleep > world.particles().len(), "{} sleep", report.asleep);
    let fastest = world.particles().velocities().iter().map(|v| v.length()).fold(0.0, f32::max);
    assert!(fastest > 20.0, "{fastest}");
}

#[test]
fn a_push_between_passes_wakes_only_its_region() {
    let mut world = asleep();
    // Something at the right end keeps the substeps running.
    let spacing = world.parameters().particle_spacing;
    let far = Vec2::new(150.0, 12.0) * spacing;
    let velocity = Vec2::new(0.0, -50.0);
    world.spawn(ParticleSpawn { position: far, velocity, ..Default::default() }).expect("room");
    let bounds = left(&world);
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    assert!(report.substeps > 0);
    for number in 0..report.substeps {
        for pass in FluidPass::ALL {
            if number == 0 && pass == FluidPass::ApplyForces {
                let pushed =
                    world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
                assert!(pushed > 50);
            }
            world.run_pass(pass, &SerialExecutor);
        }
    }
    let report = world.end_tick(report, &SerialExecutor);
    assert!(2 * report.asleep > world.particles().len(), "{} sleep", report.asleep);
    let particles = world.particles();
    let pushed = particles.positions().iter().zip(particles.velocities());
    let fastest =
        pushed.filter(|(at, _)| bounds.contains(**at)).map(|(_, v)| v.length()).fold(0.0, f32::max);
    assert!(fastest > 20.0, "{fastest}: what was pushed lost its velocity");
    // The next tick goes on with both, and the middle sleeps.
    let report = world.step(TICK, &SerialExecutor).expect("valid");
    assert!(3 * report.asleep > world.particles().len(), "{} sleep", report.asleep);
}

/// Runs ticks in which a host gets all particles in front of every pass, and returns how many sleep
/// in the end.
fn run_with_access(world: &mut FluidWorld, ticks: u32, host: impl Fn(&mut FluidWorld)) -> usize {
    let mut asleep = 0;
    for _ in 0..ticks {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        for _ in 0..report.substeps {
            for pass in FluidPass::ALL {
                host(world);
                world.run_pass(pass, &SerialExecutor);
            }
            host(world);
        }
        asleep = world.end_tick(report, &SerialExecutor).asleep;
    }
    asleep
}

#[test]
fn access_that_changes_nothing_wakes_nothing() {
    let mut world = asleep();
    let bounds = left(&world);
    world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
    let mut untouched = world.clone();
    let nothing = |world: &mut FluidWorld| _ = world.particles_mut().velocities_mut().len();
    let some = run_with_access(&mut world, 3, nothing);
    assert!(some > 0, "most of the pool slept on");
    assert_eq!(some, run_with_access(&mut untouched, 3, |_| ()));
    let end = run_with_access(&mut world, 3600, nothing);
    assert_eq!(end, world.particles().len(), "it fell asleep again");
    run_with_access(&mut untouched, 3600, |_| ());
    assert_eq!(world.state_hash(), untouched.state_hash());
}

#[test]
fn changes_in_a_tick_wake_all() {
    let pushes: [fn(&mut FluidWorld); 3] = [
        |world| world.particles_mut().velocities_mut()[0].y += 5.0,
        |world| world.particles_mut().displace(0, Vec2::Y),
        |world| world.particles_mut().split().temperatures[0] += 1.0,
    ];
    for (number, push) in pushes.into_iter().enumerate() {
        let mut world = asleep();
        let bounds = left(&world);
        world.change_velocities_in(bounds, |particle| particle.velocity.y += 40.0);
        assert_eq!(run_with_access(&mut world, 1, push), 0, "change {number}");
    }
}
