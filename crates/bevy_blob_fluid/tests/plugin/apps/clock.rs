//! Pauses, slow motion, long frames, and the rate of frames.

use std::time::Duration;

use bevy::ecs::schedule::ScheduleLabel;
use bevy::time::TimeUpdateStrategy;

use crate::app::*;

#[test]
fn pause_single_step_and_restart() {
    let mut app = headless(default());
    spawn_blob(&mut app);
    app.updates(5);
    app.clock().pause();
    let (hash, ticks) = (app.fluid().state_hash(), app.fluid().ticks());
    app.updates(5);
    assert_eq!(app.fluid().state_hash(), hash);
    app.clock().step_once();
    app.updates(5);
    assert_eq!(app.fluid().ticks(), ticks + 1);
    assert_ne!(app.fluid().state_hash(), hash);

    app.fluid_mut().clear();
    let again = spawn_blob(&mut app);
    app.clock().unpause();
    app.update();
    assert!(app.world().get::<FluidBlobFilled>(again).is_some_and(|filled| filled.particles > 0));
}

#[test]
fn slow_motion_takes_fewer_of_the_same_ticks() {
    let mut app = headless(default());
    spawn_blob(&mut app);
    app.clock().set_relative_speed(0.25);
    let before = app.fluid().ticks();
    app.updates(40);
    assert_eq!(app.fluid().ticks() - before, 10);
}

#[test]
fn a_long_frame_slows_the_fluid_down_instead_of_piling_up() {
    let mut app = app_at(BlobFluidPlugins::default(), Duration::from_millis(240));
    app.clock().set_max_ticks_per_frame(3);
    let before = app.fluid().ticks();
    app.updates(2);
    assert_eq!(app.fluid().ticks() - before, 6);
    assert!(app.resource::<FluidStatistics>().ticks_dropped > 0);
}

// Row 7 of docs/reliability.md.
#[test]
fn a_tab_that_slept_for_ten_minutes_goes_on_with_a_frame_like_any_other() {
    let frame = Duration::from_secs_f64(1.0 / 64.0);
    // Bevy's own clock cuts it to a quarter of a second, unless a game says otherwise.
    let cut = (BlobFluidPlugins::default(), None, 16 - 8);
    let uncut = (BlobFluidPlugins::new(Update), Some(Duration::MAX), 600 * 64 - 8);
    for (plugins, longest, expected) in [cut, uncut] {
        let mut app = app_at(plugins, frame);
        spawn_container(&mut app, 0.0);
        spawn_blob(&mut app);
        app.updates(30);
        let (ticks, count) = (app.fluid().ticks(), app.particles());
        if let Some(longest) = longest {
            app.resource_mut::<Time<Virtual>>().set_max_delta(longest);
        }
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(600)));
        app.update();
        assert_eq!(app.fluid().ticks() - ticks, 8);
        assert_eq!(app.resource::<FluidStatistics>().ticks_dropped, expected);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        app.updates(10);
        assert_eq!((app.fluid().ticks() - ticks, app.particles()), (18, count));
        assert_eq!(app.resource::<FluidStatistics>().ticks_dropped, expected, "no debt is left");
    }
}

/// The state after 600 ticks at that many frames per second.
fn hash_at(frames_per_second: f64, schedule: impl ScheduleLabel, tick: FluidTick) -> u64 {
    let frame = Duration::from_secs_f64(1.0 / frames_per_second);
    let time = frame;
    let mut app = app_at(BlobFluidPlugins::new(schedule), time);
    app.clock().pause();
    spawn_container(&mut app, 0.0);
    for (class, x) in [(FluidClass::LIGHT, -30.0), (FluidClass::HEAVY, 30.0)] {
        app.spawn((FluidBlob::from(Circle::new(25.0)), class, xy(x, 0.0)));
    }
    app.updates(2);
    app.clock().set_tick(tick);
    app.clock().unpause();
    while app.fluid().ticks() < 600 {
        // The last frame may hold more ticks than are left.
        let left = (600 - app.fluid().ticks()) as u32;
        app.clock().set_max_ticks_per_frame(left.min(8));
        app.update();
    }
    app.fluid().state_hash()
}

#[test]
fn frame_rate_does_not_change_the_result() {
    let reference = hash_at(60.0, FixedPostUpdate, FluidTick::Fixed);
    for rate in [30.0, 144.0] {
        assert_eq!(hash_at(rate, FixedPostUpdate, FluidTick::Fixed), reference, "{rate} fps");
    }
    let tick = FluidTick::Every(Duration::from_secs_f64(1.0 / 64.0));
    assert_eq!(hash_at(50.0, Update, tick), reference, "in Update");
}

// Row 25 of docs/reliability.md.
#[test]
fn an_app_without_bevys_plugins_stands_still() {
    let mut app = App::new();
    app.add_plugins(BlobFluidPlugins::new(Update)).finish_plugins();
    spawn_blob(&mut app);
    app.updates(2);
    assert!(!app.positions().is_empty());
    assert_eq!(app.fluid().ticks(), 0);
}
