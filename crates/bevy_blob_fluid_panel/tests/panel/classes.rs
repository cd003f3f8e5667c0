//! The pages of the classes and of their pairs, and materials from and to files.

use std::path::PathBuf;

use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::material::{Material, MaterialPair};
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid_panel::{FluidPanel, FluidPanelTab, FluidTools};

use super::cases::{Case, becomes, changes, does, number, picks, section};
use super::driver::{self, Control, Driver};
use super::page::{pick_colour, pick_opaque_colour, resource, work};

fn classes(app: &App) -> &FluidClasses {
    resource(app)
}

/// The first class, which is edited.
fn heavy(app: &App) -> &FluidDensityClass {
    &classes(app)[0]
}

fn viscosity(app: &App) -> FluidClassViscosity {
    heavy(app).viscosity.expect("its own viscosity")
}

fn elasticity(app: &App) -> FluidElasticity {
    heavy(app).elasticity.expect("springs")
}

fn transition(app: &App, above: bool) -> &FluidTransition {
    let thermal = &heavy(app).thermal;
    let transition = if above { &thermal.above } else { &thermal.below };
    transition.as_ref().expect("a transition")
}

fn into_air(app: &App) -> FluidIntoAir {
    heavy(app).thermal.into_air.clone().expect("what it becomes")
}

fn rains(app: &App) -> FluidTransition {
    into_air(app).rains.expect("rain")
}

fn has_layer(app: &App, layers: u32) -> String {
    (heavy(app).collision_layers & layers).to_string()
}

fn edited(driver: &mut Driver, control: &Control, index: usize) {
    driver.click(control);
    let mass = driver.control("Mass");
    driver.set(&mass, 1.25 + index as f64);
    assert_eq!(f64::from(classes(driver.app())[index].mass), 1.25 + index as f64);
    driver.click_on("Edit heavy");
}

fn add(driver: &mut Driver, control: &Control) {
    let before = classes(driver.app()).len();
    driver.click(control);
    assert_eq!(classes(driver.app()).len(), before + 1);
    let [.., copied] = &classes(driver.app())[..] else { panic!("none") };
    assert!(copied.name.starts_with("heavy ") && copied.mass == heavy(driver.app()).mass);
    driver.app_mut().update();
    assert_eq!(resource::<FluidSimulation>(driver.app()).classes().len(), before + 1);
    driver.click_on("Remove last");
    driver.click_on("Edit heavy");
}

fn remove(driver: &mut Driver, control: &Control) {
    let before = classes(driver.app()).len();
    driver.click(control);
    assert_eq!(classes(driver.app()).len(), before - 1);
    driver.click_on("Edit heavy");
    driver.click_on("Add class");
    driver.click_on("Edit heavy");
}

fn rename(driver: &mut Driver, _: &Control) {
    driver.type_into("Name", "molasses");
    assert_eq!(heavy(driver.app()).name, "molasses");
    driver.type_into("Name", "heavy");
    assert_eq!(heavy(driver.app()).name, "heavy");
}

fn save(driver: &mut Driver, control: &Control) {
    let folder = std::env::temp_dir().join(format!("panel_{}", std::process::id()));
    driver.app_mut().world_mut().resource_mut::<FluidPanel>().materials_folder = folder.clone();
    driver.click(control);
    assert!(driver.says("Saved "), "{:?}", driver.labels());
    let saved = Material::read(&folder.join("heavy.fluid.ron")).expect("a valid material");
    assert_eq!(saved.class, *heavy(driver.app()));
    std::fs::remove_dir_all(folder).expect("removed");
}

