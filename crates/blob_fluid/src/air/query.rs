//! Queries about the air: values at places, amounts in regions, vorticity and streamlines.

use glam::Vec2;

use crate::FluidRegion;
use crate::air::solids::Separation;
use crate::air::{Air, AirChannel};

/// A wall thinner than a cell. It separates the centres of two neighbouring cells, which exchange no air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinWall {
    /// Indices of the cells in the arrays of [`Air::channel`]. The second cell is on the left of the first one, or below it.
    pub cells: [usize; 2],
    /// The place of the wall between the centres, in world units.
    pub place: Vec2,
    /// Unit normal of the wall, towards the second cell.
    pub normal: Vec2,
}

/// Methods that read the air.
impl Air {
    /// Velocity at a place, in world units/s, interpolated between faces; `None` outside the
    /// rectangle.
    pub fn velocity_at(&self, place: Vec2) -> Option<Vec2> {
        self.grid.cell_at(place)?;
        let at = self.grid.to_cells(place);
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let x = bilinear(&self.velocity_x, columns + 1, rows, at.x, at.y - 0.5);
        let y = bilinear(&self.velocity_y, columns, rows + 1, at.x - 0.5, at.y);
        Some(Vec2::new(x, y))
    }

    /// Pressure at a place, relative to air at rest (see [`pressures`](Self::pressures)); `None`
    /// outside the rectangle.
    pub fn pressure_at(&self, place: Vec2) -> Option<f32> {
        self.between_centres(&self.pressure, place)
    }

    /// A channel's value at a place, interpolated between cells; `None` outside the rectangle.
    pub fn value_at(&self, channel: AirChannel, place: Vec2) -> Option<f32> {
        self.between_centres(self.channel(channel), place)
    }

    /// Smoke at a place; `None` outside the rectangle.
    pub fn smoke_at(&self, place: Vec2) -> Option<f32> {
        self.value_at(AirChannel::Smoke, place)
    }

    /// Heat at a place; `None` outside the rectangle.
    pub fn heat_at(&self, place: Vec2) -> Option<f32> {
        self.value_at(AirChannel::Heat, place)
    }

    /// Red, green and blue of the smoke at a place, times its concentration; `None` outside the
    /// rectangle.
    pub fn colour_at(&self, place: Vec2) -> Option<[f32; 3]> {
        let [red, green, blue] = AirChannel::COLOUR.map(|colour| self.value_at(colour, place));
        Some([red?, green?, blue?])
    }

    fn between_centres(&self, values: &[f32], place: Vec2) -> Option<f32> {
        self.grid.cell_at(place)?;
        if values.is_empty() {
            return Some(0.0);
        }
        let at = self.grid.to_cells(place);
        Some(bilinear(values, self.grid.columns, self.grid.rows, at.x - 0.5, at.y - 0.5))
    }

    /// Amount of a channel in the whole rectangle: the sum of its values times the area of air in
    /// their cells, in square world units.
    pub fn amount(&self, channel: AirChannel) -> f64 {
        let cell = f64::from(self.grid.cell) * f64::from(self.grid.cell);
        let shares = self.solids.air_shares();
        let amounts = self.channel(channel).iter().zip(shares);
        let amounts = amounts.map(|(value, share)| f64::from(*value) * f64::from(*share));
        // The sum of no numbers is -0.
        amounts.fold(0.0, |sum, amount| sum + amount) * cell
    }

    /// Amount of a channel in the cells whose centres are in a region: the sum of values times area
    /// of air, in square world units.
    pub fn amount_in(&self, channel: AirChannel, region: &FluidRegion) -> f64 {
        let values = self.channel(channel);
        let cell = f64::from(self.grid.cell) * f64::from(self.grid.cell);
        let shares = self.solids.air_shares();
        let mut sum = 0.0;
        if !values.is_empty() {
            self.grid.for_each_cell_in(region, |index| {
                sum += f64::from(values[index]) * f64::from(shares[index]);
            });
        }
        sum * cell
    }

    /// Centre of a cell, in world units. `index` counts cells in the order of [`channel`](Self::channel).
    pub fn cell_centre(&self, index: usize) -> Vec2 {
        self.grid.centre(index % self.grid.columns, index / self.grid.columns)
    }

    /// Share of every cell's area that is air and not solid, 0 to 1.
    pub fn air_shares(&self) -> &[f32] {
        self.solids.air_shares()
    }

