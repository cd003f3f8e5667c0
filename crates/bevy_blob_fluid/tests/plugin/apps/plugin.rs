//! The plugin in a headless app: its order, its settings, and what it does about impossible ones.

use bevy::diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel};
use bevy_blob_fluid::blob_fluid::GivenUp;
use bevy_blob_fluid::{FluidDiagnosticsPlugin, blob_fluid};

use crate::app::*;

/// Which passes ran, in order.
#[derive(Resource, Default)]
struct Log(Vec<FluidStepSystems>);

#[test]
fn passes_run_in_the_order_of_the_paper_once_per_substep() {
    let mut app = headless(default());
    app.init_resource::<Log>();
    for set in FluidStepSystems::ALL {
        app.add_systems(
            FluidSubstepSchedule,
            (move |mut log: ResMut<Log>| log.0.push(set)).in_set(set),
        );
    }
    // The loggers' order within their sets does not matter.
    app.edit_schedule(FluidSubstepSchedule, |schedule| {
        schedule.set_build_settings(ScheduleBuildSettings {
            ambiguity_detection: LogLevel::Ignore,
            ..default()
        });
    });
    spawn_blob(&mut app);
    app.update();
    let substeps = app.fluid().substeps() as usize;
    let log = &app.resource::<Log>().0;
    assert_eq!(log.len(), FluidStepSystems::ALL.len() * substeps);
    for (index, set) in log.iter().enumerate() {
        assert_eq!(
            *set,
            FluidStepSystems::ALL[index % FluidStepSystems::ALL.len()],
            "entry {index}"
        );
    }
}

#[test]
fn a_system_between_two_passes_changes_the_liquid() {
    let mut app = headless(default());
    let stop = |mut fluid: ResMut<FluidSimulation>| {
        fluid.particles_mut().velocities_mut().fill(Vec2::ZERO);
    };
    app.add_systems(
        FluidSubstepSchedule,
        stop.after(FluidStepSystems::ApplyGravity).before(FluidStepSystems::ApplyForces),
    );
    app.spawn((FluidBlob::from(Circle::new(4.0)), FluidClass::LIGHT));
    app.updates(10);
    let particles = app.fluid().particles();
    assert_eq!(particles.len(), 1);
    assert!(particles.positions()[0].length() < 8.0, "gravity was undone every substep");
}

#[test]
#[should_panic(expected = "ambigu")]
fn an_order_left_open_is_an_error() {
    let mut app = headless(default());
    app.add_systems(FluidSubstepSchedule, |mut fluid: ResMut<FluidSimulation>| fluid.clear());
    app.update();
}

/// Schedules of netcode refuse what others leave open.
#[test]
fn no_order_is_left_open_in_a_game_with_everything() {
    #[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Strict;
    let mut app = App::new();
    app.init_schedule(Strict).edit_schedule(Strict, |schedule| {
        schedule.set_build_settings(ScheduleBuildSettings {
            ambiguity_detection: LogLevel::Error,
            ..default()
        });
    });
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default()))
        .add_plugins((ImagePlugin::default(), BlobFluidPlugins::new(Strict)))
        .add_plugins((FluidBlobsPlugin::default(), FluidSplashPlugin::default()));
    app.start();
    spawn_blob(&mut app);
    app.world_mut().run_schedule(Strict);
    app.world_mut().run_schedule(Strict);
}

// Row 25 of docs/reliability.md.
#[test]
fn the_ecs_chain_and_the_core_step_agree_to_the_bit() {
    let mut app = headless(default());
    spawn_container(&mut app, 0.0);
    spawn_blob(&mut app);
    app.clock().pause();
    app.update();
    let mut alone: blob_fluid::FluidWorld = (**app.fluid()).clone();
    app.clock().unpause();
    for _ in 0..120 {
        app.update();
        alone.step(1.0 / 64.0, &blob_fluid::SerialExecutor).expect("a valid step");
    }
    assert_eq!(app.fluid().state_hash(), alone.state_hash());
}

// Row 3 of docs/reliability.md.
#[test]
fn bad_settings_are_refused_and_the_last_valid_ones_stay() {
    let mut app = headless(default());
    spawn_blob(&mut app);
    app.update();
    let before = *app.fluid().parameters();
    let set = |app: &mut App, change: fn(&mut FluidParameters)| {
        change(&mut app.settings().parameters);
        app.update();
        *app.fluid().parameters()
    };
    assert_eq!(set(&mut app, |p| p.gravity.y = f32::NAN), before);
    assert_eq!(set(&mut app, |p| p.gravity.y = f32::INFINITY), before);
    let valid = set(&mut app, |p| p.gravity.y = -100.0);
    assert_eq!(valid.gravity.y, -100.0);
    assert_eq!(set(&mut app, |p| p.particle_spacing = 0.0), valid);

    let known = app.fluid().classes().clone();
    app.resource_mut::<FluidClasses>().classes.clear();
    app.update();
    assert_eq!(*app.fluid().classes(), known);
    assert!(app.positions().iter().all(|position| position.is_finite()));
}

// Row 2 of docs/reliability.md.
#[test]
fn nan_from_a_users_system_is_quarantined() {
    let mut app = headless(default());
    spawn_container(&mut app, 0.0);
    spawn_blob(&mut app);
    app.update();
    let count = app.particles();
    app.fluid_mut().particles_mut().velocities_mut()[7] = Vec2::NAN;
    app.update();
    let particles = app.fluid().particles();
    assert_eq!(particles.len(), count - 1);
    assert_eq!(app.resource::<FluidStatistics>().quarantined, 1);
    assert!(particles.positions().iter().chain(particles.velocities()).all(|v| v.is_finite()));
}

