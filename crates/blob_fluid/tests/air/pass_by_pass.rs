//! Hosts that run the passes one by one.

use blob_fluid::air::{
    Air, AirChannel, AirId, AirPass, AirSettings, AirSide, AirSides, AirSource, AirWorkspace, Wind,
};
use blob_fluid::{
    ClassId, ClassTable, Collider, Container, DensityClass, Executor, FluidBounds, FluidIntoAir,
    FluidParameters, FluidPass, FluidRegion, FluidThermal, FluidTransition, FluidWorld, Motion,
    ParticleSpawn, RayonExecutor, SerialExecutor,
};
use glam::Vec2;

use crate::ticks::TICK;

const SPACING: f32 = 8.0;
const SIZE: Vec2 = Vec2::new(320.0, 240.0);

fn air_of(size: Vec2, gravity: Vec2) -> Air {
    let settings = AirSettings {
        density: 0.02 / (SPACING * SPACING),
        viscosity: 20.0,
        vorticity_confinement: 0.2,
        cooling: 0.3,
        condensation_rate: 20.0,
        ..AirSettings::new(gravity)
    };
    let bounds = FluidBounds { low: Vec2::ZERO, high: size };
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let mut air = Air::new(bounds, SPACING, settings, sides).expect("valid");
    let flame = FluidRegion::circle(Vec2::new(80.0, 160.0), 20.0).expect("valid");
    let wind = Some(Wind { velocity: Vec2::new(200.0, 0.0), strength: Some(2.0) });
    let source = AirSource { smoke: 1.0, heat: 1.0, fuel: 1.0, wind, ..AirSource::new(flame) };
    air.set_sources(vec![source]).expect("valid");
    air
}

