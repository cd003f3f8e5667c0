//! Advection of the velocities.

use crate::air::advection::AdvectionWorkspace;
use crate::air::advection::trace::{Flow, Kind};
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
        let list = if across { &self.velocity_x } else { &self.velocity_y };
        let AdvectionWorkspace { back, forth, carried, .. } = work;
        let flow = Flow::of(self, -scale);
        back.find(&flow, kind, executor);
        let sample = |flow: &Flow<'_>, place| {
            if across { flow.x_sampled(place) } else { flow.y_sampled(place) }
        };
        carried.carry(list, width, back, |place| sample(&flow, place), executor);
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
        carried.correct(next, width, forth, |place| sample(&there, place), executor);
    }
}
