//! Liquid on a device sleeps and wakes.

use std::collections::HashMap;

use blob_fluid::measure::layer_order;
use blob_fluid::{
    ClassFilter, ClassId, ClassTable, Collider, DensityClass, FluidParameters, FluidRegion,
    FluidSleeping, FluidWorld, Force, Motion, ParticleSpawn, SerialExecutor,
};
use blob_fluid_gpu::{GpuDrain, GpuLiquid, GpuParticle, GpuSensor, Shaders, saved_particles};
use glam::Vec2;
use wgpu::{Device, Queue};

use crate::adapter::{device, on, on_with, shaders};
use crate::liquids::{TICK, assert_found, block, tank, world, world_that_sleeps};

/// A tank 200 spacings wide with eight rows of liquid, which may sleep, and the same on a device.
fn pool(both: &(Device, Queue), shaders: &Shaders) -> (FluidWorld, GpuLiquid) {
    let mut world = world_that_sleeps();
    tank(&mut world, 200.0, 30.0);
    block(&mut world, Vec2::ZERO, (200, 8), ClassId::MEDIUM);
    let liquid = on_with(both, &world, shaders);
    (world, liquid)
}

/// Ticks until all of it sleeps; at most `most`.
fn ticks_to_sleep(liquid: &mut GpuLiquid, settings: &mut FluidWorld, most: u32) -> u32 {
    (0..most)
        .find(|_| {
            liquid.step(settings.liquid_mut(), TICK).expect("valid");
            awake(liquid) == 0
        })
        .unwrap_or(most)
}

/// Particles that were awake in the last tick.
fn awake(liquid: &mut GpuLiquid) -> u32 {
    liquid.wait_for_report().expect("works").expect("there").awake
}

fn by_id(liquid: &GpuLiquid) -> HashMap<u32, GpuParticle> {
    let particles = liquid.read_particles().expect("read");
    particles.into_iter().map(|particle| (particle.id, particle)).collect()
}

/// A pool that sleeps, with the settings of its core liquid, which has no particles.
fn sleeping_pool(both: &(Device, Queue), shaders: &Shaders) -> (FluidWorld, GpuLiquid) {
    let (mut world, mut liquid) = pool(both, shaders);
    world.clear();
    let ticks = ticks_to_sleep(&mut liquid, &mut world, 1500);
    assert!(ticks < 1500, "it never sleeps: {} are awake", awake(&mut liquid));
    (world, liquid)
}

#[test]
fn a_pool_falls_asleep_as_the_cores_and_then_nothing_is_submitted() {
    let Some(both) = device() else { return };
    let (mut world, mut liquid) = pool(&both, &shaders());
    let mut settings = world.clone();
    settings.clear();
    let ours = ticks_to_sleep(&mut liquid, &mut settings, 1500);
    let core = (0..1500).find(|_| {
        world.step(TICK, &SerialExecutor).expect("valid");
        world.asleep() == world.particles().len()
    });
    println!("all sleep after {ours} ticks, the core's after {core:?}");
    assert!(ours < 1500 && core.is_some());
    let before = by_id(&liquid);
    assert!(before.values().all(|particle| particle.velocity == Vec2::ZERO));
    let reported = liquid.report().expect("works").expect("there").tick;
    for _ in 0..60 {
        assert_eq!(liquid.step(settings.liquid_mut(), TICK).expect("valid"), 0);
    }
    assert_eq!(by_id(&liquid), before);
    assert_eq!(liquid.wait_for_report().expect("works").expect("there").tick, reported);
    // As deep as the core's.
    let mean = |heights: &mut dyn Iterator<Item = f32>| heights.sum::<f32>() / before.len() as f32;
    let ours = mean(&mut before.values().map(|particle| particle.position.y));
    let core = mean(&mut world.particles().positions().iter().map(|position| position.y));
    let spacing = world.parameters().particle_spacing;
    assert!((ours - core).abs() < 0.05 * spacing, "{ours} and {core}");
}

/// Nine particles above the left end of the pool, which fall.
fn drop_above(world: &FluidWorld) -> Vec<GpuParticle> {
    let spacing = world.parameters().particle_spacing;
    let particle = |number: u32| GpuParticle {
        position: Vec2::new(10.0 + (number % 3) as f32, 16.0 + (number / 3) as f32) * spacing,
        velocity: Vec2::new(0.0, -200.0),
        ..GpuParticle::default()
    };
    (0..9).map(particle).collect()
}

