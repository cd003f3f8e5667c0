//! Projection: pressures that make the flux through the faces of every cell balance.
//!
//! With `q` the pressure times `dt/(density h)`, a velocity, the pass solves
//! `sum over faces of w (q - q_neighbour) = b` in every cell, where `b` is the excess inflow. It then
//! subtracts the differences of `q` from the velocities. The coefficients `w` of the faces hold
//! walls, cut cells, openings and a liquid's share (Batty, Bertails and Bridson 2007). The search
//! starts from the last pressures: their differences are subtracted first, and only the rest of the
//! divergence is solved for. So rounding is relative to velocities and not to pressures.

mod conjugate_gradients;
pub(crate) mod multigrid;

use glam::Vec2;

use crate::Executor;
use crate::air::projection::multigrid::{Level, Multigrid, with_lanes};
use crate::air::solids::{Pocket, Pockets};
use crate::air::state::LiquidShare;
use crate::air::{Air, AirProjection, AirReport, AirSide};

/// Arrays of the projection. They are computed again from the state when it has changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProjectionWorkspace {
    multigrid: Multigrid,
    /// The version of the solids from which the coefficients were computed.
    version: Option<u64>,
    /// The solution.
    pub(super) solution: Vec<f32>,
    /// Buffers for the next solution, and for the best one if the next is worse.
    pub(super) next: Vec<f32>,
    pub(super) best: Vec<f32>,
    /// The search direction, and the operator applied to it.
    pub(super) direction: Vec<f32>,
    pub(super) applied: Vec<f32>,
    /// Sums over the columns of a band of rows.
    pub(super) partial: Vec<f32>,
}

/// Result of a solver.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solved {
    pub iterations: u32,
    /// Squared norm of the residual.
    pub squared: f64,
}

impl Air {
    /// Makes the velocities free of divergence, except for the volume that sources add.
    pub(super) fn project(
        &mut self,
        time_step: f32,
        work: &mut ProjectionWorkspace,
        executor: &dyn Executor,
    ) -> AirReport {
        work.prepare(self);
        let to_velocity = time_step / (self.settings.density * self.grid.cell);
        let to_velocity = if to_velocity.is_finite() { to_velocity } else { 0.0 };
        self.find_inflow(&mut work.multigrid.levels[0], executor);
        let (blocked, before) = self.balance_pockets(work, executor);
        // The advection has applied the other half.
        self.load_pressure(0.5 * to_velocity, work);
        self.subtract_differences(work, executor);
        let most = self.find_inflow(&mut work.multigrid.levels[0], executor);
        self.balance_pockets(work, executor);
        // In this unit of the solver, no square overflows or underflows.
        let unit = if most > 0.0 { most } else { 1.0 };
        work.multigrid.levels[0].scale_right_side(1.0 / unit, executor);
        let goal = before / (f64::from(unit) * f64::from(unit));
        let solved = match self.settings.projection {
            AirProjection::GaussSeidel { iterations, over_relaxation } => {
                work.gauss_seidel(iterations, over_relaxation, executor)
            }
            AirProjection::Multigrid { residual, max_cycles } => {
                let residual = f64::from(residual);
                work.conjugate_gradients(residual * residual * goal, max_cycles, executor)
            }
        };
        work.scale_solution(unit, executor);
        self.subtract_differences(work, executor);
        self.store_pressure(to_velocity, work);
        let divergence = self.find_inflow(&mut work.multigrid.levels[0], executor);
        self.expansion.clear();
        let cell = self.grid.cell;
        let residual = if goal > 0.0 { (solved.squared / goal).sqrt() as f32 } else { 0.0 };
        AirReport {
            iterations: solved.iterations,
            residual,
            divergence: divergence / cell,
            max_speed: self.max_speed(),
            blocked_inflow: blocked.map_or(0.0, |blocked| blocked.mean / cell),
            blocked_at: blocked.and_then(|blocked| self.place_of(blocked)),
            ..AirReport::default()
        }
    }

    fn max_speed(&self) -> f32 {
        largest(&self.velocity_x).max(largest(&self.velocity_y))
    }

