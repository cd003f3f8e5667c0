//! Advection: carries velocities and channels along with the air.

pub(crate) mod trace;
mod ways;

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::Executor;
use crate::air::advection::trace::{Axis, CellsAround, Flow, Kind, Place, Sampled, between};
use crate::air::advection::ways::{BAND, LaneWay, Ways, blocks, lanes_from};
use crate::air::projection::multigrid::with_lanes;
use crate::air::projection::{ExactSum, add_products, mirrored_sum};
use crate::air::sources::LARGEST_AMOUNT;
use crate::air::{Air, AirAdvection, AirChannel, AirSide};
use crate::parallel::instructions::{self, Instructions, LANES, LaneKernel, LaneVector, splat};

/// Lists of the advection.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdvectionWorkspace {
    /// Paths back in time, and forward.
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

// Values are carried along paths.

/// Smaller numbers are set to 0, because their products may be denormal, with which processors are
/// slow.
const LEAST: f32 = 1e-20;

/// A number, or 0 if it is too small to matter.
#[inline(always)]
pub(super) fn without_traces(value: f32) -> f32 {
    if value.abs() < LEAST { 0.0 } else { value }
}

/// A number moved by a share of the way to another one. Rounding may move the sum beyond both numbers, and beyond the
/// largest amount.
#[inline(always)]
fn moved_towards(value: f32, other: f32, share: f32) -> f32 {
    without_traces(value + share * (other - value)).clamp(-LARGEST_AMOUNT, LARGEST_AMOUNT)
}

/// A list after a step back, with the smallest and the largest of the numbers around the end of
/// each path.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    pub values: Vec<f32>,
    pub low: Vec<f32>,
    pub high: Vec<f32>,
}

impl Carried {
    /// Takes every value from the end of its path. `walked` returns the values of walked paths;
    /// other places near walls keep their values.
    fn carry(
        &mut self,
        list: &[f32],
        width: usize,
        ways: &Ways,
        walked: impl Fn(Place, Option<&CellsAround>) -> Sampled + Sync,
        executor: &dyn Executor,
    ) {
        let rows = list.len() / width;
        for into in [&mut self.values, &mut self.low, &mut self.high] {
            into.resize(list.len(), 0.0);
        }
        let data = (&mut self.values[..], &mut self.low[..], &mut self.high[..]);
        executor.for_each_chunk(data, BAND * width, |band, (values, low, high)| {
            let first = band * BAND * width;
            for start in (0..values.len()).step_by(width) {
                let j = (first + start) / width;
                let row = start..start + width;
                let (values, low, high) =
                    (&mut values[row.clone()], &mut low[row.clone()], &mut high[row]);
                let from = j * width;
                let (x, y) = (&ways.x[from..][..width], &ways.y[from..][..width]);
                if j > 0 && j + 1 < rows && width >= LANES + 2 {
                    let inner = 1..width - 1;
                    instructions::run(CarryNear {
                        list,
                        width,
                        first: from + 1,
                        ways: (&x[inner.clone()], &y[inner.clone()]),
                        values: &mut values[inner.clone()],
                        low: &mut low[inner.clone()],
                        high: &mut high[inner],
                    });
                } else {
                    // Lanes are used only in inner rows of grids that are wide enough.
                    for i in (0..width).filter(|i| is_near(x[*i], y[*i])) {
                        let (x, y) = (Axis::new(x[i], 0.0), Axis::new(y[i], 0.0));
                        let sampled = between(list, width, i, j, x, y);
                        (values[i], low[i], high[i]) =
                            (without_traces(sampled.value), sampled.low, sampled.high);
                    }
                }
                for_each_far(x, y, |i| {
                    let sampled = if x[i].is_nan() {
                        Sampled::all(list[from + i])
                    } else {
                        between(list, width, i, j, Axis::new(x[i], 0.0), Axis::new(y[i], 0.0))
                    };
                    (values[i], low[i], high[i]) =
                        (without_traces(sampled.value), sampled.low, sampled.high);
                });
            }
            for (index, place, around) in ways.walked[band].iter() {
                let sampled = walked(place, around);
                let index = index - first;
                (values[index], low[index], high[index]) =
                    (without_traces(sampled.value), sampled.low, sampled.high);
            }
        });
    }

