//! Solids on the grid: the open share of every face, and the values that follow from it.

mod raster;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec2;

use crate::air::AirSides;
use crate::air::grid::Grid;
#[cfg(feature = "snapshot")]
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer};
use crate::stored::stored;
use crate::{Collider, Container, FluidBounds, Motion};

/// The next version. A snapshot and its original continue with different versions.
static VERSIONS: AtomicU64 = AtomicU64::new(0);

/// The solids that were set last, and the faces and cells of the grid that they leave open.
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
    /// Velocity of the solids across the faces; empty if no solid moves or may be moved.
    pub solid_x: Vec<f32>,
    pub solid_y: Vec<f32>,
    /// Index of the solid that closes each face, `u32::MAX` for none. As long as the velocities.
    owner_x: Vec<u32>,
    owner_y: Vec<u32>,
    /// Share of the cells' area that is air.
    share: Vec<f32>,
    /// The faces of each cell that air can pass, as bits of [`passage`].
    pub passages: Vec<u8>,
    /// One distance per cell, in cells. Every cell closer than that is inside the rectangle, and no solid covers a part
    /// of the faces between it and its neighbours.
    pub clearance: Vec<u8>,
    pub pockets: Pockets,
    /// Closed faces of cells with air.
    pub walls: Vec<WallFace>,
    /// A different number after every change and in every air, so that derived values are computed
    /// again.
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

    /// Writes the solids that were set last.
    #[cfg(feature = "snapshot")]
    pub(crate) fn store(&self, to: &mut Writer) {
        self.obstacles.store(to);
    }

    /// Reads the bytes of [`store`](Self::store), and computes the values that follow from them.
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

    /// Computes all open shares again, for other sides or another position of the grid.
    pub(crate) fn set_sides(&mut self, grid: &Grid, sides: &AirSides) {
        self.rasterise(grid, Rect::all(grid));
        self.derive(grid, sides, &[Rect::all(grid)]);
    }

    /// Replaces the solids, and computes the changed cells again.
    pub(crate) fn set<'a>(
        &mut self,
        grid: &Grid,
        sides: &AirSides,
        containers: impl IntoIterator<Item = &'a Container>,
        colliders: impl IntoIterator<Item = &'a Collider>,
    ) {
        let containers = containers.into_iter().map(Obstacle::of_container);
        let colliders = colliders.into_iter().filter(|collider| is_in_air(collider));
        self.replace(grid, sides, containers.chain(colliders.map(Obstacle::of_collider)).collect());
    }

    /// Replaces the solids, and computes the changed cells again.
    fn replace(&mut self, grid: &Grid, sides: &AirSides, now: Vec<Obstacle>) {
        let mut changed = Vec::new();
        for index in 0..now.len().max(self.obstacles.len()) {
            let (before, after) = (self.obstacles.get(index), now.get(index));
            if before != after {
                let around = |obstacle: &Obstacle| Rect::around(grid, obstacle.touched());
                let (before, after) = (before.map(around), after.map(around));
                match before.as_ref().zip(after.as_ref()).and_then(|(a, b)| a.joined(b)) {
                    // After a small displacement, one block covers both.
                    Some(both) => changed.push(both),
                    None => changed.extend(before.into_iter().chain(after)),
                }
            }
        }
        self.obstacles = now;
        changed.retain(|rect| !rect.is_empty());
        // The faces of opposite periodic sides close together.
        let across: Vec<Rect> =
            changed.iter().flat_map(|rect| rect.across(grid, sides)).flatten().collect();
        changed.extend(across);
        if changed.is_empty() {
            return;
        }
        let may_move = self.obstacles.iter().any(Obstacle::may_move);
        let (faces_x, faces_y) = if may_move { (grid.faces_x(), grid.faces_y()) } else { (0, 0) };
        self.solid_x.resize(faces_x, 0.0);
        self.solid_y.resize(faces_y, 0.0);
        self.owner_x.resize(faces_x, u32::MAX);
        self.owner_y.resize(faces_y, u32::MAX);
        for rect in &changed {
            self.rasterise(grid, rect.clone());
        }
        self.derive(grid, sides, &changed);
    }

    /// Computes the values that follow from open shares that changed in some blocks of cells.
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
            self.pockets.find(grid, sides, &self.passages);
        }
        for rect in changed {
            self.find_wall_faces(grid, &rect.grown(grid));
        }
        self.version = VERSIONS.fetch_add(1, Ordering::Relaxed);
    }

    /// Walls thinner than a cell between two neighbouring cells.
    pub(super) fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// Share of every cell's area that is air.
    pub(crate) fn air_shares(&self) -> &[f32] {
        &self.share
    }

    /// Whether any solid moves.
    pub(crate) fn any_moves(&self) -> bool {
        self.has_velocities() && self.obstacles.iter().any(Obstacle::moves)
    }

    /// Whether any solid moves or may be moved. Only then the faces have velocities.
    pub(crate) fn has_velocities(&self) -> bool {
        !self.solid_x.is_empty()
    }

    /// The solids that close the faces across x (axis 0) or y (axis 1), with the open shares of the faces and the velocities of
    /// the solids.
    pub(super) fn faces(&self, axis: usize) -> (&[u32], &[f32], &[f32]) {
        if axis == 0 {
            (&self.owner_x, &self.open_x, &self.solid_x)
        } else {
            (&self.owner_y, &self.open_y, &self.solid_y)
        }
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

/// Whether a collider is a solid in the air: air passes membranes.
pub(super) fn is_in_air(collider: &Collider) -> bool {
    !collider.options().one_way
}

// A solid as the grid sees it.

/// A container or a collider, as it was when the faces were found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Obstacle {
    Container(Container),
    Collider(Collider),
}

