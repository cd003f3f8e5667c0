//! The containers and the colliders that entities want, and those in the simulation.

use bevy::prelude::*;
use blob_fluid::{FluidWorld, Solid};

use super::held::Held;
use crate::warnings::Warnings;

/// Longest move in a tick, in interaction radii; a longer one is a jump.
pub(crate) const LONGEST_WAY: f32 = 10.0;

/// The target of each entity's solid, and its handle, in the order of the entities.
#[derive(Clone, Debug)]
pub(crate) struct Targets<Options: Held>(pub Vec<Target<Options>>);

/// The target of an entity's solid.
#[derive(Clone, Debug)]
pub(crate) struct Target<Options: Held> {
    pub entity: Entity,
    /// Number of the solid among those of its entity: 0 for that of the entity's own component, 1 and
    /// more for pieces of a physics engine's collider.
    pub piece: u32,
    /// The solid in the simulation.
    pub id: Options::Id,
    /// The solid as the entity wants it.
    pub wanted: Solid<Options>,
}

impl<Options: Held> Default for Targets<Options> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<Options: Held> Targets<Options> {
    /// The first target of an entity.
    pub(crate) fn of(&self, entity: Entity) -> Option<&Target<Options>> {
        self.all_of(entity).next()
    }

    /// All targets of an entity.
    pub(crate) fn all_of(&self, entity: Entity) -> impl Iterator<Item = &Target<Options>> {
        let first = self.0.partition_point(|target| target.entity < entity);
        self.0[first..].iter().take_while(move |target| target.entity == entity)
    }

    /// Target of an entity's piece, from the last synchronisation.
    pub(crate) fn held(&self, entity: Entity, piece: u32) -> Option<&Solid<Options>> {
        self.all_of(entity).find(|target| target.piece == piece).map(|target| &target.wanted)
    }

    /// Collects the solids that the entities want, each with the number of its piece, in the order of
    /// the entities. An entity with an invalid placement is warned about, and keeps its last valid one.
    pub(crate) fn gather(
        &self,
        wanted: impl Iterator<Item = (Entity, u32, Result<Solid<Options>, String>)>,
        warnings: &mut Warnings<'_, '_>,
        targets: &mut Vec<(Entity, u32, Solid<Options>)>,
    ) {
        targets.clear();
        for (entity, piece, placed) in wanted {
            match placed {
                Ok(solid) => {
                    warnings.resolve(entity);
                    targets.push((entity, piece, solid));
                }
                Err(error) => {
                    warnings.warn(entity, &format!("fluid {}", Options::NAME), &error);
                    let held = self.held(entity, piece);
                    targets.extend(held.map(|solid| (entity, piece, solid.clone())));
                }
            }
        }
        // The order of a query depends on archetypes; the order of solids must not.
        targets.sort_unstable_by_key(|(entity, piece, _)| (*entity, *piece));
    }

    /// Whether the simulation has exactly the solids that these entities want.
    pub(crate) fn are(
        &self,
        targets: &[(Entity, u32, Solid<Options>)],
        fluid: &FluidWorld,
    ) -> bool {
        let is = |own: &Target<Options>, (entity, piece, solid): &(Entity, u32, Solid<Options>)| {
            (own.entity, own.piece) == (*entity, *piece)
                && own.wanted == *solid
                && Options::find(fluid, own.id).is_some()
        };
        self.0.len() == targets.len()
            && Options::ids(fluid).len() == targets.len()
            && self.0.iter().zip(targets).all(|(own, target)| is(own, target))
    }

