//! Buoyancy and the weight of smoke (Boussinesq's approximation; Fedkiw, Stam and Jensen 2001, eq. 8).
//!
//! `velocity += dt gravity (smoke_weight smoke - buoyancy heat)`, with the mean of the two cells of a
//! face. The weight of the air itself is balanced by the pressure at rest and is left out.

use glam::Vec2;

use crate::Executor;
use crate::air::advection::trace::{Flow, Kind, Neighbour};
use crate::air::projection::multigrid::with_lanes;
use crate::air::{Air, AirChannel, AirSide, AirSlip};

impl Air {
    pub(super) fn apply_forces(&mut self, time_step: f32, executor: &dyn Executor) {
        let settings = &self.settings;
        for (channel, factor) in
            [(AirChannel::Heat, -settings.buoyancy), (AirChannel::Smoke, settings.smoke_weight)]
        {
            let list = &self.channels[channel as usize];
            let push = 0.5 * time_step * factor * settings.gravity;
            let columns = self.grid.columns;
            if list.is_empty() {
                continue;
            }
            if push.x != 0.0 {
                executor.for_each_chunk(
                    &mut self.velocity_x[..],
                    columns + 1,
                    |j, row: &mut [f32]| {
                        let cells = &list[j * columns..][..columns];
                        for i in 1..columns {
                            row[i] += push.x * (cells[i - 1] + cells[i]);
                        }
                        row[0] += 2.0 * push.x * cells[0];
                        row[columns] += 2.0 * push.x * cells[columns - 1];
                    },
                );
            }
            if push.y != 0.0 {
                let last = self.grid.rows - 1;
                executor.for_each_chunk(&mut self.velocity_y[..], columns, |j, row: &mut [f32]| {
                    let below = &list[j.saturating_sub(1) * columns..][..columns];
                    let above = &list[j.min(last) * columns..][..columns];
                    with_lanes(
                        #[inline(always)]
                        || {
                            for i in 0..row.len() {
                                row[i] += push.y * (below[i] + above[i]);
                            }
                        },
                    );
                });
            }
        }
    }
}

// Vorticity confinement (Fedkiw, Stam and Jensen 2001, eq. 9 to 11): a force
// `strength h (N x vorticity)`, where `N` points towards greater vorticity. It drives eddies that the
// grid has damped.

/// Lists of the confinement.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfinementWorkspace {
    vorticity: Vec<f32>,
    /// Half of the change of velocity of every cell: its part for each of its faces along an axis.
    change: Vec<Vec2>,
}

impl Air {
    pub(super) fn confine_vorticity(
        &mut self,
        time_step: f32,
        work: &mut ConfinementWorkspace,
        executor: &dyn Executor,
    ) {
        let strength = self.settings.vorticity_confinement;
        if strength == 0.0 {
            return;
        }
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let ConfinementWorkspace { vorticity, change } = work;
        vorticity.resize(columns * rows, 0.0);
        executor.for_each_chunk(&mut vorticity[..], columns, |j, row: &mut [f32]| {
            self.vorticities_of_row(j, row);
        });
        let vorticity = &*vorticity;
        let clearance = &self.solids.clearance;
        let push = time_step * strength * self.grid.cell;
        change.resize(columns * rows, Vec2::ZERO);
        executor.for_each_chunk(&mut change[..], columns, |j, row: &mut [Vec2]| {
            for (i, into) in row.iter_mut().enumerate() {
                let index = j * columns + i;
                *into = Vec2::ZERO;
                if clearance[index] == 0 || self.grid.on_side(i, j) {
                    continue;
                }
                let size = |index: usize| vorticity[index].abs();
                let across = size(index + 1) - size(index - 1);
                let along = size(index + columns) - size(index - columns);
                let direction = Vec2::new(across, along).try_normalize().unwrap_or(Vec2::ZERO);
                *into = 0.5 * push * vorticity[index] * Vec2::new(direction.y, -direction.x);
            }
        });
        let change = &*change;
        executor.for_each_chunk(&mut self.velocity_x[..], columns + 1, |j, row: &mut [f32]| {
            let change = &change[j * columns..][..columns];
            for (velocity, both) in row[1..columns].iter_mut().zip(change.windows(2)) {
                *velocity += both[0].x + both[1].x;
            }
        });
        executor.for_each_chunk(&mut self.velocity_y[..], columns, |j, row: &mut [f32]| {
            if j > 0 && j < rows {
                let below = &change[(j - 1) * columns..][..columns];
                let above = &change[j * columns..][..columns];
                for (velocity, (below, above)) in row.iter_mut().zip(below.iter().zip(above)) {
                    *velocity += below.y + above.y;
                }
            }
        });
    }
}

