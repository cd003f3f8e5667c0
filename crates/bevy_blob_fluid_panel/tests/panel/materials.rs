//! Classes from material files, and classes saved as files.

use std::fs;
use std::path::PathBuf;

use bevy_blob_fluid::blob_fluid::material::{Material, MaterialPair};
use bevy_blob_fluid_panel::{FluidPanel, FluidPanelPlugin, FluidPanelTab};

use super::classes::{classes, heavy};
use super::driver::{self, Driver};
use crate::app::*;
use crate::files::{ASSETS, Folder, app_with_assets};

#[test]
fn a_class_that_cannot_name_a_file_is_not_saved() {
    let mut app = driver::app();
    app.resource_mut::<FluidClasses>().classes[0].name = "../tar".into();
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    driver.click_on("Save as material");
    assert!(driver.says("cannot name a file"));
    let mut panel = driver.app_mut().resource_mut::<FluidPanel>();
    panel.materials_folder = PathBuf::from("/dev/null/nowhere");
    driver.app_mut().resource_mut::<FluidClasses>().classes[0].name = "tar".into();
    driver.settle();
    driver.click_on("Save as material");
    assert!(driver.says("/dev/null/nowhere"), "{:?}", driver.labels());
}

/// An app with the repository's materials, with water and lava in use.
fn with_materials() -> App {
    let mut app = app_with_assets::<FluidMaterialAsset>(ASSETS.as_ref());
    app.add_plugins(FluidPanelPlugin::default()).finish_plugins();
    let server = app.resource::<AssetServer>().clone();
    for name in ["lava", "water"] {
        let handle = server.load(format!("materials/{name}.fluid.ron"));
        app.resource_mut::<FluidMaterials>().request(handle);
    }
    app.update_until("materials come", |app| classes(app).find("steam").is_some());
    app
}

#[test]
fn an_edit_of_a_class_from_a_file_stays() {
    let app = with_materials();
    let water = classes(&app).find("water").expect("it is there");
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
    let simulated = driver.app().fluid().classes();
    assert_eq!(simulated[water].mass, 1.75);
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
        |pair: &&ClassPair| pair.classes.iter().all(|name| name == "lava" || name == "water");
    let pair = classes(driver.app()).pairs.iter().find(both).expect("the pair");
    assert_eq!(pair.reaction.as_ref().expect("they react").rate, 7.0);
}

/// Changes a loaded material, as if its file had changed.
fn edit_asset(app: &mut App, class: &str, edit: impl FnOnce(&mut Material)) {
    let mut assets = app.resource_mut::<Assets<FluidMaterialAsset>>();
    let id = assets.iter().find(|(_, material)| material.class.name == class).expect("loaded").0;
    edit(&mut assets.get_mut(id).expect("loaded").0);
    app.updates(2);
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

/// Folders that panels save into.
impl Folder {
    fn file(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.fluid.ron"))
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("a file")
    }

    fn material(&self, name: &str) -> Material {
        Material::read(&self.file(name)).expect("a valid material")
    }

    /// Copies some of the repository's materials.
    fn take(&self, names: &[&str]) {
        for name in names {
            let from = format!("{ASSETS}/materials/{name}.fluid.ron");
            fs::copy(from, self.file(name)).expect("copied");
        }
    }

    /// The page of the classes of an app that saves here.
    fn panel(&self, mut app: App) -> Driver {
        app.resource_mut::<FluidPanel>().materials_folder = self.0.clone();
        Driver::new(app, FluidPanelTab::Classes)
    }
}

#[test]
fn a_file_that_is_no_material_is_never_overwritten() {
    let folder = Folder::new("panel_wrong");
    fs::write(folder.file("heavy"), "(class: (name: \"heavy\", mass: -").expect("written");
    let mut driver = folder.panel(driver::app());
    driver.click_on("Save as material");
    assert!(driver.says("Not saved, the file there is wrong"), "{:?}", driver.labels());
    assert!(!driver.has_control("Overwrite heavy.fluid.ron"));
    assert_eq!(folder.text("heavy"), "(class: (name: \"heavy\", mass: -");
}

#[test]
fn another_ones_file_is_overwritten_only_when_asked_for() {
    let folder = Folder::new("panel_foreign");
    let class = DensityClass { name: "heavy".into(), mass: 3.0, ..Default::default() };
    let mut foreign = Material::of_class("heavy", &[class], &[]).expect("its own");
    foreign.description = "Somebody else's.".into();
    let text = foreign.to_ron();
    fs::write(folder.file("heavy"), &text).expect("written");
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
    fs::write(folder.file("heavy"), &text).expect("written");
    driver.click_on("Save as material");
    assert!(driver.has_control("Cancel"));
    assert_eq!(folder.text("heavy"), text);
    let left: Vec<_> = fs::read_dir(&folder.0).expect("a folder").collect();
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
    let mut reader = fs::File::open(folder.file("heavy")).expect("a file");
    let before = folder.text("heavy");
    let mass = driver.control("Mass");
    driver.set(&mass, 2.25);
    driver.click_on("Save as material");
    let mut read = String::new();
    std::io::Read::read_to_string(&mut reader, &mut read).expect("read");
    assert_eq!(read, before);
    let inode = fs::metadata(folder.file("heavy")).expect("a file").ino();
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
        paint_diffusion: None,
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
    fs::create_dir_all(&folder.0).expect("a folder");
    folder.take(&["lava", "water", "oil"]);
    let mut driver = folder.panel(with_materials());
    driver.click_on("Edit water");
    driver.click_on("Save as material");
    assert!(driver.says("Saved "), "{:?}", driver.labels());
    let water = folder.material("water");
    assert!(!water.description.is_empty());
    assert!(water.pairs.iter().all(|pair| pair.with != "lava"), "lava's file holds it");
    // A pair that differs from what the other's file says is pointed out.
    let mut classes = driver.app_mut().resource_mut::<FluidClasses>();
    let both =
        |pair: &&mut ClassPair| pair.classes.iter().all(|name| name == "lava" || name == "water");
    classes.pairs.iter_mut().find(both).expect("the pair").cohesion = 0.5;
    driver.settle();
    driver.click_on("Save as material");
    assert!(driver.says("Save lava as well"), "{:?}", driver.labels());
}