/// Ticks in which the drop falls and spreads.
const TICKS: u32 = 60;

/// The most particles of the core's pool that are awake after the drop.
fn most_awake_of_the_core(both: &(Device, Queue)) -> u32 {
    let (mut core, _) = pool(both, &shaders());
    for _ in 0..800 {
        core.step(TICK, &SerialExecutor).expect("valid");
    }
    assert_eq!(core.asleep(), core.particles().len());
    for GpuParticle { position, velocity, .. } in drop_above(&core) {
        core.spawn(ParticleSpawn { position, velocity, ..Default::default() }).expect("valid");
    }
    let awake = (0..TICKS).map(|_| {
        core.step(TICK, &SerialExecutor).expect("valid");
        (core.particles().len() - core.asleep()) as u32
    });
    awake.max().unwrap_or(0)
}

/// What is wrong with what the drop wakes, where it wakes so many of the core's.
fn wrong_after_a_drop(both: &(Device, Queue), shaders: &Shaders, cores: u32) -> Vec<String> {
    let (mut world, mut liquid) = pool(both, shaders);
    world.clear();
    if ticks_to_sleep(&mut liquid, &mut world, 700) == 700 {
        return vec![format!("{} are awake", awake(&mut liquid))];
    }
    let spacing = world.parameters().particle_spacing;
    let before = by_id(&liquid);
    liquid.append(&drop_above(&world)).expect("room");
    let mut wrong = Vec::new();
    let mut most = 0;
    for tick in 0..TICKS {
        if liquid.step(world.liquid_mut(), TICK).expect("valid") == 0 {
            return vec![format!("all sleep in tick {tick}")];
        }
        most = most.max(awake(&mut liquid));
    }
    // The core's particles that only jitter may sleep, those of a tile may not.
    if most < cores || 4 * most > 5 * cores {
        wrong.push(format!("{most} were awake, {cores} of the core"));
    }
    let after = by_id(&liquid);
    let moved = |before: &&GpuParticle| after[&before.id].position != before.position;
    let (far, near): (Vec<&GpuParticle>, Vec<_>) =
        before.values().partition(|before| before.position.x > 150.0 * spacing);
    if far.iter().any(|before| after[&before.id] != **before) {
        wrong.push("what is far away has moved".into());
    }
    let moved = near.into_iter().filter(moved).count();
    if moved < 200 {
        wrong.push(format!("{moved} have moved"));
    }
    if wrong.is_empty() && ticks_to_sleep(&mut liquid, &mut world, 900) == 900 {
        wrong.push(format!("then {} are awake", awake(&mut liquid)));
    }
    let heights = by_id(&liquid).into_values().map(|particle| particle.position.y);
    if wrong.is_empty() && heights.fold(0.0, f32::max) > 10.0 * spacing {
        wrong.push("the drop does not lie in the pool".into());
    }
    wrong
}

#[test]
fn a_drop_wakes_what_it_meets_and_nothing_far_away() {
    let Some(both) = device() else { return };
    let cores = most_awake_of_the_core(&both);
    assert_eq!(wrong_after_a_drop(&both, &shaders(), cores), Vec::<String>::new());
}

#[test]
#[ignore = "long: .ci/run"]
fn a_fault_in_sleeping_is_found() {
    let faults = [
        ("unrest", "tiles[here].fast, 1u", "tiles[here].fast, 0u"),
        ("unrest", "extras[rest] = p;", ""),
        ("choose_tiles", "fast * UNSETTLED_SHARE >= all", "true"),
        ("choose_tiles", "unrest * fading", "unrest"),
        ("mark_tiles", "mark = 4 - away", "mark = 4"),
        ("mark_tiles", "mark = 4 - away", "mark = 2"),
        ("mark_tiles", "is_unsettled == 0u &&", "is_unsettled >= 0u &&"),
        ("doze", "< AWAKE_FROM", "< 1u"),
        ("predict", "particle.displacement = home;", ""),
        ("displacements", "SLEEP && (particle.kind & ASLEEP) != 0u", "false"),
        ("displacements", "particle.position = particle.displacement;", ""),
    ];
    let Some(both) = device() else { return };
    let cores = most_awake_of_the_core(&both);
    assert_found(&faults, |shaders| {
        let wrong = wrong_after_a_drop(&both, shaders, cores);
        Some((!wrong.is_empty(), format!("{wrong:?}")))
    });
}

