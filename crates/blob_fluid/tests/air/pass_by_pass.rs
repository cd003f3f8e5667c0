//! Hosts that run the passes one by one.

use std::f64::consts::TAU;

use blob_fluid::air::*;
use blob_fluid::shape::Polyline;
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{add_collider, add_tank_from_origin, at, cells, spawn, world_with};
use crate::ticks::{self, TICK};
use crate::{burst, gravity, noise, room, run, there};

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
    let mut world = world_with(FluidParameters {
        gravity: Vec2::new(0.0, -300.0),
        particle_spacing: SPACING,
        ambient_temperature: 20.0,
        ..FluidParameters::default()
    });
    let rains = Some(FluidTransition { temperature: 80.0, becomes: "water".into() });
    let (above, vapour, expansion) = (100.0, 1.0, 0.5);
    let into_air = Some(FluidIntoAir { above, vapour, expansion, rains, ..Default::default() });
    let (conductivity, air_conductivity) = (1.0, 0.5);
    let thermal =
        FluidThermal { conductivity, air_conductivity, into_air, ..FluidThermal::default() };
    let water = DensityClass { name: "water".into(), thermal, ..Default::default() };
    world.set_classes(ClassTable::new(vec![water]).expect("valid")).expect("no particles yet");
    add_tank_from_origin(&mut world, 0.5 * SIZE);
    let bar = Collider::rectangle(Vec2::new(220.0, 150.0), Vec2::new(40.0, 6.0));
    let turning = Motion { angular_velocity: 2.0, ..Motion::STILL };
    add_collider(&mut world, bar.and_then(|bar| bar.with_motion(turning)));
    for (number, cell) in cells(30, 10).enumerate() {
        let place = at(Vec2::splat(16.0) + cell * SPACING);
        let temperature = Some(60.0 + (number % 60) as f32);
        spawn(&mut world, ParticleSpawn { temperature, class: ClassId(0), ..place });
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
    assert_eq!(there(&by_passes, id).time(), there(&stepped, id).time());
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
        assert_eq!(there(&world, id).state_hash(), alone.state_hash());
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
        let air = there(&world, id);
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
    ticks::run(&mut world, 5);
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

// Single passes beside references in 64 bits. In flows that vary across themselves only, the other
// passes have nothing to do.

const N: usize = 24;

/// Rounding of a number of size 1 in so many operations.
fn rounding(operations: usize) -> f64 {
    0.5 * f64::from(f32::EPSILON) * operations as f64
}

#[test]
fn forces_are_weight_and_buoyancy() {
    let gravity = Vec2::new(0.0, -3.0);
    let settings = AirSettings { buoyancy: 0.8, smoke_weight: 0.3, ..AirSettings::new(gravity) };
    let mut air = room(N, N, settings, AirSides::all(AirSide::Periodic));
    // Every column is as hot as its neighbours above and below, so that what rises meets nothing.
    let (heat, smoke) = (noise(N, 1), noise(N, 2));
    let columns = |list: &[f32]| -> Vec<f32> { (0..N * N).map(|cell| list[cell % N]).collect() };
    air.set_channel(AirChannel::Heat, &columns(&heat)).expect("valid");
    air.set_channel(AirChannel::Smoke, &columns(&smoke)).expect("valid");
    let time_step = 0.25;
    air.step(time_step, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
    for (face, found) in air.velocities_y().iter().enumerate() {
        let (heat, smoke) = (f64::from(heat[face % N]), f64::from(smoke[face % N]));
        let expected = f64::from(time_step)
            * f64::from(-gravity.y)
            * (f64::from(0.8_f32) * heat - f64::from(0.3_f32) * smoke);
        let error = (f64::from(*found) - expected).abs();
        assert!(error < rounding(12), "{found} beside {expected}");
    }
    assert!(air.velocities_x().iter().all(|velocity| f64::from(velocity.abs()) < rounding(12)));
}

/// The Legendre polynomial of a degree.
fn legendre(degree: u32, x: f64) -> f64 {
    let (mut before, mut now) = (1.0, x);
    for n in 1..degree {
        let n = f64::from(n);
        (before, now) = (now, ((2.0 * n + 1.0) * x * now - n * before) / (n + 1.0));
    }
    now
}

/// What is left of a mode after a step that makes `rate` of it disappear: the polynomial of the
/// stages in closed form (Meyer, Balsara and Aslam 2014, eq. 9 and 15).
fn left_after(stages: u32, rate: f64) -> f64 {
    let s = f64::from(stages);
    let b = (s * s + s - 2.0) / (2.0 * s * (s + 1.0));
    1.0 - b + b * legendre(stages, 1.0 - 4.0 / (s * s + s - 2.0) * rate)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "both sides start from the same rounded numbers")]
fn viscosity_damps_every_mode_as_its_polynomial_says() {
    for (viscosity, mode) in
        [(0.1_f32, 1), (0.1, 3), (1.0, 2), (4.0, 1), (4.0, 5), (30.0, 1), (30.0, 12)]
    {
        let settings = AirSettings { viscosity, ..AirSettings::default() };
        let mut air = room(N, N, settings, AirSides::all(AirSide::Periodic));
        // Layers that slide past each other.
        let wave = TAU * f64::from(mode) / N as f64;
        let layer: Vec<f32> = (0..N).map(|j| (wave * j as f64).cos() as f32).collect();
        let x: Vec<f32> = (0..N * (N + 1)).map(|face| layer[face / (N + 1)]).collect();
        air.set_velocities(&x, &vec![0.0; N * (N + 1)]).expect("valid");
        let time_step = 0.5;
        air.step(time_step, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
        let strength = f64::from(viscosity) * f64::from(time_step);
        // The fewest stages, an odd number, that are stable at walls.
        let stages = (1..).map(|k| 2 * k + 1).find(|s| f64::from(s * s + s - 2) >= 24.0 * strength);
        let stages = stages.expect("a number");
        let left = left_after(stages, strength * (2.0 - 2.0 * wave.cos()));
        for (face, found) in air.velocities_x().iter().enumerate() {
            let expected = left * f64::from(layer[face / (N + 1)]);
            let error = (f64::from(*found) - expected).abs();
            // A stage multiplies and adds about ten times; Legendre stages add up rounding by their
            // number at most.
            let bound = rounding(10 * (stages * stages) as usize);
            assert!(error < bound, "viscosity {viscosity}, mode {mode}: {found} beside {expected}");
        }
    }
}

#[test]
fn advection_by_whole_cells_moves_channels_exactly() {
    for cells in [[1, 0], [0, -1], [3, 2], [-5, 4], [-2, -7]] {
        let mut air = room(N, N, AirSettings::default(), AirSides::all(AirSide::Periodic));
        let velocity = cells.map(|cells| cells as f32);
        air.set_velocities(&vec![velocity[0]; N * (N + 1)], &vec![velocity[1]; N * (N + 1)])
            .expect("valid");
        let smoke = noise(N * N, 4);
        air.set_channel(AirChannel::Smoke, &smoke).expect("valid");
        air.step(1.0, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
        let n = N as isize;
        for (cell, found) in (0..).zip(air.channel(AirChannel::Smoke)) {
            let from = |place: isize, way: isize| (place - way).rem_euclid(n) as usize;
            let (i, j) = (from(cell % n, cells[0]), from(cell / n, cells[1]));
            let expected = smoke[j * N + i];
            let error = f64::from((found - expected).abs());
            assert!(error < rounding(64), "{cells:?}: {found} beside {expected} in {cell}");
        }
    }
}

// What the projection reaches, in all kinds of scenes.

fn posts() -> Vec<Collider> {
    let line =
        Polyline::new(vec![Vec2::new(3.0, 50.0), Vec2::new(40.0, 35.3)], 0.0).expect("valid");
    vec![
        Collider::circle(Vec2::new(20.3, 20.1), 6.2).expect("valid"),
        Collider::new(
            FluidShape::Rectangle { half_size: Vec2::new(9.0, 0.3) },
            Vec2::new(44.0, 30.0),
            Vec2::from_angle(0.4),
        )
        .expect("valid"),
        Collider::new(FluidShape::Polyline(line), Vec2::ZERO, Vec2::X).expect("valid"),
    ]
}

#[test]
fn every_scene_reaches_the_residual() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(20.0, 3.0), smoke: 1.0, heat: 0.5 };
    let periodic_x =
        AirSides { left: AirSide::Periodic, right: AirSide::Periodic, ..AirSides::default() };
    let scenes = [
        AirSides::default(),
        AirSides::all(AirSide::Open),
        AirSides::all(AirSide::Periodic),
        periodic_x,
        AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() },
        AirSides { left: inflow, ..AirSides::default() },
    ];
    for (columns, rows) in [(64, 64), (63, 58), (50, 7), (5, 64), (1, 9)] {
        for sides in &scenes {
            for solids in [Vec::new(), posts()] {
                let mut air = room(columns, rows, gravity(), *sides);
                air.set_solids([], &solids);
                let wind =
                    noise((columns + 1) * rows, 3).iter().map(|v| v * 30.0).collect::<Vec<f32>>();
                air.set_velocities(&wind, &noise(columns * (rows + 1), 4)).expect("valid");
                air.set_sources(vec![burst(Vec2::new(30.0, 30.0), 6.0)]).expect("valid");
                let AirProjection::Multigrid { residual, .. } = air.settings().projection else {
                    panic!("the default")
                };
                let mut work = AirWorkspace::default();
                for step in 0..3 {
                    let report = air.step(TICK, &mut work, &SerialExecutor).expect("valid");
                    let scene = format!("{columns} x {rows}, {sides:?}, step {step}: {report:?}");
                    assert!(report.residual <= residual, "{scene}");
                    assert!(report.max_speed.is_finite(), "{scene}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_leave_is_reported() {
    let inflow = AirSide::Inflow { velocity: Vec2::new(2.0, 0.0), smoke: 0.0, heat: 0.0 };
    let mut blocked =
        room(32, 16, AirSettings::default(), AirSides { left: inflow, ..AirSides::default() });
    // 16 faces of inflow at speed 2 into 512 cells.
    let mean = 2.0 * 16.0 / 512.0;
    let report = run(&mut blocked, 2);
    assert!((report.blocked_inflow - mean).abs() < 1e-3 * mean);
    let inside = FluidBounds { low: Vec2::ZERO, high: Vec2::new(32.0, 16.0) };
    assert!(report.blocked_at.is_some_and(|place| inside.contains(place)), "{report:?}");
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let report = run(&mut room(32, 16, AirSettings::default(), sides), 2);
    assert_eq!((report.blocked_inflow, report.blocked_at), (0.0, None));
}

#[test]
fn gauss_seidel_finds_the_same_flow() {
    let velocities = |projection| {
        let settings = AirSettings { projection, ..gravity() };
        let mut air =
            room(32, 32, settings, AirSides { top: AirSide::Open, ..AirSides::default() });
        air.set_solids([], &[Collider::circle(Vec2::new(16.0, 18.0), 4.0).expect("valid")]);
        air.set_sources(vec![burst(Vec2::new(15.0, 8.0), 4.0)]).expect("valid");
        run(&mut air, 20);
        air.velocities_y().to_vec()
    };
    let exact = velocities(AirProjection::Multigrid { residual: 1e-6, max_cycles: 100 });
    let swept = velocities(AirProjection::GaussSeidel { iterations: 400, over_relaxation: 1.8 });
    let largest = exact.iter().fold(0.0, |most: f32, v| most.max(v.abs()));
    for (exact, swept) in exact.iter().zip(&swept) {
        assert!((exact - swept).abs() < 1e-2 * largest, "{exact} {swept}");
    }
}

#[test]
fn pressure_has_physical_units() {
    // Hot air below a lid is held by the pressure: its height times density times acceleration.
    let settings = AirSettings { density: 1.3, ..gravity() };
    let mut air = room(16, 16, settings, AirSides { bottom: AirSide::Open, ..AirSides::default() });
    let everything = FluidRegion::rectangle(Vec2::splat(8.0), Vec2::splat(8.0)).expect("valid");
    let source = AirSource { heat: 1.0, burst: true, ..AirSource::new(everything) };
    air.set_sources(vec![source]).expect("valid");
    run(&mut air, 1);
    let expected = 1.3 * 60.0 * 15.5;
    let top = air.pressure_at(Vec2::new(8.0, 15.5)).expect("inside");
    assert!((top - expected).abs() < 1e-4 * expected, "{top} {expected}");
}

#[test]
fn volume_that_comes_in_goes_out_through_the_opening() {
    let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
    let mut air = room(24, 24, AirSettings::default(), sides);
    let region = FluidRegion::rectangle(Vec2::new(12.0, 6.0), Vec2::splat(2.0)).expect("valid");
    let source = AirSource { expansion: 3.0, ..AirSource::new(region) };
    air.set_sources(vec![source]).expect("valid");
    run(&mut air, 5);
    let out: f32 = air.velocities_y()[24 * 24..].iter().sum();
    // 16 cells, each 3 times its volume in a second.
    assert!((out - 48.0).abs() < 0.05, "{out}");
}

#[test]
fn a_solid_that_moves_pushes_the_air() {
    let sides = AirSides { left: AirSide::Open, right: AirSide::Open, ..AirSides::default() };
    let mut air = room(40, 20, AirSettings::default(), sides);
    let motion = Motion { velocity: Vec2::new(6.0, 0.0), ..Default::default() };
    let mut work = AirWorkspace::default();
    for step in 0..60 {
        // A piston that fills the channel.
        let centre = Vec2::new(10.0 + 6.0 * TICK * step as f32, 10.0);
        let piston = Collider::rectangle(centre, Vec2::new(3.0, 20.0)).expect("valid");
        air.set_solids([], &[piston.with_motion(motion).expect("valid")]);
        air.step(TICK, &mut work, &SerialExecutor).expect("valid");
    }
    for place in [Vec2::new(3.0, 8.0), Vec2::new(30.0, 12.0)] {
        let velocity = air.velocity_at(place).expect("inside");
        assert!(velocity.distance(Vec2::new(6.0, 0.0)) < 0.05, "{velocity} at {place}");
    }
}

#[test]
fn containers_hold_the_air() {
    let mut air = room(48, 48, gravity(), AirSides::default());
    air.set_solids(&[Container::circle(Vec2::splat(24.0), 15.0).expect("valid")], []);
    air.set_sources(vec![burst(Vec2::new(24.0, 16.0), 4.0)]).expect("valid");
    run(&mut air, 120);
    let outside = |index: usize| air.cell_centre(index).distance(Vec2::splat(24.0)) > 17.0;
    let smoke = air.channel(AirChannel::Smoke);
    assert!((0..48 * 48).filter(|index| outside(*index)).all(|index| smoke[index] == 0.0));
    assert!(air.amount(AirChannel::Smoke) > 40.0);
}

#[test]
fn a_burst_adds_as_much_volume_in_ticks_of_any_length() {
    let projection = AirProjection::Multigrid { residual: 1e-5, max_cycles: 100 };
    let settings = AirSettings { projection, ..AirSettings::default() };
    for time_step in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0] {
        let sides = AirSides { top: AirSide::Open, ..AirSides::default() };
        let mut air = room(24, 24, settings, sides);
        let region = FluidRegion::rectangle(Vec2::new(12.0, 6.0), Vec2::splat(2.0)).expect("valid");
        let puff = AirSource { expansion: 0.5, burst: true, ..AirSource::new(region) };
        air.set_sources(vec![puff]).expect("valid");
        let (mut work, mut volume) = (AirWorkspace::default(), 0.0);
        for _ in 0..3 {
            air.step(time_step, &mut work, &SerialExecutor).expect("valid");
            volume += time_step * air.velocities_y()[24 * 24..].iter().sum::<f32>();
        }
        // 16 cells, each by half of its volume.
        assert!((volume - 8.0).abs() < 0.05, "{volume} in steps of {time_step}");
    }
}
