//! The plugin in a headless app.

use std::time::Duration;

use bevy::diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::GivenUp;
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::{FluidColliders, FluidContainers, FluidDiagnosticsPlugin, blob_fluid};

/// An app without window or renderer in which every update is one fixed step.
fn headless() -> App {
    app_with(BlobFluidPlugins::default(), TimeUpdateStrategy::FixedTimesteps(1))
}

fn app_with(plugins: BlobFluidPlugins, time: TimeUpdateStrategy) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, plugins)).insert_resource(time);
    app.finish();
    app.cleanup();
    // The first update only starts the clocks.
    app.update();
    app
}

fn fluid(app: &App) -> &FluidSimulation {
    app.world().resource::<FluidSimulation>()
}

fn clock(app: &mut App) -> Mut<'_, Time<Fluid>> {
    app.world_mut().resource_mut::<Time<Fluid>>()
}

fn spawn_blob(app: &mut App) -> Entity {
    app.world_mut().spawn((FluidBlob::from(Circle::new(50.0)), FluidClass::HEAVY)).id()
}

fn spawn_container(app: &mut App, x: f32) -> Entity {
    let transform = Transform::from_xyz(x, 0.0, 0.0);
    app.world_mut().spawn((FluidContainer::from(Circle::new(100.0)), transform)).id()
}

/// The first collider of the liquid.
fn first_collider(fluid: &FluidSimulation) -> &blob_fluid::Collider {
    fluid.colliders().next().expect("there is one").1
}

/// The first container of the liquid.
fn first_container(fluid: &FluidSimulation) -> &blob_fluid::Container {
    fluid.containers().next().expect("there is one").1
}

#[test]
fn a_blob_becomes_particles_of_its_class_and_falls() {
    let mut app = headless();
    let blob = spawn_blob(&mut app);
    app.update();
    let count = fluid(&app).particles().len();
    assert!(count > 50);
    assert_eq!(
        app.world().get::<FluidBlobFilled>(blob).map(|filled| filled.particles),
        Some(count)
    );
    assert!(fluid(&app).particles().classes().iter().all(|class| *class == FluidClassId::HEAVY));
    for _ in 0..20 {
        app.update();
    }
    assert_eq!(fluid(&app).particles().len(), count, "a blob fills once");
    let fall: f32 = fluid(&app).particles().velocities().iter().map(|velocity| velocity.y).sum();
    let expected = -200.0 * 21.0 / 64.0 * count as f32;
    assert!((fall / expected - 1.0).abs() < 0.05, "nearly free fall: {fall} against {expected}");
}

/// Which passes ran, in order.
#[derive(Resource, Default)]
struct Log(Vec<FluidStepSystems>);

#[test]
fn passes_run_in_the_order_of_the_paper_once_per_substep() {
    let mut app = headless();
    app.init_resource::<Log>();
    for set in FluidStepSystems::ALL {
        app.add_systems(
            FluidSubstepSchedule,
            (move |mut log: ResMut<Log>| log.0.push(set)).in_set(set),
        );
    }
    // The loggers' order within their sets does not matter.
    app.edit_schedule(FluidSubstepSchedule, |schedule| {
        schedule.set_build_settings(bevy::ecs::schedule::ScheduleBuildSettings {
            ambiguity_detection: bevy::ecs::schedule::LogLevel::Ignore,
            ..default()
        });
    });
    spawn_blob(&mut app);
    app.update();
    let substeps = fluid(&app).substeps() as usize;
    let log = &app.world().resource::<Log>().0;
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
    let mut app = headless();
    let stop = |mut fluid: ResMut<FluidSimulation>| {
        fluid.particles_mut().velocities_mut().fill(Vec2::ZERO);
    };
    app.add_systems(
        FluidSubstepSchedule,
        stop.after(FluidStepSystems::ApplyGravity).before(FluidStepSystems::ApplyForces),
    );
    app.world_mut().spawn((FluidBlob::from(Circle::new(4.0)), FluidClass::LIGHT));
    for _ in 0..10 {
        app.update();
    }
    let particles = fluid(&app).particles();
    assert_eq!(particles.len(), 1);
    assert!(particles.positions()[0].length() < 8.0, "gravity was undone every substep");
}

