//! The plugin in a headless app: its order, its settings, and what it does about impossible ones.

use bevy::diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, ScheduleLabel};
use bevy::scene::ScenePlugin;
use bevy_blob_fluid::blob_fluid::GivenUp;
use bevy_blob_fluid::blob_fluid::measure::{kinetic_energy, layer_order};
use bevy_blob_fluid::{FluidDiagnosticsPlugin, blob_fluid};

use crate::app::*;
use crate::warnings::{keep_warnings, take_warnings};

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
    for name in [
        "FluidSimulation",
        "FluidSettings",
        "FluidClasses",
        "FluidStatistics",
        "FluidTick",
        "FluidStepSystems",
        "FluidAirSystems",
        "FluidCollider",
        "FluidColliders",
        "FluidMadeOf",
        "FluidMaterials",
        "FluidElasticity",
        "FluidPowder",
        "ClassPair",
        "WallProperties",
        "ColliderOptions",
        "FluidThermal",
        "Spring",
        "FluidContainer",
        "FluidContainers",
        "FluidBlob",
        "FluidBlobFilled",
        "FluidClass",
        "FluidForce",
        "FluidImpulse",
        "FluidBlast",
        "FluidParameters",
        "GhostWalls",
        "DensityClass",
        "FluidShape",
    ] {
        assert!(registry.get_with_short_type_path(name).is_some(), "{name}");
    }
}

/// Editors and scenes spawn components by their defaults.
#[test]
fn every_component_has_a_default() {
    let app = headless(default());
    let registry = app.resource::<AppTypeRegistry>().read();
    let ours = registry.iter().filter(|kind| {
        kind.type_info().type_path().starts_with("bevy_blob_fluid::")
            && kind.contains::<ReflectComponent>()
    });
    let (mut count, mut without) = (0, Vec::new());
    for kind in ours {
        count += 1;
        if !kind.contains::<ReflectDefault>() && !kind.contains::<ReflectFromWorld>() {
            without.push(kind.type_info().type_path_table().short_path());
        }
    }
    assert!(count > 30, "only {count} components are registered");
    // It holds the code of a game.
    assert_eq!(without, ["FluidField"]);
}

#[test]
fn scenes_spawn_what_holds_assets_and_entities() {
    let mut app = app_of((AssetPlugin::default(), ScenePlugin, BlobFluidPlugins::default()));
    app.start();
    let tank = app.spawn(FluidTank::with_capacity(7));
    let scene = bsn! {
        FluidContainer
        FluidMadeOf
        FluidSceneRoot
        FluidTankLink(tank)
    };
    let entity = app.world_mut().spawn_scene(scene).expect("a scene").id();
    assert_eq!(*app.component::<FluidContainer>(entity), FluidContainer::default());
    assert_eq!(*app.component::<FluidTankLink>(entity), FluidTankLink(tank));
    assert_eq!(*app.component::<FluidMadeOf>(entity), FluidMadeOf::default());
    assert_eq!(*app.component::<FluidSceneRoot>(entity), FluidSceneRoot::default());
}

// What is refused is left out with one warning that names its entity, until it is mended.

/// Updates for a second, in which there must be exactly one warning that names the entity.
fn warned_once(app: &mut App, name: &str) {
    app.updates(64);
    let warnings = take_warnings(name);
    assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
    assert!(warnings[0].contains("is left out"), "{warnings:?}");
}

// Row 12 of docs/reliability.md.
#[test]
fn solids_without_a_size_are_left_out_with_one_warning_until_they_have_one() {
    keep_warnings();
    let rectangle = |x, y| FluidShape::Rectangle { half_size: Vec2::new(x, y) };
    let shapes = [
        ("no radius", FluidShape::Circle { radius: 0.0 }),
        ("radius below nothing", FluidShape::Circle { radius: -5.0 }),
        ("no width", rectangle(0.0, 20.0)),
        ("inside out", rectangle(-20.0, 20.0)),
        ("upside down", rectangle(20.0, -20.0)),
        ("radius that is none", FluidShape::Circle { radius: f32::NAN }),
    ];
    for (name, shape) in shapes {
        let mut app = headless(default());
        let collider = format!("collider of {name}");
        let entity = app.spawn((FluidCollider::from(shape.clone()), Name::new(collider.clone())));
        warned_once(&mut app, &collider);
        assert_eq!((app.colliders(), app.fluid().colliders().len()), (0, 0), "{name}");
        app.insert(entity, FluidCollider::from(Circle::new(5.0)));
        app.update();
        assert_eq!(app.fluid().colliders().len(), 1, "{name}");
        // Spoilt again, it stays as it was, and is warned about again.
        app.insert(entity, FluidCollider::from(shape.clone()));
        warned_once(&mut app, &collider);
        assert_eq!(*app.first_collider().shape(), FluidShape::Circle { radius: 5.0 });

        let container = format!("container of {name}");
        app.spawn((FluidContainer::from(shape), Name::new(container.clone())));
        warned_once(&mut app, &container);
        assert_eq!(app.fluid().containers().len(), 0, "{name}");
    }
}

