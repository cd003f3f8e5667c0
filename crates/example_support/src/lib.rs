//! What the repository's examples have and a game has not: a command line, offscreen pictures, runs
//! without drawing, and a fallback for machines without a screen or graphics adapter.
//!
//! An example imports [`DefaultPlugins`] from here, which hides Bevy's own. Without that line it is
//! a program for any project. Started without arguments it opens a window; see [`Arguments`] for
//! the rest.

mod adapter;
mod arguments;
mod headless;
mod held_keys;
mod picture;
mod plugins;
mod png_file;
mod progress;
mod scene_choice;
mod shot;
mod wait;

pub use arguments::{Arguments, PictureSize};
pub use picture::Picture;
pub use plugins::DefaultPlugins;