stored!(enum Obstacle as "obstacle" { 0: Container(solid), 1: Collider(solid) });

impl Obstacle {
    pub(super) fn of_container(container: &Container) -> Self {
        Self::Container(container.clone())
    }

    pub(super) fn of_collider(collider: &Collider) -> Self {
        Self::Collider(collider.clone())
    }

    pub(super) fn is_container(&self) -> bool {
        matches!(self, Self::Container(_))
    }

    /// Whether air exists only inside of its shape, and not outside.
    pub(super) fn is_inside_out(&self) -> bool {
        match self {
            Self::Container(_) => true,
            Self::Collider(collider) => collider.options().inside_out,
        }
    }

    /// A box around the area that it makes solid.
    pub(super) fn touched(&self) -> FluidBounds {
        match self {
            Self::Collider(collider) if !collider.options().inside_out => {
                collider.pose.bounds(&collider.shape)
            }
            _ => FluidBounds::ALL,
        }
    }

    /// Distance of a point, negative where it is solid.
    pub(super) fn distance(&self, point: Vec2) -> f32 {
        match self {
            Self::Container(container) => container.depth(point),
            Self::Collider(collider) => collider.distance(point),
        }
    }

    fn moves(&self) -> bool {
        self.motion() != Motion::STILL
    }

    /// Whether it moves or belongs to a body, which pressure may move.
    fn may_move(&self) -> bool {
        let belongs_to_body = |collider: &Collider| {
            let options = collider.options();
            options.body.is_some() || options.attachment.is_some()
        };
        self.moves() || matches!(self, Self::Collider(collider) if belongs_to_body(collider))
    }

    fn motion(&self) -> Motion {
        match self {
            Self::Container(container) => container.motion(),
            Self::Collider(collider) => collider.motion(),
        }
    }

    pub(super) fn velocity_at(&self, point: Vec2) -> Vec2 {
        match self {
            Self::Container(container) => container.velocity_at(point, 0.0),
            Self::Collider(collider) => collider.velocity_at(point, 0.0),
        }
    }

    /// The nearest point outside of a collider, slightly beyond its edge; `None` for a point that is
    /// not inside.
    pub(super) fn pushed_out(&self, point: Vec2) -> Option<Vec2> {
        let Self::Collider(collider) = self else { return None };
        let nearest = collider.shape.nearest(collider.pose.to_local(point), f32::INFINITY)?;
        let way = (-nearest.distance).max(0.0) + 2.0 * collider.slack();
        (nearest.distance < 0.0)
            .then(|| point + collider.pose.to_world_direction(nearest.normal) * way)
    }

    /// The wall that separates two points: a line between them enters at one side and leaves at
    /// another. `None` without such a wall, as at a bulge that the line only cuts.
    pub(super) fn separates(&self, from: Vec2, to: Vec2) -> Option<Separation> {
        let Self::Collider(collider) = self else { return None };
        let local = |point| collider.pose.to_local(point);
        let (from, to, slack) = (local(from), local(to), collider.slack());
        let there = collider.shape.entry(from, to, slack, false)?;
        let back = collider.shape.entry(to, from, slack, false)?;
        (there.normal.dot(back.normal) < 0.0).then(|| Separation {
            place: collider.pose.to_world(0.5 * (there.point + back.point)),
            normal: collider.pose.to_world_direction(there.normal),
        })
    }
}

// Parts of the grid that are found from its solids: blocks of cells, walls between cells, connected
// parts of the air, and closed faces.

