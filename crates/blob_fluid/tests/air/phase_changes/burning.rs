//! Liquid that burns, and bundled materials that boil, burn and smoke.

use std::path::Path;

use blob_fluid::air::{AirChannel, AirFire, AirId, AirSettings, AirSource};
use blob_fluid::material::{read_materials, table_with};
use blob_fluid::{Container, FluidIntoAir, FluidRegion, FluidThermal, FluidWorld, SerialExecutor};
use glam::Vec2;

use super::{AMBIENT, AREA, all_water, amount, everywhere, insert, pour, settings, world};
use crate::ticks::{TICK, run_for};

/// Oil in a trough.
fn oil(lit: bool) -> (FluidWorld, AirId) {
    let into_air = FluidIntoAir { above: 250.0, fuel: 20.0, ..FluidIntoAir::default() };
    let thermal = FluidThermal {
        conductivity: 0.2,
        air_conductivity: 5.0,
        into_air: Some(into_air),
        ..FluidThermal::default()
    };
    let mut world = world(200.0, thermal);
    let trough = Container::rectangle(Vec2::new(80.0, 120.0), Vec2::new(80.0, 120.0));
    world.insert_container(trough.expect("valid"));
    let fire = AirFire { soot: 0.5, ..AirFire::default() };
    let air_settings = AirSettings { fire, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    pour(&mut world, Vec2::ZERO, 20, 4, AMBIENT);
    if lit {
        let torch = FluidRegion::circle(Vec2::new(80.0, 40.0), 24.0).expect("valid");
        let torch = AirSource { heat: 6.0, ..AirSource::new(torch) };
        world.air_mut(air).expect("there").set_sources(vec![torch]).expect("valid");
    }
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
        world.step(TICK, &SerialExecutor).expect("valid");
        if tick == 120 {
            assert!(world.particles().len() > all / 2, "the torch alone burns it");
            world.air_mut(air).expect("there").set_sources(Vec::new()).expect("valid");
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
    let mut world =
        world(0.0, FluidThermal { into_air: Some(into_air), ..FluidThermal::default() });
    let fire = AirFire { heat: 3.0, ..AirFire::default() };
    let air_settings = AirSettings { fire, ..settings(&world) };
    let air = insert(&mut world, 160.0, 160.0, air_settings);
    pour(&mut world, Vec2::splat(40.0), 5, 4, AMBIENT);
    let pilot = AirSource { heat: 0.5, burst: true, ..AirSource::new(everywhere()) };
    world.air_mut(air).expect("there").set_sources(vec![pilot]).expect("valid");
    run_for(&mut world, 2.0);
    let burnt = 20.0 * AREA - amount(&world, air, AirChannel::Fuel);
    assert!(burnt > 19.0 * AREA, "{burnt}");
    let expected = 0.5 * 160.0 * 160.0 + 3.0 * burnt;
    let found = amount(&world, air, AirChannel::Heat);
    assert!((found / expected - 1.0).abs() < 1e-4, "{found}, not {expected}");
}

/// A world of bundled materials, and closed air with a torch over the floor.
fn of_materials(names: &[&str], torch: f32) -> (FluidWorld, AirId) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/materials");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let materials = read_materials(&folder, &names).expect("valid");
    let table = table_with(Vec::new(), Vec::new(), &materials).expect("valid");
    let mut world = world(200.0, FluidThermal::default());
    world.set_classes(table).expect("no particles yet");
    let tank = Container::rectangle(Vec2::new(80.0, 120.0), Vec2::new(80.0, 120.0));
    world.insert_container(tank.expect("valid"));
    let air_settings = AirSettings { cooling: 0.2, ..settings(&world) };
    let air = insert(&mut world, 160.0, 240.0, air_settings);
    let place = FluidRegion::circle(Vec2::new(80.0, 40.0), 24.0).expect("valid");
    let source = AirSource { heat: torch, ..AirSource::new(place) };
    world.air_mut(air).expect("there").set_sources(vec![source]).expect("valid");
    (world, air)
}

#[test]
fn bundled_materials_boil_burn_and_smoke() {
    let (mut oil, air) = of_materials(&["oil"], 10.0);
    pour(&mut oil, Vec2::ZERO, 20, 4, AMBIENT);
    run_for(&mut oil, 3.0);
    oil.air_mut(air).expect("there").set_sources(Vec::new()).expect("valid");
    assert!(oil.particles().len() > 40, "{}", oil.particles().len());
    run_for(&mut oil, 20.0);
    assert!(oil.particles().len() < 20 && amount(&oil, air, AirChannel::Smoke) > 0.0);

    let (mut water, air) = of_materials(&["water"], 30.0);
    pour(&mut water, Vec2::ZERO, 20, 4, 90.0);
    let (mut evaporated, mut condensed) = (0, 0);
    for tick in 0..60 * 60 {
        if tick == 60 * 5 {
            water.air_mut(air).expect("there").set_sources(Vec::new()).expect("valid");
        }
        water.step(TICK, &SerialExecutor).expect("valid");
        let report = water.air_report(air).expect("there");
        (evaporated, condensed) = (evaporated + report.evaporated, condensed + report.condensed);
    }
    assert!(evaporated > 10 && condensed > 10, "{evaporated} {condensed}");
    assert!((all_water(&water, air) - 80.0).abs() < 0.01, "{}", all_water(&water, air));

    let (mut smoke, air) = of_materials(&["smoke"], 0.0);
    pour(&mut smoke, Vec2::splat(60.0), 4, 4, AMBIENT);
    smoke.step(TICK, &SerialExecutor).expect("valid");
    assert!(smoke.particles().is_empty());
    assert!((amount(&smoke, air, AirChannel::Smoke) / (16.0 * AREA) - 1.0).abs() < 1e-4);
    assert!(amount(&smoke, air, AirChannel::Red) < 0.3 * 16.0 * AREA, "it is grey");
}
