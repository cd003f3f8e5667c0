//! Preconditioned conjugate gradients (McAdams, Sifakis and Teran 2010, algorithm 3).

use crate::Executor;
use crate::air::grid::LEAST_RATIO;
use crate::air::projection::multigrid::{BAND, Level, with_lanes};
use crate::air::projection::{ProjectionWorkspace, Solved, add_products, mirrored_sum};
use crate::parallel::executor::Slices;

/// Growth of the squared norm of the residual, relative to the smallest, at which the search ends.
/// The norm may grow in a step, by about the ratio of the densities of liquid and air
/// ([`LEAST_RATIO`]). It grows farther only for a system that is not symmetric or has no solution.
const TOO_FAR: f64 = 1.0 / LEAST_RATIO as f64;

impl ProjectionWorkspace {
    /// Solves for the right-hand side of the finest level until the squared norm of the residual is
    /// at most `goal`. The solution is the best that was found, and 0 at worst.
    pub(super) fn conjugate_gradients(
        &mut self,
        goal: f64,
        max_cycles: u32,
        executor: &dyn Executor,
    ) -> Solved {
        self.solution.fill(0.0);
        let mut squared = self.square_of_residual(executor);
        let mut solved = Solved { iterations: 0, squared };
        // Whether the best solution is in `best`, and not in `solution`.
        let mut is_apart = false;
        let mut last = 0.0;
        while solved.iterations < max_cycles && squared > goal {
            self.multigrid.cycle(executor);
            let along = self.product_with_residual(|level| &level.correction, executor);
            // Otherwise pressure cannot reduce the residual further.
            let keep = if solved.iterations == 0 { 0.0 } else { (along / last) as f32 };
            if !(along > 0.0 && keep.is_finite()) {
                break;
            }
            last = along;
            let curvature = self.turn_direction(keep, executor);
            let way = (along / curvature) as f32;
            if !(curvature > 0.0 && way.is_finite()) {
                break;
            }
            squared = self.advance(way, executor);
            solved.iterations += 1;
            if squared < solved.squared {
                solved.squared = squared;
                is_apart = false;
            } else if !is_apart {
                std::mem::swap(&mut self.solution, &mut self.best);
                is_apart = true;
            }
            std::mem::swap(&mut self.solution, &mut self.next);
            if squared.is_nan() || squared >= TOO_FAR * solved.squared {
                break;
            }
        }
        if is_apart {
            std::mem::swap(&mut self.solution, &mut self.best);
        }
        solved
    }

    pub(super) fn square_of_residual(&mut self, executor: &dyn Executor) -> f64 {
        self.product_with_residual(|level| &level.right, executor)
    }

    /// The product of a list of the finest level with the residual.
    fn product_with_residual(
        &mut self,
        list: fn(&Level) -> &[f32],
        executor: &dyn Executor,
    ) -> f64 {
        let level = &self.multigrid.levels[0];
        let (columns, list) = (level.columns, list(level));
        executor.for_each_chunk(&mut self.partial[..], columns, |band, sums: &mut [f32]| {
            sums.fill(0.0);
            for j in band * BAND..((band + 1) * BAND).min(level.rows) {
                add_products(sums, &level.right[level.row(j)], &list[level.row(j)]);
            }
        });
        mirrored_sum(&self.partial, columns)
    }

