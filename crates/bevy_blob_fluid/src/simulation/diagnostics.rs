//! Times and counts of the simulation, for Bevy's
//! [`DiagnosticsStore`](bevy::diagnostic::DiagnosticsStore), and the time of each pass.

use std::time::Duration;

use bevy::diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy::ecs::system::SystemParam;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use blob_fluid::FluidPass;
use blob_fluid::air::AirPass;
use blob_fluid::measure::{kinetic_energy, layer_order};

use crate::simulation::executor::ComputeExecutor;
use crate::simulation::resources::{FluidSimulation, FluidStatistics};

/// Measures the simulation once per frame in which the fluid ticked.
///
/// | path | measurement | unit |
/// |---|---|---|
/// | `fluid/tick` | [`TICK`](Self::TICK) | ms |
/// | `fluid/passes` | [`PASSES`](Self::PASSES) | ms |
/// | `fluid/pass/relax_density`, ... | [each pass](Self::pass) | ms |
/// | `fluid/device` | [`DEVICE`](Self::DEVICE), while the liquid is on the graphics card | ms |
/// | `fluid/air` | [`AIR`](Self::AIR) | ms |
/// | `fluid/air/project`, ... | [each pass of air](Self::air_pass) | ms |
/// | `fluid/particles` | [`PARTICLES`](Self::PARTICLES) | |
/// | `fluid/asleep` | [`ASLEEP`](Self::ASLEEP) | particles |
/// | `fluid/quarantined` | [`QUARANTINED`](Self::QUARANTINED) | particles |
/// | `fluid/springs` | [`SPRINGS`](Self::SPRINGS) | |
/// | `fluid/substeps` | [`SUBSTEPS`](Self::SUBSTEPS) | per tick |
/// | `fluid/substeps_given_up` | [`SUBSTEPS_GIVEN_UP`](Self::SUBSTEPS_GIVEN_UP) | per tick |
/// | `fluid/viscosity_sweeps_given_up` | [`VISCOSITY_SWEEPS_GIVEN_UP`](Self::VISCOSITY_SWEEPS_GIVEN_UP) | per substep |
/// | `fluid/kinetic_energy` | [`KINETIC_ENERGY`](Self::KINETIC_ENERGY), when enabled | medium masses × (world units/s)² |
/// | `fluid/layer_order` | [`LAYER_ORDER`](Self::LAYER_ORDER), when enabled | |
///
/// The last two measurements visit every particle, so they are taken only if they are enabled:
///
/// ```
/// use bevy::diagnostic::DiagnosticsStore;
/// use bevy::prelude::*;
/// use bevy_blob_fluid::FluidDiagnosticsPlugin;
///
/// fn ask(mut diagnostics: ResMut<DiagnosticsStore>) {
///     if let Some(energy) = diagnostics.get_mut(&FluidDiagnosticsPlugin::KINETIC_ENERGY) {
///         energy.is_enabled = true;
///     }
/// }
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
    /// Real time of a tick, including everything that runs in it, in milliseconds.
    pub const TICK: DiagnosticPath = DiagnosticPath::const_new("fluid/tick");
    /// Real time of a tick's passes, in milliseconds: the time that a
    /// [budget](crate::FluidSettings::budget) limits.
    pub const PASSES: DiagnosticPath = DiagnosticPath::const_new("fluid/passes");
    /// Time of all passes on the graphics card in one of the last ticks, in milliseconds ([`FluidDeviceTimes`]).
    pub const DEVICE: DiagnosticPath = DiagnosticPath::const_new("fluid/device");
    /// Real time of a tick's passes of [air](crate::FluidAir), in milliseconds.
    pub const AIR: DiagnosticPath = DiagnosticPath::const_new("fluid/air");
    /// Number of particles.
    pub const PARTICLES: DiagnosticPath = DiagnosticPath::const_new("fluid/particles");
    /// Number of sleeping particles.
    pub const ASLEEP: DiagnosticPath = DiagnosticPath::const_new("fluid/asleep");
    /// Number of particles ever removed (quarantined) because a value was not finite or the position was out of the
    /// world.
    pub const QUARANTINED: DiagnosticPath = DiagnosticPath::const_new("fluid/quarantined");
    /// Number of springs between particles.
    pub const SPRINGS: DiagnosticPath = DiagnosticPath::const_new("fluid/springs");
    /// Number of substeps of a tick.
    pub const SUBSTEPS: DiagnosticPath = DiagnosticPath::const_new("fluid/substeps");
    /// Number of substeps that a tick left out to keep its [budget](crate::FluidSettings::budget).
    pub const SUBSTEPS_GIVEN_UP: DiagnosticPath =
        DiagnosticPath::const_new("fluid/substeps_given_up");
    /// Number of sweeps over the pairs of the most viscous liquid that a substep left out to keep the
    /// [budget](crate::FluidSettings::budget).
    pub const VISCOSITY_SWEEPS_GIVEN_UP: DiagnosticPath =
        DiagnosticPath::const_new("fluid/viscosity_sweeps_given_up");
    /// Kinetic energy: the sum of `m v^2 / 2` over all particles. This measurement is not enabled at first.
    pub const KINETIC_ENERGY: DiagnosticPath = DiagnosticPath::const_new("fluid/kinetic_energy");
    /// How well the classes are sorted by mass: 0.5 is mixed, 1 is sorted. This measurement is not enabled at first.
    pub const LAYER_ORDER: DiagnosticPath = DiagnosticPath::const_new("fluid/layer_order");

    /// Real time of one pass in a tick, all substeps together, in milliseconds: `fluid/pass/` and
    /// the pass's name, as in `fluid/pass/relax_density`.
    pub const fn pass(pass: FluidPass) -> DiagnosticPath {
        macro_rules! paths {
            ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
                match pass { $(FluidPass::$pass => concat!("fluid/pass/", stringify!($name)),)* }
            };
        }
        DiagnosticPath::const_new(blob_fluid::for_each_pass!(paths))
    }

    /// Real time of one pass of air in a tick, in milliseconds: `fluid/air/` and the pass's name, as
    /// in `fluid/air/project`.
    pub const fn air_pass(pass: AirPass) -> DiagnosticPath {
        macro_rules! paths {
            ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
                match pass { $(AirPass::$pass => concat!("fluid/air/", stringify!($name)),)* }
            };
        }
        DiagnosticPath::const_new(blob_fluid::for_each_air_pass!(paths))
    }
}

