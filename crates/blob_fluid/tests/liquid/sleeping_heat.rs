//! Liquid at rest sleeps while heat spreads in it, and wakes where heat moves it.

use blob_fluid::{
    ClassId, ClassTable, DensityClass, FluidParameters, FluidSleeping, FluidThermal,
    FluidTransition, FluidWorld, ParticleId, SerialExecutor,
};
use glam::Vec2;

use crate::pools::spacing;
use crate::sleeping::{COLUMNS, ROWS, asleep};
use crate::ticks::{TICK, run};

/// The pool asleep, of liquid that conducts heat, approaches the temperature around it, and weighs less
/// when it is warm.
fn asleep_with_heat(cooling: f32) -> FluidWorld {
    let mut world = asleep();
    let expands = |class: &DensityClass| DensityClass {
        thermal: FluidThermal {
            conductivity: 0.3,
            cooling,
            expansion: 5e-4,
            ..class.thermal.clone()
        },
        ..class.clone()
    };
    let classes = world.classes().iter().map(expands).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    assert!(ticks_until_asleep(&mut world) > 1, "other classes wake the pool");
    world
}

/// Steps until no particle needs a substep, at most for two minutes.
fn ticks_until_asleep(world: &mut FluidWorld) -> u32 {
    let asleep = |_: &u32| world.step(TICK, &SerialExecutor).expect("valid").substeps == 0;
    (0..7200).find(asleep).expect("it falls asleep within two minutes")
}

#[test]
fn warm_liquid_at_one_temperature_sleeps() {
    let mut world = asleep_with_heat(0.0);
    let state = world.state_hash();
    run(&mut world, 60);
    assert_eq!((world.asleep(), world.state_hash()), (COLUMNS * ROWS, state));
}

#[test]
fn heated_liquid_that_slept_rises_as_if_it_had_not_and_sleeps_again() {
    let mut world = asleep_with_heat(0.0);
    let middle = Vec2::new(60.0, 3.0) * spacing();
    let heated = |at: &Vec2| at.distance(middle) < 4.0 * spacing();
    let particles = world.particles();
    let places = particles.positions().iter().zip(particles.ids());
    let ids: Vec<ParticleId> = places.filter(|(at, _)| heated(at)).map(|(_, id)| *id).collect();
    for id in &ids {
        let index = world.particles().index_of(*id).expect("alive");
        world.particles_mut().temperatures_mut()[index] += 1000.0;
    }
    let mut awake = world.clone();
    let sleepless = FluidParameters { sleeping: FluidSleeping::OFF, ..*world.parameters() };
    awake.set_parameters(sleepless).expect("valid");
    let height = |world: &FluidWorld| {
        let particles = world.particles();
        let index = |id: &ParticleId| particles.index_of(*id).expect("alive");
        let heights = ids.iter().map(|id| particles.positions()[index(id)].y);
        heights.sum::<f32>() / (ids.len() as f32 * spacing())
    };
    let before = height(&world);
    run(&mut world, 240);
    run(&mut awake, 240);
    let (rises, rises_awake) = (height(&world) - before, height(&awake) - before);
    assert!(rises_awake > 0.5, "{rises_awake} spacings");
    assert!(rises > 0.75 * rises_awake, "{rises}, and {rises_awake} spacings without sleep");
    run(&mut world, 7200);
    // What is left of the heat spreads on, and moves nothing.
    assert!(world.asleep() > COLUMNS * ROWS * 3 / 4, "{} sleep", world.asleep());
}

#[test]
fn sleeping_liquid_warms_and_wakes_from_time_to_time() {
    let mut world = asleep_with_heat(1e-3);
    let warmer = world.parameters().ambient_temperature + 60.0;
    let parameters = FluidParameters { ambient_temperature: warmer, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    let (mut woken, mut was_asleep) = (0, false);
    for _ in 0..3600 {
        run(&mut world, 1);
        let asleep = world.asleep() == COLUMNS * ROWS;
        woken += u32::from(was_asleep && !asleep);
        was_asleep = asleep;
    }
    let mean = world.particles().temperatures().iter().sum::<f32>() / (COLUMNS * ROWS) as f32;
    assert!(mean > warmer - 59.0, "at {mean} of {warmer} degrees, woken {woken} times");
    assert!(woken > 0, "at {mean} of {warmer} degrees");
}

#[test]
fn a_particle_that_turns_into_another_by_heat_wakes_those_around() {
    let mut world = asleep();
    let boils = |class: &DensityClass| DensityClass {
        thermal: FluidThermal {
            above: Some(FluidTransition { temperature: 100.0, becomes: "light".into() }),
            ..class.thermal.clone()
        },
        ..class.clone()
    };
    let classes = world.classes().iter().map(boils).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("as many");
    run(&mut world, 3600);
    assert_eq!(world.asleep(), COLUMNS * ROWS);
    let near = |at: &Vec2| at.distance(Vec2::new(15.0, 8.0) * spacing()) < spacing();
    let index = world.particles().positions().iter().position(near).expect("liquid there");
    let id = world.particles().ids()[index];
    world.particles_mut().temperatures_mut()[index] = 200.0;
    run(&mut world, 3);
    let index = world.particles().index_of(id).expect("alive");
    assert_eq!(world.particles().classes()[index], ClassId::LIGHT);
    let awake = COLUMNS * ROWS - world.asleep();
    assert!((20..COLUMNS * ROWS / 2).contains(&awake), "{awake} awake");
}