    /// Writes the last pressures, as velocities, to the solution.
    fn load_pressure(&self, to_velocity: f32, work: &mut ProjectionWorkspace) {
        let level = &work.multigrid.levels[0];
        let columns = self.grid.columns;
        for (j, row) in self.pressure.chunks_exact(columns).enumerate() {
            let into = &mut work.solution[level.row(j)];
            for (into, pressure) in into.iter_mut().zip(row) {
                let velocity = pressure * to_velocity;
                *into = if velocity.abs() < 1e15 { velocity } else { 0.0 };
            }
        }
        level.wrap(&mut work.solution);
    }

    /// Adds the solution to the pressures.
    fn store_pressure(&mut self, to_velocity: f32, work: &ProjectionWorkspace) {
        let level = &work.multigrid.levels[0];
        let to_pressure = if to_velocity > 0.0 { 1.0 / to_velocity } else { 0.0 };
        let columns = self.grid.columns;
        for (j, row) in self.pressure.chunks_exact_mut(columns).enumerate() {
            for (pressure, change) in row.iter_mut().zip(&work.solution[level.row(j)]) {
                let sum = *pressure + change * to_pressure;
                *pressure = if sum.abs() < 1e30 { sum } else { 0.0 };
            }
        }
        self.centre_pressures();
    }
}

impl ProjectionWorkspace {
    /// Prepares arrays and coefficients for the present grid, solids and liquid.
    fn prepare(&mut self, air: &Air) {
        let coupled = air.liquid.is_present() || air.bodies.are_present();
        if self.version == Some(air.solids.version) && !coupled {
            return;
        }
        self.multigrid.rebuild(air);
        let level = &self.multigrid.levels[0];
        let Self { solution, next, best, direction, applied, .. } = self;
        for list in [solution, next, best, direction, applied] {
            list.clear();
            list.resize(level.len(), 0.0);
        }
        self.partial.clear();
        self.partial.resize(level.partials(), 0.0);
        // The coefficients of liquid and bodies change with every step.
        self.version = (!coupled).then_some(air.solids.version);
    }

    fn scale_solution(&mut self, factor: f32, executor: &dyn Executor) {
        let level = &self.multigrid.levels[0];
        level.for_each_row(&mut self.solution, executor, |_, row| {
            row.iter_mut().for_each(|value| *value *= factor);
        });
        level.wrap(&mut self.solution);
    }
}

// Fluxes through faces, and the differences of pressure that change them.

impl Air {
    /// Writes the excess inflow of every cell (in world units/s, per side of a cell) as the
    /// right-hand side. Returns the largest absolute value.
    fn find_inflow(&self, level: &mut Level, executor: &dyn Executor) -> f32 {
        let (columns, cell) = (self.grid.columns, self.grid.cell);
        let mut right = std::mem::take(&mut level.right);
        level.for_each_row(&mut right, executor, |j, row| {
            let mut across = vec![0.0; columns + 1];
            let mut below = vec![0.0; columns];
            let mut above = vec![0.0; columns];
            self.flux_x(j, &mut across);
            self.flux_y(j, &mut below);
            self.flux_y(j + 1, &mut above);
            let inverse = &level.inverse[level.row(j)];
            with_lanes(
                #[inline(always)]
                || {
                    for i in 0..row.len() {
                        let out = (across[i + 1] - across[i]) + (above[i] - below[i]);
                        // A cell that pressure cannot change is left as it is.
                        row[i] = if inverse[i] > 0.0 { -out } else { 0.0 };
                    }
                },
            );
            if !self.expansion.is_empty() {
                let expansion = &self.expansion[j * columns..][..columns];
                for (i, value) in row.iter_mut().enumerate() {
                    *value += if inverse[i] > 0.0 { expansion[i] * cell } else { 0.0 };
                }
            }
        });
        let most = (0..level.rows).map(|j| largest(&right[level.row(j)])).fold(0.0, f32::max);
        level.right = right;
        most
    }

    /// Fluxes through a row of vertical faces.
    #[inline(always)]
    fn flux_x(&self, j: usize, into: &mut [f32]) {
        let faces = j * (self.grid.columns + 1)..(j + 1) * (self.grid.columns + 1);
        let (liquid, solids) = (&self.liquid, &self.solids);
        let solid = self.bodies.velocities(solids, 0);
        let lists: [&[f32]; 5] =
            [&self.velocity_x, &solids.open_x, solid, &liquid.share_x, &liquid.velocity_x];
        flux(lists, faces, into);
    }

