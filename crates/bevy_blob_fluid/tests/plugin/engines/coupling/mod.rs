//! Scenes that hold for every physics engine.

pub mod floating;
pub mod ledger;
pub mod mishaps;

/// Tests an engine with all scenes.
macro_rules! test_engine {
    ($engine:ty) => {
        $crate::engines::coupling::test_engine! { $engine:
            #[ignore = "long: .ci/run"]
            floating::draughts: bodies_float_as_deep_as_their_densities_say,
            ledger::shapes: shapes_have_the_distances_of_the_engine,
            ledger::unknown: a_shape_that_says_nothing_of_itself_is_left_out,
            mishaps::paused: liquid_and_engine_pause_together,
            mishaps::slowed: liquid_and_engine_slow_down_together,
            ledger::walls: surfaces_meet_shapes_where_they_are,
            ledger::absent: what_is_no_solid_collider_is_not_there,
            ledger::placed: bodies_children_and_scales_are_where_they_should_be,
            ledger::layers: classes_pass_what_layers_leave_out,
            ledger::nonsense: nonsense_is_refused,
            floating::shaken: a_shaken_cup_keeps_its_water,
            floating::sinks_and_layers: a_stone_sinks_and_a_body_lies_between_two_liquids,
            floating::pile: a_pile_of_crates_rests_under_water,
            ledger::splashes: a_splash_balances,
            #[ignore = "long: .ci/run"]
            ledger::minute: a_minute_of_floating_balances,
            #[ignore = "long: .ci/run"]
            mishaps::wave: a_pond_with_a_boat_sleeps_until_a_wave_wakes_both,
            #[ignore = "long: .ci/run"]
            mishaps::poured: what_is_poured_wakes_a_pond_and_its_boat_and_both_sleep_again,
            mishaps::any_number_gives_the_same_bits: any_number_of_threads_gives_the_same_bits,
            #[ignore = "long: .ci/run"]
            floating::mill: a_stream_turns_a_braked_wheel_at_a_steady_rate,
            #[ignore = "long: .ci/run"]
            floating::flooded: a_flooded_boat_floats_by_its_walls,
            floating::lifted: a_crate_on_a_dry_floor_floats_when_the_room_floods,
            #[ignore = "long: .ci/run"]
            floating::small: a_crowd_of_bodies_stays_quiet,
            #[ignore = "long: .ci/run"]
            floating::large: two_hundred_bodies_stay_quiet_for_a_minute,
            mishaps::from_bytes: an_app_continues_bit_identically_from_bytes,
            mishaps::undone: an_undone_move_leaves_the_bits_of_engine_and_liquid,
            mishaps::restarted: bodies_that_are_put_back_in_another_run_continue_within_roundings,
            mishaps::gone_in_another_app: a_body_that_is_gone_stays_gone_in_another_app,
            mishaps::locked: locked_axes_stay_locked,
            mishaps::switched: what_is_switched_off_and_on_floats_again,
            mishaps::gone: a_body_that_is_despawned_or_moved_leaves_calm_liquid,
            mishaps::bullet: a_swept_bullet_does_not_pass_a_wall_and_throws_no_liquid,
            mishaps::massless: bodies_without_mass_do_no_harm,
            mishaps::scaled: a_body_with_a_scaled_parent_floats_as_large_as_it_is,
            #[ignore = "long: .ci/run"]
            mishaps::numbers: numbers_that_are_none_do_not_reach_the_liquid,
            floating::bolted: a_light_paddle_on_a_joint_lets_nothing_through,
            mishaps::moved: a_body_that_a_game_moves_throws_no_liquid_and_is_not_thrown,
            mishaps::thrown: a_fast_body_is_slowed_and_never_thrown_back_faster,
            mishaps::long_frames: what_floats_goes_on_floating_in_long_frames,
        }
    };
    ($engine:ty: $($(#[$attribute:meta])? $file:ident::$scene:ident: $test:ident,)*) => {
        $(
            #[test]
            $(#[$attribute])?
            fn $test() {
                $crate::engines::coupling::$file::$scene::<$engine>();
            }
        )*
    };
}
pub(crate) use test_engine;
