//! Pumps: how high they lift, how much they move, and that they lose nothing.

use blob_fluid::*;
use glam::Vec2;

use super::{boxed, fill, level, rectangle, wall};
use crate::pools::spacing;
use crate::ticks::{TICK, run, run_for};

/// A pool with its surface near -300, in a tall box, at rest.
fn tall_pool() -> FluidWorld {
    let mut world = boxed(Vec2::new(120.0, 400.0));
    fill(&mut world, rectangle((0.0, -350.0), (120.0, 50.0)));
    run_for(&mut world, 3.0);
    world
}

fn pump(settings: PumpSettings, outlet: FluidRegion) -> Pump {
    Pump::new(settings, rectangle((0.0, -370.0), (60.0, 20.0)), outlet).expect("valid")
}

/// Pumps for some seconds, and returns the last report.
fn pump_for(world: &mut FluidWorld, pump: &mut Pump, seconds: f32) -> PumpReport {
    let mut report = PumpReport::default();
    for _ in 0..(seconds / TICK).round() as u32 {
        report = pump.pump(world.liquid_mut(), TICK).expect("valid");
        run(world, 1);
    }
    report
}

#[test]
fn what_cannot_lift_300_units_delivers_none_and_what_can_delivers() {
    let surface = level(&tall_pool(), 0.0);
    let outlet = rectangle((0.0, surface + 300.0), (40.0, 8.0));
    for (max_head, share) in [(299.0, 0.0), (400.0, 0.5), (1e9, 1.0)] {
        let mut world = tall_pool();
        let all = world.particles().len();
        let settings = PumpSettings { max_head: Some(max_head), ..PumpSettings::new(60.0) };
        let mut pump = pump(settings, outlet.clone());
        let report = pump.pump(world.liquid_mut(), TICK).expect("valid");
        assert!((report.lift - 300.0).abs() < 1e-3, "{report:?}");
        // Half a second, in which the surface hardly falls.
        pump_for(&mut world, &mut pump, 0.5);
        let expected = 60.0 * share * (0.5 + TICK);
        assert!((pump.moved() as f32 - expected).abs() <= 1.0, "{max_head}: {}", pump.moved());
        assert_eq!(world.particles().len(), all);
    }
}

#[test]
fn the_higher_it_lifts_the_less_flows_until_levels_differ_by_its_head() {
    let mut world = boxed(Vec2::new(120.0, 300.0));
    // A wall divides the box.
    let divider = FluidShape::Rectangle { half_size: Vec2::new(6.0, 260.0) };
    wall(&mut world, divider, Pose::from_translation(Vec2::new(0.0, -40.0)));
    let filled = fill(&mut world, rectangle((0.0, -220.0), (120.0, 80.0)));
    run_for(&mut world, 3.0);
    let settings = PumpSettings { max_head: Some(120.0), ..PumpSettings::new(40.0) };
    let (inlet, outlet) =
        (rectangle((-63.0, -280.0), (30.0, 12.0)), rectangle((63.0, -280.0), (30.0, 12.0)));
    let mut pump = Pump::new(settings, inlet, outlet).expect("valid");
    let flows = [(); 3].map(|()| {
        let before = pump.moved();
        pump_for(&mut world, &mut pump, 1.5);
        pump.moved() - before
    });
    assert!(flows.is_sorted_by(|earlier, later| earlier > later), "{flows:?}");
    pump_for(&mut world, &mut pump, 30.0);
    let (low, high) = (level(&world, -63.0), level(&world, 63.0));
    assert!((high - low - 120.0).abs() < 2.0 * spacing(), "{low} to {high}");
    assert_eq!(world.particles().len(), filled);
}

