//! The step of the air, once per tick.

use bevy::platform::time::Instant;
use bevy::prelude::*;

use super::executor::ComputeExecutor;
use super::resources::{FluidSimulation, FluidStatistics};

/// Steps all air, and exchanges momentum between it and the liquid.
pub(super) fn step_air(
    mut fluid: ResMut<FluidSimulation>,
    mut statistics: ResMut<FluidStatistics>,
    time: Res<Time>,
) {
    if fluid.airs().next().is_none() {
        return;
    }
    let begin = Instant::now();
    fluid.world_mut().step_air(time.delta_secs(), &ComputeExecutor);
    statistics.air_milliseconds = 1e3 * begin.elapsed().as_secs_f32();
}
