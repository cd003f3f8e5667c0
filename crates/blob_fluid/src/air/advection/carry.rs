//! Values are carried along ways.

use fearless_simd::prelude::*;

use crate::air::advection::trace::{Axis, Sampled, between};
use crate::air::advection::walk::{CellsAround, Place};
use crate::air::advection::ways::{BAND, LaneWay, Ways, blocks, lanes_from};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{LANES, LaneVector, splat};

/// Smaller numbers are 0: processors are slow with yet smaller ones.
const LEAST: f32 = 1e-20;

/// A number, or 0 if it is too small to matter.
#[inline(always)]
pub(super) fn without_traces(value: f32) -> f32 {
    if value.abs() < LEAST { 0.0 } else { value }
}

/// A list as carried by a step back, with the smallest and the largest of the numbers around the
/// end of each way.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    pub values: Vec<f32>,
    pub low: Vec<f32>,
    pub high: Vec<f32>,
}

impl Carried {
    /// Takes every value from the end of its way. `walked` gives those of walked ways; other places
    /// near walls keep their values.
    pub(super) fn carry(
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
                    // Small grids are not worth lanes.
                    for i in (0..width).filter(|i| is_near(x[*i], y[*i])) {
                        let (x, y) = (Axis::new(x[i], 0.0), Axis::new(y[i], 0.0));
                        let sampled = between(list, width, (i, j), x, y);
                        (values[i], low[i], high[i]) =
                            (without_traces(sampled.value), sampled.low, sampled.high);
                    }
                }
                for_each_far(x, y, |i| {
                    let sampled = if x[i].is_nan() {
                        Sampled::all(list[from + i])
                    } else {
                        between(list, width, (i, j), Axis::new(x[i], 0.0), Axis::new(y[i], 0.0))
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

    /// Corrects the carried values, in the place of those before, by what a step back misses, within
    /// the values they came from (Selle et al. 2008, eq. 3 and section 3).
    pub(super) fn correct(
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
                // Before anything near is overwritten.
                let mut correct = |i: usize| {
                    let (x, y) = (Axis::new(x[i], 0.0), Axis::new(y[i], 0.0));
                    let there = between(carried, width, (i, j), x, y).value;
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

/// Calls `visit` with the number of every place whose way is not [near](is_near). Most blocks have
/// none, which vector instructions find out.
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

/// Whether a way is shorter than a cell along both axes; not if it was walked.
#[inline(always)]
fn is_near(x: f32, y: f32) -> bool {
    (x.abs() < 1.0) & (y.abs() < 1.0)
}

/// The values at the ends of ways that [are near](is_near), with the smallest and the largest of
/// the numbers around; the formulas are those of [`between`].
#[inline(always)]
fn near<S: Instructions>(
    list: &[f32],
    width: usize,
    at: usize,
    x: LaneVector<S>,
    y: LaneVector<S>,
) -> [LaneVector<S>; 3] {
    let instructions = x.simd;
    let (x, y) = (LaneWay::new(x), LaneWay::new(y));
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

/// Carries a row of values along near ways. What it writes for other ways has no meaning.
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
        for block in blocks(self.values.len()) {
            let x = lanes_from(instructions, self.ways.0, block);
            let y = lanes_from(instructions, self.ways.1, block);
            let [value, low, high] = near(self.list, self.width, self.first + block, x, y);
            let value = value.abs().simd_lt(least).select(zero, value);
            value.store_slice(&mut self.values[block..][..LANES]);
            low.store_slice(&mut self.low[block..][..LANES]);
            high.store_slice(&mut self.high[block..][..LANES]);
        }
    }
}

/// Corrects a row of values along near ways, and leaves the others as they are.
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
        let count = self.list.len();
        // The last block may overlap the one before, and needs what was there before.
        let last = lanes_from(instructions, self.list, count - LANES);
        for block in blocks(count) {
            let from = |list: &[f32]| lanes_from(instructions, list, block);
            let (x, y) = (from(self.ways.0), from(self.ways.1));
            let before = if block + LANES == count { last } else { from(self.list) };
            let carried = lanes_from(instructions, self.carried, self.first + block);
            let [there, ..] = near(self.carried, self.width, self.first + block, x, y);
            let corrected = carried + half * (before - there);
            let (low, high) = (from(self.low), from(self.high));
            // As in `corrected`.
            let at_least = instructions.larger(low, corrected);
            let now = instructions.smaller(high, at_least);
            let near = x.abs().simd_lt(one) & y.abs().simd_lt(one);
            near.select(now, before).store_slice(&mut self.list[block..][..LANES]);
        }
    }
}

#[inline(always)]
fn corrected(before: f32, carried: f32, back: f32, low: f32, high: f32) -> f32 {
    let corrected = carried + 0.5 * (before - back);
    let at_least = if corrected < low { low } else { corrected };
    if at_least > high { high } else { at_least }
}
