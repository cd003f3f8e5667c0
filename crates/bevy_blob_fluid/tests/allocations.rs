//! What drawing asks of the allocator.
#![cfg(feature = "render")]

use bevy::core_pipeline::Core2d;
use bevy::ecs::schedule::{ScheduleLabel, SingleThreadedExecutor};
use bevy::prelude::*;
use bevy::render::{ExtractSchedule, Render, RenderApp};
use bevy_blob_fluid::blob_fluid::shape::fermat_spiral;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::render::FluidInstance;

#[path = "support/pictures.rs"]
mod pictures;

use pictures::{adapter_found, app_with, at, shoot, spawn_camera};

/// Lets a schedule run on this thread, whose allocations are counted.
fn on_this_thread(app: &mut SubApp, label: impl ScheduleLabel) {
    app.edit_schedule(label, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    });
}

/// How many bytes a frame allocates in which that many particles are handed over, uploaded and drawn,
/// with these looks.
fn bytes_per_frame(particles: usize, looks: impl Bundle) -> u64 {
    let mut app = app_with(
        |_| {},
        |app| {
            app.add_plugins(BlobFluidPlugins::default());
        },
    );
    for label in [First.intern(), PreUpdate.intern(), Update.intern(), PostUpdate.intern()] {
        on_this_thread(app.main_mut(), label);
    }
    on_this_thread(app.main_mut(), Last);
    on_this_thread(app.sub_app_mut(RenderApp), ExtractSchedule);
    on_this_thread(app.sub_app_mut(RenderApp), Render);
    on_this_thread(app.sub_app_mut(RenderApp), Core2d);
    app.world_mut().spawn(looks);
    let (_, picture) = spawn_camera(&mut app, 32);
    app.update();
    app.world_mut().resource_mut::<Time<Fluid>>().pause();
    app.world_mut().resource_mut::<FluidSettings>().capacity = particles;
    app.update();
    let mut fluid = app.world_mut().resource_mut::<FluidSimulation>();
    for position in fermat_spiral(Vec2::ZERO, 4.0 * (particles as f32).sqrt(), particles) {
        fluid.spawn(FluidParticleSpawn { position, ..default() }).expect("room for all");
    }
    let frame = |app: &mut App| {
        app.world_mut().resource_mut::<FluidSimulation>().set_changed();
        app.update();
    };
    for _ in 0..10 {
        frame(&mut app);
    }
    // The least of several: now and then one of Bevy's own lists grows.
    let frames = (0..10).map(|_| allocation_counter::measure(|| frame(&mut app)).bytes_total);
    let least = frames.min().expect("ten");
    assert_ne!(at(&shoot(&mut app, &picture), 0.0, 0.0), [0; 3], "nothing was drawn");
    least
}

#[test]
fn drawing_more_particles_allocates_no_more() {
    if !adapter_found() {
        return;
    }
    const MANY: usize = 100_000;
    // wgpu keeps a few more notes of a large upload than of a small one.
    let notes = (MANY * size_of::<FluidInstance>()) as u64 / 100;
    let [few, many] = [100, MANY].map(|count| bytes_per_frame(count, FluidSurface::default()));
    assert!(few > 0, "a frame without any allocation: are they counted?");
    assert!(many < few + notes, "{many} bytes with many particles, {few} with few");
    let [few, many] = [100, MANY].map(|count| bytes_per_frame(count, FluidDots::default()));
    assert!(many < few + notes, "{many} bytes with many blobs, {few} with few");
}
