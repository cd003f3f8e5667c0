//! Springs and plasticity: compared with the oracle, and with the expected behaviour of jelly and
//! putty.

use blob_fluid::shape::{fermat_spiral, scatter};
use blob_fluid::*;
use glam::{DVec2, Vec2};

use crate::pools::{add_tank, at, moving, pour_class, spawn};
use crate::ticks::{TICK, run_by, run_for, same_on_threads};

/// A table of one class, which may be elastic.
fn class(elasticity: Option<FluidElasticity>) -> ClassTable {
    let medium = ClassTable::default()[ClassId::MEDIUM].clone();
    ClassTable::new(vec![DensityClass { elasticity, ..medium }]).expect("valid")
}

/// A loose disc of particles of one class, which move at random.
fn disc(elasticity: FluidElasticity) -> FluidWorld {
    let mut world = FluidWorld::default();
    world.set_classes(class(Some(elasticity))).expect("no particles yet");
    for (index, position) in fermat_spiral(Vec2::ZERO, 60.0, 200).into_iter().enumerate() {
        let velocity = scatter(index as u32) * 60.0 + position * 2.0;
        spawn(&mut world, ParticleSpawn { class: ClassId(0), ..moving(position, velocity) });
    }
    world
}

/// Positions in 64 bits, by id, and all springs.
fn state(world: &FluidWorld) -> (Vec<(ParticleId, DVec2)>, Vec<Spring>) {
    let particles = world.particles();
    let points = particles.positions().iter().map(|position| position.as_dvec2());
    (particles.ids().iter().copied().zip(points).collect(), world.springs().to_vec())
}

#[test]
fn every_pass_agrees_with_the_paper() {
    let dough = FluidElasticity {
        stiffness: 20.0,
        yield_ratio: 0.05,
        plasticity: 5.0,
        ..Default::default()
    };
    let mut world = disc(dough);
    let parameters = FluidParameters { substeps: Substeps::Fixed(2), ..Default::default() };
    world.set_parameters(parameters).expect("valid");
    let radius = f64::from(parameters.interaction_radius());
    let dt = f64::from(TICK) / 2.0;
    let time_unit = f64::from(parameters.time_unit());
    let (k, alpha) = (20.0 / (time_unit * time_unit), 5.0 / time_unit);
    let mut parted = 0;
    for tick in 0..30 {
        let report = world.begin_tick(TICK, &SerialExecutor).expect("valid");
        for _ in 0..report.substeps {
            world.run_pass(FluidPass::ApplyGravity, &SerialExecutor);
            world.run_pass(FluidPass::ApplyViscosity, &SerialExecutor);
            world.run_pass(FluidPass::AdvancePositions, &SerialExecutor);
            world.run_pass(FluidPass::HashPositions, &SerialExecutor);
            let (before, springs_before) = state(&world);
            world.run_pass(FluidPass::ApplySprings, &SerialExecutor);
            let (after, springs_after) = state(&world);

            let at = |id| before.iter().find(|(other, _)| *other == id).expect("alive").1;
            // Algorithm 4 on every pair that touches or is connected.
            let mut kept = 0;
            for (index, (a, point)) in before.iter().enumerate() {
                for (b, other) in &before[index + 1..] {
                    let r = point.distance(*other);
                    let joins =
                        |spring: &&Spring| spring.ends == [*a, *b] || spring.ends == [*b, *a];
                    let known = springs_before.iter().find(joins);
                    if r >= radius && known.is_none() {
                        continue;
                    }
                    let mut rest =
                        known.map_or(r.max(0.1 * radius), |spring| f64::from(spring.rest_length));
                    let d = 0.05 * rest;
                    if r > rest + d {
                        rest += dt * alpha * (r - rest - d);
                    } else if r < rest - d {
                        rest -= dt * alpha * (rest - d - r);
                    }
                    rest = rest.max(0.1 * radius);
                    let now = springs_after.iter().find(joins);
                    if rest > radius + 1e-4 {
                        parted += 1;
                        assert!(now.is_none(), "{a:?} and {b:?} parted");
                    } else if let Some(now) = now {
                        kept += 1;
                        let now = f64::from(now.rest_length);
                        assert!((now - rest).abs() < 1e-4, "{now} against {rest}");
                    } else {
                        assert!(rest > radius - 1e-4, "{a:?} and {b:?} lack their spring");
                    }
                }
            }
            assert_eq!(springs_after.len(), kept, "no spring twice");
            // Algorithm 3 on every spring.
            for ((id, moved), (_, point)) in after.iter().zip(&before) {
                let mut expected = *point;
                for spring in springs_after.iter().filter(|spring| spring.ends.contains(id)) {
                    let [a, b] = spring.ends;
                    let offset = at(if a == *id { b } else { a }) - *point;
                    let (r, rest) = (offset.length(), f64::from(spring.rest_length));
                    let d = dt * dt * k * (1.0 - rest / radius) * (rest - r);
                    expected -= offset / r * (0.5 * d);
                }
                // The error of fifty springs of a few units each, in 32 bits.
                assert!((*moved - expected).length() < 1e-4, "tick {tick}: {moved} and {expected}");
            }
            world.run_pass(FluidPass::RelaxDensity, &SerialExecutor);
            world.run_pass(FluidPass::UpdateVelocities, &SerialExecutor);
        }
        world.end_tick(report, &SerialExecutor);
    }
    assert!(parted > 0, "some particles parted");
}