    /// The next direction: the correction plus `keep` times the last one. Returns its product with
    /// the operator applied to it.
    fn turn_direction(&mut self, keep: f32, executor: &dyn Executor) -> f64 {
        let level = &self.multigrid.levels[0];
        let columns = level.columns;
        level.for_each_row(
            &mut self.direction,
            executor,
            #[inline(always)]
            |j, row| {
                let correction = &level.correction[level.row(j)];
                for i in 0..row.len() {
                    row[i] = correction[i] + keep * row[i];
                }
            },
        );
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

    /// Writes the solution plus `way` times the direction to `next`. Returns the squared norm of the
    /// residual.
    fn advance(&mut self, way: f32, executor: &dyn Executor) -> f64 {
        let level = &mut self.multigrid.levels[0];
        let mut residual = std::mem::take(&mut level.right);
        let (columns, stride) = (level.columns, level.stride);
        let cells = stride..stride * (level.rows + 1);
        let (solution, direction, applied) = (&self.solution, &self.direction, &self.applied);
        let data = (
            ByRow { list: &mut self.next[cells.clone()], stride },
            ByRow { list: &mut residual[cells], stride },
            Bands { items: &mut self.partial, columns, rows: level.rows },
        );
        let level = &*level;
        executor.for_each_chunk(data, BAND, |band, (next, residual, sums)| {
            let sums = sums.items;
            sums.fill(0.0);
            let both =
                next.list.chunks_exact_mut(stride).zip(residual.list.chunks_exact_mut(stride));
            with_lanes(
                #[inline(always)]
                || {
                    for (j, (next, residual)) in both.enumerate() {
                        let cells = level.row(band * BAND + j);
                        let (direction, applied) =
                            (&direction[cells.clone()], &applied[cells.clone()]);
                        let solution = &solution[cells];
                        let next = &mut next[1..=columns];
                        let residual = &mut residual[1..=columns];
                        let sums = &mut sums[..columns];
                        for i in 0..columns {
                            next[i] = solution[i] + way * direction[i];
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

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use crate::air::projection::{ProjectionWorkspace, Solved};
    use crate::air::{Air, AirSettings, AirSides};
    use crate::shape::scatter;
    use crate::{FluidBounds, SerialExecutor};

    fn closed_box() -> (ProjectionWorkspace, f64) {
        let bounds = FluidBounds { low: Vec2::ZERO, high: Vec2::new(24.0, 18.0) };
        let air =
            Air::new(bounds, 1.0, AirSettings::default(), AirSides::default()).expect("valid");
        let mut work = ProjectionWorkspace::default();
        work.prepare(&air);
        let level = &mut work.multigrid.levels[0];
        for j in 0..level.rows {
            for (i, right) in (0..).zip(level.row(j)) {
                level.right[right] = scatter(i + 100 * j as u32).x + 0.3;
            }
        }
        let before = work.square_of_residual(&SerialExecutor);
        (work, before)
    }

    /// Squared norm of the residual of a solution, computed from scratch.
    fn left(work: &ProjectionWorkspace, right: &[f32]) -> f64 {
        let level = &work.multigrid.levels[0];
        let mut squared = 0.0;
        for j in 0..level.rows {
            let (x, weights) = (level.around(&work.solution, j), level.weights(j));
            for (i, cell) in level.row(j).enumerate() {
                squared += f64::from(right[cell] - weights.apply(&x, i)).powi(2);
            }
        }
        squared
    }

    #[track_caller]
    fn assert_no_worse(work: &ProjectionWorkspace, right: &[f32], before: f64, solved: Solved) {
        assert!(solved.squared <= before, "{} > {before}", solved.squared);
        let left = left(work, right);
        assert!(left <= before * (1.0 + 1e-5), "{left} > {before}");
    }

    #[test]
    fn a_system_without_a_solution_becomes_no_worse() {
        // More flows in than out of a closed box.
        let (mut work, before) = closed_box();
        let right = work.multigrid.levels[0].right.clone();
        let solved = work.conjugate_gradients(0.0, 100, &SerialExecutor);
        assert_no_worse(&work, &right, before, solved);
    }

    #[test]
    fn an_operator_that_is_not_symmetric_or_positive_makes_nothing_worse() {
        for round in 0..40 {
            let (mut work, before) = closed_box();
            // Factors that fit none of the operators, from -0.5 to 1.5 or beyond.
            let strength = 0.5 + 0.1 * round as f32;
            for (index, level) in (0..).zip(&mut work.multigrid.levels) {
                for (cell, weight) in (0..).zip(&mut level.weight_x) {
                    *weight *= 0.5 + strength * scatter(cell + 7000 * index + 99 * round).x;
                }
                for (cell, inverse) in (0..).zip(&mut level.inverse) {
                    *inverse *= 1.0 + strength * scatter(cell + 31 * round).y;
                }
            }
            let right = work.multigrid.levels[0].right.clone();
            let solved = work.conjugate_gradients(0.0, 100, &SerialExecutor);
            assert_no_worse(&work, &right, before, solved);
        }
    }

    #[test]
    fn relaxation_of_an_operator_that_is_not_positive_makes_nothing_worse() {
        let (mut work, before) = closed_box();
        for inverse in &mut work.multigrid.levels[0].inverse {
            *inverse *= 4.0;
        }
        let right = work.multigrid.levels[0].right.clone();
        let solved = work.gauss_seidel(50, 1.9, &SerialExecutor);
        assert_no_worse(&work, &right, before, solved);
    }
}
