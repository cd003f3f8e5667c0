//! Advection of the velocities.

use crate::air::advection::trace::{Axis, Flow, Kind, Sampled, between};
use crate::air::advection::{AdvectionWorkspace, BAND, corrected, without_traces};
use crate::air::sides::Side;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

impl Air {
    pub(super) fn advect_velocities<E: Executor>(
        &mut self,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &E,
    ) {
        let mut next_x = std::mem::take(&mut work.next_x);
        let mut next_y = std::mem::take(&mut work.next_y);
        self.advect_component(Kind::FaceX, &mut next_x, scale, second_order, work, executor);
        self.advect_component(Kind::FaceY, &mut next_y, scale, second_order, work, executor);
        work.next_x = std::mem::replace(&mut self.velocity_x, next_x);
        work.next_y = std::mem::replace(&mut self.velocity_y, next_y);
    }

    fn advect_component<E: Executor>(
        &self,
        kind: Kind,
        next: &mut Vec<f32>,
        scale: f32,
        second_order: bool,
        work: &mut AdvectionWorkspace,
        executor: &E,
    ) {
        let across = kind == Kind::FaceX;
        let width = self.grid.columns + usize::from(across);
        let (list, open) = if across {
            (&self.velocity_x, &self.solids.open_x)
        } else {
            (&self.velocity_y, &self.solids.open_y)
        };
        let AdvectionWorkspace { carried, low, high, .. } = work;
        for into in [&mut *carried, &mut *low, &mut *high, &mut *next] {
            into.resize(list.len(), 0.0);
        }
        let back = Flow::of(self, -scale);
        let data = (&mut carried[..], &mut low[..], &mut high[..]);
        executor.for_each_chunk(data, BAND * width, |band, (carried, low, high)| {
            let first = band * BAND * width;
            for index in 0..carried.len() {
                let (i, j) = ((first + index) % width, (first + index) / width);
                let sampled = if open[first + index] > 0.0 && !self.is_given(kind, i, j) {
                    back.velocity_from(list, kind, i, j).0
                } else {
                    Sampled::all(list[first + index])
                };
                (carried[index], low[index], high[index]) =
                    (without_traces(sampled.value), sampled.low, sampled.high);
            }
        });
        let (carried, low, high) = (&*carried, &*low, &*high);
        if !second_order {
            next.copy_from_slice(carried);
            return;
        }
        let (next_x, next_y): (&[f32], &[f32]) =
            if across { (carried, &self.velocity_y) } else { (&self.velocity_x, carried) };
        let forth = Flow::of(self, scale);
        let there = Flow { velocity_x: next_x, velocity_y: next_y, ..forth };
        executor.for_each_chunk(&mut next[..], BAND * width, |band, next: &mut [f32]| {
            let first = band * BAND * width;
            for (index, next) in next.iter_mut().enumerate() {
                let face = first + index;
                *next = carried[face];
                if low[face] < high[face] {
                    let (i, j) = (face % width, face / width);
                    let (value, stopped) = forth.velocity_of(&there, carried, kind, i, j);
                    if !stopped {
                        *next = corrected(
                            list[face],
                            carried[face],
                            value.value,
                            low[face],
                            high[face],
                        );
                    }
                }
            }
        });
    }

    /// Whether the velocity across a face on a side is given.
    fn is_given(&self, kind: Kind, i: usize, j: usize) -> bool {
        let given = |side: Side| matches!(side, Side::Closed { .. } | Side::Inflow { .. });
        let (index, last, low, high) = match kind {
            Kind::FaceX => (i, self.grid.columns, self.sides.left, self.sides.right),
            _ => (j, self.grid.rows, self.sides.bottom, self.sides.top),
        };
        index == 0 && given(low) || index == last && given(high)
    }
}

impl Flow<'_> {
    /// The velocity across a face where the way from it leads, and whether the way was stopped.
    #[inline(always)]
    fn velocity_from(&self, list: &[f32], kind: Kind, i: usize, j: usize) -> (Sampled, bool) {
        self.velocity_of(self, list, kind, i, j)
    }

    /// The same with the velocities of another flow at the end of the way.
    #[inline(always)]
    fn velocity_of(
        &self,
        values: &Self,
        list: &[f32],
        kind: Kind,
        i: usize,
        j: usize,
    ) -> (Sampled, bool) {
        let width = self.columns + usize::from(kind == Kind::FaceX);
        if let Some([x, y]) = self.clear_way(kind, i, j) {
            let (x, y) = (Axis::new(x, 0.0), Axis::new(y, 0.0));
            return (between(list, width, (i, j), x, y), false);
        }
        self.walked_velocity(values, kind, i, j)
    }

    #[inline(never)]
    fn walked_velocity(&self, values: &Self, kind: Kind, i: usize, j: usize) -> (Sampled, bool) {
        let place = self.walk(kind, i, j);
        let sampled =
            if kind == Kind::FaceX { values.x_sampled(place) } else { values.y_sampled(place) };
        (sampled, place.stopped)
    }
}