#[test]
fn particles_stay_who_they_are() {
    let mut world = boxed(Vec2::splat(300.0));
    let spawn = ParticleSpawn {
        position: Vec2::new(-200.0, 0.0),
        class: ClassId::HEAVY,
        temperature: Some(77.0),
        tag: ParticleTag(5),
        ..Default::default()
    };
    let marked = world.spawn(spawn).expect("valid");
    let light = ParticleSpawn { class: ClassId::LIGHT, ..spawn };
    world.spawn(ParticleSpawn { position: Vec2::new(-210.0, 0.0), ..light }).expect("valid");
    run(&mut world, 6);
    let (inlet, outlet) =
        (rectangle((-200.0, 0.0), (50.0, 50.0)), rectangle((200.0, 0.0), (20.0, 20.0)));
    let sideways = FluidRegion::new(outlet.shape().clone(), outlet.centre(), Vec2::NEG_Y);
    let settings = PumpSettings {
        velocity: Vec2::new(0.0, 40.0),
        classes: ClassFilter::from(ClassId::HEAVY),
        ..PumpSettings::new(1e6)
    };
    let mut pump = Pump::new(settings, inlet, sideways.expect("valid")).expect("valid");
    assert_eq!(pump.pump(world.liquid_mut(), TICK).expect("valid").moved, 1);
    let particles = world.particles();
    let index = particles.index_of(marked).expect("alive");
    assert!(outlet.contains(particles.positions()[index]));
    assert!(particles.velocities()[index].distance(Vec2::new(40.0, 0.0)) < 1e-3);
    assert_eq!(particles.temperatures()[index], 77.0);
    assert_eq!(particles.classes()[index], ClassId::HEAVY);
    assert_eq!(particles.tag(marked), Some(ParticleTag(5)));
    assert!(particles.age(marked).expect("alive") > 0.09);
}

#[test]
fn it_waits_for_room_and_does_not_burst_a_vessel() {
    let mut world = boxed(Vec2::new(120.0, 300.0));
    let filled = fill(&mut world, rectangle((0.0, -220.0), (120.0, 80.0)));
    // A closed vessel of 60 by 60.
    for (centre, half_size) in [
        ((0.0, 134.0), (38.0, 4.0)),
        ((0.0, 66.0), (38.0, 4.0)),
        ((-34.0, 100.0), (4.0, 38.0)),
        ((34.0, 100.0), (4.0, 38.0)),
    ] {
        let region = rectangle(centre, half_size);
        wall(&mut world, region.shape().clone(), region.pose());
    }
    let (inlet, outlet) =
        (rectangle((0.0, -280.0), (60.0, 20.0)), rectangle((0.0, 100.0), (30.0, 30.0)));
    let mut pump = Pump::new(PumpSettings::new(300.0), inlet, outlet.clone()).expect("valid");
    let report = pump_for(&mut world, &mut pump, 20.0);
    let inside = world.indices_in(&outlet, ClassFilter::ALL).len();
    assert_eq!(inside as u64, pump.moved(), "none comes out");
    assert_eq!(world.particles().len(), filled);
    // At rest it holds 56. The density by which the pump stops at 1.3 is a mean over the interaction
    // radius, which is half of the vessel's width.
    assert!((56..=84).contains(&inside), "{inside}");
    assert!(report.held_back > 0);
}

#[test]
fn nonsense_is_refused_and_moves_nothing() {
    let ends = || (rectangle((0.0, 0.0), (9.0, 9.0)), rectangle((50.0, 0.0), (9.0, 9.0)));
    let refused = |settings| {
        let (inlet, outlet) = ends();
        Pump::new(settings, inlet, outlet).expect_err("refused").to_string()
    };
    assert_eq!(
        refused(PumpSettings::new(-1.0)),
        "pump: rate is -1, and must be between 0 and 1000000"
    );
    assert_eq!(
        refused(PumpSettings { max_head: Some(0.0), ..Default::default() }),
        "pump: max_head is 0, and must be above 0 and at most 1e9"
    );
    assert!(
        refused(PumpSettings { velocity: Vec2::NAN, ..Default::default() }).contains("velocity")
    );
    let (inlet, outlet) = ends();
    let mut pump = Pump::new(PumpSettings::new(1e6), inlet, outlet).expect("valid");
    let plane = FluidRegion::new(FluidShape::HalfPlane { normal: Vec2::Y }, Vec2::ZERO, Vec2::X);
    let error = pump.set_outlet(plane.clone().expect("valid")).expect_err("refused").to_string();
    assert_eq!(error, "pump: outlet is inf, and must be no half plane");
    assert!(pump.set_inlet(plane.expect("valid")).is_err());
    assert!(pump.set_settings(PumpSettings::new(f32::INFINITY)).is_err());
    let mut world = FluidWorld::default();
    world.spawn(ParticleSpawn::default()).expect("valid");
    assert!(pump.pump(world.liquid_mut(), f32::NAN).is_err());
    assert!(pump.pump(world.liquid_mut(), -1.0).is_err());
    assert_eq!(pump.pump(world.liquid_mut(), 0.0), Ok(PumpReport::default()));
    assert_eq!(world.particles().positions(), [Vec2::ZERO]);
    // Beyond the world there is no place.
    let far = rectangle((world.reach() * 2.0, 0.0), (9.0, 9.0));
    pump.set_outlet(far).expect("valid");
    let report = pump.pump(world.liquid_mut(), TICK).expect("valid");
    assert_eq!((report.moved, report.held_back), (0, 1));
    assert_eq!(world.particles().positions(), [Vec2::ZERO]);
}

