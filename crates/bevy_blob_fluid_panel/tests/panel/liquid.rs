//! The page of the liquid: every setting.

use std::collections::BTreeSet;

use bevy_blob_fluid::blob_fluid::ranges::{Limits, Settings};
use bevy_blob_fluid::blob_fluid::{FluidParameters, FluidSolver, Substeps};
use bevy_blob_fluid_panel::FluidPanelTab;

use super::cases::{Case, becomes, changes, number, section};
use super::driver::{self, Driver};
use super::page::{declared, settable, work};
use crate::app::*;

fn settings(app: &App) -> &FluidSettings {
    app.resource()
}

fn parameters(app: &App) -> &FluidParameters {
    &settings(app).parameters
}

/// At what speed walls send back what touches them.
fn unsticking(app: &App) -> f64 {
    let parameters = parameters(app);
    f64::from(match parameters.solver {
        FluidSolver::DoubleDensity => parameters.ghost_walls.unsticking,
        _ => parameters.classic.unsticking,
    })
}

/// How much of its speed a wall gives back.
fn restitution(app: &App) -> f64 {
    let parameters = parameters(app);
    f64::from(match parameters.solver {
        FluidSolver::Sph => parameters.sph.restitution,
        _ => parameters.classic.restitution,
    })
}

/// How much the liquid resists compression.
fn resistance(app: &App) -> f64 {
    let parameters = parameters(app);
    f64::from(match parameters.solver {
        FluidSolver::Sph => parameters.sph.stiffness,
        _ => parameters.shared_pressure.stiffness,
    })
}

fn substeps(app: &App) -> [f64; 3] {
    match parameters(app).substeps {
        Substeps::Automatic { compression, max } => {
            [f64::from(compression), f64::from(max), f64::NAN]
        }
        Substeps::Fixed(count) => [f64::NAN, f64::NAN, f64::from(count)],
    }
}

fn bounds(app: &App, which: usize) -> f64 {
    let bounds = settings(app).kill_bounds.expect("bounds");
    f64::from([bounds.low.x, bounds.high.x, bounds.low.y, bounds.high.y][which])
}

/// Sections that are closed to begin with.
const CLOSED: [&str; 5] = ["Coming to rest", "Walls", "Time steps", "World", "Clock"];

