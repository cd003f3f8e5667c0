//! Buoyancy and the weight of smoke (Boussinesq's approximation; Fedkiw, Stam and Jensen 2001, eq. 8).
//!
//! `velocity += dt gravity (smoke_weight smoke - buoyancy heat)`, with the mean of the two cells of a
//! face. The weight of the air itself is balanced by the pressure at rest and is left out.

use crate::air::channel::AirChannel;
use crate::air::projection::level::with_lanes;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

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
