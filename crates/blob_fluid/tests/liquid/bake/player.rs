//! Any moment is the same, however the player came there.

use std::sync::Arc;

use blob_fluid::{BakeSettings, BakedFluid, BakedPlayer, FluidBaker, FluidWorld};

use super::{baked, dam_break};
use crate::random_scenes::Random;
use crate::ticks::run;

#[test]
fn a_jump_shows_what_playing_through_shows() {
    for key_interval in [1, 2, 9, 1000] {
        let settings = BakeSettings { key_interval, ..Default::default() };
        let baked = Arc::new(baked(50, settings));
        assert_eq!((baked.frames(), baked.class_names().len()), (51, 3));
        // Five moments from one frame to the next.
        let time = |moment: usize| moment as f64 / 300.0;
        let mut player = BakedPlayer::new(baked.clone());
        let through: Vec<_> =
            (0..=250).map(|moment| player.show(time(moment)).expect("whole").clone()).collect();
        let mut random = Random::new(38, "jumps");
        let back = (0..=250).rev();
        let jumps: Vec<usize> = (0..150).map(|_| random.below(251)).collect();
        for moment in back.chain(jumps).chain(0..=250) {
            assert_eq!(player.show(time(moment)), Ok(&through[moment]), "moment {moment}");
        }
        let mut other = BakedPlayer::new(baked);
        assert_eq!(other.show(time(123)), Ok(&through[123]));
        // Beyond both ends, and at no time.
        for (at, moment) in [(-1.0, 0), (1e9, 250), (f64::INFINITY, 250), (f64::NAN, 0)] {
            assert_eq!(other.show(at), Ok(&through[moment]), "{at}");
        }
    }
}

#[test]
fn a_warm_player_allocates_nothing() {
    let mut player = BakedPlayer::new(baked(60, BakeSettings::default()));
    let mut play = || {
        let there = (0..=300).chain((0..=300).rev());
        for moment in there.chain([200, 17, 290]) {
            player.show(moment as f64 / 300.0).expect("whole");
        }
    };
    // Numbers of particles and lengths of frames are met once, in every memory that is swapped.
    (0..3).for_each(|_| play());
    assert_eq!(allocation_counter::measure(play).count_total, 0);
}

#[test]
fn bytes_come_back_as_they_were() {
    let baked = baked(20, BakeSettings { frame_rate: 30.0, ..Default::default() });
    assert_eq!(baked.frames(), 11);
    let bytes = baked.to_bytes();
    let again = BakedFluid::from_bytes(&bytes).expect("whole");
    assert_eq!((&again, again.to_bytes()), (&baked, bytes));
}

#[test]
fn an_empty_liquid_is_baked() {
    let mut world = FluidWorld::default();
    let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
    run(&mut world, 3);
    baker.after_tick(&world);
    let mut player = BakedPlayer::new(baker.baked().clone());
    assert!(player.show(0.01).expect("whole").is_empty());
    let settings = BakeSettings { frame_rate: 0.5, ..Default::default() };
    let error = FluidBaker::new(&world, settings).expect_err("too slow").to_string();
    assert_eq!(error, "bake: frame_rate is 0.5, and must be between 1 and 240");
}

/// What is shown has the same bits on every target. If a change of the simulation changes this number, so be it.
#[test]
fn what_is_shown_has_known_bits() {
    let mut world = dam_break(12, 12);
    let mut baker = FluidBaker::new(&world, BakeSettings::default()).expect("valid");
    for _ in 0..40 {
        run(&mut world, 1);
        baker.after_tick(&world);
    }
    let mut player = BakedPlayer::new(baker.finish());
    let mut bytes = Vec::new();
    for moment in 0..=80 {
        let frame = player.show(moment as f64 / 120.0).expect("whole");
        for vector in frame.positions().iter().chain(frame.velocities()) {
            bytes.extend(vector.to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend(frame.relative_densities().iter().copied().flat_map(f32::to_le_bytes));
    }
    let hash = crc32fast::hash(&bytes);
    assert_eq!(hash, 0xd91e_6ba7, "{hash:08x}");
}
