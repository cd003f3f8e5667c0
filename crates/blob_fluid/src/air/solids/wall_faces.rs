//! Closed faces beside air, which have a velocity for the sake of the air beside them.

use crate::air::grid::Grid;
use crate::air::solids::AirSolids;
use crate::air::solids::parts::{Rect, WallFace};

impl AirSolids {
    /// Finds the closed faces in a block of cells anew.
    pub(super) fn find_wall_faces(&mut self, grid: &Grid, rect: &Rect) {
        let columns = grid.columns;
        let mut walls = std::mem::take(&mut self.walls);
        walls.retain(|wall| !rect.contains(wall.place));
        if !self.obstacles.is_empty() {
            let air = |i: usize, j: usize| self.passages[j * columns + i] != 0;
            let mut add = |upright: bool, i: usize, j: usize| {
                let normal = self.wall_normal(grid, upright, i, j);
                let velocity = self.wall_velocity(grid, upright, i, j);
                walls.push(WallFace { upright, place: (i, j), normal, velocity });
            };
            for j in rect.rows.clone() {
                for i in rect.columns.clone() {
                    let cell = j * columns + i;
                    if i > 0 && self.open_x[cell + j] == 0.0 && (air(i - 1, j) || air(i, j)) {
                        add(false, i, j);
                    }
                    if j > 0 && self.open_y[cell] == 0.0 && (air(i, j - 1) || air(i, j)) {
                        add(true, i, j);
                    }
                }
            }
        }
        self.walls = walls;
    }
}
