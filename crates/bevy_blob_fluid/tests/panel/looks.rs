//! The page of the looks.

use bevy::prelude::*;
use bevy_blob_fluid::panel::{FluidPanel, FluidPanelTab};
use bevy_blob_fluid::prelude::*;
use bevy_blob_fluid::render::{FluidMaterial, FluidSurface, SurfaceLook};
use bevy_blob_fluid::{FluidFoamSettings, FluidGlow};
use bevy_egui::egui::accesskit::Role;

use super::cases::{Case, becomes, changes, does, number, picks, section};
use super::driver::{self, Control, Driver};
use super::page::{resource, work};

fn component<C: Component + Clone>(app: &App) -> C {
    let world = app.world();
    let mut all = world.try_query::<&C>().expect("registered");
    all.iter(world).next().expect("one of them").clone()
}

fn blobs(app: &App) -> FluidMaterial {
    component(app)
}

fn surface(app: &App) -> FluidSurface {
    component(app)
}

/// The look of the medium class, once it has its own.
fn look(app: &App) -> SurfaceLook {
    *surface(app).look_of(ClassId::MEDIUM)
}

fn pick(driver: &mut Driver, control: &Control, read: fn(&App) -> Color) {
    let before = read(driver.app());
    driver.click(control);
    let picker = driver.controls();
    let channel = picker.iter().rfind(|control| control.role == Role::SpinButton);
    driver.set(&channel.expect("a picker").clone(), 9.0);
    assert_ne!(read(driver.app()), before);
    driver.press_escape();
}

fn kind(look: SurfaceLook) -> String {
    let kinds = [
        (SurfaceLook::default(), "soft"),
        (SurfaceLook::WATER, "water"),
        (SurfaceLook::FLAT, "flat"),
    ];
    let kind = kinds.into_iter().find(|(known, _)| *known == look);
    kind.map_or("its own", |(_, name)| name).to_owned()
}

fn own_look(app: &App) -> String {
    format!("{}", surface(app).class_looks.len())
}

const PAGE: &[Case] = &[
    section("Blobs"),
    number("Blob radius", |app| blobs(app).blob_radius.into()),
    number("Softness", |app| blobs(app).softness.into()),
    number("Opacity", |app| blobs(app).opacity.into()),
    number("Shading", |app| blobs(app).shading.into()),
    section("Surface"),
    becomes("Low", |app| format!("{:?}", surface(app).quality), "Low"),
    becomes("Medium", |app| format!("{:?}", surface(app).quality), "Medium"),
    becomes("High", |app| format!("{:?}", surface(app).quality), "High"),
    becomes("By pair", |app| format!("{:?}", surface(app).mixing), "ByPair"),
    becomes("Sharp", |app| format!("{:?}", surface(app).mixing), "Sharp"),
    becomes("Blended", |app| format!("{:?}", surface(app).mixing), "Blended"),
    number("Smoothing", |app| surface(app).smoothing.into()),
    number("Threshold", |app| surface(app).threshold.into()),
    picks("Look of", |_| String::new(), "medium", ""),
    changes("Own look", own_look),
    becomes("Soft", |app| kind(look(app)), "soft"),
    becomes("Water", |app| kind(look(app)), "water"),
    becomes("Flat", |app| kind(look(app)), "flat"),
    number("Surface opacity", |app| look(app).opacity.into()),
    number("Outline width", |app| look(app).outline_width.into()),
    does("Outline colour", |driver, control| pick(driver, control, |app| look(app).outline_color)),
    number("Rim light", |app| look(app).rim_light.into()),
    number("Depth", |app| look(app).depth.into()),
    does("Depth colour", |driver, control| pick(driver, control, |app| look(app).depth_color)),
    number("Highlights", |app| look(app).specular.into()),
    number("Gloss", |app| look(app).gloss.into()),
    number("Refraction", |app| look(app).refraction.into()),
    number("Caustics", |app| look(app).caustics.into()),
    does("Foam colour", |driver, control| pick(driver, control, |app| look(app).foam_color)),
    number("Glow", |app| look(app).glow.into()),
    section("Foam and glow"),
    number("Foam speed", |app| resource::<FluidFoamSettings>(app).speed.into()),
    number("Foam half-life", |app| resource::<FluidFoamSettings>(app).half_life.into()),
    number("Glow begins", |app| resource::<FluidGlow>(app).begins.into()),
    number("Glow is full", |app| resource::<FluidGlow>(app).full.into()),
    section("Panel"),
    number("Panel size", |app| resource::<FluidPanel>(app).size.into()),
];

#[test]
fn every_look_has_a_control_that_sets_it() {
    let mut app = driver::app();
    app.world_mut().spawn(FluidSurface::default());
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    work(&mut driver, PAGE, &["Foam and glow"]);
    // All of the above was the medium class's; the others kept theirs.
    assert_eq!(surface(driver.app()).look, SurfaceLook::default());
}

#[test]
fn several_looks_are_told_apart_and_none_is_no_harm() {
    let mut app = driver::app();
    app.world_mut().spawn(FluidMaterial { opacity: 0.5, ..default() });
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    assert!(driver.has_control("Blobs 1") && driver.has_control("Blobs 2"));
    let mut drawn = driver.app_mut().world_mut().query_filtered::<Entity, With<FluidMaterial>>();
    let drawn: Vec<Entity> = drawn.iter(driver.app().world()).collect();
    for entity in drawn {
        driver.app_mut().world_mut().despawn(entity);
    }
    driver.settle();
    assert!(!driver.has_control("Blob radius"));
}

#[test]
fn looking_at_looks_changes_none() {
    let mut app = driver::app();
    let odd = SurfaceLook { depth_color: Color::srgba(0.02, 0.31, 0.05, 0.07), ..default() };
    app.world_mut().spawn(FluidSurface::from(odd));
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    driver.settle();
    assert_eq!(surface(driver.app()).look, odd);
}
