//! The grids of the multigrid, and the cycle that preconditions the conjugate gradients.
//!
//! A coarse cell covers two by two cells. The coefficients of its faces are the sums of the fine
//! cells' coefficients, halved because coarse cells are twice as far apart. So walls, pockets and
//! openings need no special treatment. Corrections are interpolated bilinearly between coarse cells
//! with air. Smoothing is by damped Jacobi steps, and restriction is the transpose of prolongation,
//! so the cycle is symmetric, as conjugate gradients require. All formulas are bit-identical in a
//! mirror, and the number of columns stays even down to the coarsest grid. If it would become odd,
//! the cells are paired from one cell further out.

use std::ops::Range;

use crate::air::{Air, AirSide};
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::{Executor, SerialExecutor};

/// Damping of the Jacobi steps; best for the highest half of the frequencies.
const DAMPING: f32 = 0.8;

/// Jacobi steps on the coarsest grid.
const COARSEST_STEPS: usize = 12;

/// All grids, from fine to coarse.
#[derive(Clone, Debug, Default)]
pub(super) struct Multigrid {
    pub levels: Vec<Level>,
    coarsenings: Vec<Coarsening>,
}

/// The mapping from a grid to the next coarser one, along both axes.
#[derive(Clone, Copy, Debug)]
struct Coarsening {
    x: Axis,
    y: Axis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    /// Whether cells are paired along this axis.
    paired: bool,
    /// Whether the first cell is alone, so that the number of coarse cells is even.
    shifted: bool,
    /// Whether the last pair is whole and meets the first across a periodic side.
    meets: bool,
    coarse: usize,
}

impl Axis {
    fn of(cells: usize) -> Self {
        if cells <= 2 {
            return Self { paired: false, shifted: false, meets: true, coarse: cells };
        }
        let shifted = cells % 4 == 2;
        let coarse = if shifted { cells / 2 + 1 } else { cells.div_ceil(2) };
        Self { paired: true, shifted, meets: cells.is_multiple_of(4), coarse }
    }

    fn coarse_of(self, fine: usize) -> usize {
        if self.paired { (fine + usize::from(self.shifted)) / 2 } else { fine }
    }

    /// Index of the first cell in a coarse cell; -1 if it lies before all cells.
    fn first_of(self, coarse: usize) -> isize {
        if self.paired { 2 * coarse as isize - isize::from(self.shifted) } else { coarse as isize }
    }

    /// Whether a cell is the first of its pair.
    fn is_first(self, fine: usize) -> bool {
        (fine + usize::from(self.shifted)).is_multiple_of(2)
    }

    /// Whether the face before a fine cell is also a face of coarse cells.
    fn is_coarse_face(self, fine: usize, cells: usize) -> bool {
        !self.paired
            || fine == 0
            || fine == cells
            || (fine + usize::from(self.shifted)).is_multiple_of(2)
    }
}

impl Multigrid {
    /// Builds the grids and their coefficients.
    pub(super) fn rebuild(&mut self, air: &Air) {
        let periodic = (air.sides.periodic_x(), air.sides.periodic_y());
        let (columns, rows) = (air.grid.columns, air.grid.rows);
        let fits = self.levels.first().is_some_and(|level| {
            (level.columns, level.rows, level.periodic) == (columns, rows, periodic)
        });
        if !fits {
            self.levels = vec![Level::new(columns, rows, periodic)];
            self.coarsenings.clear();
            let (mut x, mut y) = (columns, rows);
            loop {
                let coarsening = Coarsening { x: Axis::of(x), y: Axis::of(y) };
                if !coarsening.x.paired && !coarsening.y.paired {
                    break;
                }
                (x, y) = (coarsening.x.coarse, coarsening.y.coarse);
                self.coarsenings.push(coarsening);
                self.levels.push(Level::new(x, y, periodic));
            }
        }
        set_finest(&mut self.levels[0], air);
        for (index, coarsening) in self.coarsenings.iter().enumerate() {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            coarsening.coarsen(&fine[index], &mut coarse[0]);
        }
        self.levels.iter_mut().for_each(Level::invert);
        for (index, coarsening) in self.coarsenings.iter().enumerate() {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            coarsening.find_shares(&coarse[0], &mut fine[index]);
        }
    }

