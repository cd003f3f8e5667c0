//! Materials as assets, in a headless app.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy::asset::AssetLoadFailedEvent;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

/// A folder of its own for a test's files, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("blob_fluid_{test}_{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(format!("{name}.fluid.ron")), text).expect("writable");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Errors of the loader, as the asset server reports them.
#[derive(Resource, Default)]
struct Errors(Vec<String>);

fn app_of(folder: &Path) -> App {
    let mut app = crate::assets::app_with_assets(folder);
    app.init_resource::<Errors>();
    app.finish();
    app.cleanup();
    app.add_systems(
        Last,
        |mut failed: MessageReader<AssetLoadFailedEvent<FluidMaterialAsset>>,
         mut errors: ResMut<Errors>| {
            errors.0.extend(failed.read().map(|event| event.error.to_string()));
        },
    );
    app
}

/// Updates until something is so; files take a moment.
fn update_until(app: &mut App, what: &str, done: impl Fn(&World) -> bool) {
    let begin = Instant::now();
    while !done(app.world()) {
        assert!(begin.elapsed() < Duration::from_secs(20), "waited too long until {what}");
        app.update();
    }
    // Whatever follows from it.
    app.update();
}

fn load(app: &App, name: &str) -> Handle<FluidMaterialAsset> {
    app.world().resource::<AssetServer>().load(format!("{name}.fluid.ron"))
}

fn spawn_blob(app: &mut App, material: Handle<FluidMaterialAsset>) -> Entity {
    // Several blobs share their place.
    let blob = FluidBlob::from(Circle::new(40.0)).unclipped();
    app.world_mut().spawn((blob, FluidMadeOf(material))).id()
}

fn filled(world: &World, blob: Entity) -> bool {
    world.get::<FluidBlobFilled>(blob).is_some_and(|filled| filled.particles > 20)
}

fn names(world: &World) -> Vec<String> {
    world.resource::<FluidClasses>().iter().map(|class| class.name.clone()).collect()
}

fn mass(world: &World, name: &str) -> f32 {
    let fluid = world.resource::<FluidSimulation>();
    let class = fluid.classes().find(name).unwrap_or_else(|| panic!("there is no {name}"));
    fluid.classes()[class].mass
}

const SAP: &str = "(class: (name: \"sap\", mass: 1.3))";

#[test]
fn a_blob_waits_for_its_material_and_what_that_turns_into() {
    let folder = Folder::new("waits");
    folder.write(
        "sap",
        "(class: (name: \"sap\", thermal: (below: (temperature: 5, becomes: \"amber\"))))",
    );
    folder.write(
        "amber",
        "(class: (name: \"amber\", thermal: (above: (temperature: 90, becomes: \"sap\"))))",
    );
    let mut app = app_of(&folder.0);
    let sap = load(&app, "sap");
    let blob = spawn_blob(&mut app, sap.clone());
    let plain = app.world_mut().spawn(FluidBlob::from(Circle::new(40.0))).id();
    app.update();
    app.update();
    assert!(filled(app.world(), plain), "others do not wait");
    update_until(&mut app, "the blob is filled", |world| filled(world, blob));
    assert_eq!(names(app.world()), ["heavy", "medium", "light", "sap", "amber"]);
    let world = app.world();
    let (materials, classes) =
        (world.resource::<FluidMaterials>(), world.resource::<FluidClasses>());
    assert_eq!(materials.class(&sap, classes), Some(FluidClassId(3)));
    assert!(!materials.are_loading());
    let particles = world.resource::<FluidSimulation>().particles();
    assert_eq!(particles.classes().iter().filter(|class| class.0 == 3).count(), {
        world.get::<FluidBlobFilled>(blob).expect("filled").particles
    });
    // Cold enough to change: both classes are in force.
    app.world_mut().resource_mut::<FluidSimulation>().particles_mut().temperatures_mut().fill(0.0);
    app.update();
    app.update();
    let particles = app.world().resource::<FluidSimulation>().particles();
    assert!(particles.classes().iter().all(|class| class.0 != 3));
}

#[test]
fn a_changed_file_comes_into_force_and_a_wrong_one_does_not() {
    let folder = Folder::new("changed");
    folder.write("sap", SAP);
    let mut app = app_of(&folder.0);
    let sap = load(&app, "sap");
    let blob = spawn_blob(&mut app, sap);
    update_until(&mut app, "the blob is filled", |world| filled(world, blob));
    assert_eq!(mass(app.world(), "sap"), 1.3);

    let reload = |app: &App| app.world().resource::<AssetServer>().reload("sap.fluid.ron");
    for (wrong, expected) in [
        ("(class: (name: \"sap\",\n  mass: -2))", "sap.fluid.ron:2:3: class `sap`: mass is -2"),
        ("(class: (name: \"sap\",\n  weight: 2))", "sap.fluid.ron:2:3"),
        ("(class: (name: \"sap\"", "sap.fluid.ron:1:17"),
    ] {
        folder.write("sap", wrong);
        app.world_mut().resource_mut::<Errors>().0.clear();
        reload(&app);
        // The file is also watched, so that an error may come twice, and late.
        update_until(&mut app, expected, |world| {
            world.resource::<Errors>().0.iter().any(|error| error.contains(expected))
        });
        assert_eq!(mass(app.world(), "sap"), 1.3, "the old one stays");
    }

    folder.write("sap", "(class: (name: \"sap\", mass: 1.5))");
    reload(&app);
    update_until(&mut app, "the change is in force", |world| mass(world, "sap") == 1.5);
    assert_eq!(names(app.world()).len(), 4);
}

