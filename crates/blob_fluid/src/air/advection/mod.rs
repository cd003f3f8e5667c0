//! Advection: velocities and channels are carried along.

mod carry;
mod channels;
mod conservation;
pub(crate) mod trace;
mod velocities;
pub(crate) mod walk;
mod ways;

use carry::Carried;
use ways::Ways;

use crate::air::settings::AirAdvection;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// Lists of the advection.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdvectionWorkspace {
    /// Ways back in time, and forth.
    back: Ways,
    forth: Ways,
    carried: Carried,
    /// The velocities after half of the pressure's push.
    pushed_x: Vec<f32>,
    pushed_y: Vec<f32>,
    /// The new velocities.
    next_x: Vec<f32>,
    next_y: Vec<f32>,
    /// Sums over the columns of a channel.
    sums: Vec<f32>,
}

impl Air {
    /// Carries channels and velocities by the velocities at the beginning of the pass.
    pub(super) fn advect(
        &mut self,
        time_step: f32,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        let scale = time_step / self.grid.cell;
        let second_order = self.settings.advection == AirAdvection::MacCormack;
        self.advect_channels(scale, second_order, work, executor);
        self.advect_velocities(scale, second_order, work, executor);
    }
}