/// What wakes a sleeping pool, in the tick after the next at the latest; and how much of it, in parts of all.
#[test]
#[ignore = "long: .ci/run"]
fn what_changes_wakes_it() {
    let Some(both) = device() else { return };
    let spacing = FluidParameters::default().particle_spacing;
    let at = move |x: f32, y: f32| Vec2::new(x, y) * spacing;
    let region = move || FluidRegion::circle(at(10.0, 4.0), 3.0 * spacing).expect("valid");
    type Change = Box<dyn Fn(&mut FluidWorld, &mut GpuLiquid)>;
    let force = move || Force::uniform(region(), Vec2::new(0.0, 400.0));
    let changes: [(&str, Change, bool); 8] = [
        (
            "gravity",
            Box::new(|world, _| {
                let gravity = Vec2::new(300.0, -300.0);
                world
                    .set_parameters(FluidParameters { gravity, ..*world.parameters() })
                    .expect("valid");
            }),
            true,
        ),
        ("a force", Box::new(move |world, _| world.set_forces(&[force()]).expect("valid")), false),
        (
            "an impulse",
            Box::new(move |_, liquid| liquid.apply_impulse(&force()).expect("valid")),
            false,
        ),
        (
            "a drain",
            Box::new(move |_, liquid| {
                let (region, classes) = (region(), ClassFilter::ALL);
                liquid.drain(GpuDrain { region, classes, most: 9, channel: 0 }).expect("valid");
            }),
            false,
        ),
        ("recycling", Box::new(|_, liquid| liquid.recycle_oldest(9)), false),
        (
            "a collider that appears",
            Box::new(move |world, _| {
                world.insert_collider(
                    Collider::circle(at(10.0, 4.0), 2.0 * spacing).expect("valid"),
                );
            }),
            false,
        ),
        (
            "a collider that moves",
            Box::new(move |world, _| {
                let motion = Motion { velocity: Vec2::new(0.0, -600.0), angular_velocity: 0.0 };
                let plunger = Collider::circle(at(10.0, 12.0), 2.0 * spacing);
                let plunger = plunger.and_then(|collider| collider.with_motion(motion));
                world.insert_collider(plunger.expect("valid"));
            }),
            false,
        ),
        (
            "kill bounds",
            Box::new(move |world, _| {
                let kept = blob_fluid::FluidBounds { low: at(5.0, -9.0), high: at(999.0, 99.0) };
                world.set_kill_bounds(Some(kept)).expect("valid");
            }),
            true,
        ),
    ];
    let (world, mut liquid) = sleeping_pool(&both, &shaders());
    let particles = liquid.read_particles().expect("read");
    for (name, change, all) in changes {
        let mut world = world.clone();
        liquid = on(&both, &world);
        liquid.insert(&particles).expect("room");
        let ticks = ticks_to_sleep(&mut liquid, &mut world, 300);
        assert!(ticks < 300, "before {name}: {} are awake", awake(&mut liquid));
        change(&mut world, &mut liquid);
        let mut most = 0;
        for _ in 0..30 {
            liquid.step(world.liquid_mut(), TICK).expect("valid");
            most = most.max(awake(&mut liquid));
        }
        println!("{name}: {most} of {}", particles.len());
        let share = most as f32 / particles.len() as f32;
        let expected = if all { 0.85..1.01 } else { 0.02..0.7 };
        assert!(expected.contains(&share), "{name}: {share}");
        let now = by_id(&liquid);
        let moved = particles.iter().filter(|before| {
            now.get(&before.id).is_some_and(|now| now.position != before.position)
        });
        assert!(moved.count() > 5, "{name} moves nothing that is left");
    }
}

/// Its box wakes nothing.
#[test]
fn a_bad_particle_that_joins_sleeping_liquid_is_quarantined() {
    let Some(both) = device() else { return };
    let (mut world, mut liquid) = sleeping_pool(&both, &shaders());
    let before = by_id(&liquid);
    let bad = [Vec2::new(f32::NAN, 1.0), Vec2::new(1.0, f32::NAN), Vec2::NAN]
        .map(|position| GpuParticle { position, ..GpuParticle::default() });
    for (bad, count) in bad.iter().zip(1..) {
        liquid.append(&[*bad]).expect("room");
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        let report = liquid.wait_for_report().expect("works").expect("there");
        assert_eq!((report.quarantined, report.in_play()), (count, before.len()), "{bad:?}");
    }
    assert!(by_id(&liquid).keys().all(|id| before.contains_key(id)));
}

