//! The pages of the classes and of their pairs.

use bevy_blob_fluid::blob_fluid::material::Material;
use bevy_blob_fluid_panel::{FluidPanel, FluidPanelTab, FluidTools};

use super::cases::{Case, becomes, changes, does, number, picks, section};
use super::driver::{self, Control, Driver};
use super::page::{declared, pick_colour, pick_opaque_colour, settable, work};
use crate::app::*;

pub fn classes(app: &App) -> &FluidClasses {
    app.resource()
}

/// The first class, which is edited.
pub fn heavy(app: &App) -> &DensityClass {
    &classes(app).classes[0]
}

fn viscosity(app: &App) -> ClassViscosity {
    heavy(app).viscosity.expect("its own viscosity")
}

fn elasticity(app: &App) -> FluidElasticity {
    heavy(app).elasticity.expect("springs")
}

fn powder(app: &App) -> FluidPowder {
    heavy(app).powder.expect("grains")
}

fn paint(app: &App) -> FluidPaint {
    heavy(app).paint.expect("paint")
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
    assert_eq!(f64::from(classes(driver.app()).classes[index].mass), 1.25 + index as f64);
    driver.click_on("Edit heavy");
}

fn add(driver: &mut Driver, control: &Control) {
    let before = classes(driver.app()).len();
    driver.click(control);
    assert_eq!(classes(driver.app()).len(), before + 1);
    let [.., copied] = &classes(driver.app()).classes[..] else { panic!("none") };
    assert!(copied.name.starts_with("heavy ") && copied.mass == heavy(driver.app()).mass);
    driver.app_mut().update();
    assert_eq!(driver.app().fluid().classes().len(), before + 1);
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
    driver.app_mut().resource_mut::<FluidPanel>().materials_folder = folder.clone();
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
        assert_eq!(driver.app().resource::<FluidTools>().class, ClassId(2));
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
    section("Grains"),
    changes("Powder", |app| heavy(app).powder.is_some().to_string()),
    number("Friction angle", |app| powder(app).friction_angle.into()),
    number("Grain cohesion", |app| powder(app).cohesion.into()),
    number("Permeability", |app| powder(app).permeability.into()),
    section("Painting"),
    changes("Takes paint", |app| heavy(app).paint.is_some().to_string()),
    number("Spreads", |app| paint(app).diffusion.into()),
    does("New paint", |driver, control| {
        pick_opaque_colour(driver, control, |app| Some(paint(app).color))
    }),
    section("Heat"),
    changes("Own temperature", |app| heavy(app).thermal.temperature.is_some().to_string()),
    number("Temperature", |app| heavy(app).thermal.temperature.expect("its own").into()),
    number("Conductivity", |app| heavy(app).thermal.conductivity.into()),
    number("Cooling", |app| heavy(app).thermal.cooling.into()),
    number("Expansion", |app| heavy(app).thermal.expansion.into()),
    number("Latent heat", |app| heavy(app).thermal.latent_heat.into()),
    changes("Boils", |app| heavy(app).thermal.above.is_some().to_string()),
    number("Boils at", |app| transition(app, true).temperature.into()),
    picks("Boils into", |app| transition(app, true).becomes.clone(), "heavy", "heavy"),
    changes("Sets", |app| heavy(app).thermal.below.is_some().to_string()),
    number("Sets at", |app| transition(app, false).temperature.into()),
    picks("Sets into", |app| transition(app, false).becomes.clone(), "heavy", "heavy"),
    number("To the air", |app| heavy(app).thermal.air_conductivity.into()),
    changes("Turns into air", |app| heavy(app).thermal.into_air.is_some().to_string()),
    number("Turns at", |app| into_air(app).above.into()),
    number("Vapour", |app| into_air(app).vapour.into()),
    number("Smoke", |app| into_air(app).smoke.into()),
    changes("Own smoke colour", |app| into_air(app).colour.is_some().to_string()),
    does("Smoke colour", |driver, control| {
        pick_opaque_colour(driver, control, |app| into_air(app).colour)
    }),
    number("Fuel", |app| into_air(app).fuel.into()),
    number("Afterglow", |app| into_air(app).afterglow.into()),
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

#[test]
fn what_the_core_declares_of_a_class_can_be_set() {
    let mut app = driver::app();
    let change = || Some(FluidTransition { temperature: 50.0, becomes: "light".into() });
    let class = &mut app.resource_mut::<FluidClasses>().classes[0];
    class.viscosity = Some(ClassViscosity::default());
    class.elasticity = Some(FluidElasticity::default());
    class.powder = Some(FluidPowder::default());
    class.paint = Some(FluidPaint::default());
    class.thermal = FluidThermal {
        temperature: Some(30.0),
        above: change(),
        below: change(),
        into_air: Some(FluidIntoAir { above: 90.0, rains: change(), ..default() }),
        ..default()
    };
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    driver.click_on("Heat");
    let found = settable(&mut driver, |app| heavy(app).clone());
    assert_eq!(
        found,
        declared::<DensityClass>(&["color", "paint.color", "thermal.into_air.colour"])
    );
}

fn pair(app: &App) -> &ClassPair {
    let both = |pair: &&ClassPair| pair.classes == ["heavy", "medium"];
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
    driver.app_mut().resource_mut::<FluidClasses>().pairs = before;
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
    changes("Own spread of paint", |app| pair(app).paint_diffusion.is_some().to_string()),
    number("Paint spreads", |app| pair(app).paint_diffusion.expect("their own").into()),
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
    let pairs = vec![ClassPair { cohesion: 0.25, ..ClassPair::new("heavy", "medium") }];
    app.resource_mut::<FluidClasses>().pairs = pairs;
    let mut driver = Driver::new(app, FluidPanelTab::Pairs);
    work(&mut driver, PAIRS, &[]);
}

#[test]
fn what_the_core_declares_of_a_pair_can_be_set() {
    let mut app = driver::app();
    let reaction = FluidReaction { rate: 1.0, becomes: [None, None], temperature: Some(50.0) };
    let pairs = vec![ClassPair {
        viscosity: Some(ClassViscosity::default()),
        segregation: Some(1.0),
        paint_diffusion: Some(0.1),
        reaction: Some(reaction),
        ..ClassPair::new("heavy", "medium")
    }];
    app.resource_mut::<FluidClasses>().pairs = pairs;
    let mut driver = Driver::new(app, FluidPanelTab::Pairs);
    let found = settable(&mut driver, |app| pair(app).clone());
    assert_eq!(found, declared::<ClassPair>(&[]));
}

#[test]
fn a_pair_is_listed_once_it_is_more_than_nothing() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Pairs);
    driver.click_on("Pair medium and light");
    assert!(classes(driver.app()).pairs.is_empty());
    assert!(!driver.control("Clear pair").enabled);
    let cohesion = driver.control("Cohesion");
    driver.set(&cohesion, -0.5);
    let expected = ClassPair { cohesion: -0.5, ..ClassPair::new("medium", "light") };
    assert_eq!(classes(driver.app()).pairs, [expected]);
    driver.app_mut().update();
    assert_eq!(driver.app().fluid().classes().pairs().len(), 1);
}

