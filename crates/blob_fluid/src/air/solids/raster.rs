//! Open shares of faces and shares of air of cells, from the solids' distances at the nodes.
//!
//! A face is open where the distance, interpolated between its two nodes, is positive (Batty,
//! Bertails and Bridson 2007, "A fast variational framework for accurate solid-fluid coupling",
//! section 5). Walls thinner than a cell fall between the nodes. They close a face as a whole if
//! they separate the centres of its two cells. Then every path through open faces stays on one
//! side.

use std::ops::Range;

use glam::Vec2;

use crate::air::grid::Grid;
use crate::air::solids::{AirSolids, Crossing, Pocket, Pockets, Rect, passage};
use crate::air::{AirSide, AirSides};

/// Open shares below this, and closed shares below this, are set to 0, because they would only slow
/// the pressure solver down.
const SLIVER: f32 = 0.01;

/// Distance, in cells, within which a node counts as inside: rounding must not open a face that
/// lies on a wall.
const TOUCH: f32 = 1e-3;

impl AirSolids {
    /// Finds distances, shares and walls in a block of cells.
    pub(super) fn rasterise(&mut self, grid: &Grid, rect: Rect) {
        self.measure_nodes(grid, &rect);
        self.open_faces(grid, &rect);
        self.crossings.retain(|crossing| !rect.contains(crossing.cell));
        self.find_crossings(grid, &rect);
        self.move_faces(grid, &rect);
    }

    fn measure_nodes(&mut self, grid: &Grid, rect: &Rect) {
        let width = grid.columns + 1;
        let far = 4.0 * grid.cell;
        for j in rect.rows.start..=rect.rows.end {
            let row = j * width + rect.columns.start..=j * width + rect.columns.end;
            self.distance[row.clone()].fill(far);
            self.nearest[row].fill(u32::MAX);
        }
        let node = |i: usize, j: usize| grid.low + Vec2::new(i as f32, j as f32) * grid.cell;
        let containers = self.obstacles.iter().filter(|one| one.is_container()).count();
        for (index, obstacle) in self.obstacles.iter().enumerate().skip(containers.max(1) - 1) {
            let around = Rect::around(grid, obstacle.touched());
            if around.is_empty() {
                continue;
            }
            // The nodes at the edges of both blocks belong to both.
            let part = rect.intersection(&around);
            for j in part.rows.start..=part.rows.end {
                for i in part.columns.start..=part.columns.end {
                    let point = node(i, j);
                    let (distance, index) = if index < containers {
                        // Air is inside of any container.
                        let inside =
                            self.obstacles[..containers].iter().map(|one| one.distance(point));
                        let deepest =
                            inside.enumerate().fold((f32::MIN, 0), |best, (index, depth)| {
                                if depth > best.0 { (depth, index) } else { best }
                            });
                        (deepest.0, deepest.1)
                    } else {
                        (obstacle.distance(point), index)
                    };
                    let place = j * width + i;
                    if distance < self.distance[place] {
                        self.distance[place] = distance;
                        self.nearest[place] = index as u32;
                    }
                }
            }
        }
    }

    fn open_faces(&mut self, grid: &Grid, rect: &Rect) {
        let width = grid.columns + 1;
        let touch = TOUCH * grid.cell;
        let open = |a: f32, b: f32| open_share(a - touch, b - touch);
        for j in rect.rows.clone() {
            for i in rect.columns.start..=rect.columns.end {
                let node = j * width + i;
                self.open_x[node] = open(self.distance[node], self.distance[node + width]);
            }
        }
        for j in rect.rows.start..=rect.rows.end {
            for i in rect.columns.clone() {
                let node = j * width + i;
                let share = open(self.distance[node], self.distance[node + 1]);
                self.open_y[j * grid.columns + i] = share;
            }
        }
        for j in rect.rows.clone() {
            for i in rect.columns.clone() {
                let node = j * width + i;
                let row = |node: usize| self.distance[node] + self.distance[node + 1];
                let middle = 0.25 * (row(node) + row(node + width));
                self.share[j * grid.columns + i] = (0.5 + middle / grid.cell).clamp(0.0, 1.0);
            }
        }
    }

