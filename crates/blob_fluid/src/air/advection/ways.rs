//! Ways of the air from all places of a kind, found once for all that is carried along them.

use crate::air::advection::BAND;
use crate::air::advection::trace::{Flow, Kind, Place};
use crate::air::projection::level::with_lanes;
use crate::parallel::executor::{Executor, PerChunk};

/// The ways from all places of a kind, in cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Along both axes; NaN where a wall is near, so that the way was walked.
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    /// For every band of rows, the places that walked ways lead to.
    pub walked: Vec<Vec<(usize, Place)>>,
}

/// A row of a list from its second number on, with the numbers before and after each.
#[derive(Clone, Copy)]
pub(super) struct Three<'a> {
    before: &'a [f32],
    here: &'a [f32],
    after: &'a [f32],
}

impl<'a> Three<'a> {
    #[inline(always)]
    pub(super) fn new(list: &'a [f32], first: usize, count: usize) -> Self {
        Self {
            before: &list[first - 1..][..count],
            here: &list[first..][..count],
            after: &list[first + 1..][..count],
        }
    }

    /// The numbers at a place, and at the next one in the direction of a way.
    #[inline(always)]
    pub(super) fn aligned(&self, i: usize, way: f32) -> (f32, f32) {
        (self.here[i], if way < 0.0 { self.before[i] } else { self.after[i] })
    }

    /// The numbers half a cell behind and ahead of a place between `here` and `after`.
    #[inline(always)]
    fn staggered(&self, i: usize, way: f32) -> (f32, f32) {
        let (low, high) = (self.here[i], self.after[i]);
        if way < 0.0 { (high, low) } else { (low, high) }
    }
}

#[inline(always)]
fn mix((near, far): (f32, f32), rest: f32) -> f32 {
    near * (1.0 - rest) + far * rest
}

impl Ways {
    /// Finds the ways of a flow.
    pub(super) fn find<E: Executor>(&mut self, flow: &Flow<'_>, kind: Kind, executor: &E) {
        let (width, rows) = match kind {
            Kind::Centre => (flow.columns, flow.rows),
            Kind::FaceX => (flow.columns + 1, flow.rows),
            Kind::FaceY => (flow.columns, flow.rows + 1),
        };
        self.x.resize(width * rows, 0.0);
        self.y.resize(width * rows, 0.0);
        self.walked.resize_with(rows.div_ceil(BAND), Vec::new);
        let walked = PerChunk::new(&mut self.walked, width * rows, BAND * width);
        let data = (&mut self.x[..], &mut self.y[..], walked);
        executor.for_each_chunk(data, BAND * width, |band, (x, y, walked)| {
            let walked = walked.item();
            walked.clear();
            for (row, (x, y)) in
                x.chunks_exact_mut(width).zip(y.chunks_exact_mut(width)).enumerate()
            {
                let j = band * BAND + row;
                if j > 0 && j + 1 < rows && width > 2 {
                    flow.find_inner(kind, j, &mut x[1..width - 1], &mut y[1..width - 1]);
                    (x[0], x[width - 1]) = (f32::INFINITY, f32::INFINITY);
                } else {
                    x.fill(f32::INFINITY);
                }
                for i in 0..width {
                    if x[i] == f32::INFINITY {
                        [x[i], y[i]] = flow.clear_way(kind, i, j).unwrap_or_else(|| {
                            if flow.is_air(kind, i, j) {
                                walked.push((j * width + i, flow.walk(kind, i, j)));
                            }
                            [f32::NAN; 2]
                        });
                    }
                }
            }
        });
    }
}

