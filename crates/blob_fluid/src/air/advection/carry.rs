//! Values are carried along ways.

use crate::air::advection::trace::{Axis, Place, Sampled, between};
use crate::air::advection::ways::{Three, Ways};
use crate::air::advection::{BAND, without_traces};
use crate::air::projection::level::with_lanes;
use crate::parallel::executor::Executor;

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
    pub(super) fn carry<E: Executor>(
        &mut self,
        list: &[f32],
        width: usize,
        ways: &Ways,
        walked: impl Fn(Place) -> Sampled + Sync,
        executor: &E,
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
                if j > 0 && j + 1 < rows && width > 2 {
                    let count = width - 2;
                    let inner = 1..width - 1;
                    let (values, low, high) = (
                        &mut values[inner.clone()],
                        &mut low[inner.clone()],
                        &mut high[inner.clone()],
                    );
                    let (x, y) = (&x[inner.clone()], &y[inner]);
                    let row = |first: usize| Three::new(list, first, count);
                    let (below, here, above) =
                        (row(from + 1 - width), row(from + 1), row(from + 1 + width));
                    with_lanes(
                        #[inline(always)]
                        || {
                            for i in 0..count {
                                let sampled = near(&below, &here, &above, i, x[i], y[i]);
                                values[i] = without_traces(sampled.value);
                                low[i] = sampled.low;
                                high[i] = sampled.high;
                            }
                        },
                    );
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
            for (index, place) in &ways.walked[band] {
                let sampled = walked(*place);
                let index = index - first;
                (values[index], low[index], high[index]) =
                    (without_traces(sampled.value), sampled.low, sampled.high);
            }
        });
    }

    /// Corrects the carried values, in the place of those before, by what a step back misses, within
    /// the values they came from (Selle et al. 2008, eq. 3 and section 3).
    pub(super) fn correct<E: Executor>(
        &self,
        list: &mut [f32],
        width: usize,
        ways: &Ways,
        walked: impl Fn(Place) -> Sampled + Sync,
        executor: &E,
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
                let inside = j > 0 && j + 1 < rows && width > 2;
                // Beyond the near ones, before anything is overwritten.
                for_each_far(x, y, |i| {
                    if !x[i].is_nan() {
                        let (x, y) = (Axis::new(x[i], 0.0), Axis::new(y[i], 0.0));
                        let there = between(carried, width, (i, j), x, y).value;
                        list[i] = corrected(list[i], carried[from + i], there, low[i], high[i]);
                    }
                });
                if inside {
                    let count = width - 2;
                    let inner = 1..width - 1;
                    let list = &mut list[inner.clone()];
                    let (low, high) = (&low[inner.clone()], &high[inner.clone()]);
                    let (x, y) = (&x[inner.clone()], &y[inner]);
                    let row = |first: usize| Three::new(carried, first, count);
                    let (below, here, above) =
                        (row(from + 1 - width), row(from + 1), row(from + 1 + width));
                    let values = &carried[from + 1..][..count];
                    with_lanes(
                        #[inline(always)]
                        || {
                            for i in 0..count {
                                let there = near(&below, &here, &above, i, x[i], y[i]).value;
                                let now = corrected(list[i], values[i], there, low[i], high[i]);
                                list[i] = if is_near(x[i], y[i]) { now } else { list[i] };
                            }
                        },
                    );
                }
            }
            for (index, place) in &ways.walked[band] {
                let (index, value) = (*index, &mut list[index - first]);
                *value = if place.stopped {
                    carried[index]
                } else {
                    let back = walked(*place).value;
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

/// The value at the end of a way that [is near](is_near); the formulas are those of [`between`].
#[inline(always)]
fn near(
    below: &Three<'_>,
    here: &Three<'_>,
    above: &Three<'_>,
    i: usize,
    x: f32,
    y: f32,
) -> Sampled {
    let (across, along) = (x.abs(), y.abs());
    let (a, b) = here.aligned(i, x);
    let (low, high) = (below.aligned(i, x), above.aligned(i, x));
    let c = if y < 0.0 { low.0 } else { high.0 };
    let d = if y < 0.0 { low.1 } else { high.1 };
    let near = a * (1.0 - across) + b * across;
    let far = c * (1.0 - across) + d * across;
    let value = near * (1.0 - along) + far * along;
    let less = |a: f32, b: f32| if a < b { a } else { b };
    let more = |a: f32, b: f32| if a > b { a } else { b };
    Sampled { value, low: less(less(a, b), less(c, d)), high: more(more(a, b), more(c, d)) }
}

#[inline(always)]
fn corrected(before: f32, carried: f32, back: f32, low: f32, high: f32) -> f32 {
    let corrected = carried + 0.5 * (before - back);
    let at_least = if corrected < low { low } else { corrected };
    if at_least > high { high } else { at_least }
}
