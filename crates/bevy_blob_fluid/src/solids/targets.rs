//! The target containers and colliders of entities, and the solids in the simulation.

use std::fmt::Debug;

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use blob_fluid::{
    Collider, ColliderId, ColliderOptions, Container, ContainerId, ContainerOptions, FluidWorld,
    Motion, OutOfRange, Pose, Solid, SolidOptions,
};

use crate::schedule::{Rank, Ranks};
use crate::warnings::Warnings;

/// Longest move in a tick, in interaction radii; a longer one is a jump.
pub(crate) const LONGEST_WAY: f32 = 10.0;

/// The target of each entity's solid, and its handle, in the order of the entities.
#[derive(Clone, Debug)]
pub(crate) struct Targets<Options: SolidKind> {
    targets: Vec<Target<Options>>,
    /// Index of each entity's first target.
    first: EntityHashMap<usize>,
}

/// The target of an entity's solid.
#[derive(Clone, Debug)]
pub(crate) struct Target<Options: SolidKind> {
    pub rank: Rank,
    pub part: EntityPart,
    /// The solid in the simulation.
    pub id: Options::Id,
    /// The solid at its target pose, which is the pose of its entity.
    pub solid: Solid<Options>,
}

/// Identifies one of the solids of an entity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EntityPart {
    /// 0 for the entity's own component; from 1 for the pieces of a physics engine's collider.
    pub number: u32,
    /// Pose relative to the entity, in world units along the entity's axes.
    pub pose: Pose,
}

impl EntityPart {
    /// The solid of the entity's own component.
    pub const WHOLE: Self = Self { number: 0, pose: Pose::IDENTITY };
}

impl<Options: SolidKind> Target<Options> {
    pub(crate) fn entity(&self) -> Entity {
        self.rank.entity
    }
}

impl<Options: SolidKind> Default for Targets<Options> {
    fn default() -> Self {
        Self { targets: Vec::new(), first: EntityHashMap::default() }
    }
}

#[cfg(feature = "snapshot")]
impl<Options: SolidKind> Targets<Options> {
    /// Targets in any order.
    pub(crate) fn of_all(targets: impl IntoIterator<Item = Target<Options>>) -> Self {
        let mut all = Self { targets: targets.into_iter().collect(), ..Self::default() };
        all.map_entities(|entity| entity);
        all
    }

    /// Replaces the entities, and sorts the targets again.
    pub(crate) fn map_entities(&mut self, mut map: impl FnMut(Entity) -> Entity) {
        self.targets.iter_mut().for_each(|target| target.rank.entity = map(target.rank.entity));
        self.targets.sort_by_key(|target| (target.rank, target.part.number));
        self.first.clear();
        for (index, target) in self.targets.iter().enumerate() {
            self.first.entry(target.entity()).or_insert(index);
        }
    }
}

