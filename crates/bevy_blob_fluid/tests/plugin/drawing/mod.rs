//! What the plugin draws, on whatever graphics adapter there is.

mod air;
mod cameras;
mod coloring;
#[cfg(feature = "debug")]
mod debug;
#[cfg(feature = "debug")]
mod debug_pictures;
mod dots;
#[cfg(feature = "snapshot")]
mod film;
mod flat;
mod gas;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(all(feature = "gpu", feature = "avian2d"))]
mod gpu_bodies;
#[cfg(feature = "gpu")]
mod gpu_room;
mod headless;
mod light;
mod paint;
mod refraction;
mod rest;
mod samples;
mod surface;
mod walls;
