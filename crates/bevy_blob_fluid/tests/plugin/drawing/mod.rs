//! What the plugin draws, on whatever graphics adapter there is.

mod cameras;
mod coloring;
#[cfg(feature = "debug")]
mod debug;
mod dots;
#[cfg(feature = "snapshot")]
mod film;
mod gas;
#[cfg(feature = "gpu")]
mod gpu;
mod headless;
mod pools;
mod surface;
mod walls;