/// Spawns an entity of each kind that has a place, and returns their names.
fn spawn_all(app: &mut App, place: &str, transform: Transform) -> Vec<(Entity, String)> {
    let circle = Circle::new(20.0);
    let mut all = Vec::new();
    let mut named = |app: &mut App, kind: &str, spawn: &dyn Fn(&mut App) -> Entity| {
        let (entity, name) = (spawn(app), format!("{kind} with {place}"));
        app.insert(entity, (transform, Name::new(name.clone())));
        all.push((entity, name));
    };
    named(app, "container", &|app| app.spawn(FluidContainer::from(circle)));
    named(app, "collider", &|app| app.spawn(FluidCollider::from(circle)));
    named(app, "force", &|app| app.spawn(FluidForce::attract(20.0, 100.0)));
    named(app, "emitter", &|app| app.spawn(FluidEmitter::jet(20.0, 100.0)));
    named(app, "drain", &|app| app.spawn(FluidDrain::from(circle)));
    named(app, "sensor", &|app| app.spawn(FluidSensor::from(circle)));
    named(app, "blob", &|app| app.spawn(FluidBlob::from(circle)));
    named(app, "pump", &|app| app.spawn(FluidPump::new(circle, circle, Vec2::X)));
    named(app, "brush", &|app| app.spawn(FluidBrush::new(&circle, Color::WHITE)));
    all
}

// Row 14 of docs/reliability.md.
#[test]
fn what_has_no_place_in_the_plane_is_left_out_with_one_warning_until_it_has_one() {
    keep_warnings();
    let tilted = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let places = [
        ("a scale of 0", Transform::from_scale(Vec3::ZERO)),
        ("a width of 0", Transform::from_scale(Vec3::new(0.0, 1.0, 1.0))),
        ("a place that is none", xy(f32::NAN, 0.0)),
        ("an endless scale", Transform::from_scale(Vec3::splat(f32::INFINITY))),
        ("a tilt", Transform::from_rotation(tilted)),
    ];
    for (place, transform) in places {
        let mut app = headless(default());
        let all = spawn_all(&mut app, place, transform);
        app.updates(64);
        for (_, name) in &all {
            let warnings = take_warnings(name);
            assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        }
        let fluid = app.fluid();
        let there = (fluid.containers().len(), fluid.colliders().len(), fluid.forces().len());
        assert_eq!((there, app.particles()), ((0, 0, 0), 0), "{place}");
        // Mirrored is a place like any other.
        let mirrored = Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        all.iter().for_each(|(entity, _)| app.insert(*entity, mirrored));
        app.update();
        let fluid = app.fluid();
        let there = (fluid.containers().len(), fluid.colliders().len(), fluid.forces().len());
        assert_eq!(there, (1, 1, 1), "{place}");
        let solids_and_force = all.iter().take(3);
        solids_and_force.for_each(|(_, name)| assert_eq!(take_warnings(name), [""; 0]));
    }
}