#[test]
fn a_pump_that_is_off_lets_the_liquid_sleep() {
    let mut world = tall_pool();
    let mut still = pump(
        PumpSettings { running: false, ..PumpSettings::new(60.0) },
        rectangle((0.0, 0.0), (9.0, 9.0)),
    );
    pump_for(&mut world, &mut still, 20.0);
    assert_eq!(world.asleep(), world.particles().len());
}

#[test]
fn what_is_moved_leaves_its_springs_and_its_load_behind() {
    let class = |name: &str| DensityClass { name: name.into(), ..DensityClass::default() };
    let jelly = DensityClass { elasticity: Some(FluidElasticity::default()), ..class("jelly") };
    let sand = DensityClass { powder: Some(FluidPowder::default()), ..class("sand") };
    let mut world = boxed(Vec2::splat(200.0));
    world.set_classes(ClassTable::new(vec![jelly, sand]).expect("valid")).expect("valid");
    for (class, x) in [(ClassId(0), -100.0), (ClassId(1), 100.0)] {
        let heap = rectangle((x, -170.0), (60.0, 30.0));
        Blob::new(heap, class).fill(world.liquid_mut()).expect("valid");
    }
    run_for(&mut world, 2.0);
    let near = |world: &FluidWorld, at: Vec2| {
        let squared = |index: usize| world.particles().positions()[index].distance_squared(at);
        let all = 0..world.particles().len();
        let index = all.min_by(|a, b| squared(*a).total_cmp(&squared(*b))).expect("some");
        world.particles().ids()[index]
    };
    let springs_of = |world: &FluidWorld, id| {
        world.springs().iter().filter(|spring| spring.ends.contains(&id)).count()
    };
    let (soft, grain) =
        (near(&world, Vec2::new(-100.0, -190.0)), near(&world, Vec2::new(100.0, -190.0)));
    assert!(springs_of(&world, soft) > 0);
    let all = world.springs().len();
    for (id, at) in [(soft, Vec2::new(-100.0, 150.0)), (grain, Vec2::new(100.0, 150.0))] {
        let springs = springs_of(&world, id);
        assert_eq!(world.relocate(id, at, Vec2::ZERO), Ok(true));
        assert_eq!(springs_of(&world, id), 0);
        assert!(world.springs().len() == all - springs || id == grain, "only its own");
    }
    let index = world.particles().index_of(grain).expect("alive");
    let Grain { stress, load, place, .. } = world.particles().grains()[index];
    assert_eq!((stress, load, place), (Vec2::ZERO, 0.0, Vec2::new(100.0, 150.0)));
    // Alone, both fall as anything does: for 0.25 s, in 15 ticks.
    run(&mut world, 15);
    let gravity = world.parameters().gravity.y;
    for id in [soft, grain] {
        let index = world.particles().index_of(id).expect("alive");
        let fallen = world.particles().positions()[index].y - 150.0;
        assert!((fallen / (0.5 * gravity * 0.0625) - 1.0).abs() < 0.1, "{fallen}");
    }
    // What cannot be is refused.
    let too_far = Vec2::new(2.0 * world.reach(), 0.0);
    assert!(world.relocate(soft, too_far, Vec2::ZERO).is_err());
    assert!(world.relocate(soft, Vec2::ZERO, Vec2::NAN).is_err());
    world.despawn(soft);
    assert_eq!(world.relocate(soft, Vec2::ZERO, Vec2::ZERO), Ok(false));
}