#[test]
#[should_panic(expected = "ambigu")]
fn an_order_left_open_is_an_error() {
    let mut app = headless();
    app.add_systems(FluidSubstepSchedule, |mut fluid: ResMut<FluidSimulation>| fluid.clear());
    app.update();
}

#[test]
fn the_ecs_chain_and_the_core_step_agree_to_the_bit() {
    let mut app = headless();
    spawn_container(&mut app, 0.0);
    spawn_blob(&mut app);
    clock(&mut app).pause();
    app.update();
    let mut alone: blob_fluid::FluidWorld = (**fluid(&app)).clone();
    clock(&mut app).unpause();
    for _ in 0..120 {
        app.update();
        alone.step(1.0 / 64.0, &blob_fluid::SerialExecutor).expect("a valid step");
    }
    assert_eq!(fluid(&app).state_hash(), alone.state_hash());
}

#[test]
fn pause_single_step_and_restart() {
    let mut app = headless();
    spawn_blob(&mut app);
    for _ in 0..5 {
        app.update();
    }
    clock(&mut app).pause();
    let (hash, ticks) = (fluid(&app).state_hash(), fluid(&app).ticks());
    for _ in 0..5 {
        app.update();
    }
    assert_eq!(fluid(&app).state_hash(), hash);
    clock(&mut app).step_once();
    for _ in 0..5 {
        app.update();
    }
    assert_eq!(fluid(&app).ticks(), ticks + 1);
    assert_ne!(fluid(&app).state_hash(), hash);

    app.world_mut().resource_mut::<FluidSimulation>().clear();
    let again = spawn_blob(&mut app);
    clock(&mut app).unpause();
    app.update();
    assert!(app.world().get::<FluidBlobFilled>(again).is_some_and(|filled| filled.particles > 0));
}

#[test]
fn slow_motion_takes_fewer_of_the_same_ticks() {
    let mut app = headless();
    spawn_blob(&mut app);
    clock(&mut app).set_relative_speed(0.25);
    let before = fluid(&app).ticks();
    for _ in 0..40 {
        app.update();
    }
    assert_eq!(fluid(&app).ticks() - before, 10);
}

#[test]
fn a_long_frame_slows_the_fluid_down_instead_of_piling_up() {
    let second = TimeUpdateStrategy::ManualDuration(Duration::from_millis(240));
    let mut app = app_with(BlobFluidPlugins::default(), second);
    clock(&mut app).set_max_ticks_per_frame(3);
    let before = fluid(&app).ticks();
    app.update();
    app.update();
    assert_eq!(fluid(&app).ticks() - before, 6);
    assert!(app.world().resource::<FluidStatistics>().ticks_dropped > 0);
}