#[test]
fn an_invalid_pipe_is_warned_about_by_its_own_name_only() {
    keep_warnings();
    let mut app = headless(default());
    let short = [Vec2::ZERO];
    app.spawn((FluidPipe::new(short, 40.0), Name::new("pipe of one point")));
    app.spawn((FluidValve::new(60.0, 12.0).opened(3.0), Name::new("valve beyond open")));
    let flat = Transform::from_scale(Vec3::ZERO);
    let points = [Vec2::ZERO, Vec2::new(0.0, 200.0)];
    app.spawn((FluidPipe::new(points, 40.0), flat, Name::new("flat pipe")));
    app.spawn((FluidValve::new(60.0, 12.0), flat, Name::new("flat valve")));
    let pipe = app.spawn((FluidPipe::new(points, 60.0), Name::new("pipe that shrinks")));
    let endless =
        FluidBrush { rate: Some(f32::NAN), ..FluidBrush::new(&Circle::new(9.0), Color::WHITE) };
    app.spawn((endless, Name::new("brush without a rate")));
    app.updates(64);
    assert_eq!(take_warnings("pipe that shrinks"), [""; 0]);
    app.insert(pipe, Transform::from_scale(Vec3::splat(0.1)));
    app.updates(64);
    let brush = take_warnings("brush without a rate");
    assert!(brush.len() == 1 && brush[0].contains("rate is NaN"), "{brush:?}");
    for (name, kind) in [
        ("pipe that shrinks", "a change of fluid pipe"),
        ("pipe of one point", "fluid pipe"),
        ("valve beyond open", "fluid valve"),
        ("flat pipe", "fluid pipe"),
        ("flat valve", "fluid valve"),
    ] {
        let warnings = take_warnings(name);
        assert!(warnings.len() == 1 && warnings[0].starts_with(kind), "{name}: {warnings:?}");
    }
    assert_eq!(app.fluid().colliders().len(), 1);
}

/// The last valid state of these stays in use, and the warning does not say that it is gone.
#[test]
fn what_stays_where_it_was_is_not_said_to_be_left_out() {
    keep_warnings();
    let mut app = headless(default());
    let circle = Circle::new(100.0);
    let names = ["container", "collider", "sensor", "air", "pipe"]
        .map(|kind| format!("{kind} that is scaled to nothing"));
    let corners = [Vec2::ZERO, Vec2::new(0.0, 200.0)];
    let entities = [
        app.spawn(FluidContainer::from(circle)),
        app.spawn(FluidCollider::from(Circle::new(20.0))),
        app.spawn(FluidSensor::from(circle)),
        app.spawn(FluidAir::new(200.0, 200.0).with_cell_size(20.0)),
        app.spawn(FluidPipe::new(corners, 60.0)),
    ];
    for (entity, name) in entities.iter().zip(&names) {
        app.insert(*entity, Name::new(name.clone()));
    }
    app.updates(2);
    let there = |app: &App| {
        let fluid = app.fluid();
        (fluid.containers().len(), fluid.colliders().len(), fluid.airs().count())
    };
    assert_eq!(there(&app), (1, 2, 1));
    let zero = Transform::from_scale(Vec3::ZERO);
    entities[..4].iter().for_each(|entity| app.insert(*entity, zero));
    app.insert(entities[4], FluidPipe::new([], 60.0));
    app.updates(64);
    assert_eq!(there(&app), (1, 2, 1));
    for name in &names {
        let warnings = take_warnings(name);
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        assert!(warnings[0].starts_with("a change of fluid"), "{warnings:?}");
    }
}

/// Sources that were never valid have no earlier state, so the warning does not speak of a change.
#[test]
fn sources_that_were_never_valid_are_named_themselves() {
    keep_warnings();
    let mut app = headless(default());
    let [drain, pump, emitter] =
        ["drain", "pump", "emitter"].map(|kind| format!("{kind} that was never valid"));
    let rate = Some(f32::NAN);
    app.spawn((FluidDrain { rate, ..default() }, Name::new(drain.clone())));
    app.spawn((FluidPump { rate: f32::NAN, ..default() }, Name::new(pump.clone())));
    app.spawn((FluidEmitter::jet(f32::NAN, 100.0), Name::new(emitter.clone())));
    app.updates(64);
    for (kind, name) in [("drain", drain), ("pump", pump), ("emitter", emitter)] {
        let warnings = take_warnings(&name);
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        assert!(warnings[0].starts_with(&format!("fluid {kind}")), "{warnings:?}");
    }
}

// What the plugin tells of its costs.

/// Jelly that falls in a box, after a few ticks.
fn falling_jelly() -> App {
    let mut app = headless(default());
    let jelly = DensityClass { elasticity: Some(FluidElasticity::default()), ..default() };
    app.insert_resource(FluidClasses::from(vec![jelly]));
    app.spawn(FluidContainer::from(Rectangle::new(400.0, 400.0)));
    app.spawn((FluidBlob::from(Circle::new(60.0)), FluidClass::new(0)));
    app.updates(5);
    app
}