const CLASSES: &[Case] = &[
    does("Edit heavy", |driver, control| edited(driver, control, 0)),
    does("Edit medium", |driver, control| edited(driver, control, 1)),
    does("Edit light", |driver, control| edited(driver, control, 2)),
    does("Edit heavy 2", |driver, control| edited(driver, control, 2)),
    does("Pour heavy 2", |driver, control| {
        driver.click(control);
        assert_eq!(resource::<FluidTools>(driver.app()).class, FluidClassId(2));
    }),
    does("Add class", add),
    does("Remove last", remove),
    section("Looks and name"),
    does("Name", rename),
    does("Colour", |driver, control| pick_colour(driver, control, |app| heavy(app).color)),
    section("Weight and pressure"),
    number("Mass", |app| heavy(app).mass.into()),
    number("Rest density", |app| heavy(app).relative_rest_density.into()),
    number("Gravity scale", |app| heavy(app).gravity_scale.into()),
    number("Stiffness", |app| heavy(app).stiffness.into()),
    number("Near stiffness", |app| heavy(app).near_stiffness.into()),
    number("Surface tension", |app| heavy(app).surface_tension.into()),
    section("Thickness"),
    changes("Own viscosity", |app| heavy(app).viscosity.is_some().to_string()),
    number("Linear", |app| viscosity(app).linear.into()),
    number("Approach (sigma)", |app| viscosity(app).approach.into()),
    number("Quadratic (beta)", |app| viscosity(app).quadratic.into()),
    section("Springs"),
    changes("Elastic", |app| heavy(app).elasticity.is_some().to_string()),
    number("Spring stiffness", |app| elasticity(app).stiffness.into()),
    number("Yield ratio", |app| elasticity(app).yield_ratio.into()),
    number("Plasticity", |app| elasticity(app).plasticity.into()),
    number("Least length", |app| elasticity(app).min_rest_length.into()),
    section("Heat"),
    changes("Own temperature", |app| heavy(app).thermal.temperature.is_some().to_string()),
    number("Temperature", |app| heavy(app).thermal.temperature.expect("its own").into()),
    number("Conductivity", |app| heavy(app).thermal.conductivity.into()),
    number("Cooling", |app| heavy(app).thermal.cooling.into()),
    number("Expansion", |app| heavy(app).thermal.expansion.into()),
    changes("Boils", |app| heavy(app).thermal.above.is_some().to_string()),
    number("Boils at", |app| transition(app, true).temperature.into()),
    picks("Boils into", |app| transition(app, true).becomes.clone(), "heavy", "heavy"),
    changes("Sets", |app| heavy(app).thermal.below.is_some().to_string()),
    number("Sets at", |app| transition(app, false).temperature.into()),
    picks("Sets into", |app| transition(app, false).becomes.clone(), "heavy", "heavy"),
    number("To the air", |app| heavy(app).thermal.air_conductivity.into()),
    changes("Turns into air", |app| heavy(app).thermal.into_air.is_some().to_string()),
    number("Turns at", |app| into_air(app).above.into()),
    number("Latent heat", |app| into_air(app).latent_heat.into()),
    number("Vapour", |app| into_air(app).vapour.into()),
    number("Smoke", |app| into_air(app).smoke.into()),
    changes("Own smoke colour", |app| into_air(app).colour.is_some().to_string()),
    does("Smoke colour", |driver, control| {
        pick_opaque_colour(driver, control, |app| into_air(app).colour)
    }),
    number("Fuel", |app| into_air(app).fuel.into()),
    number("Gas", |app| into_air(app).expansion.into()),
    changes("Rains", |app| into_air(app).rains.is_some().to_string()),
    number("Rains below", |app| rains(app).temperature.into()),
    picks("Rains into", |app| rains(app).becomes.clone(), "heavy", "heavy"),
    section("Collisions"),
    changes("Layer 0", |app| has_layer(app, 1)),
    changes("Layer 1", |app| has_layer(app, 2)),
    changes("Layer 2", |app| has_layer(app, 4)),
    changes("Layer 3", |app| has_layer(app, 8)),
    changes("Layer 4", |app| has_layer(app, 16)),
    changes("Layer 5", |app| has_layer(app, 32)),
    changes("Layer 6", |app| has_layer(app, 64)),
    changes("Layer 7", |app| has_layer(app, 128)),
    changes("Layers 8 to 31", |app| has_layer(app, !0xff)),
    does("Save as material", save),
];

#[test]
fn every_field_of_a_class_has_a_control_that_sets_it() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Classes);
    work(&mut driver, CLASSES, &["Heat", "Collisions"]);
}

fn pair(app: &App) -> &FluidClassPair {
    let both = |pair: &&FluidClassPair| pair.classes == ["heavy", "medium"];
    classes(app).pairs.iter().find(both).expect("a pair")
}

fn reaction(app: &App) -> &FluidReaction {
    pair(app).reaction.as_ref().expect("a reaction")
}

fn chosen(driver: &mut Driver, control: &Control, title: &str) {
    driver.click(control);
    assert!(driver.has_control(title), "{:?}", driver.labels());
    driver.click_on("Pair heavy and medium");
    assert!(driver.has_control("heavy and medium"));
}