impl Flow<'_> {
    /// The ways from the inner places of a row, if the middle is less than half a cell away and
    /// walls are far; otherwise infinity. The formulas are those of [`Flow::clear_way`].
    fn find_inner(&self, kind: Kind, j: usize, into_x: &mut [f32], into_y: &mut [f32]) {
        let (columns, wide) = (self.columns, self.columns + 1);
        let (u, v, scale) = (self.velocity_x, self.velocity_y, self.scale);
        let count = into_x.len();
        let cells = j * columns + 1;
        let clearance = &self.solids.clearance;
        // Three rows of each list; the first number is at, or below and to the left of, the place.
        let left = j * wide + 1;
        let u_row = |first: usize| Three::new(u, first, count);
        let v_row = |first: usize| Three::new(v, first, count);
        match kind {
            Kind::Centre => {
                let clear = &clearance[cells..][..count];
                let (below, here, above) = (u_row(left - wide), u_row(left), u_row(left + wide));
                let (bottom, top) = (v_row(cells), v_row(cells + columns));
                with_lanes(
                    #[inline(always)]
                    || {
                        for i in 0..count {
                            let x = 0.5 * (here.here[i] + here.after[i]);
                            let y = 0.5 * (bottom.here[i] + top.here[i]);
                            let (x, y) = (0.5 * scale * x, 0.5 * scale * y);
                            let (across, along) = (x.abs(), y.abs());
                            let next = |row: &Three<'_>| mix(row.staggered(i, x), across + 0.5);
                            let beside = if y < 0.0 { next(&below) } else { next(&above) };
                            let middle_x = mix((next(&here), beside), along);
                            let next = |row: &Three<'_>| mix(row.aligned(i, x), across);
                            let (low, high) = (next(&bottom), next(&top));
                            let pair = if y < 0.0 { (high, low) } else { (low, high) };
                            let middle_y = mix(pair, along + 0.5);
                            let clear = f32::from(clear[i]) - 1.5;
                            [into_x[i], into_y[i]] = settled(
                                [across, along],
                                [scale * middle_x, scale * middle_y],
                                clear,
                            );
                        }
                    },
                );
            }
            Kind::FaceX => {
                let clear = [&clearance[cells - 1..][..count], &clearance[cells..][..count]];
                let (below, here, above) = (u_row(left - wide), u_row(left), u_row(left + wide));
                // From the cell on the left.
                let (bottom, top) = (v_row(cells - 1), v_row(cells - 1 + columns));
                with_lanes(
                    #[inline(always)]
                    || {
                        for i in 0..count {
                            let pair = |row: &Three<'_>| row.here[i] + row.after[i];
                            let y = 0.25 * (pair(&bottom) + pair(&top));
                            let (x, y) = (0.5 * scale * here.here[i], 0.5 * scale * y);
                            let (across, along) = (x.abs(), y.abs());
                            let next = |row: &Three<'_>| mix(row.aligned(i, x), across);
                            let beside = if y < 0.0 { next(&below) } else { next(&above) };
                            let middle_x = mix((next(&here), beside), along);
                            let next = |row: &Three<'_>| mix(row.staggered(i, x), across + 0.5);
                            let (low, high) = (next(&bottom), next(&top));
                            let pair = if y < 0.0 { (high, low) } else { (low, high) };
                            let middle_y = mix(pair, along + 0.5);
                            let clear = f32::from(clear[0][i].min(clear[1][i])) - 1.5;
                            [into_x[i], into_y[i]] = settled(
                                [across, along],
                                [scale * middle_x, scale * middle_y],
                                clear,
                            );
                        }
                    },
                );
            }
            Kind::FaceY => {
                let clear = [&clearance[cells - columns..][..count], &clearance[cells..][..count]];
                let (below, here, above) =
                    (v_row(cells - columns), v_row(cells), v_row(cells + columns));
                let (bottom, top) = (u_row(left - wide), u_row(left));
                with_lanes(
                    #[inline(always)]
                    || {
                        for i in 0..count {
                            let pair = |row: &Three<'_>| row.here[i] + row.after[i];
                            let x = 0.25 * (pair(&bottom) + pair(&top));
                            let (x, y) = (0.5 * scale * x, 0.5 * scale * here.here[i]);
                            let (across, along) = (x.abs(), y.abs());
                            let next = |row: &Three<'_>| mix(row.staggered(i, x), across + 0.5);
                            let (low, high) = (next(&bottom), next(&top));
                            let pair = if y < 0.0 { (high, low) } else { (low, high) };
                            let middle_x = mix(pair, along + 0.5);
                            let next = |row: &Three<'_>| mix(row.aligned(i, x), across);
                            let beside = if y < 0.0 { next(&below) } else { next(&above) };
                            let middle_y = mix((next(&here), beside), along);
                            let clear = f32::from(clear[0][i].min(clear[1][i])) - 1.5;
                            [into_x[i], into_y[i]] = settled(
                                [across, along],
                                [scale * middle_x, scale * middle_y],
                                clear,
                            );
                        }
                    },
                );
            }
        }
    }

    /// Whether a place has air.
    fn is_air(&self, kind: Kind, i: usize, j: usize) -> bool {
        match kind {
            Kind::Centre => self.solids.passages[j * self.columns + i] != 0,
            Kind::FaceX => self.solids.open_x[j * (self.columns + 1) + i] > 0.0,
            Kind::FaceY => self.solids.open_y[j * self.columns + i] > 0.0,
        }
    }
}

/// A way, or infinity if its middle is half a cell away or a wall is near.
#[inline(always)]
fn settled(half: [f32; 2], way: [f32; 2], clear: f32) -> [f32; 2] {
    let limit = if clear < 0.5 { clear } else { 0.5 };
    let near = (half[0] < limit) & (half[1] < limit);
    let reaches = near & (way[0].abs() < clear) & (way[1].abs() < clear);
    [if reaches { way[0] } else { f32::INFINITY }, way[1]]
}
