//! Viscosity: velocities spread to their neighbours, `velocity += dt viscosity laplacian`.
//!
//! Runge-Kutta-Legendre stages (Meyer, Balsara and Aslam 2012, "A second-order accurate
//! super-time-stepping formulation for anisotropic thermal conduction", RKL1): `s` stages are stable
//! for `(s^2 + s)/2` times the step of a single one, and never overshoot.

use crate::air::advection::trace::{Flow, Kind, Neighbour};
use crate::air::sides::{Side, Slip};
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// Most stages of a step: for 500 square cells of viscosity.
const MOST_STAGES: f32 = 64.0;

/// Lists of the stages.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViscosityWorkspace {
    x: [Vec<f32>; 2],
    y: [Vec<f32>; 2],
}

impl Air {
    pub(super) fn diffuse<E: Executor>(
        &mut self,
        time_step: f32,
        work: &mut ViscosityWorkspace,
        executor: &E,
    ) {
        let (cell, viscosity) = (self.grid.cell, self.settings.viscosity);
        if viscosity == 0.0 {
            return;
        }
        // In square cells. A single stage is stable up to 1/4, and at walls, where neighbours are
        // half as far, up to 1/6.
        let strength = viscosity * time_step / (cell * cell);
        let most = (MOST_STAGES * MOST_STAGES + MOST_STAGES) / 12.0;
        let strength = if strength < most { strength } else { most };
        let stages = (0.5 * ((1.0 + 48.0 * strength).sqrt() - 1.0)).ceil().max(1.0);
        let part = 2.0 * strength / (stages * stages + stages);
        work.x.iter_mut().for_each(|list| list.clone_from(&self.velocity_x));
        work.y.iter_mut().for_each(|list| list.clone_from(&self.velocity_y));
        for stage in 1..=stages as u32 {
            let number = stage as f32;
            let (last, before) = ((2.0 * number - 1.0) / number, (1.0 - number) / number);
            for (kind, lists) in [(Kind::FaceX, &mut work.x), (Kind::FaceY, &mut work.y)] {
                let [older, next] = lists;
                self.spread(kind, older, next, [last, before, last * part], executor);
                std::mem::swap(older, next);
            }
            // The last stage is in `older`, and the one before it in the state.
            std::mem::swap(&mut self.velocity_x, &mut work.x[0]);
            std::mem::swap(&mut self.velocity_y, &mut work.y[0]);
        }
    }

    /// A stage: `next = a now + b older + c laplacian(now)`.
    fn spread<E: Executor>(
        &self,
        kind: Kind,
        older: &[f32],
        next: &mut [f32],
        [a, b, c]: [f32; 3],
        executor: &E,
    ) {
        let across = kind == Kind::FaceX;
        let width = self.grid.columns + usize::from(across);
        let (now, open) = if across {
            (&self.velocity_x, &self.solids.open_x)
        } else {
            (&self.velocity_y, &self.solids.open_y)
        };
        let flow = Flow::of(self, 0.0);
        executor.for_each_chunk(next, width, |j, row: &mut [f32]| {
            for (i, next) in row.iter_mut().enumerate() {
                let face = j * width + i;
                if open[face] == 0.0 || self.has_given_velocity(kind, i, j) {
                    *next = now[face];
                    continue;
                }
                let around = if self.is_clear(kind, i, j) {
                    let sides = now[face - 1] + now[face + 1];
                    sides + (now[face - width] + now[face + width])
                } else {
                    self.around(&flow, kind, now, i, j)
                };
                *next = a * now[face] + b * older[face] + c * (around - 4.0 * now[face]);
            }
        });
    }

    fn is_clear(&self, kind: Kind, i: usize, j: usize) -> bool {
        let (columns, rows, clearance) =
            (self.grid.columns, self.grid.rows, &self.solids.clearance);
        let cell = j * columns + i;
        if kind == Kind::FaceX {
            i > 0 && i < columns && clearance[cell] > 0 && clearance[cell - 1] > 0
        } else {
            j > 0 && j < rows && clearance[cell] > 0 && clearance[cell - columns] > 0
        }
    }

    fn has_given_velocity(&self, kind: Kind, i: usize, j: usize) -> bool {
        let given = |side: Side| matches!(side, Side::Closed { .. } | Side::Inflow { .. });
        let (index, last, low, high) = match kind {
            Kind::FaceX => (i, self.grid.columns, self.sides.left, self.sides.right),
            _ => (j, self.grid.rows, self.sides.bottom, self.sides.top),
        };
        index == 0 && given(low) || index == last && given(high)
    }

    /// Sum of the four neighbours of a face beside walls or sides.
    fn around(&self, flow: &Flow<'_>, kind: Kind, now: &[f32], i: usize, j: usize) -> f32 {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let across = kind == Kind::FaceX;
        let width = columns + usize::from(across);
        let here = now[j * width + i];
        let (along, count, periodic) = if across {
            (i, columns, self.sides.periodic_x())
        } else {
            (j, rows, self.sides.periodic_y())
        };
        // The next face across; beyond an opening the velocity is the same.
        let at =
            |index: usize| if across { now[j * width + index] } else { now[index * width + i] };
        let before = match along {
            0 if periodic => at(count - 1),
            0 => here,
            _ => at(along - 1),
        };
        let after = match along {
            _ if along == count && periodic => at(1),
            _ if along == count => here,
            _ => at(along + 1),
        };
        // The next face along the wall: through both cells of this face, or else a wall.
        let beside = |forward: bool| {
            let cells = [along.checked_sub(1), (along < count).then_some(along)];
            let mut next = None;
            for cell in cells.into_iter().flatten() {
                let (ci, cj) = if across { (cell, j) } else { (i, cell) };
                match flow.neighbour(ci, cj, !across, forward) {
                    Neighbour::Cell(ni, nj) => {
                        let found = if across { now[nj * width + i] } else { now[j * width + ni] };
                        next = next.or(Some(found));
                    }
                    Neighbour::Wall(Slip::Free) => return here,
                    Neighbour::Wall(Slip::NoSlip { velocity }) => return 2.0 * velocity - here,
                    Neighbour::Outside(Side::Inflow { velocity, .. }) => {
                        return if across { velocity.x } else { velocity.y };
                    }
                    Neighbour::Outside(_) => return here,
                }
            }
            next.unwrap_or(here)
        };
        (before + after) + (beside(false) + beside(true))
    }
}
