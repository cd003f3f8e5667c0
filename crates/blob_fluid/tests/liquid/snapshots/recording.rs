//! What is recorded is played again with the same bits, and where it is not, the difference is named.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::*;
use glam::Vec2;

use super::{Push, everything};
use crate::pools::{add_tank_from_origin, cells, change_parameters, pour, spacing};
use crate::snapshots::Game;
use crate::ticks::{TICK, run};

/// Exports a recording, imports it and plays it. All of it must be as recorded.
fn play(recording: &Recording, executor: &dyn Executor) -> FluidWorld {
    let bytes = recording.to_bytes();
    let read = Recording::from_bytes(&bytes).expect("valid");
    assert!(read.to_bytes() == bytes, "exported again");
    let mut replay = read.replay().expect("valid");
    while replay.step(executor).unwrap_or_else(|error| panic!("{error}")).is_some() {}
    assert_eq!(replay.played(), recording.ticks());
    replay.world().clone()
}

/// The first difference of a replay.
fn difference(recording: &Recording) -> ReplayDifference {
    let mut replay = recording.replay().expect("valid");
    loop {
        match replay.step(&SerialExecutor) {
            Ok(played) => assert!(played.is_some(), "no difference"),
            Err(ReplayError::Differs(difference)) => return difference,
            Err(other) => panic!("{other}"),
        }
    }
}

fn assert_equal(one: &FluidWorld, other: &FluidWorld) {
    let (one, other) = (one.deep_hash(), other.deep_hash());
    let differences: Vec<FluidPart> = one.differences(&other).collect();
    assert_eq!(differences, []);
}

#[test]
fn a_game_is_played_again_with_any_number_of_threads() {
    let mut game = Game::new();
    let mut recorder = FluidRecorder::new(&game.world).expect("between two ticks");
    for _ in 0..50 {
        game.act();
        recorder.before_tick(&game.world, TICK).expect("between two ticks");
        game.step();
        recorder.after_tick(&game.world).expect("between two ticks");
        game.watch();
    }
    let recording = recorder.recording();
    assert_eq!(recording.ticks(), 50);
    assert_equal(&play(&recording, &SerialExecutor), &game.world);
    assert_equal(&play(&recording, &RayonExecutor::new(3).expect("threads")), &game.world);
}

/// A call of a host.
type Call = fn(&mut FluidWorld);

