//! How many particles there are on the graphics card, and what becomes of a liquid that is not there.

use bevy::render::error_handler::{RenderErrorHandler, RenderErrorPolicy};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::gpu::{on_device, tank};
use crate::app::*;

#[test]
fn without_a_card_there_are_fewer_and_larger_particles() {
    let count = |fallback_spacing, backend| {
        let mut app = headless(FluidSettings { backend, fallback_spacing, ..default() });
        spawn_blob(&mut app);
        app.updates(5);
        let spacing = app.resource::<FluidSettings>().parameters.particle_spacing;
        assert_eq!(app.resource::<FluidSimulation>().parameters().particle_spacing, spacing);
        (app.particles() as f32, spacing)
    };
    let (all, spacing) = count(None, FluidBackend::Gpu);
    let (fewer, twice) = count(Some(2.0 * spacing), FluidBackend::Gpu);
    assert_eq!(twice, 2.0 * spacing);
    assert!((fewer / all - 0.25).abs() < 0.1, "{fewer} and {all}");
    assert_eq!(count(Some(2.0 * spacing), FluidBackend::Cpu), (all, spacing));
    // What is no spacing is refused.
    assert_eq!(count(Some(-1.0), FluidBackend::Gpu), (all, spacing));
}

#[test]
fn a_liquid_that_is_there_keeps_its_spacing_without_a_card() {
    let mut app = headless(FluidSettings::default());
    spawn_blob(&mut app);
    app.updates(5);
    let before = app.resource::<FluidSettings>().parameters;
    let mut settings = app.resource_mut::<FluidSettings>();
    settings.backend = FluidBackend::Gpu;
    settings.fallback_spacing = Some(2.0 * before.particle_spacing);
    app.updates(5);
    assert_eq!(app.resource::<FluidSettings>().parameters, before);
}

/// A fountain that has filled the liquid flows on, on the card as on the processor.
#[test]
fn the_oldest_make_room_on_the_card() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    let count = |app: &App| app.resource::<FluidStatistics>().on_device;
    let capacity = count(&app) + 40;
    let mut settings = app.resource_mut::<FluidSettings>();
    settings.capacity = capacity;
    app.spawn((FluidEmitter::jet(20.0, 200.0), xy(0.0, 70.0)));
    app.updates(60);
    assert_eq!(count(&app), capacity, "the emitter has stopped");
    assert_eq!(app.resource::<FluidStatistics>().recycled, 0);
    app.resource_mut::<FluidSettings>().when_full = CapacityPolicy::RecycleOldest;
    app.updates(60);
    // The card reports two ticks late.
    let statistics = *app.resource::<FluidStatistics>();
    println!("{} recycled", statistics.recycled);
    assert!(statistics.recycled > 30, "{}", statistics.recycled);
    assert_eq!(statistics.on_device, capacity);
    assert_eq!(on_device(&app).len(), capacity);
    // What is more than there may be comes back all the same.
    let mut settings = app.resource_mut::<FluidSettings>();
    settings.capacity = 10;
    settings.when_full = CapacityPolicy::Refuse;
    settings.backend = FluidBackend::Cpu;
    app.updates(2);
    assert!(app.particles() >= capacity - 5, "{} of {capacity}", app.particles());
    assert!(app.resource::<FluidStatistics>().recycled >= statistics.recycled);
}

/// An emitter that a full liquid has stopped goes on when a drain has made room.
#[test]
fn what_a_drain_frees_on_the_card_is_filled_again() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    let count = |app: &App| app.resource::<FluidStatistics>().on_device;
    let capacity = count(&app);
    app.resource_mut::<FluidSettings>().capacity = capacity;
    app.spawn((FluidEmitter::jet(20.0, 200.0), xy(0.0, 70.0)));
    app.updates(10);
    assert_eq!(count(&app), capacity);
    let drain = app.spawn((FluidDrain::from(Rectangle::new(160.0, 30.0)), xy(0.0, -70.0)));
    app.updates(10);
    app.world_mut().despawn(drain);
    app.updates(4);
    let left = count(&app);
    assert!(left + 20 < capacity, "{left} of {capacity}");
    app.updates(30);
    assert!(count(&app) > left + 10, "{} after {left}", count(&app));
}

/// A card takes one container.
#[test]
fn a_liquid_that_a_card_no_longer_takes_comes_back() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    let all = app.resource::<FluidStatistics>().on_device;
    assert!(all > 0);
    app.spawn((FluidContainer::from(Rectangle::new(50.0, 50.0)), xy(400.0, 0.0)));
    app.updates(3);
    assert_eq!((app.particles(), app.resource::<FluidStatistics>().on_device), (all, 0));
}

fn on_card(app: &App) -> usize {
    app.resource::<FluidStatistics>().on_device
}

#[test]
fn a_container_that_goes_takes_its_liquid_on_the_card_along() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    assert!(on_card(&app) > 0);
    let mut containers = app.world_mut().query_filtered::<Entity, With<FluidContainer>>();
    let container = containers.single(app.world()).expect("one");
    // In the same frame there is another level.
    app.despawn(container);
    app.spawn((FluidContainer::from(Rectangle::new(100.0, 100.0)), xy(0.0, 300.0)));
    let blob = app.spawn((FluidBlob::from(Rectangle::new(80.0, 50.0)), xy(0.0, 300.0)));
    app.updates(3);
    let there = on_card(&app);
    assert!((10..100).contains(&there), "{there}");
    app.despawn(blob);
    let container = containers.single(app.world()).expect("one");
    app.remove::<FluidContainer>(container);
    app.updates(3);
    assert_eq!((app.particles(), on_card(&app)), (0, 0));
}