fn value(app: &App, path: &DiagnosticPath) -> Option<f64> {
    app.resource::<DiagnosticsStore>().get(path).expect("registered").value()
}

#[test]
fn every_pass_is_timed_and_they_add_up() {
    let mut app = falling_jelly();
    let times = *app.resource::<FluidPassTimes>();
    let passes = app.resource::<FluidStatistics>().passes_milliseconds;
    let (names, milliseconds): (Vec<_>, Vec<_>) = times.iter().unzip();
    assert_eq!(names, FluidPass::ALL);
    assert!(milliseconds.iter().all(|time| *time > 0.0), "{times:?}");
    let sum: f32 = milliseconds.iter().sum();
    assert!((sum - times.total()).abs() < 1e-3 * sum);
    assert!(sum <= passes * 1.0001, "{sum} of {passes}");
    for (pass, time) in times.iter() {
        assert_eq!(times.get(pass), time);
        let measured = value(&app, &FluidDiagnosticsPlugin::pass(pass));
        assert_eq!(measured, Some(f64::from(time)), "{pass:?}");
    }
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::PASSES), Some(f64::from(passes)));

    // What sleeps takes no pass.
    let mut settings = app.settings();
    settings.parameters.gravity = Vec2::ZERO;
    settings.parameters.sleeping = FluidSleeping { after: 0.01, drift: 1.0 };
    app.fluid_mut().clear();
    app.updates(2);
    assert_eq!(app.resource::<FluidStatistics>().substeps, 0);
    assert_eq!(*app.resource::<FluidPassTimes>(), FluidPassTimes::default());
}

#[test]
fn passes_of_air_are_timed_too() {
    let mut app = falling_jelly();
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::AIR), Some(0.0));
    app.spawn(FluidAir::new(100.0, 100.0));
    app.update();
    let times = *app.resource::<FluidPassTimes>();
    assert!(times.air_total() > 0.0);
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::AIR), Some(f64::from(times.air_total())));
    for pass in AirPass::ALL {
        let measured = value(&app, &FluidDiagnosticsPlugin::air_pass(pass));
        assert_eq!(measured, Some(f64::from(times.air(pass))), "{pass:?}");
    }
}

/// A name such as `RelaxDensity` as `relax_density`, after `start`.
fn path_of(start: &str, name: &str) -> String {
    let mut path = String::from(start);
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            path.push('_');
        }
        path.extend(letter.to_lowercase());
    }
    path
}

#[test]
fn every_path_is_named_after_its_pass() {
    for pass in FluidPass::ALL {
        let expected = path_of("fluid/pass/", &format!("{pass:?}"));
        assert_eq!(FluidDiagnosticsPlugin::pass(pass).as_str(), expected);
    }
    for pass in AirPass::ALL {
        let expected = path_of("fluid/air/", &format!("{pass:?}"));
        assert_eq!(FluidDiagnosticsPlugin::air_pass(pass).as_str(), expected);
    }
}

#[test]
fn counts_are_measured_and_what_is_costly_only_when_asked_for() {
    let mut app = falling_jelly();
    let springs = app.fluid().springs().len() as f64;
    assert!(springs > 0.0);
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::SPRINGS), Some(springs));
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::QUARANTINED), Some(0.0));
    let costly = [FluidDiagnosticsPlugin::KINETIC_ENERGY, FluidDiagnosticsPlugin::LAYER_ORDER];
    for path in &costly {
        assert_eq!(value(&app, path), None, "{path}");
        app.resource_mut::<DiagnosticsStore>().get_mut(path).expect("registered").is_enabled = true;
    }
    app.fluid_mut().particles_mut().velocities_mut()[0] = Vec2::NAN;
    app.update();
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::QUARANTINED), Some(1.0));
    let expected = [kinetic_energy(app.fluid()), layer_order(app.fluid())];
    assert!(expected[0] > 0.0);
    for (path, expected) in costly.iter().zip(expected) {
        assert_eq!(value(&app, path), Some(expected), "{path}");
    }
}

// The README's example is the one that is compiled and run.

const README: &str = include_str!("../../../../../README.md");

/// What a build without optimisation is told to add to its `Cargo.toml`.
const PROFILE: &str = include_str!("../../../src/simulation/profile.toml");

