//! A step of the air.

use glam::Vec2;

use crate::air::channel::Channel;
use crate::air::error::AirError;
use crate::air::report::AirReport;
use crate::air::sides::Side;
use crate::air::state::Air;
use crate::parallel::executor::Executor;

/// What a step derives from the state. It can be thrown away between two steps.
#[derive(Clone, Debug, Default)]
pub struct AirWorkspace {
    values: Vec<f32>,
}

impl Air {
    /// Steps the air by `time_step` seconds; 0 changes nothing.
    ///
    /// # Errors
    ///
    /// Returns [`AirError::TimeStep`] for a time step that is negative or not finite.
    pub fn step<E: Executor>(
        &mut self,
        time_step: f32,
        workspace: &mut AirWorkspace,
        executor: &E,
    ) -> Result<AirReport, AirError> {
        if !(time_step.is_finite() && time_step >= 0.0) {
            return Err(AirError::TimeStep(time_step));
        }
        if time_step == 0.0 {
            return Ok(AirReport::default());
        }
        let _ = executor;
        self.apply_sources(time_step);
        self.apply_forces(time_step);
        let report = self.relax_pressure(time_step);
        self.carry(time_step, &mut workspace.values);
        self.time += f64::from(time_step);
        Ok(report)
    }

    fn apply_sources(&mut self, time_step: f32) {
        let (grid, columns) = (self.grid, self.grid.columns);
        for source in self.sources.clone() {
            let amounts = [
                (Channel::Smoke, source.smoke),
                (Channel::Heat, source.heat),
                (Channel::Fuel, source.fuel),
            ];
            let time = if source.burst { 1.0 } else { time_step };
            for (channel, rate) in amounts.into_iter().filter(|amount| amount.1 != 0.0) {
                let cells = self.channel_mut(channel);
                grid.for_each_cell_in(&source.region, |index| cells[index] += rate * time);
            }
            if let Some(wind) = source.wind {
                grid.for_each_cell_in(&source.region, |index| {
                    let left = index / columns * (columns + 1) + index % columns;
                    self.velocity_x[left] = wind.velocity.x;
                    self.velocity_y[index] = wind.velocity.y;
                });
            }
        }
        self.sources.retain(|source| !source.burst);
    }

    fn apply_forces(&mut self, time_step: f32) {
        let columns = self.grid.columns;
        let heat = &self.channels[Channel::Heat as usize];
        if !heat.is_empty() {
            let rise = -self.settings.gravity.y * self.settings.buoyancy * time_step;
            for (index, v) in self.velocity_y.iter_mut().enumerate().take(heat.len()).skip(columns)
            {
                *v += 0.5 * rise * (heat[index - columns] + heat[index]);
            }
        }
    }

    fn relax_pressure(&mut self, time_step: f32) -> AirReport {
        let (columns, rows) = (self.grid.columns, self.grid.rows);
        for j in 0..rows {
            self.velocity_x[j * (columns + 1)] = 0.0;
            self.velocity_x[j * (columns + 1) + columns] = 0.0;
        }
        self.velocity_y[..columns].fill(0.0);
        if self.sides.top != Side::Open {
            self.velocity_y[columns * rows..].fill(0.0);
        }
        self.pressure.fill(0.0);
        let to_pressure = self.settings.density * self.grid.cell / time_step;
        for _ in 0..60 {
            for colour in 0..2 {
                for j in 0..rows {
                    for i in 0..columns {
                        if (i + j) % 2 != colour {
                            continue;
                        }
                        let (index, left) = (j * columns + i, j * (columns + 1) + i);
                        let top =
                            if j + 1 < rows || self.sides.top == Side::Open { 1.0 } else { 0.0 };
                        let open = [
                            if i > 0 { 1.0 } else { 0.0 },
                            if i + 1 < columns { 1.0 } else { 0.0 },
                            if j > 0 { 1.0 } else { 0.0 },
                            top,
                        ];
                        let sum = (open[0] + open[1]) + (open[2] + open[3]);
                        let out = (self.velocity_x[left + 1] - self.velocity_x[left])
                            + (self.velocity_y[index + columns] - self.velocity_y[index]);
                        if sum == 0.0 {
                            continue;
                        }
                        let push = -1.9 * out / sum;
                        self.pressure[index] += push * to_pressure;
                        self.velocity_x[left] -= push * open[0];
                        self.velocity_x[left + 1] += push * open[1];
                        self.velocity_y[index] -= push * open[2];
                        self.velocity_y[index + columns] += push * open[3];
                    }
                }
            }
        }
        let max_speed =
            self.velocity_x.iter().chain(&self.velocity_y).fold(0.0, |m: f32, v| m.max(v.abs()));
        AirReport { iterations: 60, max_speed, ..AirReport::default() }
    }

    fn carry(&mut self, time_step: f32, values: &mut Vec<f32>) {
        let air = self.clone();
        let back = |place: Vec2| {
            let bounds = air.bounds();
            let inside = place.clamp(bounds.low, bounds.high);
            let middle = inside - 0.5 * time_step * air.velocity_at(inside).unwrap_or_default();
            let velocity =
                air.velocity_at(middle.clamp(bounds.low, bounds.high)).unwrap_or_default();
            (inside - time_step * velocity).clamp(bounds.low, bounds.high)
        };
        let (columns, cell) = (self.grid.columns, self.grid.cell);
        for channel in Channel::ALL {
            if !self.channel(channel).is_empty() {
                values.clear();
                values.extend((0..self.grid.cells()).map(|index| {
                    air.value_at(channel, back(air.cell_centre(index))).unwrap_or(0.0)
                }));
                self.channels[channel as usize].copy_from_slice(values);
            }
        }
        for (index, u) in self.velocity_x.iter_mut().enumerate() {
            let (i, j) = (index % (columns + 1), index / (columns + 1));
            let place = air.grid.low + Vec2::new(i as f32, j as f32 + 0.5) * cell;
            *u = air.velocity_at(back(place)).unwrap_or_default().x;
        }
        for (index, v) in self.velocity_y.iter_mut().enumerate() {
            let (i, j) = (index % columns, index / columns);
            let place = air.grid.low + Vec2::new(i as f32 + 0.5, j as f32) * cell;
            *v = air.velocity_at(back(place)).unwrap_or_default().y;
        }
    }
}
