//! The page of the air.

use std::collections::BTreeSet;

use bevy_blob_fluid::blob_fluid::air::{AirAdvection, AirProjection, AirSettings, AirSide};
use bevy_blob_fluid::render::{FluidAirLook, FluidStreamlines};
use bevy_blob_fluid_panel::FluidPanelTab;

use super::cases::{Case, becomes, changes, does, number, picks, section};
use super::driver::{self, Driver};
use super::page::{declared, pick_colour, settable, work};
use crate::app::*;

fn air(app: &App) -> FluidAir {
    let mut airs = app.world().try_query::<&FluidAir>().expect("registered");
    airs.iter(app.world()).next().expect("air").clone()
}

fn settings(app: &App) -> AirSettings {
    air(app).settings
}

fn look(app: &App) -> FluidAirLook {
    let mut looks = app.world().try_query::<&FluidAirLook>().expect("registered");
    looks.iter(app.world()).next().expect("a look").clone()
}

fn lines(app: &App) -> FluidStreamlines {
    look(app).streamlines.unwrap_or_default()
}

fn show(app: &App) -> String {
    format!("{:?}", look(app).show)
}

/// The multigrid's residual and cycles, or the sweeps and the factor of Gauss-Seidel.
fn method(app: &App) -> (f64, f64) {
    match settings(app).projection {
        AirProjection::Multigrid { residual, max_cycles } => (residual.into(), max_cycles.into()),
        AirProjection::GaussSeidel { iterations, over_relaxation } => {
            (iterations.into(), over_relaxation.into())
        }
    }
}

fn kind(side: AirSide) -> String {
    match side {
        AirSide::Closed { .. } if side == AirSide::CLOSED => "closed".into(),
        AirSide::Closed { .. } => "sticky".into(),
        AirSide::Open => "open".into(),
        AirSide::Inflow { .. } => "wind".into(),
        AirSide::Periodic => "periodic".into(),
    }
}

fn wind(side: AirSide, inwards: Vec2) -> f64 {
    let AirSide::Inflow { velocity, .. } = side else { return 0.0 };
    velocity.dot(inwards).into()
}

const PAGE: &[Case] = &[
    section("Flow"),
    number("Cell size", |app| air(app).cell_size.into()),
    number("Density ratio", |app| air(app).density_ratio.into()),
    number("Drag", |app| settings(app).drag.into()),
    number("Air viscosity", |app| settings(app).viscosity.into()),
    number("Settling", |app| settings(app).settling.into()),
    number("Swirls", |app| settings(app).vorticity_confinement.into()),
    becomes(
        "Semi-Lagrangian",
        |app| format!("{:?}", settings(app).advection == AirAdvection::SemiLagrangian),
        "true",
    ),
    becomes(
        "MacCormack",
        |app| format!("{:?}", settings(app).advection == AirAdvection::SemiLagrangian),
        "false",
    ),
    becomes("Stick", |app| format!("{}", settings(app).solids_no_slip), "true"),
    becomes("Slip", |app| format!("{}", settings(app).solids_no_slip), "false"),
    section("Smoke and heat"),
    number("Buoyancy", |app| settings(app).buoyancy.into()),
    number("Cooling", |app| settings(app).cooling.into()),
    number("Smoke weight", |app| settings(app).smoke_weight.into()),
    number("Dissipation", |app| settings(app).smoke_dissipation.into()),
    number("Degrees", |app| settings(app).degrees_per_heat.into()),
    number("Heat capacity", |app| settings(app).heat_capacity.into()),
    number("Rain rate", |app| settings(app).condensation_rate.into()),
    section("Fire"),
    number("Burn rate", |app| settings(app).fire.burn_rate.into()),
    number("Ignition", |app| settings(app).fire.ignition_heat.into()),
    number("Fire heat", |app| settings(app).fire.heat.into()),
    number("Soot", |app| settings(app).fire.soot.into()),
    number("Expansion", |app| settings(app).fire.expansion.into()),
    section("Sides"),
    picks("Left side", |app| kind(air(app).sides.left), "wind", "wind"),
    number("Left wind", |app| wind(air(app).sides.left, Vec2::X)),
    picks("Right side", |app| kind(air(app).sides.right), "wind", "wind"),
    number("Right wind", |app| wind(air(app).sides.right, Vec2::NEG_X)),
    picks("Lower side", |app| kind(air(app).sides.bottom), "wind", "wind"),
    number("Lower wind", |app| wind(air(app).sides.bottom, Vec2::Y)),
    picks("Upper side", |app| kind(air(app).sides.top), "wind", "wind"),
    number("Upper wind", |app| wind(air(app).sides.top, Vec2::NEG_Y)),
    section("Projection"),
    number("Residual", |app| method(app).0),
    number("Most cycles", |app| method(app).1),
    becomes(
        "Gauss-Seidel",
        |app| format!("{}", matches!(settings(app).projection, AirProjection::GaussSeidel { .. })),
        "true",
    ),
    becomes(
        "Multigrid",
        |app| format!("{}", matches!(settings(app).projection, AirProjection::GaussSeidel { .. })),
        "false",
    ),
    number("Sweeps", |app| method(app).0),
    number("Over-relaxation", |app| method(app).1),
    section("Air look"),
    becomes("Smoke", show, "Smoke"),
    becomes("Pressure", show, "Pressure"),
    becomes("Wind", show, "Speed"),
    becomes("Vorticity", show, "Vorticity"),
    number("Thickness", |app| look(app).thickness.into()),
    number("Steam", |app| look(app).vapour.into()),
    number("Shadow", |app| look(app).shadow.into()),
    number("Flames", |app| look(app).fire.into()),
    does("Smoke colour", |driver, control| pick_colour(driver, control, |app| look(app).smoke)),
    changes("Streamlines", |app| format!("{}", look(app).streamlines.is_some())),
    number("Line spacing", |app| lines(app).spacing.into()),
    number("Line length", |app| lines(app).length.into()),
];

