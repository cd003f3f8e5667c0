//! Scenes as assets, in a headless app.

use std::fs;
use std::path::Path;

use bevy_blob_fluid::blob_fluid::air::Air;
use bevy_blob_fluid::blob_fluid::scene::Scene;
use bevy_blob_fluid::blob_fluid::{Collider, FluidShape, FluidWorld, SerialExecutor};

use crate::app::*;
use crate::files::{ASSETS, Folder, app_with_assets};

/// Entities whose scene was shown.
#[derive(Resource, Default)]
struct Seen(Vec<Entity>);

/// An app in which nothing moves yet.
fn app_from(folder: &Path) -> App {
    let mut app = app_with_assets::<FluidSceneAsset>(folder);
    app.init_resource::<Seen>().add_observer(
        |shown: On<FluidSceneShown>, mut seen: ResMut<Seen>| {
            seen.0.push(shown.entity);
        },
    );
    app.finish_plugins();
    app.clock().pause();
    app.update();
    app
}

fn spawn_scene(app: &mut App, name: &str) -> Entity {
    let scene = app.resource::<AssetServer>().load(format!("scenes/{name}.scene.ron"));
    app.spawn(FluidSceneRoot(scene))
}

fn show(app: &mut App, name: &str) -> Entity {
    let root = spawn_scene(app, name);
    app.update_until(name, |app| app.resource::<Seen>().0.contains(&root));
    root
}

fn counts(app: &App) -> [usize; 3] {
    let fluid = app.fluid();
    [fluid.particles().len(), fluid.containers().len(), fluid.colliders().len()]
}

/// Class, place, velocity and temperature of every particle, to the bit.
fn particles(world: &FluidWorld) -> Vec<(u8, [u32; 5])> {
    let particles = world.particles();
    let of = |index: usize| {
        let (position, velocity) = (particles.positions()[index], particles.velocities()[index]);
        let numbers =
            [position.x, position.y, velocity.x, velocity.y, particles.temperatures()[index]];
        (particles.classes()[index].0, numbers.map(f32::to_bits))
    };
    particles.indices_by_slot().map(of).collect()
}

fn names(world: &FluidWorld) -> Vec<&str> {
    world.classes().iter().map(|class| class.name.as_str()).collect()
}

