//! Operations that the simulation has for containers and for colliders.

use std::fmt::Debug;

use blob_fluid::{
    Collider, ColliderId, ColliderOptions, Container, ContainerId, ContainerOptions, FluidWorld,
    Motion, OutOfRange, Solid, SolidOptions,
};

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

    /// Removes a solid.
    fn remove(fluid: &mut FluidWorld, id: Self::Id);
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

    fn remove(fluid: &mut FluidWorld, id: ContainerId) {
        fluid.remove_container(id);
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

    fn remove(fluid: &mut FluidWorld, id: ColliderId) {
        fluid.remove_collider(id);
    }
}
