//! What the simulation did lately, for Bevy's [`DiagnosticsStore`](bevy::diagnostic::DiagnosticsStore).

use bevy::diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy::prelude::*;

use super::resources::{FluidSimulation, FluidStatistics};

/// Measures, once per frame in which the fluid ticked.
///
/// ```
/// use bevy::diagnostic::DiagnosticsStore;
/// use bevy::prelude::*;
/// use bevy_blob_fluid::FluidDiagnosticsPlugin;
///
/// fn show(diagnostics: Res<DiagnosticsStore>) {
///     let given_up = diagnostics.get(&FluidDiagnosticsPlugin::SUBSTEPS_GIVEN_UP);
///     if given_up.and_then(|given_up| given_up.value()).is_some_and(|count| count > 0.0) {
///         info!("the liquid is softer than it should be");
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidDiagnosticsPlugin;

impl FluidDiagnosticsPlugin {
    /// Real time of a tick, everything that runs in it included, in milliseconds.
    pub const TICK: DiagnosticPath = DiagnosticPath::const_new("fluid/tick");
    /// Real time of a tick's passes, in milliseconds: what a
    /// [budget](crate::FluidSettings::budget) is held against.
    pub const PASSES: DiagnosticPath = DiagnosticPath::const_new("fluid/passes");
    /// How many particles there are.
    pub const PARTICLES: DiagnosticPath = DiagnosticPath::const_new("fluid/particles");
    /// How many of them sleep.
    pub const ASLEEP: DiagnosticPath = DiagnosticPath::const_new("fluid/asleep");
    /// How many substeps a tick takes.
    pub const SUBSTEPS: DiagnosticPath = DiagnosticPath::const_new("fluid/substeps");
    /// How many more it would take, were there time for them.
    pub const SUBSTEPS_GIVEN_UP: DiagnosticPath =
        DiagnosticPath::const_new("fluid/substeps_given_up");
    /// How many more sweeps over its pairs the most viscous liquid would take, were there time for
    /// them.
    pub const VISCOSITY_SWEEPS_GIVEN_UP: DiagnosticPath =
        DiagnosticPath::const_new("fluid/viscosity_sweeps_given_up");
}

impl Plugin for FluidDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        for path in [Self::TICK, Self::PASSES] {
            app.register_diagnostic(Diagnostic::new(path).with_suffix(" ms"));
        }
        for path in [
            Self::PARTICLES,
            Self::ASLEEP,
            Self::SUBSTEPS,
            Self::SUBSTEPS_GIVEN_UP,
            Self::VISCOSITY_SWEEPS_GIVEN_UP,
        ] {
            app.register_diagnostic(Diagnostic::new(path).with_smoothing_factor(0.0));
        }
        app.add_systems(Last, measure);
    }
}

fn measure(
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    mut diagnostics: Diagnostics,
) {
    if statistics.ticks_this_frame == 0 {
        return;
    }
    let given_up = statistics.given_up;
    for (path, value) in [
        (FluidDiagnosticsPlugin::TICK, f64::from(statistics.tick_milliseconds)),
        (FluidDiagnosticsPlugin::PASSES, f64::from(statistics.passes_milliseconds)),
        (FluidDiagnosticsPlugin::PARTICLES, fluid.particles().len() as f64),
        (FluidDiagnosticsPlugin::ASLEEP, statistics.asleep as f64),
        (FluidDiagnosticsPlugin::SUBSTEPS, f64::from(statistics.substeps)),
        (FluidDiagnosticsPlugin::SUBSTEPS_GIVEN_UP, f64::from(given_up.substeps)),
        (FluidDiagnosticsPlugin::VISCOSITY_SWEEPS_GIVEN_UP, f64::from(given_up.viscosity_sweeps)),
    ] {
        diagnostics.add_measurement(&path, || value);
    }
}
