//! Vorticity confinement (Fedkiw, Stam and Jensen 2001, eq. 9 to 11): a force
//! `strength h (N x vorticity)`, where `N` points to where the vorticity is greater, turns eddies that
//! the grid has damped.

use glam::Vec2;

use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// Lists of the confinement.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfinementWorkspace {
    vorticity: Vec<f32>,
    /// Half of the change of velocity of every cell: its part for each of its faces along an axis.
    change: Vec<Vec2>,
}

impl Air {
    pub(super) fn confine_vorticity(
        &mut self,
        time_step: f32,
        work: &mut ConfinementWorkspace,
        executor: &dyn Executor,
    ) {
        let strength = self.settings.vorticity_confinement;
        if strength == 0.0 {
            return;
        }
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let ConfinementWorkspace { vorticity, change } = work;
        vorticity.resize(columns * rows, 0.0);
        executor.for_each_chunk(&mut vorticity[..], columns, |j, row: &mut [f32]| {
            self.vorticities_of_row(j, row);
        });
        let vorticity = &*vorticity;
        let clearance = &self.solids.clearance;
        let push = time_step * strength * self.grid.cell;
        change.resize(columns * rows, Vec2::ZERO);
        executor.for_each_chunk(&mut change[..], columns, |j, row: &mut [Vec2]| {
            for (i, into) in row.iter_mut().enumerate() {
                let index = j * columns + i;
                *into = Vec2::ZERO;
                if clearance[index] == 0 || self.grid.on_side(i, j) {
                    continue;
                }
                let size = |index: usize| vorticity[index].abs();
                let across = size(index + 1) - size(index - 1);
                let along = size(index + columns) - size(index - columns);
                let direction = Vec2::new(across, along).try_normalize().unwrap_or(Vec2::ZERO);
                *into = 0.5 * push * vorticity[index] * Vec2::new(direction.y, -direction.x);
            }
        });
        let change = &*change;
        executor.for_each_chunk(&mut self.velocity_x[..], columns + 1, |j, row: &mut [f32]| {
            let change = &change[j * columns..][..columns];
            for (velocity, both) in row[1..columns].iter_mut().zip(change.windows(2)) {
                *velocity += both[0].x + both[1].x;
            }
        });
        executor.for_each_chunk(&mut self.velocity_y[..], columns, |j, row: &mut [f32]| {
            if j > 0 && j < rows {
                let below = &change[(j - 1) * columns..][..columns];
                let above = &change[j * columns..][..columns];
                for (velocity, (below, above)) in row.iter_mut().zip(below.iter().zip(above)) {
                    *velocity += below.y + above.y;
                }
            }
        });
    }
}