fn clear(driver: &mut Driver, control: &Control) {
    let before = classes(driver.app()).pairs.clone();
    driver.click(control);
    assert!(classes(driver.app()).pairs.is_empty());
    driver.app_mut().world_mut().resource_mut::<FluidClasses>().pairs = before;
    driver.settle();
}

const PAIRS: &[Case] = &[
    does("Pair heavy and medium", |driver, control| chosen(driver, control, "heavy and medium")),
    does("Pair heavy and light", |driver, control| chosen(driver, control, "heavy and light")),
    does("Pair medium and light", |driver, control| chosen(driver, control, "medium and light")),
    section("heavy and medium"),
    number("Cohesion", |app| pair(app).cohesion.into()),
    changes("Viscosity between them", |app| pair(app).viscosity.is_some().to_string()),
    number("Linear", |app| pair(app).viscosity.expect("their own").linear.into()),
    number("Approach (sigma)", |app| pair(app).viscosity.expect("their own").approach.into()),
    number("Quadratic (beta)", |app| pair(app).viscosity.expect("their own").quadratic.into()),
    changes("Own segregation", |app| pair(app).segregation.is_some().to_string()),
    number("Segregation", |app| pair(app).segregation.expect("their own").into()),
    changes("React", |app| pair(app).reaction.is_some().to_string()),
    number("Rate", |app| reaction(app).rate.into()),
    picks(
        "heavy becomes",
        |app| format!("{:?}", reaction(app).becomes[0]),
        "light",
        "Some(\"light\")",
    ),
    picks(
        "medium becomes",
        |app| format!("{:?}", reaction(app).becomes[1]),
        "heavy",
        "Some(\"heavy\")",
    ),
    changes("Product temperature", |app| reaction(app).temperature.is_some().to_string()),
    number("Product at", |app| reaction(app).temperature.expect("a temperature").into()),
    does("Clear pair", clear),
];

#[test]
fn every_field_of_a_pair_has_a_control_that_sets_it() {
    let mut app = driver::app();
    // Listed the other way round it is the same pair.
    let pairs = vec![FluidClassPair { cohesion: 0.25, ..FluidClassPair::new("heavy", "medium") }];
    app.world_mut().resource_mut::<FluidClasses>().pairs = pairs;
    let mut driver = Driver::new(app, FluidPanelTab::Pairs);
    work(&mut driver, PAIRS, &[]);
}

#[test]
fn a_pair_is_listed_once_it_is_more_than_nothing() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Pairs);
    driver.click_on("Pair medium and light");
    assert!(classes(driver.app()).pairs.is_empty());
    assert!(!driver.control("Clear pair").enabled);
    let cohesion = driver.control("Cohesion");
    driver.set(&cohesion, -0.5);
    let expected = FluidClassPair { cohesion: -0.5, ..FluidClassPair::new("medium", "light") };
    assert_eq!(classes(driver.app()).pairs, [expected]);
    driver.app_mut().update();
    assert_eq!(resource::<FluidSimulation>(driver.app()).classes().pairs().len(), 1);
}

#[test]
fn a_name_is_changed_wherever_it_stands_and_never_to_another_ones() {
    let mut app = driver::app();
    let mut edited = app.world_mut().resource_mut::<FluidClasses>();
    let becomes = [Some("heavy".into()), None];
    let reaction = Some(FluidReaction { rate: 1.0, becomes, temperature: None });
    edited.pairs = vec![FluidClassPair { reaction, ..FluidClassPair::new("light", "heavy") }];
    let transition = FluidTransition { temperature: 90.0, becomes: "heavy".into() };
    edited.classes[1].thermal.above = Some(transition);
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    driver.type_into("Name", "tar");
    let now = classes(driver.app());
    assert_eq!(now[0].name, "tar");
    assert_eq!(now.pairs[0].classes, ["light", "tar"]);
    let reaction = now.pairs[0].reaction.as_ref().expect("kept");
    assert_eq!(reaction.becomes[0].as_deref(), Some("tar"));
    assert_eq!(now[1].thermal.above.as_ref().expect("kept").becomes, "tar");
    driver.type_into("Name", "light");
    assert!(driver.says("Another class has this name."));
    assert_eq!(heavy(driver.app()).name, "tar");
    driver.type_into("Name", " ");
    assert!(driver.says("A class needs a name."));
    assert_eq!(heavy(driver.app()).name, "tar");
}