/// The state after 600 ticks at that many frames per second.
fn hash_at(frames_per_second: f64, schedule: impl ScheduleLabel, tick: FluidTick) -> u64 {
    let frame = Duration::from_secs_f64(1.0 / frames_per_second);
    let time = TimeUpdateStrategy::ManualDuration(frame);
    let mut app = app_with(BlobFluidPlugins::new(schedule), time);
    clock(&mut app).pause();
    spawn_container(&mut app, 0.0);
    for (class, x) in [(FluidClass::LIGHT, -30.0), (FluidClass::HEAVY, 30.0)] {
        let transform = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((FluidBlob::from(Circle::new(25.0)), class, transform));
    }
    app.update();
    app.update();
    clock(&mut app).set_tick(tick);
    clock(&mut app).unpause();
    while fluid(&app).ticks() < 600 {
        // The last frame may hold more ticks than are left.
        let left = (600 - fluid(&app).ticks()) as u32;
        clock(&mut app).set_max_ticks_per_frame(left.min(8));
        app.update();
    }
    fluid(&app).state_hash()
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

#[test]
fn despawning_a_container_frees_what_it_held() {
    let mut app = headless();
    let left = spawn_container(&mut app, -150.0);
    let right = spawn_container(&mut app, 150.0);
    for x in [-150.0, 150.0] {
        let transform = Transform::from_xyz(x, 0.0, 0.0);
        app.world_mut().spawn((FluidBlob::from(Circle::new(50.0)), transform));
    }
    for _ in 0..30 {
        app.update();
    }
    let both = fluid(&app).particles().len();
    app.world_mut().despawn(left);
    app.update();
    let kept = fluid(&app).particles().len();
    assert!(kept > 0 && kept < both);
    assert!(fluid(&app).particles().positions().iter().all(|position| position.x > 0.0));
    app.world_mut().entity_mut(right).remove::<FluidContainer>();
    app.update();
    assert!(fluid(&app).particles().is_empty());
    assert_eq!(app.world().resource::<FluidContainers>().iter().count(), 0);
    assert_eq!(fluid(&app).containers().len(), 0);
}

#[test]
fn entering_and_leaving_a_level_a_hundred_times_leaves_nothing_behind() {
    let mut app = headless();
    for _ in 0..100 {
        let container = spawn_container(&mut app, 0.0);
        let blob = spawn_blob(&mut app);
        app.update();
        assert!(!fluid(&app).particles().is_empty());
        app.world_mut().despawn(container);
        app.world_mut().despawn(blob);
        app.update();
        assert!(fluid(&app).particles().is_empty());
        assert_eq!(fluid(&app).containers().len(), 0);
    }
}

#[test]
fn spawned_and_despawned_in_one_frame_is_as_if_never_spawned() {
    let mut app = headless();
    let blob = spawn_blob(&mut app);
    let container = spawn_container(&mut app, 0.0);
    app.world_mut().despawn(blob);
    app.world_mut().despawn(container);
    app.update();
    assert!(fluid(&app).particles().is_empty());
    assert_eq!(fluid(&app).containers().len(), 0);
}

#[test]
fn transforms_place_containers_blobs_and_forces() {
    let mut app = headless();
    let quarter_turn = Transform::from_xyz(10.0, 20.0, 3.0)
        .with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2))
        .with_scale(Vec3::new(2.0, 1.0, 1.0));
    app.world_mut().spawn((FluidContainer::from(Rectangle::new(100.0, 50.0)), quarter_turn));
    app.update();
    let container = first_container(fluid(&app)).clone();
    assert!((container.depth(Vec2::new(10.0, 20.0)) - 25.0).abs() < 1e-3);
    assert!(container.depth(Vec2::new(10.0, 110.0)) > 0.0, "200 high after the turn");
    assert!(container.depth(Vec2::new(50.0, 20.0)) < 0.0, "50 wide after the turn");

    let parent = app.world_mut().spawn(Transform::from_xyz(0.0, 100.0, 0.0)).id();
    let force = FluidForce::attract(30.0, 500.0);
    app.world_mut().spawn((force, Transform::from_xyz(5.0, 0.0, 0.0), ChildOf(parent)));
    app.update();
    assert_eq!(fluid(&app).forces()[0].centre, Vec2::new(5.0, 100.0));
}

#[test]
fn degenerate_transforms_are_left_out() {
    let mut app = headless();
    let container = spawn_container(&mut app, 0.0);
    app.update();
    let valid = first_container(fluid(&app)).clone();
    let bad = [
        Transform::from_scale(Vec3::ZERO),
        Transform::from_scale(Vec3::new(0.0, 1.0, 1.0)),
        Transform::from_xyz(f32::NAN, 0.0, 0.0),
        Transform::from_scale(Vec3::splat(f32::INFINITY)),
    ];
    for transform in bad {
        app.world_mut().entity_mut(container).insert(transform);
        app.world_mut().spawn((FluidBlob::from(Circle::new(50.0)), transform));
        app.world_mut().spawn((FluidForce::repel(50.0, 100.0), transform.with_scale(Vec3::ZERO)));
        app.update();
        assert_eq!(*first_container(fluid(&app)), valid, "the last valid place stays");
        assert!(fluid(&app).particles().is_empty());
        assert!(fluid(&app).forces().is_empty());
    }
}

