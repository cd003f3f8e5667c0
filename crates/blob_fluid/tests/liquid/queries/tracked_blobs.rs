//! Blobs that keep their names, and splashes, from what is seen in every tick.

use blob_fluid::shape::FluidShape;
use blob_fluid::{
    BlobChange, BlobTracker, BlobTracking, ClassId, Container, FluidParameters, FluidPass,
    FluidRegion, FluidWorld, ParticleId, ParticleSpawn, RayonExecutor, Sensor, SerialExecutor,
    Splash, SplashDetection, SplashDetector,
};
use glam::Vec2;

use super::{ALL, add, body, disc, settled_pool};
use crate::pools::spacing;
use crate::ticks::{TICK, run};

/// Two drops. The left one is larger.
fn two_drops() -> FluidWorld {
    let mut world = FluidWorld::default();
    body(&mut world, &FluidShape::Circle { radius: 60.0 }, Vec2::new(-100.0, 0.0), 0.0);
    body(&mut world, &FluidShape::Circle { radius: 40.0 }, Vec2::new(100.0, 0.0), 0.0);
    world
}

#[test]
fn blobs_keep_their_names_when_they_merge_and_split() {
    let mut world = two_drops();
    let mut tracker = BlobTracker::default();
    tracker.update(&world);
    let [left, right] = [0, 1].map(|number| tracker.blobs()[number].clone());
    assert_eq!(tracker.changes(), [left.id, right.id].map(BlobChange::Appeared));
    assert!(left.count > right.count && left.count + right.count == world.particles().len());
    assert!(left.centre.distance(Vec2::new(-100.0, 0.0)) < 3.0, "{left:?}");
    assert_eq!(left.classes, [left.count, 0, 0]);
    assert!((left.area - left.count as f32 * spacing() * spacing()).abs() < 0.1);
    assert_eq!(tracker.update(&world), []);

    // A bridge connects the drops, so that the smaller one becomes a part of the larger.
    let bridge: Vec<ParticleId> = (0..20)
        .map(|n| add(&mut world, Vec2::new(6.0 * n as f32 - 50.0, 0.0), ClassId::HEAVY))
        .collect();
    assert_eq!(tracker.update(&world), [BlobChange::Merged { into: left.id, from: right.id }]);
    assert_eq!(tracker.blobs().len(), 1);
    assert_eq!(tracker.blob_of(bridge[3]), Some(left.id));
    assert_eq!(tracker.get(left.id).map(|blob| blob.count), Some(world.particles().len()));
    assert_eq!(tracker.get(right.id), None);

    // Without the bridge the smaller part is a new blob.
    bridge.iter().for_each(|id| assert!(world.despawn(*id)));
    let changes = tracker.update(&world).to_vec();
    let [BlobChange::Split { from, into }] = changes[..] else { panic!("{changes:?}") };
    assert!(from == left.id && into > right.id);
    assert_eq!(tracker.get(into).map(|blob| blob.count), Some(right.count));
    assert_eq!(tracker.blob_of(bridge[3]), None);

    // New particles in the slots of dead ones do not continue an old blob.
    world.despawn_where(|position, _| position.x > 0.0);
    body(&mut world, &FluidShape::Circle { radius: 40.0 }, Vec2::new(0.0, 300.0), 0.0);
    let changes = tracker.update(&world).to_vec();
    let [BlobChange::Vanished(gone), BlobChange::Appeared(new)] = changes[..] else {
        panic!("{changes:?}")
    };
    assert!(gone == into && new > into);
}

#[test]
fn small_droplets_and_other_classes_are_left_out() {
    let mut world = two_drops();
    for number in 0..7 {
        add(&mut world, Vec2::new(6.0 * number as f32, 200.0), ClassId::HEAVY);
    }
    let tracking = BlobTracking { min_particles: 8, classes: ClassId::HEAVY.into() };
    let mut tracker = BlobTracker::new(tracking);
    tracker.update(&world);
    assert_eq!(tracker.blobs().len(), 1, "the right drop is light");
    let eighth = add(&mut world, Vec2::new(-6.0, 200.0), ClassId::HEAVY);
    tracker.update(&world);
    let droplet = tracker.blob_of(eighth).expect("large enough");
    assert_eq!(tracker.changes(), [BlobChange::Appeared(droplet)]);
    world.despawn(eighth);
    assert_eq!(tracker.update(&world), [BlobChange::Vanished(droplet)]);
}

/// The results of a tracker, a sensor and a splash detector for a world.
struct Watch(BlobTracker, Sensor, SplashDetector);

impl Watch {
    fn new() -> Self {
        let region = FluidRegion::circle(Vec2::new(0.0, -150.0), 60.0).expect("valid");
        let detector = SplashDetector::new(SplashDetection::default()).expect("valid");
        Self(BlobTracker::default(), Sensor::new(region, ALL), detector)
    }

    fn look(&mut self, world: &FluidWorld) -> String {
        let Self(tracker, sensor, detector) = self;
        tracker.update(world);
        sensor.measure(world, TICK);
        detector.update(world, TICK);
        let (blobs, changes) = (tracker.blobs(), tracker.changes());
        format!("{blobs:?} {changes:?} {sensor:?} {:?}", detector.splashes())
    }
}