    fn find_crossings(&mut self, grid: &Grid, rect: &Rect) {
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            if obstacle.is_inside_out() {
                continue;
            }
            let part = rect.intersection(&Rect::around(grid, obstacle.touched()));
            let near = |i: usize, j: usize| {
                let node = j * (grid.columns + 1) + i;
                self.distance[node].abs() < 2.0 * grid.cell
            };
            let side = |i: usize, j: usize| {
                let centre = grid.centre(i, j);
                obstacle.pushed_out(centre).unwrap_or(centre)
            };
            for j in part.rows.clone() {
                for i in part.columns.clone() {
                    if !near(i, j) {
                        continue;
                    }
                    let here = side(i, j);
                    let mut visit = |other: Vec2, upright: bool| {
                        if let Some(wall) = obstacle.separates(other, here) {
                            let (cell, obstacle) = ((i, j), index as u32);
                            self.crossings.push(Crossing { upright, cell, wall, obstacle });
                        }
                    };
                    if i > 0 {
                        visit(side(i - 1, j), false);
                    }
                    if j > 0 {
                        visit(side(i, j - 1), true);
                    }
                }
            }
        }
        for crossing in &self.crossings {
            let (i, j) = crossing.cell;
            if crossing.upright {
                self.open_y[j * grid.columns + i] = 0.0;
            } else {
                self.open_x[j * (grid.columns + 1) + i] = 0.0;
            }
        }
    }

    /// Finds the solids that close the faces, and their velocities across them.
    fn move_faces(&mut self, grid: &Grid, rect: &Rect) {
        if !self.has_velocities() {
            return;
        }
        // Faces beside the block have nodes at its edge.
        let beside = |range: &Range<usize>, count: usize| {
            range.start.saturating_sub(1)..(range.end + 1).min(count)
        };
        let rect = Rect {
            columns: beside(&rect.columns, grid.columns),
            rows: beside(&rect.rows, grid.rows),
        };
        let (columns, width) = (grid.columns, grid.columns + 1);
        let nearer = |solids: &Self, a: usize, b: usize| {
            if solids.distance[a] < solids.distance[b] {
                solids.nearest[a]
            } else {
                solids.nearest[b]
            }
        };
        for j in rect.rows.clone() {
            for i in rect.columns.start..=rect.columns.end {
                let face = j * width + i;
                let point = grid.low + Vec2::new(i as f32, j as f32 + 0.5) * grid.cell;
                let owner = nearer(self, face, face + width);
                (self.owner_x[face], self.solid_x[face]) =
                    (owner, self.velocity_of(owner, point).x);
            }
        }
        for j in rect.rows.start..=rect.rows.end {
            for i in rect.columns.clone() {
                let point = grid.low + Vec2::new(i as f32 + 0.5, j as f32) * grid.cell;
                let node = j * width + i;
                let (face, owner) = (j * columns + i, nearer(self, node, node + 1));
                (self.owner_y[face], self.solid_y[face]) =
                    (owner, self.velocity_of(owner, point).y);
            }
        }
        for index in 0..self.crossings.len() {
            let Crossing { upright, cell: (i, j), obstacle, .. } = self.crossings[index];
            let velocity = self.velocity_of(obstacle, grid.centre(i, j));
            if upright {
                let face = j * columns + i;
                (self.owner_y[face], self.solid_y[face]) = (obstacle, velocity.y);
            } else {
                let face = j * width + i;
                (self.owner_x[face], self.solid_x[face]) = (obstacle, velocity.x);
            }
        }
    }

    /// Gradient of the distance to the solids at a node. It is not normalised.
    fn slope(&self, grid: &Grid, i: usize, j: usize) -> Vec2 {
        let width = grid.columns + 1;
        let at = |i: usize, j: usize| self.distance[j * width + i];
        let (right, up) = ((i + 1).min(grid.columns), (j + 1).min(grid.rows));
        let across = at(right, j) - at(i.saturating_sub(1), j);
        Vec2::new(across, at(i, up) - at(i, j.saturating_sub(1)))
    }

    /// The unit normal of the wall that closes a face.
    pub(super) fn wall_normal(&self, grid: &Grid, upright: bool, i: usize, j: usize) -> Vec2 {
        let across = if upright { Vec2::Y } else { Vec2::X };
        let crossed = |crossing: &&Crossing| crossing.upright == upright && crossing.cell == (i, j);
        if let Some(crossing) = self.crossings.iter().find(crossed) {
            return crossing.wall.normal;
        }
        let other = if upright { self.slope(grid, i + 1, j) } else { self.slope(grid, i, j + 1) };
        (self.slope(grid, i, j) + other).normalize_or(across)
    }

    /// The velocity of the solid that closes a face; 0 if no solid moves.
    pub(super) fn wall_velocity(&self, grid: &Grid, upright: bool, i: usize, j: usize) -> Vec2 {
        if !self.has_velocities() {
            return Vec2::ZERO;
        }
        let crossed = |crossing: &&Crossing| crossing.upright == upright && crossing.cell == (i, j);
        let node = j * (grid.columns + 1) + i;
        let nearest = self.nearest[node];
        let crossing = self.crossings.iter().find(crossed);
        let obstacle = crossing.map_or(nearest, |crossing| crossing.obstacle);
        let offset = if upright { Vec2::new(0.5, 0.0) } else { Vec2::new(0.0, 0.5) };
        self.velocity_of(obstacle, grid.low + (Vec2::new(i as f32, j as f32) + offset) * grid.cell)
    }
}