    /// The walls thinner than a cell, in no particular order.
    pub fn thin_walls(&self) -> impl Iterator<Item = ThinWall> {
        let columns = self.grid.columns;
        self.solids.crossings().iter().map(move |crossing| {
            let (i, j) = crossing.cell;
            let cell = j * columns + i;
            let other = if crossing.upright { cell - columns } else { cell - 1 };
            let Separation { place, normal } = crossing.wall;
            ThinWall { cells: [cell, other], place, normal }
        })
    }

    /// Velocity in the middle of a cell, in world units/s. `index` counts cells in the order of
    /// [`channel`](Self::channel).
    ///
    /// # Panics
    ///
    /// Panics if there is no such cell.
    pub fn velocity_in_cell(&self, index: usize) -> Vec2 {
        let columns = self.grid.columns;
        let left = index / columns * (columns + 1) + index % columns;
        let x = 0.5 * (self.velocity_x[left] + self.velocity_x[left + 1]);
        let y = 0.5 * (self.velocity_y[index] + self.velocity_y[index + columns]);
        Vec2::new(x, y)
    }

    /// Writes the vorticity (curl of the velocity) in every cell, in 1/s, positive
    /// counter-clockwise, by differences between the centres of the neighbouring cells.
    pub fn vorticities(&self, into: &mut Vec<f32>) {
        let columns = self.grid.columns;
        into.clear();
        into.resize(self.grid.cells(), 0.0);
        for (j, row) in into.chunks_exact_mut(columns).enumerate() {
            self.vorticities_of_row(j, row);
        }
    }

    /// Writes the vorticities of a row of cells.
    pub(super) fn vorticities_of_row(&self, j: usize, into: &mut [f32]) {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let (below, above) = (j.saturating_sub(1), (j + 1).min(rows - 1));
        let height = (above - below).max(1) as f32 * self.grid.cell;
        let mean_x = |i: usize, j: usize| {
            let left = j * (columns + 1) + i;
            0.5 * (self.velocity_x[left] + self.velocity_x[left + 1])
        };
        let mean_y = |i: usize| {
            let cell = j * columns + i;
            0.5 * (self.velocity_y[cell] + self.velocity_y[cell + columns])
        };
        for (i, into) in into.iter_mut().enumerate() {
            let (left, right) = (i.saturating_sub(1), (i + 1).min(columns - 1));
            let width = (right - left).max(1) as f32 * self.grid.cell;
            let (across, along) =
                (mean_y(right) - mean_y(left), mean_x(i, above) - mean_x(i, below));
            *into = across / width - along / height;
        }
    }

    /// Places along the streamline through `start`: at most `most` points, `step` world units apart
    /// (midpoint method). The streamline ends at the sides, in solids and in still air. A negative
    /// `step` goes upstream. A `step` that is 0 or not finite gives no points.
    pub fn streamline(&self, start: Vec2, step: f32, most: usize) -> Vec<Vec2> {
        let mut points = Vec::new();
        if !step.is_finite() || step == 0.0 {
            return points;
        }
        let direction = |place: Vec2| {
            let cell = self.grid.cell_at(place)?;
            if self.solids.air_shares()[cell.1 * self.grid.columns + cell.0] <= 0.0 {
                return None;
            }
            self.velocity_at(place)?.try_normalize()
        };
        let mut place = start;
        while points.len() < most {
            let Some(first) = direction(place) else { break };
            points.push(place);
            let Some(middle) = direction(place + 0.5 * step * first) else { break };
            place += step * middle;
        }
        points
    }
}

/// Bilinear interpolation in a list of rows, at `x` and `y` from its first number. Coordinates
/// beyond the list are clamped to it.
fn bilinear(values: &[f32], columns: usize, rows: usize, x: f32, y: f32) -> f32 {
    let (x, y) = (x.clamp(0.0, (columns - 1) as f32), y.clamp(0.0, (rows - 1) as f32));
    let (i, j) = (x as usize, y as usize);
    let (right, up) = ((i + 1).min(columns - 1), (j + 1).min(rows - 1));
    let (fx, fy) = (x - i as f32, y - j as f32);
    let row = |j: usize| values[j * columns + i] * (1.0 - fx) + values[j * columns + right] * fx;
    row(j) * (1.0 - fy) + row(up) * fy
}