impl<Options: SolidKind> Targets<Options> {
    /// All targets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Target<Options>> {
        self.targets.iter()
    }

    /// All targets, to change their solids.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Target<Options>> {
        self.targets.iter_mut()
    }

    /// The first target of an entity.
    pub(crate) fn of(&self, entity: Entity) -> Option<&Target<Options>> {
        self.all_of(entity).next()
    }

    /// All targets of an entity.
    pub(crate) fn all_of(&self, entity: Entity) -> impl Iterator<Item = &Target<Options>> {
        let first = self.first.get(&entity).copied().unwrap_or(self.targets.len());
        self.targets[first..].iter().take_while(move |target| target.entity() == entity)
    }

    /// A solid of an entity at its target pose, from the last synchronisation.
    pub(crate) fn solid(&self, entity: Entity, part: EntityPart) -> Option<&Solid<Options>> {
        let same = |target: &&Target<Options>| target.part.number == part.number;
        self.all_of(entity).find(same).map(|target| &target.solid)
    }

    /// Collects the solids of entities at their target poses, in the order of the entities. An entity
    /// with an invalid solid keeps its last valid target, with a warning that names the component by `kind_of`.
    pub(crate) fn gather(
        &self,
        kind_of: impl Fn(Entity) -> &'static str,
        solids: impl Iterator<Item = (Entity, EntityPart, Result<Solid<Options>, String>)>,
        ranks: &Ranks<'_, '_>,
        warnings: &mut Warnings<'_, '_>,
        targets: &mut Vec<(Rank, EntityPart, Solid<Options>)>,
    ) {
        targets.clear();
        for (entity, part, solid) in solids {
            let last = self.solid(entity, part);
            let valid = warnings.check_change(entity, kind_of(entity), last.is_some(), solid);
            let target = valid.or_else(|| last.cloned());
            targets.extend(target.map(|solid| (ranks.of(entity), part, solid)));
        }
        targets.sort_unstable_by_key(|(rank, part, _)| (*rank, part.number));
    }

    /// Whether the simulation has exactly the solids of these targets.
    pub(crate) fn matches(
        &self,
        targets: &[(Rank, EntityPart, Solid<Options>)],
        fluid: &FluidWorld,
    ) -> bool {
        let is = |known: &Target<Options>,
                  (rank, part, solid): &(Rank, EntityPart, Solid<Options>)| {
            (known.rank, known.part) == (*rank, *part)
                && known.solid == *solid
                && Options::find(fluid, known.id).is_some()
        };
        self.targets.len() == targets.len()
            && Options::ids(fluid).len() == targets.len()
            && self.targets.iter().zip(targets).all(|(known, target)| is(known, target))
    }

    /// Stores the targets of the entities, in their order. It inserts, changes and removes only the
    /// solids that differ from the last targets.
    pub(crate) fn replace(
        &mut self,
        targets: &[(Rank, EntityPart, Solid<Options>)],
        fluid: &mut FluidWorld,
    ) {
        let is_there = |known: &Target<Options>| Options::find(fluid, known.id).is_some();
        if Options::ids(fluid).len() != self.targets.len() || !self.targets.iter().all(is_there) {
            // The app has replaced the simulation, so these handles are invalid.
            self.targets.clear();
            let unknown: Vec<Options::Id> = Options::ids(fluid).collect();
            Options::remove(fluid, &unknown);
        }
        let mut before = std::mem::take(&mut self.targets).into_iter().peekable();
        let mut gone = Vec::new();
        let mut known_targets = Vec::with_capacity(targets.len());
        for (rank, part, _) in targets {
            let key = |known: &Target<Options>| (known.rank, known.part.number);
            while let Some(known) = before.next_if(|known| key(known) < (*rank, part.number)) {
                gone.push(known.id);
            }
            known_targets.push(before.next_if(|known| key(known) == (*rank, part.number)));
        }
        gone.extend(before.map(|known| known.id));
        Options::remove(fluid, &gone);
        self.first.clear();
        for ((rank, part, solid), known) in targets.iter().zip(known_targets) {
            let (rank, part, solid) = (*rank, *part, solid.clone());
            let id = match known {
                Some(known) => {
                    if known.solid != solid {
                        change(&known, &solid, fluid);
                    }
                    known.id
                }
                None => Options::insert(fluid, solid.clone()),
            };
            self.first.entry(rank.entity).or_insert(self.targets.len());
            self.targets.push(Target { rank, part, id, solid });
        }
    }

    /// Sets the motions of solids that have not reached their targets, so that they arrive after
    /// `ticks` ticks of `tick` seconds each.
    pub(super) fn set_out(&self, fluid: &mut FluidWorld, tick: f32, ticks: u32, radius: f32) {
        for Target { id, solid: target, .. } in &self.targets {
            let Some(now) = Options::find(fluid, *id).filter(|now| !is_at(now, target)) else {
                continue;
            };
            let (turned, rotation) = (target.rotation(), now.rotation());
            let way = target.centre() - now.centre();
            let (cos, sin) = (rotation.dot(turned), rotation.perp_dot(turned));
            let farthest = LONGEST_WAY * radius * ticks as f32;
            // A distance within rounding error counts as arrived.
            let arrived = way.length() < 1e-4 * radius && sin.abs() < 1e-5 && cos > 0.0;
            let time = tick * ticks as f32;
            let motion = now.motion_to(target.pose(), time);
            // A half turn is a jump as well.
            let jumps = way.length() > farthest || cos < -0.99;
            if arrived || jumps || Options::set_motion(fluid, *id, motion).is_err() {
                Options::set(fluid, *id, target.clone());
            }
        }
    }
}

/// Applies the properties of a target to a solid, at its present pose. The solid starts to move in
/// the next tick.
fn change<Options: SolidKind>(
    before: &Target<Options>,
    target: &Solid<Options>,
    fluid: &mut FluidWorld,
) {
    let Some(now) = Options::find(fluid, before.id) else { return };
    let here = target.clone().with_pose(now.pose());
    let here = here.unwrap_or_else(|_| target.clone());
    let changed = if target.is_body() {
        if before.solid.pose() == target.pose() {
            // A body keeps its own pose and motion.
            here.with_motion(target.motion()).unwrap_or_else(|_| target.clone())
        } else {
            // The app has moved it directly.
            target.clone()
        }
    } else if looks_like(&before.solid, target) {
        return;
    } else {
        here
    };
    Options::set(fluid, before.id, changed);
}

