//! State of a liquid's sleep between ticks. The solver decides which particles sleep.

use glam::Vec2;

use crate::clone_in_place::clone_in_place;
use crate::geometry::bounds::FluidBounds;
use crate::stored::stored;

clone_in_place! {
    /// State of a liquid that may sleep.
    #[derive(Debug, Default)]
    pub(crate) struct Sleep {
        /// Boxes in which something happened that wakes the particles there.
        pub disturbances: Vec<FluidBounds>,
        /// Boxes in which all particles wake, and outside of which none wake. They may be as large as
        /// containers. Marks on tiles, which repeat at such distances, could also wake the liquid in
        /// another container.
        pub regions: Vec<FluidBounds>,
        /// Whether something happened that wakes all particles.
        pub everywhere: bool,
        /// Whether the host may have changed particles since the last tick.
        pub touched: bool,
        /// Whether all particles had settled when the last tick ended.
        pub all_settled: bool,
        /// Whether heat changed no temperature worth mentioning since the last tick began.
        pub heat_rests: bool,
        /// Number of particles that did not move in the last tick.
        pub asleep: usize,
        /// Whether a tick has begun and not ended yet.
        pub in_tick: bool,
        /// Hash of what a host may change, from before it was given access within a tick.
        pub before_access: Option<u64>,
    }
}

stored!(Sleep {
    disturbances,
    regions,
    everywhere,
    touched,
    all_settled,
    heat_rests,
    asleep,
} derived { in_tick = false, before_access = None });

impl Sleep {
    /// Wakes the particles around a point.
    pub(crate) fn disturb(&mut self, point: Vec2) {
        self.disturb_around(FluidBounds { low: point, high: point });
    }

    /// Takes back that the particles around a point are woken.
    #[cfg(feature = "snapshot")]
    pub(crate) fn forget(&mut self, point: Vec2) {
        let here = FluidBounds { low: point, high: point };
        if let Some(place) = self.disturbances.iter().rposition(|bounds| *bounds == here) {
            self.disturbances.remove(place);
        }
    }

    /// Wakes the particles around a box.
    pub(crate) fn disturb_around(&mut self, bounds: FluidBounds) {
        self.everywhere |= !push(&mut self.disturbances, bounds);
    }

    /// Wakes the particles in a box of any size.
    pub(crate) fn disturb_all_in(&mut self, bounds: FluidBounds) {
        self.everywhere |= !push(&mut self.regions, bounds);
    }

    /// Whether anything happened since the last tick that wakes particles.
    pub(crate) fn is_disturbed(&self) -> bool {
        let local = !self.disturbances.is_empty() || !self.regions.is_empty();
        local || self.everywhere || self.touched
    }
}

/// Adds a box; returns `false` if there are too many.
fn push(boxes: &mut Vec<FluidBounds>, bounds: FluidBounds) -> bool {
    let has_room = boxes.len() < MAX_DISTURBANCES;
    if has_room {
        boxes.push(bounds);
    }
    has_room
}

/// Largest number of disturbances in a tick. If there are more, all particles wake. This happens
/// only when a scene begins or ends.
const MAX_DISTURBANCES: usize = 4096;

/// Change of a temperature in a substep, in degrees or as a fraction of it, that sleeping liquid may
/// leave out.
pub(crate) const STILL: f32 = 1e-6;

/// Whether heat changed a temperature worth mentioning.
pub(crate) fn heat_moved(before: f32, after: f32) -> bool {
    (after - before).abs() > STILL * after.abs().max(1.0)
}