    /// Fluxes through a row of horizontal faces.
    #[inline(always)]
    fn flux_y(&self, j: usize, into: &mut [f32]) {
        let faces = j * self.grid.columns..(j + 1) * self.grid.columns;
        let (liquid, solids) = (&self.liquid, &self.solids);
        let solid = self.bodies.velocities(solids, 1);
        let lists: [&[f32]; 5] =
            [&self.velocity_y, &solids.open_y, solid, &liquid.share_y, &liquid.velocity_y];
        flux(lists, faces, into);
    }

    /// Subtracts the differences of the solution from the velocities of air, liquid and bodies.
    pub(super) fn subtract_differences(
        &mut self,
        work: &ProjectionWorkspace,
        executor: &dyn Executor,
    ) {
        let level = &work.multigrid.levels[0];
        let (columns, rows, stride) = (self.grid.columns, self.grid.rows, level.stride);
        let (solution, sides) = (&work.solution, &self.sides);
        let LiquidShare { velocity_x, velocity_y, ratio_x, ratio_y, .. } = &mut self.liquid;
        let [bodies_x, bodies_y] = &mut self.bodies.axes;
        // The ratio of the air itself is 1.
        let lists = [
            (&mut self.velocity_x, &[][..]),
            (velocity_x, &ratio_x[..]),
            (&mut bodies_x.velocity, &bodies_x.ratio[..]),
        ];
        for (velocities, ratios) in lists.into_iter().filter(|(list, _)| !list.is_empty()) {
            executor.for_each_chunk(&mut velocities[..], columns + 1, |j, row: &mut [f32]| {
                let first = (j + 1) * stride + 1;
                let weights = &level.weight_x[first..][..columns + 1];
                let ratios = ratios.get(j * (columns + 1)..(j + 1) * (columns + 1));
                let ratio = |i: usize| ratios.map_or(1.0, |ratios| ratios[i]);
                let (left, here) = (&solution[first - 1..], &solution[first..]);
                subtract(row, ratios, weights, &left[..columns + 1], &here[..columns + 1]);
                // The pressure 0 of an opening is at the face, at half the distance.
                if sides.left == AirSide::Open && weights[0] > 0.0 {
                    row[0] -= ratio(0) * here[0];
                }
                if sides.right == AirSide::Open && weights[columns] > 0.0 {
                    row[columns] += ratio(columns) * left[columns];
                }
            });
        }
        let lists = [
            (&mut self.velocity_y, &[][..]),
            (velocity_y, &ratio_y[..]),
            (&mut bodies_y.velocity, &bodies_y.ratio[..]),
        ];
        for (velocities, ratios) in lists.into_iter().filter(|(list, _)| !list.is_empty()) {
            executor.for_each_chunk(&mut velocities[..], columns, |j, row: &mut [f32]| {
                let first = (j + 1) * stride + 1;
                let weights = &level.weight_y[first..][..columns];
                let ratios = ratios.get(j * columns..(j + 1) * columns);
                let (below, here) = (&solution[first - stride..], &solution[first..]);
                subtract(row, ratios, weights, &below[..columns], &here[..columns]);
                if j == 0 && sides.bottom == AirSide::Open {
                    subtract(row, ratios, weights, &below[..columns], &here[..columns]);
                }
                if j == rows && sides.top == AirSide::Open {
                    subtract(row, ratios, weights, &below[..columns], &here[..columns]);
                }
            });
        }
    }
}

/// `open ((1 - a) u + a u_liquid) + (1 - open) u_solid` for a row of faces.
#[inline(always)]
fn flux(lists: [&[f32]; 5], faces: std::ops::Range<usize>, into: &mut [f32]) {
    let [air, open, solid, share, liquid] = lists;
    let (air, open) = (&air[faces.clone()], &open[faces.clone()]);
    with_lanes(
        #[inline(always)]
        || {
            for i in 0..into.len() {
                into[i] = open[i] * air[i];
            }
        },
    );
    if !share.is_empty() {
        let (share, liquid) = (&share[faces.clone()], &liquid[faces.clone()]);
        for i in 0..into.len() {
            into[i] = open[i] * ((1.0 - share[i]) * air[i] + share[i] * liquid[i]);
        }
    }
    if !solid.is_empty() {
        let solid = &solid[faces];
        for i in 0..into.len() {
            into[i] += (1.0 - open[i]) * solid[i];
        }
    }
}

