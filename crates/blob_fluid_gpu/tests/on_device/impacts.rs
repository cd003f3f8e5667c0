//! Impacts are those that the core's detector finds.

use blob_fluid::{ClassId, FluidParameters, FluidWorld, SplashDetection, SplashDetector, Substeps};
use blob_fluid_gpu::{GpuParticle, Shaders};
use glam::Vec2;

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, block, core_of, tank, world};

/// What is a splash: all energy of a tick, in small squares. Gravity alone changes speeds by 0.08 units.
const DETECTION: SplashDetection = SplashDetection {
    min_speed: 0.05,
    min_energy: 0.0,
    tile: 4.0,
    gathering: 0.0,
    refractory: 0.0,
};

/// A heavy and a light block that fall into a tank, one of them left of the origin.
fn falling() -> FluidWorld {
    let parameters = FluidParameters { substeps: Substeps::Fixed(2), ..FluidParameters::default() };
    let mut world = world(parameters);
    let spacing = parameters.particle_spacing;
    tank(&mut world, 40.0, 60.0);
    block(&mut world, Vec2::new(2.0, 8.0) * spacing, (14, 8), ClassId::HEAVY);
    block(&mut world, Vec2::new(22.0, 14.0) * spacing, (12, 8), ClassId::LIGHT);
    world
}

/// How many splashes the core finds in 60 ticks, with two least speeds, and what is different on a device.
fn differences(shaders: &Shaders) -> Option<(usize, Vec<String>)> {
    let (mut count, mut wrong) = (0, Vec::new());
    for min_speed in [0.05, 0.3] {
        let of_one = differences_with(shaders, SplashDetection { min_speed, ..DETECTION })?;
        count += of_one.0;
        wrong.extend(of_one.1);
    }
    Some((count, wrong))
}

fn differences_with(shaders: &Shaders, detection: SplashDetection) -> Option<(usize, Vec<String>)> {
    let both = device()?;
    let mut world = falling();
    let parameters = *world.parameters();
    let mut liquid = on_with(&both, &world, shaders);
    liquid.watch_impacts(Some(detection));
    let mut cores = SplashDetector::new(detection).expect("valid");
    let mut ours = SplashDetector::new(detection).expect("valid");
    let (mut count, mut wrong) = (0, Vec::new());
    let unit = parameters.speed_unit() * parameters.speed_unit();
    for tick in 0..60 {
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
        let found = liquid.take_impacts().expect("works");
        let [impacts] = &found[..] else { return Some((count, vec!["no impacts".into()])) };
        let ours = ours.update_with(&parameters, impacts.iter().copied(), TICK);
        let core = core_of(&liquid.read_particles().expect("read"), parameters);
        let cores = cores.update(core.liquid(), TICK);
        count += cores.len();
        if ours.len() != cores.len() {
            wrong.push(format!("tick {tick}: {} splashes, not {}", ours.len(), cores.len()));
            continue;
        }
        for (ours, core) in ours.iter().zip(cores) {
            // Steps of energy, and offsets in parts of a square.
            let near = ours.position.distance(core.position) < 0.1
                && (ours.energy - core.energy).abs() < 1e-4 * core.energy + 1e-3 * unit;
            if !near || ours.class != core.class {
                wrong.push(format!("tick {tick}: {ours:?}, not {core:?}"));
            }
        }
    }
    Some((count, wrong))
}

#[test]
fn impacts_are_those_of_the_core() {
    let Some((count, wrong)) = differences(&shaders()) else { return };
    println!("{count} splashes");
    assert!(count > 100 && wrong.is_empty(), "{count}: {wrong:#?}");
}

