//! Liquid on a device that has heat sleeps, and heat wakes it.

use blob_fluid::{
    ClassId, ClassTable, DensityClass, FluidParameters, FluidSleeping, FluidThermal,
    FluidTransition, FluidWorld, SerialExecutor,
};
use blob_fluid_gpu::{GpuLiquid, GpuReport, Shaders};

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, block, tank, world_that_sleeps};

/// A pool of classes with this heat, of which the first fills it, that may sleep.
fn pool(thermals: &[FluidThermal]) -> FluidWorld {
    let mut world = world_that_sleeps();
    let class = |(number, thermal): (usize, &FluidThermal)| DensityClass {
        name: format!("class {number}"),
        thermal: thermal.clone(),
        ..DensityClass::default()
    };
    let classes = thermals.iter().enumerate().map(class).collect();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("none in use");
    tank(&mut world, 100.0, 30.0);
    block(&mut world, glam::Vec2::ZERO, (100, 8), ClassId(0));
    world
}

/// Makes a tick, and waits for its report.
fn step<'a>(liquid: &'a mut GpuLiquid, settings: &mut FluidWorld) -> (u32, &'a GpuReport) {
    let substeps = liquid.step(settings.liquid_mut(), TICK).expect("valid");
    (substeps, liquid.wait_for_report().expect("works").expect("there"))
}

/// Heat that is at rest is no reason to stay awake.
#[test]
fn warm_liquid_sleeps_and_then_nothing_is_submitted() {
    let Some(both) = device() else { return };
    let conducts = FluidThermal {
        temperature: Some(300.0),
        conductivity: 2.0,
        expansion: 1e-3,
        ..FluidThermal::default()
    };
    let mut world = pool(&[conducts]);
    let mut liquid = on(&both, &world);
    world.clear();
    let asleep = (0..1500).find(|_| step(&mut liquid, &mut world).1.awake == 0);
    println!("asleep after {asleep:?} ticks");
    assert!(asleep.is_some());
    for _ in 0..3 {
        step(&mut liquid, &mut world);
    }
    assert_eq!(step(&mut liquid, &mut world).0, 0);
    let particles = liquid.read_particles().expect("read");
    assert!(particles.iter().all(|particle| particle.temperature == Some(300.0)));
}

/// Which part of a cooling pool is awake on a device, and in the core, from one tick to another.
fn part_awake(shaders: &Shaders, expansion: f32) -> Option<[f32; 2]> {
    let both = device()?;
    let cools = FluidThermal {
        temperature: Some(400.0),
        cooling: 0.05,
        expansion,
        ..FluidThermal::default()
    };
    let mut core = pool(&[cools]);
    let mut settings = core.clone();
    settings.clear();
    let mut liquid = on_with(&both, &core, shaders);
    let count = core.particles().len() as f32;
    let mut sums = [0.0; 2];
    for tick in 0..1200 {
        core.step(TICK, &SerialExecutor).expect("valid");
        let awake = step(&mut liquid, &mut settings).1.awake as f32;
        if tick >= 800 {
            sums[0] += awake / count;
            sums[1] += 1.0 - core.asleep() as f32 / count;
        }
    }
    Some(sums.map(|sum| sum / 400.0))
}

/// Expansion with which the pool's weight changes by several times what wakes it while it is watched.
const EXPANSION: f32 = 1e-3;

#[test]
#[ignore = "long: .ci/run"]
fn liquid_whose_weight_changes_wakes_as_the_cores() {
    let Some([ours, core]) = part_awake(&shaders(), EXPANSION) else { return };
    println!("awake: {ours}, in the core {core}");
    assert!(core > 0.3 && ours > 0.3, "{ours} and {core}");
    // Without expansion it sleeps, though it cools.
    let Some([ours, core]) = part_awake(&shaders(), 0.0) else { return };
    println!("without expansion: {ours}, in the core {core}");
    assert!(core < 0.1 && ours < 0.1, "{ours} and {core}");
}