/// Calls of all kinds that change a world from outside.
const CALLS: [Call; 36] = [
    |world| {
        change_parameters(world, |parameters| parameters.gravity = Vec2::new(90.0, -300.0));
    },
    |world| world.set_effort(Effort { substeps: 1, ..Effort::FULL }),
    |world| {
        let mut classes: Vec<_> = world.classes().iter().cloned().collect();
        classes[0].mass = 1.3;
        world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    },
    |world| world.ease_in(),
    |world| world.end_easing(),
    |world| world.set_forces(&[]).expect("valid"),
    |world| world.set_capacity(world.particles().len() + 2),
    |world| world.set_capacity_policy(CapacityPolicy::RecycleOldest),
    |world| {
        pour(world, (0..7).map(|x| Vec2::new(60.0 + 3.0 * x as f32, 80.0)));
    },
    |world| {
        let bounds = FluidBounds { low: Vec2::splat(-150.0), high: Vec2::splat(150.0) };
        world.set_kill_bounds(Some(bounds)).expect("valid");
    },
    |world| world.set_spring_capacity(900),
    |world| world.reset_clock(),
    |world| assert!(world.despawn(world.particles().ids()[77])),
    |world| assert!(world.despawn_where(|position, _| position.x < -110.0) > 0),
    |world| assert!(world.despawn_tagged(ParticleTag(2)) > 0),
    |world| world.particles_mut().displace(33, Vec2::new(2.0, 1.0)),
    |world| world.particles_mut().velocities_mut()[34] = Vec2::new(f32::NAN, 0.0),
    |world| world.particles_mut().temperatures_mut()[35] = 70.0,
    |world| {
        let pushed = world
            .change_velocities_in(FluidBounds::ALL, |one| *one.velocity += Vec2::new(9.0, 3.0));
        assert!(pushed > 0);
    },
    |world| {
        let force = Force::explosion(Vec2::new(-80.0, -60.0), 40.0, 300.0).expect("valid");
        world.apply_impulse(&force).expect("valid");
    },
    |world| _ = world.set_class(world.particles().ids()[50], ClassId(1)).expect("valid"),
    |world| assert!(world.set_tag(world.particles().ids()[51], ParticleTag(9))),
    |world| _ = world.insert_container(Container::circle(Vec2::ZERO, 170.0).expect("valid")),
    |world| {
        let (id, _) = world.containers().next().expect("there");
        world.move_container(id, Vec2::new(3.0, 1.0), Vec2::X).expect("valid");
    },
    |world| {
        let (id, _) = world.containers().next().expect("there");
        let motion = Motion { velocity: Vec2::new(20.0, 0.0), ..Motion::STILL };
        world.set_container_motion(id, motion).expect("valid");
    },
    |world| {
        let (id, _) = world.containers().last().expect("there");
        assert!(world.remove_container(id).is_some());
    },
    |world| _ = world.insert_collider(Collider::circle(Vec2::splat(-50.0), 8.0).expect("valid")),
    |world| {
        let (id, _) = world.colliders().last().expect("there");
        world.move_collider(id, Vec2::new(-45.0, -52.0), Vec2::Y).expect("valid");
    },
    |world| {
        let (id, _) = world.colliders().next().expect("there");
        assert!(world.remove_collider(id).is_some());
    },
    |world| {
        let body = HostBody { inverse_mass: Vec2::splat(0.02), ..HostBody::at(Pose::IDENTITY) };
        world.insert_host_body(body).expect("valid");
    },
    |world| {
        let id = world.air_ids().next().expect("there");
        let fire = FluidRegion::circle(Vec2::new(50.0, 100.0), 14.0).expect("valid");
        let source = AirSource { smoke: 2.0, ..AirSource::new(fire) };
        world.air_mut(id).expect("there").insert_source(source).expect("valid");
    },
    |world| {
        let room = FluidBounds { low: Vec2::splat(-90.0), high: Vec2::splat(90.0) };
        let settings = AirSettings { density: 0.001, ..AirSettings::default() };
        world.insert_air(Air::new(room, 30.0, settings, AirSides::default()).expect("valid"));
    },
    |world| {
        let id = world.air_ids().next().expect("there");
        assert!(world.remove_air(id).is_some());
    },
    |world| {
        let bytes = world.to_bytes().expect("between two ticks");
        run(world, 3);
        world.restore_bytes(&bytes).expect("valid");
        run(world, 1);
    },
    |world| {
        let mut kept = KeptState::default();
        world.keep_in(&mut kept).expect("between two ticks");
        run(world, 2);
        world.restore_from(&kept);
        *world.liquid_mut() = world.liquid().clone();
    },
    |world| world.clear(),
];

#[test]
fn whatever_changes_a_world_between_two_ticks_is_played_again() {
    for solver in FluidSolver::ALL {
        let mut world = everything(solver);
        let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
        for call in CALLS {
            call(&mut world);
            recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
            recorder.step(&mut world, 0.7 * TICK, &SerialExecutor).expect("valid");
        }
        let recording = recorder.recording();
        assert_eq!(recording.ticks(), 2 * CALLS.len());
        assert_equal(&play(&recording, &SerialExecutor), &world);
    }
}

#[test]
fn the_first_tick_part_and_particle_that_differ_are_named() {
    let mut world = everything(FluidSolver::DoubleDensity);
    // Air would pass on a push to all liquid within the tick.
    let air = world.air_ids().next().expect("there");
    world.remove_air(air);
    // It is alone until it falls into the liquid.
    let position = Vec2::new(-60.0, 110.0);
    let alone = world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
    let mut step = |world: &mut FluidWorld| {
        recorder.step(world, TICK, &SerialExecutor).expect("valid");
    };
    for _ in 0..7 {
        step(&mut world);
    }
    // What a force field does is not recorded.
    let index = world.particles().index_of(alone).expect("alive");
    let place = world.particles().positions()[index];
    world.set_force_fields(vec![Arc::new(Push(place))]);
    for _ in 0..3 {
        step(&mut world);
    }
    let recording = recorder.recording();
    assert_eq!(recording.force_fields(), 1);
    let found = difference(&recording);
    assert_eq!((found.tick, found.particle), (8, Some(alone)));
    assert_eq!(found.parts, [FluidPart::Particles]);
    let expected = format!("tick 8: particles differ from the recording, first {alone}");
    assert_eq!(found.to_string(), expected);
    // With the field nothing differs.
    let mut replay = recording.replay().expect("valid");
    replay.set_force_fields(vec![Arc::new(Push(place))]);
    while replay.step(&SerialExecutor).expect("as recorded").is_some() {}
}