#[test]
fn a_class_in_use_cannot_be_removed_and_one_that_is_goes_without_trace() {
    let mut app = driver::app();
    let above = Transform::from_xyz(0.0, 80.0, 0.0);
    app.world_mut().spawn((FluidBlob::from(Circle::new(20.0)), FluidClass::LIGHT, above));
    app.update();
    app.update();
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    assert!(!driver.control("Remove last").enabled);
    driver.app_mut().world_mut().resource_mut::<FluidSimulation>().clear();
    let mut edited = driver.app_mut().world_mut().resource_mut::<FluidClasses>();
    edited.pairs =
        vec![FluidClassPair::new("light", "heavy"), FluidClassPair::new("heavy", "medium")];
    let transition = FluidTransition { temperature: 90.0, becomes: "light".into() };
    edited.classes[0].thermal.above = Some(transition);
    driver.settle();
    driver.click_on("Remove last");
    let now = classes(driver.app());
    assert_eq!((now.len(), now.pairs.len()), (2, 1));
    assert_eq!(now[0].thermal.above, None);
}

#[test]
fn what_the_core_refuses_of_a_class_is_said_beside_the_field() {
    let mut app = driver::app();
    app.world_mut().resource_mut::<FluidClasses>()[0].mass = -2.0;
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    assert!(driver.says("Refused, the last valid classes stay"));
    driver.click_on("Reset Mass");
    assert!(!driver.says("Refused"));
}

#[test]
fn a_class_that_cannot_name_a_file_is_not_saved() {
    let mut app = driver::app();
    app.world_mut().resource_mut::<FluidClasses>()[0].name = "../tar".into();
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    driver.click_on("Save as material");
    assert!(driver.says("cannot name a file"));
    let mut panel = driver.app_mut().world_mut().resource_mut::<FluidPanel>();
    panel.materials_folder = PathBuf::from("/dev/null/nowhere");
    driver.app_mut().world_mut().resource_mut::<FluidClasses>()[0].name = "tar".into();
    driver.settle();
    driver.click_on("Save as material");
    assert!(driver.says("/dev/null/nowhere"), "{:?}", driver.labels());
}

/// An app with the repository's materials, with water and lava in use.
fn with_materials() -> App {
    use bevy_blob_fluid_panel::FluidPanelPlugin;
    use std::time::{Duration, Instant};

    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");
    let mut app = App::new();
    let source = AssetSourceBuilder::platform_default(assets, None);
    app.register_asset_source(AssetSourceId::Default, source);
    app.add_plugins((
        MinimalPlugins,
        AssetPlugin::default(),
        TransformPlugin,
        BlobFluidPlugins::default(),
        FluidPanelPlugin::default(),
    ));
    app.insert_resource(bevy::time::TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    let server = app.world().resource::<AssetServer>().clone();
    for name in ["lava", "water"] {
        let handle = server.load(format!("materials/{name}.fluid.ron"));
        app.world_mut().resource_mut::<FluidMaterials>().request(handle);
    }
    let begin = Instant::now();
    while classes(&app).find("steam").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20), "materials never came");
        app.update();
        std::thread::sleep(Duration::from_millis(2));
    }
    app
}

#[test]
fn an_edit_of_a_class_from_a_file_stays() {
    let app = with_materials();
    let water = classes(&app).find("water").expect("it is there").index();
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    driver.click_on("Edit water");
    assert!(!driver.control("Name").enabled, "its file names it");
    let mass = driver.control("Mass");
    driver.set(&mass, 1.75);
    for _ in 0..5 {
        driver.app_mut().update();
        driver.settle();
    }
    assert_eq!(classes(driver.app())[water].mass, 1.75);
    let simulated = resource::<FluidSimulation>(driver.app()).classes();
    assert_eq!(simulated[FluidClassId(water as u8)].mass, 1.75);
    // So does one of a pair that a file holds.
    driver.click_on("Pairs");
    let label = driver.labels().into_iter().find(|label| {
        label.starts_with("Pair ") && label.contains("lava") && label.contains("water")
    });
    driver.click_on(&label.expect("their cell"));
    let rate = driver.control("Rate");
    driver.set(&rate, 7.0);
    for _ in 0..5 {
        driver.app_mut().update();
        driver.settle();
    }
    let both =
        |pair: &&FluidClassPair| pair.classes.iter().all(|name| name == "lava" || name == "water");
    let pair = classes(driver.app()).pairs.iter().find(both).expect("the pair");
    assert_eq!(pair.reaction.as_ref().expect("they react").rate, 7.0);
}

