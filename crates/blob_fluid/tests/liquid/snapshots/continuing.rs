//! A run that is continued from a snapshot is the run.

use std::fs;
use std::path::Path;

use blob_fluid::scene::Scene;
use blob_fluid::{
    CapacityPolicy, Executor, FluidBounds, FluidParameters, FluidPart, FluidSleeping, FluidSolver,
    FluidWorld, Force, KeptState, Motion, ParticleSpawn, RayonExecutor, SerialExecutor,
    SnapshotError,
};
use glam::Vec2;

use super::everything;
use crate::pools::{add_tank_from_origin, cells, pour, spacing};
use crate::ticks::{TICK, run};

/// Exports a world, imports it, and lets both go on. Whatever differs is named.
fn goes_on(what: &str, mut world: FluidWorld, tick: f32, ticks: u32, executor: &dyn Executor) {
    let bytes = world.to_bytes().expect("between two ticks");
    let mut again =
        FluidWorld::from_bytes(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(again.to_bytes().expect("between two ticks") == bytes, "{what}: exported again");
    for number in 0..ticks {
        let differences: Vec<FluidPart> = {
            let (was, is) = (world.deep_hash(), again.deep_hash());
            was.differences(&is).collect()
        };
        assert!(differences.is_empty(), "{what}, tick {number}: {differences:?} differ");
        let report = world.step(tick, &SerialExecutor).expect("valid");
        assert_eq!(again.step(tick, executor).expect("valid"), report, "{what}, tick {number}");
    }
}

#[test]
fn every_solver_goes_on_with_the_same_bits_with_any_number_of_threads() {
    let three = RayonExecutor::new(3).expect("threads");
    for solver in FluidSolver::ALL {
        let world = everything(solver);
        assert_eq!(world.springs().is_empty(), solver.ignores("class.elasticity"));
        assert_eq!(world.particles().grains().is_empty(), solver.ignores("class.powder"));
        goes_on(solver.name(), world.clone(), TICK, 40, &SerialExecutor);
        goes_on(solver.name(), world, TICK, 40, &three);
    }
}

#[test]
fn every_scene_of_the_assets_goes_on() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes");
    for entry in fs::read_dir(folder).expect("there").flatten() {
        let path = entry.path();
        if !path.to_string_lossy().ends_with(".scene.ron") {
            continue;
        }
        let scene = Scene::read(&path).expect("valid");
        // A scene of air alone has no particles.
        let scene = scene.clone().with_particles(600).unwrap_or(scene);
        let mut world = scene.start(&SerialExecutor).expect("valid");
        for _ in 0..30 {
            world.step(scene.time_step(), &SerialExecutor).expect("valid");
        }
        goes_on(&path.to_string_lossy(), world, scene.time_step(), 20, &SerialExecutor);
    }
}

#[test]
fn random_scenes_go_on() {
    for seed in 0..60 {
        let mut scene = crate::random_scenes::whole_scene(seed);
        for _ in 0..6 {
            scene.0.step(scene.1, &SerialExecutor).expect("valid");
        }
        goes_on(&format!("seed {seed}"), scene.0, scene.1, 6, &SerialExecutor);
    }
}

#[test]
fn what_sleeps_sleeps_on_and_wakes_as_it_would_have() {
    let sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
    let parameters = FluidParameters { sleeping, ..FluidParameters::default() };
    let mut world = FluidWorld::new(parameters).expect("valid");
    add_tank_from_origin(&mut world, Vec2::new(20.0, 15.0) * spacing());
    pour(&mut world, cells(38, 12).map(|cell| cell * 1.03 * spacing()));
    run(&mut world, 300);
    assert_eq!(world.asleep(), world.particles().len());
    goes_on("asleep", world.clone(), TICK, 20, &SerialExecutor);
    world
        .apply_impulse(&Force::explosion(Vec2::splat(30.0), 30.0, 200.0).expect("valid"))
        .expect("valid");
    goes_on("disturbed", world.clone(), TICK, 40, &SerialExecutor);
    run(&mut world, 3);
    goes_on("partly awake", world, TICK, 40, &SerialExecutor);
}