#[test]
fn a_particle_among_many_that_differ_is_named() {
    let world = everything(FluidSolver::DoubleDensity);
    let mut named = 0;
    for seed in 0..10 {
        let place = world.particles().positions()[27 * seed];
        let mut recorded = world.clone();
        let mut recorder = FluidRecorder::new(&recorded).expect("between two ticks");
        recorded.set_force_fields(vec![Arc::new(Push(place))]);
        recorder.step(&mut recorded, TICK, &SerialExecutor).expect("valid");
        let mut played = world.clone();
        played.step(TICK, &SerialExecutor).expect("valid");
        let found = difference(&recorder.recording());
        if let Some(particle) = found.particle {
            let at = |world: &FluidWorld| {
                let index = world.particles().index_of(particle).expect("alive");
                let all = world.particles();
                (all.positions()[index], all.velocities()[index], all.relative_densities()[index])
            };
            assert_ne!(at(&recorded), at(&played), "{found}");
            named += 1;
        }
    }
    assert!(named >= 9, "{named} of 10");
}

#[test]
fn a_change_within_a_tick_is_named_as_well() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
    for tick in 0..4 {
        recorder.before_tick(&world, TICK).expect("between two ticks");
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        assert_eq!(recorder.before_tick(&world, TICK), Err(SnapshotError::WithinTick));
        assert_eq!(recorder.after_tick(&world), Err(SnapshotError::WithinTick));
        assert!(FluidRecorder::new(&world).is_err());
        for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
            world.run_pass(pass, &SerialExecutor);
            if tick == 2 && pass == FluidPass::Contain {
                world.particles_mut().velocities_mut()[9].y += 1.0;
            }
        }
        let report = world.end_tick(report, &SerialExecutor);
        world.step_air(report.time_step, &SerialExecutor);
        recorder.after_tick(&world).expect("between two ticks");
    }
    assert_eq!(difference(&recorder.recording()).tick, 3);
}

#[test]
fn a_tick_that_panics_is_the_last_of_the_recording_and_panics_again() {
    // Something goes wrong when the fourth tick begins.
    let fails = |particles: &mut FieldParticles<'_>| {
        assert!(particles.positions.iter().all(|position| position.x < 900.0), "too far");
    };
    let mut world = everything(FluidSolver::DoubleDensity);
    world.clear_containers();
    world.set_force_fields(vec![Arc::new(fails)]);
    let mut recorder = FluidRecorder::of_last(&world, 10.0).expect("between two ticks");
    let mut ticks = 0;
    let ended = catch_unwind(AssertUnwindSafe(|| {
        loop {
            if ticks == 3 {
                let position = Vec2::new(1000.0, 0.0);
                world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
            }
            recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
            ticks += 1;
        }
    }));
    assert!(ended.is_err() && ticks == 3);
    let bytes = recorder.recording().to_bytes();
    let recording = Recording::from_bytes(&bytes).expect("valid");
    assert_eq!(recording.ticks(), 4);
    let mut replay = recording.replay().expect("valid");
    replay.set_force_fields(vec![Arc::new(fails)]);
    for _ in 0..3 {
        assert!(replay.step(&SerialExecutor).expect("as recorded").is_some());
    }
    assert!(catch_unwind(AssertUnwindSafe(|| replay.step(&SerialExecutor))).is_err());
}

