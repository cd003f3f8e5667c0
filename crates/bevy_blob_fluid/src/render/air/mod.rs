//! Drawing of air: smoke that is lit and casts shadows, fire, colours of pressure and speed, and
//! streamlines.
//!
//! The grid goes to the GPU as two textures of half floats, which WebGL2 has as well. The material
//! draws a rectangle, so cameras, render layers and depth among sprites are Bevy's own.

mod material;
pub(super) mod plugin;
mod streamlines;
mod texture;
