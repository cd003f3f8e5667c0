//! Solids on the grid: which share of every face is open, and what follows from that.

mod obstacle;
mod parts;
mod raster;
mod reach;
mod wall_faces;

use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec2;

use crate::air::grid::Grid;
use crate::air::sides::AirSides;
use crate::boundary::collider::Collider;
use crate::boundary::container::Container;
#[cfg(feature = "snapshot")]
use crate::stored::error::SnapshotError;
#[cfg(feature = "snapshot")]
use crate::stored::reader::Reader;
#[cfg(feature = "snapshot")]
use crate::stored::writer::{Stored, Writer};
use obstacle::Obstacle;
use parts::{Crossing, Rect};
pub(crate) use parts::{Pocket, WallFace, passage};

/// The version that comes next. A snapshot and what it was taken of go on with different ones.
static VERSIONS: AtomicU64 = AtomicU64::new(0);

/// The solids that were given last, and the grid's faces and cells as they leave them.
#[derive(Clone, Debug, Default)]
pub(crate) struct AirSolids {
    obstacles: Vec<Obstacle>,
    /// Distance of the grid's nodes to the nearest solid, negative inside, and the index of that
    /// solid.
    distance: Vec<f32>,
    nearest: Vec<u32>,
    /// Walls thinner than a cell between two neighbouring cells.
    crossings: Vec<Crossing>,
    /// Open share of the vertical faces, 0 to 1, with those on the sides.
    pub open_x: Vec<f32>,
    /// Open share of the horizontal faces.
    pub open_y: Vec<f32>,
    /// Velocity of the solids across the faces; empty if no solid moves.
    pub solid_x: Vec<f32>,
    pub solid_y: Vec<f32>,
    /// Share of the cells' area that is air.
    share: Vec<f32>,
    /// Which faces of a cell air can pass: bits of [`passage`].
    pub passages: Vec<u8>,
    /// All cells nearer than this number of cells are in the rectangle, and the faces between them
    /// and their neighbours are wholly open.
    pub clearance: Vec<u8>,
    /// Number of the connected part of the air that a cell belongs to; `u32::MAX` for none.
    pub pocket_of: Vec<u32>,
    pub pockets: Vec<Pocket>,
    /// Closed faces of cells with air.
    pub walls: Vec<WallFace>,
    /// Another number after every change and in every air, so that what is derived from the solids is
    /// found anew.
    pub version: u64,
}

impl AirSolids {
    pub(crate) fn new(grid: &Grid, sides: &AirSides) -> Self {
        let nodes = (grid.columns + 1) * (grid.rows + 1);
        let mut solids = Self {
            distance: vec![f32::MAX; nodes],
            nearest: vec![u32::MAX; nodes],
            open_x: vec![1.0; grid.faces_x()],
            open_y: vec![1.0; grid.faces_y()],
            share: vec![1.0; grid.cells()],
            ..Self::default()
        };
        solids.set_sides(grid, sides);
        solids
    }

    /// Writes the solids that were given last.
    #[cfg(feature = "snapshot")]
    pub(crate) fn store(&self, to: &mut Writer) {
        self.obstacles.store(to);
    }

    /// Reads what [`store`](Self::store) wrote, and finds what follows from it.
    #[cfg(feature = "snapshot")]
    pub(crate) fn load_on(
        grid: &Grid,
        sides: &AirSides,
        from: &mut Reader<'_>,
    ) -> Result<Self, SnapshotError> {
        let mut solids = Self::new(grid, sides);
        solids.replace(grid, sides, Stored::load(from)?);
        Ok(solids)
    }

    /// Finds the open shares of the sides anew.
    pub(crate) fn set_sides(&mut self, grid: &Grid, sides: &AirSides) {
        self.rasterise(grid, Rect::all(grid));
        self.derive(grid, sides, &[Rect::all(grid)]);
    }

