//! Containers and colliders follow their entities, at a speed the liquid can feel.

use bevy::prelude::*;
use blob_fluid::{Motion, Solid, SolidKind};

use super::collider::FluidColliders;
use super::container::FluidContainers;
use super::placement::Complaints;
use crate::simulation::{Fluid, FluidSimulation};

/// Farthest that something moves in a tick, in interaction radii; beyond it jumps.
pub(super) const LONGEST_WAY: f32 = 10.0;

/// Where the entities want their solids, and where those are.
#[derive(Clone, Debug)]
pub(crate) struct Targets<Kind>(pub Vec<(Entity, Solid<Kind>)>);

impl<Kind> Default for Targets<Kind> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Kind: SolidKind> Targets<Kind> {
    /// Where an entity's is.
    fn place(&self, entity: Entity) -> Option<usize> {
        self.0.binary_search_by_key(&entity, |(held, _)| *held).ok()
    }

    /// What an entity wanted last.
    pub(crate) fn held(&self, entity: Entity) -> Option<&Solid<Kind>> {
        self.place(entity).map(|place| &self.0[place].1)
    }

    /// Where all entities want their solids, in the order of the entities, given where each does. An entity
    /// without a place is complained about, and its last valid place stays.
    pub(crate) fn gather(
        &self,
        wanted: impl Iterator<Item = (Entity, Result<Solid<Kind>, String>)>,
        complaints: &mut Complaints,
        targets: &mut Vec<(Entity, Solid<Kind>)>,
    ) {
        targets.clear();
        for (entity, placed) in wanted {
            match placed {
                Ok(solid) => {
                    complaints.settle(entity);
                    targets.push((entity, solid));
                }
                Err(error) => {
                    complaints.warn(entity, &format!("fluid {}", Kind::NAME), &error);
                    targets.extend(self.held(entity).map(|solid| (entity, solid.clone())));
                }
            }
        }
        // The order of a query depends on archetypes; which solid comes first must not.
        targets.sort_unstable_by_key(|(entity, _)| *entity);
    }

    /// Takes over new targets, given what is in force; returns what is to be in force at once. That
    /// is new targets where they want to be, and old ones where they are, as the new ones look.
    pub(crate) fn replace(
        &mut self,
        targets: &[(Entity, Solid<Kind>)],
        in_force: &[Solid<Kind>],
    ) -> Vec<Solid<Kind>> {
        let present = |entity: Entity, target: &Solid<Kind>| {
            let index = self.place(entity)?;
            let (before, now) = (&self.0[index].1, in_force.get(index)?);
            let put_elsewhere =
                (before.centre(), before.rotation()) != (target.centre(), target.rotation());
            if target.is_body() {
                // It goes on as it is, wherever that is, unless someone else has put it elsewhere.
                let motion = target.motion();
                let going_on = placed(target, now.centre(), now.rotation());
                return (!put_elsewhere).then(|| going_on.with_motion(motion).ok()).flatten();
            }
            Some(placed(target, now.centre(), now.rotation()))
        };
        let now = targets
            .iter()
            .map(|(entity, target)| present(*entity, target).unwrap_or_else(|| target.clone()));
        let now = now.collect();
        self.0.clear();
        self.0.extend_from_slice(targets);
        now
    }

    /// What is to be in force in the coming tick, of which there are `ticks` before entities can
    /// move again; `None` if all are where they want to be.
    fn set_out(
        &self,
        in_force: &[Solid<Kind>],
        tick: f32,
        ticks: u32,
        radius: f32,
    ) -> Option<Vec<Solid<Kind>>> {
        let wanted = || self.0.iter().map(|(_, target)| target);
        // Someone else's doing.
        if in_force.len() != self.0.len()
            || wanted().zip(in_force).all(|(target, now)| is_at(now, target))
        {
            return None;
        }
        let set_out = |(target, now): (&Solid<Kind>, &Solid<Kind>)| {
            if target.is_body() {
                return now.clone();
            }
            let (turned, rotation) = (target.rotation(), now.rotation());
            let way = target.centre() - now.centre();
            let (cos, sin) = (rotation.dot(turned), rotation.perp_dot(turned));
            let farthest = LONGEST_WAY * radius * ticks as f32;
            // What rounding leaves of a way is no motion.
            let arrived = way.length() < 1e-4 * radius && sin.abs() < 1e-5 && cos > 0.0;
            // A half turn is a jump as well.
            if arrived || way.length() > farthest || cos < -0.99 {
                return target.clone();
            }
            let time = tick * ticks as f32;
            // Twice the tangent of half the angle, which is what the solids turn by: without a
            // trigonometric function, the last bits of which differ between platforms.
            let angle = 2.0 * sin / (1.0 + cos);
            let motion = Motion { velocity: way / time, angular_velocity: angle / time };
            let setting_out = placed(target, now.centre(), rotation);
            setting_out.with_motion(motion).unwrap_or_else(|_| target.clone())
        };
        Some(wanted().zip(in_force).map(set_out).collect())
    }
}

/// A solid elsewhere, standing still; where it is if that is no place.
fn placed<Kind: SolidKind>(solid: &Solid<Kind>, centre: Vec2, rotation: Vec2) -> Solid<Kind> {
    solid.clone().placed(centre, rotation).unwrap_or_else(|_| solid.clone())
}

/// Whether a solid stands still where it is wanted, or is not moved by its entity. What it is like it
/// has been since the entities were looked at.
fn is_at<Kind: SolidKind>(now: &Solid<Kind>, target: &Solid<Kind>) -> bool {
    let place = |solid: &Solid<Kind>| (solid.centre(), solid.rotation(), solid.motion());
    target.is_body() || place(now) == place(target)
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
        fluid.world_mut().set_containers(moving);
    }
    if let Some(moving) = colliders.0.set_out(fluid.colliders(), tick, ticks, radius) {
        fluid.world_mut().set_colliders(moving);
    }
}