/// Boiling water under fire and wind, and a collider that turns.
fn world_with_air() -> (FluidWorld, AirId) {
    let parameters = FluidParameters {
        gravity: Vec2::new(0.0, -300.0),
        particle_spacing: SPACING,
        ambient_temperature: 20.0,
        ..FluidParameters::default()
    };
    let mut world = FluidWorld::new(parameters).expect("valid");
    let rains = Some(FluidTransition { temperature: 80.0, becomes: "water".into() });
    let into_air = FluidIntoAir {
        above: 100.0,
        vapour: 1.0,
        expansion: 0.5,
        rains,
        ..FluidIntoAir::default()
    };
    let thermal = FluidThermal {
        conductivity: 1.0,
        air_conductivity: 0.5,
        into_air: Some(into_air),
        ..FluidThermal::default()
    };
    let water = DensityClass { name: "water".into(), thermal, ..Default::default() };
    world.set_classes(ClassTable::new(vec![water]).expect("valid")).expect("no particles yet");
    world.insert_container(Container::rectangle(0.5 * SIZE, 0.5 * SIZE).expect("valid"));
    let bar = Collider::rectangle(Vec2::new(220.0, 150.0), Vec2::new(40.0, 6.0)).expect("valid");
    let turning = Motion { angular_velocity: 2.0, ..Motion::STILL };
    world.insert_collider(bar.with_motion(turning).expect("valid"));
    for number in 0..300_u32 {
        let cell = Vec2::new((number % 30) as f32, (number / 30) as f32);
        let position = Vec2::splat(20.0) + cell * SPACING;
        let temperature = Some(60.0 + (number % 60) as f32);
        let spawn =
            ParticleSpawn { position, temperature, class: ClassId(0), ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    let gravity = world.parameters().gravity;
    let id = world.insert_air(air_of(SIZE, gravity));
    (world, id)
}

fn tick_by_passes(world: &mut FluidWorld, executor: &dyn Executor) {
    let report = world.begin_tick(TICK, executor).expect("valid");
    for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
        world.run_pass(pass, executor);
    }
    let report = world.end_tick(report, executor);
    for pass in AirPass::ALL {
        world.run_air_pass(pass, report.time_step, executor);
    }
}

fn passes_equal_the_step_on(executor: &dyn Executor) {
    let (mut stepped, id) = world_with_air();
    let mut by_passes = stepped.clone();
    let (mut evaporated, mut condensed) = (0, 0);
    for tick in 0..120 {
        stepped.step(TICK, &SerialExecutor).expect("valid");
        tick_by_passes(&mut by_passes, executor);
        assert_eq!(by_passes.state_hash(), stepped.state_hash(), "tick {tick}");
        let report = stepped.air_report(id).expect("there");
        assert_eq!(by_passes.air_report(id), Some(report), "tick {tick}");
        evaporated += report.evaporated;
        condensed += report.condensed;
    }
    assert!(evaporated > 0 && condensed > 0, "{evaporated} and {condensed}");
    let time = |world: &FluidWorld| world.air(id).expect("there").time();
    assert_eq!(time(&by_passes), time(&stepped));
}

#[test]
fn passes_equal_the_step_bit_by_bit() {
    passes_equal_the_step_on(&SerialExecutor);
    for threads in [1, 4] {
        passes_equal_the_step_on(&RayonExecutor::new(threads).expect("threads"));
    }
}

#[test]
fn air_in_an_empty_world_is_like_air_alone() {
    let gravity = Vec2::new(0.0, -300.0);
    let mut alone = air_of(SIZE, gravity);
    let mut world = FluidWorld::default();
    let bar = Collider::rectangle(Vec2::new(220.0, 150.0), Vec2::new(40.0, 6.0)).expect("valid");
    alone.set_solids([], [&bar]);
    world.insert_collider(bar);
    let id = world.insert_air(air_of(SIZE, gravity));
    let mut work = AirWorkspace::default();
    for _ in 0..60 {
        let report = alone.step(TICK, &mut work, &SerialExecutor).expect("valid");
        for pass in AirPass::ALL {
            world.run_air_pass(pass, TICK, &SerialExecutor);
        }
        assert_eq!(world.air(id).expect("there").state_hash(), alone.state_hash());
        assert_eq!(world.air_report(id), Some(report));
    }
    assert!(alone.amount(AirChannel::Smoke) > 0.0);
}

#[test]
fn passes_in_any_order_and_after_any_change_keep_numbers_finite() {
    let (mut world, id) = world_with_air();
    let before = world.particles().len();
    let (count, mut evaporated, mut condensed) = (AirPass::ALL.len(), 0, 0);
    for round in 0..600 {
        let pass = AirPass::ALL[(round * 5 + round * round / 7) % count];
        world.run_air_pass(pass, TICK, &SerialExecutor);
        let report = world.air_report(id).expect("there");
        evaporated += if pass == AirPass::Evaporate { report.evaporated } else { 0 };
        condensed += if pass == AirPass::Condense { report.condensed } else { 0 };
        if round % 50 == 49 {
            // Air of another size between two passes.
            let size = SIZE * if round % 100 == 99 { 1.0 } else { 0.7 };
            let other = air_of(size, world.parameters().gravity);
            *world.air_mut(id).expect("there") = other;
        }
        if round % 60 == 59 {
            world.step(TICK, &SerialExecutor).expect("valid");
            let report = world.air_report(id).expect("there");
            evaporated += report.evaporated;
            condensed += report.condensed;
        }
        let air = world.air(id).expect("there");
        let velocities = air.velocities_x().iter().chain(air.velocities_y());
        let numbers = velocities.chain(air.pressures());
        let channels = AirChannel::ALL.into_iter().flat_map(|channel| air.channel(channel));
        let liquid_velocities = world.particles().velocities().iter().flat_map(|v| [v.x, v.y]);
        let mut all = numbers.chain(channels).copied().chain(liquid_velocities);
        assert!(all.all(f32::is_finite), "{} in round {round}", pass.name());
    }
    let left = before - evaporated as usize + condensed as usize;
    assert_eq!(world.particles().len(), left, "none is lost without a report");
}

#[test]
fn liquid_is_pushed_once() {
    let (mut world, _) = world_with_air();
    world.step(TICK, &SerialExecutor).expect("valid");
    for pass in AirPass::ALL {
        world.run_air_pass(pass, TICK, &SerialExecutor);
    }
    let pushed = world.state_hash();
    world.run_air_pass(AirPass::PushLiquid, TICK, &SerialExecutor);
    assert_eq!(world.state_hash(), pushed);
}

#[test]
fn bad_time_steps_change_nothing() {
    let (mut world, id) = world_with_air();
    for _ in 0..5 {
        world.step(TICK, &SerialExecutor).expect("valid");
    }
    let (hash, report) = (world.state_hash(), world.air_report(id));
    for time_step in [0.0, -0.0, -TICK, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for pass in AirPass::ALL {
            world.run_air_pass(pass, time_step, &SerialExecutor);
        }
        world.step_air(time_step, &SerialExecutor);
        assert_eq!((world.state_hash(), world.air_report(id)), (hash, report), "{time_step}");
    }
}

#[test]
fn names_are_unique() {
    let names = AirPass::ALL.map(AirPass::name);
    for (number, name) in names.iter().enumerate() {
        assert!(!names[..number].contains(name), "{name}");
    }
}