/// A drain that stays open removes what comes near it, and lets the rest sleep.
#[test]
#[ignore = "long: .ci/run"]
fn an_open_drain_keeps_nothing_awake() {
    let Some(both) = device() else { return };
    let (mut world, mut liquid) = sleeping_pool(&both, &shaders());
    let spacing = world.parameters().particle_spacing;
    let all = liquid.wait_for_report().expect("works").expect("there").in_play() as u32;
    // Above the pool, within the box around it.
    let high = Vec2::new(100.0, 8.0) * spacing;
    let region = FluidRegion::circle(high, 0.5 * spacing).expect("valid");
    let open = |liquid: &mut GpuLiquid| {
        let (region, classes, most) = (region.clone(), ClassFilter::ALL, u32::MAX);
        liquid.drain(GpuDrain { region, classes, most, channel: 0 }).expect("valid");
    };
    let caught = GpuParticle { position: high, ..GpuParticle::default() };
    for tick in 0..120 {
        open(&mut liquid);
        if tick == 30 {
            liquid.append(&[caught]).expect("room");
        }
        liquid.step(world.liquid_mut(), TICK).expect("valid");
    }
    let report = liquid.wait_for_report().expect("works").expect("there");
    println!("{} drained, {} awake", report.drained, report.awake);
    assert!(report.drained >= 1 && report.drained < 20, "{}", report.drained);
    assert_eq!(report.in_play() as u32, all + 1 - report.drained);
    // What it woke settles again, though the drain is open.
    let asleep = (0..900).find(|_| {
        open(&mut liquid);
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        awake(&mut liquid) == 0
    });
    assert!(asleep.is_some(), "{} are awake", awake(&mut liquid));
}

/// What leaves the kill bounds while the rest sleeps takes nobody else with it, though sensors go on reporting.
#[test]
fn nobody_is_lost_where_the_last_that_is_awake_leaves() {
    let Some(both) = device() else { return };
    let mut world = world_that_sleeps();
    let spacing = world.parameters().particle_spacing;
    tank(&mut world, 60.0, 30.0);
    // A pool on a shelf, and a pit beside it, whose cells come before those of the pool.
    for (centre, half_size) in [((20.0, 5.0), (20.0, 5.0)), ((41.0, 10.0), (1.0, 10.0))] {
        let [centre, half_size] = [centre, half_size].map(|at| Vec2::from(at) * spacing);
        world.insert_collider(Collider::rectangle(centre, half_size).expect("valid"));
    }
    block(&mut world, Vec2::new(0.0, 10.0 * spacing), (40, 6), ClassId::MEDIUM);
    let mut liquid = on(&both, &world);
    world.clear();
    let [low, high] = [Vec2::new(-1.0, 5.0), Vec2::splat(99.0)].map(|corner| corner * spacing);
    world.set_kill_bounds(Some(blob_fluid::FluidBounds { low, high })).expect("valid");
    let region = FluidRegion::circle(Vec2::ZERO, spacing).expect("valid");
    liquid.insert_sensor(GpuSensor { region, classes: ClassFilter::ALL });
    assert!(ticks_to_sleep(&mut liquid, &mut world, 1500) < 1500);
    let places = |liquid: &GpuLiquid| -> HashMap<u32, Vec2> {
        let particles = by_id(liquid).into_values();
        particles.map(|particle| (particle.id, particle.position)).collect()
    };
    let before = places(&liquid);
    let falls = GpuParticle {
        position: Vec2::new(51.0, 20.0) * spacing,
        velocity: Vec2::new(0.0, -300.0),
        ..GpuParticle::default()
    };
    liquid.append(&[falls]).expect("room");
    for _ in 0..60 {
        liquid.step(world.liquid_mut(), TICK).expect("valid");
        liquid.wait_for_report().expect("works");
    }
    let report = liquid.wait_for_report().expect("works").expect("there");
    assert_eq!((report.out_of_bounds, report.awake), (1, 0));
    let after = places(&liquid);
    let lost: Vec<_> = before.keys().filter(|id| !after.contains_key(id)).collect();
    let moved = before.iter().filter_map(|(id, before)| Some(after.get(id)?.distance(*before)));
    let moved = moved.fold(0.0, f32::max);
    println!("{lost:?} of {} are lost; moved by at most {moved}", before.len());
    assert_eq!((lost.len(), after.len()), (0, before.len()));
}