/// Whether two solids are equal except for their poses.
fn looks_like<Options: SolidKind>(a: &Solid<Options>, b: &Solid<Options>) -> bool {
    a.shape() == b.shape() && a.wall() == b.wall() && Options::kind_of(a) == Options::kind_of(b)
}

/// Whether a solid rests at its target, or is moved by a body instead of its entity. The last synchronisation has
/// updated its other properties.
fn is_at<Options: SolidKind>(now: &Solid<Options>, target: &Solid<Options>) -> bool {
    let is_there = now.pose() == target.pose() && now.motion() == target.motion();
    target.is_body() || target.is_attached() || is_there
}

// Operations of the simulation on containers and on colliders.

/// The options of a kind of solid that a world refers to by handles.
pub(crate) trait SolidKind: SolidOptions + Debug {
    /// Its type of handle.
    type Id: Copy + Debug + PartialEq;

    /// The options that containers and colliders do not have in common.
    fn kind_of(solid: &Solid<Self>) -> Self;

    /// Handles of all solids of this kind.
    fn ids(fluid: &FluidWorld) -> impl ExactSizeIterator<Item = Self::Id>;

    /// The solid of a handle; `None` if it was removed.
    fn find(fluid: &FluidWorld, id: Self::Id) -> Option<&Solid<Self>>;

    /// Adds a solid.
    fn insert(fluid: &mut FluidWorld, solid: Solid<Self>) -> Self::Id;

    /// Replaces a solid.
    fn set(fluid: &mut FluidWorld, id: Self::Id, solid: Solid<Self>) -> bool;

    /// Sets the motion of a solid.
    fn set_motion(fluid: &mut FluidWorld, id: Self::Id, motion: Motion)
    -> Result<bool, OutOfRange>;

    /// Removes solids.
    fn remove(fluid: &mut FluidWorld, ids: &[Self::Id]);
}

impl SolidKind for ContainerOptions {
    type Id = ContainerId;

    fn kind_of(_: &Container) -> Self {
        Self
    }

    fn ids(fluid: &FluidWorld) -> impl ExactSizeIterator<Item = ContainerId> {
        fluid.containers().map(|(id, _)| id)
    }

    fn find(fluid: &FluidWorld, id: ContainerId) -> Option<&Container> {
        fluid.container(id)
    }

    fn insert(fluid: &mut FluidWorld, solid: Container) -> ContainerId {
        fluid.insert_container(solid)
    }

    fn set(fluid: &mut FluidWorld, id: ContainerId, solid: Container) -> bool {
        fluid.set_container(id, solid)
    }

    fn set_motion(
        fluid: &mut FluidWorld,
        id: ContainerId,
        motion: Motion,
    ) -> Result<bool, OutOfRange> {
        fluid.set_container_motion(id, motion)
    }

    fn remove(fluid: &mut FluidWorld, ids: &[ContainerId]) {
        for id in ids {
            fluid.remove_container(*id);
        }
    }
}

impl SolidKind for ColliderOptions {
    type Id = ColliderId;

    fn kind_of(solid: &Collider) -> Self {
        solid.options()
    }

    fn ids(fluid: &FluidWorld) -> impl ExactSizeIterator<Item = ColliderId> {
        fluid.colliders().map(|(id, _)| id)
    }

    fn find(fluid: &FluidWorld, id: ColliderId) -> Option<&Collider> {
        fluid.collider(id)
    }

    fn insert(fluid: &mut FluidWorld, solid: Collider) -> ColliderId {
        fluid.insert_collider(solid)
    }

    fn set(fluid: &mut FluidWorld, id: ColliderId, solid: Collider) -> bool {
        fluid.set_collider(id, solid)
    }

    fn set_motion(
        fluid: &mut FluidWorld,
        id: ColliderId,
        motion: Motion,
    ) -> Result<bool, OutOfRange> {
        fluid.set_collider_motion(id, motion)
    }

    fn remove(fluid: &mut FluidWorld, ids: &[ColliderId]) {
        fluid.remove_colliders(ids);
    }
}
