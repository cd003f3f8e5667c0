//! Liquid that turns into air and back: heat, boiling, rain, burning, and the residue of solid fuel.

use blob_fluid::air::{Air, AirChannel, AirFire, AirId, AirSettings, AirSide, AirSides, AirSource};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{
    add_collider, add_container, add_tank_from_origin, assert_finite, at, cells, count_where,
    spawn_all, top_speed, world_with,
};
use crate::ticks::{TICK, run_by, run_for, same_on_threads, step};
use crate::{materials, there};

const SPACING: f32 = 8.0;
const AREA: f64 = (SPACING * SPACING) as f64;
const AMBIENT: f32 = 20.0;
const WATER: ClassId = ClassId(0);

fn world(gravity: f32, thermal: FluidThermal) -> FluidWorld {
    world_of(gravity, vec![DensityClass { name: "water".into(), thermal, ..Default::default() }])
}

fn world_of(gravity: f32, classes: Vec<DensityClass>) -> FluidWorld {
    let mut world = world_with(FluidParameters {
        gravity: Vec2::new(0.0, -gravity),
        particle_spacing: SPACING,
        ambient_temperature: AMBIENT,
        ..FluidParameters::default()
    });
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    world
}

fn settings(world: &FluidWorld) -> AirSettings {
    AirSettings {
        density: 0.02 / (SPACING * SPACING),
        ..AirSettings::new(world.parameters().gravity)
    }
}

/// Closed air of `width` by `height` from the origin on.
fn insert(world: &mut FluidWorld, width: f32, height: f32, settings: AirSettings) -> AirId {
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::new(width, height) };
    world.insert_air(Air::new(bounds, SPACING, settings, AirSides::default()).expect("valid"))
}

/// As [`insert`], with the plain settings.
fn insert_plain(world: &mut FluidWorld, width: f32, height: f32) -> AirId {
    let settings = settings(world);
    insert(world, width, height, settings)
}

/// Replaces the sources of air by a disc that heats by so much, or by none.
fn set_torch(world: &mut FluidWorld, air: AirId, torch: Option<(Vec2, f32, f32)>) {
    let source = |(centre, radius, heat)| {
        let place = FluidRegion::circle(centre, radius).expect("valid");
        AirSource { heat, ..AirSource::new(place) }
    };
    set_sources(world, air, torch.map(source).into_iter().collect());
}

fn set_sources(world: &mut FluidWorld, air: AirId, sources: Vec<AirSource>) {
    world.air_mut(air).expect("there").set_sources(sources).expect("valid");
}

/// Rows of particles of a class, the lowest half a spacing above `low`.
fn pour(world: &mut FluidWorld, low: Vec2, columns: usize, rows: usize, temperature: f32) {
    let places = cells(columns, rows).map(|cell| low + cell * SPACING);
    let temperature = Some(temperature);
    let water = |place| ParticleSpawn { temperature, class: WATER, ..at(place) };
    spawn_all(world, places.map(water));
    world.end_easing();
}

fn amount(world: &FluidWorld, air: AirId, channel: AirChannel) -> f64 {
    there(world, air).amount(channel)
}

/// Area of the particles, of what has condensed and of the vapour, in particles.
fn all_water(world: &FluidWorld, air: AirId) -> f64 {
    let in_air = amount(world, air, AirChannel::Vapour) + there(world, air).condensate();
    world.particles().len() as f64 + in_air / AREA
}

/// `sum C T` of liquid and air above the surroundings, in degrees of a particle of mass 1.
fn all_heat(world: &FluidWorld, air: AirId) -> f64 {
    let settings = there(world, air).settings();
    let per_area = f64::from(settings.heat_capacity) * f64::from(settings.degrees_per_heat) / AREA;
    let temperatures = world.particles().temperatures().iter();
    let liquid_heat: f64 =
        temperatures.map(|temperature| f64::from(*temperature) - f64::from(AMBIENT)).sum();
    liquid_heat + amount(world, air, AirChannel::Heat) * per_area
}

fn boils_and_rains() -> FluidThermal {
    let rains = Some(FluidTransition { temperature: 80.0, becomes: "water".into() });
    let into_air = FluidIntoAir { above: 100.0, vapour: 1.0, rains, ..FluidIntoAir::default() };
    FluidThermal { conductivity: 1.0, into_air: Some(into_air), ..FluidThermal::default() }
}

#[test]
fn latent_heat_is_what_boiling_takes() {
    // A pool that starts hotter by as much as boils half of it, without a way for heat to get in or out.
    let latent_heat = 400.0;
    let into_air = FluidIntoAir { above: 100.0, vapour: 1.0, ..FluidIntoAir::default() };
    let into_air = Some(into_air);
    let thermal = FluidThermal { conductivity: 1.0, latent_heat, into_air, ..Default::default() };
    let mut world = world(0.0, thermal);
    let air = insert_plain(&mut world, 40.0 * SPACING, 40.0 * SPACING);
    pour(&mut world, Vec2::splat(10.0 * SPACING), 20, 20, 100.0 + 0.5 * latent_heat);
    let mut evaporated = 0;
    for _ in 0..300 {
        step(&mut world);
        evaporated += world.air_report(air).expect("there").evaporated;
        // What is left boils no hotter.
        let mut left = world.particles().temperatures().iter();
        assert!(left.all(|temperature| *temperature <= 100.0 + 0.5 * latent_heat));
    }
    for temperature in world.particles().temperatures() {
        assert!((temperature - 100.0).abs() < 1e-3, "{temperature}, {evaporated} have boiled");
    }
    // Of n particles n/2 boil, give or take a few times the deviation of as many throws of a coin.
    let (half, deviation) = (200.0, 10.0);
    assert!((f64::from(evaporated) - half).abs() < 4.0 * deviation, "{evaporated}");
    assert_eq!(world.particles().len() + evaporated as usize, 400);
}

