//! The passes of air: one thin system each, in the set named after it.

use bevy::prelude::*;
use blob_fluid::air::AirPass;

use super::resources::{FluidSimulation, FluidStatistics};
use crate::schedule::{FluidAirSystems, FluidSchedule, FluidTickSystems};
use crate::simulation::diagnostics::{FluidPassTimes, TimedFluid};

/// Adds the passes to [`FluidTickSystems::Air`].
pub(crate) fn add_air_passes(app: &mut App) {
    add_passes(app);
    let add_up = add_up.in_set(FluidTickSystems::Air).after(FluidAirSystems::LAST);
    app.add_systems(FluidSchedule, add_up);
}

macro_rules! declare_systems {
    ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
        $(fn $name(mut fluid: TimedFluid, time: Res<Time>) {
            fluid.run_air(AirPass::$pass, time.delta_secs());
        })*

        /// Adds the system of each pass to the set named after it.
        fn add_passes(app: &mut App) {
            app.add_systems(
                FluidSchedule,
                ($($name.in_set(FluidAirSystems::$pass),)*).run_if(has_air),
            );
        }
    };
}

blob_fluid::for_each_air_pass!(declare_systems);

/// Whether the simulation has any air.
fn has_air(fluid: Res<FluidSimulation>) -> bool {
    fluid.airs().next().is_some()
}

/// Sums the times of the passes.
fn add_up(times: Res<FluidPassTimes>, mut statistics: ResMut<FluidStatistics>) {
    statistics.air_milliseconds = times.air_total();
}