    /// Corrects the carried values by the error of a step back, within the values they came from
    /// (Selle et al. 2008, eq. 3 and section 3). `list` holds the values before the step, and then
    /// the result.
    fn correct(
        &self,
        list: &mut [f32],
        width: usize,
        ways: &Ways,
        walked: impl Fn(Place, Option<&CellsAround>) -> Sampled + Sync,
        executor: &dyn Executor,
    ) {
        let rows = list.len() / width;
        let carried = &self.values[..];
        executor.for_each_chunk(list, BAND * width, |band, list: &mut [f32]| {
            let first = band * BAND * width;
            for start in (0..list.len()).step_by(width) {
                let j = (first + start) / width;
                let from = j * width;
                let list = &mut list[start..start + width];
                let (low, high) = (&self.low[from..][..width], &self.high[from..][..width]);
                let (x, y) = (&ways.x[from..][..width], &ways.y[from..][..width]);
                let inside = j > 0 && j + 1 < rows && width >= LANES + 2;
                // Far places are corrected before near places are overwritten.
                let mut correct = |i: usize| {
                    let (x, y) = (Axis::new(x[i], 0.0), Axis::new(y[i], 0.0));
                    let there = between(carried, width, i, j, x, y).value;
                    list[i] = corrected(list[i], carried[from + i], there, low[i], high[i]);
                };
                for_each_far(x, y, |i| {
                    if !x[i].is_nan() {
                        correct(i);
                    }
                });
                if inside {
                    let inner = 1..width - 1;
                    instructions::run(CorrectNear {
                        carried,
                        width,
                        first: from + 1,
                        ways: (&x[inner.clone()], &y[inner.clone()]),
                        low: &low[inner.clone()],
                        high: &high[inner.clone()],
                        list: &mut list[inner],
                    });
                } else {
                    (0..width).filter(|i| is_near(x[*i], y[*i])).for_each(correct);
                }
            }
            for (index, place, around) in ways.walked[band].iter() {
                let value = &mut list[index - first];
                *value = if place.stopped {
                    carried[index]
                } else {
                    let back = walked(place, around).value;
                    corrected(*value, carried[index], back, self.low[index], self.high[index])
                };
            }
        });
    }
}

/// Calls `visit` with the index of every place whose path is not [near](is_near). Most blocks have
/// no such path, which a vectorised test finds.
#[inline(always)]
fn for_each_far(x: &[f32], y: &[f32], mut visit: impl FnMut(usize)) {
    const BLOCK: usize = 32;
    for (block, (x, y)) in x.chunks(BLOCK).zip(y.chunks(BLOCK)).enumerate() {
        let near = |(x, y): (&f32, &f32)| is_near(*x, *y);
        if !x.iter().zip(y).map(near).fold(true, |all, near| all & near) {
            for (index, place) in x.iter().zip(y).enumerate() {
                if !near(place) {
                    visit(block * BLOCK + index);
                }
            }
        }
    }
}

/// Whether a path is shorter than a cell along both axes. It is false for walked paths, which are
/// NaN.
#[inline(always)]
fn is_near(x: f32, y: f32) -> bool {
    (x.abs() < 1.0) & (y.abs() < 1.0)
}

/// The values at the ends of paths that [are near](is_near), with the smallest and the largest of
/// the numbers around. The formulas are those of [`between`].
#[inline(always)]
fn near<S: Instructions>(
    list: &[f32],
    width: usize,
    at: usize,
    x: LaneVector<S>,
    y: LaneVector<S>,
) -> [LaneVector<S>; 3] {
    let instructions = x.token();
    let (x, y) = (LaneWay::<S>::new(x), LaneWay::<S>::new(y));
    let (a, b) = x.aligned(list, at);
    let (below, above) = (x.aligned(list, at - width), x.aligned(list, at + width));
    let c = y.back.select(below.0, above.0);
    let d = y.back.select(below.1, above.1);
    let one = splat(instructions, 1.0);
    let near = a * (one - x.length) + b * x.length;
    let far = c * (one - x.length) + d * x.length;
    let value = near * (one - y.length) + far * y.length;
    let less = |a, b| instructions.smaller(a, b);
    let more = |a, b| instructions.larger(a, b);
    [value, less(less(a, b), less(c, d)), more(more(a, b), more(c, d))]
}

