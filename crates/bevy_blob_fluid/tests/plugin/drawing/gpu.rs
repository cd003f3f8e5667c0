//! The liquid on the graphics card.

use avian2d::prelude::{Collider, ColliderDensity, Gravity, PhysicsPlugins, RigidBody};
use bevy::render::error_handler::{RenderErrorHandler, RenderErrorPolicy};
use bevy::render::render_resource::{
    BufferDescriptor, BufferUsages, CommandEncoderDescriptor, MapMode, PollType,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy_blob_fluid::blob_fluid::Container;
use bevy_blob_fluid::render::raw::{FluidInstance, FluidInstances};

use crate::app::*;
use crate::pictures::*;
use crate::warnings::{keep_warnings, take_warnings_about};

/// A tank with a block of heavy liquid beside one of light liquid.
fn add_tank(app: &mut App) {
    app.spawn(FluidContainer::from(Rectangle::new(160.0, 160.0)));
    for (class, x) in [(FluidClass::HEAVY, -40.0), (FluidClass::LIGHT, 40.0)] {
        app.spawn((FluidBlob::from(Rectangle::new(64.0, 96.0)), class, xy(x, -20.0)));
    }
}

pub fn tank(backend: FluidBackend) -> Option<App> {
    let settings = FluidSettings { backend, ..default() };
    offscreen(settings, FluidDots::default(), add_tank)
}

/// The particles that are drawn from the graphics card.
pub fn on_device(app: &App) -> Vec<FluidInstance> {
    let drawn = app.resource::<FluidInstances>().on_device().expect("on the card");
    let (device, queue) = (app.resource::<RenderDevice>(), app.resource::<RenderQueue>());
    let bytes = u64::from(drawn.count) * size_of::<FluidInstance>() as u64;
    let copy = device.create_buffer(&BufferDescriptor {
        label: None,
        size: bytes,
        usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(&drawn.buffer, 0, &copy, 0, bytes);
    queue.submit([encoder.finish()]);
    copy.slice(..).map_async(MapMode::Read, |mapped| mapped.expect("mapped"));
    device.poll(PollType::wait_indefinitely()).expect("an answer");
    let bytes = copy.slice(..).get_mapped_range().to_vec();
    instances_of(&bytes)
}

/// The instances in some bytes.
fn instances_of(bytes: &[u8]) -> Vec<FluidInstance> {
    bytes
        .chunks_exact(20)
        .filter(|bytes| bytes[14] > 0)
        .map(|bytes| {
            let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
            let half = |at: usize| half(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
            let position = Vec2::new(float(0), float(4));
            let before = position + Vec2::new(half(8), half(10));
            let (class, looseness, shade) = (bytes[12], bytes[15] >> 3, bytes[15] & 7);
            assert_eq!((bytes[13] & 15, bytes[14]), (0, 255));
            assert_eq!(bytes[16..], [0; 4]);
            FluidInstance::new(before, position, class, shade)
                .with_looseness(f32::from(looseness) / 31.0)
                .with_heat_and_foam(f32::from(bytes[13] >> 4) / 15.0, 0.0)
        })
        .collect()
}

/// The value of a half float that is neither infinite nor NaN.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = if exponent == 0 {
        fraction * (-24.0_f32).exp2()
    } else {
        (1024.0 + fraction) * ((exponent - 25) as f32).exp2()
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[test]
fn the_liquid_moves_to_the_card_and_comes_back() {
    let Some(mut app) = tank(FluidBackend::Cpu) else { return };
    app.updates(5);
    let count = app.particles();
    assert!(count > 150, "{count}");
    app.resource_mut::<FluidSettings>().backend = FluidBackend::Gpu;
    app.updates(30);
    assert_eq!((app.particles(), app.resource::<FluidStatistics>().on_device), (0, count));
    let ticks = app.fluid().ticks();
    assert_eq!(ticks, 35, "its clock goes on");
    app.resource_mut::<FluidSettings>().backend = FluidBackend::Cpu;
    app.update();
    assert_eq!((app.particles(), app.resource::<FluidStatistics>().on_device), (count, 0));
    let container = Container::rectangle(Vec2::ZERO, Vec2::splat(80.0)).expect("valid");
    assert!(app.positions().iter().all(|position| container.depth(*position) >= -1e-3));
    app.updates(5);
    assert_eq!(app.particles(), count);
    assert!(app.resource::<FluidInstances>().on_device().is_none());
    assert_eq!(app.resource::<FluidInstances>().as_slice().len(), count);
}

#[test]
fn what_is_drawn_is_where_the_processor_would_have_it() {
    let [Some(mut here), Some(mut there)] = [FluidBackend::Cpu, FluidBackend::Gpu].map(tank) else {
        return;
    };
    here.updates(12);
    there.updates(12);
    let there = on_device(&there);
    let here = here.resource::<FluidInstances>().as_slice();
    assert_eq!(here.len(), there.len());
    // Rounding differs; until the blocks meet the walls that is all.
    for (here, there) in here.iter().zip(&there) {
        assert!((here.position() - there.position()).length() < 0.05, "{here:?} and {there:?}");
        let way = |instance: &FluidInstance| instance.position() - instance.previous_position();
        assert!((way(here) - way(there)).length() < 0.05, "{here:?} and {there:?}");
        // The processor and the card hash the same ids.
        let shade = |instance: &FluidInstance| bytemuck::bytes_of(instance)[15] & 7;
        assert_eq!(shade(here), shade(there), "{here:?} and {there:?}");
    }
}

#[test]
fn pictures_are_those_of_the_processor() {
    let mut pictures = Vec::new();
    for surface in [false, true] {
        for backend in [FluidBackend::Cpu, FluidBackend::Gpu] {
            let Some(mut app) = tank(backend) else { return };
            if surface {
                let mut dots = app.world_mut().query_filtered::<Entity, With<FluidDots>>();
                let dots = dots.iter(app.world()).next().expect("dots");
                app.world_mut().despawn(dots);
                app.spawn(FluidSurface::default());
            }
            let (_, picture) = spawn_camera(&mut app, 200);
            app.updates(20);
            app.resource_mut::<Time<Fluid>>().pause();
            pictures.push(shoot(&mut app, &picture));
        }
        let [here, there] = &pictures[pictures.len() - 2..] else { unreachable!() };
        let bytes = |image: &Image| image.data.clone().expect("pixels");
        let differences = bytes(here).into_iter().zip(bytes(there)).map(|(a, b)| a.abs_diff(b));
        let sum: u32 = differences.map(u32::from).sum();
        let mean = f64::from(sum) / (4.0 * 200.0 * 200.0);
        let lit = bytes(there).chunks(4).filter(|pixel| pixel[..3] != [0; 3]).count();
        println!("surface {surface}: mean difference {mean}, {lit} pixels lit");
        assert!(lit > 5000, "{lit}");
        assert!(mean < 2.0, "{mean}");
    }
}

#[test]
#[ignore = "long: .ci/run"]
fn emitters_and_new_blobs_fill_the_card_even_while_time_stands() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    let count = |app: &App| app.resource::<FluidStatistics>().on_device;
    let before = count(&app);
    app.spawn((FluidEmitter::jet(20.0, 200.0), xy(0.0, 70.0)));
    app.updates(30);
    assert!(count(&app) > before, "{} and {before}", count(&app));
    app.resource_mut::<Time<Fluid>>().pause();
    let before = count(&app);
    app.spawn((FluidBlob::from(Circle::new(20.0)), xy(0.0, 50.0)));
    app.updates(3);
    assert!(count(&app) > before, "{} and {before}", count(&app));
    let drawn = app.resource::<FluidInstances>().on_device().expect("on the card").count;
    assert_eq!(drawn as usize, count(&app));
    app.world_mut().commands().queue(FluidSimulation::restart);
    app.updates(2);
    assert_eq!(app.particles(), 0);
    assert!(app.resource::<FluidInstances>().on_device().is_some(), "it is on the card again");
}

#[test]
fn without_a_renderer_or_with_another_solver_the_liquid_stays() {
    let mut app = headless(FluidSettings { backend: FluidBackend::Gpu, ..default() });
    spawn_blob(&mut app);
    app.updates(5);
    assert!(app.particles() > 0);
    let Some(mut app) = tank(FluidBackend::Cpu) else { return };
    let mut settings = app.resource_mut::<FluidSettings>();
    settings.backend = FluidBackend::Gpu;
    settings.parameters.solver = FluidSolver::Sph;
    app.updates(5);
    assert!(app.particles() > 0);
    app.resource_mut::<FluidSettings>().parameters.solver = FluidSolver::DoubleDensity;
    app.updates(5);
    assert_eq!(app.particles(), 0, "it moves over once it can");
}

#[test]
#[ignore = "long: .ci/run"]
fn a_game_that_clears_the_liquid_clears_it_on_the_card_too() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    app.fluid_mut().clear();
    app.updates(2);
    assert_eq!(app.resource::<FluidStatistics>().on_device, 0);
    let spawn = ParticleSpawn { class: ClassId::LIGHT, ..default() };
    app.fluid_mut().spawn(spawn).expect("room");
    app.updates(2);
    assert_eq!(app.resource::<FluidStatistics>().on_device, 1);
    assert_eq!(app.resource::<FluidInstances>().classes().collect::<Vec<_>>(), [2]);
}

#[test]
#[ignore = "long: .ci/run"]
fn drains_impulses_colliders_and_lifetimes_act_on_the_card() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.updates(3);
    let count = |app: &App| app.resource::<FluidStatistics>().on_device;
    let all = count(&app);
    let hole = FluidDrain::from(Rectangle::new(160.0, 30.0)).with_rate(640.0);
    let drain = app.spawn((hole, xy(0.0, -70.0)));
    app.updates(30);
    app.world_mut().get_mut::<FluidDrain>(drain).expect("there").running = false;
    // The card reports two ticks late.
    app.updates(4);
    let drained = app.world().get::<FluidDrainTotals>(drain).expect("counted").total as usize;
    assert!(drained > 20, "{drained}");
    assert_eq!(count(&app), all - drained);
    app.world_mut().despawn(drain);

    // All of it jumps, and a lid holds it up.
    app.spawn((FluidImpulse::push(&Rectangle::new(400.0, 400.0), Vec2::Y * 900.0), xy(0.0, 0.0)));
    app.updates(6);
    let lid = app.spawn((FluidCollider::from(Rectangle::new(200.0, 12.0)), xy(0.0, -30.0)));
    app.updates(120);
    let above = on_device(&app).iter().filter(|drawn| drawn.position().y > -25.0).count();
    assert!(above > 20, "{above}");
    app.world_mut().despawn(lid);
    app.updates(120);
    let above = on_device(&app).iter().filter(|drawn| drawn.position().y > 20.0).count();
    assert!(above < 5, "{above}");

    app.fluid_mut().clear();
    let lifetime = Some(FluidLifetime { seconds: 0.25, fade: 0.0 });
    app.fluid_mut().spawn(ParticleSpawn { lifetime, ..default() }).expect("room");
    app.updates(3);
    assert_eq!(count(&app), 1);
    app.updates(30);
    assert_eq!(count(&app), 0);
}

/// What sensors have told.
#[derive(Resource, Default)]
struct Told(Vec<(&'static str, usize)>);

#[test]
#[ignore = "long: .ci/run"]
fn sensors_measure_on_the_card_a_tick_or_two_late() {
    let Some(mut app) = tank(FluidBackend::Gpu) else { return };
    app.init_resource::<Told>()
        .add_observer(|on: On<FluidEntered>, mut told: ResMut<Told>| {
            assert!(on.particles.is_empty(), "the card has no handles");
            told.0.push(("entered", on.count));
        })
        .add_observer(|on: On<FluidLeft>, mut told: ResMut<Told>| told.0.push(("left", on.count)))
        .add_observer(|_: On<FluidFilled>, mut told: ResMut<Told>| told.0.push(("filled", 0)))
        .add_observer(|_: On<FluidDrained>, mut told: ResMut<Told>| told.0.push(("drained", 0)));
    app.updates(3);
    let heavy = on_device(&app).iter().filter(|drawn| drawn.class() == ClassId::HEAVY.0).count();
    assert!(heavy > 50, "{heavy}");
    let reading = |app: &App, sensor: Entity| {
        (**app.world().get::<FluidSensorReading>(sensor).expect("there")).clone()
    };
    // The heavy liquid is 0.18 of it.
    let whole = FluidSensor::from(Rectangle::new(170.0, 170.0)).with_levels(0.15, 0.1);
    let sensor = app.spawn((whole.with_classes(ClassId::HEAVY), xy(0.0, 0.0)));
    // Ticks until it measures `count`, beyond the one in which it first could.
    let late = |app: &mut App, count: usize| {
        let measures = |app: &App| {
            let reading = reading(app, sensor);
            reading.measured && reading.count == count
        };
        (0..60).find(|_| {
            app.update();
            measures(app)
        })
    };
    let first = late(&mut app, heavy);
    let measured = reading(&app, sensor);
    assert_eq!((measured.entered, measured.left), (heavy, 0));
    assert_eq!(measured.classes.iter().filter(|count| **count > 0).count(), 1);
    assert_eq!(
        std::mem::take(&mut app.resource_mut::<Told>().0),
        [("entered", heavy), ("filled", 0)]
    );
    assert!(measured.velocity.y < 0.0, "it falls");

    // A sensor that moves away, and comes back.
    let move_to = |app: &mut App, x: f32| {
        app.world_mut().get_mut::<Transform>(sensor).expect("there").translation.x = x;
    };
    move_to(&mut app, 1000.0);
    let second = late(&mut app, 0);
    assert_eq!((reading(&app, sensor).entered, reading(&app, sensor).left), (0, heavy));
    assert_eq!(
        std::mem::take(&mut app.resource_mut::<Told>().0),
        [("left", heavy), ("drained", 0)]
    );
    move_to(&mut app, 0.0);
    let third = late(&mut app, heavy);
    println!("late by {first:?}, {second:?} and {third:?} ticks");
    for late in [first, second, third] {
        assert!(late.is_some_and(|late| late <= 2), "{late:?}");
    }
    // What it counted on the card does not enter again when the liquid is cleared.
    app.resource_mut::<Told>().0.clear();
    app.fluid_mut().clear();
    assert!(late(&mut app, 0).is_some());
    assert_eq!(app.resource::<Told>().0, [("left", heavy), ("drained", 0)]);
    app.world_mut().despawn(sensor);
    app.updates(2);
}

#[test]
#[ignore = "long: .ci/run"]
fn liquid_on_the_card_splashes() {
    let splashes = |backend| {
        let settings = FluidSettings { backend, ..default() };
        let mut app = offscreen(settings, FluidDots::default(), |app| {
            app.add_plugins(FluidSplashPlugin::default()).init_resource::<Told>();
            app.add_observer(|splash: On<FluidSplash>, mut told: ResMut<Told>| {
                told.0.push(("splash", 0));
                assert!(splash.strength > 0.0 && splash.class == ClassId::HEAVY);
            });
            app.spawn(FluidContainer::from(Rectangle::new(240.0, 300.0)));
            app.spawn((
                FluidBlob::from(Rectangle::new(64.0, 64.0)),
                FluidClass::HEAVY,
                xy(0.0, 90.0),
            ));
        })?;
        app.updates(100);
        let told = std::mem::take(&mut app.resource_mut::<Told>().0);
        Some(told.len())
    };
    let (Some(here), Some(there)) = (splashes(FluidBackend::Cpu), splashes(FluidBackend::Gpu))
    else {
        return;
    };
    println!("splashes {here} and {there}");
    assert!(here > 0 && here.abs_diff(there) <= 1 + here / 4, "{here} and {there}");
}

/// A tank with lava that cools to stone.
fn lava(backend: FluidBackend) -> Option<App> {
    let settings = FluidSettings { backend, ..default() };
    offscreen(settings, FluidDots::default(), |app| {
        let thermal = FluidThermal {
            temperature: Some(1000.0),
            cooling: 0.2,
            below: Some(FluidTransition { temperature: 700.0, becomes: "stone".into() }),
            ..default()
        };
        let lava = DensityClass { name: "lava".into(), thermal, ..default() };
        let stone = DensityClass { name: "stone".into(), ..default() };
        app.insert_resource(FluidClasses::from(vec![lava, stone]));
        app.spawn(FluidContainer::from(Rectangle::new(160.0, 160.0)));
        app.spawn((
            FluidBlob::from(Rectangle::new(100.0, 96.0)),
            FluidClass::new(0),
            xy(0.0, -20.0),
        ));
    })
}

#[test]
#[ignore = "long: .ci/run"]
fn lava_glows_on_the_card_turns_to_stone_and_comes_back_warm() {
    let [Some(mut here), Some(mut there)] = [FluidBackend::Cpu, FluidBackend::Gpu].map(lava) else {
        return;
    };
    let mut classes = Vec::new();
    for _ in 0..4 {
        here.updates(20);
        there.updates(20);
        let (drawn_here, drawn_there) =
            (here.resource::<FluidInstances>().as_slice(), on_device(&there));
        assert_eq!(drawn_here.len(), drawn_there.len());
        // Byte 12 is the class; byte 13 the tint, with foam in its lower half, which a card does not have.
        let look = |drawn: &FluidInstance| {
            let bytes = bytemuck::bytes_of(drawn);
            [bytes[12], bytes[13] & 0xf0]
        };
        let looks: Vec<_> = drawn_here.iter().map(look).collect();
        assert_eq!(looks, drawn_there.iter().map(look).collect::<Vec<_>>());
        classes.push(looks[0][0]);
        if classes.len() == 1 {
            assert!(looks.iter().all(|look| look[1] >> 4 > 3), "it glows: {:?}", looks[0]);
            let visible: Vec<_> =
                there.resource::<FluidInstances>().on_device().expect("there").classes.clone();
            assert_eq!(visible, [0, 1], "stone may come of it");
        }
    }
    assert_eq!((classes[0], classes[3]), (0, 1), "it turns to stone");
    there.resource_mut::<FluidSettings>().backend = FluidBackend::Cpu;
    there.update();
    here.update();
    let temperatures = |app: &App| app.fluid().particles().temperatures().to_vec();
    let (here, there) = (temperatures(&here), temperatures(&there));
    assert_eq!(here.len(), there.len());
    for (here, there) in here.iter().zip(&there) {
        assert!((here - there).abs() < 0.1 && *here < 700.0, "{here} and {there}");
    }
}

#[test]
#[ignore = "long: .ci/run"]
fn a_settled_pool_sleeps_on_the_card_and_is_drawn_as_it_was() {
    let Some(mut app) = offscreen(
        FluidSettings { backend: FluidBackend::Gpu, ..default() },
        FluidDots::default(),
        |app: &mut App| {
            app.spawn(FluidContainer::from(Rectangle::new(160.0, 160.0)));
            app.spawn((FluidBlob::from(Rectangle::new(160.0, 60.0)), xy(0.0, -50.0)));
        },
    ) else {
        return;
    };
    let asleep = |app: &App| {
        let statistics = app.resource::<FluidStatistics>();
        (statistics.asleep, statistics.on_device)
    };
    for _ in 0..1000 {
        app.update();
        let (asleep, all) = asleep(&app);
        if asleep == all && app.resource::<FluidStatistics>().substeps == 0 {
            break;
        }
    }
    let (sleeping, all) = asleep(&app);
    assert!(sleeping == all && all > 100, "{sleeping} of {all} sleep");
    let (revision, drawn) = (app.resource::<FluidInstances>().revision(), on_device(&app));
    app.updates(30);
    assert_eq!(app.resource::<FluidInstances>().revision(), revision);
    assert_eq!(on_device(&app), drawn);
    app.spawn((FluidBlob::from(Circle::new(20.0)), xy(0.0, 40.0)));
    app.updates(60);
    let (sleeping, more) = asleep(&app);
    assert!(more > all && sleeping < more, "{sleeping} of {more} sleep");
}

// Bodies in liquid on the graphics card.

/// A pool with a body of the plugin, one of an engine, and a block under water that has a load. The load of a thin one
/// would be a small difference of two large forces.
fn pool_with_bodies(backend: FluidBackend) -> Option<(App, [Entity; 3])> {
    let mut bodies = None;
    let settings = FluidSettings { backend, ..default() };
    let gravity = settings.parameters.gravity;
    let app = offscreen(settings, FluidDots::default(), |app| {
        app.add_plugins(PhysicsPlugins::default().with_length_unit(100.0));
        app.insert_resource(Gravity(gravity));
        app.spawn(FluidContainer::from(Rectangle::new(240.0, 400.0)));
        app.spawn((FluidBlob::from(Rectangle::new(236.0, 200.0)), xy(0.0, -100.0)));
        let size = Vec2::new(50.0, 24.0);
        let own = (
            FluidCollider::from(Rectangle::from_size(size)),
            FluidBuoyant::of_density(0.4),
            xy(-60.0, 24.0),
        );
        let engines = (
            RigidBody::Dynamic,
            Collider::rectangle(size.x, size.y),
            ColliderDensity(0.4),
            FluidCoupled::default(),
            xy(60.0, 24.0),
        );
        // In a gap of a few particles, the load depends on their places.
        let place = xy(0.0, -120.0);
        let shelf = (FluidCollider::from(Rectangle::new(60.0, 24.0)), FluidLoad::default(), place);
        bodies = Some([app.spawn(own), app.spawn(engines), app.spawn(shelf)]);
    })?;
    Some((app, bodies.expect("spawned")))
}

#[test]
#[ignore = "long: .ci/run"]
fn bodies_float_and_loads_are_measured_on_the_card() {
    let heights_and_load = |backend| {
        let (mut app, [own, engines, shelf]) = pool_with_bodies(backend)?;
        app.updates(400);
        let ticks = 100;
        let mut force = Vec2::ZERO;
        for _ in 0..ticks {
            app.update();
            force += app.world().get::<FluidLoad>(shelf).expect("there").force / ticks as f32;
        }
        let height =
            |entity: Entity| app.world().get::<Transform>(entity).expect("there").translation.y;
        Some(([own, engines].map(height), force))
    };
    let (Some((here, load_here)), Some((there, load_there))) =
        (heights_and_load(FluidBackend::Cpu), heights_and_load(FluidBackend::Gpu))
    else {
        return;
    };
    println!("heights {here:?} and {there:?}, forces {load_here} and {load_there}");
    for (here, there) in here.into_iter().zip(there) {
        assert!((here - there).abs() < 3.0 && (-30.0..15.0).contains(&there), "{here}, {there}");
    }
    // Liquid presses on a shelf from below as well.
    assert!(load_here.y > 0.0 && (load_there.y / load_here.y - 1.0).abs() < 0.1);
}

// How many particles there are on the graphics card, and what becomes of a liquid that is not there.

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
#[ignore = "long: .ci/run"]
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
#[ignore = "long: .ci/run"]
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
#[ignore = "long: .ci/run"]
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
#[ignore = "long: .ci/run"]
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
    let snapshot = FluidSnapshot::take(app.world_mut()).expect("a liquid");
    app.settings().backend = FluidBackend::Gpu;
    app.updates(5);
    assert_eq!((app.particles(), on_card(&app)), (0, count));
    let restored = snapshot.restore(app.world_mut()).expect("a liquid");
    assert!(restored.missing.is_empty());
    app.updates(3);
    assert_eq!((app.particles(), on_card(&app)), (count, 0));
    // One that was taken on the card says nothing of it, and warns.
    keep_warnings();
    app.settings().backend = FluidBackend::Gpu;
    app.updates(3);
    let snapshot = FluidSnapshot::take(app.world_mut()).expect("a liquid");
    let warnings = take_warnings_about("a snapshot does not contain the liquid");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    app.updates(3);
    let restored = snapshot.restore(app.world_mut()).expect("a liquid");
    assert!(restored.missing.is_empty());
    app.updates(3);
    assert_eq!((app.particles(), on_card(&app)), (0, count));
}

#[test]
#[ignore = "long: .ci/run"]
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