impl Plugin for FluidDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        let passes = FluidPass::ALL.map(Self::pass).into_iter();
        let times = passes.chain(AirPass::ALL.map(Self::air_pass));
        for path in [Self::TICK, Self::PASSES, Self::DEVICE, Self::AIR].into_iter().chain(times) {
            app.register_diagnostic(Diagnostic::new(path).with_suffix(" ms"));
        }
        for path in [
            Self::PARTICLES,
            Self::ASLEEP,
            Self::QUARANTINED,
            Self::SPRINGS,
            Self::SUBSTEPS,
            Self::SUBSTEPS_GIVEN_UP,
            Self::VISCOSITY_SWEEPS_GIVEN_UP,
        ] {
            app.register_diagnostic(Diagnostic::new(path).with_smoothing_factor(0.0));
        }
        for path in [Self::KINETIC_ENERGY, Self::LAYER_ORDER] {
            let mut costly = Diagnostic::new(path).with_smoothing_factor(0.0);
            costly.is_enabled = false;
            app.register_diagnostic(costly);
        }
        app.add_systems(Last, measure);
    }
}

fn measure(
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    times: Res<FluidPassTimes>,
    on_device: Res<FluidDeviceTimes>,
    mut diagnostics: Diagnostics,
) {
    if statistics.ticks_this_frame == 0 {
        return;
    }
    let given_up = statistics.given_up;
    for (path, value) in [
        (FluidDiagnosticsPlugin::TICK, f64::from(statistics.tick_milliseconds)),
        (FluidDiagnosticsPlugin::PASSES, f64::from(statistics.passes_milliseconds)),
        (FluidDiagnosticsPlugin::AIR, f64::from(statistics.air_milliseconds)),
        (
            FluidDiagnosticsPlugin::PARTICLES,
            (fluid.particles().len() + statistics.on_device) as f64,
        ),
        (FluidDiagnosticsPlugin::ASLEEP, statistics.asleep as f64),
        (FluidDiagnosticsPlugin::QUARANTINED, statistics.quarantined as f64),
        (FluidDiagnosticsPlugin::SPRINGS, fluid.springs().len() as f64),
        (FluidDiagnosticsPlugin::SUBSTEPS, f64::from(statistics.substeps)),
        (FluidDiagnosticsPlugin::SUBSTEPS_GIVEN_UP, f64::from(given_up.substeps)),
        (FluidDiagnosticsPlugin::VISCOSITY_SWEEPS_GIVEN_UP, f64::from(given_up.viscosity_sweeps)),
    ] {
        diagnostics.add_measurement(&path, || value);
    }
    if on_device.iter().next().is_some() {
        let total = f64::from(on_device.total());
        diagnostics.add_measurement(&FluidDiagnosticsPlugin::DEVICE, || total);
    }
    for (pass, milliseconds) in times.iter() {
        let path = FluidDiagnosticsPlugin::pass(pass);
        diagnostics.add_measurement(&path, || f64::from(milliseconds));
    }
    for pass in AirPass::ALL {
        let path = FluidDiagnosticsPlugin::air_pass(pass);
        diagnostics.add_measurement(&path, || f64::from(times.air(pass)));
    }
    diagnostics.add_measurement(&FluidDiagnosticsPlugin::KINETIC_ENERGY, || kinetic_energy(&fluid));
    diagnostics.add_measurement(&FluidDiagnosticsPlugin::LAYER_ORDER, || layer_order(&fluid));
}

// The time of each pass.

