//! What a liquid remembers of its sleep. The solver decides who sleeps.

use glam::Vec2;

use crate::geometry::bounds::Bounds;

/// Memory of a world whose liquid may sleep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep {
    /// Where something happened that wakes whatever lies there.
    pub disturbances: Vec<Bounds>,
    /// Something happened that wakes all.
    pub everywhere: bool,
    /// The host may have changed particles since the last tick.
    pub touched: bool,
    /// Whether all particles had settled when the last tick ended.
    pub all_settled: bool,
    /// How many particles did not move in the last tick.
    pub asleep: usize,
    /// Whether a tick has begun and not ended yet.
    pub in_tick: bool,
}

impl Sleep {
    /// Wakes what lies around a point.
    pub(crate) fn disturb(&mut self, point: Vec2) {
        if self.disturbances.len() < MOST_DISTURBANCES {
            self.disturbances.push(Bounds { low: point, high: point });
        } else {
            self.everywhere = true;
        }
    }
}

/// So much happens at once only where a scene begins or ends.
const MOST_DISTURBANCES: usize = 4096;
