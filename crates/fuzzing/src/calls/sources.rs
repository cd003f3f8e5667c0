//! Calls of emitters, drains and air.

use arbitrary::Arbitrary;
use blob_fluid::air::{Air, AirSettings, AirSides, AirSource};
use blob_fluid::{ClassFilter, Drain, Emitter, EmitterSettings, FluidBounds, FluidRegion};
use glam::Vec2;

use crate::host::{Host, Outcome};
use crate::number::{Number, Vector};

/// Calls of emitters, drains and air.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum SourceCall {
    Emit { at: Vector, width: Number, speed: Number, time: Number },
    Drain { at: Vector, radius: Number, rate: Option<Number>, time: Number },
    InsertAir { low: Vector, high: Vector, cell: Number, heat: Number },
    RemoveAir,
}

impl Host {
    pub(super) fn call_sources(&mut self, call: SourceCall) -> Outcome {
        use SourceCall as Call;
        match call {
            Call::Emit { at, width, speed, time } => {
                let mut emitter = Emitter::new(EmitterSettings::jet(width.0, speed.0))?;
                let pose = (at.get(), Vec2::NEG_Y);
                let emitted = emitter.emit(self.world.liquid_mut(), pose, pose, time.0);
                self.particles += emitter.emitted();
                emitted?;
            }
            Call::Drain { at, radius, rate, time } => {
                let region = FluidRegion::circle(at.get(), radius.0)?;
                let mut drain = Drain::new(region).with_classes(ClassFilter::ALL);
                drain.set_rate(rate.map(|rate| rate.0))?;
                self.particles -= drain.drain(self.world.liquid_mut(), time.0)? as u64;
            }
            Call::InsertAir { low, high, cell, heat } => {
                let bounds = FluidBounds { low: low.get(), high: high.get() };
                // Larger ones are slow.
                let cells = (bounds.high - bounds.low) / cell.0;
                if cells.x * cells.y < 2e3 && self.world.airs().count() < 2 {
                    let gravity = self.world.parameters().gravity;
                    let settings = AirSettings { density: 0.001, ..AirSettings::new(gravity) };
                    let mut air = Air::new(bounds, cell.0, settings, AirSides::default())?;
                    let region = FluidRegion::circle(0.5 * (low.get() + high.get()), cell.0)?;
                    let source = AirSource { smoke: 1.0, heat: heat.0, ..AirSource::new(region) };
                    air.insert_source(source)?;
                    self.world.insert_air(air);
                }
            }
            Call::RemoveAir => {
                let id = self.world.air_ids().next();
                _ = id.and_then(|id| self.world.remove_air(id));
            }
        }
        Ok(())
    }
}
