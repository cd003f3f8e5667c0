//! Velocities on walls and sides.
//!
//! A face on a side has the side's velocity. A face that a solid closes has a velocity for the
//! interpolation beside it. This is the velocity of the surrounding air without the part towards
//! the wall, so air slips along a slanted wall as along a straight one (Houston, Bond and Wiebe
//! 2003, "A unified approach for modeling complex occlusions in fluid simulations"). If air sticks
//! to solids, it is the wall's own velocity.

use glam::Vec2;

use crate::air::projection::multigrid::with_lanes;
use crate::air::solids::{AirSolids, WallFace};
use crate::air::{Air, AirSide};

impl Air {
    /// Sets the velocities across closed faces and given sides.
    pub(super) fn apply_walls(&mut self) {
        self.close_solid_faces();
        self.apply_sides();
        let walls = std::mem::take(&mut self.solids.walls);
        for wall in &walls {
            let velocity = self.velocity_on_wall(wall);
            let (i, j) = wall.place;
            if wall.upright {
                self.velocity_y[j * self.grid.columns + i] = velocity.y;
            } else {
                self.velocity_x[j * (self.grid.columns + 1) + i] = velocity.x;
            }
        }
        self.solids.walls = walls;
    }

    fn close_solid_faces(&mut self) {
        let AirSolids { open_x, open_y, .. } = &self.solids;
        for (velocities, open) in [(&mut self.velocity_x, open_x), (&mut self.velocity_y, open_y)] {
            with_lanes(
                #[inline(always)]
                || {
                    for (velocity, open) in velocities.iter_mut().zip(open) {
                        *velocity = if *open == 0.0 { 0.0 } else { *velocity };
                    }
                },
            );
        }
    }

    fn apply_sides(&mut self) {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let given = |side: AirSide, across: fn(Vec2) -> f32| match side {
            AirSide::Closed { .. } => Some(0.0),
            AirSide::Inflow { velocity, .. } => Some(across(velocity)),
            AirSide::Open | AirSide::Periodic => None,
        };
        let (left, right) = (given(self.sides.left, |v| v.x), given(self.sides.right, |v| v.x));
        for row in self.velocity_x.chunks_exact_mut(columns + 1) {
            row[0] = left.unwrap_or(row[0]);
            row[columns] = right.unwrap_or(row[columns]);
            if self.sides.periodic_x() {
                let both = 0.5 * (row[0] + row[columns]);
                (row[0], row[columns]) = (both, both);
            }
        }
        let (bottom, top) = (given(self.sides.bottom, |v| v.y), given(self.sides.top, |v| v.y));
        for i in 0..columns {
            let last = rows * columns + i;
            self.velocity_y[i] = bottom.unwrap_or(self.velocity_y[i]);
            self.velocity_y[last] = top.unwrap_or(self.velocity_y[last]);
            if self.sides.periodic_y() {
                let both = 0.5 * (self.velocity_y[i] + self.velocity_y[last]);
                (self.velocity_y[i], self.velocity_y[last]) = (both, both);
            }
        }
    }

    fn velocity_on_wall(&self, wall: &WallFace) -> Vec2 {
        if self.settings.solids_no_slip {
            return wall.velocity;
        }
        let ((i, j), columns, rows) = (wall.place, self.grid.columns, self.grid.rows);
        // Velocity and weight 1 for an open face; otherwise zeros.
        let x = |i: Option<usize>, j: Option<usize>| match (i, j) {
            (Some(i), Some(j)) if i <= columns && j < rows => {
                let face = j * (columns + 1) + i;
                if self.solids.open_x[face] > 0.0 {
                    Vec2::new(self.velocity_x[face], 1.0)
                } else {
                    Vec2::ZERO
                }
            }
            _ => Vec2::ZERO,
        };
        let y = |i: Option<usize>, j: Option<usize>| match (i, j) {
            (Some(i), Some(j)) if i < columns && j <= rows => {
                let face = j * columns + i;
                if self.solids.open_y[face] > 0.0 {
                    Vec2::new(self.velocity_y[face], 1.0)
                } else {
                    Vec2::ZERO
                }
            }
            _ => Vec2::ZERO,
        };
        let mean = |sum: Vec2, other: f32| if sum.y > 0.0 { sum.x / sum.y } else { other };
        let (low_i, low_j) = (i.checked_sub(1), j.checked_sub(1));
        let (i, j, high_i, high_j) = (Some(i), Some(j), Some(i + 1), Some(j + 1));
        let (own_x, own_y) = if wall.upright {
            let around = (y(low_i, j) + y(high_i, j)) + (y(i, low_j) + y(i, high_j));
            let corners = (x(i, low_j) + x(high_i, low_j)) + (x(i, j) + x(high_i, j));
            (mean(corners, wall.velocity.x), mean(around, wall.velocity.y))
        } else {
            let around = (x(low_i, j) + x(high_i, j)) + (x(i, low_j) + x(i, high_j));
            let corners = (y(low_i, j) + y(i, j)) + (y(low_i, high_j) + y(i, high_j));
            (mean(around, wall.velocity.x), mean(corners, wall.velocity.y))
        };
        let air = Vec2::new(own_x, own_y);
        air - wall.normal * (air - wall.velocity).dot(wall.normal)
    }
}