fn bundled_scenes() -> Vec<String> {
    let entries = fs::read_dir(format!("{ASSETS}/scenes")).expect("a folder");
    let names = entries.filter_map(|entry| {
        let name = entry.expect("readable").file_name().into_string().expect("UTF-8");
        Some(name.strip_suffix(".scene.ron")?.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert!(names.len() >= 8, "{names:?}");
    names
}

#[test]
fn air_of_a_scene_comes_and_goes_with_it() {
    let mut app = app_from(ASSETS.as_ref());
    let root = show(&mut app, "wind_tunnel");
    let scene =
        Scene::read(format!("{ASSETS}/scenes/wind_tunnel.scene.ron").as_ref()).expect("valid");
    let core = scene.build().expect("valid");
    app.clock().unpause();
    app.world_mut().insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
    app.updates(2);
    let [shown, in_core] =
        [app.fluid().airs().next(), core.airs().next()].map(|air| air.expect("air"));
    assert_eq!((shown.columns(), shown.rows()), (in_core.columns(), in_core.rows()));
    assert_eq!(shown.bounds(), in_core.bounds());
    assert_eq!(shown.sides(), in_core.sides());
    // Entities have no order of their own in a file.
    let sources = |air: &Air| {
        let mut sources: Vec<_> =
            air.sources().iter().map(|source| format!("{source:?}")).collect();
        sources.sort();
        sources
    };
    assert_eq!(sources(shown), sources(in_core));
    assert!(shown.settings().viscosity == in_core.settings().viscosity);
    app.despawn(root);
    app.update();
    assert_eq!(app.fluid().airs().count(), 0);
}

#[test]
fn every_bundled_scene_is_the_core_s_to_the_bit() {
    let mut app = app_from(ASSETS.as_ref());
    let mut root = None;
    for name in bundled_scenes() {
        // In the frame in which the one before goes.
        if let Some(root) = root.replace(spawn_scene(&mut app, &name)) {
            app.despawn(root);
        }
        let new = root.expect("spawned");
        app.update_until(&name, |app| app.resource::<Seen>().0.contains(&new));
        let path = format!("{ASSETS}/scenes/{name}.scene.ron");
        let scene = Scene::read(path.as_ref()).expect("valid");
        let core = scene.build().expect("valid");
        let shown = app.fluid();
        assert!(particles(shown) == particles(&core), "{name}: the particles differ");
        assert_eq!(names(shown), names(&core), "{name}");
        assert_eq!(shown.classes(), core.classes(), "{name}");
        assert_eq!(shown.parameters(), core.parameters(), "{name}");
        let containers = |world: &FluidWorld| -> Vec<_> {
            world.containers().map(|(_, solid)| solid.clone()).collect()
        };
        let colliders = |world: &FluidWorld| -> Vec<_> {
            world.colliders().map(|(_, solid)| solid.clone()).collect()
        };
        assert_eq!(containers(shown), containers(&core), "{name}");
        assert_eq!(colliders(shown), colliders(&core), "{name}");
        // What the settings say is what is in force.
        let settings = *app.resource::<FluidSettings>();
        assert_eq!(settings.parameters, scene.parameters, "{name}");
        let before = particles(app.fluid());
        app.update();
        assert!(particles(app.fluid()) == before, "{name}: a paused scene changed");
    }
}

#[test]
fn a_scene_runs_as_in_the_core() {
    let mut app = app_from(ASSETS.as_ref());
    show(&mut app, "stratification");
    app.clock().unpause();
    app.updates(30);
    let scene = Scene::read(format!("{ASSETS}/scenes/stratification.scene.ron").as_ref());
    let mut core = scene.expect("valid").build().expect("valid");
    let tick = Time::<Fixed>::default().timestep().as_secs_f32();
    for _ in 0..app.fluid().ticks() {
        core.step(tick, &SerialExecutor).expect("valid");
    }
    assert!(core.ticks() >= 29);
    assert_eq!(app.fluid().state_hash(), core.state_hash());
}

#[test]
fn a_scene_that_goes_takes_its_solids_and_liquid_along() {
    let mut app = app_from(ASSETS.as_ref());
    let root = show(&mut app, "deep_pool");
    let children = app.component::<Children>(root).len();
    assert_eq!((children, counts(&app)), (1, [1200, 1, 0]));
    app.remove::<FluidSceneRoot>(root);
    app.update();
    assert_eq!(counts(&app), [0, 0, 0]);
    assert!(app.world().get::<Children>(root).is_none_or(|children| children.is_empty()));
    // One without a container.
    let root = show(&mut app, "free_blob");
    assert_eq!(counts(&app), [1024, 0, 0]);
    app.despawn(root);
    app.update();
    assert_eq!(counts(&app), [0, 0, 0]);
}

#[test]
fn of_several_scenes_the_last_is_shown_and_then_the_one_before() {
    let mut app = app_from(ASSETS.as_ref());
    show(&mut app, "deep_pool");
    let second = show(&mut app, "free_blob");
    assert_eq!(counts(&app), [1024, 0, 0]);
    app.despawn(second);
    app.update();
    assert_eq!(counts(&app), [1200, 1, 0]);
    assert_eq!(app.resource::<Seen>().0.len(), 3);
}

#[test]
fn another_handle_is_another_scene() {
    let mut app = app_from(ASSETS.as_ref());
    let root = show(&mut app, "deep_pool");
    let other = app.resource::<AssetServer>().load("scenes/jelly.scene.ron");
    app.insert(root, FluidSceneRoot(other));
    app.update_until("both were shown", |app| app.resource::<Seen>().0.len() == 2);
    assert_eq!(names(app.fluid()), ["jelly", "putty"]);
    app.update();
    assert_eq!(app.component::<Children>(root).len(), 1);
    assert_eq!(counts(&app)[1], 1);
}

/// The scene of an asset, to be changed.
fn change(app: &mut App, root: Entity, change: impl FnOnce(&mut Scene)) {
    let handle = app.component::<FluidSceneRoot>(root).0.clone();
    let mut scenes = app.resource_mut::<Assets<FluidSceneAsset>>();
    change(&mut scenes.get_mut(&handle).expect("loaded").0);
    app.updates(2);
}

const POND: &str = r#"(
    materials: ["sap"],
    containers: [(shape: Rectangle(half_size: (200, 100)))],
    colliders: [
        (shape: Circle(radius: 20), centre: (0, 40), rotation: (0, 1),
            motion: (velocity: (10, 0), angular_velocity: 1)),
        (shape: Rectangle(half_size: (20, 20)), centre: (-100, 60),
            options: (body: (mass: 12.5, moment_of_inertia: 900))),
    ],
    blocks: [(fill: Filled(shape: Rectangle(half_size: (150, 30))), centre: (0, -60), class: "sap", velocity: (7, 0))],
)"#;

#[test]
fn a_changed_scene_is_shown_anew_and_a_changed_material_comes_into_force() {
    let folder = Folder::new("changed_scene");
    folder.write("scenes/pond.scene.ron", POND);
    folder.write("materials/sap.fluid.ron", "(class: (name: \"sap\", mass: 1.3))");
    let mut app = app_from(&folder.0);
    let root = show(&mut app, "pond");
    let count = counts(&app)[0];
    assert!(count > 100);
    change(&mut app, root, |scene| scene.material_contents[0].class.mass = 1.5);
    assert_eq!(app.fluid().classes()[ClassId(0)].mass, 1.5);
    assert_eq!(app.resource::<Seen>().0.len(), 1, "nothing was shown anew");
    change(&mut app, root, |scene| scene.blocks[0].centre.y = -50.0);
    assert_eq!(app.resource::<Seen>().0.len(), 2);
    assert_eq!(counts(&app), [count, 1, 2]);
    // What is impossible leaves the last one in force.
    change(&mut app, root, |scene| scene.parameters.particle_spacing = -1.0);
    assert_eq!(counts(&app), [count, 1, 2]);
    assert_eq!(app.fluid().classes()[ClassId(0)].mass, 1.5);
}

#[test]
fn obstacles_move_and_float_as_their_scene_says() {
    let folder = Folder::new("moving_scene");
    folder.write("scenes/pond.scene.ron", POND);
    folder.write("materials/sap.fluid.ron", "(class: (name: \"sap\", mass: 1.3))");
    let mut app = app_from(&folder.0);
    show(&mut app, "pond");
    // Colliders come in the order of their entities.
    let both = |app: &App| {
        let mut both: Vec<_> = app.fluid().colliders().map(|(_, solid)| solid.clone()).collect();
        both.sort_by_key(|collider| collider.is_body());
        <[Collider; 2]>::try_from(both).expect("two colliders")
    };
    let [moving, floating] = both(&app);
    let body = floating.options().body.expect("a body");
    assert!((body.mass - 12.5).abs() < 0.1, "{body:?}");
    assert_eq!(moving.rotation().round(), Vec2::Y);
    app.clock().unpause();
    app.updates(64);
    let [moving, floating] = both(&app);
    assert!((moving.centre() - Vec2::new(10.0, 40.0)).length() < 0.5, "{}", moving.centre());
    let turned = Vec2::Y.rotate(Vec2::from_angle(1.0));
    assert!((moving.rotation() - turned).length() < 0.05, "{}", moving.rotation());
    assert!(floating.centre().y < 50.0, "{}", floating.centre());
}

#[test]
fn a_root_places_its_scene() {
    let mut app = app_from(ASSETS.as_ref());
    let root = spawn_scene(&mut app, "deep_pool");
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    app.insert(root, xy(500.0, 0.0).with_rotation(quarter));
    app.update_until("it is shown", |app| !app.resource::<Seen>().0.is_empty());
    let fluid = app.fluid();
    let container = app.first_container();
    assert!((container.centre() - Vec2::new(100.0, 0.0)).length() < 0.01);
    let inside = |position: &Vec2| container.depth(*position) > 0.0;
    assert!(fluid.particles().positions().iter().all(inside));
    assert!(matches!(container.shape(), FluidShape::Rectangle { .. }));
}

// Row 26 of docs/reliability.md.
#[test]
fn nonsense_is_left_out_and_nothing_panics() {
    let folder = Folder::new("nonsense_scenes");
    folder.write("scenes/torn.scene.ron", "(description: \"no end\"");
    folder.write("scenes/lacking.scene.ron", "(materials: [\"nowhere\"])");
    folder.write(
        "scenes/impossible.scene.ron",
        "(blocks: [(fill: Spiral(radius: 9, count: 9), class: \"nobody\")])",
    );
    folder.write("scenes/fine.scene.ron", "(blocks: [(fill: Spiral(radius: 90, count: 9))])");
    let mut app = app_from(&folder.0);
    show(&mut app, "fine");
    for name in ["torn", "lacking", "impossible", "missing"] {
        let root = spawn_scene(&mut app, name);
        let handle = app.component::<FluidSceneRoot>(root).0.clone();
        let settled = |app: &App| {
            let state = app.resource::<AssetServer>().load_state(&handle);
            state.is_failed() || state.is_loaded()
        };
        app.update_until(name, settled);
        app.updates(2);
        // The last valid one stays.
        assert_eq!(counts(&app), [9, 0, 0], "{name}");
        app.despawn(root);
        app.update();
        assert_eq!(counts(&app), [9, 0, 0], "{name}");
    }
    // A scaled scene, and a handle that leads nowhere.
    let root = spawn_scene(&mut app, "fine");
    app.insert(root, Transform::from_scale(Vec3::splat(2.0)));
    app.updates(2);
    assert_eq!(counts(&app), [9, 0, 0]);
    app.spawn(FluidSceneRoot::default());
    app.updates(2);
    assert_eq!(counts(&app), [9, 0, 0]);
}

#[test]
fn a_scene_that_grows_is_shown_when_it_has_its_size() {
    let mut app = app_from(ASSETS.as_ref());
    let before = show(&mut app, "jelly");
    let shown = counts(&app);
    let root = spawn_scene(&mut app, "dam_break");
    app.insert(root, Transform::from_scale(Vec3::ZERO));
    let handle = app.component::<FluidSceneRoot>(root).0.clone();
    let loaded = |app: &App| app.resource::<AssetServer>().load_state(&handle).is_loaded();
    app.update_until("it is loaded", loaded);
    for scale in [0.0, 0.5] {
        app.transform(root).scale = Vec3::splat(scale);
        app.updates(3);
        assert_eq!(counts(&app), shown, "what was there before stays");
    }
    app.transform(root).scale = Vec3::ONE;
    app.updates(2);
    assert_eq!(app.resource::<Seen>().0, [before, root]);
    assert!(counts(&app)[0] > 100 && counts(&app) != shown);
}

#[test]
fn a_scene_that_starts_over_is_the_same_to_the_bit() {
    let mut app = app_from(Path::new(ASSETS));
    let root = show(&mut app, "dam_break");
    let (counts_at_first, particles_at_first) = (counts(&app), particles(app.fluid()));
    assert!(counts_at_first[0] > 100 && counts_at_first[1] == 1, "{counts_at_first:?}");
    app.clock().unpause();
    app.updates(30);
    app.settings().parameters.gravity = Vec2::ZERO;
    app.resource_mut::<Seen>().0.clear();
    app.world_mut().commands().queue(FluidSimulation::restart);
    app.world_mut().flush();
    app.clock().pause();
    app.update_until("it is shown again", |app| app.resource::<Seen>().0.contains(&root));
    assert_eq!(counts(&app), counts_at_first);
    assert_eq!(particles(app.fluid()), particles_at_first);
    assert_ne!(app.fluid().parameters().gravity, Vec2::ZERO);
}
