//! How much memory is taken for bytes, whatever they say.

use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::{
    BlobTracker, BlobTracking, ClassPair, ClassTable, Collider, Container, DensityClass, Drain,
    Emitter, EmitterSettings, FluidRegion, FluidShape, FluidWorld, Force, HostBody, ParticleSpawn,
    SerialExecutor, Snapshot, SnapshotFile, SplashDetection, SplashDetector, Tank,
};
use glam::Vec2;

use super::{file_of, value_of};
use crate::ticks::TICK;

/// The promise of docs/saving.md, in bytes: 16 times the length, and for each class of a world 6 KB.
fn most(length: usize, classes: usize) -> u64 {
    (16 * length + 6000 * classes) as u64
}

fn assert_takes_little(what: &str, bytes: &[u8], classes: usize, read: impl Fn(&[u8]) -> bool) {
    let mut is_read = false;
    let taken = allocation_counter::measure(|| is_read = read(bytes)).bytes_max;
    let most = most(bytes.len(), classes);
    assert!(is_read, "{what}: refused");
    assert!(taken <= most, "{what}: {taken} bytes for {}, at most {most}", bytes.len());
}

fn assert_world_takes_little(what: &str, world: &FluidWorld) {
    let bytes = world.to_bytes().expect("between two ticks");
    let classes = world.classes().len();
    assert_takes_little(what, &bytes, classes, |bytes| FluidWorld::from_bytes(bytes).is_ok());
}

fn assert_value_takes_little<T: Snapshot>(what: &str, value: &T) {
    assert_takes_little(what, &file_of(value), 0, |bytes| value_of::<T>(bytes).is_ok());
}

/// How many there are of a thing.
const MANY: usize = 20_000;

#[test]
fn worlds_of_many_things() {
    let place = |number: usize| Vec2::new((number % 100) as f32, (number / 100) as f32);
    let mut world = FluidWorld::default();
    for number in 0..MANY {
        world.insert_collider(Collider::circle(9.0 * place(number), 1.0).expect("valid"));
    }
    assert_world_takes_little("colliders", &world);
    let mut world = FluidWorld::default();
    for number in 0..MANY {
        world.insert_container(Container::circle(place(number), 1.0).expect("valid"));
        world.insert_host_body(HostBody::at(place(number), Vec2::X)).expect("valid");
    }
    assert_world_takes_little("containers and host bodies", &world);
    let mut world = FluidWorld::default();
    world.set_forces(&vec![Force::default(); MANY]).expect("valid");
    assert_world_takes_little("forces", &world);
    let mut world = FluidWorld::default();
    for _ in 0..MANY {
        world.spawn(ParticleSpawn::default()).expect("room");
    }
    assert_world_takes_little("particles that are all alike", &world);
    world.clear();
    assert_world_takes_little("slots of particles that are gone", &world);
}

#[test]
fn shapes_of_many_points() {
    let ring: Vec<Vec2> =
        (0..MANY).map(|number| 100.0 * Vec2::from_angle(number as f32 * 1e-4)).collect();
    let rings = (0..MANY / 4).map(|number| {
        let x = number as f32;
        vec![Vec2::new(x, 0.0), Vec2::new(x + 0.5, 0.0), Vec2::new(x, 0.5)]
    });
    let picture = DistanceField::new(256, 256, Vec2::splat(99.0), |x, y| (x + y) % 3 == 0);
    for (what, shape) in [
        ("a line", FluidShape::Polyline(Polyline::new(ring.clone(), 1.0).expect("valid"))),
        ("a ring", FluidShape::Polygon(Polygon::new(ring).expect("valid"))),
        ("rings", FluidShape::Polygon(Polygon::with_holes(rings).expect("valid"))),
        ("a picture", FluidShape::Field(picture.expect("valid"))),
    ] {
        let mut world = FluidWorld::default();
        world.insert_collider(Collider::new(shape, Vec2::ZERO, Vec2::X).expect("valid"));
        assert_world_takes_little(what, &world);
    }
}

#[test]
fn tables_of_classes() {
    let mut world = FluidWorld::default();
    let classes = vec![DensityClass::default(); 256];
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("unused");
    assert_world_takes_little("256 classes", &world);
    let name = |number: usize| number.to_string();
    let class = |number| DensityClass { name: name(number), ..Default::default() };
    let pairs = (0..256).flat_map(|one| (0..one).map(move |other| (one, other)));
    let pairs = pairs.map(|(one, other)| ClassPair::new(&name(one), &name(other)));
    let table = ClassTable::with_pairs((0..256).map(class).collect(), pairs.collect());
    world.set_classes(table.expect("valid")).expect("unused");
    assert_world_takes_little("all pairs of 256 classes", &world);
}

#[test]
fn lists_of_what_a_host_keeps() {
    let region = FluidRegion::circle(Vec2::ZERO, 1.0).expect("valid");
    assert_value_takes_little("drains", &vec![Drain::new(region); MANY]);
    let emitter = Emitter::new(EmitterSettings::jet(1.0, 1.0)).expect("valid");
    assert_value_takes_little("emitters", &vec![emitter; MANY]);
    assert_value_takes_little("tanks", &vec![Tank::new(); MANY]);
    let mut file = SnapshotFile::default();
    for number in 0..MANY {
        file.insert_bytes(&number.to_string(), &[]).expect("new");
    }
    assert_takes_little("entries", &file.to_bytes(), 0, |bytes| {
        SnapshotFile::from_bytes(bytes).is_ok()
    });
}

/// They keep something for each slot, and nothing for those of particles that are gone.
#[test]
fn lists_of_nothing() {
    let mut world = FluidWorld::default();
    for _ in 0..MANY {
        world.spawn(ParticleSpawn::default()).expect("room");
    }
    let last = world.particles().ids()[MANY - 1];
    let gone: Vec<_> = world.particles().ids().iter().copied().filter(|id| *id != last).collect();
    for id in gone {
        world.despawn(id);
    }
    world.step(TICK, &SerialExecutor).expect("valid");
    let mut splashes = SplashDetector::new(SplashDetection::default()).expect("valid");
    splashes.update(&world, TICK);
    assert_value_takes_little("a splash detector", &splashes);
    let mut blobs = BlobTracker::new(BlobTracking { min_particles: 1, ..Default::default() });
    blobs.update(&world);
    assert_value_takes_little("a blob tracker", &blobs);
}
