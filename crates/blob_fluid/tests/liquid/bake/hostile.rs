//! Bytes that are damaged, cut, or made to do harm.

use blob_fluid::{BakeSettings, BakedFluid, BakedPlayer, FluidWorld, SnapshotError, SnapshotFile};

use super::baked;
use crate::random_scenes::Random;
use crate::snapshots::hostile::{assert_damage_is_noticed, harmed};

fn whole() -> Vec<u8> {
    baked(40, BakeSettings { key_interval: 10, ..Default::default() }).to_bytes()
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let whole = whole();
    let mut random = Random::new(38, "baked flips");
    assert_damage_is_noticed((&whole, &mut random, 1000), BakedFluid::from_bytes);
}

/// Some bytes are replaced, left out or repeated, and the checksum is made right again.
#[test]
fn bytes_that_were_made_to_do_harm_give_an_error_or_are_shown() {
    let whole = whole();
    let mut random = Random::new(38, "baked harm");
    let (mut refused, mut broken, mut shown) = (0, 0, 0);
    for _ in 0..3000 {
        let bytes = harmed(&whole, &mut random);
        let mut read = None;
        let taken = allocation_counter::measure(|| read = BakedFluid::from_bytes(&bytes).ok());
        let most = 16 * bytes.len() as u64;
        assert!(taken.bytes_max < most, "{} bytes for {}", taken.bytes_max, bytes.len());
        let Some(baked) = read else {
            refused += 1;
            continue;
        };
        let mut result = Ok(());
        let taken = allocation_counter::measure(|| {
            let last = baked.seconds();
            let mut player = BakedPlayer::new(baked);
            result = [0.0, 0.3, 0.31, 0.1, last].into_iter().try_for_each(|time| {
                let frame = player.show(time)?;
                let (count, classes) = (frame.len(), player.baked().class_names().len());
                let frame = player.shown();
                assert!(frame.classes().iter().all(|class| usize::from(class.0) < classes));
                assert_eq!((frame.positions().len(), frame.opacities().len()), (count, count));
                Ok::<(), SnapshotError>(())
            });
        });
        let most = 512 * bytes.len() as u64;
        assert!(taken.bytes_max < most, "{} bytes for {}", taken.bytes_max, bytes.len());
        *if result.is_err() { &mut broken } else { &mut shown } += 1;
    }
    assert!(refused > 300 && broken > 100 && shown > 50, "{refused}, {broken}, {shown}");
}

#[test]
fn another_kind_and_another_version_are_refused_by_name() {
    let mut bytes = whole();
    bytes[8] = 9;
    let error = BakedFluid::from_bytes(&bytes).expect_err("of another version");
    assert_eq!(error, SnapshotError::Version { found: 9, supported: SnapshotFile::VERSION });
    let world = FluidWorld::default().to_bytes().expect("between two ticks");
    let error = BakedFluid::from_bytes(&world).expect_err("a world").to_string();
    assert_eq!(error, "the snapshot has no entry `baked`; it has world");
}