#[test]
fn the_last_seconds_are_kept_and_played_from_where_they_begin() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut recorder = FluidRecorder::of_last(&world, 2.0).expect("between two ticks");
    let mut longest = 0;
    for tick in 0..400 {
        if tick % 3 == 0 {
            let force = Force::explosion(Vec2::splat(-60.0), 50.0, 90.0).expect("valid");
            world.apply_impulse(&force).expect("valid");
        }
        if tick == 399 {
            world.particles_mut().velocities_mut()[0].x = f32::NAN;
        }
        let report = recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
        assert_eq!(report.quarantined, u64::from(tick == 399));
        let seconds = recorder.recording().seconds();
        assert!(tick < 120 || (2.0..3.05).contains(&seconds), "{seconds} s");
        longest = longest.max(recorder.recording().to_bytes().len());
    }
    let key = world.to_bytes().expect("between two ticks").len();
    assert!(longest < 6 * key, "{longest} bytes, and {key} of a snapshot");
    let played = play(&recorder.recording(), &SerialExecutor);
    assert_equal(&played, &world);
    assert_eq!(played.quarantined(), 1);
}

#[test]
fn a_step_that_is_refused_is_not_recorded() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
    world.set_capacity(4000);
    assert!(recorder.step(&mut world, f32::NAN, &SerialExecutor).is_err());
    world.set_spring_capacity(4000);
    recorder.step(&mut world, 0.0, &SerialExecutor).expect("valid");
    recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
    let recording = recorder.recording();
    assert_eq!(recording.ticks(), 2);
    assert_equal(&play(&recording, &SerialExecutor), &world);
}

/// Bytes of each of some ticks.
fn bytes_per_tick(world: &mut FluidWorld, mut before: impl FnMut(&mut FluidWorld)) -> usize {
    let mut recorder = FluidRecorder::new(world).expect("between two ticks");
    let length = |recorder: &FluidRecorder| recorder.recording().to_bytes().len();
    let (begin, ticks) = (length(&recorder), 30);
    for _ in 0..ticks {
        before(world);
        recorder.step(world, TICK, &SerialExecutor).expect("valid");
    }
    (length(&recorder) - begin) / ticks
}

#[test]
fn ticks_take_few_bytes() {
    let mut world = FluidWorld::default();
    add_tank_from_origin(&mut world, Vec2::new(30.0, 20.0) * spacing());
    pour(&mut world, cells(56, 20).map(|cell| cell * 1.03 * spacing()));
    let collider = Collider::circle(Vec2::new(200.0, 250.0), 20.0).expect("valid");
    let collider = world.insert_collider(collider);
    let moving = bytes_per_tick(&mut world, |_| ());
    assert!(moving < 1000, "{moving} bytes for liquid that moves");
    let mut x = 100.0;
    let moved = bytes_per_tick(&mut world, |world| {
        x += 0.5;
        assert_eq!(world.move_collider(collider, Vec2::new(x, 250.0), Vec2::X), Ok(true));
    });
    assert!(moved < moving + 200, "{moved} bytes for a collider that moves, {moving} without");
    let tap = bytes_per_tick(&mut world, |world| {
        let first = world.particles().ids()[200];
        assert!(world.despawn(first));
        pour(world, (0..3).map(|x| Vec2::new(200.0 + 9.0 * x as f32, 200.0)));
    });
    assert!(tap < moving + 4000, "{tap} bytes for three particles more and one less");
    let sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
    world.set_parameters(FluidParameters { sleeping, ..*world.parameters() }).expect("valid");
    run(&mut world, 900);
    assert_eq!(world.asleep(), world.particles().len());
    let asleep = bytes_per_tick(&mut world, |_| ());
    assert!(asleep < 70, "{asleep} bytes for liquid that sleeps");
    println!("{moving} moving, {moved} with a collider, {tap} with a tap, {asleep} asleep");
}

#[test]
fn a_recording_stands_beside_other_entries() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut recorder = FluidRecorder::new(&world).expect("between two ticks");
    recorder.step(&mut world, TICK, &SerialExecutor).expect("valid");
    let mut file = SnapshotFile::default();
    file.insert("world", &world).expect("between two ticks");
    file.insert("how it came", &recorder.recording()).expect("new");
    let file = SnapshotFile::from_bytes(&file.to_bytes()).expect("valid");
    let recording: Recording = file.get("how it came").expect("there");
    assert_equal(&play(&recording, &SerialExecutor), &file.get("world").expect("there"));
    let error = file.get::<Recording>("world").expect_err("a world").to_string();
    assert_eq!(error, "the entry `world` is a world, and not a recording");
}