// Viscosity: velocities spread to their neighbours, `velocity += dt viscosity laplacian`.
//
// Runge-Kutta-Legendre stages (Meyer, Balsara and Aslam 2014, "A stabilized Runge-Kutta-Legendre
// method for explicit super-time-stepping of parabolic and mixed equations", RKL2): `s` stages are
// second-order accurate, and stable for `(s^2 + s - 2)/4` times the step of a single one.

/// Largest number of stages of a step, an odd number. It is enough for 400 square cells of
/// viscosity.
const MOST_STAGES: f32 = 99.0;

/// A face less open than this has its middle in a solid, which holds the air there if air sticks to
/// solids.
const HELD: f32 = 0.5;

/// Lists of the stages.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViscosityWorkspace {
    x: Stages,
    y: Stages,
}

/// The velocities of one kind of faces in the last stages. Those of the present stage are in the
/// state.
#[derive(Clone, Debug, Default)]
struct Stages {
    /// The velocities before all stages, and their Laplacian.
    start: Vec<f32>,
    slope: Vec<f32>,
    older: Vec<f32>,
    next: Vec<f32>,
}

/// Factors of a stage.
#[derive(Clone, Copy, Debug, Default)]
struct Factors {
    now: f32,
    older: f32,
    start: f32,
    laplacian: f32,
    slope: f32,
}

impl Factors {
    /// The factors of stage `number`, from 1 on, of stages of `part` square cells each.
    fn of(number: u32, part: f32) -> Self {
        let b = |j: u32| {
            let n = j as f32;
            if j < 3 { 1.0 / 3.0 } else { (n * n + n - 2.0) / (2.0 * n * (n + 1.0)) }
        };
        if number == 1 {
            return Self { now: 1.0, laplacian: b(1) * part, ..Self::default() };
        }
        let n = number as f32;
        let now = (2.0 * n - 1.0) / n * b(number) / b(number - 1);
        let older = -(n - 1.0) / n * b(number) / b(number - 2);
        let laplacian = now * part;
        let slope = (b(number - 1) - 1.0) * laplacian;
        Self { now, older, start: 1.0 - now - older, laplacian, slope }
    }
}

impl Air {
    pub(super) fn diffuse(
        &mut self,
        time_step: f32,
        work: &mut ViscosityWorkspace,
        executor: &dyn Executor,
    ) {
        let (cell, viscosity) = (self.grid.cell, self.settings.viscosity);
        if viscosity == 0.0 {
            return;
        }
        self.hold_faces();
        // In square cells. A single stage is stable up to 1/4, and at walls, where neighbours are
        // half as far, up to 1/6.
        let strength = viscosity * time_step / (cell * cell);
        let most = (MOST_STAGES * MOST_STAGES + MOST_STAGES - 2.0) / 24.0;
        let strength = if strength < most { strength } else { most };
        let stages = (0.5 * ((9.0 + 96.0 * strength).sqrt() - 1.0)).ceil().max(3.0) as u32 | 1;
        let square = (stages * stages + stages - 2) as f32;
        let part = 4.0 * strength / square;
        for (stages, list) in [(&mut work.x, &self.velocity_x), (&mut work.y, &self.velocity_y)] {
            for into in [&mut stages.start, &mut stages.slope, &mut stages.older, &mut stages.next]
            {
                into.clone_from(list);
            }
        }
        // The Laplacian of the start, as a stage with no other factor.
        let only_laplacian = Factors { laplacian: 1.0, ..Factors::default() };
        for (kind, stages) in [(Kind::FaceX, &mut work.x), (Kind::FaceY, &mut work.y)] {
            stages.slope.fill(0.0);
            self.spread(kind, stages, only_laplacian, executor);
            std::mem::swap(&mut stages.slope, &mut stages.next);
        }
        for number in 1..=stages {
            let factors = Factors::of(number, part);
            for (kind, stages) in [(Kind::FaceX, &mut work.x), (Kind::FaceY, &mut work.y)] {
                self.spread(kind, stages, factors, executor);
                std::mem::swap(&mut stages.older, &mut stages.next);
            }
            // The last stage is in `older`, and the one before it in the state.
            std::mem::swap(&mut self.velocity_x, &mut work.x.older);
            std::mem::swap(&mut self.velocity_y, &mut work.y.older);
        }
        self.apply_walls();
    }

