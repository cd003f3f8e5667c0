//! Particles that are not finite, go bad, or leave the world.

use std::sync::Arc;

use blob_fluid::measure::measure;
use blob_fluid::*;
use glam::Vec2;

use crate::bad_input::bowl;
use crate::pools::{
    add_tank_from_origin, assert_finite, at, cells, change_parameters, moving, pour, spacing,
    spawn_all, step_with, world_with,
};
use crate::snapshots::everything;
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
        let error = world.spawn(moving(Vec2::ZERO, Vec2::new(0.0, bad))).expect_err("refused");
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
    let (by_default, classic) = (FluidSolver::default(), FluidSolver::Classic);
    let bad = [Vec2::NAN, Vec2::INFINITY, Vec2::new(0.0, f32::NEG_INFINITY)];
    let cases = bad.into_iter().flat_map(|bad| [(by_default, bad), (classic, bad)]);
    for (solver, bad) in cases.chain([(classic, Vec2::splat(1e30))]) {
        let mut world = bowl();
        change_parameters(&mut world, |parameters| parameters.solver = solver);
        run(&mut world, 20);
        let mut untouched = world.clone();
        let id = world.particles().ids()[100];
        let index = world.particles().index_of(id).expect("alive");
        world.particles_mut().velocities_mut()[index] = bad;
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.quarantined, world.quarantined()), (1, 1), "{solver:?}, {bad}");
        assert_eq!(world.particles().index_of(id), None);
        assert_eq!(world.particles().len(), 499);
        assert_finite(&world);
        // The result is the same as without the particle.
        untouched.despawn(id);
        run(&mut untouched, 1);
        assert_eq!(world.state_hash(), untouched.state_hash(), "{solver:?}, {bad}");
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
        pour(&mut world, cells(25, 20).map(|cell| Vec2::new(5000.0, 0.0) + 7.0 * (cell - 0.5)));
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
            let report = step_with(&mut world, |world, pass| {
                if pass == before {
                    world.particles_mut().displace(250, Vec2::new(0.0, distance));
                }
            });
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
    // The first one is far, but within reach.
    let flung = moving(Vec2::ZERO, Vec2::new(1e30, 0.0));
    spawn_all(&mut world, [at(Vec2::splat(1e6)), flung, at(Vec2::ZERO)]);
    run(&mut world, 10);
    assert_eq!((world.particles().len(), world.quarantined()), (2, 1));
    assert_finite(&world);
}

// One particle that goes bad is isolated, counted and named, and all others go on to the bit as if it had
// been despawned at that moment.

/// How a host spoils a particle between two ticks.
type Spoil = fn(&mut FluidWorld, usize);

const SPOILS: [(&str, Spoil); 7] = [
    ("a velocity of NaN", |world, at| world.particles_mut().velocities_mut()[at] = Vec2::NAN),
    ("an infinite velocity", |world, at| {
        world.particles_mut().velocities_mut()[at].y = f32::NEG_INFINITY;
    }),
    ("a displacement of NaN", |world, at| world.particles_mut().displace(at, Vec2::NAN)),
    ("an infinite displacement", |world, at| {
        world.particles_mut().displace(at, Vec2::new(f32::INFINITY, 0.0));
    }),
    ("a temperature of NaN", |world, at| {
        world.particles_mut().temperatures_mut()[at] = f32::NAN;
    }),
    ("an infinite temperature", |world, at| {
        world.particles_mut().split().temperatures[at] = f32::INFINITY;
    }),
    ("paint of NaN", |world, at| {
        world.particles_mut().set_paint(at, [0.5, f32::NAN, 0.5]);
    }),
];