fn carry(app: &mut App, entity: Entity, to: Vec2) {
    let mut transform = app.world_mut().get_mut::<Transform>(entity).expect("placed");
    transform.translation = to.extend(0.0);
}

#[test]
fn a_container_that_is_moved_takes_its_liquid_along() {
    let mut app = headless();
    let cup = app.world_mut().spawn(FluidContainer::from(Rectangle::new(120.0, 120.0))).id();
    app.world_mut().spawn(FluidBlob::from(Circle::new(45.0)));
    for _ in 0..60 {
        app.update();
    }
    let count = fluid(&app).particles().len();
    for step in 1..=128 {
        let x = step as f32;
        carry(&mut app, cup, Vec2::new(x, 0.0));
        app.update();
        // There at the end of the very tick, having moved all the way in it.
        let container = first_container(fluid(&app)).clone();
        assert!((container.centre().x - x).abs() < 1e-3, "{container:?}");
        assert!((container.motion().velocity.x - 64.0).abs() < 0.1, "{container:?}");
    }
    let particles = fluid(&app).particles();
    let mean = particles.positions().iter().sum::<Vec2>() / count as f32;
    assert!((mean.x - 128.0).abs() < 30.0, "{mean}");
    assert_eq!(particles.len(), count);
    app.update();
    let container = first_container(fluid(&app)).clone();
    assert_eq!(
        (container.centre(), container.motion().velocity),
        (Vec2::new(128.0, 0.0), Vec2::ZERO)
    );
    // Too far to have moved: it jumps, and throws nothing.
    carry(&mut app, cup, Vec2::new(5000.0, 0.0));
    app.update();
    let container = first_container(fluid(&app)).clone();
    assert_eq!((container.centre().x, container.motion().velocity.x), (5000.0, 0.0));
}

#[test]
fn what_moves_is_there_after_the_last_of_several_ticks() {
    let frame = TimeUpdateStrategy::ManualDuration(Duration::from_millis(50));
    let mut app = app_with(BlobFluidPlugins::new(Update), frame);
    clock(&mut app).set_tick(FluidTick::Every(Duration::from_millis(10)));
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    let paddle = app.world_mut().spawn(FluidCollider::from(Rectangle::new(80.0, 6.0))).id();
    app.update();
    *app.world_mut().get_mut::<Transform>(paddle).expect("placed") =
        turned.with_translation(Vec3::new(10.0, -20.0, 3.0));
    let ticks = fluid(&app).ticks();
    app.update();
    assert_eq!(fluid(&app).ticks(), ticks + 5);
    let collider = first_collider(fluid(&app)).clone();
    assert!((collider.centre() - Vec2::new(10.0, -20.0)).length() < 1e-3, "{collider:?}");
    assert!((collider.rotation() - Vec2::from_angle(0.5)).length() < 1e-3, "{collider:?}");
    let velocity = Vec2::new(10.0, -20.0) / 0.05;
    assert!((collider.motion().velocity - velocity).length() < 0.1, "{collider:?}");
}