/// Subtracts the differences of a row, times the ratios if there are any, where the coefficients are
/// above 0.
#[inline(always)]
fn subtract(
    row: &mut [f32],
    ratios: Option<&[f32]>,
    weights: &[f32],
    before: &[f32],
    here: &[f32],
) {
    match ratios {
        Some(ratios) => subtract_times(row, |i| ratios[i], weights, before, here),
        None => subtract_times(row, |_| 1.0, weights, before, here),
    }
}

#[inline(always)]
fn subtract_times(
    row: &mut [f32],
    ratio: impl Fn(usize) -> f32,
    weights: &[f32],
    before: &[f32],
    here: &[f32],
) {
    with_lanes(
        #[inline(always)]
        || {
            for i in 0..row.len() {
                let difference = ratio(i) * (here[i] - before[i]);
                row[i] -= if weights[i] > 0.0 { difference } else { 0.0 };
            }
        },
    );
}

// Red-black Gauss-Seidel with over-relaxation.
//
// The red cells of a chessboard have black neighbours only, so that the order within a colour does
// not matter.

impl ProjectionWorkspace {
    /// Sweeps over the finest level. If the residual does not fall, the solution is 0.
    pub(super) fn gauss_seidel(
        &mut self,
        sweeps: u32,
        over_relaxation: f32,
        executor: &dyn Executor,
    ) -> Solved {
        self.solution.fill(0.0);
        let before = self.square_of_residual(executor);
        let level = &mut self.multigrid.levels[0];
        for colour in (0..2 * sweeps as usize).map(|half| half % 2) {
            let solution = &self.solution;
            level.for_each_row(
                &mut self.applied,
                executor,
                #[inline(always)]
                |j, row| {
                    let (x, weights) = (level.around(solution, j), level.weights(j));
                    let cells = level.row(j);
                    let (inverse, right) = (&level.inverse[cells.clone()], &level.right[cells]);
                    for i in 0..row.len() {
                        let change = inverse[i] * (right[i] - weights.apply(&x, i));
                        let now = x.here[i] + over_relaxation * change;
                        row[i] = if (i + j) % 2 == colour { now } else { x.here[i] };
                    }
                },
            );
            level.wrap(&mut self.applied);
            std::mem::swap(&mut self.solution, &mut self.applied);
        }
        // The residual takes the place of the right-hand side.
        let solution = &self.solution;
        let mut right = std::mem::take(&mut level.right);
        level.for_each_row(&mut right, executor, |j, row| {
            let (x, weights) = (level.around(solution, j), level.weights(j));
            for (i, right) in row.iter_mut().enumerate() {
                *right -= weights.apply(&x, i);
            }
        });
        level.right = right;
        let squared = self.square_of_residual(executor);
        if squared < before {
            return Solved { iterations: sweeps, squared };
        }
        self.solution.fill(0.0);
        Solved { iterations: sweeps, squared: before }
    }
}

// Parts of the air without an opening: inflow must equal outflow, and pressure has no fixed 0.

/// The part without an opening that has the largest net inflow or outflow per cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocked {
    pocket: u32,
    /// Absolute value of the mean of the right-hand side.
    pub mean: f32,
}

impl Air {
    /// The parts that pressure connects, through bodies too.
    fn pockets(&self) -> &Pockets {
        self.bodies.pockets_of(&self.solids)
    }

    /// The middle of the first cell of a part without an opening.
    pub(super) fn place_of(&self, blocked: Blocked) -> Option<Vec2> {
        let mut pockets = self.pockets().pocket_of.iter();
        let cell = pockets.position(|pocket| *pocket == blocked.pocket)?;
        Some(self.cell_centre(cell))
    }

