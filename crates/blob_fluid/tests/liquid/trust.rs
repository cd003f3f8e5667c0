//! Bytes, files and calls that nobody means well with: what is read is within its range, takes no more memory than is
//! said. How work grows is counted in `src/work.rs`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use blob_fluid::air::{Air, AirPass, AirSettings, AirSides};
use blob_fluid::material::{Material, MaterialError};
use blob_fluid::scene::{Scene, SceneError};
use blob_fluid::shape::{DistanceField, Polygon, Polyline};
use blob_fluid::*;
use glam::Vec2;

use crate::pools::{add_collider, add_container, add_tank, at, pour, pour_class, spawn};
use crate::random_scenes::Random;
use crate::snapshots::everything;
use crate::ticks::TICK;

/// Bytes before the entries of a file: magic, version, length and checksum.
const HEADER: usize = 24;

/// Gives the bytes of a file the length and the checksum that they must have.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = (bytes.len() - HEADER) as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[HEADER..]);
    bytes[20..HEADER].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A file of one value, and the value of a file.
fn file_of(value: &impl Snapshot) -> Vec<u8> {
    let mut file = SnapshotFile::default();
    file.insert("it", value).expect("new");
    file.to_bytes()
}

fn value_of<T: Snapshot>(bytes: &[u8]) -> Result<T, SnapshotError> {
    SnapshotFile::from_bytes(bytes)?.get("it")
}

/// Fails unless a world runs for some ticks, stays finite, and has bytes that are read again before and after them.
fn assert_runs(mut world: FluidWorld, ticks: u32, what: &str) {
    let reads = |world: &FluidWorld, when: &str| {
        let bytes = world.to_bytes().expect("between two ticks");
        let again = FluidWorld::from_bytes(&bytes);
        assert!(again.is_ok(), "{what}: its own bytes {when}: {:?}", again.err());
    };
    reads(&world, "at first");
    for _ in 0..ticks {
        world.step(TICK, &SerialExecutor).expect("valid");
        let particles = world.particles();
        let mut vectors = particles.positions().iter().chain(particles.velocities());
        assert!(vectors.all(|vector| vector.is_finite()), "{what}: a particle");
        let densities = particles.relative_densities();
        assert!(densities.iter().all(|density| density.is_finite()), "{what}: a density");
        let loads = world.colliders().filter_map(|(id, _)| world.load_on(id));
        let finite = loads
            .into_iter()
            .all(|load| load.impulse.is_finite() && load.angular_impulse.is_finite());
        assert!(finite, "{what}: a load");
        let centres = world.colliders().map(|(_, collider)| collider.centre());
        let centres = centres.chain(world.host_bodies().map(|(_, body)| body.pose.translation));
        let mut centres =
            centres.chain(world.containers().map(|(_, container)| container.centre()));
        assert!(centres.all(|centre| centre.is_finite()), "{what}: a pose");
    }
    reads(&world, "after its ticks");
}

// Calls with numbers that nobody would pass.

/// A drop in air.
fn drop_in_air() -> FluidWorld {
    let mut world = FluidWorld::default();
    let room = FluidBounds { low: Vec2::splat(-100.0), high: Vec2::splat(100.0) };
    let settings = AirSettings { density: 0.001, ..AirSettings::default() };
    world.insert_air(Air::new(room, 10.0, settings, AirSides::default()).expect("valid"));
    pour(&mut world, (FluidShape::Circle { radius: 40.0 }).fill(Vec2::ZERO, 8.1));
    world.step(TICK, &SerialExecutor).expect("valid");
    world
}

