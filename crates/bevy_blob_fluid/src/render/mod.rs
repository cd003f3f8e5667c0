//! Drawing: a closed surface ([`FluidSurface`]), or a soft dot for every particle in one draw call
//! ([`FluidDots`]); and air ([`FluidAirLook`]).
//!
//! | file | what it holds |
//! |---|---|
//! | `instance.rs` | the data of each particle on the GPU, and the resource that the simulation fills |
//! | `palette.rs` | the colours of particles, which classes blend, and which are gases |
//! | `walls.rs` | the walls that surfaces meet |
//! | `look` | looks: what a game says about how things are drawn |
//! | `gpu` | what all looks share on the GPU |
//! | `dots` | draws dots |
//! | `surface` | draws the closed surface |
//! | `air` | draws smoke, fire and streamlines |
//! | `plugin.rs` | the plugin |
//! | `instance.wgsl`, `output.wgsl` | parts that shaders share: input of particles, output of colours |
//!
//! Every file uses only what stands above it in the table.
//!
//! Particles reach the GPU in a vertex buffer stepped per instance, which works on WebGL2 as well.
//! The GPU interpolates their positions between the last two ticks, so a frame without a tick
//! uploads no particles.

pub(super) mod air;
pub(super) mod dots;
pub(super) mod gpu;
mod instance;
pub(super) mod look;
mod plugin;
pub(super) mod surface;

pub use air::FluidAirRenderPlugin;
pub use gpu::FluidDrawingWork;
pub use instance::{
    FluidBlending, FluidDeviceInstances, FluidGases, FluidInstance, FluidInstances,
    FluidInterpolation, FluidPalette, FluidWall, FluidWalls,
};
pub(crate) use instance::{FluidDrawnTime, SolidTriangle};
pub use look::detail::{FluidDetail, FluidDrawingBudget};
pub use look::surface::{FluidSurface, FluidSurfaceLook, FluidSurfaceMixing, FluidSurfaceQuality};
pub use look::{
    CustomSurfaceLook, FluidAirLook, FluidAirShow, FluidCustomLook, FluidDots, FluidStreamlines,
};
pub use plugin::FluidRenderPlugin;
pub use surface::custom_look::FluidCustomLookPlugin;
