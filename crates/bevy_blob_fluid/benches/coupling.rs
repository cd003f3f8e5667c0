//! What a hundred bodies of avian2d cost a pool of 30,000 particles: the engine's step, what the
//! coupling does around a tick, and the passes. `cargo bench -p bevy_blob_fluid --features avian2d
//! --bench coupling`.

use std::time::Instant;

use avian2d::prelude::{Collider, ColliderDensity, Gravity, PhysicsPlugins, RigidBody};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::prelude::*;

const ROWS: f32 = 50.0;

/// An app with a pool, and bodies that float in it, or not, if there is no coupling.
fn pool(particles: usize, bodies: usize) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default()))
        .add_plugins(PhysicsPlugins::default().with_length_unit(100.0))
        .add_plugins(BlobFluidPlugins::default());
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let mut settings = FluidSettings::default();
    settings.parameters.sleeping = FluidSleeping::OFF;
    let spacing = settings.parameters.particle_spacing;
    app.insert_resource(Gravity(settings.parameters.gravity)).insert_resource(settings);
    let size = Vec2::new(particles as f32 / ROWS, ROWS) * spacing;
    let walls = FluidContainer::from(Rectangle::new(size.x, 2.0 * size.y));
    app.world_mut().spawn((walls, Transform::from_xyz(0.0, 0.5 * size.y, 0.0)));
    let liquid = FluidBlob::from(Rectangle::new(size.x - spacing, size.y - spacing));
    app.world_mut().spawn((liquid, FluidClass::MEDIUM));
    for body in 0..bodies {
        let x = size.x * ((body as f32 + 0.5) / bodies as f32 - 0.5);
        app.world_mut().spawn((
            RigidBody::Dynamic,
            Collider::rectangle(28.0, 20.0),
            ColliderDensity(0.5),
            FluidCoupled::default(),
            Transform::from_xyz(x, 0.5 * size.y + 10.0, 0.0),
        ));
    }
    app.finish();
    app.cleanup();
    app
}

/// Medians of the time of an update and of its passes, in milliseconds.
fn measure(particles: usize, bodies: usize, runs: usize) -> (f32, f32) {
    let mut app = pool(particles, bodies);
    for _ in 0..runs {
        app.update();
    }
    let (mut updates, mut passes) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let begin = Instant::now();
        app.update();
        updates.push(1e3 * begin.elapsed().as_secs_f32());
        passes.push(app.world().resource::<FluidStatistics>().passes_milliseconds);
    }
    let median = |times: &mut Vec<f32>| {
        times.sort_by(f32::total_cmp);
        times[times.len() / 2]
    };
    (median(&mut updates), median(&mut passes))
}

fn main() {
    let only_try = std::env::args().any(|argument| argument == "--test");
    let (particles, runs) = if only_try { (3_000, 3) } else { (30_000, 100) };
    let (alone, passes_alone) = measure(particles, 0, runs);
    let (coupled, passes) = measure(particles, 100, runs);
    println!(
        "{particles} particles: {alone:.2} ms, passes {passes_alone:.2}; with 100 bodies of avian2d \
         {coupled:.2} ms, passes {passes:.2}: {:+.0} %",
        100.0 * (coupled / alone - 1.0)
    );
}
