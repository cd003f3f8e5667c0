//! Closed faces beside air, which have a velocity for the sake of the air beside them.

use crate::air::grid::Grid;
use crate::air::solids::AirSolids;
use crate::air::solids::parts::WallFace;

impl AirSolids {
    pub(super) fn find_wall_faces(&mut self, grid: &Grid) {
        let columns = grid.columns;
        let mut walls = std::mem::take(&mut self.walls);
        walls.clear();
        if !self.obstacles.is_empty() {
            let air = |i: usize, j: usize| self.passages[j * columns + i] != 0;
            let mut add = |upright: bool, i: usize, j: usize| {
                let normal = self.wall_normal(grid, upright, i, j);
                let velocity = self.wall_velocity(grid, upright, i, j);
                walls.push(WallFace { upright, place: (i, j), normal, velocity });
            };
            for j in 0..grid.rows {
                for i in 1..columns {
                    let closed = self.open_x[j * (columns + 1) + i] == 0.0;
                    if closed && (air(i - 1, j) || air(i, j)) {
                        add(false, i, j);
                    }
                }
            }
            for j in 1..grid.rows {
                for i in 0..columns {
                    let closed = self.open_y[j * columns + i] == 0.0;
                    if closed && (air(i, j - 1) || air(i, j)) {
                        add(true, i, j);
                    }
                }
            }
        }
        self.walls = walls;
    }
}
