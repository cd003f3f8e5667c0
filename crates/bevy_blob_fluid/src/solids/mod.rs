//! Solids as entities: containers, colliders, levels of tiles, and bodies that the liquid carries.
//!
//! | file | what it has |
//! |---|---|
//! | `container.rs`, `collider.rs`, `tiles.rs` | solids where their entities are |
//! | `pipe.rs`, `valve.rs` | colliders with the shapes of pipes and valves |
//! | `buoyant.rs`, `load.rs` | bodies that the liquid moves, and what it does to any collider |
//! | `targets.rs`, `solid_kind.rs`, `built.rs` | what entities want, and what of it the simulation has |
//! | `motion.rs`, `bodies.rs` | solids follow their entities, and entities follow their bodies |

mod bodies;
mod built;
mod buoyant;
mod collider;
mod container;
mod load;
mod motion;
mod pipe;
mod solid_kind;
mod targets;
mod tiles;
mod valve;

pub use buoyant::{FluidBuoyant, FluidMotion};
pub use collider::{FluidCollider, FluidColliders};
pub use container::{FluidContainer, FluidContainers};
pub use load::FluidLoad;
pub use pipe::FluidPipe;
pub use tiles::FluidTiles;
pub use valve::FluidValve;

#[cfg(feature = "ggrs")]
pub(crate) use bodies::place_at_last_tick;
pub(crate) use bodies::read_bodies;
#[cfg(feature = "snapshot")]
pub(crate) use buoyant::{BodyState, Pose};
pub(crate) use collider::{ForeignColliders, sync_colliders};
pub(crate) use load::LoadedHosts;
pub(crate) use motion::move_solids;
#[cfg(feature = "snapshot")]
pub(crate) use solid_kind::SolidKind;
pub(crate) use targets::{EntityPart, LONGEST_WAY};
#[cfg(feature = "snapshot")]
pub(crate) use targets::{Target, Targets};

crate::concern::concern! {
    /// Containers, colliders, tiles, pipes, valves, and bodies that the liquid carries.
    FluidSolidsPlugin: bodies, buoyant, collider, container, load, motion, pipe, tiles, valve
}