    /// One V-cycle: makes the finest correction from the finest right-hand side.
    pub(super) fn cycle(&mut self, executor: &dyn Executor) {
        let last = self.levels.len() - 1;
        for index in 0..last {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            let fine = &mut fine[index];
            fine.first_smoothing(executor);
            // Coarse grids are cheap, and a second step improves their corrections.
            if index > 0 {
                fine.smooth(executor);
            }
            fine.residual(executor);
            self.coarsenings[index].restrict(fine, &mut coarse[0], executor);
        }
        let coarsest = &mut self.levels[last];
        coarsest.first_smoothing(executor);
        for _ in 1..COARSEST_STEPS {
            coarsest.smooth(executor);
        }
        for index in (0..last).rev() {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            let fine = &mut fine[index];
            self.coarsenings[index].prolong(&mut coarse[0], fine, executor);
            fine.smooth(executor);
            if index > 0 {
                fine.smooth(executor);
            }
        }
    }
}

/// Sets the coefficients of the faces from openings, liquid and bodies. At an open side the pressure is 0 at
/// the face, half as far as the next cell would be, on every grid.
fn set_finest(level: &mut Level, air: &Air) {
    let (columns, rows) = (air.grid.columns, air.grid.rows);
    let (solids, liquid, sides) = (&air.solids, &air.liquid, &air.sides);
    let given = |side: AirSide| matches!(side, AirSide::Inflow { .. } | AirSide::Closed { .. });
    let share = |shares: &[f32], ratios: &[f32], face: usize| match shares.get(face) {
        Some(share) => (1.0 - share) + share * ratios[face],
        None => 1.0,
    };
    let closed = |axis: usize, open: f32, face: usize| {
        air.bodies.axes[axis].ratio.get(face).map_or(0.0, |ratio| (1.0 - open) * ratio)
    };
    for j in 0..rows {
        for i in 0..=columns {
            let face = j * (columns + 1) + i;
            let fixed = i == 0 && given(sides.left) || i == columns && given(sides.right);
            let weight = solids.open_x[face] * share(&liquid.share_x, &liquid.ratio_x, face)
                + closed(0, solids.open_x[face], face);
            let opening = i == 0 && sides.left == AirSide::Open
                || i == columns && sides.right == AirSide::Open;
            let weight = if opening { 2.0 * weight } else { weight };
            level.weight_x[(j + 1) * level.stride + 1 + i] = if fixed { 0.0 } else { weight };
        }
    }
    for j in 0..=rows {
        for i in 0..columns {
            let face = j * columns + i;
            let fixed = j == 0 && given(sides.bottom) || j == rows && given(sides.top);
            let weight = solids.open_y[face] * share(&liquid.share_y, &liquid.ratio_y, face)
                + closed(1, solids.open_y[face], face);
            let opening =
                j == 0 && sides.bottom == AirSide::Open || j == rows && sides.top == AirSide::Open;
            let weight = if opening { 2.0 * weight } else { weight };
            level.weight_y[(j + 1) * level.stride + 1 + i] = if fixed { 0.0 } else { weight };
        }
    }
}

impl Coarsening {
    /// Adds up the coefficients of the faces that coarse cells share.
    fn coarsen(&self, fine: &Level, coarse: &mut Level) {
        let half = |paired: bool| if paired { 0.5 } else { 1.0 };
        let place = |level: &Level, i: usize, j: usize| (j + 1) * level.stride + 1 + i;
        coarse.weight_x.fill(0.0);
        coarse.weight_y.fill(0.0);
        for j in 0..fine.rows {
            for i in (0..=fine.columns).filter(|i| self.x.is_coarse_face(*i, fine.columns)) {
                let column = if i == fine.columns { self.x.coarse } else { self.x.coarse_of(i) };
                let into = place(coarse, column, self.y.coarse_of(j));
                coarse.weight_x[into] += half(self.x.paired) * fine.weight_x[place(fine, i, j)];
            }
        }
        for j in (0..=fine.rows).filter(|j| self.y.is_coarse_face(*j, fine.rows)) {
            let row = if j == fine.rows { self.y.coarse } else { self.y.coarse_of(j) };
            for i in 0..fine.columns {
                let into = place(coarse, self.x.coarse_of(i), row);
                coarse.weight_y[into] += half(self.y.paired) * fine.weight_y[place(fine, i, j)];
            }
        }
    }

