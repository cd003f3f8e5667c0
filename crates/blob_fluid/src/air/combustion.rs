//! Hot fuel burns: it becomes heat, smoke and, if asked for, volume.

use crate::air::channel::AirChannel;
use crate::air::settings::AirFire;
use crate::air::state::Air;

impl Air {
    /// Burns the share `rate dt / (1 + rate dt)` of the fuel where it is hotter than its ignition.
    pub(super) fn burn(&mut self, time_step: f32) {
        let AirFire { burn_rate, ignition_heat, heat, soot, expansion } = self.settings.fire;
        let some = |channel: AirChannel| self.channel(channel).iter().any(|value| *value != 0.0);
        let starts = some(AirChannel::Heat) || ignition_heat < 0.0;
        if burn_rate == 0.0 || !some(AirChannel::Fuel) || !starts {
            return;
        }
        self.channel_mut(AirChannel::Heat);
        if soot > 0.0 {
            self.channel_mut(AirChannel::Smoke);
        }
        if expansion > 0.0 {
            self.expansion.resize(self.grid.cells(), 0.0);
        }
        let way = burn_rate * time_step;
        let share = if way.is_finite() { way / (1.0 + way) } else { 1.0 };
        let has_colours = self.has_colours();
        let [smoke, hot, fuel, _, colours @ ..] = &mut self.channels;
        for (index, fuel) in fuel.iter_mut().enumerate() {
            if *fuel <= 0.0 || hot[index] <= ignition_heat {
                continue;
            }
            let burnt = *fuel * share;
            *fuel -= burnt;
            hot[index] = (hot[index] + burnt * heat).min(1e9);
            if soot > 0.0 {
                smoke[index] = (smoke[index] + burnt * soot).min(1e9);
                if has_colours {
                    colours.iter_mut().for_each(|list| list[index] += burnt * soot);
                }
            }
            if expansion > 0.0 {
                let rate = burnt * expansion / time_step;
                self.expansion[index] += if rate.is_finite() { rate } else { 0.0 };
            }
        }
    }
}