    /// Replaces the solids, and finds anew what changed.
    pub(crate) fn set<'a>(
        &mut self,
        grid: &Grid,
        sides: &AirSides,
        containers: impl IntoIterator<Item = &'a Container>,
        colliders: impl IntoIterator<Item = &'a Collider>,
    ) {
        let containers = containers.into_iter().map(Obstacle::of_container);
        // A membrane is no wall for air.
        let colliders = colliders.into_iter().filter(|collider| !collider.options().one_way);
        self.replace(grid, sides, containers.chain(colliders.map(Obstacle::of_collider)).collect());
    }

    /// Replaces the solids, and finds anew what changed.
    fn replace(&mut self, grid: &Grid, sides: &AirSides, now: Vec<Obstacle>) {
        let mut changed = Vec::new();
        for index in 0..now.len().max(self.obstacles.len()) {
            let (before, after) = (self.obstacles.get(index), now.get(index));
            if before != after {
                let around = |obstacle: &Obstacle| Rect::around(grid, obstacle.touched());
                let (before, after) = (before.map(around), after.map(around));
                match before.as_ref().zip(after.as_ref()).and_then(|(a, b)| a.joined(b)) {
                    // It moved by a little.
                    Some(both) => changed.push(both),
                    None => changed.extend(before.into_iter().chain(after)),
                }
            }
        }
        self.obstacles = now;
        changed.retain(|rect| !rect.is_empty());
        // The faces of two sides that are one close together.
        let across: Vec<Rect> =
            changed.iter().flat_map(|rect| rect.across(grid, sides)).flatten().collect();
        changed.extend(across);
        if changed.is_empty() {
            return;
        }
        let moves = self.obstacles.iter().any(Obstacle::moves);
        let resize = |list: &mut Vec<f32>, length| list.resize(if moves { length } else { 0 }, 0.0);
        resize(&mut self.solid_x, grid.faces_x());
        resize(&mut self.solid_y, grid.faces_y());
        for rect in &changed {
            self.rasterise(grid, rect.clone());
        }
        self.derive(grid, sides, &changed);
    }

    /// Finds what follows from the open shares of the faces that changed in some blocks of cells.
    fn derive(&mut self, grid: &Grid, sides: &AirSides, changed: &[Rect]) {
        self.close_sides(grid, sides);
        let is_new = self.passages.is_empty();
        self.passages.resize(grid.cells(), 0);
        let (mut passages_changed, mut walls_changed) = (is_new, is_new);
        for rect in changed {
            let rect = rect.grown(grid);
            passages_changed |= self.find_passages(grid, &rect);
            walls_changed = walls_changed || self.cells_at_walls_changed(grid, &rect);
        }
        // Solids that move within their cells change shares only.
        if walls_changed {
            self.find_clearance(grid);
        }
        if passages_changed || changed.contains(&Rect::all(grid)) {
            self.find_pockets(grid, sides);
        }
        for rect in changed {
            self.find_wall_faces(grid, &rect.grown(grid));
        }
        self.version = VERSIONS.fetch_add(1, Ordering::Relaxed);
    }

    /// Share of every cell's area that is air.
    pub(crate) fn air_shares(&self) -> &[f32] {
        &self.share
    }

    /// Whether any solid moves.
    pub(crate) fn any_moves(&self) -> bool {
        !self.solid_x.is_empty()
    }

    /// Sets the values of cells without air to 0.
    pub(crate) fn empty_solid_cells(&self, values: &mut [f32]) {
        for (value, passages) in values.iter_mut().zip(&self.passages) {
            if *passages == 0 {
                *value = 0.0;
            }
        }
    }

    /// The velocity of the solid with an index near a point.
    fn velocity_of(&self, obstacle: u32, point: Vec2) -> Vec2 {
        let obstacle = self.obstacles.get(obstacle as usize);
        obstacle.map_or(Vec2::ZERO, |obstacle| obstacle.velocity_at(point))
    }
}