    /// Finds the factors that make the weights of the coarse cells with air add up to 1.
    fn find_shares(&self, coarse: &Level, fine: &mut Level) {
        let mut active: Vec<f32> =
            coarse.inverse.iter().map(|inverse| f32::from(*inverse > 0.0)).collect();
        self.settle_border(coarse, &mut active);
        let mut shares = vec![0.0; fine.len()];
        self.interpolate(coarse, &active, fine, &mut shares, &SerialExecutor, |into, sum, _| {
            *into = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        });
        // Cells without air take no part.
        for (share, inverse) in shares.iter_mut().zip(&fine.inverse) {
            *share = if *inverse > 0.0 { *share } else { 0.0 };
        }
        fine.share = shares;
    }

    /// Sets the border of a coarse list for the interpolation. It has the values across a periodic
    /// side if the pairs of cells meet there, and otherwise 0.
    fn settle_border(&self, coarse: &Level, list: &mut [f32]) {
        coarse.wrap(list);
        let (periodic_x, periodic_y) = coarse.periodic;
        coarse.clear_border(list, !(periodic_x && self.x.meets), !(periodic_y && self.y.meets));
    }

    /// Gathers the residuals of fine cells, with the weights of the interpolation.
    fn restrict(&self, fine: &mut Level, coarse: &mut Level, executor: &dyn Executor) {
        let mut residual = std::mem::take(&mut fine.next);
        // Values across a periodic side count only if the interpolation crosses it.
        if fine.periodic != (false, false) {
            fine.wrap(&mut residual);
            fine.clear_border(&mut residual, !self.x.meets, !self.y.meets);
        }
        let mut right = std::mem::take(&mut coarse.right);
        let (stride, rows, x, y) = (fine.stride, fine.rows, self.x, self.y);
        let nothing = vec![0.0; stride];
        let row_of = |index: isize| {
            let valid = index >= -1 && index <= rows as isize;
            if valid { &residual[(index + 1) as usize * stride..][..stride] } else { &nothing[..] }
        };
        coarse.for_each_band(&mut right, executor, |first, band| {
            // Two numbers more at each end than cells.
            let mut sums = vec![0.0; 2 * coarse.columns + 4];
            for (row, into) in band.chunks_exact_mut(coarse.stride).enumerate() {
                let into = &mut into[1..=coarse.columns];
                let start = 1 + usize::from(x.shifted);
                let low = y.first_of(first + row);
                let at = |offset: isize| row_of(low + offset);
                let (before, a, b, after) = if y.paired {
                    (at(-1), at(0), at(1), at(2))
                } else {
                    (&nothing[..], at(0), &nothing[..], &nothing[..])
                };
                let (middle, outer) = if y.paired { (0.75, 0.25) } else { (1.0, 0.0) };
                let sums = &mut sums[..];
                with_lanes(
                    #[inline(always)]
                    || {
                        let part = &mut sums[start..start + stride];
                        for i in 0..stride {
                            part[i] = middle * (a[i] + b[i]) + outer * (before[i] + after[i]);
                        }
                        if x.paired {
                            // The offset puts the first cell of each pair at an even index.
                            let (pairs, _) = sums.as_chunks::<2>();
                            for (i, into) in into.iter_mut().enumerate() {
                                let [low, here, high] = [pairs[i], pairs[i + 1], pairs[i + 2]];
                                *into = 0.75 * (here[0] + here[1]) + 0.25 * (low[1] + high[0]);
                            }
                        } else {
                            into.copy_from_slice(&sums[start + 1..][..into.len()]);
                        }
                    },
                );
            }
        });
        coarse.right = right;
        fine.next = residual;
    }

