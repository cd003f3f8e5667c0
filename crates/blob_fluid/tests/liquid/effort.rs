//! A world keeps to its limits of effort, and reports the work that it left out. A class costs nothing, and changes no bit,
//! while no particle is of it.

use blob_fluid::*;
use glam::Vec2;

use crate::pools::{add_tank_from_origin, cells, pour_class};
use crate::ticks::{TICK, step};

/// A deep column of one class.
fn column(class: DensityClass) -> FluidWorld {
    let mut world = FluidWorld::default();
    world.set_classes(ClassTable::new(vec![class]).expect("valid")).expect("empty");
    let spacing = world.parameters().particle_spacing;
    add_tank_from_origin(&mut world, Vec2::new(6.0, 50.0) * spacing);
    pour_class(&mut world, ClassId(0), cells(12, 80).map(|cell| cell * spacing));
    world
}

fn honey() -> FluidWorld {
    let viscosity = ClassViscosity { approach: 0.5, quadratic: 0.1, linear: 20.0 };
    column(DensityClass { viscosity: Some(viscosity), ..DensityClass::default() })
}

#[test]
fn what_is_left_out_is_reported() {
    let mut world = honey();
    let full = world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!(full.given_up, GivenUp::default());
    assert!(full.substeps > 1 && full.viscosity_sweeps > 3, "{full:?}");
    world.set_effort(Effort { substeps: 1, viscosity_sweeps: 3 });
    let less = world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!((less.substeps, less.viscosity_sweeps), (1, 3));
    assert_eq!(less.given_up.substeps, full.substeps - 1);
    // A longer substep needs more sweeps.
    assert!(less.given_up.viscosity_sweeps >= full.viscosity_sweeps - 3);
    world.set_effort(Effort::FULL);
    let again = world.step(TICK, &SerialExecutor).expect("valid");
    assert_eq!(again.given_up, GivenUp::default());
    assert_eq!(again.substeps, full.substeps);
}

#[test]
fn no_effort_at_all_still_takes_a_substep_and_a_sweep() {
    let mut world = honey();
    world.set_effort(Effort { substeps: 0, viscosity_sweeps: 0 });
    for _ in 0..60 {
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        assert_eq!((report.substeps, report.viscosity_sweeps), (1, 1));
    }
    assert!(world.particles().positions().iter().all(|position| position.is_finite()));
    assert_eq!(world.quarantined(), 0);
}

#[test]
fn what_would_blow_up_keeps_its_substeps() {
    let elasticity = FluidElasticity { stiffness: 300.0, ..FluidElasticity::default() };
    let mut jelly =
        column(DensityClass { elasticity: Some(elasticity), ..DensityClass::default() });
    let mut classic = honey();
    let parameters = FluidParameters {
        solver: FluidSolver::Classic,
        substeps: Substeps::Fixed(4),
        ..FluidParameters::default()
    };
    classic.set_parameters(parameters).expect("valid");
    for world in [&mut jelly, &mut classic] {
        let full = world.clone().step(TICK, &SerialExecutor).expect("valid");
        world.set_effort(Effort { substeps: 1, viscosity_sweeps: 1 });
        let less = world.step(TICK, &SerialExecutor).expect("valid");
        assert!(less.substeps > 1, "{less:?}");
        assert!(less.substeps <= full.substeps);
    }
}

#[test]
fn a_governor_holds_a_world_to_its_budget_on_any_machine() {
    let mut world = honey();
    let budget = FluidBudget { milliseconds: 4.0, min_substeps: 1, min_viscosity_sweeps: 2 };
    let mut governor = Governor::new(budget).expect("valid");
    // The test simulates the clock: every sweep takes half a millisecond.
    let mut late = 0;
    for tick in 0..300 {
        world.set_effort(governor.effort());
        let report = world.step(TICK, &SerialExecutor).expect("valid");
        let milliseconds = 0.5 * f64::from(report.substeps * report.viscosity_sweeps);
        governor.observe(&report, 1e-3 * milliseconds);
        late += u32::from(tick >= 150 && milliseconds > 4.0);
        assert!(report.substeps >= 1 && report.viscosity_sweeps >= 2, "{report:?}");
    }
    assert_eq!(late, 0);
}

// Classes without particles.

const WATER: ClassId = ClassId(0);
const SAND: ClassId = ClassId(1);
const JELLY: ClassId = ClassId(2);
const HONEY: ClassId = ClassId(3);

fn class(name: &str) -> DensityClass {
    DensityClass { name: name.into(), ..Default::default() }
}