#[test]
fn changes_before_a_tick_are_part_of_it() {
    let mut world = everything(FluidSolver::DoubleDensity);
    world.ease_in();
    world.set_capacity(world.particles().len() + 3);
    world.set_capacity_policy(CapacityPolicy::RecycleOldest);
    world
        .set_kill_bounds(Some(FluidBounds { low: Vec2::splat(-90.0), high: Vec2::splat(200.0) }))
        .expect("valid");
    for x in 0..9 {
        let position = Vec2::new(100.0 + x as f32, 100.0);
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    let tank = world.containers().next().expect("there").0;
    let shaken = Motion { velocity: Vec2::new(40.0, 5.0), ..Motion::STILL };
    world.set_container_motion(tank, shaken).expect("valid");
    world.particles_mut().velocities_mut()[5] = Vec2::NAN;
    goes_on("changed", world, TICK, 40, &SerialExecutor);
}

#[test]
fn handles_stay_those_of_their_particles() {
    let mut world = FluidWorld::default();
    pour(&mut world, cells(10, 10).map(|cell| cell * spacing()));
    let (dead, alive) = (world.particles().ids()[3], world.particles().ids()[7]);
    world.despawn(dead);
    run(&mut world, 5);
    let mut again = FluidWorld::from_bytes(&world.to_bytes().expect("valid")).expect("valid");
    assert_eq!(again.particles().index_of(dead), None);
    assert_eq!(again.particles().index_of(alive), world.particles().index_of(alive));
    let both = [&mut world, &mut again];
    let [one, other] = both.map(|world| world.spawn(ParticleSpawn::default()).expect("room"));
    assert_eq!(one, other, "the next handle is the same as well");
    assert_eq!(one.slot(), dead.slot());
}

#[test]
fn within_a_tick_there_is_no_snapshot() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
    assert_eq!(world.to_bytes(), Err(SnapshotError::WithinTick));
    world.end_tick(report, &SerialExecutor);
    assert!(world.to_bytes().is_ok());
}

// Row 26 of docs/reliability.md.
#[test]
fn a_world_is_restored_in_place_or_not_at_all() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let bytes = world.to_bytes().expect("between two ticks");
    let then = world.deep_hash();
    run(&mut world, 10);
    let now = world.deep_hash();
    assert_ne!(now, then);
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    assert!(matches!(world.restore_bytes(&damaged), Err(SnapshotError::Checksum { .. })));
    assert_eq!(world.deep_hash(), now, "nothing is changed");
    world.restore_bytes(&bytes).expect("valid");
    assert_eq!(world.deep_hash(), then);
    run(&mut world, 10);
    assert_eq!(world.deep_hash(), now);
}

#[test]
fn a_settled_pool_takes_few_bytes() {
    let mut world = FluidWorld::default();
    add_tank_from_origin(&mut world, Vec2::new(160.0, 160.0));
    pour(&mut world, cells(39, 25).map(|cell| cell * 1.03 * spacing()));
    run(&mut world, 60);
    let bytes = world.to_bytes().expect("between two ticks").len();
    let per_particle = bytes as f32 / world.particles().len() as f32;
    assert!(per_particle < 60.0, "{per_particle} bytes a particle");
}

#[test]
fn a_world_rolls_back_as_often_as_one_likes() {
    for solver in FluidSolver::ALL {
        let mut world = everything(solver);
        let mut kept = [KeptState::default(), KeptState::default()];
        for round in 0..6 {
            let kept = &mut kept[round % 2];
            world.keep_in(kept).expect("between two ticks");
            let then = world.deep_hash();
            run(&mut world, 7);
            let now = world.deep_hash();
            world.restore_from(kept);
            assert_eq!(world.deep_hash(), then, "{solver:?}");
            run(&mut world, 7);
            let differences: Vec<_> = now.differences(&world.deep_hash()).collect();
            assert!(differences.is_empty(), "{solver:?}: {differences:?}");
        }
    }
}

#[test]
fn what_is_kept_takes_few_bytes_and_its_memory_is_used_again() {
    let mut world = FluidWorld::default();
    pour(&mut world, cells(100, 50).map(|cell| cell * spacing()));
    run(&mut world, 3);
    let mut kept = KeptState::default();
    let first =
        allocation_counter::measure(|| world.keep_in(&mut kept).expect("between two ticks"));
    let per_particle = first.bytes_current as f64 / world.particles().len() as f64;
    assert!(per_particle <= 130.0, "{per_particle} bytes a particle");
    let again =
        allocation_counter::measure(|| world.keep_in(&mut kept).expect("between two ticks"));
    assert!(again.bytes_total < 4096, "{} bytes allocated again", again.bytes_total);
}