const PAGE: &[Case] = &[
    section("Scale"),
    number("Particle spacing", |app| parameters(app).particle_spacing.into()),
    number("Gravity across", |app| parameters(app).gravity.x.into()),
    number("Gravity upwards", |app| parameters(app).gravity.y.into()),
    number("Reference a0", |app| parameters(app).reference_acceleration.into()),
    number("Radius ratio", |app| parameters(app).radius_ratio.into()),
    section("Pressure"),
    number("Stiffness", |app| parameters(app).stiffness.into()),
    number("Cohesion onset", |app| parameters(app).cohesion_onset.into()),
    number("Near stiffness", |app| parameters(app).near_stiffness_ratio.into()),
    number("Near share", |app| parameters(app).near_share.into()),
    number("Pressure memory", |app| parameters(app).pressure_memory.into()),
    number("Equilibrium", |app| parameters(app).equilibrium_ratio.into()),
    changes("Own rest density", |app| parameters(app).rest_density.is_some().to_string()),
    number("Rest density", |app| parameters(app).rest_density.expect("its own").into()),
    becomes("Double density", |app| format!("{:?}", parameters(app).solver), "DoubleDensity"),
    becomes("Classic", |app| format!("{:?}", parameters(app).solver), "Classic"),
    becomes("SPH", |app| format!("{:?}", parameters(app).solver), "Sph"),
    becomes("Shared pressure", |app| format!("{:?}", parameters(app).solver), "SharedPressure"),
    becomes("Incompressible", |app| format!("{:?}", parameters(app).solver), "Incompressible"),
    number("Tolerance", |app| parameters(app).incompressible.tolerance.into()),
    number("Iterations", |app| parameters(app).incompressible.max_iterations.into()),
    number("Resistance", resistance),
    number("Repulsion", |app| parameters(app).shared_pressure.near_stiffness_ratio.into()),
    number("Cohesion", |app| parameters(app).shared_pressure.cohesion.into()),
    section("Viscosity"),
    number("Linear", |app| parameters(app).viscosity.linear.into()),
    number("Approach (sigma)", |app| parameters(app).viscosity.approach.into()),
    number("Quadratic (beta)", |app| parameters(app).viscosity.quadratic.into()),
    number("Limit", |app| parameters(app).viscosity.limit.into()),
    number("Across classes", |app| parameters(app).viscosity.cross_class.into()),
    number("Segregation", |app| parameters(app).segregation.into()),
    section("Coming to rest"),
    number("Calm drag", |app| parameters(app).settling.calm_drag.into()),
    number("Calm speed", |app| parameters(app).settling.calm_speed.into()),
    number("Drag", |app| parameters(app).settling.drag.into()),
    number("Wall friction", |app| parameters(app).settling.wall_friction.into()),
    number("Sleep after", |app| parameters(app).sleeping.after.into()),
    number("Sleep drift", |app| parameters(app).sleeping.drift.into()),
    section("Walls"),
    number("Wall density", |app| parameters(app).ghost_walls.density.into()),
    number("Unsticking", unsticking),
    number("Restitution", restitution),
    number("Dead zone", |app| parameters(app).classic.dead_zone.into()),
    section("Time steps"),
    becomes("Automatic", substeps_kind, "Automatic"),
    becomes("Fixed", substeps_kind, "Fixed"),
    number("Compression", |app| substeps(app)[0]),
    number("Most substeps", |app| substeps(app)[1]),
    number("Substeps", |app| substeps(app)[2]),
    number("Longest step", |app| parameters(app).max_time_step.into()),
    section("World"),
    number("Surroundings", |app| parameters(app).ambient_temperature.into()),
    becomes("As pigments", |app| format!("{:?}", parameters(app).paint_mixing), "Pigments"),
    becomes("As light", |app| format!("{:?}", parameters(app).paint_mixing), "Light"),
    becomes("Processor", |app| format!("{:?}", settings(app).backend), "Cpu"),
    becomes("Graphics card", |app| format!("{:?}", settings(app).backend), "Gpu"),
    number("Capacity", |app| settings(app).capacity as f64),
    becomes("Refuse", |app| format!("{:?}", settings(app).when_full), "Refuse"),
    becomes("Recycle oldest", |app| format!("{:?}", settings(app).when_full), "RecycleOldest"),
    changes("Kill bounds", |app| settings(app).kill_bounds.is_some().to_string()),
    number("Left", |app| bounds(app, 0)),
    number("Right", |app| bounds(app, 1)),
    number("Bottom", |app| bounds(app, 2)),
    number("Top", |app| bounds(app, 3)),
    changes("Time budget", |app| settings(app).budget.is_some().to_string()),
    number("Budget", |app| settings(app).budget.expect("a budget").milliseconds.into()),
    number("Least substeps", |app| settings(app).budget.expect("a budget").min_substeps.into()),
    number("Least sweeps", |app| {
        settings(app).budget.expect("a budget").min_viscosity_sweeps.into()
    }),
    section("Clock"),
    number("Most ticks", |app| app.resource::<Time<Fluid>>().max_ticks_per_frame().into()),
];

fn substeps_kind(app: &App) -> String {
    let kind = format!("{:?}", parameters(app).substeps);
    kind.split([' ', '(']).next().unwrap_or_default().to_owned()
}

#[test]
fn every_setting_has_a_control_that_sets_it() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Liquid);
    work(&mut driver, PAGE, &CLOSED);
}

