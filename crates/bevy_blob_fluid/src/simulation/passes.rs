//! One thin system per pass, each in the set named after it.

use bevy::platform::time::Instant;
use bevy::prelude::*;
use blob_fluid::FluidPass;

use super::executor::ComputeExecutor;
use crate::schedule::{FluidSchedule, FluidStepSystems, FluidSubstepSchedule, FluidTickSystems};
use crate::simulation::diagnostics::{FluidPassTimes, TimedFluid};
use crate::simulation::resources::{
    FluidGovernor, FluidSimulation, FluidStatistics, RemovedOnDevice,
};

/// Adds the passes to [`FluidSubstepSchedule`], and the system that runs this to [`FluidSchedule`].
pub(crate) fn add_step(app: &mut App) {
    let step = (set_effort, run_substeps).chain().in_set(FluidTickSystems::Substeps);
    #[cfg(feature = "gpu")]
    let step = step.after(super::device::DeviceTick).run_if(not(super::device::is_on_device));
    app.add_systems(FluidSchedule, step);
    add_passes(app);
}

macro_rules! declare_systems {
    ($($(#[$doc:meta])* $pass:ident, $name:ident, $label:literal, $formula:literal, $source:literal;)*) => {
        $(fn $name(mut fluid: TimedFluid) {
            fluid.run(FluidPass::$pass);
        })*

        /// Adds the system of each pass to the set named after it.
        fn add_passes(app: &mut App) {
            app.add_systems(
                FluidSubstepSchedule,
                ($($name.in_set(FluidStepSystems::$pass),)*),
            );
        }
    };
}

blob_fluid::for_each_pass!(declare_systems);

/// Sets the effort of the next tick within its budget.
pub(crate) fn set_effort(mut fluid: ResMut<FluidSimulation>, governor: Res<FluidGovernor>) {
    let effort = governor.0.map(|governor| governor.effort());
    fluid.world_mut().set_effort(effort.unwrap_or_default());
}

/// Runs [`FluidSubstepSchedule`] as often as the tick needs.
pub(crate) fn run_substeps(world: &mut World) {
    let time_step = world.resource::<Time>().delta_secs();
    world.resource_mut::<FluidPassTimes>().clear();
    let begin = Instant::now();
    let mut fluid = world.resource_mut::<FluidSimulation>();
    let report = match fluid.world_mut().begin_tick(time_step, &ComputeExecutor) {
        Ok(report) => report,
        Err(error) => {
            warn_once!("the fluid stands still: {error}");
            return;
        }
    };
    for _ in 0..report.substeps {
        world.run_schedule(FluidSubstepSchedule);
    }
    let mut fluid = world.resource_mut::<FluidSimulation>();
    let report = fluid.world_mut().end_tick(report, &ComputeExecutor);
    let (out_of_bounds, recycled) = (fluid.out_of_bounds(), fluid.recycled());
    let taken = begin.elapsed();
    if let Some(governor) = &mut world.resource_mut::<FluidGovernor>().0 {
        governor.observe(&report, taken.as_secs_f64());
    }
    let removed = *world.resource::<RemovedOnDevice>();
    let mut statistics = world.resource_mut::<FluidStatistics>();
    statistics.passes_milliseconds = 1e3 * taken.as_secs_f32();
    statistics.substeps = report.substeps;
    statistics.given_up = report.given_up;
    statistics.asleep = report.asleep;
    statistics.waiting = report.waiting;
    if report.waiting > 0 {
        warn_once!(
            "{} fluid particles touch no others, because too many are at one place; they separate in the next ticks",
            report.waiting
        );
    }
    statistics.out_of_bounds = out_of_bounds + removed.out_of_bounds;
    statistics.recycled = recycled + removed.recycled;
}