#[test]
fn colliders_hold_liquid_up_until_they_go() {
    let mut app = headless();
    spawn_container(&mut app, 0.0);
    let shelf = app
        .world_mut()
        .spawn((
            FluidCollider::from(Rectangle::new(150.0, 8.0)),
            Transform::from_xyz(0.0, -20.0, 0.0),
        ))
        .id();
    let above = Transform::from_xyz(0.0, 30.0, 0.0);
    app.world_mut().spawn((FluidBlob::from(Circle::new(25.0)), above));
    let lowest = |app: &App| {
        let heights = fluid(app).particles().positions().iter().map(|position| position.y);
        heights.fold(f32::MAX, f32::min)
    };
    for _ in 0..40 {
        app.update();
    }
    assert!(lowest(&app) > -16.5, "{}", lowest(&app));
    assert_eq!(app.world().resource::<FluidColliders>().iter().count(), 1);
    let bad = Transform::from_scale(Vec3::new(0.0, 1.0, 1.0));
    app.world_mut().entity_mut(shelf).insert(bad);
    app.update();
    assert_eq!(fluid(&app).colliders().len(), 1, "the last valid place stays");
    app.world_mut().despawn(shelf);
    for _ in 0..60 {
        app.update();
    }
    assert_eq!(fluid(&app).colliders().len(), 0);
    assert!(lowest(&app) < -80.0, "{}", lowest(&app));
}

#[test]
fn forces_heat_and_blobs_come_warm() {
    let mut app = headless();
    let blob = FluidBlob::from(Circle::new(20.0)).with_temperature(60.0);
    app.world_mut().spawn((blob, FluidClass::HEAVY));
    app.world_mut().spawn(FluidForce::heat(100.0, 640.0));
    app.update();
    let temperatures = fluid(&app).particles().temperatures();
    // Ten degrees a tick in the middle, next to nothing less so close to it.
    assert!(temperatures.iter().all(|t| (69.0..=70.0).contains(t)), "{temperatures:?}");
}

#[test]
fn bad_settings_are_refused_and_the_last_valid_ones_stay() {
    let mut app = headless();
    spawn_blob(&mut app);
    app.update();
    let before = *fluid(&app).parameters();
    let set = |app: &mut App, change: fn(&mut FluidParameters)| {
        change(&mut app.world_mut().resource_mut::<FluidSettings>().parameters);
        app.update();
        *fluid(app).parameters()
    };
    assert_eq!(set(&mut app, |p| p.gravity.y = f32::NAN), before);
    assert_eq!(set(&mut app, |p| p.gravity.y = f32::INFINITY), before);
    let valid = set(&mut app, |p| p.gravity.y = -100.0);
    assert_eq!(valid.gravity.y, -100.0);
    assert_eq!(set(&mut app, |p| p.particle_spacing = 0.0), valid);

    let known = fluid(&app).classes().clone();
    app.world_mut().resource_mut::<FluidClasses>().truncate(0);
    app.update();
    assert_eq!(*fluid(&app).classes(), known);
    assert!(fluid(&app).particles().positions().iter().all(|position| position.is_finite()));
}

#[test]
fn a_full_world_cuts_blobs_short() {
    for (capacity, expected) in [(0, 0), (1, 1), (10, 10)] {
        let mut app = headless();
        app.world_mut().resource_mut::<FluidSettings>().capacity = capacity;
        spawn_blob(&mut app);
        app.update();
        assert_eq!(fluid(&app).particles().len(), expected);
    }
    let mut app = headless();
    app.world_mut().resource_mut::<FluidSettings>().capacity = usize::MAX;
    spawn_blob(&mut app);
    app.update();
    assert!(fluid(&app).particles().len() > 50);
}

#[test]
fn a_blob_is_clipped_to_what_is_free() {
    let mut app = headless();
    spawn_container(&mut app, 0.0);
    let larger = FluidBlob::from(Circle::new(200.0));
    let first = app.world_mut().spawn(larger.clone()).id();
    app.update();
    let filled =
        |app: &App, blob: Entity| *app.world().get::<FluidBlobFilled>(blob).expect("filled");
    let of_first = filled(&app, first);
    assert!(of_first.particles > 0 && of_first.left_out_by_walls > of_first.particles);
    let held = fluid(&app).particles().positions().iter().all(|own| own.length() < 100.0);
    assert!(held, "none is outside of the container");
    // No place is left.
    let second = app.world_mut().spawn(FluidBlob::from(Circle::new(60.0))).id();
    app.update();
    let of_second = filled(&app, second);
    assert!(of_second.left_out_by_liquid > 10 * of_second.particles, "{of_second:?}");
    let whole = app.world_mut().spawn(larger.unclipped()).id();
    app.update();
    let of_whole = filled(&app, whole);
    assert_eq!(of_whole.particles, of_first.particles + of_first.left_out_by_walls);
    assert_eq!((of_whole.left_out_by_walls, of_whole.left_out_by_liquid), (0, 0));
}

