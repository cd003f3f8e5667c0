//! Parts of the air without an opening: what flows in must flow out, and pressure has no fixed 0.

use glam::Vec2;

use crate::air::projection::ProjectionWorkspace;
use crate::air::projection::sums::{ExactSum, add_products, largest, mirrored_sum};
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// The part without an opening into which most flows per cell, or out of which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocked {
    pocket: u32,
    /// Size of the mean of the right-hand side.
    pub mean: f32,
}

impl Air {
    /// The middle of the first cell of a part without an opening.
    pub(super) fn place_of(&self, blocked: Blocked) -> Option<Vec2> {
        let cell = self.solids.pocket_of.iter().position(|pocket| *pocket == blocked.pocket)?;
        Some(self.cell_centre(cell))
    }

    /// Removes the mean of the right-hand side in every part without an opening. Returns the largest
    /// mean, if any is not 0, and the square of the norm of what is left.
    pub(super) fn balance_pockets(
        &self,
        work: &mut ProjectionWorkspace,
        executor: &dyn Executor,
    ) -> (Option<Blocked>, f64) {
        let level = &mut work.multigrid.levels[0];
        let mut right = std::mem::take(&mut level.right);
        let means = self.means(|j| &right[level.row(j)]);
        let mut blocked = None;
        if let Some(means) = means {
            let sizes = means.iter().map(|mean| mean.abs()).enumerate();
            let most = sizes.filter(|(_, mean)| *mean > 0.0).max_by(|a, b| a.1.total_cmp(&b.1));
            blocked = most.map(|(pocket, mean)| Blocked { pocket: pocket as u32, mean });
            let columns = self.grid.columns;
            level.for_each_row(&mut right, executor, |j, row| {
                let pockets = &self.solids.pocket_of[j * columns..][..columns];
                for (value, pocket) in row.iter_mut().zip(pockets) {
                    // Cells without air have no pocket.
                    *value -= means.get(*pocket as usize).copied().unwrap_or(0.0);
                }
            });
        }
        let columns = level.columns;
        let partial = work.partial.chunks_mut(columns);
        for (band, sums) in partial.enumerate() {
            sums.fill(0.0);
            let first = band * super::level::BAND;
            for j in first..(first + super::level::BAND).min(level.rows) {
                let row = &right[level.row(j)];
                add_products(sums, row, row);
            }
        }
        level.right = right;
        (blocked, mirrored_sum(&work.partial, columns))
    }

    /// Subtracts the mean pressure of every part without an opening.
    pub(super) fn centre_pressures(&mut self) {
        let columns = self.grid.columns;
        let means = self.means(|j| &self.pressure[j * columns..][..columns]);
        if let Some(means) = means {
            for (pressure, pocket) in self.pressure.iter_mut().zip(&self.solids.pocket_of) {
                *pressure -= means.get(*pocket as usize).copied().unwrap_or(0.0);
            }
        }
    }

    /// The mean of rows of cells in every part without an opening, and 0 for the other parts; `None`
    /// if every part has an opening.
    fn means<'a>(&self, row: impl Fn(usize) -> &'a [f32]) -> Option<Vec<f32>> {
        let pockets = &self.solids.pockets;
        if pockets.iter().all(|pocket| pocket.open) {
            return None;
        }
        let rows = || (0..self.grid.rows).map(&row);
        let scale = ExactSum::scale(rows().map(largest).fold(0.0, f32::max));
        let mut sums = vec![ExactSum::default(); pockets.len()];
        for (row, numbers) in rows().zip(self.solids.pocket_of.chunks_exact(self.grid.columns)) {
            for (value, pocket) in row.iter().zip(numbers) {
                if let Some(sum) = sums.get_mut(*pocket as usize) {
                    sum.add(*value, scale);
                }
            }
        }
        let mean = |(sum, pocket): (&ExactSum, &crate::air::solids::Pocket)| {
            let mean = (sum.value(scale) / f64::from(pocket.cells)) as f32;
            if pocket.open { 0.0 } else { mean }
        };
        Some(sums.iter().zip(pockets).map(mean).collect())
    }
}
