//! Physics engines: their bodies and the liquid push each other.
//!
//! | feature | engine | plugin |
//! |---|---|---|
//! | `avian2d` | [avian2d](https://docs.rs/avian2d/0.7) | `FluidAvianPlugin` |
//! | `rapier2d` | [bevy_rapier2d](https://docs.rs/bevy_rapier2d/0.36) | `FluidRapierPlugin` |
//!
//! Add [`FluidCoupled`] to a collider or to a rigid body of the engine. The plugins are part of
//! [`BlobFluidPlugins`](crate::BlobFluidPlugins). An engine of your own takes one implementation of
//! [`PhysicsEngine`] and its [`FluidEnginePlugin`].
//!
//! # How it works
//!
//! 1. Before the fluid's ticks, [`PhysicsEngine::collect`] lists the engine's bodies and colliders.
//!    Shapes are converted once, when they change.
//! 2. Within a tick the colliders of a dynamic body move together, from where the body was to where
//!    it is, as a [host body](blob_fluid::HostBody) of the core. Its velocity answers to the liquid
//!    in every substep, so that light bodies are stable.
//! 3. [`PhysicsEngine::push`] gives what the liquid did in all ticks since the last step of the
//!    engine to the engine's bodies, once.
//!
//! `docs/bodies.md` in the repository has units, recipes and measured numbers.

#[cfg(feature = "avian2d")]
mod avian;
mod bodies;
mod clocks;
mod coupled;
mod displaced;
mod exchange;
mod pieces;
mod plugin;
#[cfg(feature = "rapier2d")]
mod rapier;
mod sync;

#[cfg(feature = "avian2d")]
pub use avian::{Avian, FluidAvianPlugin};
pub use bodies::{EngineBodies, EngineBody, EngineCollider, EnginePush};
pub use clocks::FluidClocks;
pub use coupled::FluidCoupled;
pub use pieces::{Piece, ShapeError};
pub use plugin::{FluidEnginePlugin, PhysicsEngine};
#[cfg(feature = "rapier2d")]
pub use rapier::{FluidRapierPlugin, Rapier};
#[cfg(feature = "snapshot")]
pub(crate) use sync::{FluidHosts, Host};
