//! The grids of the multigrid, and the cycle that preconditions the conjugate gradients.
//!
//! A coarse cell covers two by two cells, and the coefficients of its faces are the sums of theirs,
//! halved because the cells are twice as far apart. So walls, pockets and openings are coarsened by
//! themselves. Smoothing is by damped Jacobi steps, and restriction is the transpose of prolongation,
//! so that the cycle is symmetric, as conjugate gradients need it. All formulas have the same bits in
//! a mirror, and the number of columns stays even down to the coarsest grid: where it would become
//! odd, the cells are paired from one cell further out.

use crate::air::projection::level::{BAND, Level, with_lanes};
use crate::air::sides::Side;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

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

/// How a grid follows from the finer one, along both axes.
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
    coarse: usize,
}

impl Axis {
    fn of(cells: usize) -> Self {
        if cells <= 2 {
            return Self { paired: false, shifted: false, coarse: cells };
        }
        let shifted = cells % 4 == 2;
        Self {
            paired: true,
            shifted,
            coarse: if shifted { cells / 2 + 1 } else { cells.div_ceil(2) },
        }
    }

    fn coarse_of(self, fine: usize) -> usize {
        if self.paired { (fine + usize::from(self.shifted)) / 2 } else { fine }
    }

    /// Whether the face before a fine cell is also a face of coarse cells.
    fn is_coarse_face(self, fine: usize, cells: usize) -> bool {
        !self.paired || fine == 0 || fine == cells || (fine + usize::from(self.shifted)) % 2 == 0
    }
}

impl Multigrid {
    /// Makes the grids and their coefficients.
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
    }

    /// One V-cycle: makes the finest correction from the finest right-hand side.
    pub(super) fn cycle<E: Executor>(&mut self, executor: &E) {
        let last = self.levels.len() - 1;
        for index in 0..last {
            let (fine, coarse) = self.levels.split_at_mut(index + 1);
            let fine = &mut fine[index];
            fine.first_smoothing(executor);
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
            self.coarsenings[index].prolong(&coarse[0], fine, executor);
            fine.smooth(executor);
        }
    }
}

