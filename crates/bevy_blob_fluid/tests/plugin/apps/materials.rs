//! Materials as assets, in a headless app.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::app::*;
use crate::files::{ASSETS, Errors, Folder, app_with_assets};
use crate::warnings::{keep_warnings, take_warnings};

fn app_from(folder: &Path) -> App {
    let mut app = app_with_assets::<FluidMaterialAsset>(folder);
    app.finish_plugins();
    app
}

/// Updates until something is so, and once more for whatever follows from it.
fn update_until(app: &mut App, what: &str, done: impl Fn(&World) -> bool) {
    app.update_until(what, |app| done(app.world()));
    app.update();
}

fn load(app: &App, name: &str) -> Handle<FluidMaterialAsset> {
    app.resource::<AssetServer>().load(format!("{name}.fluid.ron"))
}

fn spawn_blob(app: &mut App, material: Handle<FluidMaterialAsset>) -> Entity {
    // Several blobs share their place.
    let blob = FluidBlob::from(Circle::new(40.0)).unclipped();
    app.spawn((blob, FluidMadeOf(material)))
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

const SAP: &str = "(class: (name: \"sap\", mass: 1.3), look: (opacity: 0.5))";

#[test]
fn a_blob_waits_for_its_material_and_what_that_turns_into() {
    let folder = Folder::new("waits");
    folder.write(
        "sap.fluid.ron",
        "(class: (name: \"sap\", thermal: (below: (temperature: 5, becomes: \"amber\"))))",
    );
    folder.write(
        "amber.fluid.ron",
        "(class: (name: \"amber\", thermal: (above: (temperature: 90, becomes: \"sap\"))))",
    );
    let mut app = app_from(&folder.0);
    let sap = load(&app, "sap");
    let blob = spawn_blob(&mut app, sap.clone());
    let plain = app.spawn(FluidBlob::from(Circle::new(40.0)));
    app.updates(2);
    assert!(filled(app.world(), plain), "others do not wait");
    update_until(&mut app, "the blob is filled", |world| filled(world, blob));
    assert_eq!(names(app.world()), ["heavy", "medium", "light", "sap", "amber"]);
    let world = app.world();
    let (materials, classes) =
        (world.resource::<FluidMaterials>(), world.resource::<FluidClasses>());
    assert_eq!(materials.class(&sap, classes), Some(ClassId(3)));
    assert!(!materials.are_loading());
    let particles = world.resource::<FluidSimulation>().particles();
    assert_eq!(particles.classes().iter().filter(|class| class.0 == 3).count(), {
        world.get::<FluidBlobFilled>(blob).expect("filled").particles
    });
    // Cold enough to change: both classes are in force.
    app.fluid_mut().particles_mut().temperatures_mut().fill(0.0);
    app.updates(2);
    let particles = app.fluid().particles();
    assert!(particles.classes().iter().all(|class| class.0 != 3));
}

// Row 26 of docs/reliability.md.
#[test]
fn a_changed_file_comes_into_force_and_a_wrong_one_does_not() {
    let folder = Folder::new("changed");
    folder.write("sap.fluid.ron", SAP);
    let mut app = app_from(&folder.0);
    let sap = load(&app, "sap");
    let blob = spawn_blob(&mut app, sap);
    update_until(&mut app, "the blob is filled", |world| filled(world, blob));
    assert_eq!(mass(app.world(), "sap"), 1.3);
    let opacity = |world: &World| world.resource::<FluidMaterials>().look("sap")?.opacity;
    assert_eq!(opacity(app.world()), Some(0.5));

    let reload = |app: &App| app.resource::<AssetServer>().reload("sap.fluid.ron");
    for (wrong, expected) in [
        ("(class: (name: \"sap\",\n  mass: -2))", "sap.fluid.ron:2:3: class `sap`: mass is -2"),
        ("(class: (name: \"sap\",\n  weight: 2))", "sap.fluid.ron:2:3"),
        ("(class: (name: \"sap\"", "sap.fluid.ron:1:17"),
        (
            "(class: (name: \"sap\"),\n  look: (glow: 99))",
            "sap.fluid.ron:2:10: look: glow is 99, and must be between 0 and 10",
        ),
    ] {
        folder.write("sap.fluid.ron", wrong);
        app.resource_mut::<Errors>().0.clear();
        reload(&app);
        // The file is also watched, so that an error may come twice, and late.
        update_until(&mut app, expected, |world| {
            world.resource::<Errors>().0.iter().any(|error| error.contains(expected))
        });
        assert_eq!(mass(app.world(), "sap"), 1.3, "the old one stays");
        assert_eq!(opacity(app.world()), Some(0.5), "and so does its look");
    }

    folder.write("sap.fluid.ron", "(class: (name: \"sap\", mass: 1.5))");
    reload(&app);
    update_until(&mut app, "the change is in force", |world| mass(world, "sap") == 1.5);
    assert_eq!(names(app.world()).len(), 4);
    assert_eq!(app.resource::<FluidMaterials>().look("sap"), None, "it states none");

    // The look alone may change.
    folder.write("sap.fluid.ron", "(class: (name: \"sap\", mass: 1.5), look: (opacity: 0.7))");
    reload(&app);
    update_until(&mut app, "the look is in force", |world| opacity(world) == Some(0.7));
}

// Row 27 of docs/reliability.md.
#[test]
fn liquid_whose_material_is_reloaded_while_it_runs_does_not_burst() {
    let folder = Folder::new("reloaded");
    let density = |density: f32| {
        let text = format!("(class: (name: \"sap\", relative_rest_density: {density}))");
        folder.write("sap.fluid.ron", &text);
    };
    density(1.0);
    let mut app = app_from(&folder.0);
    let sap = load(&app, "sap");
    app.spawn(FluidContainer::from(Rectangle::new(300.0, 300.0)));
    let blob = (FluidBlob::from(Rectangle::new(290.0, 100.0)), FluidMadeOf(sap), xy(0.0, -95.0));
    let blob = app.spawn(blob);
    update_until(&mut app, "the blob is filled", |world| filled(world, blob));
    app.updates(300);
    let count = app.particles();
    for reloaded in [0.5, 1.0] {
        density(reloaded);
        app.resource::<AssetServer>().reload("sap.fluid.ron");
        update_until(&mut app, "the change is in force", |world| {
            let class = world.resource::<FluidClasses>().iter().last().expect("there is sap");
            class.relative_rest_density == reloaded
        });
        let mut fastest = 0.0_f32;
        for _ in 0..64 * 4 {
            app.update();
            let speeds = app.velocities().iter().map(|velocity| velocity.length());
            fastest = speeds.fold(fastest, f32::max);
        }
        // No faster than a drop that falls from the ceiling to the floor.
        let fall = (2.0 * app.fluid().parameters().gravity.length() * 300.0).sqrt();
        println!("{fastest} of at most {fall} at {reloaded}");
        assert!(fastest < fall, "{fastest} of at most {fall} at {reloaded}");
        assert_eq!(app.particles(), count);
    }
}

#[test]
fn a_material_takes_the_place_of_a_class_of_its_name() {
    let folder = Folder::new("place");
    folder.write(
        "light.fluid.ron",
        "(class: (name: \"light\", mass: 0.7), pairs: [(with: \"heavy\", cohesion: -1)])",
    );
    let mut app = app_from(&folder.0);
    let light = load(&app, "light");
    app.resource_mut::<FluidMaterials>().request(light);
    assert!(app.resource::<FluidMaterials>().are_loading());
    update_until(&mut app, "it is in force", |world| {
        !world.resource::<FluidMaterials>().are_loading()
    });
    assert_eq!(names(app.world()), ["heavy", "medium", "light"]);
    assert_eq!(mass(app.world(), "light"), 0.7);
    let pairs = app.fluid().classes().pairs().to_vec();
    assert_eq!((pairs.len(), pairs[0].cohesion), (1, -1.0));
    // Classes set anew lose it, and get it back.
    let heavy = FluidClasses::default().classes[0].clone();
    app.insert_resource(FluidClasses::from(vec![heavy]));
    app.updates(2);
    assert_eq!((names(app.world()).len(), mass(app.world(), "light")), (2, 0.7));
    assert_eq!(app.fluid().classes().pairs().len(), 1);
}

#[test]
fn a_game_may_change_the_class_of_a_material() {
    let folder = Folder::new("edited");
    folder
        .write("sap.fluid.ron", "(class: (name: \"sap\", mass: 1.3), pairs: [(with: \"heavy\")])");
    let mut app = app_from(&folder.0);
    app.start();
    let sap = load(&app, "sap");
    app.resource_mut::<FluidMaterials>().request(sap);
    update_until(&mut app, "it is in force", |world| {
        !world.resource::<FluidMaterials>().are_loading()
    });
    assert_eq!((mass(app.world(), "sap"), app.fluid().classes().pairs().len()), (1.3, 1));
    let mut classes = app.resource_mut::<FluidClasses>();
    let sap = classes.find("sap").expect("it is in force");
    classes[sap].mass = 1.4;
    classes.pairs.clear();
    app.updates(3);
    assert_eq!((mass(app.world(), "sap"), app.fluid().classes().pairs().len()), (1.4, 0));
    // Another material does not bring it again.
    app.resource_mut::<FluidMaterials>().request(FluidMadeOf::HONEY.0);
    app.updates(3);
    assert!(names(app.world()).contains(&"honey".into()));
    assert_eq!(mass(app.world(), "sap"), 1.4);
    // A change of its file does.
    folder.write("sap.fluid.ron", "(class: (name: \"sap\", mass: 1.5))");
    app.resource::<AssetServer>().reload("sap.fluid.ron");
    update_until(&mut app, "the change is in force", |world| mass(world, "sap") == 1.5);
    // And so does starting over, at once.
    let mut classes = app.resource_mut::<FluidClasses>();
    classes[sap].mass = 1.6;
    app.update();
    assert_eq!(mass(app.world(), "sap"), 1.6);
    FluidSimulation::restart(app.world_mut());
    let classes = app.resource::<FluidClasses>();
    let sap = classes.find("sap").expect("it is there in the same command");
    assert_eq!(classes[sap].mass, 1.5);
    assert!(classes.find("honey").is_some());
}

#[test]
fn what_cannot_be_loaded_keeps_nothing_else_waiting() {
    let folder = Folder::new("missing");
    folder.write("sap.fluid.ron", SAP);
    let lost =
        "(class: (name: \"lost\", thermal: (above: (temperature: 9, becomes: \"nothing\"))))";
    folder.write("lost.fluid.ron", lost);
    let mut app = app_from(&folder.0);
    let blobs = ["nowhere", "lost", "sap"].map(|name| {
        let material = load(&app, name);
        spawn_blob(&mut app, material)
    });
    update_until(&mut app, "the good one is filled", |world| filled(world, blobs[2]));
    assert!(!filled(app.world(), blobs[0]) && !filled(app.world(), blobs[1]));
    assert_eq!(names(app.world()), ["heavy", "medium", "light", "sap"]);
    // Put right, it comes as well.
    folder.write("nothing.fluid.ron", "(class: (name: \"nothing\"))");
    app.resource::<AssetServer>().reload("nothing.fluid.ron");
    update_until(&mut app, "the lost one is found", |world| filled(world, blobs[1]));
}

#[test]
fn built_in_materials_need_no_files() {
    let mut app = app_from(&Folder::new("none").0);
    let blob = spawn_blob(&mut app, FluidMadeOf::LAVA.0);
    app.resource_mut::<FluidMaterials>().request(FluidMadeOf::WATER.0);
    app.updates(2);
    assert!(filled(app.world(), blob), "nothing is waited for");
    let names_now = names(app.world());
    assert_eq!(names_now, ["heavy", "medium", "light", "lava", "water", "stone", "steam"]);
    // Cold lava turns to stone, which hot stone turns back to.
    let fluid = |app: &mut App, temperature: f32| {
        app.fluid_mut().particles_mut().temperatures_mut().fill(temperature);
        app.updates(2);
        let fluid = app.fluid();
        let class = fluid.particles().classes()[0];
        fluid.classes()[class].name.clone()
    };
    assert_eq!(fluid(&mut app, 20.0), "stone");
    assert_eq!(fluid(&mut app, 1000.0), "lava");
    // All of them, with all that they turn into.
    for name in FluidMadeOf::BUILT_IN {
        let material = FluidMadeOf::built_in(name).expect("built in").0;
        app.resource_mut::<FluidMaterials>().request(material);
    }
    app.updates(2);
    let all = names(app.world());
    assert_eq!(all.len(), 3 + FluidMadeOf::BUILT_IN.len());
    assert!(FluidMadeOf::BUILT_IN.iter().all(|name| all.iter().any(|known| known == name)));
    let materials = app.resource::<FluidMaterials>();
    assert!(FluidMadeOf::BUILT_IN.iter().all(|name| materials.look(name).is_some()));
    assert!(app.resource::<Errors>().0.is_empty());
}

#[test]
fn all_bundled_materials_come_into_force_together() {
    let mut app = app_from(ASSETS.as_ref());
    let bundled = ["water", "oil", "honey", "lava", "slime", "jelly", "mud", "mercury", "smoke"];
    let blobs = bundled.map(|name| {
        let material = load(&app, &format!("materials/{name}"));
        spawn_blob(&mut app, material)
    });
    update_until(&mut app, "all are filled", |world| blobs.iter().all(|blob| filled(world, *blob)));
    let names = names(app.world());
    for name in bundled.iter().chain(&["steam", "stone"]) {
        assert!(names.iter().any(|known| known == name), "{name} is missing of {names:?}");
    }
    assert!(app.resource::<Errors>().0.is_empty());
}

#[test]
fn the_files_of_the_examples_are_those_that_are_built_in() {
    let texts = |folder: &str| -> BTreeMap<String, String> {
        let files = fs::read_dir(folder).expect("a folder");
        let paths = files.map(|file| file.expect("readable").path());
        let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
        paths.map(|path| (name(&path), fs::read_to_string(&path).expect("text"))).collect()
    };
    let built_in = texts("src/materials/built_in");
    assert_eq!(texts("../../assets/materials"), built_in, "copy the one over the other");
    let names: Vec<&str> =
        built_in.keys().map(|file| file.strip_suffix(".fluid.ron").expect("a material")).collect();
    assert_eq!(names, FluidMadeOf::BUILT_IN);
}

#[test]
fn drains_and_sensors_know_a_material_before_it_is_loaded() {
    let folder = Folder::new("filters");
    folder.write("sap.fluid.ron", SAP);
    let mut app = app_from(&folder.0);
    let sap = load(&app, "sap");
    let sensor = FluidSensor::from(Circle::new(500.0)).with_classes(sap.clone());
    let sensor = app.spawn(sensor);
    let drain = FluidDrain::from(Circle::new(500.0)).taking(sap.clone()).stopped();
    let drain = app.spawn(drain);
    let plain =
        app.spawn((FluidBlob::from(Circle::new(40.0)), Transform::from_xyz(0.0, 100.0, 0.0)));
    app.updates(2);
    assert!(filled(app.world(), plain));
    let counted = |app: &App| app.component::<FluidSensorReading>(sensor).count;
    assert_eq!(counted(&app), 0, "only sap counts");
    let blob = spawn_blob(&mut app, sap);
    update_until(&mut app, "the blob is filled", |world| filled(world, blob));
    app.update();
    let of_sap = app.component::<FluidBlobFilled>(blob).particles;
    assert_eq!(counted(&app), of_sap);
    let all = app.particles();
    app.component_mut::<FluidDrain>(drain).running = true;
    app.update();
    assert_eq!(app.particles(), all - of_sap);
    let totals = app.component::<FluidDrainTotals>(drain);
    assert_eq!((totals.total, totals.by_class.len()), (of_sap as u64, 4), "of the fourth class");
}

#[test]
fn paint_on_liquid_that_takes_none_is_warned_about_and_any_material_can_take_it() {
    keep_warnings();
    let mut app = app_of((AssetPlugin::default(), BlobFluidPlugins::default()));
    app.start();
    let red = Color::srgb(0.9, 0.1, 0.1);
    let blob = || (FluidBlob::from(Circle::new(40.0)).with_paint(red), FluidMadeOf::WATER);
    app.spawn((blob(), Name::new("blob of unpainted water"), xy(-200.0, 0.0)));
    let emitter = FluidEmitter::jet(30.0, 100.0).with_paint(red);
    app.spawn((emitter, FluidMadeOf::WATER, Name::new("unpainted tap"), xy(200.0, 0.0)));
    let brush = FluidBrush::new(&Circle::new(30.0), red);
    app.spawn((brush, Name::new("dry brush"), xy(0.0, 200.0)));
    app.updates(30);
    for name in ["blob of unpainted water", "unpainted tap", "dry brush"] {
        let warnings = take_warnings(name);
        let says = |text: &str| warnings.iter().all(|warning| warning.contains(text));
        assert!(warnings.len() == 1 && says("request_paintable"), "{name}: {warnings:?}");
    }
    assert_eq!(app.fluid().particles().paint(0), None);

    app.resource_mut::<FluidMaterials>().request_paintable(FluidMadeOf::WATER.0);
    app.updates(2);
    let before = app.particles();
    app.spawn((blob(), Name::new("blob of painted water"), xy(-200.0, 200.0)));
    app.updates(1);
    for name in ["blob of painted water", "unpainted tap", "dry brush"] {
        assert_eq!(take_warnings(name), [""; 0], "{name}");
    }
    let fluid = app.fluid();
    let water = &fluid.classes()[fluid.classes().find("water").expect("it is in use")];
    let linear = |color: Color| {
        let LinearRgba { red, green, blue, .. } = color.to_linear();
        Vec3::new(red, green, blue)
    };
    let [r, g, b, _] = water.color;
    let close = |index: usize, color: Color| {
        let paint = fluid.particles().paint(index).expect("it takes paint");
        Vec3::from(paint).distance(linear(color)) < 0.01
    };
    let mut all = 0..app.particles();
    assert!(all.clone().any(|index| close(index, Color::srgb(r, g, b))), "older water is not red");
    assert!(app.particles() > before && all.any(|index| close(index, red)), "new water is");
}
