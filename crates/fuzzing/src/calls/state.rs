//! Calls that keep, save and bring back.

use arbitrary::Arbitrary;
use blob_fluid::FluidRegion;

use crate::host::{Host, Kept, Outcome};
use crate::number::Vector;

/// Calls that keep, save and bring back.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub enum StateCall {
    TakeChunk { at: Vector, half_size: Vector },
    PutChunk,
    Keep,
    RollBack,
    Export,
    Import,
}

impl Host {
    pub(super) fn call_state(&mut self, call: StateCall) -> Outcome {
        use StateCall as Call;
        match call {
            Call::TakeChunk { at, half_size } => {
                let region = FluidRegion::rectangle(at.get(), half_size.get())?;
                let chunk = self.world.take_chunk(&region)?;
                self.particles -= chunk.len() as u64;
                self.chunk = Some(chunk);
            }
            Call::PutChunk => {
                if let Some(chunk) = &self.chunk {
                    self.particles += self.world.put_chunk(chunk)?.len() as u64;
                }
            }
            Call::Keep => {
                let kept = self.kept.get_or_insert_with(Kept::default);
                self.world.keep_in(&mut kept.state)?;
                kept.particles = self.world.particles().len();
            }
            Call::RollBack => {
                if let Some(kept) = &self.kept {
                    self.world.restore_from(&kept.state);
                    self.has_now(kept.particles as u64);
                }
            }
            Call::Export => {
                let particles = self.world.particles().len() as u64;
                self.exported = Some((self.world.to_bytes()?, particles));
            }
            Call::Import => {
                if let Some((bytes, particles)) = &self.exported {
                    let particles = *particles;
                    self.world.restore_bytes(bytes)?;
                    self.has_now(particles);
                }
            }
        }
        Ok(())
    }

    /// Another world than before, with so many particles.
    fn has_now(&mut self, particles: u64) {
        self.particles = particles;
        self.removed = self.count_removed();
        // Handles are those of the world that was.
        (self.despawned, self.body) = (None, None);
    }
}
