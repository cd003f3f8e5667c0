//! Solids as entities: containers, colliders, levels of tiles, and bodies that the liquid carries.
//!
//! | file | contents |
//! |---|---|
//! | `collider.rs`, `tiles.rs`, `pipe.rs` | containers, colliders, tiles, pipes and valves |
//! | `wear.rs` | liquid that wears tiles and colliders |
//! | `buoyant.rs`, `bodies.rs` | bodies that the liquid moves, and the transforms that follow them |
//! | `targets.rs` | the target solids of entities, compared with the solids of the simulation |

mod bodies;
mod buoyant;
mod collider;
mod pipe;
mod targets;
mod tiles;
mod wear;

pub use buoyant::{FluidBuoyant, FluidMotion};
pub use collider::{FluidCollider, FluidColliders, FluidContainer, FluidContainers, FluidLoad};
pub use pipe::{FluidPipe, FluidValve};
pub use tiles::FluidTiles;
pub(crate) use wear::BreakableWalls;
pub use wear::{FluidStrength, FluidWear, FluidWearRate, FluidWornOut};

#[cfg(feature = "ggrs")]
pub(crate) use bodies::place_at_last_tick;
pub(crate) use bodies::read_bodies;
#[cfg(feature = "snapshot")]
pub(crate) use buoyant::BodyState;
pub(crate) use collider::{ForeignColliders, LoadedHosts, move_solids, sync_colliders};
pub(crate) use targets::{EntityPart, LONGEST_WAY};
#[cfg(feature = "snapshot")]
pub(crate) use targets::{SolidKind, Target, Targets};
#[cfg(feature = "snapshot")]
pub(crate) use tiles::MergedTiles;

crate::concern::concern! {
    /// Containers, colliders, tiles and their wear, pipes, valves, and bodies that the liquid carries.
    FluidSolidsPlugin: bodies::add_bodies, buoyant::add_buoyant_bodies, collider::add_colliders, collider::add_containers, collider::add_loads, collider::add_motions, pipe::add_pipes, tiles::add_tiles, pipe::add_valves, wear::add_wear
}