/// The share of a face that is outside of solids, from the distances of its ends.
fn open_share(a: f32, b: f32) -> f32 {
    let (inside, outside) = if a < b { (a, b) } else { (b, a) };
    let share = if inside > 0.0 {
        1.0
    } else if outside <= 0.0 {
        0.0
    } else {
        outside / (outside - inside)
    };
    if share < SLIVER {
        0.0
    } else if share > 1.0 - SLIVER {
        1.0
    } else {
        share
    }
}

// Where air can go: passages between cells, clearance around them, and connected parts.

impl AirSolids {
    /// Closes the faces on closed sides, and gives opposite faces of periodic sides the same share.
    pub(super) fn close_sides(&mut self, grid: &Grid, sides: &AirSides) {
        let (columns, rows) = (grid.columns, grid.rows);
        let closed = |side: AirSide| matches!(side, AirSide::Closed { .. });
        for j in 0..rows {
            let (left, right) = (j * (columns + 1), j * (columns + 1) + columns);
            if closed(sides.left) {
                self.open_x[left] = 0.0;
            }
            if closed(sides.right) {
                self.open_x[right] = 0.0;
            }
            if sides.periodic_x() {
                let both = self.open_x[left].min(self.open_x[right]);
                (self.open_x[left], self.open_x[right]) = (both, both);
            }
        }
        for i in 0..columns {
            let (bottom, top) = (i, rows * columns + i);
            if closed(sides.bottom) {
                self.open_y[bottom] = 0.0;
            }
            if closed(sides.top) {
                self.open_y[top] = 0.0;
            }
            if sides.periodic_y() {
                let both = self.open_y[bottom].min(self.open_y[top]);
                (self.open_y[bottom], self.open_y[top]) = (both, both);
            }
        }
    }

    /// Finds the passages of the cells of a block, and returns whether any changed.
    pub(super) fn find_passages(&mut self, grid: &Grid, rect: &Rect) -> bool {
        let columns = grid.columns;
        let mut changed = false;
        for j in rect.rows.clone() {
            for i in rect.columns.clone() {
                let (left, bottom) = (j * (columns + 1) + i, j * columns + i);
                let bit = |open: f32, bit: u8| if open > 0.0 { bit } else { 0 };
                let now = bit(self.open_x[left], passage::LEFT)
                    | bit(self.open_x[left + 1], passage::RIGHT)
                    | bit(self.open_y[bottom], passage::BOTTOM)
                    | bit(self.open_y[bottom + columns], passage::TOP);
                changed |= now != self.passages[bottom];
                self.passages[bottom] = now;
                // A cell with solid corners may still have a slit of air.
                let share = &mut self.share[bottom];
                *share = if now == 0 { 0.0 } else { share.max(0.05) };
            }
        }
        changed
    }

    /// Whether a wall cuts a face of a cell. The faces on the sides themselves are beyond the cells.
    fn is_at_wall(&self, grid: &Grid, i: usize, j: usize) -> bool {
        let columns = grid.columns;
        let (left, bottom) = (j * (columns + 1) + i, j * columns + i);
        (i > 0 && self.open_x[left] < 1.0)
            || (i + 1 < columns && self.open_x[left + 1] < 1.0)
            || (j > 0 && self.open_y[bottom] < 1.0)
            || (j + 1 < grid.rows && self.open_y[bottom + columns] < 1.0)
    }

    /// Whether the cells at walls in a block differ from those in the stored clearance.
    pub(super) fn cells_at_walls_changed(&self, grid: &Grid, rect: &Rect) -> bool {
        rect.rows.clone().any(|j| {
            rect.columns
                .clone()
                .any(|i| (self.clearance[j * grid.columns + i] == 0) != self.is_at_wall(grid, i, j))
        })
    }

