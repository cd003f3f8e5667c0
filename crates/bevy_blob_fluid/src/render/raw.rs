//! The particles, colours and walls that surfaces and dots draw. The plugin sets them in every frame.
//!
//! Only an app that draws particles of its own needs them. The example `solvers` is one: the plugin's liquid is empty,
//! and a system in `Last` sets [`FluidInstances`].

pub use super::gpu::FluidDrawingWork;
pub use super::instance::{
    FluidBlending, FluidDeviceInstances, FluidGases, FluidInstance, FluidInstances,
    FluidInterpolation, FluidPalette, FluidWall, FluidWalls,
};