/// A tank with a bit of everything, and liquid so thick that velocities are exchanged several times before
/// particles move, and that conducts heat.
fn tank(solver: FluidSolver) -> FluidWorld {
    let mut world = everything(solver);
    let viscosity = Viscosity { linear: 4.0, ..world.parameters().viscosity };
    change_parameters(&mut world, |parameters| parameters.viscosity = viscosity);
    let mut classes: Vec<_> = world.classes().iter().cloned().collect();
    for class in &mut classes {
        class.thermal.conductivity = 0.5;
        class.thermal.expansion = 0.001;
    }
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    run(&mut world, 5);
    world
}

/// The particles that are spoilt in turn: some in the liquid, the first and the last of the arrays.
fn victims(world: &FluidWorld) -> Vec<ParticleId> {
    let ids = world.particles().ids();
    [0, ids.len() / 3, ids.len() - 1].map(|index| ids[index]).to_vec()
}

/// Both worlds must agree in all but the count of quarantined particles.
fn assert_others_agree(what: &str, spoilt: &FluidWorld, reference: &FluidWorld) {
    let (spoilt, reference) = (spoilt.deep_hash(), reference.deep_hash());
    let differences: Vec<FluidPart> = spoilt.differences(&reference).collect();
    assert_eq!(differences, [FluidPart::Population], "{what}");
}

/// Spoils a particle of one world, despawns it in another, and lets both go on.
fn go_on(what: &str, world: &FluidWorld, id: ParticleId, spoil: Spoil) {
    let (mut spoilt, mut reference) = (world.clone(), world.clone());
    let index = world.particles().index_of(id).expect("alive");
    spoil(&mut spoilt, index);
    // Access alone is noticed.
    reference.particles_mut();
    reference.despawn(id);
    for tick in 0..20 {
        let what = format!("{what}, tick {tick}");
        let report = spoilt.step(TICK, &SerialExecutor).expect("valid");
        let expected = reference.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!(report.quarantined, u64::from(tick == 0), "{what}");
        assert_eq!(report.substeps, expected.substeps, "{what}");
        assert_others_agree(&what, &spoilt, &reference);
    }
    assert_eq!(spoilt.quarantined(), 1, "{what}");
}

#[test]
fn others_go_on_as_if_what_went_bad_had_been_despawned() {
    for solver in FluidSolver::ALL {
        let world = tank(solver);
        for id in victims(&world) {
            for (name, spoil) in SPOILS {
                go_on(&format!("{solver:?}, {id:?}, {name}"), &world, id, spoil);
            }
        }
    }
}

/// Makes the velocity and the temperature of one particle NaN, which it knows by its position.
struct Curse {
    place: Vec2,
    number: f32,
    heats: bool,
}

impl ForceField for Curse {
    fn bounds(&self) -> FluidBounds {
        FluidBounds { low: self.place, high: self.place }
    }

    fn apply(&self, particles: &mut FieldParticles<'_>) {
        for (index, position) in particles.positions.iter().enumerate() {
            if *position == self.place && self.heats {
                particles.temperatures[index] = self.number;
            } else if *position == self.place {
                particles.velocities[index].x = self.number;
            }
        }
    }
}

/// The same field, so that it wakes the same liquid, without the curse.
struct Blessing(Vec2);

impl ForceField for Blessing {
    fn bounds(&self) -> FluidBounds {
        FluidBounds { low: self.0, high: self.0 }
    }

