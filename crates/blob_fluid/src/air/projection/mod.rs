//! Projection: pressures that make the flux through the faces of every cell balance.
//!
//! With `q` the pressure times `dt/(density h)`, a velocity, the pass solves
//! `sum over faces of w (q - q_neighbour) = b` in every cell, where `b` is the flux that comes in too
//! much, and then subtracts the differences of `q` from the velocities. The coefficients `w` of the
//! faces hold walls, cut cells, openings and a liquid's share (Batty, Bertails and Bridson 2007).
//! The search starts from the last pressures: their differences are subtracted first, and only the
//! rest of the divergence is solved for. So rounding is relative to velocities and not to pressures.

mod conjugate_gradients;
mod flux;
mod gauss_seidel;
pub(crate) mod level;
mod multigrid;
mod pockets;
pub(crate) mod sums;

use crate::air::report::AirReport;
use crate::air::settings::AirProjection;
use crate::air::state::Air;
use crate::parallel::executor::Executor;
use multigrid::Multigrid;
use sums::largest;

/// Arrays of the projection, which are found anew from the state where it has changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProjectionWorkspace {
    multigrid: Multigrid,
    /// The version of the solids that the coefficients were made of.
    version: Option<u64>,
    /// The solution.
    pub(super) solution: Vec<f32>,
    /// Room for the next solution, and for the best where the next is worse.
    pub(super) next: Vec<f32>,
    pub(super) best: Vec<f32>,
    /// The search direction, and the operator applied to it.
    pub(super) direction: Vec<f32>,
    pub(super) applied: Vec<f32>,
    /// Sums over the columns of a band of rows.
    pub(super) partial: Vec<f32>,
}

/// What a solver reached.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solved {
    pub iterations: u32,
    /// Square of the norm of what is left of the right-hand side.
    pub squared: f64,
}

impl Air {
    /// Makes the velocities free of divergence, but for the volume that sources add.
    pub(super) fn project(
        &mut self,
        time_step: f32,
        work: &mut ProjectionWorkspace,
        executor: &dyn Executor,
    ) -> AirReport {
        work.prepare(self);
        let to_velocity = time_step / (self.settings.density * self.grid.cell);
        let to_velocity = if to_velocity.is_finite() { to_velocity } else { 0.0 };
        // The unit of the solver: with it, no square is too large or too small for a number.
        self.find_inflow(&mut work.multigrid.levels[0], executor);
        let (blocked, before) = self.balance_pockets(work, executor);
        // The advection has applied the other half.
        self.load_pressure(0.5 * to_velocity, work);
        self.subtract_differences(work, executor);
        let most = self.find_inflow(&mut work.multigrid.levels[0], executor);
        self.balance_pockets(work, executor);
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

    /// Puts the last pressures, as velocities, in the place of the solution.
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
    /// Makes arrays and coefficients for the present grid, solids and liquid.
    fn prepare(&mut self, air: &Air) {
        let liquid = air.liquid.is_present();
        if self.version == Some(air.solids.version) && !liquid {
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
        // The coefficients of a liquid change with every step.
        self.version = (!liquid).then_some(air.solids.version);
    }

    fn scale_solution(&mut self, factor: f32, executor: &dyn Executor) {
        let level = &self.multigrid.levels[0];
        level.for_each_row(&mut self.solution, executor, |_, row| {
            row.iter_mut().for_each(|value| *value *= factor);
        });
        level.wrap(&mut self.solution);
    }
}