    /// Gives faces whose middle is in a solid the solid's velocity, if air sticks to solids.
    fn hold_faces(&mut self) {
        if !self.settings.solids_no_slip {
            return;
        }
        let solids = &self.solids;
        for (velocities, open, solid) in [
            (&mut self.velocity_x, &solids.open_x, &solids.solid_x),
            (&mut self.velocity_y, &solids.open_y, &solids.solid_y),
        ] {
            for (face, velocity) in velocities.iter_mut().enumerate() {
                if open[face] > 0.0 && open[face] < HELD {
                    *velocity = solid.get(face).copied().unwrap_or(0.0);
                }
            }
        }
    }

    /// A stage: the next velocities are a sum of earlier velocities and of Laplacians.
    fn spread(&self, kind: Kind, stages: &mut Stages, factors: Factors, executor: &dyn Executor) {
        let across = kind == Kind::FaceX;
        let width = self.grid.columns + usize::from(across);
        let (now, open) = if across {
            (&self.velocity_x, &self.solids.open_x)
        } else {
            (&self.velocity_y, &self.solids.open_y)
        };
        let flow = Flow::of(self, 0.0);
        let held = if self.settings.solids_no_slip { HELD } else { f32::MIN_POSITIVE };
        let Stages { start, slope, older, next } = stages;
        executor.for_each_chunk(&mut next[..], width, |j, row: &mut [f32]| {
            for (i, next) in row.iter_mut().enumerate() {
                let face = j * width + i;
                if open[face] < held || self.has_given_velocity(kind, i, j) {
                    *next = (factors.now + factors.older + factors.start) * now[face];
                    continue;
                }
                let around = if self.is_clear(kind, i, j) {
                    let sides = now[face - 1] + now[face + 1];
                    sides + (now[face - width] + now[face + width])
                } else {
                    self.around(&flow, kind, now, i, j)
                };
                let before = factors.older * older[face] + factors.start * start[face];
                let spread = factors.laplacian * (around - 4.0 * now[face]);
                *next = (factors.now * now[face] + before) + (spread + factors.slope * slope[face]);
            }
        });
    }

    fn is_clear(&self, kind: Kind, i: usize, j: usize) -> bool {
        let (columns, rows, clearance) =
            (self.grid.columns, self.grid.rows, &self.solids.clearance);
        let clear = |i: usize, j: usize| !self.grid.on_side(i, j) && clearance[j * columns + i] > 0;
        if kind == Kind::FaceX {
            i > 0 && i < columns && clear(i, j) && clear(i - 1, j)
        } else {
            j > 0 && j < rows && clear(i, j) && clear(i, j - 1)
        }
    }

    fn has_given_velocity(&self, kind: Kind, i: usize, j: usize) -> bool {
        let given = |side: AirSide| matches!(side, AirSide::Closed { .. } | AirSide::Inflow { .. });
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
        // The next face along the wall, found through both cells of this face, or the wall there.
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
                    Neighbour::Wall(AirSlip::Free) => return here,
                    Neighbour::Wall(AirSlip::NoSlip { velocity }) => return 2.0 * velocity - here,
                    Neighbour::Outside(AirSide::Inflow { velocity, .. }) => {
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
