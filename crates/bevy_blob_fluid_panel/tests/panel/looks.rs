//! The page of the looks.

use bevy_blob_fluid::render::{FluidDots, FluidSurface, FluidSurfaceLook};
use bevy_blob_fluid::{FluidColoringGradient, FluidFoamSettings, FluidGlow};
use bevy_blob_fluid_panel::{FluidPanel, FluidPanelTab};

use super::cases::{Case, becomes, changes, does, number, picks, section};
use super::driver::{self, Driver};
use super::page::{pick_colour, work, work_where};
use crate::app::*;

fn component<C: Component + Clone>(app: &App) -> C {
    let world = app.world();
    let mut all = world.try_query::<&C>().expect("registered");
    all.iter(world).next().expect("one of them").clone()
}

fn blobs(app: &App) -> FluidDots {
    component(app)
}

fn surface(app: &App) -> FluidSurface {
    component(app)
}

/// The look of the medium class, once it has its own.
fn look(app: &App) -> FluidSurfaceLook {
    surface(app).class_looks.last().expect("its own").1
}

fn kind(look: FluidSurfaceLook) -> String {
    let kinds = [
        (FluidSurfaceLook::default(), "soft"),
        (FluidSurfaceLook::WATER, "water"),
        (FluidSurfaceLook::OIL, "oil"),
        (FluidSurfaceLook::HONEY, "honey"),
        (FluidSurfaceLook::SLIME, "slime"),
        (FluidSurfaceLook::MERCURY, "mercury"),
        (FluidSurfaceLook::LAVA, "lava"),
        (FluidSurfaceLook::POWDER, "powder"),
        (FluidSurfaceLook::FLAT, "flat"),
        (FluidSurfaceLook::GAS, "gas"),
    ];
    let kind = kinds.into_iter().find(|(known, _)| *known == look);
    kind.map_or("its own", |(_, name)| name).to_owned()
}

fn own_look(app: &App) -> String {
    format!("{}", surface(app).class_looks.len())
}

fn coloring(app: &App) -> &FluidColoring {
    app.resource()
}

fn range(app: &App) -> [f64; 2] {
    match coloring(app).range {
        FluidColorRange::Auto => [f64::NAN; 2],
        FluidColorRange::Fixed { low, high } => [low.into(), high.into()],
    }
}

fn range_kind(app: &App) -> String {
    let kind = format!("{:?}", coloring(app).range);
    kind.split(' ').next().unwrap_or_default().to_owned()
}

fn gradient(app: &App) -> String {
    let known = |name: &&str| {
        FluidGradient::built_in(name).map(FluidColoringGradient::Own).as_ref()
            == Some(&coloring(app).gradient)
    };
    FluidGradient::BUILT_IN.into_iter().find(known).unwrap_or("its own").to_owned()
}

fn drawing_budget(app: &App) -> Option<f32> {
    app.resource::<FluidDrawingBudget>().milliseconds
}

fn detail(app: &App) -> String {
    format!("{:?}", app.resource::<FluidDetail>())
}

const PAGE: &[Case] = &[
    section("Colours"),
    picks("Colour by", |app| format!("{:?}", coloring(app).by), "Temperature", "Temperature"),
    picks("Gradient", gradient, "heat", "heat"),
    becomes("Automatic range", range_kind, "Auto"),
    becomes("Fixed range", range_kind, "Fixed"),
    number("From", |app| range(app)[0]),
    number("To", |app| range(app)[1]),
    section("Blobs"),
    number("Dot radius", |app| blobs(app).radius.into()),
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
    becomes("Ignored", |app| format!("{}", surface(app).meets_walls), "false"),
    becomes("Met", |app| format!("{}", surface(app).meets_walls), "true"),
    becomes("One look", |app| format!("{}", surface(app).material_looks), "false"),
    becomes("Own looks", |app| format!("{}", surface(app).material_looks), "true"),
    number("Smoothing", |app| surface(app).smoothing.into()),
    number("Threshold", |app| surface(app).threshold.into()),
    picks("Look of", |_| String::new(), "medium", ""),
    changes("Own look", own_look),
    becomes("Soft", |app| kind(look(app)), "soft"),
    becomes("Water", |app| kind(look(app)), "water"),
    becomes("Oil", |app| kind(look(app)), "oil"),
    becomes("Honey", |app| kind(look(app)), "honey"),
    becomes("Slime", |app| kind(look(app)), "slime"),
    becomes("Mercury", |app| kind(look(app)), "mercury"),
    becomes("Lava", |app| kind(look(app)), "lava"),
    becomes("Powder", |app| kind(look(app)), "powder"),
    becomes("Flat", |app| kind(look(app)), "flat"),
    becomes("Gas", |app| kind(look(app)), "gas"),
    number("Surface opacity", |app| look(app).opacity.into()),
    number("Outline width", |app| look(app).outline_width.into()),
    does("Outline colour", |driver, control| {
        pick_colour(driver, control, |app| look(app).outline_color)
    }),
    number("Rim light", |app| look(app).rim_light.into()),
    does("Sky colour", |driver, control| pick_colour(driver, control, |app| look(app).sky_color)),
    number("Depth", |app| look(app).depth.into()),
    does("Depth colour", |driver, control| {
        pick_colour(driver, control, |app| look(app).depth_color)
    }),
    number("Highlights", |app| look(app).specular.into()),
    number("Gloss", |app| look(app).gloss.into()),
    number("Reflection", |app| look(app).reflection.into()),
    number("Refraction", |app| look(app).refraction.into()),
    number("Caustics", |app| look(app).caustics.into()),
    does("Foam colour", |driver, control| pick_colour(driver, control, |app| look(app).foam_color)),
    number("Glow", |app| look(app).glow.into()),
    does("Crust colour", |driver, control| {
        pick_colour(driver, control, |app| look(app).crust_color)
    }),
    number("Grain", |app| look(app).grain.into()),
    number("Grain size", |app| look(app).grain_size.into()),
    number("Haze", |app| look(app).haze.into()),
    section("Foam and glow"),
    number("Foam speed", |app| app.resource::<FluidFoamSettings>().speed.into()),
    number("Foam impact", |app| app.resource::<FluidFoamSettings>().impact.into()),
    number("Foam half-life", |app| app.resource::<FluidFoamSettings>().half_life.into()),
    number("Bubbles", |app| app.resource::<FluidFoamSettings>().bubbles.into()),
    number("Glow begins", |app| app.resource::<FluidGlow>().begins.into()),
    number("Glow is full", |app| app.resource::<FluidGlow>().full.into()),
    section("Time of drawing"),
    changes("Frame budget", |app| drawing_budget(app).is_some().to_string()),
    number("Frame time", |app| drawing_budget(app).expect("a budget").into()),
    becomes("Full", detail, "Full"),
    becomes("Plain", detail, "Plain"),
    becomes("Coarse", detail, "Coarse"),
    becomes("Coarsest", detail, "Coarsest"),
    section("Panel"),
    number("Panel size", |app| app.resource::<FluidPanel>().size.into()),
];

