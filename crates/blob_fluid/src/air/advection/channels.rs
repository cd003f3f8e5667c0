//! Advection of the channels.

use crate::air::advection::trace::{Axis, Flow, Kind, Sampled, between};
use crate::air::advection::{AdvectionWorkspace, BAND, corrected};
use crate::air::channel::Channel;
use crate::air::sides::Side;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// What flows in at a side.
fn outside(channel: Channel, side: Side) -> f32 {
    match (side, channel) {
        (Side::Inflow { smoke, .. }, Channel::Smoke) => smoke,
        (Side::Inflow { heat, .. }, Channel::Heat) => heat,
        _ => 0.0,
    }
}

impl Air {
    pub(super) fn advect_channels<E: Executor>(
        &mut self,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &E,
    ) {
        for channel in Channel::ALL {
            let flows_in = |side: Side| outside(channel, side) != 0.0;
            let sides = [self.sides.left, self.sides.right, self.sides.bottom, self.sides.top];
            if sides.into_iter().any(flows_in) {
                self.channel_mut(channel);
            }
            let mut list = std::mem::take(&mut self.channels[channel as usize]);
            if list.iter().any(|value| *value != 0.0) || sides.into_iter().any(flows_in) {
                self.advect_channel(channel, &mut list, scale, second_order, work, executor);
            }
            self.channels[channel as usize] = list;
        }
    }

    fn advect_channel<E: Executor>(
        &self,
        channel: Channel,
        list: &mut [f32],
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &E,
    ) {
        let columns = self.grid.columns;
        let AdvectionWorkspace { carried, low, high, sums, .. } = work;
        for into in [&mut *carried, &mut *low, &mut *high] {
            into.resize(list.len(), 0.0);
        }
        let goal = self.amount_after(channel, list, scale, sums, executor);
        let back = Flow::of(self, -scale);
        let before = &*list;
        let data = (&mut carried[..], &mut low[..], &mut high[..]);
        executor.for_each_chunk(data, BAND * columns, |band, (carried, low, high)| {
            let first = band * BAND * columns;
            for index in 0..carried.len() {
                let (i, j) = ((first + index) % columns, (first + index) / columns);
                let sampled = back.channel_from(before, i, j, |side| outside(channel, side)).0;
                (carried[index], low[index], high[index]) =
                    (sampled.value, sampled.low, sampled.high);
            }
        });
        let carried = &*carried;
        if second_order {
            let forth = Flow::of(self, scale);
            let data = (&mut list[..], &mut low[..], &mut high[..]);
            executor.for_each_chunk(data, BAND * columns, |band, (list, low, high)| {
                let first = band * BAND * columns;
                for index in 0..list.len() {
                    let (i, j) = ((first + index) % columns, (first + index) / columns);
                    let (there, stopped) = forth.channel_from(carried, i, j, |_| 0.0);
                    let carried = carried[first + index];
                    list[index] = if stopped || low[index] == high[index] {
                        carried
                    } else {
                        corrected(list[index], carried, there.value, low[index], high[index])
                    };
                }
            });
        } else {
            list.copy_from_slice(carried);
        }
        self.conserve(list, low, high, goal, sums, executor);
    }
}

impl Flow<'_> {
    /// A channel's value where the way from a cell's centre leads, and whether the way was stopped.
    #[inline(always)]
    fn channel_from(
        &self,
        list: &[f32],
        i: usize,
        j: usize,
        outside: impl Fn(Side) -> f32,
    ) -> (Sampled, bool) {
        if let Some([x, y]) = self.clear_way(Kind::Centre, i, j) {
            let (x, y) = (Axis::new(x, 0.0), Axis::new(y, 0.0));
            return (between(list, self.columns, (i, j), x, y), false);
        }
        self.walked_channel(list, i, j, outside)
    }

    #[inline(never)]
    fn walked_channel(
        &self,
        list: &[f32],
        i: usize,
        j: usize,
        outside: impl Fn(Side) -> f32,
    ) -> (Sampled, bool) {
        if self.solids.passages[j * self.columns + i] == 0 {
            return (Sampled::all(0.0), true);
        }
        let place = self.walk(Kind::Centre, i, j);
        (self.value_at(list, place, outside), place.stopped)
    }
}

impl Air {
    /// What flows in at a side, in a channel.
    pub(super) fn flowing_in(channel: Channel, side: Side) -> f32 {
        outside(channel, side)
    }
}