/// A block of cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rect {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

/// The place where a wall separates two points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Separation {
    /// In the middle of the wall, on the line between the points.
    pub place: Vec2,
    /// Unit normal, towards the first point.
    pub normal: Vec2,
}

/// A wall between the centres of two neighbouring cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Whether the cells lie one above the other.
    pub upright: bool,
    /// The upper or right one of the cells.
    pub cell: (usize, usize),
    /// Its normal points to the other cell.
    pub wall: Separation,
    pub obstacle: u32,
}

impl Rect {
    pub(super) fn all(grid: &Grid) -> Self {
        Self { columns: 0..grid.columns, rows: 0..grid.rows }
    }

    /// The cells whose faces depend on solids in a box.
    pub(super) fn around(grid: &Grid, bounds: FluidBounds) -> Self {
        let range = |low: f32, high: f32, count: usize| {
            let first = (low - 3.0).clamp(0.0, count as f32) as usize;
            let end = (high + 4.0).clamp(0.0, count as f32) as usize;
            first..end
        };
        let (low, high) = (grid.to_cells(bounds.low), grid.to_cells(bounds.high));
        Self { columns: range(low.x, high.x, grid.columns), rows: range(low.y, high.y, grid.rows) }
    }

    /// The block with the cells around it whose walls depend on distances inside.
    pub(super) fn grown(&self, grid: &Grid) -> Self {
        let grown = |range: &Range<usize>, count: usize| {
            range.start.saturating_sub(2)..(range.end + 2).min(count)
        };
        Self { columns: grown(&self.columns, grid.columns), rows: grown(&self.rows, grid.rows) }
    }

    /// The cells on the opposite sides of those that the block reaches, where these are periodic.
    pub(super) fn across(&self, grid: &Grid, sides: &AirSides) -> [Option<Self>; 4] {
        let Self { columns, rows } = self;
        let upright = |column: usize| Self { columns: column..column + 1, rows: rows.clone() };
        let level = |row: usize| Self { columns: columns.clone(), rows: row..row + 1 };
        let (x, y) = (sides.periodic_x(), sides.periodic_y());
        [
            (x && columns.start == 0).then(|| upright(grid.columns - 1)),
            (x && columns.end == grid.columns).then(|| upright(0)),
            (y && rows.start == 0).then(|| level(grid.rows - 1)),
            (y && rows.end == grid.rows).then(|| level(0)),
        ]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty() || self.rows.is_empty()
    }

    fn cells(&self) -> usize {
        self.columns.len() * self.rows.len()
    }

    /// The block around two blocks, if it has no more cells than they have.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        let around = |a: &Range<usize>, b: &Range<usize>| a.start.min(b.start)..a.end.max(b.end);
        let columns = around(&self.columns, &other.columns);
        let joined = Self { columns, rows: around(&self.rows, &other.rows) };
        (joined.cells() <= self.cells() + other.cells()).then_some(joined)
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let both = |a: &Range<usize>, b: &Range<usize>| a.start.max(b.start)..a.end.min(b.end);
        Self { columns: both(&self.columns, &other.columns), rows: both(&self.rows, &other.rows) }
    }

    pub(super) fn contains(&self, cell: (usize, usize)) -> bool {
        self.columns.contains(&cell.0) && self.rows.contains(&cell.1)
    }
}

/// Bits of the faces of a cell that air can pass.
pub(crate) mod passage {
    pub const LEFT: u8 = 1;
    pub const RIGHT: u8 = 2;
    pub const BOTTOM: u8 = 4;
    pub const TOP: u8 = 8;
    pub const ALL: [u8; 4] = [LEFT, RIGHT, BOTTOM, TOP];
}

/// A connected part of the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pocket {
    /// Number of its cells.
    pub cells: u32,
    /// Whether it reaches an open side. Otherwise inflow must equal outflow.
    pub open: bool,
}

/// The connected parts of the air.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pockets {
    /// Index of the part that each cell belongs to; `u32::MAX` for none.
    pub pocket_of: Vec<u32>,
    pub pockets: Vec<Pocket>,
}

/// A face that a solid closes wholly and that belongs to a cell with air.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallFace {
    /// Whether the face is horizontal, so that air would pass it up or down.
    pub upright: bool,
    /// Column and row of the face among its kind.
    pub place: (usize, usize),
    /// Unit normal of the wall.
    pub normal: Vec2,
    /// Velocity of the wall.
    pub velocity: Vec2,
}

// Closed faces beside air. They have a velocity for the interpolation beside them.

impl AirSolids {
    /// Finds the closed faces in a block of cells again.
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
