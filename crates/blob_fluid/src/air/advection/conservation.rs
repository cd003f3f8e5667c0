//! The amounts of the channels are kept.
//!
//! Steps back in time do not conserve by themselves. After them the missing amount is added, or the
//! surplus taken, in proportion to the room that each cell has within the values that it came from
//! (Bermejo and Conde 2002, "A conservative quasi-monotone semi-Lagrangian scheme"; Bowler, Wedi and
//! others use the same idea). So no new extremes appear, and where nothing came from nothing is
//! added. The amount to reach is that before, less what went out through the sides, plus what came
//! in, by the fluxes through their faces.

use std::ops::Range;

use crate::air::advection::carry::without_traces;
use crate::air::advection::channels::flowing_in;
use crate::air::channel::AirChannel;
use crate::air::projection::level::with_lanes;
use crate::air::projection::sums::{ExactSum, add_products, mirrored_sum};
use crate::air::sides::AirSide;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// Rows that are added up together.
const BAND: usize = 16;

impl Air {
    /// The amount of a channel that there should be after the step, in cells.
    pub(super) fn amount_after(
        &self,
        channel: AirChannel,
        list: &[f32],
        scale: f32,
        sums: &mut Vec<f32>,
        executor: &dyn Executor,
    ) -> f64 {
        let shares = self.solids.air_shares();
        let before = self.sum_of(sums, executor, |cells, sums| {
            add_products(sums, &list[cells.clone()], &shares[cells]);
        });
        before + self.amount_through_sides(channel, list, scale)
    }

    /// The amount that comes in through the sides, less what goes out.
    fn amount_through_sides(&self, channel: AirChannel, list: &[f32], scale: f32) -> f64 {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let (solids, sides) = (&self.solids, &self.sides);
        let mut flows = Vec::new();
        let mut side = |side: AirSide, count: usize, face: &dyn Fn(usize) -> (f32, f32, usize)| {
            if matches!(side, AirSide::Open | AirSide::Inflow { .. }) {
                for number in 0..count {
                    let (open, inwards, cell) = face(number);
                    let outside = flowing_in(channel, side);
                    let value = if inwards > 0.0 { outside } else { list[cell] };
                    flows.push(open * inwards * scale * value);
                }
            }
        };
        let wide = columns + 1;
        let (u, v) = (&self.velocity_x, &self.velocity_y);
        side(sides.left, rows, &|j| (solids.open_x[j * wide], u[j * wide], j * columns));
        side(sides.right, rows, &|j| {
            let face = j * wide + columns;
            (solids.open_x[face], -u[face], j * columns + columns - 1)
        });
        side(sides.bottom, columns, &|i| (solids.open_y[i], v[i], i));
        side(sides.top, columns, &|i| {
            let face = rows * columns + i;
            (solids.open_y[face], -v[face], face - columns)
        });
        let largest = flows.iter().fold(0.0, |most: f32, flow| most.max(flow.abs()));
        let scale = ExactSum::scale(largest);
        let mut sum = ExactSum::default();
        flows.iter().for_each(|flow| sum.add(*flow, scale));
        sum.value(scale)
    }

    /// Adds what is missing to a channel, or takes what is too much.
    pub(super) fn conserve(
        &self,
        list: &mut [f32],
        low: &[f32],
        high: &[f32],
        goal: f64,
        sums: &mut Vec<f32>,
        executor: &dyn Executor,
    ) {
        let shares = self.solids.air_shares();
        let now = &*list;
        let amount = self.sum_of(sums, executor, |cells, sums| {
            add_products(sums, &now[cells.clone()], &shares[cells]);
        });
        let missing = goal - amount;
        let limit = if missing > 0.0 { high } else { low };
        let room = self.sum_of(sums, executor, |cells, sums| {
            let (now, limit) = (&now[cells.clone()], &limit[cells.clone()]);
            with_lanes(
                #[inline(always)]
                || {
                    let room = now.iter().zip(limit).map(|(now, limit)| limit - now);
                    for ((sum, room), share) in sums.iter_mut().zip(room).zip(&shares[cells]) {
                        *sum += room * share;
                    }
                },
            );
        });
        let factor = if room == 0.0 { 0.0 } else { (missing / room).clamp(0.0, 1.0) as f32 };
        let columns = self.grid.columns;
        executor.for_each_chunk(list, columns * BAND, |band, list: &mut [f32]| {
            let limit = &limit[band * columns * BAND..][..list.len()];
            with_lanes(
                #[inline(always)]
                || {
                    for (value, limit) in list.iter_mut().zip(limit) {
                        *value = without_traces(*value + factor * (limit - *value));
                    }
                },
            );
        });
    }

    /// A sum over all cells that a mirror does not change. `add` adds a row of cells to the sums.
    fn sum_of(
        &self,
        sums: &mut Vec<f32>,
        executor: &dyn Executor,
        add: impl Fn(Range<usize>, &mut [f32]) + Sync,
    ) -> f64 {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        sums.resize(columns * rows.div_ceil(BAND), 0.0);
        executor.for_each_chunk(&mut sums[..], columns, |band, sums: &mut [f32]| {
            sums.fill(0.0);
            for j in band * BAND..((band + 1) * BAND).min(rows) {
                add(j * columns..(j + 1) * columns, sums);
            }
        });
        mirrored_sum(sums, columns)
    }
}