#[test]
fn what_is_seen_depends_neither_on_threads_nor_on_the_order_of_storage() {
    let start = || {
        let mut world = FluidWorld::default();
        // The second particle is stored first, because it is lower.
        for (radius, centre) in [(50.0, Vec2::new(-80.0, 60.0)), (40.0, Vec2::new(80.0, -60.0))] {
            body(&mut world, &FluidShape::Circle { radius }, centre, 0.0);
        }
        world.insert_container(Container::circle(Vec2::ZERO, 170.0).expect("valid"));
        world
    };
    let executor = RayonExecutor::new(3).expect("threads");
    let (mut world, mut threaded) = (start(), start());
    let (mut watch, mut threaded_watch, mut resorted_watch) =
        (Watch::new(), Watch::new(), Watch::new());
    let (mut merged, mut splashed, mut other_orders) = (false, false, 0);
    for _ in 0..150 {
        let seen = watch.look(&world);
        assert_eq!(seen, threaded_watch.look(&threaded));
        let mut resorted = world.clone();
        resorted.run_pass(FluidPass::HashPositions, &SerialExecutor);
        other_orders += u32::from(resorted.particles().ids() != world.particles().ids());
        assert_eq!(seen, resorted_watch.look(&resorted));
        world.step(TICK, &SerialExecutor).expect("valid");
        threaded.step(TICK, &executor).expect("valid");
        merged |= seen.contains("Merged");
        splashed |= seen.contains("Splash");
    }
    assert!(merged && splashed && other_orders > 50, "{merged} {splashed} {other_orders}");
}

fn splashes_in(world: &mut FluidWorld, ticks: u32) -> Vec<Splash> {
    let mut detector = SplashDetector::new(SplashDetection::default()).expect("valid");
    let mut splashes = Vec::new();
    for _ in 0..ticks {
        run(world, 1);
        splashes.extend_from_slice(detector.update(world, TICK));
    }
    splashes
}

#[test]
fn a_drop_that_falls_into_a_pool_splashes_once_and_the_pool_alone_does_not() {
    let mut world = settled_pool();
    assert_eq!(splashes_in(&mut world, 120), []);
    let drop = FluidShape::Circle { radius: 20.0 }.fill(Vec2::new(60.0, 180.0), spacing());
    let drop: Vec<Vec2> = drop.collect();
    let speed = 300.0;
    for &position in &drop {
        let velocity = Vec2::new(0.0, -speed);
        let spawn =
            ParticleSpawn { position, velocity, class: ClassId::LIGHT, ..Default::default() };
        world.spawn(spawn).expect("valid");
    }
    let mass = world.classes()[ClassId::LIGHT].mass;
    let energy = 0.5 * mass * drop.len() as f32 * speed * speed;
    let splashes = splashes_in(&mut world, 120);
    let [splash] = splashes[..] else { panic!("{splashes:?}") };
    assert!(splash.position.distance(Vec2::new(60.0, 120.0)) < 30.0, "{splash:?}");
    assert!(splash.energy > 0.1 * energy && splash.energy < 2.0 * energy, "{splash:?} {energy}");
    let unit_speed = FluidParameters::default().speed_unit();
    let unit = 0.5 * unit_speed * unit_speed;
    assert!((splash.strength * unit / splash.energy - 1.0).abs() < 1e-4);
}

#[test]
fn a_place_that_is_hit_all_the_time_splashes_now_and_then() {
    let mut world = FluidWorld::default();
    for x in [-300.0, 300.0] {
        body(&mut world, &FluidShape::Circle { radius: 20.0 }, Vec2::new(x, 0.0), 0.0);
    }
    let mut detector = SplashDetector::new(SplashDetection::default()).expect("valid");
    let mut splashes = Vec::new();
    for tick in 0..61 {
        let velocity = if tick % 2 == 0 { Vec2::X } else { Vec2::NEG_X };
        world.particles_mut().velocities_mut().fill(200.0 * velocity);
        splashes.extend_from_slice(detector.update(&world, TICK));
    }
    for (side, class) in [(-1.0, ClassId::HEAVY), (1.0, ClassId::LIGHT)] {
        let here: Vec<_> = splashes.iter().filter(|splash| splash.class == class).collect();
        assert!(here.iter().all(|splash| (splash.position.x - side * 300.0).abs() < 30.0));
        // One splash in 0.3 s.
        assert!((3..=4).contains(&here.len()), "{here:?}");
    }
}

#[test]
fn splashes_of_nonsense_are_refused() {
    let fine = SplashDetection::default();
    for bad in [
        SplashDetection { min_speed: 0.0, ..fine },
        SplashDetection { min_energy: f32::NAN, ..fine },
        SplashDetection { tile: 0.5, ..fine },
        SplashDetection { gathering: -0.1, ..fine },
        SplashDetection { refractory: f32::INFINITY, ..fine },
    ] {
        assert!(SplashDetector::new(bad).is_err(), "{bad:?}");
    }
    let mut detector = SplashDetector::new(fine).expect("valid");
    for time in [f32::NAN, 0.0, -1.0] {
        assert_eq!(detector.update(&disc(50.0, Vec2::ZERO), time), []);
    }
}