    /// Adds the coarse corrections, interpolated, to the fine ones.
    fn prolong(&self, coarse: &mut Level, fine: &mut Level, executor: &dyn Executor) {
        let mut from = std::mem::take(&mut coarse.correction);
        if coarse.periodic != (false, false) {
            self.settle_border(coarse, &mut from);
        }
        let mut correction = std::mem::take(&mut fine.correction);
        self.interpolate(coarse, &from, fine, &mut correction, executor, |into, value, share| {
            *into += share * value;
        });
        fine.wrap(&mut correction);
        fine.correction = correction;
        coarse.correction = from;
    }

    /// Calls `put` with every number of a fine list, the interpolated value of the coarse list, and
    /// the share of its cell.
    #[inline(always)]
    fn interpolate(
        &self,
        coarse: &Level,
        from: &[f32],
        fine: &Level,
        into: &mut [f32],
        executor: &dyn Executor,
        put: impl Fn(&mut f32, f32, f32) + Sync,
    ) {
        let (stride, x, y) = (coarse.stride, self.x, self.y);
        fine.for_each_band(into, executor, |first, band| {
            let mut column = vec![0.0; stride];
            for (row, into) in band.chunks_exact_mut(fine.stride).enumerate() {
                let cells = fine.row(first + row);
                let into = &mut into[1..=fine.columns];
                let share = &fine.share[cells];
                let near = y.coarse_of(first + row) + 1;
                let far = if !y.paired {
                    near
                } else if y.is_first(first + row) {
                    near - 1
                } else {
                    near + 1
                };
                let (near, far) =
                    (&from[near * stride..][..stride], &from[far * stride..][..stride]);
                let column = &mut column[..];
                with_lanes(
                    #[inline(always)]
                    || {
                        for i in 0..stride {
                            column[i] = 0.75 * near[i] + 0.25 * far[i];
                        }
                        if !x.paired {
                            for i in 0..into.len() {
                                put(&mut into[i], column[i + 1], share[i]);
                            }
                            return;
                        }
                        let shift = usize::from(x.shifted);
                        if x.shifted {
                            // The first cell of this pair would lie in front of all cells.
                            put(&mut into[0], 0.75 * column[1] + 0.25 * column[2], share[0]);
                        }
                        let (pairs, rest) = into[shift..].as_chunks_mut::<2>();
                        let (shares, last_share) = share[shift..].as_chunks::<2>();
                        let count = pairs.len();
                        let window = &column[shift..][..count + 2];
                        for i in 0..count {
                            let (low, here, high) = (window[i], window[i + 1], window[i + 2]);
                            put(&mut pairs[i][0], 0.75 * here + 0.25 * low, shares[i][0]);
                            put(&mut pairs[i][1], 0.75 * here + 0.25 * high, shares[i][1]);
                        }
                        for (into, share) in rest.iter_mut().zip(last_share) {
                            put(into, 0.75 * window[count + 1] + 0.25 * window[count], *share);
                        }
                    },
                );
            }
        });
    }
}

impl Level {
    /// The first Jacobi step, from 0.
    fn first_smoothing(&mut self, executor: &dyn Executor) {
        let mut correction = std::mem::take(&mut self.correction);
        self.for_each_row(
            &mut correction,
            executor,
            #[inline(always)]
            |j, row| {
                let cells = self.row(j);
                let (inverse, right) = (&self.inverse[cells.clone()], &self.right[cells]);
                for i in 0..row.len() {
                    row[i] = DAMPING * inverse[i] * right[i];
                }
            },
        );
        self.wrap(&mut correction);
        self.correction = correction;
    }

    /// A Jacobi step.
    fn smooth(&mut self, executor: &dyn Executor) {
        let mut next = std::mem::take(&mut self.next);
        self.for_each_row(
            &mut next,
            executor,
            #[inline(always)]
            |j, row| {
                let (x, weights) = (self.around(&self.correction, j), self.weights(j));
                let cells = self.row(j);
                let (inverse, right) = (&self.inverse[cells.clone()], &self.right[cells]);
                for i in 0..row.len() {
                    let change = inverse[i] * (right[i] - weights.apply(&x, i));
                    row[i] = x.here[i] + DAMPING * change;
                }
            },
        );
        self.wrap(&mut next);
        self.next = std::mem::replace(&mut self.correction, next);
    }

