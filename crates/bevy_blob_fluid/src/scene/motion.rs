//! Containers and colliders follow their entities, at a speed the liquid can feel.

use bevy::prelude::*;
use blob_fluid::{Collider, Container, Motion};

use super::collider::FluidColliders;
use super::container::FluidContainers;
use crate::simulation::{Fluid, FluidSimulation};

/// Farthest that something moves in a tick, in interaction radii; beyond it jumps.
const LONGEST_WAY: f32 = 10.0;

/// A container or a collider.
pub(crate) trait Solid: Copy + PartialEq {
    fn pose(&self) -> (Vec2, Vec2);
    /// The same one elsewhere; `None` if that is no place.
    fn at(&self, centre: Vec2, rotation: Vec2) -> Option<Self>;
    /// The same one in motion; standing still if that is no motion.
    fn moving(&self, motion: Motion) -> Self;
}

macro_rules! impl_solid {
    ($solid:ty) => {
        impl Solid for $solid {
            fn pose(&self) -> (Vec2, Vec2) {
                (self.centre(), self.rotation())
            }

            fn at(&self, centre: Vec2, rotation: Vec2) -> Option<Self> {
                let solid = Self::new(self.shape(), centre, rotation);
                solid.and_then(|solid| solid.with_surface(self.surface())).ok()
            }

            fn moving(&self, motion: Motion) -> Self {
                self.with_motion(motion).unwrap_or(*self)
            }
        }
    };
}

impl_solid!(Container);
impl_solid!(Collider);

/// Where the entities want their solids, and where those are.
#[derive(Clone, Debug)]
pub(crate) struct Targets<S>(pub Vec<(Entity, S)>);

impl<S> Default for Targets<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S: Solid> Targets<S> {
    pub(crate) fn held(&self, entity: Entity) -> Option<S> {
        self.0.iter().find(|(held, _)| *held == entity).map(|(_, solid)| *solid)
    }

    /// Takes over new targets, given what is in force; returns what is to be in force at once. That
    /// is new targets where they want to be, and old ones where they are, as the new ones look.
    pub(crate) fn replace(&mut self, targets: &[(Entity, S)], in_force: &[S]) -> Vec<S> {
        let present = |entity: Entity, target: S| {
            let index = self.0.iter().position(|(held, _)| *held == entity)?;
            let (centre, rotation) = in_force.get(index)?.pose();
            target.at(centre, rotation)
        };
        let now =
            targets.iter().map(|(entity, target)| present(*entity, *target).unwrap_or(*target));
        let now = now.collect();
        self.0.clear();
        self.0.extend_from_slice(targets);
        now
    }

    /// What is to be in force in the coming tick, of which there are `ticks` before entities can
    /// move again; `None` if all are where they want to be.
    fn set_out(&self, in_force: &[S], tick: f32, ticks: u32, radius: f32) -> Option<Vec<S>> {
        let wanted = || self.0.iter().map(|(_, target)| *target);
        // Someone else's doing.
        if in_force.len() != self.0.len() || wanted().eq(in_force.iter().copied()) {
            return None;
        }
        let set_out = |(target, now): (S, &S)| {
            let ((there, turned), (here, rotation)) = (target.pose(), now.pose());
            let way = there - here;
            let angle = rotation.angle_to(turned);
            let farthest = LONGEST_WAY * radius * ticks as f32;
            // What rounding leaves of a way is no motion.
            let arrived = way.length() < 1e-4 * radius && angle.abs() < 1e-5;
            if arrived || way.length() > farthest {
                return target;
            }
            let time = tick * ticks as f32;
            let motion = Motion { velocity: way / time, angular_velocity: angle / time };
            target.at(here, rotation).unwrap_or(target).moving(motion)
        };
        Some(wanted().zip(in_force).map(set_out).collect())
    }
}

/// Lets what moved set out to its new place, so that it is there when the last tick ends.
pub(crate) fn move_solids(
    containers: Res<FluidContainers>,
    colliders: Res<FluidColliders>,
    fluid_time: Res<Time<Fluid>>,
    mut fluid: ResMut<FluidSimulation>,
) {
    let tick = fluid_time.delta_secs().min(fluid.parameters().max_time_step);
    if tick <= 0.0 {
        return;
    }
    let ticks = fluid_time.context().ticks_ahead().max(1);
    let radius = fluid.parameters().interaction_radius();
    if let Some(moving) = containers.0.set_out(fluid.containers(), tick, ticks, radius) {
        fluid.set_containers(moving);
    }
    if let Some(moving) = colliders.0.set_out(fluid.colliders(), tick, ticks, radius) {
        fluid.set_colliders(moving);
    }
}
