//! Real-time 2D liquid for Bevy: add one plugin, spawn a container and some blobs.
//!
//! Particles move by double density relaxation (Clavet, Beaudoin and Poulin 2005, "Particle-based Viscoelastic Fluid
//! Simulation") and belong to density classes that stratify by themselves. The simulation itself is the crate
//! [`blob_fluid`], which does not depend on Bevy. This crate adds the simulation to an app as resources, ordered
//! systems, entities and drawing.
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
//! # Parts
//!
//! | for | use |
//! |---|---|
//! | gravity, scale, viscosity, the solver, ... | [`FluidSettings`] |
//! | the kinds of liquid | [`FluidClasses`] |
//! | the particles | [`FluidSimulation`] |
//! | pausing, slow motion, single steps | [`Time<Fluid>`](Fluid) and [`FluidClock`]; with a physics engine [`FluidClocks`](engines::FluidClocks) |
//! | containers | [`FluidContainer`] |
//! | colliders | [`FluidCollider`], [`FluidTiles`] |
//! | acid, erosion, melting: walls that liquid wears | [`FluidWear`], [`FluidStrength`], [`FluidWornOut`] |
//! | handles of containers and colliders in the simulation | [`FluidContainers`], [`FluidColliders`] |
//! | bodies that the liquid moves | [`FluidBuoyant`], [`FluidMotion`] |
//! | force and torque of the liquid on a collider | [`FluidLoad`] |
//! | colliders and bodies of a physics engine | [`FluidCoupled`](engines::FluidCoupled) |
//! | air: wind, smoke, heat and fire | [`FluidAir`], [`FluidAirSource`] |
//! | the order in which the plugin processes entities | [`FluidOrder`] |
//! | blobs of liquid | [`FluidBlob`] with a [`FluidClass`] or a [`FluidMadeOf`] |
//! | lakes of columns instead of particles | [`FluidPool`], [`FluidPoolState`] |
//! | emitters and drains | [`FluidEmitter`], [`FluidDrain`] |
//! | pumps, pipes, valves, and tanks with amounts instead of particles | [`FluidPump`], [`FluidPipe`], [`FluidValve`], [`FluidTank`], [`FluidTankLink`] |
//! | the capacity, and the region in which particles may be | [`FluidSettings`] |
//! | honey, lava, water, ..., and liquids from files | [`FluidMadeOf`], [`FluidMaterialAsset`] |
//! | whole scenes from files | [`FluidSceneRoot`] |
//! | the liquid at a point, rays, heights | [`FluidQuery`] |
//! | the classes that a drain takes or a sensor counts | [`FluidClassFilter`] |
//! | watching a region | [`FluidSensor`], [`FluidEntered`], [`FluidFilled`], ... |
//! | connected blobs, merging and splitting | [`FluidBlobsPlugin`], [`FluidBlobs`] |
//! | splashes, for sounds | [`FluidSplashPlugin`], [`FluidSplash`] |
//! | painting liquid | [`FluidBrush`], [`FluidBlob::with_paint`], [`FluidEmitter::with_paint`] |
//! | pushing, pulling and heating liquid | [`FluidForce`], [`FluidImpulse`], [`FluidField`], [`FluidForceFields`] |
//! | explosions that throw liquid and bodies, and break walls | [`FluidBlast`], [`FluidBlasted`] |
//! | a million particles, on the graphics card | [`FluidSettings::backend`] |
//! | a limit to the time of a tick | [`FluidSettings::budget`] |
//! | the cost of a tick, and the quality given up to keep the time limit | [`FluidStatistics`], [`FluidPassTimes`], [`FluidDeviceTimes`], [`FluidDiagnosticsPlugin`] |
//! | tests of a game, without a window | [`testing`] |
//! | worlds that are simulated only around cameras and players | `FluidStreaming`, `FluidRegions` |
//! | saved games, going back in time, rollback | `FluidSnapshot`, `FluidRollbackPlugin` |
//! | your own system between two passes | [`FluidSubstepSchedule`] and [`FluidStepSystems`], or [`FluidSchedule`] and [`FluidAirSystems`] |
#![cfg_attr(feature = "picture", doc = "| liquid and colliders from images | [`FluidPicture`] |")]
#![cfg_attr(feature = "text", doc = "| liquid and colliders from text | [`FluidText`] |")]
#![cfg_attr(
    feature = "render",
    doc = "| looks | [`render::FluidSurface`], [`render::FluidDots`], [`render::FluidAirLook`] |"
)]
#![cfg_attr(
    feature = "render",
    doc = "| containers and colliders that can be seen | [`FluidSolidDrawingPlugin`] |"
)]
#![cfg_attr(feature = "render", doc = "| foam and glow | [`FluidFoamSettings`], [`FluidGlow`] |")]
#![cfg_attr(
    feature = "render",
    doc = "| colours of classes, speeds, ages, ... | [`FluidColoring`], [`FluidGradient`] |"
)]
#![cfg_attr(
    feature = "debug",
    doc = "| drawing the state of the simulation | [`FluidDebugPlugin`], [`FluidGizmos`] |"
)]
//!
//! # Guide
//!
//! `docs/overview.md` in the repository lists the page for each task, and `docs/faults.md` the setting that corrects
//! each symptom. A type's documentation ends with its page.
//!
//! # Not modelled
//!
//! Foam and glow are only drawn: foam has no mass, and glow lights no walls. [`FluidSolver`](blob_fluid::FluidSolver)
//! lists the effects that each solver does not model.
//!
//! # Features
//!
//! - `avian2d`: coupling with colliders and bodies of avian2d, [`engines`].
//! - `debug`: draws cells, springs, velocities, colliders and more over the liquid, with Bevy's
//!   gizmos.
//! - `gpu`: the simulation on the graphics card, [`FluidBackend::Gpu`].
//! - `ggrs`: rollback with bevy_ggrs, `FluidRollbackPlugin`.
//! - `picture` (part of `render`): liquid and colliders from images.
//! - `rapier2d`: coupling with colliders and bodies of bevy_rapier2d, [`engines`].
//! - `snapshot` (default): snapshots of liquid, air and bodies, in memory and as bytes,
//!   `FluidSnapshot`.
//! - `text`: liquid and colliders from text, in Bevy's fonts.
//! - `render` (default): surfaces and dots. Without it, or without a renderer in the app, the
//!   plugin simulates only.
//!
//! The crate `bevy_blob_fluid_panel` adds a panel to change settings, pour and measure.