#[test]
fn what_the_core_declares_can_be_set_under_some_solver() {
    let fixed = (FluidSolver::DoubleDensity, Substeps::Fixed(2));
    let automatic = FluidSolver::ALL.map(|solver| (solver, Substeps::default()));
    let mut found = BTreeSet::new();
    for (solver, substeps) in automatic.into_iter().chain([fixed]) {
        let mut app = driver::app();
        let parameters = &mut app.settings().parameters;
        let rest_density = Some(10.0);
        *parameters = FluidParameters { solver, substeps, rest_density, ..*parameters };
        let mut driver = Driver::new(app, FluidPanelTab::Liquid);
        for section in CLOSED {
            driver.click_on(section);
        }
        found.extend(settable(&mut driver, |app| settings(app).parameters));
    }
    assert_eq!(found, declared::<FluidParameters>(&[]));
}

#[test]
fn what_the_core_refuses_is_said_beside_the_field() {
    let mut app = driver::app();
    app.settings().parameters.stiffness = -3.0;
    let mut driver = Driver::new(app, FluidPanelTab::Liquid);
    assert!(driver.says("-3 is refused: it must be between 0 and 1000."));
    assert!(driver.says("The last valid settings stay in force."));
    driver.click_on("Reset Stiffness");
    assert!(!driver.says("is refused"));
    // Below its own field, and no other.
    driver.app_mut().settings().parameters.radius_ratio = 9.0;
    driver.settle();
    let Limits { least, most, .. } = FluidParameters::row("radius_ratio").limits;
    assert!(driver.says(&format!("9 is refused: it must be between {least} and {most}.")));
    let control = driver.typed("Near stiffness");
    driver.set(&control, -1.0);
    assert_eq!(parameters(driver.app()).near_stiffness_ratio, -1.0);
    driver.click_on("Reset Radius ratio");
    assert!(driver.says("-1 is refused: it must be between 0 and 100."));
}

#[test]
fn no_number_that_is_none_is_taken() {
    let mut driver = Driver::new(driver::app(), FluidPanelTab::Liquid);
    for label in ["Particle spacing", "Gravity across", "Stiffness", "Linear"] {
        for value in [f64::NAN, f64::INFINITY] {
            let controls = driver.controls();
            for control in controls.iter().filter(|control| control.label == label) {
                driver.set(control, value);
            }
        }
    }
    let after = *settings(driver.app());
    assert!(after.parameters.validate().is_ok(), "{after:?}");
}

#[test]
fn looking_at_settings_changes_none() {
    let mut app = driver::app();
    app.update();
    let mut driver = Driver::new(app, FluidPanelTab::Liquid);
    driver.app_mut().world_mut().clear_trackers();
    for _ in 0..3 {
        driver.settle();
    }
    let world = driver.app().world();
    assert!(!world.resource_ref::<FluidSettings>().is_changed());
    assert!(!world.resource_ref::<FluidClasses>().is_changed());
}

#[test]
fn settings_go_back_to_what_suits_the_scale_of_the_app() {
    let mut app = driver::app();
    *app.settings() = FluidSettings::new(0.08, Vec2::new(0.0, -9.81));
    let mut driver = Driver::new(app, FluidPanelTab::Liquid);
    assert!(!driver.labels().iter().any(|label| label.starts_with("Reset ")));
    let control = driver.control("Particle spacing");
    driver.set(&control, 0.1);
    driver.click_on("Reset Particle spacing");
    assert_eq!(parameters(driver.app()).particle_spacing, 0.08);
    // Another scene brings another scale.
    *driver.app_mut().settings() = FluidSettings::new(3.0, Vec2::new(0.0, -90.0));
    driver.settle();
    assert!(!driver.labels().iter().any(|label| label.starts_with("Reset ")));
    let control = driver.control("Particle spacing");
    driver.set(&control, 4.0);
    driver.click_on("Reset Particle spacing");
    assert_eq!(parameters(driver.app()).particle_spacing, 3.0);
}
