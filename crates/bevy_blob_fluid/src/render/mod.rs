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

mod air;
mod dots;
mod gpu;
mod instance;
mod look;
mod palette;
mod plugin;
mod surface;
mod walls;

pub use air::plugin::FluidAirRenderPlugin;
pub use gpu::work::FluidDrawingWork;
pub(crate) use instance::FluidDrawnTime;
pub use instance::{FluidDeviceInstances, FluidInstance, FluidInstances, FluidInterpolation};
pub use look::air::{FluidAirLook, FluidAirShow, FluidStreamlines};
pub use look::custom::{CustomSurfaceLook, FluidCustomLook};
pub use look::detail::{FluidDetail, FluidDrawingBudget};
pub use look::dots::FluidDots;
pub use look::liquid::FluidSurfaceLook;
pub use look::surface::{FluidSurface, FluidSurfaceMixing, FluidSurfaceQuality};
pub use palette::{FluidBlending, FluidGases, FluidPalette};
pub use plugin::FluidRenderPlugin;
pub use surface::custom_look::FluidCustomLookPlugin;
pub(crate) use walls::SolidTriangle;
pub use walls::{FluidWall, FluidWalls};