#[test]
fn passes_of_the_air_meet_no_particle_that_is_to_be_quarantined() {
    for speed in [f32::NAN, f32::INFINITY, 1e30, -3e38] {
        for by_pass in [false, true] {
            let mut world = drop_in_air();
            let particles = world.particles().len();
            world.particles_mut().split().velocities[3] = Vec2::new(speed, 0.0);
            if by_pass {
                for pass in AirPass::ALL {
                    world.run_air_pass(pass, TICK, &SerialExecutor);
                }
            } else {
                world.step_air(TICK, &SerialExecutor);
            }
            let velocities = world.particles().velocities();
            assert!(velocities.iter().all(|velocity| velocity.is_finite()), "{speed}");
            let air = world.airs().next().expect("one");
            let numbers = air.velocities_x().iter().chain(air.pressures());
            assert!(numbers.into_iter().all(|number| number.is_finite()), "{speed}");
            assert_runs(world.clone(), 5, &format!("{speed}"));
            assert_eq!(world.particles().len(), particles - 1, "{speed}");
        }
    }
}

/// Shapes are plain values, so that their queries meet sizes that no check has seen.
#[test]
fn queries_of_shapes_with_any_sizes_do_not_panic() {
    let odd = [f32::NAN, f32::INFINITY, -1.0, 0.0, -0.0, 1e-40, 1.0, 1e30, f32::MAX];
    let mut shapes = Vec::new();
    for one in odd {
        shapes.push(FluidShape::Circle { radius: one });
        for other in odd {
            let both = Vec2::new(one, other);
            shapes.push(FluidShape::Rectangle { half_size: both });
            shapes.push(FluidShape::Capsule { half_length: one, radius: other });
            shapes.push(FluidShape::HalfPlane { normal: both });
        }
    }
    for shape in &shapes {
        let queries = catch_unwind(AssertUnwindSafe(|| {
            for x in odd {
                let point = Vec2::new(x, 1.0);
                let _ = (shape.contains(point), shape.distance(point), shape.scaled(point));
                if shape.validate().is_err() {
                    assert_eq!(shape.fill(point, x).next(), None);
                }
            }
            let _ = (shape.area(), shape.bounds(), shape.outlines(), shape.max_depth());
            shape.validate().is_ok()
        }));
        assert!(queries.is_ok(), "{shape:?}");
    }
}

/// Solids as far away as they may be are as good as none, and give no solid a load or a pose that is no number; those
/// farther away are refused.
#[test]
fn solids_far_away_do_no_harm() {
    let refused = |result: Result<bool, OutOfRange>, far: f32, what: &str| match result {
        Ok(_) => assert!(far <= 1e12, "{what} at {far:e}"),
        Err(error) => assert!(
            far > 1e12 && ["centre", "translation"].contains(&error.field),
            "{what}: {error}"
        ),
    };
    let still = |centre: Vec2| HostBody::at(Pose::from_translation(centre));
    for far in [1e8, 1e12, 1.1e12, 1e20, 1e38, f32::MAX] {
        let away = Vec2::new(far, -far);
        let mut world = FluidWorld::default();
        let container = Container::rectangle(Vec2::ZERO, Vec2::new(60.0, 50.0));
        let container = add_container(&mut world, container);
        let body = world.insert_host_body(still(Vec2::ZERO)).expect("valid");
        let mut posts = Vec::new();
        for (number, x) in [-40.0, 0.0, 40.0].into_iter().enumerate() {
            let centre = if number == 2 && far <= 1e12 { away } else { Vec2::X };
            let pose = Pose::from_translation(centre);
            let attachment = (number > 0).then_some(Attachment { body, pose });
            let options = ColliderOptions { reports_load: true, attachment, ..Default::default() };
            let post = Collider::circle(Vec2::new(x, 0.0), 9.0);
            posts.push(add_collider(&mut world, post.and_then(|post| post.with_options(options))));
        }
        pour(&mut world, (FluidShape::Circle { radius: 40.0 }).fill(Vec2::ZERO, 8.1));
        world.step(TICK, &SerialExecutor).expect("valid");
        let attachment = Attachment { body, pose: Pose::from_translation(away) };
        refused(attachment.validate().map(|()| true), far, "an attachment");
        let region = FluidRegion::new(FluidShape::Circle { radius: 1.0 }, away, Vec2::X);
        refused(region.map(|_| true), far, "a region");
        let mut rain = Emitter::new(EmitterSettings::jet(20.0, 900.0)).expect("valid");
        let [before, now] = [away, -away].map(Pose::from_translation);
        for time in [TICK, 1e-30, f32::MAX] {
            let emitted = rain.emit(world.liquid_mut(), before, now, time);
            refused(emitted.map(|_| true), far, "an emitter");
        }
        assert_runs(world.clone(), 4, &format!("an emitter at {far:e}"));
        refused(world.move_collider(posts[0], away, Vec2::X), far, "a collider");
        assert_runs(world.clone(), 4, &format!("a collider at {far:e}"));
        let fast = Motion { velocity: Vec2::splat(-1e12), angular_velocity: 1e12 };
        let moving = HostBody { motion: fast, ..still(away) };
        refused(world.set_host_body(body, moving), far, "a host body");
        assert_runs(world.clone(), 4, &format!("a host body at {far:e}"));
        refused(world.move_container(container, away, Vec2::X), far, "a container");
        assert_runs(world, 4, &format!("a container at {far:e}"));
    }
}