    /// Writes the residual, times the cells' shares in the interpolation, to `next`.
    fn residual(&mut self, executor: &dyn Executor) {
        let mut next = std::mem::take(&mut self.next);
        self.for_each_row(
            &mut next,
            executor,
            #[inline(always)]
            |j, row| {
                let (x, weights) = (self.around(&self.correction, j), self.weights(j));
                let cells = self.row(j);
                let (share, right) = (&self.share[cells.clone()], &self.right[cells]);
                for i in 0..row.len() {
                    row[i] = share[i] * (right[i] - weights.apply(&x, i));
                }
            },
        );
        self.next = next;
    }
}

// One grid of the multigrid: coefficients of its faces, and lists with a border of cells around.

/// Number of rows of a band, the unit of parallel work.
pub(super) const BAND: usize = 16;

/// A grid of cells. Cell `(i, j)` of its lists has the index `(j + 1) stride + i + 1`. The lists have
/// a border of one cell, with 0 or the values across a periodic side. The face on the left of a cell
/// and that below it have the cell's index.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub columns: usize,
    pub rows: usize,
    pub stride: usize,
    pub periodic: (bool, bool),
    /// Coefficients of the faces on the left.
    pub weight_x: Vec<f32>,
    /// Coefficients of the faces below.
    pub weight_y: Vec<f32>,
    /// One over the sum of a cell's four coefficients; 0 if they are 0.
    pub inverse: Vec<f32>,
    /// Factors of the interpolation from the coarser grid.
    pub share: Vec<f32>,
    /// The right-hand side; in the finest level the residual of the conjugate gradients.
    pub right: Vec<f32>,
    /// The correction, and a buffer for the next one.
    pub correction: Vec<f32>,
    pub next: Vec<f32>,
}

/// Runs a loop over rows with the best instructions of the processor. The closure must be
/// `#[inline(always)]`.
pub(crate) fn with_lanes<R>(work: impl FnOnce() -> R) -> R {
    instructions::run(Loop(work))
}

struct Loop<F>(F);

impl<R, F: FnOnce() -> R> LaneKernel for Loop<F> {
    type Output = R;

    #[inline(always)]
    fn run<S: Instructions>(self, _: S) -> R {
        (self.0)()
    }
}

/// Parts of a list around a row of cells.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub here: &'a [f32],
    pub left: &'a [f32],
    pub right: &'a [f32],
    pub below: &'a [f32],
    pub above: &'a [f32],
}

/// Coefficients of a row of cells.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub left: &'a [f32],
    pub right: &'a [f32],
    pub below: &'a [f32],
    pub above: &'a [f32],
}

impl Weights<'_> {
    /// The operator at a cell of the row. The sums are bit-identical in a mirror.
    #[inline(always)]
    pub(super) fn apply(&self, x: &Around<'_>, i: usize) -> f32 {
        let here = x.here[i];
        let across = self.left[i] * (here - x.left[i]) + self.right[i] * (here - x.right[i]);
        let along = self.below[i] * (here - x.below[i]) + self.above[i] * (here - x.above[i]);
        across + along
    }
}

impl Level {
    pub(super) fn new(columns: usize, rows: usize, periodic: (bool, bool)) -> Self {
        let stride = columns + 2;
        let list = vec![0.0; stride * (rows + 2)];
        Self {
            columns,
            rows,
            stride,
            periodic,
            weight_x: list.clone(),
            weight_y: list.clone(),
            inverse: list.clone(),
            share: list.clone(),
            right: list.clone(),
            correction: list.clone(),
            next: list,
        }
    }

    /// Length of its lists.
    pub(super) fn len(&self) -> usize {
        self.stride * (self.rows + 2)
    }