    /// Removes the mean of the right-hand side in every part without an opening. Returns the largest
    /// mean, if any is not 0, and the squared norm of the remaining right-hand side.
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
                let pockets = &self.pockets().pocket_of[j * columns..][..columns];
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
            let first = band * multigrid::BAND;
            for j in first..(first + multigrid::BAND).min(level.rows) {
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
            let Self { pressure, solids, bodies, .. } = self;
            for (pressure, pocket) in pressure.iter_mut().zip(&bodies.pockets_of(solids).pocket_of)
            {
                *pressure -= means.get(*pocket as usize).copied().unwrap_or(0.0);
            }
        }
    }

    /// The mean of rows of cells in every part without an opening, and 0 for the other parts; `None`
    /// if every part has an opening.
    fn means<'a>(&self, row: impl Fn(usize) -> &'a [f32]) -> Option<Vec<f32>> {
        let Pockets { pocket_of, pockets } = self.pockets();
        if pockets.iter().all(|pocket| pocket.open) {
            return None;
        }
        let rows = || (0..self.grid.rows).map(&row);
        let scale = ExactSum::scale(rows().map(largest).fold(0.0, f32::max));
        let mut sums = vec![ExactSum::default(); pockets.len()];
        for (row, numbers) in rows().zip(pocket_of.chunks_exact(self.grid.columns)) {
            for (value, pocket) in row.iter().zip(numbers) {
                if let Some(sum) = sums.get_mut(*pocket as usize) {
                    sum.add(*value, scale);
                }
            }
        }
        let mean = |(sum, pocket): (&ExactSum, &Pocket)| {
            let mean = (sum.value(scale) / f64::from(pocket.cells)) as f32;
            if pocket.open { 0.0 } else { mean }
        };
        Some(sums.iter().zip(pockets).map(mean).collect())
    }
}

// Sums with a fixed order, which is its own mirror image.
//
// Every band of rows adds up each column on its own, a number in each lane. Then the columns are
// added in pairs from both ends. So the bits depend neither on threads nor on lanes, and a mirrored
// list has the same sum.

/// Adds up the sums of the columns of all bands.
pub(crate) fn mirrored_sum(partial: &[f32], columns: usize) -> f64 {
    let column =
        |i: usize| partial[i..].iter().step_by(columns).map(|sum| f64::from(*sum)).sum::<f64>();
    let pairs = (0..columns / 2).map(|i| column(i) + column(columns - 1 - i)).sum::<f64>();
    if columns % 2 == 1 { pairs + column(columns / 2) } else { pairs }
}

/// Adds the products of two rows to the sums of their columns.
#[inline(always)]
pub(crate) fn add_products(sums: &mut [f32], a: &[f32], b: &[f32]) {
    with_lanes(
        #[inline(always)]
        || {
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum += a * b;
            }
        },
    );
}

/// The largest absolute value in a list. NaN counts as 0.
pub(crate) fn largest(list: &[f32]) -> f32 {
    let larger = |most: f32, value: f32| if value.abs() > most { value.abs() } else { most };
    with_lanes(
        #[inline(always)]
        || {
            let mut most = [0.0; 16];
            let (chunks, rest) = list.as_chunks::<16>();
            for chunk in chunks {
                for (most, value) in most.iter_mut().zip(chunk) {
                    *most = larger(*most, *value);
                }
            }
            most.iter().chain(rest).copied().fold(0.0, larger)
        },
    )
}

/// A sum in fixed point. It does not depend on the order of the numbers, and is exact for numbers
/// of about the largest size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExactSum(i64);

impl ExactSum {
    /// The factor from numbers to fixed point, given the largest absolute value. It is a power of
    /// two with which no sum of [`MAX_CELLS`](crate::air::MAX_CELLS) numbers overflows.
    pub(crate) fn scale(largest: f32) -> f64 {
        let mut scale = 1.0;
        let largest = f64::from(largest);
        if largest <= 0.0 || !largest.is_finite() {
            return 1.0;
        }
        const MOST: f64 = (1_u64 << 40) as f64;
        while largest * scale > MOST {
            scale *= 0.5;
        }
        while largest * scale < 0.5 * MOST {
            scale *= 2.0;
        }
        scale
    }

    #[inline]
    pub(crate) fn add(&mut self, value: f32, scale: f64) {
        // Only infinite numbers saturate.
        self.0 = self.0.saturating_add((f64::from(value) * scale) as i64);
    }

    pub(crate) fn value(self, scale: f64) -> f64 {
        self.0 as f64 / scale
    }
}