fn app_with_air(air: FluidAir) -> App {
    let mut app = driver::app();
    app.spawn((air, FluidAirLook::default()));
    app.update();
    app
}

#[test]
fn every_setting_of_air_has_a_control_that_sets_it() {
    let app = app_with_air(FluidAir::new(100.0, 100.0));
    let mut driver = Driver::new(app, FluidPanelTab::Air);
    work(&mut driver, PAGE, &["Fire", "Sides", "Projection"]);
}

#[test]
fn what_the_core_declares_of_air_can_be_set() {
    let gauss_seidel = AirProjection::GaussSeidel { iterations: 40, over_relaxation: 1.9 };
    let mut found = BTreeSet::new();
    for projection in [AirProjection::default(), gauss_seidel] {
        let air = FluidAir::new(100.0, 100.0);
        let air_settings = AirSettings { projection, ..air.settings };
        let app = app_with_air(FluidAir { settings: air_settings, ..air });
        let mut driver = Driver::new(app, FluidPanelTab::Air);
        driver.click_on("Fire");
        driver.click_on("Projection");
        found.extend(settable(&mut driver, settings));
    }
    // The component and the liquid say these.
    assert_eq!(found, declared::<AirSettings>(&["density", "gravity"]));
}

#[test]
fn periodic_sides_come_in_pairs() {
    let app = app_with_air(FluidAir::new(100.0, 100.0));
    let mut driver = Driver::new(app, FluidPanelTab::Air);
    driver.click_on("Sides");
    let pick = |driver: &mut Driver, kind: &str| {
        driver.click_on("Upper side");
        driver.click_on(kind);
        driver.press_escape();
        let sides = air(driver.app()).sides;
        [sides.bottom, sides.top]
    };
    assert_eq!(pick(&mut driver, "periodic"), [AirSide::Periodic; 2]);
    assert_eq!(pick(&mut driver, "open"), [AirSide::CLOSED, AirSide::Open]);
}

#[test]
fn there_is_a_page_for_air_only_where_there_is_air() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Liquid);
    assert!(!driver.has_control("Air"));
    let mut commands = driver.app_mut().world_mut().commands();
    commands.spawn(FluidAir::new(50.0, 50.0));
    commands.spawn(FluidAir::new(60.0, 50.0));
    driver.settle();
    driver.app_mut().update();
    driver.settle();
    driver.click_on("Air");
    assert!(driver.has_control("Flow 1") && driver.has_control("Flow 2"));
}