#[test]
fn a_name_is_changed_wherever_it_stands_and_never_to_another_ones() {
    let mut app = driver::app();
    let mut edited = app.resource_mut::<FluidClasses>();
    let becomes = [Some("heavy".into()), None];
    let reaction = Some(FluidReaction { rate: 1.0, becomes, temperature: None });
    edited.pairs = vec![ClassPair { reaction, ..ClassPair::new("light", "heavy") }];
    let transition = FluidTransition { temperature: 90.0, becomes: "heavy".into() };
    edited.classes[1].thermal.above = Some(transition);
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    driver.type_into("Name", "tar");
    let now = classes(driver.app());
    assert_eq!(now.classes[0].name, "tar");
    assert_eq!(now.pairs[0].classes, ["light", "tar"]);
    let reaction = now.pairs[0].reaction.as_ref().expect("kept");
    assert_eq!(reaction.becomes[0].as_deref(), Some("tar"));
    assert_eq!(now.classes[1].thermal.above.as_ref().expect("kept").becomes, "tar");
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
    app.spawn((FluidBlob::from(Circle::new(20.0)), FluidClass::LIGHT, xy(0.0, 80.0)));
    app.updates(2);
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    assert!(!driver.control("Remove last").enabled);
    driver.app_mut().fluid_mut().clear();
    let mut edited = driver.app_mut().resource_mut::<FluidClasses>();
    edited.pairs = vec![ClassPair::new("light", "heavy"), ClassPair::new("heavy", "medium")];
    let transition = FluidTransition { temperature: 90.0, becomes: "light".into() };
    edited.classes[0].thermal.above = Some(transition);
    driver.settle();
    driver.click_on("Remove last");
    let now = classes(driver.app());
    assert_eq!((now.len(), now.pairs.len()), (2, 1));
    assert_eq!(now.classes[0].thermal.above, None);
}

#[test]
fn what_the_core_refuses_of_a_class_is_said_beside_the_field() {
    let mut app = driver::app();
    app.resource_mut::<FluidClasses>().classes[0].mass = -2.0;
    let mut driver = Driver::new(app, FluidPanelTab::Classes);
    assert!(driver.says("Refused, the last valid classes stay"));
    driver.click_on("Reset Mass");
    assert!(!driver.says("Refused"));
}

#[test]
fn a_rejected_name_does_not_outlive_its_class() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Classes);
    driver.type_into("Name", "light");
    assert!(driver.says("Another class has this name."));
    let other = ["tar", "water", "air"]
        .map(|name| DensityClass { name: name.into(), ..Default::default() });
    let mut edited = driver.app_mut().resource_mut::<FluidClasses>();
    *edited = FluidClasses { classes: other.to_vec(), pairs: Vec::new() };
    driver.settle();
    assert!(!driver.says("Another class has this name."));
    let now: Vec<_> =
        classes(driver.app()).classes.iter().map(|class| class.name.clone()).collect();
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