/// What moves for ever does not move beyond the limit of what is read.
#[test]
fn solids_that_move_for_ever_can_be_read() {
    let away = Motion { velocity: Vec2::new(1e12, -1e12), ..Motion::STILL };
    let mut world = FluidWorld::default();
    let post = Collider::circle(Vec2::splat(50.0), 9.0).and_then(|post| post.with_motion(away));
    add_collider(&mut world, post);
    let body = HostBody { motion: away, ..HostBody::at(Pose::IDENTITY) };
    world.insert_host_body(body).expect("valid");
    let tank = Container::circle(Vec2::ZERO, 50.0).and_then(|tank| tank.with_motion(away));
    add_container(&mut world, tank);
    pour(&mut world, [Vec2::ZERO]);
    assert_runs(world, 100, "solids that move for more than a second");
}

// Counts that come from bytes may be as large as they can be.

/// The largest count that is read.
const MOST: u64 = 1 << 48;

/// Calls `visit` with each value that is read if a count is put to any place of a value's bytes.
fn put_count_everywhere<T: Snapshot>(value: &T, count: u64, mut visit: impl FnMut(T, usize)) {
    let whole = file_of(value);
    for place in HEADER..=whole.len() - 8 {
        let mut bytes = whole.clone();
        bytes[place..place + 8].copy_from_slice(&count.to_le_bytes());
        if let Ok(value) = value_of(&sealed(bytes)) {
            visit(value, place);
        }
    }
}

#[test]
fn an_emitter_that_has_counted_as_far_as_it_can_goes_on() {
    let world = FluidWorld::default();
    let pose = Pose::IDENTITY;
    let mix = vec![(ClassId(0), 2.0), (ClassId(1), 1.0)];
    let settings = EmitterSettings { mix, ..EmitterSettings::jet(20.0, 900.0) };
    let mut emitter = Emitter::new(settings).expect("valid");
    emitter.emit(world.clone().liquid_mut(), pose, pose, TICK).expect("valid");
    let mut full = 0;
    for count in [MOST - 1, MOST, MOST + 1, u64::MAX] {
        put_count_everywhere(&emitter, count, |mut emitter, place| {
            for _ in 0..3 {
                let _ = emitter.emit(world.clone().liquid_mut(), pose, pose, TICK);
            }
            full += u32::from(emitter.emitted() == MOST);
            let read = value_of::<Emitter>(&file_of(&emitter));
            assert!(read.is_ok(), "{count} at {place}: {:?}", read.err());
        });
    }
    assert!(full > 0, "none has counted so far");
}

#[test]
fn a_tank_of_any_amount_goes_on() {
    let mut tank = Tank::new();
    tank.add(ClassId(0), 5, 20.0).expect("valid");
    tank.add(ClassId(1), 5, 20.0).expect("valid");
    for count in [MOST, u64::MAX - 5, u64::MAX] {
        put_count_everywhere(&tank, count, |mut tank, place| {
            tank.add(ClassId(0), 10, 20.0).expect("valid");
            tank.take(ClassId(1), 2);
            let read = value_of::<Tank>(&file_of(&tank));
            assert!(read.is_ok(), "{count} at {place}: {:?}", read.err());
        });
    }
}

