//! Containers and colliders for a device that runs the passes itself, such as a graphics card.

use glam::Vec2;

use crate::boundary::solid::{Solid, SolidOptions};
use crate::boundary::wall::WallProperties;
use crate::geometry::shape::FluidShape;
use crate::liquid::state::Liquid;
use crate::settings::class_filter::ClassFilter;

/// A container or a collider as a device needs it in a substep.
#[derive(Clone, Copy, Debug)]
pub struct DeviceSolid<'a> {
    /// Its shape.
    pub shape: &'a FluidShape,
    /// Centre and rotation at the end of the substep.
    pub pose: (Vec2, Vec2),
    /// Centre and rotation at its beginning.
    pub previous_pose: (Vec2, Vec2),
    /// Velocity of its centre, in world units/s.
    pub velocity: Vec2,
    /// Angular velocity that its walls give to the liquid, in rad/s.
    pub angular_velocity: f32,
    /// Its wall properties.
    pub wall: WallProperties,
    /// Whether it is a container.
    pub is_container: bool,
    /// Whether the outside of the shape is solid, as that of containers is.
    pub inside_out: bool,
    /// Whether it is a membrane.
    pub one_way: bool,
    /// The classes that it stops: those of its options that share a layer with it.
    pub stops: ClassFilter,
    /// The fraction of the liquid's pressure that it bears.
    pub fade_in: f32,
    /// Distance, in world units, below which rounding hides on which side of an edge a particle is.
    pub slack: f32,
    /// Whether it moves, or has ever moved, or may begin to.
    pub moves: bool,
}

/// A solid that stops all classes and is solid inside.
fn solid<Options: SolidOptions>(solid: &Solid<Options>, moves: bool, skin: f32) -> DeviceSolid<'_> {
    let fastest = solid.fastest_turn;
    DeviceSolid {
        shape: &solid.shape,
        pose: (solid.pose.centre, solid.pose.rotation),
        previous_pose: solid.previous_pose(),
        velocity: solid.motion.velocity,
        angular_velocity: solid.motion.angular_velocity.clamp(-fastest, fastest),
        wall: solid.wall,
        is_container: false,
        inside_out: false,
        one_way: false,
        stops: ClassFilter::ALL,
        fade_in: 1.0,
        slack: solid.slack().max(if moves { skin } else { 0.0 }),
        moves,
    }
}

impl Liquid {
    /// A number that is another one after every change of containers or colliders by the host. That
    /// they advance in a tick is no change.
    pub fn solids_revision(&self) -> u64 {
        self.boundary.walls_revision.number()
    }

    /// All containers, then all colliders, as a device needs them, in the order of insertion.
    pub fn device_solids(&self) -> impl Iterator<Item = DeviceSolid<'_>> {
        let all = &self.boundary;
        let containers = all.containers.iter().map(|container| DeviceSolid {
            is_container: true,
            inside_out: true,
            ..solid(container, container.is_under_way(), all.skin)
        });
        let colliders = all.colliders.iter().enumerate().map(|(index, record)| DeviceSolid {
            inside_out: record.options.inside_out,
            one_way: record.options.one_way,
            stops: record.stopped_classes(),
            fade_in: record.fade_in(),
            ..solid(record, all.boxes.is_mover(index), all.skin)
        });
        containers.chain(colliders)
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
