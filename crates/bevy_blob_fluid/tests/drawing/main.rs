//! What the plugin draws, on whatever graphics adapter there is.
#![cfg(feature = "render")]

#[path = "../support/assets.rs"]
mod assets;
#[path = "../support/headless.rs"]
mod headless;
#[path = "../support/pictures.rs"]
mod pictures;

mod coloring;
#[cfg(feature = "debug")]
mod debug;
mod dots;
mod surface;
mod walls;