    /// Stores what the entities want, in their order, and inserts, changes and removes only the
    /// solids that differ from before.
    pub(crate) fn replace(
        &mut self,
        targets: &[(Entity, u32, Solid<Options>)],
        fluid: &mut FluidWorld,
    ) {
        let is_there = |own: &Target<Options>| Options::find(fluid, own.id).is_some();
        if Options::ids(fluid).len() != self.0.len() || !self.0.iter().all(is_there) {
            // The app has put another simulation in place of the one that these handles are of.
            self.0.clear();
            let strangers: Vec<Options::Id> = Options::ids(fluid).collect();
            strangers.into_iter().for_each(|id| Options::remove(fluid, id));
        }
        let mut before = std::mem::take(&mut self.0).into_iter().peekable();
        for (entity, piece, wanted) in targets {
            let (entity, piece, wanted) = (*entity, *piece, wanted.clone());
            let key = |own: &Target<Options>| (own.entity, own.piece);
            while let Some(gone) = before.next_if(|own| key(own) < (entity, piece)) {
                Options::remove(fluid, gone.id);
            }
            let held = before.next_if(|own| key(own) == (entity, piece));
            let id = match held {
                Some(held) => {
                    if held.wanted != wanted {
                        change(&held, &wanted, fluid);
                    }
                    held.id
                }
                None => Options::insert(fluid, wanted.clone()),
            };
            self.0.push(Target { entity, piece, id, wanted });
        }
        before.for_each(|gone| Options::remove(fluid, gone.id));
    }

    /// Sets the motions of solids that have not reached their targets, so that they arrive after
    /// `ticks` ticks of `tick` seconds each.
    pub(super) fn set_out(&self, fluid: &mut FluidWorld, tick: f32, ticks: u32, radius: f32) {
        for Target { id, wanted, .. } in &self.0 {
            let Some(now) = Options::find(fluid, *id).filter(|now| !is_at(now, wanted)) else {
                continue;
            };
            let (turned, rotation) = (wanted.rotation(), now.rotation());
            let way = wanted.centre() - now.centre();
            let (cos, sin) = (rotation.dot(turned), rotation.perp_dot(turned));
            let farthest = LONGEST_WAY * radius * ticks as f32;
            // A distance within rounding error counts as arrived.
            let arrived = way.length() < 1e-4 * radius && sin.abs() < 1e-5 && cos > 0.0;
            let time = tick * ticks as f32;
            let motion = now.motion_to(wanted.centre(), turned, time);
            // A half turn is a jump as well.
            let jumps = way.length() > farthest || cos < -0.99;
            if arrived || jumps || Options::set_motion(fluid, *id, motion).is_err() {
                Options::set(fluid, *id, wanted.clone());
            }
        }
    }
}

/// Gives a solid the properties that its entity wants, at its present pose; it starts to move in
/// the next tick.
fn change<Options: Held>(
    before: &Target<Options>,
    wanted: &Solid<Options>,
    fluid: &mut FluidWorld,
) {
    let Some(now) = Options::find(fluid, before.id) else { return };
    let as_it_is = placed(wanted, now.centre(), now.rotation());
    let changed = if wanted.is_body() {
        let pose = |solid: &Solid<Options>| (solid.centre(), solid.rotation());
        if pose(&before.wanted) == pose(wanted) {
            // A body keeps its own pose and motion.
            as_it_is.with_motion(wanted.motion()).unwrap_or_else(|_| wanted.clone())
        } else {
            // The app has moved it directly.
            wanted.clone()
        }
    } else if looks_like(&before.wanted, wanted) {
        return;
    } else {
        as_it_is
    };
    Options::set(fluid, before.id, changed);
}

/// Whether two solids are equal except for their poses.
fn looks_like<Options: Held>(a: &Solid<Options>, b: &Solid<Options>) -> bool {
    a.shape() == b.shape() && a.wall() == b.wall() && Options::kind_of(a) == Options::kind_of(b)
}

/// The solid at another pose, at rest; unchanged if the pose is invalid.
fn placed<Options: Held>(solid: &Solid<Options>, centre: Vec2, rotation: Vec2) -> Solid<Options> {
    solid.clone().placed(centre, rotation).unwrap_or_else(|_| solid.clone())
}

/// Whether a solid rests at its target, or is not moved by its entity but by its body. Its other properties are up
/// to date since the last synchronisation.
fn is_at<Options: Held>(now: &Solid<Options>, target: &Solid<Options>) -> bool {
    let pose = |solid: &Solid<Options>| (solid.centre(), solid.rotation(), solid.motion());
    target.is_body() || target.is_attached() || pose(now) == pose(target)
}