    fn apply(&self, _: &mut FieldParticles<'_>) {}
}

#[test]
fn what_a_force_field_spoils_stays_with_its_particle() {
    for solver in FluidSolver::ALL {
        let world = tank(solver);
        for id in victims(&world) {
            for (number, heats) in [(f32::NAN, false), (f32::INFINITY, false), (f32::NAN, true)] {
                let what = format!("{solver:?}, {id:?}, {number}, {heats}");
                let (mut spoilt, mut reference) = (world.clone(), world.clone());
                let index = world.particles().index_of(id).expect("alive");
                let place = world.particles().positions()[index];
                spoilt.set_force_fields(vec![Arc::new(Curse { place, number, heats })]);
                reference.set_force_fields(vec![Arc::new(Blessing(place))]);
                spoilt.step(TICK, &SerialExecutor).expect("valid");
                let report = reference.begin_tick(TICK, &SerialExecutor).expect("valid");
                for substep in 0..report.substeps {
                    for pass in FluidPass::ALL {
                        reference.run_pass(pass, &SerialExecutor);
                        if substep == 0 && pass == FluidPass::ApplyForces {
                            assert!(reference.despawn(id));
                        }
                    }
                }
                let report = reference.end_tick(report, &SerialExecutor);
                reference.step_air(report.time_step, &SerialExecutor);
                let named: Vec<_> = spoilt.just_quarantined().iter().map(|all| all.id).collect();
                assert_eq!(named, [id], "{what}");
                assert_others_agree(&what, &spoilt, &reference);
                run(&mut spoilt, 10);
                run(&mut reference, 10);
                assert_others_agree(&what, &spoilt, &reference);
            }
        }
    }
}

#[test]
fn liquid_at_rest_wakes_only_around_what_went_bad() {
    let sleeping = FluidSleeping { after: 0.5, drift: 1.0 };
    let mut world = world_with(FluidParameters { sleeping, ..FluidParameters::default() });
    let paint = Some(FluidPaint::default());
    let painted = world.classes().iter().map(|class| DensityClass { paint, ..class.clone() });
    world.set_classes(ClassTable::new(painted.collect()).expect("valid")).expect("unused");
    add_tank_from_origin(&mut world, Vec2::new(40.0, 10.0) * spacing());
    pour(&mut world, cells(76, 10).map(|cell| cell * 1.03 * spacing()));
    run(&mut world, 600);
    assert_eq!(world.asleep(), world.particles().len());
    let all = world.particles().len();
    for id in victims(&world) {
        for (name, spoil) in SPOILS {
            go_on(&format!("asleep, {id:?}, {name}"), &world, id, spoil);
        }
        let mut spoilt = world.clone();
        let index = world.particles().index_of(id).expect("alive");
        spoilt.particles_mut().velocities_mut()[index] = Vec2::NAN;
        run(&mut spoilt, 1);
        assert!((all / 2..all - 1).contains(&spoilt.asleep()), "{} of {all}", spoilt.asleep());
    }
}

#[test]
fn what_went_bad_is_named_once() {
    let mut world = everything(FluidSolver::DoubleDensity);
    let [first, middle, last] = victims(&world)[..] else { panic!("three") };
    let index = |world: &FluidWorld, id| world.particles().index_of(id).expect("alive");
    let place = world.particles().positions()[index(&world, middle)];
    let at = index(&world, middle);
    world.particles_mut().temperatures_mut()[at] = f32::INFINITY;
    let at = index(&world, last);
    world.particles_mut().displace(at, Vec2::new(0.0, f32::NAN));
    run(&mut world, 1);
    let named = world.just_quarantined();
    let fields: Vec<_> = named.iter().map(|named| (named.id, named.field)).collect();
    // From the end of the arrays to their beginning.
    assert_eq!(fields, [(last, "velocity"), (middle, "temperature")]);
    assert_eq!(named[1].position, place);
    let expected = format!(
        "particle {}.{} at ({}, {}) was removed: its temperature was inf, and must be within 3.4028235e38",
        middle.slot(),
        middle.generation(),
        place.x,
        place.y,
    );
    assert_eq!(named[1].to_string(), expected);
    run(&mut world, 1);
    assert!(world.just_quarantined().is_empty());
    assert!(world.particles().index_of(first).is_some());
    assert_eq!(world.quarantined(), 2);
    // A host that spoils everything gets no endless list.
    world.particles_mut().velocities_mut().fill(Vec2::NAN);
    let count = world.particles().len() as u64;
    run(&mut world, 1);
    assert_eq!((world.just_quarantined().len(), world.quarantined()), (32, 2 + count));
}