/// Carries a row of values along near paths. The values that it writes for other paths have no
/// meaning.
struct CarryNear<'a> {
    list: &'a [f32],
    width: usize,
    /// Index of the row's first place.
    first: usize,
    ways: (&'a [f32], &'a [f32]),
    values: &'a mut [f32],
    low: &'a mut [f32],
    high: &'a mut [f32],
}

impl LaneKernel for CarryNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let least = splat(instructions, LEAST);
        let zero = splat(instructions, 0.0);
        let width = S::WIDTH;
        for block in blocks::<S>(self.values.len()) {
            let x = lanes_from(instructions, self.ways.0, block);
            let y = lanes_from(instructions, self.ways.1, block);
            let [value, low, high] = near::<S>(self.list, self.width, self.first + block, x, y);
            let value = value.abs().simd_lt(least).select(zero, value);
            value.store_slice(&mut self.values[block..][..width]);
            low.store_slice(&mut self.low[block..][..width]);
            high.store_slice(&mut self.high[block..][..width]);
        }
    }
}

/// Corrects a row of values along near paths, and leaves the others as they are.
struct CorrectNear<'a> {
    carried: &'a [f32],
    width: usize,
    first: usize,
    ways: (&'a [f32], &'a [f32]),
    low: &'a [f32],
    high: &'a [f32],
    list: &'a mut [f32],
}

impl LaneKernel for CorrectNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let one = splat(instructions, 1.0);
        let half = splat(instructions, 0.5);
        let (count, width) = (self.list.len(), S::WIDTH);
        // The last block may overlap the previous block, and needs the values from before the
        // correction.
        let last = lanes_from(instructions, self.list, count - width);
        for block in blocks::<S>(count) {
            let from = |list: &[f32]| lanes_from(instructions, list, block);
            let (x, y) = (from(self.ways.0), from(self.ways.1));
            let before = if block + width == count { last } else { from(self.list) };
            let carried = lanes_from(instructions, self.carried, self.first + block);
            let [there, ..] = near::<S>(self.carried, self.width, self.first + block, x, y);
            let corrected = carried + half * (before - there);
            let (low, high) = (from(self.low), from(self.high));
            // As in `corrected`.
            let at_least = instructions.larger(low, corrected);
            let now = instructions.smaller(high, at_least);
            let near = x.abs().simd_lt(one) & y.abs().simd_lt(one);
            near.select(now, before).store_slice(&mut self.list[block..][..width]);
        }
    }
}

#[inline(always)]
fn corrected(before: f32, carried: f32, back: f32, low: f32, high: f32) -> f32 {
    let corrected = carried + 0.5 * (before - back);
    let at_least = if corrected < low { low } else { corrected };
    if at_least > high { high } else { at_least }
}

// Advection of the channels.

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

/// The value of a channel in air that flows in at a side.
pub(super) fn flowing_in(channel: AirChannel, side: AirSide) -> f32 {
    match (side, channel) {
        // Inflowing smoke is white if smoke has colours.
        (
            AirSide::Inflow { smoke, .. },
            AirChannel::Smoke | AirChannel::Red | AirChannel::Green | AirChannel::Blue,
        ) => smoke,
        (AirSide::Inflow { heat, .. }, AirChannel::Heat) => heat,
        _ => 0.0,
    }
}

impl Sampled {
    /// A value that is also its own smallest and largest value.
    pub(crate) fn all(value: f32) -> Self {
        Self { value, low: value, high: value }
    }
}

