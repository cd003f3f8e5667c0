//! Sources are inserted, changed and removed one by one, without any effect on others.

use std::collections::BTreeSet;

use blob_fluid::FluidRegion;
use blob_fluid::air::{Air, AirChannel, AirError, AirSettings, AirSides, AirSource};
use glam::Vec2;

use crate::{burst, room, run};

fn still() -> Air {
    room(16, 16, AirSettings::default(), AirSides::default())
}

/// Smoke in a disc around the middle of a row.
fn nozzle(x: f32, smoke: f32) -> AirSource {
    let region = FluidRegion::circle(Vec2::new(x, 8.0), 2.0).expect("valid");
    AirSource { smoke, ..AirSource::new(region) }
}

#[test]
fn handles_stay_valid_until_removed_and_are_never_anothers() {
    let mut air = still();
    let mut all = BTreeSet::new();
    let mut present = Vec::new();
    for number in 0..20 {
        let smoke = number as f32;
        let id = air.insert_source(nozzle(4.0, smoke)).expect("valid");
        assert!(all.insert(id), "{id:?} was another's");
        if number % 3 == 0 {
            assert_eq!(air.remove_source(id), Some(nozzle(4.0, smoke)));
        } else {
            present.push((id, smoke));
        }
        assert!(air.source_ids().eq(present.iter().map(|(id, _)| *id)), "the order of insertion");
        assert!(
            air.sources().iter().map(|source| source.smoke).eq(present.iter().map(|entry| entry.1))
        );
        assert!(
            present
                .iter()
                .all(|(id, smoke)| air.source(*id).map(|source| source.smoke) == Some(*smoke))
        );
    }
    air.set_sources(vec![nozzle(9.0, 7.0)]).expect("valid");
    let new = air.source_ids().next().expect("one");
    for id in all {
        assert!(id != new && air.source(id).is_none() && air.remove_source(id).is_none());
        assert_eq!(air.set_source(id, nozzle(1.0, 1.0)), Ok(false));
    }
    assert_eq!(air.source(new), Some(&nozzle(9.0, 7.0)), "untouched by all that");
}

#[test]
fn a_burst_is_gone_after_the_step_and_the_others_stay() {
    let mut air = still();
    let first = air.insert_source(nozzle(4.0, 1.0)).expect("valid");
    let puff = air.insert_source(burst(Vec2::splat(8.0), 2.0)).expect("valid");
    let last = air.insert_source(nozzle(12.0, 2.0)).expect("valid");
    let changed = AirSource { smoke: 3.0, ..burst(Vec2::splat(8.0), 2.0) };
    assert_eq!(air.set_source(puff, changed.clone()), Ok(true));
    assert_eq!(air.source(puff), Some(&changed), "it waits for the step");
    run(&mut air, 1);
    assert_eq!(air.source(puff), None);
    assert_eq!(air.set_source(puff, nozzle(8.0, 1.0)), Ok(false));
    assert_eq!(air.remove_source(puff), None);
    assert!(air.source_ids().eq([first, last]));
    assert_eq!(air.source(last), Some(&nozzle(12.0, 2.0)));
    let next = air.insert_source(burst(Vec2::splat(8.0), 2.0)).expect("valid");
    assert_ne!(next, puff);
}

#[test]
fn sources_one_by_one_are_those_of_a_list_to_the_bit() {
    let sources = [nozzle(4.0, 1.0), burst(Vec2::splat(8.0), 3.0), nozzle(11.0, -2.0)];
    let (mut one_by_one, mut listed) = (still(), still());
    listed.set_sources(sources.to_vec()).expect("valid");
    let wrong = one_by_one.insert_source(nozzle(8.0, 5.0)).expect("valid");
    for source in sources {
        one_by_one.insert_source(source).expect("valid");
    }
    one_by_one.remove_source(wrong);
    assert_eq!(one_by_one.sources(), listed.sources());
    run(&mut one_by_one, 9);
    run(&mut listed, 9);
    assert_eq!(one_by_one.state_hash(), listed.state_hash());
    assert!(listed.amount(AirChannel::Smoke) > 0.0);
}

#[test]
fn bad_sources_are_refused_and_change_nothing() {
    let mut air = still();
    let id = air.insert_source(nozzle(4.0, 1.0)).expect("valid");
    let bad = nozzle(4.0, f32::NAN);
    assert!(matches!(air.insert_source(bad.clone()), Err(AirError::OutOfRange(_))));
    assert!(matches!(air.set_source(id, bad), Err(AirError::OutOfRange(_))));
    assert_eq!(air.sources(), [nozzle(4.0, 1.0)]);
    assert_eq!(air.source_ids().len(), 1);
}
