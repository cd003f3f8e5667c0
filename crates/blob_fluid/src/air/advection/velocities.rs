//! Advection of the velocities.
//!
//! Half of the last pressure's push acts before the advection, and is carried along; the projection
//! finds the rest. So the push is the mean of those at both ends of the way, as in a trapezoidal
//! step, and eddies keep nearly all of their energy (the idea of Zehnder, Narain and Thomaszewski
//! 2018, "An advection-reflection solver for detail-preserving fluid simulation", with the pressure
//! of the last step in the place of a second projection).
//!
//! Air that comes in at an opening was at rest a cell further out. If it brought a velocity with it,
//! an eddy that meets the opening would draw in energy without limit ("backflow divergence": Esmaily
//! Moghadam et al. 2011, "A comparison of outlet boundary treatments for prevention of backflow
//! divergence with relevance to blood flow simulations").

use crate::air::advection::AdvectionWorkspace;
use crate::air::advection::trace::{Flow, Kind, Sampled};
use crate::air::advection::walk::{CellsAround, Place};
use crate::air::projection::level::with_lanes;
use crate::air::sides::AirSide;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

impl Air {
    pub(super) fn advect_velocities(
        &mut self,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        self.push_half(scale, work);
        let mut next_x = std::mem::take(&mut work.next_x);
        let mut next_y = std::mem::take(&mut work.next_y);
        self.advect_component(Kind::FaceX, &mut next_x, scale, second_order, work, executor);
        self.advect_component(Kind::FaceY, &mut next_y, scale, second_order, work, executor);
        work.next_x = std::mem::replace(&mut self.velocity_x, next_x);
        work.next_y = std::mem::replace(&mut self.velocity_y, next_y);
    }

    fn advect_component(
        &self,
        kind: Kind,
        next: &mut Vec<f32>,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &dyn Executor,
    ) {
        let across = kind == Kind::FaceX;
        let width = self.grid.columns + usize::from(across);
        let AdvectionWorkspace { back, forth, carried, pushed_x, pushed_y, .. } = work;
        let list = if across { &*pushed_x } else { &*pushed_y };
        let flow = Flow::of(self, -scale);
        back.find(&flow, kind, executor);
        let sample = |flow: &Flow<'_>, place| {
            if across { flow.x_sampled(place) } else { flow.y_sampled(place) }
        };
        let from = Flow { velocity_x: pushed_x, velocity_y: pushed_y, ..flow };
        let came_from = |place, _: Option<&CellsAround>| coming_in(place, sample(&from, place));
        carried.carry(list, width, back, came_from, executor);
        if !second_order {
            next.clone_from(&carried.values);
            return;
        }
        forth.find(&Flow { scale, ..flow }, kind, executor);
        let there = if across {
            Flow { velocity_x: &carried.values, ..flow }
        } else {
            Flow { velocity_y: &carried.values, ..flow }
        };
        next.clone_from(list);
        let there = |place, _: Option<&CellsAround>| sample(&there, place);
        carried.correct(next, width, forth, there, executor);
    }

    /// Writes the velocities after half of the push of the last pressures.
    fn push_half(&self, scale: f32, work: &mut AdvectionWorkspace) {
        let AdvectionWorkspace { pushed_x, pushed_y, .. } = work;
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        let factor = 0.5 * scale / self.settings.density;
        let factor = if factor.is_finite() { factor } else { 0.0 };
        let (open_x, open_y) = (&self.solids.open_x, &self.solids.open_y);
        let pushed = |velocity: f32, open: f32, before: f32, here: f32| {
            let now = velocity - factor * (here - before);
            if open > 0.0 && now.abs() < 1e13 { now } else { velocity }
        };
        // At an opening the pressure is 0, and beyond a periodic side it is that of the other side.
        let open_side = |side: AirSide, here: f32, across: f32| match side {
            AirSide::Open => -here,
            AirSide::Periodic => across,
            AirSide::Closed { .. } | AirSide::Inflow { .. } => here,
        };
        pushed_x.clone_from(&self.velocity_x);
        for (j, row) in pushed_x.chunks_exact_mut(columns + 1).enumerate() {
            let open = &open_x[j * (columns + 1)..][..columns + 1];
            let pressures = &self.pressure[j * columns..][..columns];
            let (first, last) = (pressures[0], pressures[columns - 1]);
            let left = open_side(self.sides.left, first, last);
            let right = open_side(self.sides.right, last, first);
            row[0] = pushed(row[0], open[0], left, first);
            row[columns] = pushed(row[columns], open[columns], last, right);
            with_lanes(
                #[inline(always)]
                || {
                    let (row, open) = (&mut row[1..columns], &open[1..columns]);
                    let (before, here) = (&pressures[..columns - 1], &pressures[1..]);
                    for i in 0..row.len() {
                        row[i] = pushed(row[i], open[i], before[i], here[i]);
                    }
                },
            );
        }
        pushed_y.clone_from(&self.velocity_y);
        for (j, row) in pushed_y.chunks_exact_mut(columns).enumerate() {
            let open = &open_y[j * columns..][..columns];
            let cells = |j: usize| &self.pressure[j * columns..][..columns];
            if j > 0 && j < rows {
                let (before, here) = (cells(j - 1), cells(j));
                with_lanes(
                    #[inline(always)]
                    || {
                        for i in 0..row.len() {
                            row[i] = pushed(row[i], open[i], before[i], here[i]);
                        }
                    },
                );
                continue;
            }
            let (first, last) = (cells(0), cells(rows - 1));
            for i in 0..columns {
                let (before, here) = if j == 0 {
                    (open_side(self.sides.bottom, first[i], last[i]), first[i])
                } else {
                    (last[i], open_side(self.sides.top, last[i], first[i]))
                };
                row[i] = pushed(row[i], open[i], before, here);
            }
        }
    }
}

/// A velocity at the end of a way back: that of the air there, mixed with air at rest as far as the
/// way led out through an opening.
fn coming_in(place: Place, Sampled { value, low, high }: Sampled) -> Sampled {
    if place.left_by != Some(AirSide::Open) {
        return Sampled { value, low, high };
    }
    let share = if place.beyond < 1.0 { 1.0 - place.beyond } else { 0.0 };
    let (low, high) = (if low < 0.0 { low } else { 0.0 }, if high > 0.0 { high } else { 0.0 });
    Sampled { value: share * value, low, high }
}
