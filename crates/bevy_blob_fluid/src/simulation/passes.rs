//! One thin system per pass, each in the set named after it.

use std::time::Duration;

use bevy::ecs::system::SystemParam;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use blob_fluid::FluidPass;
use blob_fluid::air::AirPass;

use crate::schedule::{FluidSchedule, FluidStepSystems, FluidSubstepSchedule, FluidTickSystems};
use crate::simulation::backend::RemovedOnDevice;
use crate::simulation::executor::ComputeExecutor;
use crate::simulation::resources::{FluidGovernor, FluidSimulation, FluidStatistics};

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

/// The next tick takes what its budget allows.
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
    statistics.out_of_bounds = out_of_bounds + removed.out_of_bounds;
    statistics.recycled = recycled + removed.recycled;
}

// How long each pass takes.

/// Real time that each pass took in the last tick, all of its substeps together; 0 while everything
/// sleeps. The passes of [air](crate::FluidAir) run once per tick, and also while the liquid sleeps.
///
/// The sum over the liquid's passes is a little less than
/// [`FluidStatistics::passes_milliseconds`], which includes the time before, between and after them,
/// such as that of the game's own systems between two passes.
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

    /// All passes of the liquid together, in milliseconds.
    pub fn total(&self) -> f32 {
        milliseconds(self.liquid.iter().sum())
    }

    /// All passes of air together, in milliseconds.
    pub fn air_total(&self) -> f32 {
        milliseconds(self.air.iter().sum())
    }

    /// Resets all times, for a new tick.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// What each pass takes on the graphics card, while the liquid is [there](crate::FluidBackend), in one of the last ticks, all of
/// its substeps together; empty where the adapter has no timestamps.
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

    /// All passes together, in milliseconds.
    pub fn total(&self) -> f32 {
        self.iter().map(|(_, milliseconds)| milliseconds).sum()
    }

    /// Replaces all.
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
    /// Runs a pass of the liquid, and adds the time that it takes.
    pub(super) fn run(&mut self, pass: FluidPass) {
        let begin = Instant::now();
        self.fluid.world_mut().run_pass(pass, &ComputeExecutor);
        self.times.liquid[pass as usize] += begin.elapsed();
    }

    /// Runs a pass of a step of air, of `time_step` seconds, and adds the time that it takes.
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