#[test]
fn springs_go_with_their_particles_and_with_their_class() {
    let mut world = disc(FluidElasticity::default());
    world.step(TICK, &SerialExecutor).expect("valid");
    let all = world.springs().len();
    assert!(all > 1000);
    let dead = world.particles().ids()[50];
    let held = world.springs().iter().filter(|spring| spring.ends.contains(&dead)).count();
    world.despawn(dead);
    // The new particle gets the slot of the dead one, and must not get its springs.
    let heir = ParticleSpawn { class: ClassId(0), ..at(Vec2::splat(1e4)) };
    let heir = spawn(&mut world, heir);
    assert_eq!(heir.slot(), dead.slot());
    world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!(world.springs().len(), all - held);
    assert!(world.springs().iter().all(|spring| !spring.ends.contains(&heir)));
    world.set_classes(class(None)).expect("as many");
    world.step(TICK, &SerialExecutor).expect("valid");
    assert!(world.springs().is_empty());
}

#[test]
fn jelly_does_not_stick_to_other_jelly_but_dough_does() {
    for (plasticity, sticks) in [(0.0, false), (2.0, true)] {
        let mut world = disc(FluidElasticity { plasticity, ..FluidElasticity::default() });
        world.step(TICK, &SerialExecutor).expect("valid");
        let first: Vec<_> = world.particles().ids().to_vec();
        pour_class(&mut world, ClassId(0), fermat_spiral(Vec2::new(0.0, 30.0), 30.0, 40));
        world.step(TICK, &SerialExecutor).expect("valid");
        let mixed =
            |spring: &&Spring| first.contains(&spring.ends[0]) != first.contains(&spring.ends[1]);
        assert_eq!(world.springs().iter().any(|spring| mixed(&spring)), sticks);
    }
}

#[test]
fn too_many_springs_are_refused_and_counted() {
    let mut world = disc(FluidElasticity::default());
    world.set_spring_capacity(100);
    world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!(world.springs().len(), 100);
    assert!(world.springs_refused() > 1000);
}

#[test]
fn momentum_and_bits_are_kept_with_springs_too() {
    let dough = FluidElasticity { plasticity: 3.0, ..FluidElasticity::default() };
    let start = || {
        let mut world = disc(dough);
        world.set_parameters(FluidParameters::new(7.9, Vec2::ZERO)).expect("valid");
        world.end_easing();
        world
    };
    let before = measure::measure(&start());
    let (.., momentum) = same_on_threads([2, 4], |executor| {
        let mut world = start();
        run_by(executor, &mut world, 300);
        let momentum = measure::measure(&world).momentum;
        (world.state_hash(), world.springs().to_vec(), momentum)
    });
    let change = (momentum[0] - before.momentum[0]).hypot(momentum[1] - before.momentum[1]);
    assert!(change / before.momentum_scale <= 1e-6, "{change:e}");
}

#[test]
fn the_stiffest_springs_stay_stable() {
    for substeps in [Substeps::Fixed(1), Substeps::default()] {
        let mut world = disc(FluidElasticity { stiffness: 1e5, ..FluidElasticity::default() });
        world.set_parameters(FluidParameters { substeps, ..Default::default() }).expect("valid");
        add_tank(&mut world, Vec2::ZERO, Vec2::splat(150.0));
        run_for(&mut world, 10.0);
        let report = measure::measure(&world);
        assert!(report.max_speed < 1000.0, "{} with {substeps:?}", report.max_speed);
        assert_eq!((report.particles, report.escaped), (200, 0));
    }
}

#[test]
fn elasticity_that_makes_no_sense_is_refused() {
    let medium = ClassTable::default()[ClassId::MEDIUM].clone();
    let bad: [(&str, fn(&mut FluidElasticity)); 4] = [
        ("stiffness", |e| e.stiffness = f32::INFINITY),
        ("yield_ratio", |e| e.yield_ratio = -0.1),
        ("plasticity", |e| e.plasticity = f32::NAN),
        ("min_rest_length", |e| e.min_rest_length = 2.0),
    ];
    for (field, change) in bad {
        let mut elasticity = FluidElasticity::default();
        change(&mut elasticity);
        let class = DensityClass { elasticity: Some(elasticity), ..medium.clone() };
        let message = ClassTable::new(vec![class]).expect_err(field).to_string();
        assert!(message.contains(field), "{message}");
    }
}