/// A world is large: the counts are looked for at every third place.
#[test]
fn a_world_that_has_counted_as_far_as_it_can_goes_on() {
    let whole = everything(FluidSolver::DoubleDensity).to_bytes().expect("between two ticks");
    let (mut read, mut refused) = (0, 0);
    for (turn, count) in [MOST - 1, MOST, u64::MAX].into_iter().enumerate() {
        let mut place = HEADER + turn;
        while place + 8 <= whole.len() {
            let mut bytes = whole.clone();
            bytes[place..place + 8].copy_from_slice(&count.to_le_bytes());
            match FluidWorld::from_bytes(&sealed(bytes)) {
                Ok(mut world) if read % 12 == 0 => {
                    read += 1;
                    world.spawn(Default::default()).ok();
                    assert_runs(world, 2, &format!("{count} at {place}"));
                }
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
            place += 37;
        }
    }
    assert!(read > 20 && refused > 20, "{read} read, {refused} refused");
}

// Every number that comes from bytes has a range.

/// Numbers that few settings may have.
const ODD: [f32; 9] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e30, -1e30, f32::MAX, 0.0, 1e-40];

/// The bytes of a file with an odd number somewhere among its entries, of 4 or of 8 bytes.
fn with_odd_number(whole: &[u8], random: &mut Random) -> (Vec<u8>, String) {
    let odd = random.pick(&ODD);
    let place = HEADER + random.below(whole.len() - HEADER - 8);
    let mut bytes = whole.to_vec();
    if random.below(3) > 0 {
        bytes[place..place + 4].copy_from_slice(&odd.to_le_bytes());
    } else {
        bytes[place..place + 8].copy_from_slice(&f64::from(odd).to_le_bytes());
    }
    (sealed(bytes), format!("{odd} at {place}"))
}

#[test]
fn odd_numbers_in_a_world_are_refused_or_do_no_harm() {
    for (solver, files) in [
        (FluidSolver::DoubleDensity, 1500),
        (FluidSolver::Incompressible, 300),
        (FluidSolver::Classic, 300),
    ] {
        let whole = everything(solver).to_bytes().expect("between two ticks");
        let mut random = Random::new(62, "odd numbers");
        let mut read = 0;
        for _ in 0..files {
            let (bytes, what) = with_odd_number(&whole, &mut random);
            let Ok(world) = FluidWorld::from_bytes(&bytes) else { continue };
            read += 1;
            if read % 8 == 0 {
                assert_runs(world, 3, &format!("{solver:?}, {what}"));
            }
        }
        assert!(read > files / 20, "{read} of {files} were read");
    }
}

/// A powder, and a liquid whose pairs have a viscosity of their own without its linear part.
fn two_kinds_of_viscosity() -> FluidWorld {
    let powder = FluidPowder::default();
    let viscosity = ClassViscosity { approach: 0.1, quadratic: 0.1, linear: 0.0 };
    let classes = vec![
        DensityClass { name: "sand".into(), powder: Some(powder), ..Default::default() },
        DensityClass { name: "thin".into(), viscosity: Some(viscosity), ..Default::default() },
    ];
    let mut world = FluidWorld::default();
    world.set_classes(ClassTable::new(classes).expect("valid")).expect("no particles yet");
    for (class, x) in [(ClassId(0), 0.0), (ClassId(1), 6.0)] {
        pour_class(&mut world, class, [Vec2::new(x, 0.0)]);
    }
    world.step(TICK, &SerialExecutor).expect("valid");
    world
}

#[test]
fn odd_numbers_at_each_place_of_a_small_world_are_refused_or_do_no_harm() {
    let whole = two_kinds_of_viscosity().to_bytes().expect("between two ticks");
    for place in HEADER..whole.len() - 4 {
        for odd in ODD {
            let mut bytes = whole.clone();
            bytes[place..place + 4].copy_from_slice(&odd.to_le_bytes());
            let Ok(world) = FluidWorld::from_bytes(&sealed(bytes)) else { continue };
            assert_runs(world, 1, &format!("{odd} at {place}"));
        }
    }
}

