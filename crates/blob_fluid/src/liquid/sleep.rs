//! What a liquid remembers of its sleep. The solver decides who sleeps.

use glam::Vec2;

use crate::geometry::bounds::Bounds;

/// Memory of a world whose liquid may sleep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep {
    /// Where something happened that wakes whatever lies there.
    pub disturbances: Vec<Bounds>,
    /// Boxes in which all particles wake, and none outside of them. They may be as large as
    /// containers: marks on tiles that far apart may also wake what the next container holds.
    pub regions: Vec<Bounds>,
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
        self.disturb_around(Bounds { low: point, high: point });
    }

    /// Wakes what lies around a box.
    pub(crate) fn disturb_around(&mut self, bounds: Bounds) {
        self.everywhere |= !push(&mut self.disturbances, bounds);
    }

    /// Wakes what lies in a box, however large it is.
    pub(crate) fn disturb_all_in(&mut self, bounds: Bounds) {
        self.everywhere |= !push(&mut self.regions, bounds);
    }

    /// Whether anything happened since the last tick that wakes something.
    pub(crate) fn is_disturbed(&self) -> bool {
        let local = !self.disturbances.is_empty() || !self.regions.is_empty();
        local || self.everywhere || self.touched
    }
}

/// Adds a box unless there are too many.
fn push(boxes: &mut Vec<Bounds>, bounds: Bounds) -> bool {
    let has_room = boxes.len() < MAX_DISTURBANCES;
    if has_room {
        boxes.push(bounds);
    }
    has_room
}

/// So much happens at once only where a scene begins or ends.
const MAX_DISTURBANCES: usize = 4096;