#[test]
fn squares_that_want_the_same_place_find_others() {
    let shaders = shaders().with_change("impacts", "(key * 2654435761u) >> 22u", "1020u");
    let shaders = shaders.expect("there");
    let Some((_, wrong)) = differences(&shaders) else { return };
    assert!(wrong.is_empty(), "{wrong:#?}");
    let careless = shaders.with_change("impacts", "known == key { return", "true { return");
    let Some((_, wrong)) = differences(&careless.expect("there")) else { return };
    assert!(!wrong.is_empty());
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_the_impacts_is_found() {
    let faults = [
        ("impacts", "own.gravity_impulse * watched[0].w", "own.gravity_impulse"),
        ("impacts", "squared > dot(fallen, fallen)", "true"),
        ("impacts", "squared > watched[0].x", "true"),
        ("impacts", "0.5 * own.mass", "0.5"),
        ("impacts", "& 0xffffff00u) | (particle.kind & CLASS)", "& 0xffffff00u)"),
        ("impacts", "atomicMax", "atomicAdd"),
        ("impacts", "offset.y * PARTS", "offset.x * PARTS"),
        ("impacts", "square - corner", "square"),
        ("impacts", "before[particle.id] = kept(particle.velocity);", ""),
        ("impacts", "all(earlier == vec2u(0u))", "false"),
    ];
    assert_found(&faults, |shaders| {
        let (_, wrong) = differences(shaders)?;
        Some((!wrong.is_empty(), format!("{} differences", wrong.len())))
    });
}

#[test]
fn what_was_not_there_before_has_no_impact_and_nobody_who_watches_costs_no_memory() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters { gravity: Vec2::ZERO, ..FluidParameters::default() });
    let mut liquid = on(&both, &world);
    let bytes = liquid.device_bytes();
    liquid.watch_impacts(Some(DETECTION));
    let fast = |x: f32| GpuParticle {
        position: Vec2::new(x, 0.0),
        velocity: Vec2::new(0.0, 900.0),
        ..GpuParticle::default()
    };
    let mut found = 0;
    for tick in 0..20 {
        // Far from each other; more ids take more room.
        let some: Vec<_> =
            (0..40).map(|number| fast(1000.0 * (40 * tick + number) as f32)).collect();
        liquid.append(&some).expect("added");
        if tick == 19 {
            let change = blob_fluid::Force { acceleration: Vec2::X * 300.0, ..Default::default() };
            liquid.apply_impulse(&change).expect("valid");
        }
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
        let impacts = liquid.take_impacts().expect("works").concat();
        found = impacts.len();
        // All but those that are new were turned aside.
        assert_eq!(found, if tick == 19 { 40 * 19 } else { 0 }, "in tick {tick}");
        assert!(impacts.iter().all(|impact| impact.hardest.1 == ClassId::MEDIUM));
    }
    assert!(found > 0 && liquid.device_bytes() > bytes);
    liquid.watch_impacts(None);
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    liquid.wait_for_report().expect("works");
    assert_eq!(liquid.take_impacts().expect("works"), Vec::<Vec<_>>::new());
}

/// Ids go on for longer than there is room for what impacts keep of each.
#[test]
fn liquid_moves_on_where_ids_are_too_many_for_impacts() {
    let Some(both) = device() else { return };
    let mut world = world(FluidParameters::default());
    let mut liquid = on(&both, &world);
    let bytes = liquid.device_bytes();
    liquid.watch_impacts(Some(DETECTION));
    liquid.append(&[GpuParticle::default()]).expect("added");
    liquid.step(world.liquid_mut(), TICK).expect("valid");
    assert!(liquid.device_bytes() > bytes);
    // Those of the first tick.
    liquid.wait_for_report().expect("works");
    assert_eq!(liquid.take_impacts().expect("works").len(), 1);
    let id = (both.0.limits().max_storage_buffer_binding_size / 8) as u32;
    let far = GpuParticle { id, position: Vec2::new(1000.0, 0.0), ..GpuParticle::default() };
    liquid.insert(&[far]).expect("added");
    for tick in 2..5 {
        // As hosts do that ask in every frame.
        liquid.watch_impacts(Some(DETECTION));
        assert!(liquid.step(world.liquid_mut(), TICK).expect("goes on") > 0);
        assert_eq!(liquid.wait_for_report().expect("works").expect("there").tick, tick);
        assert_eq!(liquid.take_impacts().expect("works"), Vec::<Vec<_>>::new());
    }
}
