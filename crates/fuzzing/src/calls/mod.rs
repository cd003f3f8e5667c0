//! The calls of a host, and what each does.

mod particles;
mod settings;
mod solids;
mod sources;
mod state;

use arbitrary::Arbitrary;

use crate::host::{Host, Outcome, TICK};
use crate::number::Number;
use particles::ParticleCall;
use settings::SettingCall;
use solids::SolidCall;
use sources::SourceCall;
use state::StateCall;

/// A call that steps a world or changes it from outside.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum Call {
    Step(Number),
    Ticks(u8),
    Particles(ParticleCall),
    Settings(SettingCall),
    Solids(SolidCall),
    Sources(SourceCall),
    State(StateCall),
}

impl Host {
    /// Makes a call, and counts what comes and goes by it.
    pub fn make(&mut self, call: Call) -> Outcome {
        match call {
            Call::Step(time) => self.step(time.0)?,
            Call::Ticks(count) => (0..count % 8).try_for_each(|_| self.step(TICK))?,
            Call::Particles(call) => self.call_particles(call)?,
            Call::Settings(call) => self.call_settings(call)?,
            Call::Solids(call) => self.call_solids(call)?,
            Call::Sources(call) => self.call_sources(call)?,
            Call::State(call) => self.call_state(call)?,
        }
        Ok(())
    }
}