#[test]
fn a_world_with_a_relocated_particle_that_is_to_be_quarantined_can_be_read() {
    let mut world = two_kinds_of_viscosity();
    let id = world.particles().ids()[0];
    world.particles_mut().temperatures_mut()[0] = f32::INFINITY;
    world.relocate(id, Vec2::new(50.0, 0.0), Vec2::ZERO).expect("there");
    assert_runs(world, 1, "a temperature that is not finite");
}

/// Puts each odd number to each place of a value's bytes, as 4 and as 8 bytes. What is read is written and read again,
/// and goes on.
fn put_everywhere<T: Snapshot>(value: &T, mut go_on: impl FnMut(&mut T)) {
    let whole = file_of(value);
    for place in HEADER..whole.len() - 8 {
        for odd in ODD {
            for wide in [false, true] {
                let mut bytes = whole.clone();
                if wide {
                    bytes[place..place + 8].copy_from_slice(&f64::from(odd).to_le_bytes());
                } else {
                    bytes[place..place + 4].copy_from_slice(&odd.to_le_bytes());
                }
                let Ok(mut value) = value_of::<T>(&sealed(bytes)) else { continue };
                let reads = |value: &T| value_of::<T>(&file_of(value)).err();
                assert_eq!(reads(&value), None, "{odd} at {place}");
                go_on(&mut value);
                assert_eq!(reads(&value), None, "{odd} at {place}, later");
            }
        }
    }
}

#[test]
fn odd_numbers_in_a_world_with_air_are_refused_or_do_no_harm() {
    let mut world = drop_in_air();
    crate::ticks::run(&mut world, 20);
    let whole = world.to_bytes().expect("between two ticks");
    // Every seventh byte: numbers begin at all of them.
    for (number, place) in (HEADER..whole.len() - 4).step_by(7).enumerate() {
        let odd = [1e30_f32, -1e20, f32::MAX, f32::NAN][number % 4];
        let mut bytes = whole.clone();
        bytes[place..place + 4].copy_from_slice(&odd.to_le_bytes());
        if let Ok(world) = FluidWorld::from_bytes(&sealed(bytes)) {
            assert_runs(world, 3, &format!("{odd} at {place}"));
        }
    }
}

fn drop_in_a_box() -> FluidWorld {
    let mut world = FluidWorld::default();
    add_tank(&mut world, Vec2::ZERO, Vec2::new(60.0, 50.0));
    pour(&mut world, (FluidShape::Circle { radius: 25.0 }).fill(Vec2::ZERO, 8.2));
    world.set_capacity(400);
    world
}

#[test]
fn odd_numbers_in_what_pours_and_drains_are_refused_or_do_no_harm() {
    let world = drop_in_a_box();
    let pose = Pose::new(Vec2::new(0.0, 40.0), Vec2::NEG_X);
    let region = || FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid");
    for settings in [
        EmitterSettings::jet(20.0, 77.0),
        EmitterSettings::rain(FluidShape::Circle { radius: 20.0 }, 33.0),
    ] {
        let mut emitter = Emitter::new(settings).expect("valid");
        emitter.emit(world.clone().liquid_mut(), pose, pose, TICK).expect("valid");
        put_everywhere(&emitter, |emitter| {
            let _ = emitter.emit(world.clone().liquid_mut(), pose, pose, TICK);
        });
    }
    let drain = Drain::new(region()).with_rate(33.0).expect("valid");
    put_everywhere(&drain, |drain| {
        let _ = drain.drain(world.clone().liquid_mut(), TICK);
    });
    let outlet = FluidRegion::circle(Vec2::new(30.0, 30.0), 15.0).expect("valid");
    let settings = PumpSettings { max_head: Some(100.0), ..PumpSettings::new(77.0) };
    let pump = Pump::new(settings, region(), outlet).expect("valid");
    put_everywhere(&pump, |pump| {
        let _ = pump.pump(world.clone().liquid_mut(), TICK);
    });
    let mut tank = Tank::new();
    tank.add(ClassId(1), 7, 20.0).expect("valid");
    put_everywhere(&tank, |tank| {
        let _ = (tank.add(ClassId(0), 3, 5.0), tank.take(ClassId(1), 2), tank.total());
    });
}