/// The ticks in which a cooling pool first sleeps, in which it has frozen, and how many are awake in the three ticks after.
fn frozen_in_sleep(shaders: &Shaders) -> Option<(u64, u64, u32, u32)> {
    let both = device()?;
    let freezes = FluidTransition { temperature: 200.0, becomes: "class 1".into() };
    let cools = FluidThermal {
        temperature: Some(300.0),
        cooling: 0.006,
        below: Some(freezes),
        ..FluidThermal::default()
    };
    let mut world = pool(&[cools, FluidThermal::default()]);
    let mut liquid = on_with(&both, &world, shaders);
    world.clear();
    let (mut asleep, mut heated) = (0, u32::MAX);
    for _ in 0..3000 {
        let (substeps, report) = step(&mut liquid, &mut world);
        if asleep == 0 && report.awake == 0 {
            asleep = report.tick;
        }
        if asleep > 0 && report.classes[1] == 0 {
            heated = heated.min(report.heated);
            if substeps == 0 {
                break;
            }
        }
        if report.classes[1] > 0 {
            let frozen = report.tick;
            let awake = (0..3).map(|_| step(&mut liquid, &mut world).1.awake).max();
            return Some((asleep, frozen, awake.unwrap_or(0), heated));
        }
    }
    Some((asleep, 0, 0, heated))
}

#[test]
fn what_freezes_in_its_sleep_wakes() {
    let Some((asleep, frozen, awake, heated)) = frozen_in_sleep(&shaders()) else { return };
    println!("asleep in tick {asleep}, frozen in {frozen}; then {awake} are awake");
    assert!(asleep > 0 && frozen > asleep + 10, "{asleep} and {frozen}");
    assert_eq!((awake, heated), (800, 800));
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_what_heat_wakes_is_found() {
    let faults = [
        ("exchange_heat", "bitcast<u32>(own.x - before.x)", "0u"),
        ("react", "tiles[tile_of(sorted[i].position)].disturbed, 1u", "tiles[0].disturbed, 0u"),
        ("react", "atomicStore(&tiles[tile].heated, 1u);", ""),
        ("summarise", "atomicAdd(&heated, 1u);", ""),
    ];
    assert_found(&faults, |shaders| {
        let (_, frozen, awake, heated) = frozen_in_sleep(shaders)?;
        let found = frozen == 0 || (awake, heated) != (800, 800);
        Some((found, format!("frozen in {frozen}, {awake} awake, {heated} heated")))
    });
    let faults = [
        ("react", "thermal.expansion * change", "0.0 * change"),
        ("choose_tiles", "> params.weight_drift", "> 1e9"),
        ("choose_tiles", "tiles[index].drifted + weights", "weights"),
    ];
    assert_found(&faults, |shaders| {
        let [ours, core] = part_awake(shaders, EXPANSION)?;
        Some((ours < 0.3, format!("{ours} awake, {core} of the core")))
    });
}

/// Temperatures stay when liquid that has them may sleep from now on, and when there is room for more.
#[test]
#[ignore = "long: .ci/run"]
fn temperatures_stay_when_places_of_rest_join_them() {
    let Some(both) = device() else { return };
    let boils = FluidTransition { temperature: 1e6, becomes: "class 0".into() };
    let mut world = pool(&[FluidThermal { above: Some(boils), ..FluidThermal::default() }]);
    let awake = FluidParameters { sleeping: FluidSleeping::OFF, ..*world.parameters() };
    let may_sleep = *world.parameters();
    world.set_parameters(awake).expect("valid");
    for (temperature, number) in world.particles_mut().temperatures_mut().iter_mut().zip(0..) {
        *temperature = number as f32;
    }
    let mut liquid = on(&both, &world);
    let temperatures = |liquid: &GpuLiquid| -> Vec<_> {
        let particles = liquid.read_particles().expect("read");
        particles.iter().map(|particle| particle.temperature.expect("has heat")).collect()
    };
    let before = temperatures(&liquid);
    world.clear();
    for tick in 0..6 {
        match tick {
            2 => world.set_parameters(may_sleep).expect("valid"),
            4 => liquid.reserve(5000).expect("room"),
            _ => {}
        }
        step(&mut liquid, &mut world);
        assert_eq!(temperatures(&liquid), before, "tick {tick}");
    }
}