#[test]
fn what_was_cleared_on_the_card_does_not_come_back() {
    let clear: [fn(&mut App); 3] = [
        |app| app.settings().backend = FluidBackend::Cpu,
        |app| app.settings().parameters.solver = FluidSolver::Sph,
        |app| {
            app.spawn((FluidContainer::from(Rectangle::new(50.0, 50.0)), xy(400.0, 0.0)));
        },
    ];
    for and_then in clear {
        let Some(mut app) = tank(FluidBackend::Gpu) else { return };
        app.updates(3);
        app.fluid_mut().clear();
        and_then(&mut app);
        app.updates(4);
        assert_eq!((app.particles(), on_card(&app)), (0, 0));
        app.add_particle(ParticleSpawn::default());
        app.updates(4);
        assert_eq!((app.particles(), on_card(&app)), (1, 0));
    }
}

#[test]
#[cfg(feature = "snapshot")]
fn a_snapshot_replaces_what_is_on_the_card() {
    let Some(mut app) = tank(FluidBackend::Cpu) else { return };
    app.updates(3);
    let count = app.particles();
    let snapshot = bevy_blob_fluid::FluidSnapshot::take(app.world_mut()).expect("a liquid");
    app.settings().backend = FluidBackend::Gpu;
    app.updates(5);
    assert_eq!((app.particles(), on_card(&app)), (0, count));
    let restored = snapshot.restore(app.world_mut()).expect("a liquid");
    assert!(restored.missing.is_empty());
    app.updates(3);
    assert_eq!((app.particles(), on_card(&app)), (count, 0));
    // One that was taken on the card says nothing of it.
    app.settings().backend = FluidBackend::Gpu;
    app.updates(3);
    let snapshot = bevy_blob_fluid::FluidSnapshot::take(app.world_mut()).expect("a liquid");
    app.updates(3);
    let restored = snapshot.restore(app.world_mut()).expect("a liquid");
    assert!(restored.missing.is_empty());
    app.updates(3);
    assert_eq!((app.particles(), on_card(&app)), (0, count));
}

#[test]
fn drains_come_and_go_on_the_card_and_go_on_counting_off_it() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    let small = || FluidDrain::from(Rectangle::new(160.0, 30.0)).with_rate(64.0);
    // More than there are channels, one after the other.
    for number in 0..70 {
        let drain = app.spawn((small(), xy(0.0, -70.0)));
        app.updates(6);
        let drained = app.component::<FluidDrainTotals>(drain).total;
        assert!((1..=6).contains(&drained), "{drained} by drain {number}");
        app.component_mut::<FluidDrain>(drain).running = false;
        app.updates(3);
        app.despawn(drain);
        for x in 0..8 {
            let position = Vec2::new(12.0 * x as f32 - 42.0, 60.0);
            app.add_particle(ParticleSpawn { position, ..default() });
        }
    }
    let drain = app.spawn((small(), xy(0.0, -70.0)));
    app.updates(20);
    let before = app.component::<FluidDrainTotals>(drain).total;
    assert!(before > 10);
    app.settings().backend = FluidBackend::Cpu;
    app.updates(10);
    let FluidDrainTotals { total, by_class } = app.component(drain);
    assert!((before + 5..before + 15).contains(total), "{total} after {before}");
    assert_eq!(by_class.iter().sum::<u64>(), *total);
}

/// Spawns liquid above the tank's, which is not there yet.
fn add_blob(app: &mut App) {
    app.spawn((FluidBlob::from(Rectangle::new(30.0, 30.0)), xy(0.0, 50.0)));
}

#[test]
fn a_game_goes_on_after_the_card_is_lost() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    assert!(on_card(&app) > 0);
    // Bevy would end the app.
    app.insert_resource(RenderErrorHandler(|_, _, _| RenderErrorPolicy::StopRendering));
    app.resource::<RenderDevice>().wgpu_device().destroy();
    add_blob(&mut app);
    app.spawn(FluidImpulse::push(&Circle::new(100.0), Vec2::X));
    app.updates(5);
    // Particles that could not move to the card are there.
    let waiting = app.particles();
    assert!(waiting > 0 && on_card(&app) == 0);
    let before = app.positions().to_vec();
    app.update();
    assert!(app.positions() != before, "the processor goes on with them");
    app.settings().backend = FluidBackend::Cpu;
    app.updates(5);
    assert_eq!((app.particles(), on_card(&app)), (waiting, 0));
}

#[test]
fn liquid_moves_to_the_device_that_replaces_a_lost_one() {
    let [Some(mut app), Some(other)] = [FluidBackend::Gpu, FluidBackend::Cpu].map(tank) else {
        return;
    };
    app.updates(3);
    let before = on_card(&app);
    app.resource::<RenderDevice>().wgpu_device().destroy();
    app.insert_resource(RenderErrorHandler(|_, _, _| RenderErrorPolicy::StopRendering));
    // As a renderer does that recovers.
    app.insert_resource(other.resource::<RenderDevice>().clone());
    app.insert_resource(other.resource::<RenderQueue>().clone());
    add_blob(&mut app);
    app.updates(5);
    let there = on_card(&app);
    assert!(there > 0 && there < before && app.particles() == 0, "{there} after {before}");
    assert_eq!(on_device(&app).len(), there);
}
