//! Particles that were quarantined, by name.

use std::fmt::{self, Display, Formatter};

use glam::Vec2;

use crate::particles::id::ParticleId;

/// Largest number of particles that are named in a tick.
pub(crate) const MOST_NAMED: usize = 32;

/// A particle that was quarantined: it was removed because a number of it was not finite or too large.
#[derive(Clone, Copy, Debug)]
pub struct Quarantined {
    /// The handle that it had.
    pub id: ParticleId,
    /// Where it was, in world units, or where it had last rested, if that is not known.
    pub position: Vec2,
    /// What was bad: `position`, `velocity`, `displacement`, `temperature` or `grain`.
    pub field: &'static str,
    /// The bad number.
    pub value: f32,
    /// The largest magnitude that is valid.
    pub limit: f32,
}

impl Display for Quarantined {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { id, position, field, value, limit } = self;
        let Vec2 { x, y } = position;
        write!(
            f,
            "{id} at ({x}, {y}) was removed: its {field} was {value}, and must be within {limit:e}"
        )
    }
}
