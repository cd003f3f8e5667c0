//! Particles that are not finite, go bad, or leave the world.

use blob_fluid::measure::measure;
use blob_fluid::{
    ClassId, FluidPass, FluidWorld, ParticleSpawn, Particles, SerialExecutor, SpawnError,
};
use glam::Vec2;

use super::{at, bowl};
use crate::pools::assert_finite;
use crate::ticks::{TICK, run};

// Rows 1 and 2 of docs/reliability.md.
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

// Row 2 of docs/reliability.md.
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

// Rows 1 and 2 of docs/reliability.md.
#[test]
fn whatever_goes_bad_between_two_passes_stays_with_its_particle() {
    let spoil: [fn(&mut Particles, usize); 4] = [
        |all, particle| all.displace(particle, Vec2::NAN),
        |all, particle| all.displace(particle, Vec2::new(f32::INFINITY, 0.0)),
        |all, particle| all.velocities_mut()[particle] = Vec2::NAN,
        |all, particle| all.velocities_mut()[particle].x = f32::NEG_INFINITY,
    ];
    for spoil in spoil {
        for before in 0..=FluidPass::ALL.len() {
            let mut world = bowl();
            run(&mut world, 3);
            let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
            let id = world.particles().ids()[250];
            let mut ghost = None;
            for (index, pass) in FluidPass::ALL.into_iter().enumerate() {
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
            if before == FluidPass::ALL.len() {
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

// Row 18 of docs/reliability.md.
#[test]
fn a_displacement_out_of_the_world_is_contained_or_counted() {
    for distance in [1e6, 1e30, 3e38] {
        for before in 0..FluidPass::ALL.len() {
            let mut world = bowl();
            run(&mut world, 3);
            let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
            for (index, pass) in FluidPass::ALL.into_iter().enumerate() {
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

// Row 18 of docs/reliability.md.
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
