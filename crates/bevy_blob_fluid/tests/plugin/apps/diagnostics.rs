//! What the plugin tells of its costs.

use bevy::diagnostic::{DiagnosticPath, DiagnosticsStore};
use bevy_blob_fluid::FluidDiagnosticsPlugin;
use bevy_blob_fluid::blob_fluid::measure::{kinetic_energy, layer_order};

use crate::app::*;

/// Jelly that falls in a box, after a few ticks.
fn falling_jelly() -> App {
    let mut app = headless(default());
    let jelly = DensityClass { elasticity: Some(FluidElasticity::default()), ..default() };
    app.insert_resource(FluidClasses::from(vec![jelly]));
    app.spawn(FluidContainer::from(Rectangle::new(400.0, 400.0)));
    app.spawn((FluidBlob::from(Circle::new(60.0)), FluidClass::new(0)));
    app.updates(5);
    app
}

fn value(app: &App, path: &DiagnosticPath) -> Option<f64> {
    app.resource::<DiagnosticsStore>().get(path).expect("registered").value()
}

#[test]
fn every_pass_is_timed_and_they_add_up() {
    let mut app = falling_jelly();
    let times = *app.resource::<FluidPassTimes>();
    let passes = app.resource::<FluidStatistics>().passes_milliseconds;
    let (names, milliseconds): (Vec<_>, Vec<_>) = times.iter().unzip();
    assert_eq!(names, FluidPass::ALL);
    assert!(milliseconds.iter().all(|time| *time > 0.0), "{times:?}");
    let sum: f32 = milliseconds.iter().sum();
    assert!((sum - times.total()).abs() < 1e-3 * sum);
    assert!(sum <= passes * 1.0001, "{sum} of {passes}");
    for (pass, time) in times.iter() {
        assert_eq!(times.get(pass), time);
        let measured = value(&app, &FluidDiagnosticsPlugin::pass(pass));
        assert_eq!(measured, Some(f64::from(time)), "{pass:?}");
    }
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::PASSES), Some(f64::from(passes)));

    // What sleeps takes no pass.
    let mut settings = app.settings();
    settings.parameters.gravity = Vec2::ZERO;
    settings.parameters.sleeping = FluidSleeping { after: 0.01, drift: 1.0 };
    app.fluid_mut().clear();
    app.updates(2);
    assert_eq!(app.resource::<FluidStatistics>().substeps, 0);
    assert_eq!(*app.resource::<FluidPassTimes>(), FluidPassTimes::default());
}

#[test]
fn passes_of_air_are_timed_too() {
    let mut app = falling_jelly();
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::AIR), Some(0.0));
    app.spawn(FluidAir::new(100.0, 100.0));
    app.update();
    let times = *app.resource::<FluidPassTimes>();
    assert!(times.air_total() > 0.0);
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::AIR), Some(f64::from(times.air_total())));
    for pass in AirPass::ALL {
        let measured = value(&app, &FluidDiagnosticsPlugin::air_pass(pass));
        assert_eq!(measured, Some(f64::from(times.air(pass))), "{pass:?}");
    }
}

/// A name such as `RelaxDensity` as `relax_density`, after `start`.
fn path_of(start: &str, name: &str) -> String {
    let mut path = String::from(start);
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            path.push('_');
        }
        path.extend(letter.to_lowercase());
    }
    path
}

#[test]
fn every_path_is_named_after_its_pass() {
    for pass in FluidPass::ALL {
        let expected = path_of("fluid/pass/", &format!("{pass:?}"));
        assert_eq!(FluidDiagnosticsPlugin::pass(pass).as_str(), expected);
    }
    for pass in AirPass::ALL {
        let expected = path_of("fluid/air/", &format!("{pass:?}"));
        assert_eq!(FluidDiagnosticsPlugin::air_pass(pass).as_str(), expected);
    }
}

#[test]
fn counts_are_measured_and_what_is_costly_only_when_asked_for() {
    let mut app = falling_jelly();
    let springs = app.fluid().springs().len() as f64;
    assert!(springs > 0.0);
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::SPRINGS), Some(springs));
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::QUARANTINED), Some(0.0));
    let costly = [FluidDiagnosticsPlugin::KINETIC_ENERGY, FluidDiagnosticsPlugin::LAYER_ORDER];
    for path in &costly {
        assert_eq!(value(&app, path), None, "{path}");
        app.resource_mut::<DiagnosticsStore>().get_mut(path).expect("registered").is_enabled = true;
    }
    app.fluid_mut().particles_mut().velocities_mut()[0] = Vec2::NAN;
    app.update();
    assert_eq!(value(&app, &FluidDiagnosticsPlugin::QUARANTINED), Some(1.0));
    let expected = [kinetic_energy(app.fluid()), layer_order(app.fluid())];
    assert!(expected[0] > 0.0);
    for (path, expected) in costly.iter().zip(expected) {
        assert_eq!(value(&app, path), Some(expected), "{path}");
    }
}
