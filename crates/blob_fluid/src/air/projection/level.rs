//! One grid of the multigrid: coefficients of its faces, and lists with a border of cells around.

use std::ops::Range;

use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};

/// Rows of a band, the unit of parallel work.
pub(super) const BAND: usize = 16;

/// A grid of cells. Cell `(i, j)` of its lists has the index `(j + 1) stride + i + 1`; around them is
/// a border of one cell, which is 0, or what lies across a periodic side. The face on the left of a
/// cell and that below it have the cell's index.
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
    /// The correction, and room for the next one.
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
    /// The operator at a cell of the row. The sums have the same bits in a mirror.
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

    /// Copies what lies across periodic sides to the border.
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

    /// Calls `work` with the number and the cells of every row of a list.
    pub(super) fn for_each_row(
        &self,
        list: &mut [f32],
        executor: &dyn Executor,
        work: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let (stride, columns) = (self.stride, self.columns);
        let cells = &mut list[stride..stride * (self.rows + 1)];
        executor.for_each_chunk(cells, stride * BAND, |band, rows: &mut [f32]| {
            for (j, row) in rows.chunks_exact_mut(stride).enumerate() {
                work(band * BAND + j, &mut row[1..=columns]);
            }
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
