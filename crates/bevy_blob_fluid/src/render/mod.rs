//! Drawing of liquid and air. [`FluidSurface`] draws a closed surface. [`FluidDots`] draws a soft
//! dot for every particle, in one draw call. [`FluidAirLook`] draws air.
//!
//! | file | contents |
//! |---|---|
//! | `instance.rs` | instances of particles, the palette, and the walls that surfaces meet |
//! | `look` | components and resources with which a game chooses the looks |
//! | `view.rs` | the view in which something is drawn, as pipelines depend on it |
//! | `shader` | composes shaders, and holds the modules that all of them share |
//! | `gpu.rs` | parts of the renderer that all looks share |
//! | `dots`, `surface`, `air` | draw dots, the closed surface, and smoke, fire and streamlines |
//! | `plugin.rs` | the plugin |
//! | `raw.rs` | the public names of `instance.rs`, for apps that draw particles of their own |
//! | `instance.wgsl`, `output.wgsl` | shader modules: input of particles, output of colours |
//!
//! Every file uses only the files above it in the table.
//!
//! Particles reach the GPU in a vertex buffer that is stepped per instance, which WebGL2 supports
//! as well. The GPU interpolates their positions between the last two ticks, so a frame without a
//! tick uploads no particles.

pub(super) mod air;
pub(super) mod dots;
pub(super) mod gpu;
mod instance;
pub(super) mod look;
mod plugin;
pub mod raw;
mod shader;
pub(super) mod surface;
mod view;

pub use air::FluidAirRenderPlugin;
pub(crate) use instance::{
    FluidBlending, FluidDrawnTime, FluidGases, FluidInstance, FluidInstances, FluidInterpolation,
    FluidPalette, FluidWall, FluidWalls, SolidTriangle,
};
pub use look::detail::{FluidDetail, FluidDrawingBudget};
pub use look::surface::{FluidSurface, FluidSurfaceLook, FluidSurfaceMixing, FluidSurfaceQuality};
pub use look::{
    CustomSurfaceLook, FluidAirLook, FluidAirShow, FluidCustomLook, FluidDots, FluidStreamlines,
};
pub use plugin::FluidRenderPlugin;
pub use surface::custom_look::FluidCustomLookPlugin;