/// Changes a loaded material, as if its file had changed.
fn edit_asset(app: &mut App, class: &str, edit: impl FnOnce(&mut Material)) {
    let mut assets = app.world_mut().resource_mut::<Assets<FluidMaterialAsset>>();
    let id = assets.iter().find(|(_, own)| own.class.name == class).expect("loaded").0;
    edit(&mut assets.get_mut(id).expect("loaded").0);
    app.update();
    app.update();
}

#[test]
fn what_files_tell_of_is_not_removed() {
    let app = with_materials();
    for name in ["heavy", "medium", "light"] {
        // Only the last can be removed, and these are in front.
        assert!(classes(&app).find(name).is_some());
    }
    let last = classes(&app).classes.last().expect("some").name.clone();
    assert!(!["heavy", "medium", "light"].contains(&last.as_str()));
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    assert!(!driver.control("Remove last").enabled, "{last} is that of a file");
    // One's own goes, unless the material of a file turns into it.
    driver.click_on("Edit heavy");
    driver.click_on("Add class");
    assert!(driver.control("Remove last").enabled);
    let boils_into = |driver: &mut Driver, name: &str| {
        let transition = FluidTransition { temperature: 300.0, becomes: name.into() };
        edit_asset(driver.app_mut(), "water", |water| water.class.thermal.above = Some(transition));
        driver.settle();
    };
    boils_into(&mut driver, "heavy 2");
    assert!(!driver.control("Remove last").enabled, "water turns into it");
    boils_into(&mut driver, "steam");
    driver.click_on("Remove last");
    driver.app_mut().update();
    assert_eq!(classes(driver.app()).classes.last().expect("some").name, last);
}

