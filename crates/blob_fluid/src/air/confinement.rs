//! Vorticity confinement (Fedkiw, Stam and Jensen 2001, eq. 9 to 11): a force
//! `strength h (N x vorticity)`, where `N` points to where the vorticity is greater, turns eddies that
//! the grid has damped.

use glam::Vec2;

use crate::air::state::Air;
use crate::parallel::executor::Executor;

impl Air {
    pub(super) fn confine_vorticity<E: Executor>(
        &mut self,
        time_step: f32,
        vorticity: &mut Vec<f32>,
        executor: &E,
    ) {
        let strength = self.settings.vorticity_confinement;
        if strength == 0.0 {
            return;
        }
        self.vorticities(vorticity);
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let vorticity = &*vorticity;
        let clearance = &self.solids.clearance;
        let push = time_step * strength * self.grid.cell;
        // Half of a cell's force for each of its faces along an axis.
        let force = |i: usize, j: usize| {
            let index = j * columns + i;
            if clearance[index] == 0 || self.grid.on_side(i, j) {
                return Vec2::ZERO;
            }
            let size = |index: usize| vorticity[index].abs();
            let across = size(index + 1) - size(index - 1);
            let along = size(index + columns) - size(index - columns);
            let direction = Vec2::new(across, along).try_normalize().unwrap_or(Vec2::ZERO);
            0.5 * push * vorticity[index] * Vec2::new(direction.y, -direction.x)
        };
        executor.for_each_chunk(&mut self.velocity_x[..], columns + 1, |j, row: &mut [f32]| {
            for (before, velocity) in row[1..columns].iter_mut().enumerate() {
                *velocity += force(before, j).x + force(before + 1, j).x;
            }
        });
        executor.for_each_chunk(&mut self.velocity_y[..], columns, |j, row: &mut [f32]| {
            if j > 0 && j < rows {
                for (i, velocity) in row.iter_mut().enumerate() {
                    *velocity += force(i, j - 1).y + force(i, j).y;
                }
            }
        });
    }
}
