//! Fluxes through faces, and the differences of pressure that change them.

use crate::air::coupling::LiquidShare;
use crate::air::projection::ProjectionWorkspace;
use crate::air::projection::level::{Level, with_lanes};
use crate::air::projection::sums::largest;
use crate::air::sides::AirSide;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

impl Air {
    /// Writes the flux that comes into every cell too much (in world units/s, per side of a cell) as
    /// the right-hand side. Returns the largest.
    pub(super) fn find_inflow(&self, level: &mut Level, executor: &dyn Executor) -> f32 {
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
        let lists = [
            &self.velocity_x,
            &solids.open_x,
            &solids.solid_x,
            &liquid.share_x,
            &liquid.velocity_x,
        ];
        flux(lists, faces, into);
    }

    /// Fluxes through a row of horizontal faces.
    #[inline(always)]
    fn flux_y(&self, j: usize, into: &mut [f32]) {
        let faces = j * self.grid.columns..(j + 1) * self.grid.columns;
        let (liquid, solids) = (&self.liquid, &self.solids);
        let lists = [
            &self.velocity_y,
            &solids.open_y,
            &solids.solid_y,
            &liquid.share_y,
            &liquid.velocity_y,
        ];
        flux(lists, faces, into);
    }

    /// Subtracts the differences of the solution from the velocities of air and liquid.
    pub(super) fn subtract_differences(
        &mut self,
        work: &ProjectionWorkspace,
        executor: &dyn Executor,
    ) {
        let level = &work.multigrid.levels[0];
        let (columns, rows, stride) = (self.grid.columns, self.grid.rows, level.stride);
        let (solution, sides) = (&work.solution, &self.sides);
        let LiquidShare { velocity_x, velocity_y, ratio_x, ratio_y, .. } = &mut self.liquid;
        // The ratio of the air itself is 1.
        let lists = [(&mut self.velocity_x, &[][..]), (velocity_x, &ratio_x[..])];
        for (velocities, ratios) in lists.into_iter().filter(|(list, _)| !list.is_empty()) {
            executor.for_each_chunk(&mut velocities[..], columns + 1, |j, row: &mut [f32]| {
                let first = (j + 1) * stride + 1;
                let weights = &level.weight_x[first..][..columns + 1];
                let ratios = ratios.get(j * (columns + 1)..(j + 1) * (columns + 1));
                let ratio = |i: usize| ratios.map_or(1.0, |ratios| ratios[i]);
                let (left, here) = (&solution[first - 1..], &solution[first..]);
                subtract(row, ratios, weights, &left[..columns + 1], &here[..columns + 1]);
                // The 0 of an opening is at the face, half as far.
                if sides.left == AirSide::Open && weights[0] > 0.0 {
                    row[0] -= ratio(0) * here[0];
                }
                if sides.right == AirSide::Open && weights[columns] > 0.0 {
                    row[columns] += ratio(columns) * left[columns];
                }
            });
        }
        let lists = [(&mut self.velocity_y, &[][..]), (velocity_y, &ratio_y[..])];
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
fn flux(lists: [&Vec<f32>; 5], faces: std::ops::Range<usize>, into: &mut [f32]) {
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