#[test]
fn every_look_has_a_control_that_sets_it() {
    let mut app = driver::app();
    app.spawn(FluidSurface::default());
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    work(&mut driver, PAGE, &["Foam and glow", "Time of drawing"]);
    // All of the above was the medium class's; the others kept theirs.
    assert_eq!(surface(driver.app()).look, FluidSurfaceLook::default());
}

#[test]
fn several_looks_are_told_apart_and_none_is_no_harm() {
    let mut app = driver::app();
    app.spawn(FluidDots { opacity: 0.5, ..default() });
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    assert!(driver.has_control("Blobs 1") && driver.has_control("Blobs 2"));
    let mut drawn = driver.app_mut().world_mut().query_filtered::<Entity, With<FluidDots>>();
    let drawn: Vec<Entity> = drawn.iter(driver.app().world()).collect();
    for entity in drawn {
        driver.app_mut().despawn(entity);
    }
    driver.settle();
    assert!(!driver.has_control("Dot radius"));
}

#[test]
fn looking_at_looks_changes_none() {
    let mut app = driver::app();
    let odd = FluidSurfaceLook { depth_color: Color::srgba(0.02, 0.31, 0.05, 0.07), ..default() };
    app.spawn(FluidSurface::from(odd));
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    driver.settle();
    assert_eq!(surface(driver.app()).look, odd);
}

#[cfg(feature = "debug")]
fn gizmos(app: &App) -> &FluidGizmos {
    app.resource::<GizmoConfigStore>().config::<FluidGizmos>().1
}

#[cfg(feature = "debug")]
const GIZMOS: &[Case] = &[
    changes("Draw cells", |app| gizmos(app).cells.to_string()),
    changes("Draw sleeping", |app| gizmos(app).sleeping.to_string()),
    changes("Draw velocities", |app| gizmos(app).velocities.to_string()),
    changes("Draw densities", |app| gizmos(app).densities.to_string()),
    changes("Draw springs", |app| gizmos(app).springs.to_string()),
    changes("Draw containers", |app| gizmos(app).containers.to_string()),
    changes("Draw colliders", |app| gizmos(app).colliders.to_string()),
    changes("Draw distances", |app| gizmos(app).distances.to_string()),
    changes("Draw sensors", |app| gizmos(app).sensors.to_string()),
    changes("Draw emitters", |app| gizmos(app).emitters.to_string()),
    changes("Draw drains", |app| gizmos(app).drains.to_string()),
    changes("Draw forces", |app| gizmos(app).forces.to_string()),
    changes("Draw air", |app| gizmos(app).air.to_string()),
    changes("Draw air sources", |app| gizmos(app).air_sources.to_string()),
];

#[test]
#[cfg(feature = "debug")]
fn every_debug_drawing_has_a_control() {
    let mut app = driver::app();
    let mut store = GizmoConfigStore::default();
    store.insert(GizmoConfig::default(), FluidGizmos::default());
    app.insert_resource(store);
    let mut driver = Driver::new(app, FluidPanelTab::Look);
    driver.click_on("Debug drawing");
    work_where(&mut driver, GIZMOS, &[], |control| control.label.starts_with("Draw "));
}