// Advection of the velocities.
//
// Half of the last pressure's push acts before the advection, and is carried along; the projection
// finds the rest. So the push is the mean of the pushes at both ends of the path, as in a
// trapezoidal step, and eddies keep nearly all of their energy (the idea of Zehnder, Narain and
// Thomaszewski 2018, "An advection-reflection solver for detail-preserving fluid simulation", with
// the pressure of the last step in the place of a second projection).
//
// Air that comes in at an opening counts as at rest a cell further out. If it brought a velocity
// with it, an eddy that meets the opening would draw in energy without limit ("backflow
// divergence": Esmaily Moghadam et al. 2011, "A comparison of outlet boundary treatments for
// prevention of backflow divergence with relevance to blood flow simulations").

impl Air {
    pub(super) fn advect_velocities(
        &mut self,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        self.push_half(scale, work);
        let mut next_x = std::mem::take(&mut work.next_x);
        let mut next_y = std::mem::take(&mut work.next_y);
        self.advect_component(Kind::FaceX, &mut next_x, scale, second_order, work, executor);
        self.advect_component(Kind::FaceY, &mut next_y, scale, second_order, work, executor);
        work.next_x = std::mem::replace(&mut self.velocity_x, next_x);
        work.next_y = std::mem::replace(&mut self.velocity_y, next_y);
    }

    fn advect_component(
        &self,
        kind: Kind,
        next: &mut Vec<f32>,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        let across = kind == Kind::FaceX;
        let width = self.grid.columns + usize::from(across);
        let AdvectionWorkspace { back, forth, carried, pushed_x, pushed_y, .. } = work;
        let list = if across { &*pushed_x } else { &*pushed_y };
        let flow = Flow::of(self, -scale);
        back.find(&flow, kind, executor);
        let from = Flow { velocity_x: pushed_x, velocity_y: pushed_y, ..flow };
        let came_from =
            |place, _: Option<&CellsAround>| coming_in(place, from.velocity_at(place, across));
        carried.carry(list, width, back, came_from, executor);
        if !second_order {
            next.clone_from(&carried.values);
            return;
        }
        forth.find(&Flow { scale, ..flow }, kind, executor);
        let there = if across {
            Flow { velocity_x: &carried.values, ..flow }
        } else {
            Flow { velocity_y: &carried.values, ..flow }
        };
        next.clone_from(list);
        let there = |place, _: Option<&CellsAround>| there.velocity_at(place, across);
        carried.correct(next, width, forth, there, executor);
    }

    /// Writes the velocities after half of the push of the last pressures.
    fn push_half(&self, scale: f32, work: &mut AdvectionWorkspace) {
        let AdvectionWorkspace { pushed_x, pushed_y, .. } = work;
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let factor = 0.5 * scale / self.settings.density;
        let factor = if factor.is_finite() { factor } else { 0.0 };
        let (open_x, open_y) = (&self.solids.open_x, &self.solids.open_y);
        let pushed = |velocity: f32, open: f32, before: f32, here: f32| {
            let now = velocity - factor * (here - before);
            if open > 0.0 && now.abs() < 1e13 { now } else { velocity }
        };
        // At an opening the pressure is 0, and beyond a periodic side it is that of the other side.
        let open_side = |side: AirSide, here: f32, across: f32| match side {
            AirSide::Open => -here,
            AirSide::Periodic => across,
            AirSide::Closed { .. } | AirSide::Inflow { .. } => here,
        };
        pushed_x.clone_from(&self.velocity_x);
        for (j, row) in pushed_x.chunks_exact_mut(columns + 1).enumerate() {
            let open = &open_x[j * (columns + 1)..][..columns + 1];
            let pressures = &self.pressure[j * columns..][..columns];
            let (first, last) = (pressures[0], pressures[columns - 1]);
            let left = open_side(self.sides.left, first, last);
            let right = open_side(self.sides.right, last, first);
            row[0] = pushed(row[0], open[0], left, first);
            row[columns] = pushed(row[columns], open[columns], last, right);
            with_lanes(
                #[inline(always)]
                || {
                    let (row, open) = (&mut row[1..columns], &open[1..columns]);
                    let (before, here) = (&pressures[..columns - 1], &pressures[1..]);
                    for i in 0..row.len() {
                        row[i] = pushed(row[i], open[i], before[i], here[i]);
                    }
                },
            );
        }
        pushed_y.clone_from(&self.velocity_y);
        for (j, row) in pushed_y.chunks_exact_mut(columns).enumerate() {
            let open = &open_y[j * columns..][..columns];
            let cells = |j: usize| &self.pressure[j * columns..][..columns];
            if j > 0 && j < rows {
                let (before, here) = (cells(j - 1), cells(j));
                with_lanes(
                    #[inline(always)]
                    || {
                        for i in 0..row.len() {
                            row[i] = pushed(row[i], open[i], before[i], here[i]);
                        }
                    },
                );
                continue;
            }
            let (first, last) = (cells(0), cells(rows - 1));
            for i in 0..columns {
                let (before, here) = if j == 0 {
                    (open_side(self.sides.bottom, first[i], last[i]), first[i])
                } else {
                    (last[i], open_side(self.sides.top, last[i], first[i]))
                };
                row[i] = pushed(row[i], open[i], before, here);
            }
        }
    }
}

