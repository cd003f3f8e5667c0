//! Work does not grow with the square of what is read or given.

use std::time::{Duration, Instant};

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{
    BakeSettings, BakedFluid, ClassPair, ClassTable, Collider, DensityClass, FluidBaker,
    FluidShape, FluidWorld, ParticleSpawn, SerialExecutor, SnapshotError, SnapshotFile,
};
use glam::Vec2;

use super::{HEADER, sealed};
use crate::ticks::TICK;

fn time_of(work: impl Fn()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Fails if ten times as much takes more than twenty times as long: a square takes a hundred times as long. It is tried
/// again, because other programs run beside it.
fn assert_grows_evenly(what: &str, few: usize, work: impl Fn(usize)) {
    let mut tried = Vec::new();
    let even = (0..12).any(|_| {
        let (short, long) = (time_of(|| work(few)), time_of(|| work(10 * few)));
        tried.push((short, long));
        long <= 20 * short + Duration::from_millis(2)
    });
    assert!(even, "{what}: {few} and ten times as much: {tried:?}");
}

#[test]
fn entries_of_a_file() {
    let file = |count: usize| {
        let mut file = SnapshotFile::default();
        for number in 0..count {
            file.insert_bytes(&number.to_string(), &[]).expect("new");
        }
        file
    };
    assert_grows_evenly("entries that are added", 500, |count| drop(file(count)));
    let files = [500, 5000].map(|count| file(count).to_bytes());
    assert_grows_evenly("entries that are read", 500, |count| {
        let bytes = files.iter().find(|bytes| bytes.len() > 20 * count).expect("one of both");
        let _ = SnapshotFile::from_bytes(bytes);
    });
}

fn triangle(x: f32) -> Vec<Vec2> {
    vec![Vec2::new(x, 0.0), Vec2::new(x + 0.5, 0.0), Vec2::new(x, 0.5)]
}

#[test]
fn rings_of_a_polygon() {
    let rings = |count: usize| (0..count).map(|number| triangle(number as f32));
    let polygon =
        |count: usize| FluidShape::Polygon(Polygon::with_holes(rings(count)).expect("valid"));
    assert_grows_evenly("a collider of rings", 1500, |count| {
        let mut world = FluidWorld::default();
        let collider = Collider::new(polygon(count), Vec2::ZERO, Vec2::X).expect("valid");
        world.insert_collider(collider);
        let bytes = world.to_bytes().expect("between two ticks");
        FluidWorld::from_bytes(&bytes).expect("valid");
    });
    assert_grows_evenly("outlines of rings", 1500, |count| {
        assert_eq!(polygon(count).outlines().len(), count);
    });
    assert_grows_evenly("the area of rings", 1500, |count| {
        assert!((polygon(count).area() - 0.125 * count as f32).abs() < 0.01 * count as f32);
    });
    assert_grows_evenly("contours", 1500, |count| {
        assert_eq!(Polygon::from_contours(rings(count)).expect("valid").rings().len(), count);
    });
}

#[test]
fn points_of_a_line() {
    assert_grows_evenly("a line", 3000, |count| {
        let points = (0..count).map(|number| Vec2::new(number as f32, (number % 7) as f32));
        let line = FluidShape::Polyline(Polyline::new(points, 1.0).expect("valid"));
        let mut world = FluidWorld::default();
        world.insert_collider(Collider::new(line, Vec2::ZERO, Vec2::X).expect("valid"));
    });
}

/// So many classes with all pairs of them.
fn table(classes: usize) -> ClassTable {
    let class = |number: usize| DensityClass { name: number.to_string(), ..Default::default() };
    let pair = |(one, other): (usize, usize)| ClassPair::new(&one.to_string(), &other.to_string());
    let pairs = (0..classes).flat_map(|one| (0..one).map(move |other| (one, other)));
    let table =
        ClassTable::with_pairs((0..classes).map(class).collect(), pairs.map(pair).collect());
    table.expect("valid")
}

/// Ten times as many pairs are 3.16 times as many classes.
#[test]
fn pairs_of_classes() {
    assert_grows_evenly("pairs of classes", 1, |times| {
        drop(table(if times > 1 { 202 } else { 64 }))
    });
    let mut world = FluidWorld::default();
    world.set_classes(table(256)).expect("unused");
    let bytes = world.to_bytes().expect("between two ticks");
    let reading = || time_of(|| drop(FluidWorld::from_bytes(&bytes).expect("valid")));
    let reading = (0..5).map(|_| reading()).min().expect("some");
    assert!(reading < Duration::from_millis(400), "{reading:?} for all pairs of 256 classes");
}

/// Frames that are farther from their key frame than the settings say are refused: a jump would unpack them all.
#[test]
fn frames_far_from_their_key_frame_are_refused() {
    let settings = BakeSettings { key_interval: 20, ..Default::default() };
    let mut world = FluidWorld::default();
    world.spawn(ParticleSpawn::default()).expect("room");
    let mut baker = FluidBaker::new(&world, settings).expect("valid");
    for _ in 0..15 {
        world.step(TICK, &SerialExecutor).expect("valid");
        baker.after_tick(&world);
    }
    let whole = baker.finish().to_bytes();
    assert!(BakedFluid::from_bytes(&whole).is_ok());
    // The interval is a number of one byte.
    let mut refused = 0;
    for place in HEADER..whole.len() {
        if whole[place] == 20 {
            let mut bytes = whole.clone();
            bytes[place] = 7;
            let error = BakedFluid::from_bytes(&sealed(bytes)).err();
            let far = "a frame is farther from its key frame than the key interval";
            refused += usize::from(error == Some(SnapshotError::Invalid(far.into())));
        }
    }
    assert_eq!(refused, 1);
}