fn everywhere() -> FluidRegion {
    FluidRegion::rectangle(Vec2::splat(400.0), Vec2::splat(400.0)).expect("valid")
}

#[test]
fn a_drop_and_the_air_around_it_come_to_the_mean_temperature() {
    // The rate in the fastest case is far above what a step resolves.
    for (conductivity, heat_capacity, heat) in
        [(0.5, 0.05, 0.0), (1000.0, 0.05, 0.0), (1000.0, 0.000001, 1.0), (3.0, 1000.0, -0.1)]
    {
        let thermal = FluidThermal { air_conductivity: conductivity, ..FluidThermal::default() };
        let mut world = world(0.0, thermal);
        let air_settings = AirSettings { heat_capacity, ..settings(&world) };
        // The drop is in the first of two cells: a single one would be closed on all sides.
        let air = insert(&mut world, 2.0 * SPACING, SPACING, air_settings);
        let gas = world.air_mut(air).expect("there");
        gas.set_channel(AirChannel::Heat, &[heat, 0.0]).expect("valid");
        pour(&mut world, Vec2::ZERO, 1, 1, 300.0);
        let before = all_heat(&world, air);
        let air_temperature = AMBIENT + heat * 1000.0;
        let mean = f64::from(AMBIENT) + before / (1.0 + f64::from(heat_capacity));
        let (mut drop, mut around) = (300.0, air_temperature);
        for tick in 0..600 {
            step(&mut world);
            let next = world.particles().temperatures()[0];
            let beside = there(&world, air).heat_at(Vec2::splat(0.5 * SPACING)).expect("inside");
            let beside = AMBIENT + 1000.0 * beside;
            // Neither ever goes beyond the mean.
            let slack = 1e-3 * 300.0;
            let between = |value: f32, start: f32| {
                (value - start.min(mean as f32) > -slack)
                    && (value - start.max(mean as f32) < slack)
            };
            assert!(between(next, drop) && between(beside, around), "{tick}: {next} {beside}");
            (drop, around) = (next, beside);
        }
        let after = all_heat(&world, air);
        assert!((after - before).abs() < 1e-4 * before.abs() + 1e-2, "{before} {after}");
        if conductivity > 100.0 {
            assert!((f64::from(drop) - mean).abs() < 0.1, "{drop}, not {mean}");
        }
    }
}

#[test]
fn a_drop_takes_on_the_temperature_of_much_air_at_its_rate() {
    let conductivity = 0.5;
    let thermal = FluidThermal { air_conductivity: conductivity, ..FluidThermal::default() };
    let mut world = world(0.0, thermal);
    let air_settings = AirSettings { heat_capacity: 1e6, ..settings(&world) };
    insert(&mut world, 2.0 * SPACING, SPACING, air_settings);
    pour(&mut world, Vec2::ZERO, 1, 1, 300.0);
    // The first substep finds that it is alone.
    step(&mut world);
    let start = f64::from(world.particles().temperatures()[0] - AMBIENT);
    let ticks = 30;
    run_for(&mut world, ticks as f32 * TICK);
    let rate = f64::from(conductivity * TICK / world.parameters().time_unit());
    let expected = start / (1.0 + rate).powi(ticks);
    let found = f64::from(world.particles().temperatures()[0] - AMBIENT);
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
}

#[test]
fn hot_liquid_makes_the_air_rise() {
    let mut world = world(200.0, FluidThermal { air_conductivity: 5.0, ..FluidThermal::default() });
    add_tank_from_origin(&mut world, Vec2::new(80.0, 100.0));
    let air = insert_plain(&mut world, 160.0, 200.0);
    // Hot on the left.
    pour(&mut world, Vec2::ZERO, 10, 4, 500.0);
    pour(&mut world, Vec2::new(80.0, 0.0), 10, 4, AMBIENT);
    let before = all_heat(&world, air);
    run_for(&mut world, 6.0);
    let heat = there(&world, air).channel(AirChannel::Heat);
    let high: f32 = heat[heat.len() / 2..].iter().sum();
    assert!(high > 0.1, "{high}");
    let hottest = heat.iter().fold(0.0_f32, |most, heat| most.max(*heat));
    assert!(hottest <= 0.48 * (1.0 + 1e-5), "the liquid has 0.48, and air {hottest}");
    let after = all_heat(&world, air);
    assert!((after / before - 1.0).abs() < 1e-3, "{before} {after}");
}