    /// Finds the distance to the nearest cell at a wall, or to beyond the sides. It sweeps from the
    /// lower left and then from the upper right.
    pub(super) fn find_clearance(&mut self, grid: &Grid) {
        let (columns, rows) = (grid.columns, grid.rows);
        let mut clearance = std::mem::take(&mut self.clearance);
        clearance.clear();
        clearance.resize(grid.cells(), u8::MAX);
        for j in 0..rows {
            for i in 0..columns {
                let index = j * columns + i;
                clearance[index] = if self.is_at_wall(grid, i, j) {
                    0
                } else if grid.on_side(i, j) {
                    1
                } else {
                    // Cells inside have neighbours on all sides.
                    let below = &clearance[index - columns - 1..][..3];
                    let near = below[0].min(below[1]).min(below[2]).min(clearance[index - 1]);
                    near.saturating_add(1)
                };
            }
        }
        for j in (0..rows.saturating_sub(1)).rev() {
            for i in (0..columns.saturating_sub(1)).rev() {
                let index = j * columns + i;
                if clearance[index] > 1 {
                    let above = &clearance[index + columns - 1..][..3];
                    let near = above[0].min(above[1]).min(above[2]).min(clearance[index + 1]);
                    clearance[index] = clearance[index].min(near.saturating_add(1));
                }
            }
        }
        self.clearance = clearance;
    }
}

impl Pockets {
    /// Finds the connected parts, numbered by their first cells, from the [passages](passage) of the cells.
    pub(crate) fn find(&mut self, grid: &Grid, sides: &AirSides, passages: &[u8]) {
        let (columns, rows) = (grid.columns, grid.rows);
        let mut label_of = std::mem::take(&mut self.pocket_of);
        label_of.clear();
        label_of.resize(grid.cells(), u32::MAX);
        let mut labels = Labels::default();
        for (index, passages) in passages.iter().enumerate() {
            if *passages == 0 {
                continue;
            }
            let (i, j) = (index % columns, index / columns);
            let left = (i > 0 && passages & passage::LEFT != 0).then(|| label_of[index - 1]);
            let below =
                (j > 0 && passages & passage::BOTTOM != 0).then(|| label_of[index - columns]);
            label_of[index] = match (left, below) {
                (Some(left), Some(below)) => labels.join(left, below),
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => labels.add(),
            };
            if grid.on_side(i, j) {
                let label = label_of[index];
                let (last_column, last_row) = (i + 1 == columns, j + 1 == rows);
                let at = |on_side: bool, bit: u8| on_side && passages & bit != 0;
                if at(last_column && sides.periodic_x(), passage::RIGHT) {
                    labels.join(label, label_of[index - i]);
                }
                if at(last_row && sides.periodic_y(), passage::TOP) {
                    labels.join(label, label_of[i]);
                }
                labels.0[label as usize].open |= at(i == 0, passage::LEFT)
                    && sides.left == AirSide::Open
                    || at(last_column, passage::RIGHT) && sides.right == AirSide::Open
                    || at(j == 0, passage::BOTTOM) && sides.bottom == AirSide::Open
                    || at(last_row, passage::TOP) && sides.top == AirSide::Open;
            }
        }
        let mut number_of = vec![u32::MAX; labels.0.len()];
        let mut pockets: Vec<Pocket> = Vec::new();
        for label in label_of.iter_mut().filter(|label| **label != u32::MAX) {
            let first = labels.first_of(*label);
            let number = &mut number_of[first as usize];
            if *number == u32::MAX {
                *number = pockets.len() as u32;
                pockets.push(Pocket { cells: 0, open: false });
            }
            pockets[*number as usize].cells += 1;
            *label = *number;
        }
        for label in 0..labels.0.len() as u32 {
            let number = number_of[labels.first_of(label) as usize];
            pockets[number as usize].open |= labels.0[label as usize].open;
        }
        *self = Self { pocket_of: label_of, pockets };
    }
}

/// Labels of cells. Several labels may belong to the same part of the air.
#[derive(Default)]
struct Labels(Vec<Label>);

struct Label {
    /// Another label of the same part, or itself.
    same: u32,
    open: bool,
}

impl Labels {
    fn add(&mut self) -> u32 {
        let label = self.0.len() as u32;
        self.0.push(Label { same: label, open: false });
        label
    }

    fn first_of(&mut self, mut label: u32) -> u32 {
        loop {
            let same = self.0[label as usize].same;
            if same == label {
                return label;
            }
            // Shortens the chain for the next call.
            let further = self.0[same as usize].same;
            self.0[label as usize].same = further;
            label = further;
        }
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let (a, b) = (self.first_of(a), self.first_of(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize].same = low;
        low
    }
}