#[test]
fn odd_numbers_in_what_watches_are_refused_or_do_no_harm() {
    let mut world = drop_in_a_box();
    let region = FluidRegion::circle(Vec2::ZERO, 20.0).expect("valid");
    let mut sensor = Sensor::new(region, ClassFilter::ALL);
    let mut splashes = SplashDetector::new(SplashDetection::default()).expect("valid");
    let mut blobs = BlobTracker::new(BlobTracking::default());
    let mut governor = Governor::new(FluidBudget::default()).expect("valid");
    world.despawn_where(|position, _| position.x > -10.0);
    crate::ticks::run(&mut world, 30);
    sensor.measure(&world, TICK);
    splashes.update(&world, TICK);
    blobs.update(&world);
    let report = StepReport { substeps: 4, ..StepReport::default() };
    governor.observe(&report, 0.002);
    put_everywhere(&sensor, |sensor| {
        let reading = sensor.measure(&world, TICK);
        assert!(reading.fill.is_finite() && reading.inflow.is_finite());
    });
    put_everywhere(&splashes, |splashes| {
        let finite = |splash: &Splash| splash.energy.is_finite();
        assert!(splashes.update(&world, TICK).iter().all(finite));
    });
    put_everywhere(&blobs, |blobs| {
        blobs.update(&world);
    });
    put_everywhere(&governor, |governor| governor.observe(&report, 0.003));
}

/// A chunk whose paint is less than nothing would make a world that cannot be read.
#[test]
fn odd_numbers_in_a_chunk_are_refused_or_do_no_harm() {
    let mut world = drop_in_a_box();
    let paint = Some(FluidPaint::default());
    let painted = DensityClass { name: "paint".into(), paint, ..DensityClass::default() };
    let mut other = FluidWorld::default();
    other.set_classes(ClassTable::new(vec![painted.clone()]).expect("valid")).expect("unused");
    world.clear();
    world.set_classes(ClassTable::new(vec![painted]).expect("valid")).expect("unused");
    for (number, x) in [-10.0, 0.0, 9.0, 20.0].into_iter().enumerate() {
        let paint = Some([0.3, 0.1 * number as f32, 0.9]);
        spawn(&mut world, ParticleSpawn { paint, class: ClassId(0), ..at(Vec2::new(x, 0.0)) });
    }
    crate::ticks::run(&mut world, 3);
    let region = FluidRegion::circle(Vec2::ZERO, 60.0).expect("valid");
    let chunk = world.take_chunk(&region).expect("between two ticks");
    let mut put = 0;
    put_everywhere(&chunk, |chunk: &mut FluidChunk| {
        let mut world = other.clone();
        if world.put_chunk(chunk).is_ok() {
            put += 1;
            let bytes = world.to_bytes().expect("between two ticks");
            assert!(FluidWorld::from_bytes(&bytes).is_ok(), "a world that cannot be read");
        }
    });
    assert!(put > 100, "{put}");
}

// How much memory is taken for bytes, whatever they say.

/// The promise of docs/snapshots.md, in bytes: 16 times the length, and for each class of a world 6 KB.
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
        world.insert_host_body(HostBody::at(Pose::from_translation(place(number)))).expect("valid");
    }
    assert_world_takes_little("containers and host bodies", &world);
    let mut world = FluidWorld::default();
    world.set_forces(&vec![Force::default(); MANY]).expect("valid");
    assert_world_takes_little("forces", &world);
    let mut world = FluidWorld::default();
    pour(&mut world, vec![Vec2::ZERO; MANY]);
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
        add_collider(&mut world, Collider::new(shape, Vec2::ZERO, Vec2::X));
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
    pour(&mut world, vec![Vec2::ZERO; MANY]);
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

// Scenes and materials that are read from files of others.

