//! Air at rest sleeps: a step that would leave everything as it is costs nothing.
//!
//! Air whose velocities and pressures are all 0 stays so for ever, unless something drives it. With
//! [`AirSettings::settling`](crate::air::AirSettings::settling) air that nothing drives, and in which
//! nothing is to be seen, slows down until it is so slow that it stops.

use crate::air::channel::AirChannel;
use crate::air::projection::level::with_lanes;
use crate::air::projection::sums::largest;
use crate::air::report::AirReport;
use crate::air::sides::{AirSide, AirSlip};
use crate::air::source::AirSource;
use crate::air::state::Air;
use crate::liquid::state::Liquid;

/// Heat that drives nothing faster than [`SLOW`] against settling.
const COOL: f32 = 1e-3;

/// Smoke that cannot be seen.
const CLEAR: f32 = 5e-3;

/// Speed, in cells per step, below which settling air stops.
const SLOW: f32 = 0.01;

impl Air {
    /// Whether a step would change nothing that moves or is carried along.
    pub(super) fn rests(&self, liquid: Option<&Liquid>) -> bool {
        let settings = &self.settings;
        let smoke_changes = settings.smoke_weight != 0.0 || settings.smoke_dissipation != 0.0;
        self.at_rest
            && self.is_undriven(liquid)
            && !self.has(AirChannel::Heat, 0.0)
            && !(smoke_changes && self.has(AirChannel::Smoke, 0.0))
    }

    /// Slows air down that nothing drives and nobody sees.
    pub(super) fn settle(&mut self, liquid: Option<&Liquid>, time_step: f32) {
        let rate = self.settings.settling;
        let hidden = !self.has(AirChannel::Heat, COOL) && !self.has(AirChannel::Smoke, CLEAR);
        if rate == 0.0 || !hidden || !self.is_undriven(liquid) {
            return;
        }
        let factor = 1.0 / (1.0 + rate * time_step);
        for list in [&mut self.velocity_x, &mut self.velocity_y] {
            with_lanes(
                #[inline(always)]
                || list.iter_mut().for_each(|velocity| *velocity *= factor),
            );
        }
        let speed = largest(&self.velocity_x).max(largest(&self.velocity_y));
        if speed * time_step < SLOW * self.grid.cell {
            self.stop();
        }
    }

    /// Stops the air, and takes away what little heat and smoke there is.
    fn stop(&mut self) {
        for list in [&mut self.velocity_x, &mut self.velocity_y, &mut self.pressure] {
            list.fill(0.0);
        }
        self.channels[AirChannel::Heat as usize].fill(0.0);
        if self.settings.smoke_dissipation > 0.0 {
            self.channels[AirChannel::Smoke as usize].fill(0.0);
            for colour in AirChannel::COLOUR {
                self.channels[colour as usize].fill(0.0);
            }
        }
    }

    /// Finds out whether the air is at rest after a step.
    pub(super) fn find_rest(&mut self, report: &AirReport) {
        self.at_rest = report.max_speed == 0.0 && largest(&self.pressure) == 0.0;
    }

    fn has(&self, channel: AirChannel, more_than: f32) -> bool {
        largest(self.channel(channel)) > more_than
    }

    /// Whether neither sources, sides, solids, liquid nor fire move or change the air.
    fn is_undriven(&self, liquid: Option<&Liquid>) -> bool {
        let sides = [self.sides.left, self.sides.right, self.sides.bottom, self.sides.top];
        let liquid_rests = liquid.is_none_or(|liquid| liquid.asleep() == liquid.particles.len());
        let smoulders = self.settings.fire.ignition_heat < 0.0 && self.has(AirChannel::Fuel, 0.0);
        liquid_rests
            && !smoulders
            && self.expansion.is_empty()
            && !self.solids.any_moves()
            && !self.sources.iter().any(AirSource::acts)
            && !sides.into_iter().any(drives)
    }
}

/// Whether air flows in at a side, or is dragged along.
fn drives(side: AirSide) -> bool {
    match side {
        AirSide::Inflow { .. } => true,
        AirSide::Closed { slip: AirSlip::NoSlip { velocity } } => velocity != 0.0,
        AirSide::Closed { slip: AirSlip::Free } | AirSide::Open | AirSide::Periodic => false,
    }
}

impl AirSource {
    /// Whether it changes the air.
    fn acts(&self) -> bool {
        let rates = [self.smoke, self.heat, self.fuel, self.vapour, self.expansion];
        self.burst
            || self.wind.is_some()
            || self.is_lit() && rates.into_iter().any(|rate| rate != 0.0)
    }
}
