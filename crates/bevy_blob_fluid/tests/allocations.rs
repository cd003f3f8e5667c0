//! What drawing asks of the allocator.
//!
//! A program of its own: the allocations of a thread are counted, which in a program with other tests
//! now and then does a task of theirs.
#![cfg(feature = "render")]

use bevy::core_pipeline::Core2d;
use bevy::ecs::schedule::{ScheduleLabel, SingleThreadedExecutor};
use bevy::render::{ExtractSchedule, Render, RenderApp};
use bevy_blob_fluid::blob_fluid::shape::fermat_spiral;
use bevy_blob_fluid::render::raw::FluidInstance;

#[path = "plugin/support/app.rs"]
mod app;
#[path = "plugin/support/pictures.rs"]
mod pictures;

use app::*;
use pictures::{at, drawing, shoot, spawn_camera};

/// Lets a schedule run on this thread, whose allocations are counted.
fn on_this_thread(app: &mut SubApp, label: impl ScheduleLabel) {
    app.edit_schedule(label, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    });
}

/// How many bytes a frame allocates in which that many particles are handed over, uploaded and drawn,
/// with these looks; `None` without an adapter.
fn bytes_per_frame(particles: usize, looks: impl Bundle) -> Option<u64> {
    let mut app = drawing(BlobFluidPlugins::default())?;
    for label in [First.intern(), PreUpdate.intern(), Update.intern(), PostUpdate.intern()] {
        on_this_thread(app.main_mut(), label);
    }
    on_this_thread(app.main_mut(), Last);
    on_this_thread(app.sub_app_mut(RenderApp), ExtractSchedule);
    on_this_thread(app.sub_app_mut(RenderApp), Render);
    on_this_thread(app.sub_app_mut(RenderApp), Core2d);
    app.spawn(looks);
    let (_, picture) = spawn_camera(&mut app, 32);
    app.update();
    app.clock().pause();
    app.settings().capacity = particles;
    app.update();
    let mut fluid = app.fluid_mut();
    for position in fermat_spiral(Vec2::ZERO, 4.0 * (particles as f32).sqrt(), particles) {
        fluid.spawn(ParticleSpawn { position, ..default() }).expect("room for all");
    }
    let frame = |app: &mut App| {
        app.fluid_mut().set_changed();
        app.update();
    };
    for _ in 0..10 {
        frame(&mut app);
    }
    // The least of several: now and then one of Bevy's own lists grows.
    let frames = (0..10).map(|_| allocation_counter::measure(|| frame(&mut app)).bytes_total);
    let least = frames.min().expect("ten");
    assert_ne!(at(&shoot(&mut app, &picture), 0.0, 0.0), [0; 3], "nothing was drawn");
    Some(least)
}

#[test]
fn drawing_more_particles_allocates_no_more() {
    const MANY: usize = 100_000;
    // wgpu keeps a few more notes of a large upload than of a small one.
    let notes = (MANY * size_of::<FluidInstance>()) as u64 / 100;
    let surfaces = [100, MANY].map(|count| bytes_per_frame(count, FluidSurface::default()));
    let [Some(few), Some(many)] = surfaces else { return };
    assert!(few > 0, "a frame without any allocation: are they counted?");
    assert!(many < few + notes, "{many} bytes with many particles, {few} with few");
    let dots = [100, MANY].map(|count| bytes_per_frame(count, FluidDots::default()));
    let [Some(few), Some(many)] = dots else { return };
    assert!(many < few + notes, "{many} bytes with many blobs, {few} with few");
}