/// Liquid that flows slowly does not sleep, and what sleeps has not flowed.
#[test]
fn honey_on_a_slope_flows_on() {
    let Some(both) = device() else { return };
    let mut world =
        world(FluidParameters { gravity: Vec2::new(40.0, -200.0), ..FluidParameters::default() });
    let thick = blob_fluid::Viscosity { linear: 0.3, ..world.parameters().viscosity };
    let sleeping = FluidSleeping::default();
    let parameters = FluidParameters { viscosity: thick, sleeping, ..*world.parameters() };
    world.set_parameters(parameters).expect("valid");
    tank(&mut world, 60.0, 30.0);
    block(&mut world, Vec2::ZERO, (20, 8), ClassId::MEDIUM);
    let mut liquid = on(&both, &world);
    let mut settings = world.clone();
    settings.clear();
    for _ in 0..600 {
        world.step(TICK, &SerialExecutor).expect("valid");
        liquid.step(settings.liquid_mut(), TICK).expect("valid");
    }
    let ours = liquid.read_particles().expect("read");
    let mean = |places: &mut dyn Iterator<Item = f32>| places.sum::<f32>() / ours.len() as f32;
    let core = mean(&mut world.particles().positions().iter().map(|position| position.x));
    let ours = mean(&mut ours.iter().map(|particle| particle.position.x));
    let spacing = world.parameters().particle_spacing;
    println!("{} spacings, the core's {}", ours / spacing, core / spacing);
    assert!(core > 20.0 * spacing, "it flows");
    assert!((ours - core).abs() < 0.5 * spacing, "{ours} and {core}");
}

/// In which tick liquids of similar weight sleep, at most 900, and how well they are sorted then: 0.5 mixed, 1 sorted.
fn order_of_what_sleeps(both: &(Device, Queue), shaders: &Shaders) -> (u32, f64) {
    let mut world = world(FluidParameters::default());
    // What is asleep soon has not sorted yet.
    let sleeping = FluidSleeping { after: 0.5, ..FluidSleeping::default() };
    world.set_parameters(FluidParameters { sleeping, ..*world.parameters() }).expect("valid");
    let class =
        |name: &str, mass| DensityClass { name: name.into(), mass, ..DensityClass::default() };
    let classes = ClassTable::new(vec![class("light", 1.0), class("heavy", 1.02)]);
    world.set_classes(classes.expect("valid")).expect("none in use");
    tank(&mut world, 24.0, 30.0);
    block(&mut world, Vec2::ZERO, (24, 8), ClassId(1));
    let spacing = world.parameters().particle_spacing;
    block(&mut world, Vec2::new(0.0, 8.0 * spacing), (24, 8), ClassId(0));
    // A few in the wrong layer.
    let ids = world.particles().ids().to_vec();
    for (number, id) in ids.into_iter().enumerate().filter(|(number, _)| number % 8 == 5) {
        let other = if number < 192 { ClassId(0) } else { ClassId(1) };
        world.set_class(id, other).expect("alive");
    }
    let mut liquid = on_with(both, &world, shaders);
    world.clear();
    let ticks = ticks_to_sleep(&mut liquid, &mut world, 900);
    let particles = liquid.read_particles().expect("read");
    world.restore_particles(&saved_particles(&particles, world.liquid())).expect("valid");
    (ticks, layer_order(&world))
}

#[test]
fn what_sleeps_is_sorted_and_what_is_not_does_not_sleep() {
    let Some(both) = device() else { return };
    let (ticks, order) = order_of_what_sleeps(&both, &shaders());
    println!("order {order} after {ticks} ticks");
    assert!(ticks < 900 && order > 0.999, "{order} after {ticks} ticks");
    // Where every particle counts as unsorted.
    let all = shaders().with_change("displacements", "> params.unsorted", ">= 0.0");
    assert_eq!(order_of_what_sleeps(&both, &all.expect("there")).0, 900);
}
