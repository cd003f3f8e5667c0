//! Heat is lost and smoke disappears: `value / (1 + rate dt)`, which is stable for every step.

use crate::air::channel::AirChannel;
use crate::air::state::Air;

impl Air {
    pub(super) fn cool(&mut self, time_step: f32) {
        let settings = &self.settings;
        for channel in AirChannel::ALL {
            let rate = match channel {
                AirChannel::Heat => settings.cooling,
                AirChannel::Fuel | AirChannel::Vapour => 0.0,
                AirChannel::Smoke | AirChannel::Red | AirChannel::Green | AirChannel::Blue => {
                    settings.smoke_dissipation
                }
            };
            let factor = 1.0 / (1.0 + rate * time_step);
            if factor < 1.0 {
                let values = &mut self.channels[channel as usize];
                for value in values {
                    // What is too little to be seen ends at last.
                    let left = *value * factor;
                    *value = if left.abs() < 1e-15 { 0.0 } else { left };
                }
            }
        }
    }
}