/// Sets the coefficients of the faces from openings and liquid.
fn set_finest(level: &mut Level, air: &Air) {
    let (columns, rows) = (air.grid.columns, air.grid.rows);
    let (solids, liquid, sides) = (&air.solids, &air.liquid, &air.sides);
    let given = |side: Side| matches!(side, Side::Inflow { .. } | Side::Closed { .. });
    let share = |list: &[f32], face: usize| {
        let share = list.get(face).copied().unwrap_or(0.0);
        (1.0 - share) + share * liquid.density_ratio
    };
    for j in 0..rows {
        for i in 0..=columns {
            let face = j * (columns + 1) + i;
            let fixed = i == 0 && given(sides.left) || i == columns && given(sides.right);
            let weight = solids.open_x[face] * share(&liquid.share_x, face);
            level.weight_x[(j + 1) * level.stride + 1 + i] = if fixed { 0.0 } else { weight };
        }
    }
    for j in 0..=rows {
        for i in 0..columns {
            let face = j * columns + i;
            let fixed = j == 0 && given(sides.bottom) || j == rows && given(sides.top);
            let weight = solids.open_y[face] * share(&liquid.share_y, face);
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

    /// Adds up the residuals of the cells in each coarse cell.
    fn restrict<E: Executor>(&self, fine: &Level, coarse: &mut Level, executor: &E) {
        let mut right = std::mem::take(&mut coarse.right);
        let (stride, x, y) = (fine.stride, self.x, self.y);
        let residual = &fine.next;
        coarse.for_each_row(&mut right, executor, |j, row| {
            // Numbers beyond the first and the last cell are those of the border, which is 0.
            let first = if y.paired { 2 * j + 1 - usize::from(y.shifted) } else { j + 1 };
            let second = if y.paired { first + 1 } else { 0 };
            let (one, other) = (&residual[first * stride..], &residual[second * stride..]);
            let start = 1 - usize::from(x.shifted);
            with_lanes(
                #[inline(always)]
                || {
                    if x.paired {
                        let pairs =
                            one[start..].chunks_exact(2).zip(other[start..].chunks_exact(2));
                        for (into, (a, b)) in row.iter_mut().zip(pairs) {
                            *into = (a[0] + a[1]) + (b[0] + b[1]);
                        }
                    } else {
                        for (i, into) in row.iter_mut().enumerate() {
                            *into = one[i + 1] + other[i + 1];
                        }
                    }
                },
            );
        });
        coarse.right = right;
    }

    /// Adds the coarse corrections to those of the cells in each coarse cell.
    fn prolong<E: Executor>(&self, coarse: &Level, fine: &mut Level, executor: &E) {
        let mut correction = std::mem::take(&mut fine.correction);
        let (x, y) = (self.x, self.y);
        fine.for_each_row(&mut correction, executor, |j, row| {
            let from = &coarse.correction[coarse.row(y.coarse_of(j))];
            with_lanes(
                #[inline(always)]
                || {
                    if !x.paired {
                        row.iter_mut().zip(from).for_each(|(into, add)| *into += add);
                        return;
                    }
                    let (alone, pairs) = row.split_at_mut(usize::from(x.shifted));
                    alone.iter_mut().for_each(|into| *into += from[0]);
                    let from = &from[usize::from(x.shifted)..];
                    let mut chunks = pairs.chunks_exact_mut(2);
                    let mut index = 0;
                    for pair in chunks.by_ref() {
                        pair[0] += from[index];
                        pair[1] += from[index];
                        index += 1;
                    }
                    chunks.into_remainder().iter_mut().for_each(|into| *into += from[index]);
                },
            );
        });
        fine.wrap(&mut correction);
        fine.correction = correction;
    }
}

impl Level {
    /// The first Jacobi step, from 0.
    fn first_smoothing<E: Executor>(&mut self, executor: &E) {
        let mut correction = std::mem::take(&mut self.correction);
        self.for_each_band(&mut correction, executor, |first, rows| {
            with_lanes(
                #[inline(always)]
                || {
                    for (j, row) in rows.chunks_exact_mut(self.stride).enumerate() {
                        let cells = self.row(first + j);
                        let (inverse, right) = (&self.inverse[cells.clone()], &self.right[cells]);
                        let row = &mut row[1..=self.columns];
                        for i in 0..row.len() {
                            row[i] = DAMPING * inverse[i] * right[i];
                        }
                    }
                },
            );
        });
        self.wrap(&mut correction);
        self.correction = correction;
    }

    /// A Jacobi step.
    fn smooth<E: Executor>(&mut self, executor: &E) {
        let mut next = std::mem::take(&mut self.next);
        self.for_each_band(&mut next, executor, |first, rows| {
            with_lanes(
                #[inline(always)]
                || {
                    for (j, row) in rows.chunks_exact_mut(self.stride).enumerate() {
                        let (x, weights) =
                            (self.around(&self.correction, first + j), self.weights(first + j));
                        let cells = self.row(first + j);
                        let (inverse, right) = (&self.inverse[cells.clone()], &self.right[cells]);
                        let row = &mut row[1..=self.columns];
                        for i in 0..row.len() {
                            let change = inverse[i] * (right[i] - weights.apply(&x, i));
                            row[i] = x.here[i] + DAMPING * change;
                        }
                    }
                },
            );
        });
        self.wrap(&mut next);
        self.next = std::mem::replace(&mut self.correction, next);
    }

    /// Writes what is left of the right-hand side to `next`, whose border is 0.
    fn residual<E: Executor>(&mut self, executor: &E) {
        let mut next = std::mem::take(&mut self.next);
        if self.periodic != (false, false) {
            next.fill(0.0);
        }
        self.for_each_band(&mut next, executor, |first, rows| {
            with_lanes(
                #[inline(always)]
                || {
                    for (j, row) in rows.chunks_exact_mut(self.stride).enumerate() {
                        let (x, weights) =
                            (self.around(&self.correction, first + j), self.weights(first + j));
                        let right = &self.right[self.row(first + j)];
                        let row = &mut row[1..=self.columns];
                        for i in 0..row.len() {
                            row[i] = right[i] - weights.apply(&x, i);
                        }
                    }
                },
            );
        });
        self.next = next;
    }
}

/// Number of bands of a level.
pub(super) fn bands(rows: usize) -> usize {
    rows.div_ceil(BAND)
}
