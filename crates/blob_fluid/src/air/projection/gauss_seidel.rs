//! Red-black Gauss-Seidel with over-relaxation.
//!
//! The red cells of a chessboard have black neighbours only, so that the order within a colour does
//! not matter.

use crate::air::projection::level::with_lanes;
use crate::air::projection::{ProjectionWorkspace, Solved};
use crate::parallel::executor::Executor;

impl ProjectionWorkspace {
    /// Sweeps over the finest level. If nothing is gained, the solution is 0.
    pub(super) fn gauss_seidel(
        &mut self,
        sweeps: u32,
        over_relaxation: f32,
        executor: &dyn Executor,
    ) -> Solved {
        self.solution.fill(0.0);
        let before = self.square_of_residual(executor);
        let level = &mut self.multigrid.levels[0];
        let columns = level.columns;
        for colour in (0..2 * sweeps as usize).map(|half| half % 2) {
            let solution = &self.solution;
            level.for_each_band(&mut self.applied, executor, |first, rows| {
                with_lanes(
                    #[inline(always)]
                    || {
                        for (j, row) in rows.chunks_exact_mut(level.stride).enumerate() {
                            let j = first + j;
                            let (x, weights) = (level.around(solution, j), level.weights(j));
                            let cells = level.row(j);
                            let (inverse, right) =
                                (&level.inverse[cells.clone()], &level.right[cells]);
                            let row = &mut row[1..=columns];
                            for i in 0..columns {
                                let change = inverse[i] * (right[i] - weights.apply(&x, i));
                                let now = x.here[i] + over_relaxation * change;
                                row[i] = if (i + j) % 2 == colour { now } else { x.here[i] };
                            }
                        }
                    },
                );
            });
            level.wrap(&mut self.applied);
            std::mem::swap(&mut self.solution, &mut self.applied);
        }
        // The residual takes the place of the right-hand side.
        let solution = &self.solution;
        let mut right = std::mem::take(&mut level.right);
        level.for_each_row(&mut right, executor, |j, row| {
            let (x, weights) = (level.around(solution, j), level.weights(j));
            for (i, right) in row.iter_mut().enumerate() {
                *right -= weights.apply(&x, i);
            }
        });
        level.right = right;
        let squared = self.square_of_residual(executor);
        if squared < before {
            return Solved { iterations: sweeps, squared };
        }
        self.solution.fill(0.0);
        Solved { iterations: sweeps, squared: before }
    }
}