#[test]
fn hot_particles_become_what_they_are_said_to_become() {
    let into_air = FluidIntoAir {
        above: 100.0,
        vapour: 2.0,
        smoke: 3.0,
        fuel: 0.5,
        colour: Some([0.5, 0.25, 1.0]),
        expansion: 0.5,
        ..FluidIntoAir::default()
    };
    let thermal = FluidThermal { into_air: Some(into_air), ..FluidThermal::default() };
    let mut world = world(0.0, thermal);
    let air = insert_plain(&mut world, 160.0, 160.0);
    pour(&mut world, Vec2::splat(40.0), 4, 3, 100.0);
    pour(&mut world, Vec2::splat(100.0), 2, 2, 99.0);
    // Outside of the air.
    pour(&mut world, Vec2::splat(200.0), 2, 2, 500.0);
    step(&mut world);
    assert_eq!(world.particles().len(), 8);
    assert_eq!(world.air_report(air).expect("there").evaporated, 12);
    for (channel, per_area) in [
        (AirChannel::Vapour, 2.0),
        (AirChannel::Smoke, 3.0),
        (AirChannel::Fuel, 0.5),
        (AirChannel::Red, 1.5),
        (AirChannel::Green, 0.75),
        (AirChannel::Blue, 3.0),
    ] {
        let found = amount(&world, air, channel) / (12.0 * AREA);
        assert!((found - per_area).abs() < 1e-5, "{channel:?}: {found}, not {per_area}");
    }
    // The gas came from within the pool, and no air is hotter than it was.
    let gas = there(&world, air);
    let heat = gas.channel(AirChannel::Heat);
    assert!(heat.iter().all(|heat| *heat <= 0.08 * (1.0 + 1e-5)), "{heat:?}");
    // All flows in evenly, for the room is closed.
    let blocked_inflow = world.air_report(air).expect("there").blocked_inflow;
    let blocked = (gas.columns() * gas.rows()) as f32 * blocked_inflow * TICK;
    assert!((blocked / (12.0 * 0.5) - 1.0).abs() < 1e-3, "{blocked}");
}

