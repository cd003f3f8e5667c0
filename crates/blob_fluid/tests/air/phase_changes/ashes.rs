//! What is left of solid fuel, and what water does to it.

use blob_fluid::air::{AirChannel, AirFire, AirId, AirSettings, AirSource};
use blob_fluid::{
    ClassId, ClassTable, Container, DensityClass, FluidIntoAir, FluidPowder, FluidRegion,
    FluidThermal, FluidTransition, FluidWorld, ParticleSpawn, SerialExecutor,
};
use glam::Vec2;

use super::{AMBIENT, AREA, SPACING, amount, insert, settings, world_of};
use crate::ticks::{TICK, run_for};

const COAL: ClassId = ClassId(0);
const ASH: ClassId = ClassId(1);
const WATER: ClassId = ClassId(2);
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
    let container = Container::rectangle(Vec2::new(80.0, 120.0), Vec2::new(80.0, 120.0));
    world.insert_container(container.expect("valid"));
    let fire = AirFire { soot: 0.5, ..AirFire::default() };
    let air_settings = AirSettings { fire, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    let place = FluidRegion::circle(Vec2::new(80.0, 40.0), 24.0).expect("valid");
    let torch = AirSource { heat: torch, ..AirSource::new(place) };
    world.air_mut(air).expect("there").set_sources(vec![torch]).expect("valid");
    (world, air)
}

fn spawn(world: &mut FluidWorld, class: ClassId, position: Vec2, temperature: f32) {
    let temperature = Some(temperature);
    let spawn = ParticleSpawn { position, class, temperature, ..Default::default() };
    world.spawn(spawn).expect("valid");
}

fn count(world: &FluidWorld, class: ClassId) -> usize {
    world.particles().classes().iter().filter(|of| **of == class).count()
}

/// Eighty grains of fuel, perhaps among as many of something else, after 8 s under a torch.
fn under_a_torch(fuel: ClassId, beside: Option<ClassId>) -> (FluidWorld, AirId) {
    let (mut world, air) = trough(10.0, 5.0);
    let rows = if beside.is_some() { 8 } else { 4 };
    for number in 0..20 * rows {
        let cell = Vec2::new((number % 20) as f32, (number / 20) as f32);
        let class = beside.filter(|_| (number % 20 + number / 20) % 2 == 1).unwrap_or(fuel);
        spawn(&mut world, class, (cell + 0.5) * SPACING, AMBIENT);
    }
    run_for(&mut world, 8.0);
    (world, air)
}

#[test]
fn coal_burns_to_ash() {
    let (world, air) = under_a_torch(COAL, None);
    let (coal, ash) = (count(&world, COAL), count(&world, ASH));
    assert_eq!(coal + ash, 80, "a grain of coal leaves a grain of ash");
    // What has burnt covers the rest.
    assert!(ash > 15, "{ash}");
    // It gives off as much as if nothing were left of it; soot is half of what has burnt.
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
    for number in 0..60 {
        let cell = Vec2::new((number / 3) as f32, (number % 3) as f32);
        let temperature = if number < 12 { 700.0 } else { AMBIENT };
        spawn(&mut world, COAL, (cell + 0.5) * SPACING, temperature);
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
    let (wet, _) = under_a_torch(PEAT, Some(WATER));
    let burnt = (80 - count(&dry, PEAT), 80 - count(&wet, PEAT));
    let boiled = 80 - count(&wet, WATER);
    assert!(burnt.1 <= boiled && 2 * burnt.1 < burnt.0, "{burnt:?} dry and wet, {boiled} boiled");
}

/// A hot particle beside another one, after a tick without heat from the air or to it.
fn pair(hot: ClassId, other: ClassId, temperature: f32) -> FluidWorld {
    let (mut world, _) = trough(0.0, 0.0);
    spawn(&mut world, hot, Vec2::new(80.0, 80.0), 260.0);
    spawn(&mut world, other, Vec2::new(80.0 + SPACING, 80.0), temperature);
    world.step(TICK, &SerialExecutor).expect("valid");
    world
}

#[test]
fn water_takes_the_heat_of_what_would_burn() {
    // So cold that it does not boil at once.
    let world = pair(COAL, WATER, -100.0);
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
    assert_eq!(count(&pair(OIL, WATER, AMBIENT), OIL), 0);
}

#[test]
fn what_fuel_leaves_must_exist() {
    let coal = DensityClass { thermal: burning(Some("ash"), 0.0), ..DensityClass::default() };
    let error = ClassTable::new(vec![coal]).expect_err("there is no ash").to_string();
    assert!(error.contains("ash"), "{error}");
}
