//! Advection of the channels.

use crate::air::advection::AdvectionWorkspace;
use crate::air::advection::trace::{Flow, Kind, Sampled};
use crate::air::advection::walk::CellsAround;
use crate::air::channel::AirChannel;
use crate::air::sides::AirSide;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

impl Air {
    pub(super) fn advect_channels(
        &mut self,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        let sides = [self.sides.left, self.sides.right, self.sides.bottom, self.sides.top];
        let used = AirChannel::ALL.map(|channel| {
            let may_flow_in = self.has_colours() || !AirChannel::COLOUR.contains(&channel);
            let flows_in = sides.into_iter().any(|side| flowing_in(channel, side) != 0.0);
            may_flow_in && flows_in || self.channel(channel).iter().any(|value| *value != 0.0)
        });
        if !used.contains(&true) {
            return;
        }
        let (back, forth) = (Flow::of(self, -scale), Flow::of(self, scale));
        work.back.find(&back, Kind::Centre, executor);
        if second_order {
            work.forth.find(&forth, Kind::Centre, executor);
        }
        for (channel, used) in AirChannel::ALL.into_iter().zip(used) {
            if used {
                self.channel_mut(channel);
                let mut list = std::mem::take(&mut self.channels[channel as usize]);
                self.advect_channel(channel, &mut list, scale, second_order, work, executor);
                self.channels[channel as usize] = list;
            }
        }
    }

    fn advect_channel(
        &self,
        channel: AirChannel,
        list: &mut [f32],
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        let columns = self.grid.columns;
        let AdvectionWorkspace { back, forth, carried, sums, .. } = work;
        let goal = self.amount_after(channel, list, scale, sums, executor);
        let flow = Flow::of(self, scale);
        let outside = |side: AirSide| Some(flowing_in(channel, side));
        let came_from = |place, around: Option<&CellsAround>| {
            around.map_or_else(|| flow.value_at(list, place, outside), |around| around.value(list))
        };
        carried.carry(list, columns, back, came_from, executor);
        if second_order {
            let values = &carried.values;
            let there = |place, around: Option<&CellsAround>| {
                around.map_or_else(
                    || flow.value_at(values, place, |_| None),
                    |around| around.value(values),
                )
            };
            carried.correct(list, columns, forth, there, executor);
        } else {
            list.copy_from_slice(&carried.values);
        }
        self.conserve(list, &carried.low, &carried.high, goal, sums, executor);
    }
}

/// What flows in at a side, in a channel.
pub(super) fn flowing_in(channel: AirChannel, side: AirSide) -> f32 {
    match (side, channel) {
        // White, where smoke has colours.
        (
            AirSide::Inflow { smoke, .. },
            AirChannel::Smoke | AirChannel::Red | AirChannel::Green | AirChannel::Blue,
        ) => smoke,
        (AirSide::Inflow { heat, .. }, AirChannel::Heat) => heat,
        _ => 0.0,
    }
}

impl Sampled {
    /// A value that comes from nowhere else.
    pub(crate) fn all(value: f32) -> Self {
        Self { value, low: value, high: value }
    }
}