#[test]
fn gas_from_the_ground_comes_out_at_the_surface() {
    let mut world = world(200.0, boils_and_rains());
    add_tank_from_origin(&mut world, Vec2::new(80.0, 120.0));
    let air = insert_plain(&mut world, 160.0, 240.0);
    pour(&mut world, Vec2::ZERO, 20, 12, 20.0);
    run_for(&mut world, 0.5);
    // A single particle in the depth.
    let positions = world.particles().positions();
    let distance = |index: &usize| positions[*index].distance(Vec2::new(80.0, 12.0));
    let nearest = (0..positions.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let deep = nearest.expect("some");
    world.particles_mut().temperatures_mut()[deep] = 1e5;
    let before = world.particles().len();
    world.step_air(TICK, &SerialExecutor);
    assert_eq!(world.particles().len(), before - 1);
    let above =
        FluidRegion::rectangle(Vec2::new(80.0, 165.0), Vec2::new(80.0, 85.0)).expect("valid");
    let gas = there(&world, air);
    let high = gas.amount_in(AirChannel::Vapour, &above);
    assert!(high > 0.9 * gas.amount(AirChannel::Vapour), "{high} of {AREA}");
}

#[test]
fn steam_is_vapour_in_air_and_drops_elsewhere() {
    let rains = Some(FluidTransition { temperature: 80.0, becomes: "water".into() });
    let into_air = FluidIntoAir { above: -1e6, vapour: 1.0, rains, ..FluidIntoAir::default() };
    let water = DensityClass { name: "water".into(), ..DensityClass::default() };
    let thermal = FluidThermal { into_air: Some(into_air), ..FluidThermal::default() };
    let steam = DensityClass { name: "steam".into(), thermal, ..DensityClass::default() };
    let mut world = world_of(0.0, vec![water, steam]);
    let air = insert_plain(&mut world, 80.0, 80.0);
    for x in [40.0, 140.0] {
        spawn(&mut world, ClassId(1), Vec2::new(x, 40.0), 130.0);
    }
    run_for(&mut world, 0.5);
    assert_eq!(world.particles().classes(), [ClassId(1)]);
    assert!((amount(&world, air, AirChannel::Vapour) / AREA - 1.0).abs() < 1e-5);
    let air_settings = AirSettings { cooling: 10.0, ..settings(&world) };
    world.air_mut(air).expect("there").set_settings(air_settings).expect("valid");
    run_for(&mut world, 10.0);
    let mut classes = world.particles().classes().to_vec();
    classes.sort();
    assert_eq!(classes, [ClassId(0), ClassId(1)], "it has rained");
}

#[test]
fn liquid_that_sleeps_falls_when_what_bears_it_boils() {
    let mut world = world(200.0, boils_and_rains());
    add_tank_from_origin(&mut world, Vec2::splat(80.0));
    let air = insert_plain(&mut world, 160.0, 160.0);
    pour(&mut world, Vec2::ZERO, 20, 6, AMBIENT);
    run_for(&mut world, 12.0);
    let before = world.particles().len();
    assert!(world.asleep() > before / 2, "{} of {before} sleep", world.asleep());
    let positions: Vec<Vec2> = world.particles().positions().to_vec();
    for (temperature, at) in world.particles_mut().temperatures_mut().iter_mut().zip(positions) {
        let is_hot = at.y < 12.0 && (at.x - 80.0).abs() < 20.0;
        *temperature = if is_hot { 1000.0 } else { *temperature };
    }
    world.step_air(TICK, &SerialExecutor);
    assert!(world.air_report(air).expect("there").evaporated > 3);
    step(&mut world);
    assert!(world.asleep() < world.particles().len());
    let low = count_where(&world, |at| at.y < 12.0);
    run_for(&mut world, 2.0);
    assert!(count_where(&world, |at| at.y < 12.0) > low, "nothing fell into the gap");
}

#[test]
fn extremes_stay_finite() {
    let most = |above, rain| {
        let rains = Some(FluidTransition { temperature: rain, becomes: "water".into() });
        let (colour, amount) = (Some([1e6; 3]), 1e3);
        let (vapour, smoke, fuel, expansion) = (amount, amount, amount, amount);
        Some(FluidIntoAir { above, vapour, smoke, fuel, afterglow: 1e6, colour, expansion, rains })
    };
    for (into_air, temperature, air_settings) in [
        (most(-1e6, 1e6), 1e6, AirSettings { degrees_per_heat: 1e-3, ..AirSettings::default() }),
        (most(1e6, 1e6), 1e6, AirSettings { heat_capacity: 1e-6, ..AirSettings::default() }),
        (most(-1e6, -1e6), -1e6, AirSettings { heat_capacity: 1e6, ..AirSettings::default() }),
        (None, 3e38, AirSettings { degrees_per_heat: 1e6, ..AirSettings::default() }),
        (most(0.0, 1e6), 3e38, AirSettings { condensation_rate: 1e6, ..AirSettings::default() }),
    ] {
        for air_conductivity in [0.0, 1000.0] {
            let into_air = into_air.clone();
            let is_slow = into_air.as_ref().is_some_and(|into_air| into_air.above >= 0.0);
            let latent_heat = if is_slow { 1e6 } else { 0.0 };
            let thermal =
                FluidThermal { air_conductivity, latent_heat, into_air, ..FluidThermal::default() };
            let mut world = world(200.0, thermal);
            add_tank_from_origin(&mut world, Vec2::splat(40.0));
            world.set_capacity(400);
            let air = insert(&mut world, 80.0, 80.0, air_settings);
            pour(&mut world, Vec2::ZERO, 10, 5, temperature);
            run_for(&mut world, 0.5);
            let air = there(&world, air);
            let lists = [air.velocities_x(), air.velocities_y(), air.pressures()];
            let channels = AirChannel::ALL.map(|channel| air.channel(channel));
            for value in lists.into_iter().chain(channels).flatten() {
                assert!(value.is_finite(), "{air_settings:?} {temperature}");
            }
            assert!(air.condensate().is_finite());
            assert!(world.particles().temperatures().iter().all(|degrees| degrees.is_finite()));
            assert_finite(&world);
            assert!(world.particles().len() <= 400);
        }
    }
}

#[test]
fn settings_are_checked() {
    for (name, bad) in [
        ("degrees_per_heat", AirSettings { degrees_per_heat: 0.0, ..AirSettings::default() }),
        ("heat_capacity", AirSettings { heat_capacity: f32::NAN, ..AirSettings::default() }),
        ("condensation_rate", AirSettings { condensation_rate: -1.0, ..AirSettings::default() }),
    ] {
        let message = bad.validate().expect_err(name).to_string();
        assert!(message.contains(name), "{message}");
    }
    let source = AirSource { vapour: f32::NAN, ..AirSource::new(everywhere()) };
    assert!(source.validate().is_err());
}

#[test]
fn vapour_is_carried_and_neither_fades_nor_burns() {
    let mut world = world(0.0, FluidThermal::default());
    let air_settings = AirSettings { smoke_dissipation: 5.0, cooling: 5.0, ..settings(&world) };
    let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::splat(160.0) };
    let sides = AirSides::all(AirSide::Periodic);
    let mut inner = Air::new(bounds, SPACING, air_settings, sides).expect("valid");
    let wind = vec![70.0; inner.velocities_x().len()];
    let still = vec![0.0; inner.velocities_y().len()];
    inner.set_velocities(&wind, &still).expect("valid");
    let puff = FluidRegion::circle(Vec2::splat(80.0), 30.0).expect("valid");
    let puff = AirSource { vapour: 1.0, burst: true, ..AirSource::new(puff) };
    inner.set_sources(vec![puff]).expect("valid");
    let air = world.insert_air(inner);
    run_for(&mut world, TICK);
    let before = amount(&world, air, AirChannel::Vapour);
    let first = there(&world, air).channel(AirChannel::Vapour).to_vec();
    run_for(&mut world, 1.0);
    let after = amount(&world, air, AirChannel::Vapour);
    assert!(before > 0.0 && (after / before - 1.0).abs() < 1e-5, "{before} {after}");
    assert_ne!(there(&world, air).channel(AirChannel::Vapour), first);
}

// Liquid that burns, and bundled materials that boil, burn and smoke.

/// A world whose liquid turns into fuel above 250 degrees.
fn world_of_oil() -> FluidWorld {
    let into_air = FluidIntoAir { above: 250.0, fuel: 20.0, ..FluidIntoAir::default() };
    let thermal = FluidThermal {
        conductivity: 0.2,
        air_conductivity: 5.0,
        into_air: Some(into_air),
        ..FluidThermal::default()
    };
    world(200.0, thermal)
}

