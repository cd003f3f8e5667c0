//! Examples outside a browser: a command line, pictures, and runs without drawing.

mod adapter;
mod arguments;
mod film;
mod headless;
mod held_keys;
mod mode;
mod picture;
mod progress;

pub use arguments::{Arguments, PictureSize};
pub(crate) use mode::chosen_plugins;
pub use picture::Picture;
