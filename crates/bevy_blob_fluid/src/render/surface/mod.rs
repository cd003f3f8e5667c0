//! The closed surface of the liquid.

mod look;

pub use look::{FluidSurface, SurfaceLook, SurfaceMixing, SurfaceQuality};