/// The velocity at the end of a path back. If the path led out through an opening, it is mixed with
/// air at rest, in proportion to the length outside.
fn coming_in(place: Place, Sampled { value, low, high }: Sampled) -> Sampled {
    if place.left_by != Some(AirSide::Open) {
        return Sampled { value, low, high };
    }
    let share = if place.beyond < 1.0 { 1.0 - place.beyond } else { 0.0 };
    let (low, high) = (if low < 0.0 { low } else { 0.0 }, if high > 0.0 { high } else { 0.0 });
    Sampled { value: share * value, low, high }
}

// The amounts of the channels are conserved.
//
// Steps back in time do not conserve amounts. After them, the missing amount is added, or the
// surplus removed, in proportion to the room that each cell has within the values that it came from
// (Bermejo and Conde 2002, "A conservative quasi-monotone semi-Lagrangian scheme"; Bowler, Wedi and
// others use the same idea). So no new extremes appear, and empty cells stay empty if their values
// came from empty cells. The target is the amount before the step, plus the inflow and minus the
// outflow through the faces of the sides.

/// Number of rows that are added up together.
const SUMMED_ROWS: usize = 16;

impl Air {
    /// The target amount of a channel after the step, in cells.
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

    /// The inflow minus the outflow through the sides.
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

    /// Adds the missing amount to a channel, or removes the surplus.
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
        executor.for_each_chunk(list, columns * SUMMED_ROWS, |band, list: &mut [f32]| {
            let limit = &limit[band * columns * SUMMED_ROWS..][..list.len()];
            with_lanes(
                #[inline(always)]
                || {
                    for (value, limit) in list.iter_mut().zip(limit) {
                        *value = moved_towards(*value, *limit, factor);
                    }
                },
            );
        });
    }

    /// A sum over all cells that mirroring does not change. `add` adds a row of cells to the sums.
    fn sum_of(
        &self,
        sums: &mut Vec<f32>,
        executor: &dyn Executor,
        add: impl Fn(Range<usize>, &mut [f32]) + Sync,
    ) -> f64 {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        sums.resize(columns * rows.div_ceil(SUMMED_ROWS), 0.0);
        executor.for_each_chunk(&mut sums[..], columns, |band, sums: &mut [f32]| {
            sums.fill(0.0);
            for j in band * SUMMED_ROWS..((band + 1) * SUMMED_ROWS).min(rows) {
                add(j * columns..(j + 1) * columns, sums);
            }
        });
        mirrored_sum(sums, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_moved_towards_the_largest_amount_does_not_exceed_it() {
        for step in 0..10_000 {
            let value = -LARGEST_AMOUNT + 99_991.0 * step as f32;
            assert!(moved_towards(value, LARGEST_AMOUNT, 1.0) <= LARGEST_AMOUNT, "{value}");
            assert!(moved_towards(-value, -LARGEST_AMOUNT, 1.0) >= -LARGEST_AMOUNT, "{value}");
        }
    }
}
