//! How long each pass takes.

use std::time::Duration;

use bevy::ecs::system::SystemParam;
use bevy::platform::time::Instant;
use bevy::prelude::*;
use blob_fluid::Pass;

use super::executor::ComputeExecutor;
use super::resources::FluidSimulation;

/// Real time that each pass took in the last tick, all of its substeps together; 0 while everything
/// sleeps.
///
/// Their sum is a little less than [`FluidStatistics::passes_milliseconds`], which includes the
/// time before, between and after them, such as that of the game's own systems between two passes.
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
pub struct FluidPassTimes([Duration; Pass::ALL.len()]);

impl FluidPassTimes {
    /// Real time of a pass in the last tick, in milliseconds.
    pub fn get(&self, pass: Pass) -> f32 {
        1e3 * self.0[pass as usize].as_secs_f32()
    }

    /// The times of all passes, in the order in which they run, in milliseconds.
    pub fn iter(&self) -> impl Iterator<Item = (Pass, f32)> + '_ {
        Pass::ALL.into_iter().map(|pass| (pass, self.get(pass)))
    }

    /// All passes together, in milliseconds.
    pub fn total(&self) -> f32 {
        1e3 * self.0.iter().sum::<Duration>().as_secs_f32()
    }

    /// Counts the time that a pass took in a substep.
    fn add(&mut self, pass: Pass, taken: Duration) {
        self.0[pass as usize] += taken;
    }

    /// Resets all times, for a new tick.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Parameters of the system of a pass.
#[derive(SystemParam)]
pub(super) struct TimedFluid<'w> {
    fluid: ResMut<'w, FluidSimulation>,
    times: ResMut<'w, FluidPassTimes>,
}

impl TimedFluid<'_> {
    /// Runs a pass, and adds the time that it takes.
    pub(super) fn run(&mut self, pass: Pass) {
        let begin = Instant::now();
        self.fluid.world_mut().run_pass(pass, &ComputeExecutor);
        self.times.add(pass, begin.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substeps_are_added_up_and_the_next_tick_begins_anew() {
        let mut times = FluidPassTimes::default();
        for _ in 0..2 {
            times.add(Pass::RelaxDensity, Duration::from_millis(2));
        }
        assert_eq!(times.get(Pass::RelaxDensity), 4.0);
        assert_eq!(times.total(), times.get(Pass::RelaxDensity));
        times.clear();
        assert_eq!(times.total(), 0.0);
    }

    #[test]
    fn the_time_of_a_pass_is_counted_as_its_own() {
        let mut app = App::new();
        app.init_resource::<FluidSimulation>()
            .init_resource::<FluidPassTimes>()
            .add_systems(Update, |mut fluid: TimedFluid| fluid.run(Pass::HashPositions));
        app.update();
        let times = app.world().resource::<FluidPassTimes>();
        assert!(times.total() > 0.0);
        assert_eq!(times.total(), times.get(Pass::HashPositions));
    }
}