#[test]
fn a_huge_blob_is_cut_short_without_being_laid_out() {
    let mut app = headless();
    app.world_mut().resource_mut::<FluidSettings>().capacity = 100;
    app.world_mut().spawn(FluidBlob::from(Rectangle::new(1e6, 1e6)));
    app.update();
    assert_eq!(fluid(&app).particles().len(), 100);
}

#[test]
fn nan_from_a_users_system_is_quarantined() {
    let mut app = headless();
    spawn_container(&mut app, 0.0);
    spawn_blob(&mut app);
    app.update();
    let count = fluid(&app).particles().len();
    app.world_mut().resource_mut::<FluidSimulation>().particles_mut().velocities_mut()[7] =
        Vec2::NAN;
    app.update();
    let particles = fluid(&app).particles();
    assert_eq!(particles.len(), count - 1);
    assert_eq!(app.world().resource::<FluidStatistics>().quarantined, 1);
    assert!(particles.positions().iter().chain(particles.velocities()).all(|v| v.is_finite()));
}

#[test]
fn a_budget_gives_up_substeps_and_says_so() {
    let mut app = headless();
    let deep = FluidContainer::from(Rectangle::new(80.0, 900.0));
    app.world_mut().spawn(deep);
    app.world_mut().spawn((FluidBlob::from(Rectangle::new(80.0, 880.0)), FluidClass::MEDIUM));
    app.update();
    let wanted = app.world().resource::<FluidStatistics>().substeps;
    assert!(wanted > 1);
    // No machine is that fast.
    let hasty = FluidBudget { milliseconds: 0.01, ..default() };
    app.world_mut().resource_mut::<FluidSettings>().budget = Some(hasty);
    for _ in 0..3 {
        app.update();
    }
    let statistics = *app.world().resource::<FluidStatistics>();
    assert_eq!(statistics.substeps, 1);
    assert!(statistics.given_up.substeps > 0);
    let diagnostics = app.world().resource::<DiagnosticsStore>();
    let value =
        |path: DiagnosticPath| diagnostics.get(&path).and_then(|diagnostic| diagnostic.value());
    let given_up = f64::from(statistics.given_up.substeps);
    assert_eq!(value(FluidDiagnosticsPlugin::SUBSTEPS_GIVEN_UP), Some(given_up));
    assert_eq!(value(FluidDiagnosticsPlugin::SUBSTEPS), Some(1.0));
    let particles = fluid(&app).particles().len() as f64;
    assert_eq!(value(FluidDiagnosticsPlugin::PARTICLES), Some(particles));

    // An impossible one is refused, and the last stays.
    let impossible = FluidBudget { milliseconds: -1.0, ..default() };
    app.world_mut().resource_mut::<FluidSettings>().budget = Some(impossible);
    app.update();
    assert_eq!(app.world().resource::<FluidStatistics>().substeps, 1);

    app.world_mut().resource_mut::<FluidSettings>().budget = None;
    app.update();
    let statistics = *app.world().resource::<FluidStatistics>();
    assert_eq!(statistics.given_up, GivenUp::default());
    assert!(statistics.substeps > 1);
}