#[test]
fn a_material_takes_the_place_of_a_class_of_its_name() {
    let folder = Folder::new("place");
    folder.write(
        "light",
        "(class: (name: \"light\", mass: 0.7), pairs: [(with: \"heavy\", cohesion: -1)])",
    );
    let mut app = app_of(&folder.0);
    let light = load(&app, "light");
    app.world_mut().resource_mut::<FluidMaterials>().request(light);
    assert!(app.world().resource::<FluidMaterials>().are_loading());
    update_until(&mut app, "it is in force", |world| {
        !world.resource::<FluidMaterials>().are_loading()
    });
    assert_eq!(names(app.world()), ["heavy", "medium", "light"]);
    assert_eq!(mass(app.world(), "light"), 0.7);
    let pairs = app.world().resource::<FluidSimulation>().classes().pairs().to_vec();
    assert_eq!((pairs.len(), pairs[0].cohesion), (1, -1.0));
    // Classes set anew lose it, and get it back.
    app.insert_resource(FluidClasses::default());
    app.update();
    app.update();
    assert_eq!(mass(app.world(), "light"), 0.7);
}

#[test]
fn what_cannot_be_loaded_keeps_nothing_else_waiting() {
    let folder = Folder::new("missing");
    folder.write("sap", SAP);
    let lost =
        "(class: (name: \"lost\", thermal: (above: (temperature: 9, becomes: \"nothing\"))))";
    folder.write("lost", lost);
    let mut app = app_of(&folder.0);
    let blobs = ["nowhere", "lost", "sap"].map(|name| {
        let material = load(&app, name);
        spawn_blob(&mut app, material)
    });
    update_until(&mut app, "the good one is filled", |world| filled(world, blobs[2]));
    assert!(!filled(app.world(), blobs[0]) && !filled(app.world(), blobs[1]));
    assert_eq!(names(app.world()), ["heavy", "medium", "light", "sap"]);
    // Put right, it comes as well.
    folder.write("nothing", "(class: (name: \"nothing\"))");
    app.world().resource::<AssetServer>().reload("nothing.fluid.ron");
    update_until(&mut app, "the lost one is found", |world| filled(world, blobs[1]));
}

#[test]
fn built_in_materials_need_no_files() {
    let mut app = app_of(&Folder::new("none").0);
    let blob = spawn_blob(&mut app, FluidMadeOf::LAVA.0);
    app.world_mut().resource_mut::<FluidMaterials>().request(FluidMadeOf::WATER.0);
    app.update();
    app.update();
    assert!(filled(app.world(), blob), "nothing is waited for");
    let names_now = names(app.world());
    assert_eq!(names_now, ["heavy", "medium", "light", "lava", "water", "stone", "steam"]);
    // Cold lava turns to stone, which hot stone turns back to.
    let fluid = |app: &mut App, temperature: f32| {
        let mut fluid = app.world_mut().resource_mut::<FluidSimulation>();
        fluid.particles_mut().temperatures_mut().fill(temperature);
        app.update();
        app.update();
        let fluid = app.world().resource::<FluidSimulation>();
        let class = fluid.particles().classes()[0];
        fluid.classes()[class].name.clone()
    };
    assert_eq!(fluid(&mut app, 20.0), "stone");
    assert_eq!(fluid(&mut app, 1000.0), "lava");
    // All of them, with all that they turn into.
    for name in FluidMadeOf::BUILT_IN {
        let material = FluidMadeOf::built_in(name).expect("built in").0;
        app.world_mut().resource_mut::<FluidMaterials>().request(material);
    }
    app.update();
    app.update();
    let all = names(app.world());
    assert_eq!(all.len(), 3 + FluidMadeOf::BUILT_IN.len());
    assert!(FluidMadeOf::BUILT_IN.iter().all(|name| all.iter().any(|own| own == name)));
    assert!(app.world().resource::<Errors>().0.is_empty());
}

#[test]
fn all_bundled_materials_come_into_force_together() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let mut app = app_of(&folder.canonicalize().expect("there"));
    let bundled = ["water", "oil", "honey", "lava", "slime", "jelly", "mud", "mercury", "smoke"];
    let blobs = bundled.map(|name| {
        let material = load(&app, &format!("materials/{name}"));
        spawn_blob(&mut app, material)
    });
    update_until(&mut app, "all are filled", |world| blobs.iter().all(|blob| filled(world, *blob)));
    let names = names(app.world());
    for name in bundled.iter().chain(&["steam", "stone"]) {
        assert!(names.iter().any(|own| own == name), "{name} is missing of {names:?}");
    }
    assert!(app.world().resource::<Errors>().0.is_empty());
}