/// Classes that each need something of their own, beside water, which is the first.
fn demanding() -> Vec<DensityClass> {
    let thick = ClassViscosity { approach: 1.0, quadratic: 0.2, linear: 30.0 };
    let dough = FluidElasticity { stiffness: 60.0, plasticity: 2.0, ..Default::default() };
    let hot = FluidThermal { conductivity: 0.5, cooling: 0.1, ..Default::default() };
    vec![
        class("water"),
        DensityClass { powder: Some(FluidPowder::default()), ..class("sand") },
        DensityClass { elasticity: Some(dough), ..class("jelly") },
        DensityClass { viscosity: Some(thick), ..class("honey") },
        DensityClass { stiffness: 8.0, surface_tension: 0.3, thermal: hot, ..class("mercury") },
    ]
}

/// A pool of water 30 deep whose table has these classes.
fn pool(classes: Vec<DensityClass>) -> FluidWorld {
    let mut world = FluidWorld::default();
    let pair = ClassPair { cohesion: 0.2, ..ClassPair::new("water", "sand") };
    let pairs = if classes.iter().any(|class| class.name == "sand") { vec![pair] } else { vec![] };
    let table = ClassTable::with_pairs(classes, pairs).expect("valid");
    world.set_classes(table).expect("empty");
    let spacing = world.parameters().particle_spacing;
    add_tank_from_origin(&mut world, Vec2::new(10.0, 30.0) * spacing);
    pour_class(&mut world, WATER, cells(20, 30).map(|cell| cell * spacing));
    world
}

#[test]
fn classes_without_particles_change_neither_bits_nor_work() {
    let unused = demanding().split_off(1);
    let each = unused.iter().map(|class| vec![class.clone()]);
    for unused in each.chain([unused.clone()]) {
        let names: Vec<_> = unused.iter().map(|class| class.name.clone()).collect();
        let mut world = pool([vec![class("water")], unused].concat());
        let mut alone = pool(vec![class("water")]);
        for tick in 0..30 {
            assert_eq!(step(&mut world), step(&mut alone), "{names:?}, tick {tick}");
            assert_eq!(world.state_hash(), alone.state_hash(), "{names:?}, tick {tick}");
        }
        assert!(world.particles().grains().is_empty());
    }
}

#[test]
fn the_work_follows_particles_that_come_and_go() {
    let mut world = pool(demanding());
    for _ in 0..10 {
        step(&mut world);
    }
    let before = step(&mut world);
    let spacing = world.parameters().particle_spacing;
    let above = Vec2::new(4.0, 40.0);
    let drops = |from: f32| cells(3, 3).map(move |cell| (above + from * Vec2::X + cell) * spacing);
    for (class, from) in [(SAND, 0.0), (JELLY, 4.0), (HONEY, 8.0)] {
        pour_class(&mut world, class, drops(from));
    }
    let with = step(&mut world);
    assert!(with.substeps > before.substeps, "{with:?} after {before:?}");
    assert!(with.viscosity_sweeps > before.viscosity_sweeps, "{with:?} after {before:?}");
    assert_eq!(world.particles().grains().len(), world.particles().len());
    assert!(!world.springs().is_empty());
    world.despawn_where(|_, class| class != WATER);
    for _ in 0..10 {
        step(&mut world);
    }
    let after = step(&mut world);
    assert_eq!(after.viscosity_sweeps, before.viscosity_sweeps);
    assert_eq!(after.substeps, before.substeps);
    assert!(world.particles().grains().is_empty() && world.springs().is_empty());
}

/// Classes that appear and vanish, between ticks and within them, give the same bits on many threads and after a
/// snapshot.
#[test]
fn classes_that_appear_give_the_same_bits_everywhere() {
    // Water that sand touches turns into jelly within a tick.
    let reaction =
        FluidReaction { rate: 50.0, becomes: [Some("jelly".into()), None], temperature: None };
    let pair = ClassPair { reaction: Some(reaction), ..ClassPair::new("water", "sand") };
    let table = ClassTable::with_pairs(demanding(), vec![pair]).expect("valid");
    let mut world = pool(demanding());
    world.set_classes(table).expect("kept");
    let threads = RayonExecutor::new(3).expect("threads");
    let mut parallel = world.clone();
    let spacing = world.parameters().particle_spacing;
    let mut jelly = 0;
    for tick in 0..60 {
        if tick == 10 {
            for world in [&mut world, &mut parallel] {
                let drops = cells(4, 2).map(|cell| (Vec2::new(8.0, 31.0) + cell) * spacing);
                pour_class(world, SAND, drops);
            }
        }
        step(&mut world);
        parallel.step(TICK, &threads).expect("valid");
        assert_eq!(parallel.deep_hash(), world.deep_hash(), "tick {tick}");
        let bytes = world.to_bytes().expect("between two ticks");
        parallel = FluidWorld::from_bytes(&bytes).expect("valid");
        jelly = world.particles().classes().iter().filter(|class| **class == JELLY).count();
    }
    assert!(jelly > 0, "no water has turned into jelly");
}
