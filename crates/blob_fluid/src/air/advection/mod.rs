//! Advection: velocities and channels are carried along.

mod channels;
mod conservation;
pub(crate) mod trace;
mod velocities;

use crate::air::settings::Advection;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// Rows that are carried together, the unit of parallel work.
const BAND: usize = 8;

/// Lists of the advection.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdvectionWorkspace {
    /// The list as carried by a step back.
    carried: Vec<f32>,
    /// The smallest and the largest of the numbers that it came from.
    low: Vec<f32>,
    high: Vec<f32>,
    /// The new velocities.
    next_x: Vec<f32>,
    next_y: Vec<f32>,
    /// Sums over the columns of a channel.
    sums: Vec<f32>,
}

impl Air {
    /// Carries channels and velocities by the velocities at the beginning of the pass.
    pub(super) fn advect<E: Executor>(
        &mut self,
        time_step: f32,
        work: &mut AdvectionWorkspace,
        executor: &E,
    ) {
        let scale = time_step / self.grid.cell;
        let second_order = self.settings.advection == Advection::MacCormack;
        self.advect_channels(scale, second_order, work, executor);
        self.advect_velocities(scale, second_order, work, executor);
    }
}

/// The values carried one step, corrected by what a step back from there misses, within the values
/// they came from (Selle et al. 2008, eq. 3 and section 3).
#[inline(always)]
fn corrected(before: f32, carried: f32, back: f32, low: f32, high: f32) -> f32 {
    let corrected = carried + 0.5 * (before - back);
    let at_least = if corrected < low { low } else { corrected };
    if at_least > high { high } else { at_least }
}

/// Numbers so small are 0: processors are slow with yet smaller ones.
#[inline(always)]
fn without_traces(value: f32) -> f32 {
    if value.abs() < 1e-20 { 0.0 } else { value }
}