/// Text of the README's only block of a language.
fn quoted(language: &str) -> String {
    let begin = format!("```{language}\n");
    let mut blocks = README.split(&begin).skip(1);
    let block = blocks.next().expect("a block").split("```").next().expect("its end");
    assert!(blocks.next().is_none(), "a second block would be neither compiled nor checked");
    block.trim().to_owned()
}

/// The lists of features that a `Cargo.toml` asks of a crate.
fn features<'a>(manifest: &'a str, name: &str) -> Vec<Vec<&'a str>> {
    let begin = format!("\n{name} = {{");
    let entries = manifest.split(&begin).skip(1);
    let lists = entries.map(|entry| {
        let list = entry.split("features = [").nth(1).expect("features");
        list.split(']').next().expect("its end").split('"').skip(1).step_by(2).collect()
    });
    lists.collect()
}

#[test]
fn the_readme_quotes_the_minimal_example() {
    let example = include_str!("../../../../../examples/minimal.rs");
    // That line is the one to delete.
    let shown = |line: &&str| !line.starts_with("//!") && !line.contains("example_support");
    let code: Vec<&str> = example.lines().filter(shown).collect();
    assert_eq!(quoted("rust"), code.join("\n").trim());
}

#[test]
fn a_first_game_has_the_folder_that_bevy_watches() {
    // Without it, Bevy warns twice at every start.
    let makes = README.find("mkdir my_game/assets").expect("a line of shell");
    let watches = README.find("\"file_watcher\"").expect("in the manifest");
    assert!(makes < watches);
}

#[test]
fn the_page_of_engines_has_the_manifest_of_the_readme() {
    let bodies = include_str!("../../../../../docs/bodies.md");
    let workspace = include_str!("../../../../../Cargo.toml");
    let manifest = quoted("toml");
    let plain = features(&manifest, "bevy_blob_fluid").concat();
    for (engine, feature) in [("avian2d", "avian2d"), ("bevy_rapier2d", "rapier2d")] {
        let line = workspace.lines().find(|line| line.starts_with(&format!("{engine} = ")));
        assert!(bodies.contains(line.expect("a dependency")), "{engine}");
        let with_it = [vec![feature], plain.clone()].concat();
        assert!(features(bodies, "bevy_blob_fluid").contains(&with_it), "{engine}");
    }
}

#[test]
fn every_example_can_be_copied_without_one_line() {
    let folder = "../../examples";
    for file in std::fs::read_dir(folder).expect("examples") {
        let path = file.expect("readable").path();
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let lines: Vec<&str> =
            text.lines().filter(|line| line.contains("example_support")).collect();
        // What is painted also has the art kit, which may be copied.
        let [line, art @ ..] = &lines[..] else { panic!("{}", path.display()) };
        assert!(line.starts_with("use example_support::DefaultPlugins; // "), "{line}");
        assert!(art.len() <= 1, "{}: {art:?}", path.display());
        assert!(art.iter().all(|line| line.starts_with("use example_support::art::")), "{art:?}");
    }
}

#[test]
fn the_readme_s_manifest_has_the_features_of_the_examples() {
    let manifest = quoted("toml");
    let stated = include_str!("../../../../bevy_features/Cargo.toml");
    // Of pages docs/web.md tells more.
    let stated = stated.split("[target.'cfg(target_arch").next().expect("the rest");
    assert_eq!(features(&manifest, "bevy"), features(stated, "bevy"));
    let of_examples =
        features(include_str!("../../../../example_support/Cargo.toml"), "bevy_blob_fluid");
    let explicit = |name| if name == "default" { vec!["render", "snapshot"] } else { vec![name] };
    let of_examples: Vec<&str> = of_examples.concat().into_iter().flat_map(explicit).collect();
    assert_eq!(features(&manifest, "bevy_blob_fluid").concat(), of_examples);
    let of_examples = include_str!("../../../../panel_examples/Cargo.toml");
    let panel = "bevy_blob_fluid_panel";
    // The first game leaves it out.
    assert_eq!(features(&manifest, &format!("# {panel}")), features(of_examples, panel));
    assert!(manifest.ends_with(PROFILE.trim_end()), "{manifest}");
}

#[test]
fn documents_have_the_lines_that_the_warning_of_slow_builds_asks_for() {
    for text in [README, include_str!("../../../../../docs/faults.md")] {
        assert!(text.contains(PROFILE));
    }
}