    /// Length of a list of sums over the columns of every band.
    pub(super) fn partials(&self) -> usize {
        self.rows.div_ceil(BAND) * self.columns
    }

    /// The cells of a row.
    pub(super) fn row(&self, j: usize) -> Range<usize> {
        let first = (j + 1) * self.stride + 1;
        first..first + self.columns
    }

    #[inline(always)]
    pub(super) fn around<'a>(&self, list: &'a [f32], j: usize) -> Around<'a> {
        let (first, n) = ((j + 1) * self.stride + 1, self.columns);
        Around {
            here: &list[first..][..n],
            left: &list[first - 1..][..n],
            right: &list[first + 1..][..n],
            below: &list[first - self.stride..][..n],
            above: &list[first + self.stride..][..n],
        }
    }

    #[inline(always)]
    pub(super) fn weights(&self, j: usize) -> Weights<'_> {
        let (first, n) = ((j + 1) * self.stride + 1, self.columns);
        Weights {
            left: &self.weight_x[first..][..n],
            right: &self.weight_x[first + 1..][..n],
            below: &self.weight_y[first..][..n],
            above: &self.weight_y[first + self.stride..][..n],
        }
    }

    /// Finds the inverse sums of coefficients.
    pub(super) fn invert(&mut self) {
        let mut inverse = std::mem::take(&mut self.inverse);
        for j in 0..self.rows {
            let weights = self.weights(j);
            for (i, into) in inverse[self.row(j)].iter_mut().enumerate() {
                let sum =
                    (weights.left[i] + weights.right[i]) + (weights.below[i] + weights.above[i]);
                *into = if sum > 0.0 { 1.0 / sum } else { 0.0 };
            }
        }
        self.inverse = inverse;
    }

    /// Copies the values across periodic sides to the border.
    pub(super) fn wrap(&self, list: &mut [f32]) {
        let (columns, rows, stride) = (self.columns, self.rows, self.stride);
        if self.periodic.0 {
            for row in list.chunks_exact_mut(stride).skip(1).take(rows) {
                (row[0], row[columns + 1]) = (row[columns], row[1]);
            }
        }
        if self.periodic.1 {
            list.copy_within(rows * stride..(rows + 1) * stride, 0);
            list.copy_within(stride..2 * stride, (rows + 1) * stride);
        }
    }

    /// Sets the border of a list to 0: on the left and the right, and below and above.
    fn clear_border(&self, list: &mut [f32], along_x: bool, along_y: bool) {
        if along_x {
            for row in list.chunks_exact_mut(self.stride) {
                (row[0], row[self.columns + 1]) = (0.0, 0.0);
            }
        }
        if along_y {
            list[..self.stride].fill(0.0);
            let last = list.len() - self.stride;
            list[last..].fill(0.0);
        }
    }

    /// Calls `work` with the number and the cells of every row of a list. It uses the best instructions of the
    /// processor if it is `#[inline(always)]`.
    pub(super) fn for_each_row(
        &self,
        list: &mut [f32],
        executor: &dyn Executor,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        self.for_each_band(list, executor, |first, rows| {
            with_lanes(
                #[inline(always)]
                || {
                    for (j, row) in rows.chunks_exact_mut(self.stride).enumerate() {
                        work(first + j, &mut row[1..=self.columns]);
                    }
                },
            );
        });
    }

    /// Calls `work` with the first row, and the rows with their borders, of every band of a list.
    pub(super) fn for_each_band(
        &self,
        list: &mut [f32],
        executor: &dyn Executor,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let stride = self.stride;
        let cells = &mut list[stride..stride * (self.rows + 1)];
        executor.for_each_chunk(cells, stride * BAND, |band, rows: &mut [f32]| {
            work(band * BAND, rows);
        });
    }

    pub(super) fn scale_right_side(&mut self, factor: f32, executor: &dyn Executor) {
        let mut right = std::mem::take(&mut self.right);
        self.for_each_row(&mut right, executor, |_, row| {
            row.iter_mut().for_each(|value| *value *= factor);
        });
        self.right = right;
    }
}