/// Oil in a trough.
fn oil(lit: bool) -> (FluidWorld, AirId) {
    let mut world = world_of_oil();
    add_tank_from_origin(&mut world, Vec2::new(80.0, 120.0));
    let fire = AirFire { soot: 0.5, ..AirFire::default() };
    let air_settings = AirSettings { fire, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    pour(&mut world, Vec2::ZERO, 20, 4, AMBIENT);
    set_torch(&mut world, air, lit.then_some((Vec2::new(80.0, 40.0), 24.0, 6.0)));
    (world, air)
}

#[test]
fn lit_oil_burns_down() {
    let (mut cold, _) = oil(false);
    let all = cold.particles().len();
    run_for(&mut cold, 4.0);
    assert_eq!(cold.particles().len(), all, "nobody has lit it");
    let (mut world, air) = oil(true);
    for tick in 0..60 * 20 {
        step(&mut world);
        if tick == 120 {
            assert!(world.particles().len() > all / 2, "the torch alone burns it");
            set_torch(&mut world, air, None);
        }
        if tick % 60 == 0 {
            let lost = (all - world.particles().len()) as f64 * AREA;
            // Soot is half of the fuel that has burnt.
            let burnt = amount(&world, air, AirChannel::Smoke) / 0.5;
            let made = (amount(&world, air, AirChannel::Fuel) + burnt) / 20.0;
            assert!((made - lost).abs() < 1e-4 * lost + 1e-3, "{made} of {lost} after {tick}");
        }
    }
    let left = world.particles().len();
    assert!(left < all / 10, "{left} of {all} are left");
}

#[test]
fn what_burns_releases_its_heat() {
    // At once, and without heat of its own.
    let into_air = FluidIntoAir { above: -1e6, fuel: 1.0, ..FluidIntoAir::default() };
    let thermal = FluidThermal { into_air: Some(into_air), ..FluidThermal::default() };
    let mut world = world(0.0, thermal);
    let fire = AirFire { heat: 3.0, ..AirFire::default() };
    let air_settings = AirSettings { fire, ..settings(&world) };
    let air = insert(&mut world, 160.0, 160.0, air_settings);
    pour(&mut world, Vec2::splat(40.0), 5, 4, AMBIENT);
    let pilot = AirSource { heat: 0.5, burst: true, ..AirSource::new(everywhere()) };
    set_sources(&mut world, air, vec![pilot]);
    run_for(&mut world, 2.0);
    let burnt = 20.0 * AREA - amount(&world, air, AirChannel::Fuel);
    assert!(burnt > 19.0 * AREA, "{burnt}");
    let expected = 0.5 * 160.0 * 160.0 + 3.0 * burnt;
    let found = amount(&world, air, AirChannel::Heat);
    assert!((found / expected - 1.0).abs() < 1e-4, "{found}, not {expected}");
}

/// A pool of burning oil in air of several thousand cells: hashes of liquid and air, and the number of particles left.
fn burning_pool(executor: &dyn Executor) -> (u64, u64, usize) {
    let mut world = world_of_oil();
    let half = Vec2::new(240.0, 240.0);
    add_tank_from_origin(&mut world, half);
    let fire = AirFire { soot: 0.5, expansion: 0.2, ..AirFire::default() };
    let air_settings = AirSettings { fire, cooling: 0.3, ..settings(&world) };
    let air = insert(&mut world, 2.0 * half.x, 2.0 * half.y, air_settings);
    pour(&mut world, Vec2::ZERO, 60, 24, 200.0);
    let torch = FluidRegion::circle(Vec2::new(200.0, 200.0), 40.0).expect("valid");
    let torch = AirSource { heat: 20.0, colour: Some([0.2; 3]), ..AirSource::new(torch) };
    set_sources(&mut world, air, vec![torch]);
    run_by(executor, &mut world, 60);
    (world.state_hash(), there(&world, air).state_hash(), world.particles().len())
}

/// A world of bundled materials, and closed air with a torch over the floor.
fn of_materials(names: &[&str], torch: f32) -> (FluidWorld, AirId) {
    let mut world = world(200.0, FluidThermal::default());
    world.set_classes(materials(names)).expect("no particles yet");
    add_tank_from_origin(&mut world, Vec2::new(80.0, 120.0));
    let air_settings = AirSettings { cooling: 0.2, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    set_torch(&mut world, air, Some((Vec2::new(80.0, 40.0), 24.0, torch)));
    (world, air)
}

#[test]
fn bundled_materials_boil_burn_and_smoke() {
    let (mut oil, air) = of_materials(&["oil"], 10.0);
    pour(&mut oil, Vec2::ZERO, 20, 4, AMBIENT);
    run_for(&mut oil, 3.0);
    set_torch(&mut oil, air, None);
    assert!(oil.particles().len() > 40, "{}", oil.particles().len());
    run_for(&mut oil, 20.0);
    assert!(oil.particles().len() < 20 && amount(&oil, air, AirChannel::Smoke) > 0.0);

    let (mut water, air) = of_materials(&["water"], 30.0);
    pour(&mut water, Vec2::ZERO, 20, 4, 90.0);
    let (mut evaporated, mut condensed) = (0, 0);
    for tick in 0..60 * 60 {
        if tick == 60 * 5 {
            set_torch(&mut water, air, None);
        }
        step(&mut water);
        let report = water.air_report(air).expect("there");
        (evaporated, condensed) = (evaporated + report.evaporated, condensed + report.condensed);
    }
    assert!(evaporated > 10 && condensed > 10, "{evaporated} {condensed}");
    assert!((all_water(&water, air) - 80.0).abs() < 0.01, "{}", all_water(&water, air));

    let (mut smoke, air) = of_materials(&["smoke"], 0.0);
    pour(&mut smoke, Vec2::splat(60.0), 4, 4, AMBIENT);
    step(&mut smoke);
    assert!(smoke.particles().is_empty());
    assert!((amount(&smoke, air, AirChannel::Smoke) / (16.0 * AREA) - 1.0).abs() < 1e-4);
    assert!(amount(&smoke, air, AirChannel::Red) < 0.3 * 16.0 * AREA, "it is grey");
}

// Vapour that rains, and where drops find room.

#[test]
fn a_pool_boils_in_a_closed_room_and_rains() {
    let mut world = world(200.0, boils_and_rains());
    add_tank_from_origin(&mut world, Vec2::new(80.0, 120.0));
    // A stove in the floor.
    let hot = WallProperties { temperature: Some(400.0), ..WallProperties::default() };
    let stove = Collider::rectangle(Vec2::new(80.0, 4.0), Vec2::new(40.0, 8.0));
    add_collider(&mut world, stove.and_then(|stove| stove.with_wall(hot)));
    let air_settings = AirSettings { cooling: 0.3, vorticity_confinement: 0.1, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    pour(&mut world, Vec2::new(0.0, 16.0), 20, 6, 90.0);
    let all = world.particles().len() as f64;
    let (mut evaporated, mut condensed) = (0, 0);
    for tick in 0..60 * 120 {
        step(&mut world);
        let report = world.air_report(air).expect("there");
        evaporated += report.evaporated;
        condensed += report.condensed;
        if tick % 60 == 0 {
            let now = all_water(&world, air);
            assert!((now - all).abs() < 1e-4 * all, "{now} of {all} after {tick} ticks");
        }
    }
    assert_eq!(world.particles().len() as f64, all - f64::from(evaporated) + f64::from(condensed));
    assert!(evaporated > 50 && condensed > 40, "{evaporated} boiled, {condensed} rained");
    assert_eq!(world.quarantined(), 0);
    let FluidBounds { low, high } = FluidBounds::of(world.particles().positions());
    // A particle may touch a wall.
    assert!(low.y > -1e-4 * SPACING && high.y < 240.0 + 1e-4 * SPACING, "{low} {high}");
}

/// Cold vapour at one density everywhere, `per_cell` of a cell's area.
fn fog(per_cell: f32, capacity: usize, policy: CapacityPolicy) -> (FluidWorld, AirId) {
    let mut world = world(0.0, boils_and_rains());
    add_tank_from_origin(&mut world, Vec2::splat(80.0));
    add_collider(&mut world, Collider::circle(Vec2::splat(80.0), 30.0));
    let air_settings = AirSettings { condensation_rate: 1e6, ..settings(&world) };
    let air = insert(&mut world, 160.0, 160.0, air_settings);
    world.set_capacity(capacity);
    world.set_capacity_policy(policy);
    // The solids come into the air with the first step.
    step(&mut world);
    let gas = world.air_mut(air).expect("there");
    let cells = gas.columns() * gas.rows();
    gas.set_channel(AirChannel::Vapour, &vec![per_cell; cells]).expect("valid");
    (world, air)
}

#[test]
fn drops_keep_their_distance_and_stay_out_of_solids() {
    let (mut world, air) = fog(0.2, 100_000, CapacityPolicy::Refuse);
    let all = all_water(&world, air);
    world.step_air(TICK, &SerialExecutor);
    let drops = world.particles().len();
    assert!(drops > 20, "{drops}");
    assert!((all_water(&world, air) - all).abs() < 1e-3, "{all} {}", all_water(&world, air));
    let positions = world.particles().positions();
    for (index, position) in positions.iter().enumerate() {
        assert!(position.distance(Vec2::splat(80.0)) > 30.0, "{position} is in the collider");
        for other in &positions[..index] {
            assert!(position.distance(*other) >= SPACING, "{position} and {other}");
        }
    }
    run_for(&mut world, 10.0);
    let left = all_water(&world, air) - world.particles().len() as f64;
    assert!(left.abs() < 1.0, "{left} of {all} has not rained");
    let fastest = top_speed(&world);
    let unit = world.parameters().particle_spacing / world.parameters().time_unit();
    assert!(fastest < 3.0 * unit, "{fastest} in V0 of {unit}");
}

#[test]
fn a_full_world_keeps_its_vapour() {
    for policy in [CapacityPolicy::Refuse, CapacityPolicy::RecycleOldest] {
        let (mut world, air) = fog(0.2, 12, policy);
        let all = all_water(&world, air);
        run_for(&mut world, 1.0);
        assert_eq!((world.particles().len(), world.recycled()), (12, 0));
        assert!((all_water(&world, air) - all).abs() < 1e-3 * all);
        assert!(amount(&world, air, AirChannel::Vapour) > 0.3 * all * AREA);
    }
}

#[test]
fn vapour_without_room_for_drops_is_kept() {
    // So much that it does not fit the room as liquid.
    let (mut world, air) = fog(3.0, 100_000, CapacityPolicy::Refuse);
    let all = all_water(&world, air);
    run_for(&mut world, 4.0);
    assert!((all_water(&world, air) - all).abs() < 2e-3 * all, "{} {all}", all_water(&world, air));
    assert!(world.particles().len() > 150 && world.quarantined() == 0);
}

fn stormy(executor: &dyn Executor) -> (u64, u64) {
    let water = FluidThermal { air_conductivity: 2.0, ..boils_and_rains() };
    let mut world = world(200.0, water);
    add_container(&mut world, Container::circle(Vec2::splat(120.0), 120.0));
    add_collider(&mut world, Collider::circle(Vec2::new(110.0, 110.0), 20.0));
    let air_settings = AirSettings { cooling: 1.0, condensation_rate: 5.0, ..settings(&world) };
    let air = insert(&mut world, 240.0, 240.0, air_settings);
    pour(&mut world, Vec2::new(60.0, 40.0), 15, 8, 98.0);
    let stove = FluidRegion::circle(Vec2::new(120.0, 100.0), 40.0).expect("valid");
    let stove = AirSource { heat: 4.0, vapour: 0.5, ..AirSource::new(stove) };
    set_sources(&mut world, air, vec![stove]);
    let mut counts = (0, 0);
    for _ in 0..180 {
        world.step(TICK, executor).expect("valid");
        let report = world.air_report(air).expect("there");
        counts = (counts.0 + report.evaporated, counts.1 + report.condensed);
    }
    assert!(counts.0 > 10 && counts.1 > 10, "{counts:?}");
    (world.state_hash(), there(&world, air).state_hash())
}

#[test]
fn threads_change_no_bit() {
    same_on_threads([1, 4], stormy);
    let (.., left) = same_on_threads([2, 5], burning_pool);
    assert!(left < 60 * 24, "nothing has burnt");
}

#[test]
fn a_snapshot_continues_with_the_same_rain() {
    let (mut world, air) = fog(0.05, 1000, CapacityPolicy::Refuse);
    let slow = AirSettings { condensation_rate: 0.5, ..settings(&world) };
    world.air_mut(air).expect("there").set_settings(slow).expect("valid");
    run_for(&mut world, 0.5);
    assert!(there(&world, air).condensate() != 0.0);
    let mut copy = world.clone();
    run_for(&mut world, 1.0);
    run_for(&mut copy, 1.0);
    assert_eq!(world.state_hash(), copy.state_hash());
    assert_eq!(there(&world, air).state_hash(), there(&copy, air).state_hash());
    world.air_mut(air).expect("there").clear();
    assert_eq!(there(&world, air).condensate(), 0.0);
}

// Residue of solid fuel, and the effect of water on it.

const COAL: ClassId = ClassId(0);
const ASH: ClassId = ClassId(1);
const QUENCH_WATER: ClassId = ClassId(2);
const OIL: ClassId = ClassId(3);
const LAVA: ClassId = ClassId(4);
const PEAT: ClassId = ClassId(5);

/// What burns from 250 degrees on.
fn burning(becomes: Option<&str>, air_conductivity: f32) -> FluidThermal {
    let becomes = becomes.map(str::to_owned);
    FluidThermal {
        air_conductivity,
        above: becomes.map(|becomes| FluidTransition { temperature: 300.0, becomes }),
        into_air: Some(FluidIntoAir { above: 250.0, fuel: 20.0, ..FluidIntoAir::default() }),
        ..FluidThermal::default()
    }
}

fn classes(air_conductivity: f32) -> Vec<DensityClass> {
    let class = |name: &str| DensityClass { name: name.into(), ..DensityClass::default() };
    let powder = Some(FluidPowder::default());
    let boils = FluidIntoAir { above: 100.0, vapour: 1.0, ..FluidIntoAir::default() };
    let wet = FluidThermal { latent_heat: 540.0, into_air: Some(boils), ..FluidThermal::default() };
    let coal = burning(Some("ash"), air_conductivity);
    let burning = burning(None, air_conductivity);
    let hot = FluidThermal { temperature: Some(1000.0), ..FluidThermal::default() };
    vec![
        DensityClass { powder, thermal: coal, ..class("coal") },
        DensityClass { powder, mass: 0.6, ..class("ash") },
        DensityClass { mass: 0.9, thermal: wet, ..class("water") },
        DensityClass { mass: 0.8, thermal: burning.clone(), ..class("oil") },
        DensityClass { mass: 1.8, thermal: hot, ..class("lava") },
        DensityClass { powder, thermal: burning, ..class("peat") },
    ]
}

/// An empty trough in closed air, over whose floor there may be a torch.
fn trough(torch: f32, air_conductivity: f32) -> (FluidWorld, AirId) {
    let mut world = world_of(200.0, classes(air_conductivity));
    add_tank_from_origin(&mut world, Vec2::new(80.0, 120.0));
    let fire = AirFire { soot: 0.5, ..AirFire::default() };
    let air_settings = AirSettings { fire, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    set_torch(&mut world, air, Some((Vec2::new(80.0, 40.0), 24.0, torch)));
    (world, air)
}

fn spawn(world: &mut FluidWorld, class: ClassId, position: Vec2, temperature: f32) {
    let temperature = Some(temperature);
    spawn_all(world, [ParticleSpawn { class, temperature, ..at(position) }]);
}

fn count(world: &FluidWorld, class: ClassId) -> usize {
    world.particles().classes().iter().filter(|of| **of == class).count()
}

/// Eighty grains of fuel, perhaps among as many of something else, after 8 s under a torch.
fn under_a_torch(fuel: ClassId, beside: Option<ClassId>) -> (FluidWorld, AirId) {
    let (mut world, air) = trough(10.0, 5.0);
    let rows = if beside.is_some() { 8 } else { 4 };
    for (number, cell) in cells(20, rows).enumerate() {
        let class = beside.filter(|_| (number % 20 + number / 20) % 2 == 1).unwrap_or(fuel);
        spawn(&mut world, class, cell * SPACING, AMBIENT);
    }
    run_for(&mut world, 8.0);
    (world, air)
}

#[test]
fn coal_burns_to_ash() {
    let (world, air) = under_a_torch(COAL, None);
    let (coal, ash) = (count(&world, COAL), count(&world, ASH));
    assert_eq!(coal + ash, 80, "a grain of coal leaves a grain of ash");
    // Burnt grains cover the others.
    assert!(ash > 15, "{ash}");
    // It gives off as much fuel as a class without residue; half of the burnt fuel becomes soot.
    let burnt = amount(&world, air, AirChannel::Smoke) / 0.5;
    let made = amount(&world, air, AirChannel::Fuel) + burnt;
    let expected = 20.0 * ash as f64 * AREA;
    assert!((made / expected - 1.0).abs() < 1e-3, "{made}, not {expected}");
}

/// How many of sixty grains of coal have burnt 20 s after the twelve at one end were lit.
fn burnt_from_one_end(afterglow: f32) -> usize {
    let (mut world, _) = trough(0.0, 0.2);
    let mut classes = classes(0.2);
    for class in &mut classes[..2] {
        class.thermal.conductivity = 0.3;
    }
    let to_ash = classes[0].thermal.above.as_mut().expect("it leaves ash");
    to_ash.temperature = 800.0;
    let into_air = classes[0].thermal.into_air.as_mut().expect("coal burns");
    into_air.afterglow = afterglow;
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("valid");
    for (number, cell) in cells(3, 20).enumerate() {
        let temperature = if number < 12 { 700.0 } else { AMBIENT };
        spawn(&mut world, COAL, Vec2::new(cell.y, cell.x) * SPACING, temperature);
    }
    run_for(&mut world, 20.0);
    assert_eq!(count(&world, COAL) + count(&world, ASH), 60);
    count(&world, ASH)
}

#[test]
fn a_heap_whose_ashes_glow_burns_on() {
    let (glowing, cold) = (burnt_from_one_end(800.0), burnt_from_one_end(0.0));
    assert!(glowing > 50 && cold < 20, "{glowing} with, {cold} without");
}

#[test]
fn no_more_wet_peat_burns_than_water_boils_away() {
    let (dry, _) = under_a_torch(PEAT, None);
    let (wet, _) = under_a_torch(PEAT, Some(QUENCH_WATER));
    let burnt = (80 - count(&dry, PEAT), 80 - count(&wet, PEAT));
    let boiled = 80 - count(&wet, QUENCH_WATER);
    assert!(burnt.1 <= boiled && 2 * burnt.1 < burnt.0, "{burnt:?} dry and wet, {boiled} boiled");
}

/// A hot particle beside another one, after a tick without heat from the air or to it.
fn pair(hot: ClassId, other: ClassId, temperature: f32) -> FluidWorld {
    let (mut world, _) = trough(0.0, 0.0);
    spawn(&mut world, hot, Vec2::new(80.0, 80.0), 260.0);
    spawn(&mut world, other, Vec2::new(80.0 + SPACING, 80.0), temperature);
    step(&mut world);
    world
}

#[test]
fn water_takes_the_heat_of_what_would_burn() {
    // So cold that it does not boil at once.
    let world = pair(COAL, QUENCH_WATER, -100.0);
    let [coal, water] = world.particles().temperatures() else { panic!("one of them is gone") };
    let expected = (260.0 - 0.9 * 100.0) / 1.9;
    assert!((coal - expected).abs() < 1e-3 && (water - expected).abs() < 1e-3, "{coal} {water}");
}

#[test]
fn what_does_not_wet_does_not_cool() {
    // Lava is hot enough, oil burns itself, and ash is dry.
    for (other, temperature) in [(LAVA, 1000.0), (OIL, AMBIENT), (ASH, AMBIENT)] {
        assert_eq!(count(&pair(COAL, other, temperature), COAL), 0, "{other:?}");
    }
    // Oil lies on water, and burns.
    assert_eq!(count(&pair(OIL, QUENCH_WATER, AMBIENT), OIL), 0);
}

#[test]
fn what_fuel_leaves_must_exist() {
    let coal = DensityClass { thermal: burning(Some("ash"), 0.0), ..DensityClass::default() };
    let error = ClassTable::new(vec![coal]).expect_err("there is no ash").to_string();
    assert!(error.contains("ash"), "{error}");
}
