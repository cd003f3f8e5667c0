//! Counts that come from bytes may be as large as they can be.

use blob_fluid::{ClassId, Emitter, EmitterSettings, FluidSolver, FluidWorld, Snapshot, Tank};
use glam::Vec2;

use super::{HEADER, assert_runs, file_of, sealed, value_of};
use crate::snapshots::everything;
use crate::ticks::TICK;

/// The largest count that is read.
const MOST: u64 = 1 << 48;

/// Calls `visit` with each value that is read if a count is put to any place of a value's bytes.
fn put_everywhere<T: Snapshot>(value: &T, count: u64, mut visit: impl FnMut(T, usize)) {
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
    let pose = (Vec2::ZERO, Vec2::X);
    let mix = vec![(ClassId(0), 2.0), (ClassId(1), 1.0)];
    let settings = EmitterSettings { mix, ..EmitterSettings::jet(20.0, 900.0) };
    let mut emitter = Emitter::new(settings).expect("valid");
    emitter.emit(world.clone().liquid_mut(), pose, pose, TICK).expect("valid");
    let mut full = 0;
    for count in [MOST - 1, MOST, MOST + 1, u64::MAX] {
        put_everywhere(&emitter, count, |mut emitter, place| {
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
        put_everywhere(&tank, count, |mut tank, place| {
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