/// A folder with a scene of these materials, and with files of materials.
fn folder(name: &str, materials: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("blob_fluid_trust_{name}_{}", std::process::id()));
    fs::create_dir_all(folder.join("scenes")).expect("writable");
    fs::create_dir_all(folder.join("materials")).expect("writable");
    let scene = folder.join("scenes/scene.scene.ron");
    fs::write(&scene, format!("(materials: [{materials}])")).expect("writable");
    for (name, text) in files {
        fs::write(folder.join("materials").join(name), text).expect("writable");
    }
    scene
}

fn read(name: &str, materials: &str, files: &[(&str, &str)]) -> Result<Scene, SceneError> {
    let scene = folder(name, materials, files);
    let read = Scene::read(&scene);
    let folder = scene.ancestors().nth(2).expect("it has one");
    fs::remove_dir_all(folder).expect("it is there");
    read
}

/// Each such file would have been read for ever, because the class that it names never comes.
#[test]
fn a_material_has_the_name_of_its_file() {
    let other = "(class: (name: \"b\", thermal: (above: (temperature: 9, becomes: \"a\"))))";
    let error = read("other", "\"a\"", &[("a.fluid.ron", other)]).expect_err("refused");
    let SceneError::Material(MaterialError::OtherName { path, class }) = &error else {
        panic!("{error}");
    };
    assert!(path.ends_with("a.fluid.ron") && class == "b");
    // Two that turn into each other are each read once.
    let turns = |name: &str, into: &str| {
        format!(
            "(class: (name: \"{name}\", thermal: (above: (temperature: 9, becomes: \"{into}\"))))"
        )
    };
    let files = [("a.fluid.ron", &*turns("a", "b")), ("b.fluid.ron", &*turns("b", "a"))];
    let scene = read("circle", "\"a\"", &files).expect("valid");
    assert_eq!(scene.material_contents.len(), 2);
}

#[test]
fn no_name_of_a_material_leaves_its_folder() {
    for name in ["../secret", "/etc/passwd", "a/b", "..", ".hidden", "c:a", "", "a\\\\b"] {
        let error = read("leave", &format!("\"{name}\""), &[]).expect_err("refused");
        let named = matches!(&error, SceneError::Material(MaterialError::Name(_)));
        assert!(named, "{name}: {error}");
    }
    let becomes = "(class: (name: \"a\", thermal: (above: (temperature: 9, becomes: \"../b\"))))";
    let error = read("becomes", "\"a\"", &[("a.fluid.ron", becomes)]).expect_err("refused");
    assert!(matches!(error, SceneError::Material(MaterialError::Name(_))), "{error}");
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    assert_eq!(Scene::from_ron("\u{feff}(duration: 3)").expect("valid").duration, 3.0);
    let material = Material::from_ron("\u{feff}(class: (name: \"x\"))").expect("valid");
    assert_eq!(material.class.name, "x");
    let error =
        Material::from_ron("\u{feff}(class: (name: \"x\", mass: inf))").expect_err("refused");
    assert!(error.to_string().starts_with("1:21"), "{error}");
}

#[test]
fn scenes_that_would_take_any_memory_or_time_are_refused() {
    let air = "(bounds: (low: (0, 0), high: (2047, 2047)), cell_size: 1)";
    let cases = [
        (format!("(airs: [{}])", [air; 5].join(", ")), "airs"),
        ("(settling: (duration: 1000000, drag: 1))".to_owned(), "duration"),
        ("(settling: (duration: NaN, drag: 1))".to_owned(), "duration"),
        ("(settling: (duration: -1, drag: 1))".to_owned(), "duration"),
        ("(settling: (duration: 1, drag: -1))".to_owned(), "drag"),
        ("(settling: (duration: 1, drag: 1e9))".to_owned(), "drag"),
        ("(blocks: [(fill: Spiral(radius: -5, count: 3))])".to_owned(), "radius"),
        ("(blocks: [(fill: Spiral(radius: NaN, count: 3))])".to_owned(), "radius"),
    ];
    for (text, field) in cases {
        let scene = Scene::from_ron(&text).expect("readable");
        let error = scene.start(&SerialExecutor).expect_err("refused").to_string();
        assert!(error.contains(field), "{text}: {error}");
    }
}