#[test]
fn liquid_at_rest_sleeps_until_an_entity_touches_it() {
    let mut app = headless();
    spawn_container(&mut app, 0.0);
    spawn_blob(&mut app);
    let count = |app: &App| fluid(app).particles().len();
    let asleep = |app: &App| app.world().resource::<FluidStatistics>().asleep;
    let rest = |app: &mut App| {
        for _ in 0..64 * 120 {
            app.update();
            if app.world().resource::<FluidStatistics>().substeps == 0 {
                assert_eq!(asleep(app), count(app));
                return;
            }
        }
        panic!("{} of {} asleep after two minutes", asleep(app), count(app));
    };
    rest(&mut app);
    let ticks = fluid(&app).ticks();
    app.update();
    assert_eq!(fluid(&app).ticks(), ticks + 1, "time passes");
    assert_eq!(app.world().resource::<FluidStatistics>().substeps, 0);

    let low = Transform::from_xyz(0.0, -60.0, 0.0);
    let force = app.world_mut().spawn((FluidForce::attract(50.0, 300.0), low)).id();
    app.update();
    assert!(asleep(&app) < count(&app), "a force");
    app.world_mut().entity_mut(force).despawn();
    rest(&mut app);

    let collider = FluidCollider::from(Circle::new(10.0));
    let collider = app.world_mut().spawn((collider, low)).id();
    app.update();
    assert!(asleep(&app) < count(&app), "a collider");
    rest(&mut app);
    app.world_mut().entity_mut(collider).despawn();
    app.update();
    assert!(asleep(&app) < count(&app), "a collider that went");
    rest(&mut app);

    app.world_mut().resource_mut::<FluidSettings>().parameters.gravity = Vec2::new(50.0, -200.0);
    app.update();
    assert_eq!(asleep(&app), 0, "gravity");
}

#[test]
fn an_app_without_bevys_plugins_stands_still() {
    let mut app = App::new();
    app.add_plugins(BlobFluidPlugins::new(Update));
    app.finish();
    app.cleanup();
    spawn_blob(&mut app);
    app.update();
    app.update();
    assert!(!fluid(&app).particles().is_empty());
    assert_eq!(fluid(&app).ticks(), 0);
}

#[test]
#[should_panic(expected = "FluidSimulationPlugin")]
fn adding_the_plugin_twice_is_bevys_own_error() {
    App::new().add_plugins(BlobFluidPlugins::default()).add_plugins(BlobFluidPlugins::default());
}

#[test]
fn public_types_are_registered_for_reflection() {
    let app = headless();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    for path in [
        "bevy_blob_fluid::simulation::resources::FluidSimulation",
        "bevy_blob_fluid::simulation::resources::FluidSettings",
        "bevy_blob_fluid::simulation::resources::FluidClasses",
        "bevy_blob_fluid::simulation::resources::FluidStatistics",
        "bevy_blob_fluid::simulation::clock::FluidTick",
        "bevy_blob_fluid::schedule::FluidStepSystems",
        "bevy_blob_fluid::schedule::FluidAirSystems",
        "bevy_blob_fluid::entities::collider::FluidCollider",
        "bevy_blob_fluid::entities::collider::FluidColliders",
        "bevy_blob_fluid::materials::FluidMadeOf",
        "bevy_blob_fluid::materials::FluidMaterials",
        "blob_fluid::settings::class::Elasticity",
        "blob_fluid::settings::class_pair::ClassPair",
        "blob_fluid::boundary::wall::WallProperties",
        "blob_fluid::boundary::collider::ColliderOptions",
        "blob_fluid::settings::thermal::Thermal",
        "blob_fluid::particles::spring::Spring",
        "bevy_blob_fluid::entities::container::FluidContainer",
        "bevy_blob_fluid::entities::container::FluidContainers",
        "bevy_blob_fluid::entities::blob::FluidBlob",
        "bevy_blob_fluid::entities::blob::FluidBlobFilled",
        "bevy_blob_fluid::entities::class::FluidClass",
        "bevy_blob_fluid::entities::force::FluidForce",
        "bevy_blob_fluid::entities::force::FluidImpulse",
        "blob_fluid::settings::parameters::FluidParameters",
        "blob_fluid::settings::parameters::GhostWalls",
        "blob_fluid::settings::class::DensityClass",
        "blob_fluid::geometry::shape::Shape",
    ] {
        assert!(registry.get_with_type_path(path).is_some(), "{path}");
    }
}
