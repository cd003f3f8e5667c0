//! Preconditioned conjugate gradients (McAdams, Sifakis and Teran 2010, algorithm 3).

use crate::air::projection::level::{BAND, with_lanes};
use crate::air::projection::sums::mirrored_sum;
use crate::air::projection::{ProjectionWorkspace, Solved};
use crate::parallel::executor::{Executor, Slices};

impl ProjectionWorkspace {
    /// Solves for the right-hand side of the finest level until the square of the norm of what is
    /// left of it is at most `goal`.
    pub(super) fn conjugate_gradients<E: Executor>(
        &mut self,
        goal: f64,
        max_cycles: u32,
        executor: &E,
    ) -> Solved {
        self.solution.fill(0.0);
        let mut squared = self.square_of_residual(executor);
        let mut last = 0.0;
        for iterations in 0..max_cycles {
            if squared <= goal {
                return Solved { iterations, squared };
            }
            self.multigrid.cycle(executor);
            let along = self.correction_dot_residual(executor);
            if along <= 0.0 {
                // Nothing that pressure can change is left.
                return Solved { iterations, squared };
            }
            let keep = if iterations == 0 { 0.0 } else { (along / last) as f32 };
            last = along;
            let curvature = self.turn_direction(keep, executor);
            if curvature <= 0.0 {
                return Solved { iterations, squared };
            }
            squared = self.advance((along / curvature) as f32, executor);
        }
        Solved { iterations: max_cycles, squared }
    }

    pub(super) fn square_of_residual<E: Executor>(&mut self, executor: &E) -> f64 {
        let level = &self.multigrid.levels[0];
        let columns = level.columns;
        executor.for_each_chunk(&mut self.partial[..], columns, |band, sums: &mut [f32]| {
            sums.fill(0.0);
            for j in band * BAND..((band + 1) * BAND).min(level.rows) {
                add_products(sums, &level.right[level.row(j)], &level.right[level.row(j)]);
            }
        });
        mirrored_sum(&self.partial, columns)
    }

    fn correction_dot_residual<E: Executor>(&mut self, executor: &E) -> f64 {
        let level = &self.multigrid.levels[0];
        let columns = level.columns;
        executor.for_each_chunk(&mut self.partial[..], columns, |band, sums: &mut [f32]| {
            sums.fill(0.0);
            for j in band * BAND..((band + 1) * BAND).min(level.rows) {
                add_products(sums, &level.right[level.row(j)], &level.correction[level.row(j)]);
            }
        });
        mirrored_sum(&self.partial, columns)
    }

    /// The next direction: the correction plus `keep` times the last one. Returns its product with
    /// the operator applied to it.
    fn turn_direction<E: Executor>(&mut self, keep: f32, executor: &E) -> f64 {
        let level = &self.multigrid.levels[0];
        let columns = level.columns;
        level.for_each_band(&mut self.direction, executor, |first, rows| {
            with_lanes(
                #[inline(always)]
                || {
                    for (j, row) in rows.chunks_exact_mut(level.stride).enumerate() {
                        let correction = &level.correction[level.row(first + j)];
                        let row = &mut row[1..=columns];
                        for i in 0..row.len() {
                            row[i] = correction[i] + keep * row[i];
                        }
                    }
                },
            );
        });
        level.wrap(&mut self.direction);
        let direction = &self.direction;
        let cells = &mut self.applied[level.stride..level.stride * (level.rows + 1)];
        let sums = Bands { items: &mut self.partial, columns, rows: level.rows };
        let data = (ByRow { list: cells, stride: level.stride }, sums);
        executor.for_each_chunk(data, BAND, |band, (rows, sums)| {
            let sums = sums.items;
            sums.fill(0.0);
            with_lanes(
                #[inline(always)]
                || {
                    for (j, row) in rows.list.chunks_exact_mut(level.stride).enumerate() {
                        let j = band * BAND + j;
                        let (x, weights) = (level.around(direction, j), level.weights(j));
                        let row = &mut row[1..=columns];
                        let sums = &mut sums[..columns];
                        for i in 0..columns {
                            let applied = weights.apply(&x, i);
                            row[i] = applied;
                            sums[i] += applied * x.here[i];
                        }
                    }
                },
            );
        });
        mirrored_sum(&self.partial, columns)
    }

    /// Goes along the direction. Returns the square of the norm of the residual.
    fn advance<E: Executor>(&mut self, way: f32, executor: &E) -> f64 {
        let level = &mut self.multigrid.levels[0];
        let mut residual = std::mem::take(&mut level.right);
        let (columns, stride) = (level.columns, level.stride);
        let cells = stride..stride * (level.rows + 1);
        let (direction, applied) = (&self.direction, &self.applied);
        let data = (
            ByRow { list: &mut self.solution[cells.clone()], stride },
            ByRow { list: &mut residual[cells], stride },
            Bands { items: &mut self.partial, columns, rows: level.rows },
        );
        let level = &*level;
        executor.for_each_chunk(data, BAND, |band, (solution, residual, sums)| {
            let sums = sums.items;
            sums.fill(0.0);
            let both =
                solution.list.chunks_exact_mut(stride).zip(residual.list.chunks_exact_mut(stride));
            with_lanes(
                #[inline(always)]
                || {
                    for (j, (solution, residual)) in both.enumerate() {
                        let cells = level.row(band * BAND + j);
                        let (direction, applied) = (&direction[cells.clone()], &applied[cells]);
                        let solution = &mut solution[1..=columns];
                        let residual = &mut residual[1..=columns];
                        let sums = &mut sums[..columns];
                        for i in 0..columns {
                            solution[i] += way * direction[i];
                            let left = residual[i] - way * applied[i];
                            residual[i] = left;
                            sums[i] += left * left;
                        }
                    }
                },
            );
        });
        self.multigrid.levels[0].right = residual;
        mirrored_sum(&self.partial, columns)
    }
}

#[inline(always)]
fn add_products(sums: &mut [f32], a: &[f32], b: &[f32]) {
    with_lanes(
        #[inline(always)]
        || {
            for i in 0..sums.len() {
                sums[i] += a[i] * b[i];
            }
        },
    );
}

/// Rows of a list, as elements.
struct ByRow<'a> {
    list: &'a mut [f32],
    stride: usize,
}

impl Slices for ByRow<'_> {
    fn len(&self) -> usize {
        self.list.len() / self.stride
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let stride = self.stride;
        let (low, high) = self.list.split_at_mut(index * stride);
        (Self { list: low, stride }, Self { list: high, stride })
    }
}

/// Sums over the columns of each band of rows, with rows as elements.
struct Bands<'a> {
    items: &'a mut [f32],
    columns: usize,
    rows: usize,
}

impl Slices for Bands<'_> {
    fn len(&self) -> usize {
        self.rows
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let columns = self.columns;
        let (low, high) = self.items.split_at_mut(index.div_ceil(BAND) * columns);
        let part = |items, rows| Self { items, columns, rows };
        (part(low, index), part(high, self.rows - index))
    }
}