/// An empty folder that panels save into, at the end of which nothing is left.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.fluid.ron"))
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).expect("a file")
    }

    fn material(&self, name: &str) -> Material {
        Material::read(&self.file(name)).expect("a valid material")
    }

    /// Copies some of the repository's materials.
    fn take(&self, names: &[&str]) {
        let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/materials");
        for name in names {
            let from = format!("{assets}/{name}.fluid.ron");
            std::fs::copy(from, self.file(name)).expect("copied");
        }
    }

    /// The page of the classes of an app that saves here.
    fn panel(&self, mut app: App) -> Driver {
        app.world_mut().resource_mut::<FluidPanel>().materials_folder = self.0.clone();
        Driver::new(app, FluidPanelTab::Classes)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_that_is_no_material_is_never_overwritten() {
    let folder = Folder::new("panel_wrong");
    std::fs::write(folder.file("heavy"), "(class: (name: \"heavy\", mass: -").expect("written");
    let mut driver = folder.panel(driver::app());
    driver.click_on("Save as material");
    assert!(driver.says("Not saved, the file there is wrong"), "{:?}", driver.labels());
    assert!(!driver.has_control("Overwrite heavy.fluid.ron"));
    assert_eq!(folder.text("heavy"), "(class: (name: \"heavy\", mass: -");
}

#[test]
fn another_ones_file_is_overwritten_only_when_asked_for() {
    let folder = Folder::new("panel_foreign");
    let class = FluidDensityClass { name: "heavy".into(), mass: 3.0, ..Default::default() };
    let mut foreign = Material::of_class("heavy", &[class], &[]).expect("its own");
    foreign.description = "Somebody else's.".into();
    let text = foreign.to_ron();
    std::fs::write(folder.file("heavy"), &text).expect("written");
    let mut driver = folder.panel(driver::app());
    driver.click_on("Save as material");
    assert!(driver.says("did not come from"));
    assert_eq!(folder.text("heavy"), text);
    driver.click_on("Cancel");
    assert!(!driver.has_control("Cancel") && !driver.says("did not come from"));
    driver.click_on("Save as material");
    // The question is about this class, and about no other.
    driver.click_on("Edit medium");
    assert!(!driver.has_control("Cancel"));
    driver.click_on("Edit heavy");
    driver.click_on("Save as material");
    driver.click_on("Overwrite heavy.fluid.ron");
    assert!(driver.says("Saved ") && !driver.has_control("Cancel"));
    let saved = folder.material("heavy");
    assert_eq!((saved.class, saved.description), (heavy(driver.app()).clone(), String::new()));
    // It is the panel's own now, until somebody else writes it.
    let mass = driver.control("Mass");
    driver.set(&mass, 2.25);
    driver.click_on("Save as material");
    assert_eq!(folder.material("heavy").class.mass, 2.25);
    std::fs::write(folder.file("heavy"), &text).expect("written");
    driver.click_on("Save as material");
    assert!(driver.has_control("Cancel"));
    assert_eq!(folder.text("heavy"), text);
    let left: Vec<_> = std::fs::read_dir(&folder.0).expect("a folder").collect();
    assert_eq!(left.len(), 1, "drafts are left behind: {left:?}");
}

#[test]
#[cfg(unix)]
fn a_file_is_written_beside_and_put_in_its_place() {
    use std::os::unix::fs::MetadataExt;

    let folder = Folder::new("panel_whole");
    let mut driver = folder.panel(driver::app());
    driver.click_on("Save as material");
    // Whoever has it open goes on reading what it was.
    let mut reader = std::fs::File::open(folder.file("heavy")).expect("a file");
    let before = folder.text("heavy");
    let mass = driver.control("Mass");
    driver.set(&mass, 2.25);
    driver.click_on("Save as material");
    let mut read = String::new();
    std::io::Read::read_to_string(&mut reader, &mut read).expect("read");
    assert_eq!(read, before);
    let inode = std::fs::metadata(folder.file("heavy")).expect("a file").ino();
    assert_ne!(reader.metadata().expect("a file").ino(), inode);
}

#[test]
fn what_is_saved_elsewhere_keeps_what_its_own_file_said() {
    let folder = Folder::new("panel_elsewhere");
    let mut driver = folder.panel(with_materials());
    let oil = MaterialPair {
        with: "oil".into(),
        viscosity: None,
        cohesion: -0.5,
        segregation: None,
        reaction: None,
    };
    edit_asset(driver.app_mut(), "water", |water| water.pairs.push(oil.clone()));
    driver.settle();
    driver.click_on("Edit water");
    driver.click_on("Save as material");
    let saved = folder.material("water");
    assert!(saved.description.contains("ater"), "{saved:?}");
    assert!(saved.pairs.contains(&oil), "{saved:?}");
}

#[test]
fn saving_keeps_what_a_file_says_of_others_and_pairs_nobody_twice() {
    // Named as where they were loaded from.
    let outer = Folder::new("panel_files");
    let folder = Folder(outer.0.join("materials"));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    folder.take(&["lava", "water", "oil"]);
    let mut driver = folder.panel(with_materials());
    driver.click_on("Edit water");
    driver.click_on("Save as material");
    assert!(driver.says("Saved "), "{:?}", driver.labels());
    let water = folder.material("water");
    assert!(!water.description.is_empty());
    assert!(water.pairs.iter().all(|pair| pair.with != "lava"), "lava's file holds it");
    // A pair that differs from what the other's file says is pointed out.
    let mut classes = driver.app_mut().world_mut().resource_mut::<FluidClasses>();
    let both = |pair: &&mut FluidClassPair| {
        pair.classes.iter().all(|name| name == "lava" || name == "water")
    };
    classes.pairs.iter_mut().find(both).expect("the pair").cohesion = 0.5;
    driver.settle();
    driver.click_on("Save as material");
    assert!(driver.says("Save lava as well"), "{:?}", driver.labels());
}

#[test]
fn a_rejected_name_does_not_outlive_its_class() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Classes);
    driver.type_into("Name", "light");
    assert!(driver.says("Another class has this name."));
    let other = ["tar", "water", "air"]
        .map(|name| FluidDensityClass { name: name.into(), ..Default::default() });
    let mut edited = driver.app_mut().world_mut().resource_mut::<FluidClasses>();
    *edited = FluidClasses { classes: other.to_vec(), pairs: Vec::new() };
    driver.settle();
    assert!(!driver.says("Another class has this name."));
    let now: Vec<_> = classes(driver.app()).classes.iter().map(|own| own.name.clone()).collect();
    assert_eq!(now, ["tar", "water", "air"]);
}

#[test]
fn the_choice_of_a_class_is_what_becomes_of_it() {
    // A guard on the table above: one case that must fail to be met is seen as such.
    let never = [becomes("Edit heavy", |app| heavy(app).name.clone(), "nobody")];
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Classes);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        work(&mut driver, &never, &[]);
    }));
    assert!(caught.is_err());
}
