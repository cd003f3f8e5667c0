//! Colliders for a device that runs the passes itself, such as a graphics card.

use crate::boundary::collider::Collider;
use crate::liquid::state::Liquid;
use crate::settings::class_filter::ClassFilter;

/// A collider as a device needs it in a substep.
#[derive(Clone, Copy, Debug)]
pub struct DeviceCollider<'a> {
    /// The collider, with its pose at the end of the substep and at its beginning.
    pub collider: &'a Collider,
    /// The classes that it stops: those of its options that share a layer with it.
    pub stops: ClassFilter,
    /// The fraction of the liquid's pressure that it bears.
    pub fade_in: f32,
    /// Distance, in world units, below which rounding hides on which side of an edge a particle is.
    pub slack: f32,
    /// Angular velocity that its walls give to the liquid, in rad/s.
    pub angular_velocity: f32,
    /// Whether it has ever moved, or may begin to.
    pub moves: bool,
}

impl Liquid {
    /// A number that is another one after every change of containers or colliders by the host. That
    /// they advance in a tick is no change.
    pub fn solids_revision(&self) -> u64 {
        self.boundary.walls_revision.number()
    }

    /// All colliders as a device needs them, in the order of insertion.
    pub fn device_colliders(&self) -> impl ExactSizeIterator<Item = DeviceCollider<'_>> {
        let solids = &self.boundary;
        solids.colliders.iter().enumerate().map(|(index, record)| {
            let collider: &Collider = record;
            let moves = solids.boxes.is_mover(index);
            let least = if moves { solids.skin } else { 0.0 };
            DeviceCollider {
                collider,
                stops: record.stopped_classes(),
                fade_in: record.fade_in(),
                slack: collider.slack().max(least),
                angular_velocity: collider
                    .motion
                    .angular_velocity
                    .clamp(-collider.fastest_turn, collider.fastest_turn),
                moves,
            }
        })
    }
}

/// Lengths in which walls near each other are told apart, in world units.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceSeams {
    /// Depth inside a collider beyond which its wall does not act on a particle.
    pub jump_depth: f32,
    /// Largest gap between two colliders that still act as one.
    pub seam_gap: f32,
    /// Smallest radius about which a wall's normal turns.
    pub least_bend_radius: f32,
}

impl Liquid {
    pub(crate) fn device_seams(&self) -> DeviceSeams {
        let solids = &self.boundary;
        let (jump_depth, seam_gap) = (solids.jump_depth, solids.seam_gap);
        DeviceSeams { jump_depth, seam_gap, least_bend_radius: solids.least_bend_radius }
    }

    /// Begins a tick of containers and colliders: attached ones head for where their bodies will be,
    /// and walls turn no faster than a substep allows.
    pub(crate) fn begin_device_solids(&mut self, time_step: f32, substep: f32) {
        self.boundary.begin_tick(time_step);
        self.boundary.begin_loads();
        self.boundary.limit_turns(substep);
    }
}
