//! A soft dot for every particle, in one draw call.
//!
//! | file | what it holds |
//! |---|---|
//! | `extract.rs` | the copy from the app's world to the renderer's |
//! | `pipeline.rs` | the pipeline |
//! | `uniforms.rs` | the dots as the shader reads them |
//! | `draw.rs` | the draw call |
//! | `plugin.rs` | the systems |
//! | `dots.wgsl` | the shader |

mod draw;
mod extract;
mod pipeline;
pub(super) mod plugin;
mod uniforms;
