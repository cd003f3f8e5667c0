//! Solids as entities: containers, colliders, levels of tiles, and bodies that the liquid carries.

mod bodies;
mod built;
mod buoyant;
mod collider;
mod container;
mod held;
mod load;
mod motion;
mod targets;
mod tiles;

pub(crate) use bodies::{place_bodies, read_bodies};
pub(crate) use built::Scaled;
pub use buoyant::{FluidBuoyant, FluidMotion};
pub(crate) use collider::sync_colliders;
pub use collider::{FluidCollider, FluidColliders};
pub(crate) use container::sync_containers;
pub use container::{FluidContainer, FluidContainers};
pub use load::FluidLoad;
pub(crate) use motion::move_solids;
pub(crate) use targets::LONGEST_WAY;
pub use tiles::FluidTiles;
pub(crate) use tiles::merge;
