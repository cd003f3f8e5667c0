//! Code that the examples share, so that each can be read in two minutes: a command line, offscreen
//! pictures, runs without drawing, and a fallback for machines without a screen or graphics
//! adapter.
//!
//! An example adds [`ExamplePlugins`] in place of Bevy's own. Started without arguments it opens a
//! window; see [`Arguments`] for the rest.

mod adapter;
mod arguments;
mod backdrop;
mod fit;
mod headless;
mod held_keys;
mod hud;
mod picture;
mod plugins;
mod png_file;
mod pointer;
mod progress;
mod restart;
mod shot;
mod tap;

pub use arguments::{Arguments, picked_scene};
pub use backdrop::{BackdropColors, BackdropPlugin};
pub use fit::fit_camera;
pub use hud::{Hud, HudPlugin};
pub use picture::Picture;
pub use plugins::{ExamplePlugins, assets_folder};
pub use pointer::{Pointer, PointerPlugin};
pub use restart::{restart, wait_for_assets};
pub use tap::{pointed_at, pour};