/// The last line of a type's documentation, which names its page of the guide. Only this macro has the form of the address.
macro_rules! guide {
    ($page:literal) => {
        concat!("\n\nGuide: `docs/", $page, ".md` in the repository.")
    };
}

mod air;
mod bevy_names;
mod blasts;
mod concern;
pub mod engines;
mod forces;
pub mod materials;
mod placing;
mod plugins;
pub mod scenes;
mod schedule;
mod sensing;
mod simulation;
#[cfg(feature = "snapshot")]
mod snapshot;
mod solids;
mod sources;
#[cfg(feature = "snapshot")]
mod streaming;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod warnings;

#[cfg(feature = "render")]
mod coloring;
#[cfg(feature = "debug")]
mod debug;
#[cfg(feature = "render")]
mod foam;
#[cfg(feature = "render")]
mod publish;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "render")]
mod solid_drawing;
#[cfg(feature = "render")]
mod walls;

pub use air::*;
pub use blasts::{FluidBlast, FluidBlasted};
pub use blob_fluid;
pub use forces::*;
pub use materials::{
    FluidClassFilter, FluidMadeOf, FluidMaterialAsset, FluidMaterialPlugin, FluidMaterials,
};
pub use placing::FluidOutline;
pub use plugins::BlobFluidPlugins;
pub use scenes::{FluidSceneAsset, FluidSceneFilePlugin, FluidSceneRoot, FluidSceneShown};
pub use schedule::{
    FluidAirSystems, FluidEntitySystems, FluidOrder, FluidSchedule, FluidSenseSystems,
    FluidStepSystems, FluidSubstepSchedule, FluidSystems, FluidTickSystems,
};
pub use sensing::*;
pub use simulation::{
    Fluid, FluidBackend, FluidClasses, FluidClock, FluidDeviceTimes, FluidDiagnosticsPlugin,
    FluidForceFields, FluidPassTimes, FluidSettings, FluidSimulation, FluidSimulationPlugin,
    FluidStatistics, FluidTick,
};
#[cfg(feature = "snapshot")]
pub use snapshot::{
    FluidMissing, FluidRecorderPlugin, FluidRecording, FluidRestored, FluidSnapshot,
    FluidSnapshotError,
};
#[cfg(feature = "ggrs")]
pub use snapshot::{FluidRollback, FluidRollbackPlugin, FluidRollbackState, FluidStrategy};
pub use solids::*;
pub use sources::*;
#[cfg(feature = "snapshot")]
pub use streaming::{
    FluidRegionEntered, FluidRegionLeft, FluidRegions, FluidRegionsError, FluidStreaming,
    FluidStreamingPlugin,
};

