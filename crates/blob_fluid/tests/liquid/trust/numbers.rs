//! Every number that comes from bytes has a range.

use blob_fluid::{
    BlobTracker, BlobTracking, ClassFilter, ClassId, ClassTable, DensityClass, Drain, Emitter,
    EmitterSettings, FluidBudget, FluidChunk, FluidPaint, FluidRegion, FluidShape, FluidSolver,
    FluidWorld, Governor, ParticleSpawn, Pump, PumpSettings, Sensor, Snapshot, SplashDetection,
    SplashDetector, StepReport, Tank,
};
use glam::Vec2;

use super::{HEADER, assert_runs, file_of, sealed, value_of};
use crate::random_scenes::Random;
use crate::snapshots::everything;
use crate::ticks::TICK;

/// Numbers that few settings may have.
const ODD: [f32; 6] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e30, -1e30];

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

fn drop_in_a_box() -> FluidWorld {
    let mut world = FluidWorld::default();
    let half_size = Vec2::new(60.0, 50.0);
    world.insert_container(blob_fluid::Container::rectangle(Vec2::ZERO, half_size).expect("valid"));
    for position in (FluidShape::Circle { radius: 25.0 }).fill(Vec2::ZERO, 8.2) {
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    world.set_capacity(400);
    world
}

#[test]
fn odd_numbers_in_what_pours_and_drains_are_refused_or_do_no_harm() {
    let world = drop_in_a_box();
    let pose = (Vec2::new(0.0, 40.0), Vec2::NEG_X);
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
        let finite = |splash: &blob_fluid::Splash| splash.energy.is_finite();
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
        let (position, class) = (Vec2::new(x, 0.0), ClassId(0));
        let spawn = ParticleSpawn { position, paint, class, ..Default::default() };
        world.spawn(spawn).expect("room");
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