/// Real time of each pass in the last tick, summed over its substeps; 0 while all liquid sleeps.
/// The passes of [air](crate::FluidAir) run once per tick, and also while the liquid sleeps.
///
/// The sum over the liquid's passes is a little less than [`FluidStatistics::passes_milliseconds`]. The latter includes
/// the time before, between and after passes, such as the time of the game's own systems between two passes.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn show(times: Res<FluidPassTimes>) {
///     for (pass, milliseconds) in times.iter() {
///         info!("{pass:?}: {milliseconds:.2} ms");
///     }
/// }
/// ```
///
/// [`FluidStatistics::passes_milliseconds`]: crate::FluidStatistics::passes_milliseconds
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(opaque, Resource, Default, Debug, PartialEq)]
pub struct FluidPassTimes {
    liquid: [Duration; FluidPass::ALL.len()],
    air: [Duration; AirPass::ALL.len()],
}

impl FluidPassTimes {
    /// Real time of a pass of the liquid in the last tick, in milliseconds.
    pub fn get(&self, pass: FluidPass) -> f32 {
        milliseconds(self.liquid[pass as usize])
    }

    /// Real time of a pass of air in the last tick, in milliseconds.
    pub fn air(&self, pass: AirPass) -> f32 {
        milliseconds(self.air[pass as usize])
    }

    /// The times of all passes of the liquid, in the order in which they run, in milliseconds.
    pub fn iter(&self) -> impl Iterator<Item = (FluidPass, f32)> + '_ {
        FluidPass::ALL.into_iter().map(|pass| (pass, self.get(pass)))
    }

    /// Time of all passes of the liquid together, in milliseconds.
    pub fn total(&self) -> f32 {
        milliseconds(self.liquid.iter().sum())
    }

    /// Time of all passes of air together, in milliseconds.
    pub fn air_total(&self) -> f32 {
        milliseconds(self.air.iter().sum())
    }

    /// Resets all times, for a new tick.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Time of each pass on the graphics card in one of the last ticks, summed over its substeps.
///
/// The list is empty while the liquid is not [on the graphics card](crate::FluidBackend), or if the adapter does not
/// support timestamps.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn show(times: Res<FluidDeviceTimes>) {
///     for (pass, milliseconds) in times.iter() {
///         info!("{pass}: {milliseconds:.3} ms");
///     }
/// }
/// ```
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(opaque, Resource, Default, Debug, PartialEq)]
pub struct FluidDeviceTimes(Vec<(&'static str, f32)>);

impl FluidDeviceTimes {
    /// The names of the passes that ran, in order, and their times in milliseconds.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f32)> + '_ {
        self.0.iter().copied()
    }

    /// Time of all passes on the graphics card together, in milliseconds.
    pub fn total(&self) -> f32 {
        self.iter().map(|(_, milliseconds)| milliseconds).sum()
    }

    /// Replaces all times.
    #[cfg(feature = "gpu")]
    pub(super) fn set(&mut self, times: impl Iterator<Item = (&'static str, f32)>) {
        self.0.clear();
        self.0.extend(times);
    }
}

fn milliseconds(time: Duration) -> f32 {
    1e3 * time.as_secs_f32()
}

/// Parameters of the system of a pass.
#[derive(SystemParam)]
pub(super) struct TimedFluid<'w> {
    fluid: ResMut<'w, FluidSimulation>,
    times: ResMut<'w, FluidPassTimes>,
}

impl TimedFluid<'_> {
    /// Runs a pass of the liquid, and adds its time.
    pub(super) fn run(&mut self, pass: FluidPass) {
        let begin = Instant::now();
        self.fluid.world_mut().run_pass(pass, &ComputeExecutor);
        self.times.liquid[pass as usize] += begin.elapsed();
    }

    /// Runs a pass of a tick of air, of `time_step` seconds, and adds its time.
    pub(super) fn run_air(&mut self, pass: AirPass, time_step: f32) {
        let begin = Instant::now();
        self.fluid.world_mut().run_air_pass(pass, time_step, &ComputeExecutor);
        self.times.air[pass as usize] += begin.elapsed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substeps_are_added_up_and_the_next_tick_begins_anew() {
        let mut app = App::new();
        app.init_resource::<FluidSimulation>()
            .init_resource::<FluidPassTimes>()
            .add_systems(Update, |mut fluid: TimedFluid| fluid.run(FluidPass::HashPositions));
        app.update();
        let once = app.world().resource::<FluidPassTimes>().total();
        app.update();
        let mut times = app.world_mut().resource_mut::<FluidPassTimes>();
        assert!(times.total() > once);
        times.clear();
        assert_eq!(*times, FluidPassTimes::default());
    }

    #[test]
    fn the_time_of_a_pass_is_counted_as_its_own() {
        let mut app = App::new();
        app.init_resource::<FluidSimulation>()
            .init_resource::<FluidPassTimes>()
            .add_systems(Update, |mut fluid: TimedFluid| fluid.run(FluidPass::HashPositions));
        app.update();
        let times = app.world().resource::<FluidPassTimes>();
        assert!(times.total() > 0.0);
        assert_eq!(times.total(), times.get(FluidPass::HashPositions));
        assert_eq!(times.air_total(), 0.0);
    }
}
