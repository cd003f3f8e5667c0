//! Living 2D liquid for Bevy: add one plugin, spawn a container and some blobs.
//!
//! Particles move by double density relaxation (Clavet, Beaudoin and Poulin 2005, "Particle-based
//! Viscoelastic Fluid Simulation") and belong to density classes that stratify by themselves. The
//! simulation itself is the crate [`blob_fluid`], which knows no Bevy; this one brings it into an
//! app: resources, ordered systems, scene entities and drawing.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_blob_fluid::prelude::*;
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((DefaultPlugins, BlobFluidPlugins::default()))
//!         .add_systems(Startup, setup)
//!         .run();
//! }
//!
//! fn setup(mut commands: Commands) {
//!     commands.spawn(Camera2d);
//!     commands.spawn(FluidContainer::from(Circle::new(400.0)));
//!     commands.spawn((FluidBlob::from(Circle::new(150.0)), FluidClass::LIGHT));
//! }
//! ```
//!
//! # What to use
//!
//! | for | use |
//! |---|---|
//! | gravity, scale, viscosity, ... | [`FluidSettings`] |
//! | the kinds of liquid | [`FluidClasses`] |
//! | the particles | [`FluidSimulation`] |
//! | pausing, slow motion, single steps | [`Time<Fluid>`](Fluid) and [`FluidClock`] |
//! | walls | [`FluidContainer`] |
//! | solid bodies in the way | [`FluidCollider`] |
//! | liquid | [`FluidBlob`] with a [`FluidClass`] or a [`FluidMadeOf`] |
//! | liquid that comes and goes | [`FluidEmitter`], [`FluidDrain`] |
//! | what a full world does, and where particles may be | [`FluidSettings`] |
//! | liquids from files | [`FluidMaterialAsset`] |
//! | pushing, pulling and heating | [`FluidForce`] |
//! | a limit to how long a tick takes | [`FluidSettings::budget`] |
//! | what it costs, and what was given up | [`FluidStatistics`], [`FluidDiagnosticsPlugin`] |
//! | your own system between two passes | [`FluidSubstepSchedule`] and [`FluidStepSystems`] |
#![cfg_attr(feature = "render", doc = "| looks | [`render::FluidMaterial`] |")]
//!
//! # What is not modelled yet
//!
//! Bodies that the liquid moves, colliders other than discs and boxes, sensors, surface
//! rendering.
//!
//! # Features
//!
//! - `render` (default): the instanced material. Without it, or without a renderer in the app, the
//!   plugin simulates only.

pub mod materials;
mod plugins;
mod scene;
mod schedule;
mod simulation;

#[cfg(feature = "render")]
mod publish;
#[cfg(feature = "render")]
pub mod render;

pub use blob_fluid;
pub use materials::{FluidMadeOf, FluidMaterialAsset, FluidMaterialPlugin, FluidMaterials};
pub use plugins::BlobFluidPlugins;
pub use scene::{
    FluidBlob, FluidBlobFilled, FluidBuoyant, FluidClass, FluidCollider, FluidColliders,
    FluidContainer, FluidContainers, FluidDrain, FluidDrainTotals, FluidEmitter,
    FluidEmitterTotals, FluidForce, FluidLoad, FluidMotion, FluidOutline, FluidScenePlugin,
};
pub use schedule::{
    FluidSchedule, FluidStepSystems, FluidSubstepSchedule, FluidSystems, FluidTickSystems,
};
pub use simulation::{
    Fluid, FluidClasses, FluidClock, FluidDiagnosticsPlugin, FluidSettings, FluidSimulation,
    FluidSimulationPlugin, FluidStatistics, FluidTick,
};

#[cfg(feature = "render")]
pub use publish::FluidPublishPlugin;

/// Everything a game usually needs.
pub mod prelude {
    pub use blob_fluid::{
        Bounds, Budget, CapacityPolicy, ClassFilter, ClassId, ClassPair, ClassViscosity,
        DensityClass, Elasticity, EmitterSettings, FluidParameters, Lifetime, Nozzle, ParticleId,
        ParticleSpawn, ParticleTag, Reaction, Shape, Sleeping, Surface, Thermal, Transition,
    };

    #[cfg(feature = "render")]
    pub use crate::render::FluidMaterial;
    pub use crate::{
        BlobFluidPlugins, Fluid, FluidBlob, FluidBlobFilled, FluidBuoyant, FluidClass,
        FluidClasses, FluidClock, FluidCollider, FluidContainer, FluidDrain, FluidDrainTotals,
        FluidEmitter, FluidEmitterTotals, FluidForce, FluidLoad, FluidMadeOf, FluidMaterialAsset,
        FluidMaterials, FluidMotion, FluidSchedule, FluidSettings, FluidSimulation,
        FluidStatistics, FluidStepSystems, FluidSubstepSchedule, FluidSystems, FluidTick,
        FluidTickSystems,
    };
}
