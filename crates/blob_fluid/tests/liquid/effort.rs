//! A world keeps to its limits of effort, and reports the work that it left out.

use blob_fluid::{
    ClassId, ClassTable, ClassViscosity, DensityClass, Effort, FluidBudget, FluidElasticity,
    FluidParameters, FluidSolver, FluidWorld, GivenUp, Governor, ParticleSpawn, SerialExecutor,
    Substeps,
};
use glam::Vec2;

use crate::pools::add_tank_from_origin;
use crate::ticks::TICK;

/// A deep column of one class.
fn column(class: DensityClass) -> FluidWorld {
    let mut world = FluidWorld::default();
    world.set_classes(ClassTable::new(vec![class]).expect("valid")).expect("empty");
    let spacing = world.parameters().particle_spacing;
    add_tank_from_origin(&mut world, Vec2::new(6.0, 50.0) * spacing);
    for number in 0..960 {
        let cell = Vec2::new((number % 12) as f32, (number / 12) as f32);
        let position = (cell + 0.5) * spacing;
        let class = ClassId(0);
        world.spawn(ParticleSpawn { position, class, ..Default::default() }).expect("room");
    }
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