#[cfg(feature = "render")]
pub use coloring::{
    FluidColorBy, FluidColorRange, FluidColorScale, FluidColoring, FluidColoringGradient,
    FluidGradient, FluidGradientError, FluidGradientLoader, FluidGradientLoaderError,
    FluidGradientStop,
};
#[cfg(feature = "debug")]
pub use debug::{FluidDebugPlugin, FluidGizmoColors, FluidGizmos};
#[cfg(feature = "render")]
pub use foam::{FluidFoamSettings, FluidGlow};
#[cfg(all(feature = "render", feature = "snapshot"))]
pub use publish::FluidFilm;
#[cfg(feature = "render")]
pub use publish::FluidPublishPlugin;
#[cfg(feature = "render")]
pub use solid_drawing::{FluidSolidColor, FluidSolidDrawingPlugin, FluidSolidStyle};

/// The types that a game usually needs.
pub mod prelude {
    pub use blob_fluid::air::{
        AirAdvection, AirChannel, AirEmbers, AirFire, AirPass, AirProjection, AirSettings, AirSide,
        AirSides, AirSlip,
    };
    pub use blob_fluid::{
        BlastReport, BlobId, BlobTracking, CapacityPolicy, ClassFilter, ClassId, ClassPair,
        ClassViscosity, DensityClass, EmitterSettings, FillLevels, FluidBounds, FluidBudget,
        FluidElasticity, FluidFalloff, FluidIntoAir, FluidLifetime, FluidNozzle, FluidPaint,
        FluidParameters, FluidPass, FluidPowder, FluidReaction, FluidRegion, FluidShape,
        FluidSleeping, FluidSolver, FluidThermal, FluidTransition, PaintMixing, ParticleId,
        ParticleSpawn, ParticleTag, PoolSettings, SplashDetection, SurfaceHit, WallProperties,
    };

    pub use crate::air::*;
    pub use crate::blasts::*;
    pub use crate::engines::{FluidClocks, FluidCoupled};
    pub use crate::forces::*;
    #[cfg(feature = "render")]
    pub use crate::render::{
        FluidAirLook, FluidAirShow, FluidDetail, FluidDots, FluidDrawingBudget, FluidStreamlines,
        FluidSurface, FluidSurfaceLook, FluidSurfaceMixing, FluidSurfaceQuality,
    };
    pub use crate::sensing::*;
    #[cfg(feature = "snapshot")]
    pub use crate::snapshot::FluidSnapshot;
    pub use crate::solids::*;
    pub use crate::sources::*;
    #[cfg(feature = "snapshot")]
    pub use crate::streaming::{FluidRegionEntered, FluidRegionLeft, FluidRegions, FluidStreaming};
    pub use crate::{
        BlobFluidPlugins, Fluid, FluidAirSystems, FluidBackend, FluidClassFilter, FluidClasses,
        FluidClock, FluidDeviceTimes, FluidEntitySystems, FluidForceFields, FluidMadeOf,
        FluidMaterialAsset, FluidMaterials, FluidOrder, FluidPassTimes, FluidSceneAsset,
        FluidSceneRoot, FluidSceneShown, FluidSchedule, FluidSenseSystems, FluidSettings,
        FluidSimulation, FluidStatistics, FluidStepSystems, FluidSubstepSchedule, FluidSystems,
        FluidTick, FluidTickSystems,
    };
    #[cfg(feature = "render")]
    pub use crate::{FluidColorBy, FluidColorRange, FluidColorScale, FluidColoring, FluidGradient};
    #[cfg(feature = "debug")]
    pub use crate::{FluidDebugPlugin, FluidGizmos};
    #[cfg(feature = "render")]
    pub use crate::{FluidSolidColor, FluidSolidDrawingPlugin, FluidSolidStyle};
}