#[test]
fn a_budget_gives_up_substeps_and_says_so() {
    let mut app = headless(default());
    app.spawn(FluidContainer::from(Rectangle::new(80.0, 900.0)));
    app.spawn((FluidBlob::from(Rectangle::new(80.0, 880.0)), FluidClass::MEDIUM));
    app.update();
    let wanted = app.resource::<FluidStatistics>().substeps;
    assert!(wanted > 1);
    // No machine is that fast.
    app.settings().budget = Some(FluidBudget { milliseconds: 0.01, ..default() });
    app.updates(3);
    let statistics = *app.resource::<FluidStatistics>();
    assert_eq!(statistics.substeps, 1);
    assert!(statistics.given_up.substeps > 0);
    let diagnostics = app.resource::<DiagnosticsStore>();
    let value =
        |path: DiagnosticPath| diagnostics.get(&path).and_then(|diagnostic| diagnostic.value());
    let given_up = f64::from(statistics.given_up.substeps);
    assert_eq!(value(FluidDiagnosticsPlugin::SUBSTEPS_GIVEN_UP), Some(given_up));
    assert_eq!(value(FluidDiagnosticsPlugin::SUBSTEPS), Some(1.0));
    let particles = app.particles() as f64;
    assert_eq!(value(FluidDiagnosticsPlugin::PARTICLES), Some(particles));

    // An impossible one is refused, and the last stays.
    app.settings().budget = Some(FluidBudget { milliseconds: -1.0, ..default() });
    app.update();
    assert_eq!(app.resource::<FluidStatistics>().substeps, 1);

    app.settings().budget = None;
    app.update();
    let statistics = *app.resource::<FluidStatistics>();
    assert_eq!(statistics.given_up, GivenUp::default());
    assert!(statistics.substeps > 1);
}

#[test]
fn liquid_at_rest_sleeps_until_an_entity_touches_it() {
    let mut app = headless(default());
    spawn_container(&mut app, 0.0);
    spawn_blob(&mut app);
    let count = |app: &App| app.particles();
    let asleep = |app: &App| app.resource::<FluidStatistics>().asleep;
    let rest = |app: &mut App| {
        for _ in 0..64 * 120 {
            app.update();
            if app.resource::<FluidStatistics>().substeps == 0 {
                assert_eq!(asleep(app), count(app));
                return;
            }
        }
        panic!("{} of {} asleep after two minutes", asleep(app), count(app));
    };
    rest(&mut app);
    let ticks = app.fluid().ticks();
    app.update();
    assert_eq!(app.fluid().ticks(), ticks + 1, "time passes");
    assert_eq!(app.resource::<FluidStatistics>().substeps, 0);

    let low = xy(0.0, -60.0);
    let force = app.spawn((FluidForce::attract(50.0, 300.0), low));
    app.update();
    assert!(asleep(&app) < count(&app), "a force");
    app.despawn(force);
    rest(&mut app);

    let collider = app.spawn((FluidCollider::from(Circle::new(10.0)), low));
    app.update();
    assert!(asleep(&app) < count(&app), "a collider");
    rest(&mut app);
    app.despawn(collider);
    app.update();
    assert!(asleep(&app) < count(&app), "a collider that went");
    rest(&mut app);

    app.settings().parameters.gravity = Vec2::new(50.0, -200.0);
    app.update();
    assert_eq!(asleep(&app), 0, "gravity");
}

// Row 25 of docs/reliability.md.
#[test]
#[should_panic(expected = "FluidSimulationPlugin")]
fn adding_the_plugin_twice_is_bevys_own_error() {
    App::new().add_plugins(BlobFluidPlugins::default()).add_plugins(BlobFluidPlugins::default());
}

#[test]
fn public_types_are_registered_for_reflection() {
    let app = headless(default());
    let registry = app.resource::<AppTypeRegistry>().read();
    for path in [
        "bevy_blob_fluid::simulation::resources::FluidSimulation",
        "bevy_blob_fluid::simulation::resources::FluidSettings",
        "bevy_blob_fluid::simulation::classes::FluidClasses",
        "bevy_blob_fluid::simulation::resources::FluidStatistics",
        "bevy_blob_fluid::simulation::clock::FluidTick",
        "bevy_blob_fluid::schedule::FluidStepSystems",
        "bevy_blob_fluid::schedule::FluidAirSystems",
        "bevy_blob_fluid::solids::collider::FluidCollider",
        "bevy_blob_fluid::solids::collider::FluidColliders",
        "bevy_blob_fluid::materials::made_of::FluidMadeOf",
        "bevy_blob_fluid::materials::in_use::FluidMaterials",
        "blob_fluid::settings::class::FluidElasticity",
        "blob_fluid::settings::class::FluidPowder",
        "blob_fluid::settings::class_pair::ClassPair",
        "blob_fluid::boundary::wall::WallProperties",
        "blob_fluid::boundary::collider::ColliderOptions",
        "blob_fluid::settings::thermal::FluidThermal",
        "blob_fluid::particles::spring::Spring",
        "bevy_blob_fluid::solids::container::FluidContainer",
        "bevy_blob_fluid::solids::container::FluidContainers",
        "bevy_blob_fluid::sources::blob::FluidBlob",
        "bevy_blob_fluid::sources::blob::FluidBlobFilled",
        "bevy_blob_fluid::sources::class::FluidClass",
        "bevy_blob_fluid::forces::force::FluidForce",
        "bevy_blob_fluid::forces::impulse::FluidImpulse",
        "blob_fluid::settings::parameters::FluidParameters",
        "blob_fluid::settings::parameters::GhostWalls",
        "blob_fluid::settings::class::DensityClass",
        "blob_fluid::geometry::shape::kinds::FluidShape",
    ] {
        assert!(registry.get_with_type_path(path).is_some(), "{path}");
    }
}
